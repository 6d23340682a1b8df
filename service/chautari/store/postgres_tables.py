"""Changing the tables of a PostgreSQL database: one replica at a time, and beside those that serve."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

import structlog
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from chautari.store import postgres_errors as errors
from chautari.store.postgres_connect import find
from chautari.store.sql import told_as

T = TypeVar("T")

ALONE: Final = text("SELECT pg_advisory_xact_lock(4711470)")
"""Waits until no other replica is in a transaction with this. A lock of a session would get lost at a pooler."""
_WAIT: Final = text("SELECT set_config('lock_timeout', :wait, true)")
_TABLE_WAIT: Final = "4s"
_TABLE_TRIES: Final = 15
_TABLE_PAUSE_SECONDS: Final = 1.0
_NOT_GOT: Final = ("55P03", "40P01")
"""lock_not_available, and deadlock_detected: who reads a table may want the next one of those changed."""

_log: Final = structlog.get_logger(__name__)


async def change_tables(url: str, work: Callable[[Connection], T], *, pooled: bool | None = None) -> T:
    """Works on the tables in one transaction, while no other replica does; Unavailable `STORAGE_AWAY`.

    It waits for others who do as long as that takes. For those who read and write it waits a few seconds at a time
    only, since whoever comes after a change of a table in the queue waits as well.
    """

    def alone(connection: Connection) -> T:
        connection.execute(_WAIT.bindparams(wait="0"))
        connection.execute(ALONE)
        connection.execute(_WAIT.bindparams(wait=_TABLE_WAIT))
        return work(connection)

    with told_as(errors.translate):
        engine = (await find(url, pooled)).patient_engine()
        try:
            for left in reversed(range(_TABLE_TRIES)):
                try:
                    async with engine.begin() as connection:
                        return await connection.run_sync(alone)
                except DBAPIError as error:
                    if errors.sqlstate(error) not in _NOT_GOT or not left:
                        raise
                    _log.warning("the tables are in use: they are changed in a moment")
                await asyncio.sleep(_TABLE_PAUSE_SECONDS)
        finally:
            await engine.dispose()
    raise AssertionError("the last try returns or raises")
