"""The use cases, and the ports they need as Protocols. No database, RPC or message type is known here."""
