"""Messages and values: `to_proto` on the way out, `from_proto` on the way in. No use case is here."""
