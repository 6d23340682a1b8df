"""The tables, and what implements the app's ports on them."""
