"""The store that the configuration names, and what passes hints between those who share it.

Like `main` it ties rooms together.
"""

import os
import signal

import structlog

from chautari.app.pages import page_key_of
from chautari.app.ports import Bus, Store
from chautari.app.service import LocalBus
from chautari.config import BadConfig, Config
from chautari.store import MemoryStore, SqliteStore, load_or_make_key, read_key
from chautari.store.hints import NoHints

_log = structlog.get_logger(__name__)


async def open_store(config: Config) -> tuple[Store, Bus, bytes]:
    """The store, its tables brought up to date, what passes its hints, and the key that signs page tokens.

    BadConfig, Malformed `BAD_SEAL_KEY` and what else keeps a database from being opened.
    """
    if config.memory:
        return MemoryStore(), LocalBus(), os.urandom(32)
    if config.is_postgresql and not (config.key or config.key_file):
        raise BadConfig("with PostgreSQL every replica needs the same key: set CHAUTARI_KEY or CHAUTARI_KEY_FILE")
    if not config.is_postgresql:
        config.database_path.parent.mkdir(parents=True, exist_ok=True)
    key = read_key(config.key) if config.key else load_or_make_key(config.key_path)
    if not config.is_postgresql:
        return SqliteStore.open(config.database_path, key), LocalBus(), page_key_of(key)
    from chautari.store.postgres import PostgresStore

    store = await PostgresStore.open(config.database, key, pooled=config.pooler, replaced=_end_for_replaced)
    return store, _bus(config, store.epoch, pooled=store.pooled), page_key_of(key)


def _end_for_replaced() -> None:
    """Ends this process as if it had been told to: what it has cached is void, and the next one begins anew."""
    _log.error("the database was restored, or a standby took over: ending, to begin anew")
    signal.raise_signal(signal.SIGTERM)


def _bus(config: Config, epoch: str, *, pooled: bool) -> Bus:
    """What passes hints between the replicas on one PostgreSQL."""
    if config.hints == "none":
        return NoHints()
    if config.hints != "postgresql":
        try:
            from chautari.store.nats_bus import nats_bus
        except ImportError:
            raise BadConfig("hints by NATS need one more package: install chautari[nats]") from None
        return nats_bus(config.hints, epoch)
    if pooled and not config.hints_url:
        _log.warning(
            "hints are slow: nobody can listen through a pooler; set CHAUTARI_HINTS_URL to the database's own address"
        )
        return NoHints()
    from chautari.store.postgres_bus import postgres_bus

    return postgres_bus(config.hints_url or config.database)
