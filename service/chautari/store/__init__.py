"""The tables, and what implements the app's ports on them."""

from chautari.store.memory import MemoryStore
from chautari.store.seal import BrokenSeal, load_or_make_key, read_key
from chautari.store.sqlite import SqliteStore

__all__ = ["BrokenSeal", "MemoryStore", "SqliteStore", "load_or_make_key", "read_key"]
