"""Ways to one PostgreSQL database: how a connection is made, how long anything on it may take, and who lends it.

A pooler that lends a connection of the database for a transaction only, as PgBouncer does, knows no prepared statement
from one transaction to the next, and takes no settings. Through it statements are sent whole each time, still in one
round trip, and the database is told by `ALTER ROLE` how long it may take.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import asyncpg
from sqlalchemy import NullPool
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

CONNECT_SECONDS: Final = 5.0
COMMAND_SECONDS: Final = 8.0
_SETTINGS: Final = {
    "application_name": "chautari",
    "lock_timeout": "5000",
    "idle_in_transaction_session_timeout": "15000",
    # What a machine that vanished had locked is free again in a minute, not in two hours.
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
"""For each session, in milliseconds and seconds."""
_UNLIMITED: Final = {"application_name": "chautari", "idle_in_transaction_session_timeout": "0"}
_RECYCLE_SECONDS: Final = 1800
"""So old a connection may get: after a while all of them lead to where the name of the database leads now."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a database is. dsn: `postgresql://user:password@host:port/database`, whose options are those of libpq;
    pooled: whether a pooler lends its connections; seconds: the longest that one statement is waited for, where the
    server gives up a little earlier, and says why."""

    dsn: str
    pooled: bool = False
    seconds: float = COMMAND_SECONDS

    async def connect(
        self, *, patient: bool = False, more: Mapping[str, str] | None = None, **_: Any
    ) -> "asyncpg.Connection[Any]":
        """A connection of the driver's. patient: statements on it may take as long as they like; more: settings of its
        session, where no pooler lends it."""
        settings = _UNLIMITED if patient else _SETTINGS | {"statement_timeout": f"{self.seconds * 950:.0f}"}
        settings |= more or {}
        if self.pooled:
            settings = {"application_name": settings["application_name"]}
        return await asyncpg.connect(
            self.dsn, timeout=min(CONNECT_SECONDS, self.seconds), command_timeout=None if patient else self.seconds,
            server_settings=settings, statement_cache_size=0 if self.pooled else 100,
        )  # fmt: skip

    def engine(self) -> AsyncEngine:
        """The pool of SQLAlchemy's: what is lost is noticed before it is lent, and made anew."""
        return create_async_engine(
            "postgresql+asyncpg://", pool_size=8, max_overflow=8, pool_pre_ping=True, pool_timeout=CONNECT_SECONDS,
            pool_recycle=_RECYCLE_SECONDS, connect_args=self._arguments(),
        )  # fmt: skip

    def patient_engine(self) -> AsyncEngine:
        """An engine without a pool, for what takes its time, as migrations do."""
        arguments = self._arguments() | {"patient": True}
        return create_async_engine("postgresql+asyncpg://", poolclass=NullPool, connect_args=arguments)

    def _arguments(self) -> dict[str, Any]:
        arguments: dict[str, Any] = {"async_creator_fn": self.connect}
        if self.pooled:  # statements without a name leave nothing behind on a connection that others use next
            arguments |= {"prepared_statement_cache_size": 0, "prepared_statement_name_func": lambda: ""}
        return arguments


async def find(dsn: str, pooled: bool | None = None, seconds: float = COMMAND_SECONDS) -> Address:
    """The address of a database. pooled: None where that is to be found out: a pooler gives itself out as a process
    that is none of the server's. What a connection raises."""
    if pooled is not None:
        return Address(dsn, pooled, seconds)
    async with asyncio.timeout(CONNECT_SECONDS + seconds):
        connection = await Address(dsn, pooled=True).connect()
        try:
            process = await connection.fetchval("SELECT pg_backend_pid()")
            return Address(dsn, process != connection.get_server_pid(), seconds)
        finally:
            await connection.close(timeout=2)
