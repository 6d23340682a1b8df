"""The use cases: accounts, matches, play and watching, over ports that the store and the bus fill."""
