"""Databases that take no changes for a while, under servers that run; what callers are told, and what is left of it."""

import asyncio
import resource
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from chautari_client import Client, Exhausted, Unavailable
from tests.cluster import Cluster
from tests.e2e.server import Server
from tests.wire.over_http import Http

REASONS = {"STORAGE_FULL": (Exhausted, 507), "STORAGE_AWAY": (Unavailable, 503)}
"""What a caller is told: the exception of the client, and the status over HTTP."""

_FAILS = """
CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$;
DO $$ DECLARE name regclass; BEGIN
    FOR name IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
        EXECUTE format('CREATE TRIGGER fail BEFORE INSERT OR UPDATE OR DELETE ON %s EXECUTE FUNCTION fail()', name);
    END LOOP;
END $$;
"""
_HOLD = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1])
held.execute("BEGIN IMMEDIATE")
print(flush=True)
input()
"""

Trouble = Callable[[], AbstractContextManager[None]]
"""Begins, and ends with the block."""


@contextmanager
def no_file_grows(server: Server) -> Iterator[None]:
    """The system takes nothing from this process, as where the disk is full or a quota used up."""
    soft, hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def another_program_writes(server: Server) -> Iterator[None]:
    """Somebody has begun to change the SQLite file, and does not end."""
    command = [sys.executable, "-c", _HOLD, str(server.database)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline()
        try:
            yield
        finally:
            other.kill()


@contextmanager
def every_write_finds_it_full(cluster: Cluster, database: str) -> Iterator[None]:
    """PostgreSQL says of each change that its disk is full."""
    cluster.run(_FAILS, database)
    try:
        yield
    finally:
        cluster.run("DROP FUNCTION fail CASCADE", database)


@contextmanager
def sessions_are_read_only(cluster: Cluster) -> Iterator[None]:
    """PostgreSQL is set to take no changes, also over connections that are open."""
    cluster.run("ALTER SYSTEM SET default_transaction_read_only = on")
    cluster.run("SELECT pg_reload_conf()")
    try:
        yield
    finally:
        cluster.run("ALTER SYSTEM RESET default_transaction_read_only")
        cluster.run("SELECT pg_reload_conf()")


@dataclass(frozen=True)
class Ask:
    """A change under an id of its own, which is asked for again and again."""

    name: str
    once: Callable[[], Awaitable[Any]]


def act(client: Client, match: str, seat: int, action: str) -> Ask:
    """An act."""
    request = str(uuid4())
    return Ask("act", lambda: client.act(match, seat, action, request_id=request))


def create(client: Client) -> Ask:
    """A match that nobody else joins."""
    request = str(uuid4())
    return Ask("create", lambda: client.create_match("bluff", seats=[0], request_id=request))


def join(client: Client, match: str) -> Ask:
    """A seat."""
    request = str(uuid4())
    return Ask("join", lambda: client.join(match, request_id=request))


def guest(client: Client) -> Ask:
    """Another account, in place of the one before."""
    return Ask("guest", lambda: client.sign_in_as_guest("Late"))


async def refused(asks: Sequence[Ask], reason: str) -> None:
    """Asks for all of it at once: each is told why, and when it may work."""
    kind, _ = REASONS[reason]
    answers = await asyncio.gather(*(ask.once() for ask in asks), return_exceptions=True)
    for ask, told in zip(asks, answers, strict=True):
        assert isinstance(told, kind), (ask.name, told)
        assert told.reason == reason, (ask.name, told)
        assert told.retry_after, ask.name


async def refused_over_http(http: Http, match: str, seat: int, action: str, reason: str) -> None:
    """The same over REST."""
    answer = await http.rest("POST", f"/v1/{match}:act", {"seat": seat, "text": action, "requestId": str(uuid4())})
    _, status = REASONS[reason]
    assert (answer.status, answer.reason) == (status, reason), answer.body
    assert int(answer.headers["retry-after"]) > 0


async def insist(ask: Ask) -> Any:
    """Asks until it is done: nobody has to start anything again."""
    async with asyncio.timeout(60):
        while True:
            try:
                return await ask.once()
            except (Exhausted, Unavailable):
                await asyncio.sleep(0.05)
