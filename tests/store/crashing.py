"""A server to be killed: `python -m tests.store.crashing DATABASE`.

Each line on its standard input makes it fork a child that serves the database and plays on eight matches at once. What
is written to standard output: `pid N`, `acknowledged MATCH REVISION REQUEST` for each commit that returned, and
`killed N` when it has been; it works until then.
"""

import asyncio
import os
import sys
from pathlib import Path

from chautari.app.values import Match
from chautari.store import SqliteStore
from tests.store.conftest import KEY
from tests.store.made import following, make_entry, make_match, make_request

MATCHES = [f"match{number}" for number in range(8)]


def snapshot(revision: int) -> bytes:
    """What the match holds at a revision: enough to tell one from the other, and to fill pages."""
    return revision.to_bytes(4, "big") * 100


def say(text: str) -> None:
    """Writes a line at once and whole."""
    os.write(1, f"{text}\n".encode())


async def play_on(store: SqliteStore, match_id: str) -> None:
    """Commits to one match for ever."""
    match: Match | None = await store.find_match(match_id)
    if match is None:
        match = make_match("sita", "hari", id=match_id, snapshot=snapshot(1))
        await store.add_match(match, make_entry(match))
    while True:
        revision = match.revision + 1
        chairs = revision % 10 == 0
        match = following(match, snapshot=snapshot(revision), shuffles=revision)
        request = make_request()
        await store.commit(match, make_entry(match, account_id="sita", request=request), chairs=chairs)
        say(f"acknowledged {match_id} {revision} {request.id.hex()}")


async def serve(path: Path) -> None:
    """Opens the database and plays on."""
    store = SqliteStore.open(path, KEY)
    await asyncio.gather(*(play_on(store, match_id) for match_id in MATCHES))


def main() -> None:
    """Forks a child for each line that comes in."""
    path = Path(sys.argv[1])
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            say(f"pid {os.getpid()}")
            asyncio.run(serve(path))
        os.waitpid(child, 0)
        say(f"killed {child}")


if __name__ == "__main__":
    main()
