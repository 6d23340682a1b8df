"""Databases that older programs have left, as they were dumped: this one reads all that is in them, and goes on.

Each is named by its last migration, and has: matches under way with days for each move, with a bank of time and without
a clock, one that waits for its host, and one that is over and packed; a sign-in, an API key, a ban, a deleted account.
"""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Final

import pytest

from chautari import engine
from chautari.app import replay
from chautari.app.account_values import AccountKind
from chautari.app.caller import Caller
from chautari.app.service import App
from chautari.app.values import SECOND, Match, MatchState
from chautari.errors import Forbidden
from chautari.games import find_game
from chautari.store import SqliteStore, checking, migrate
from tests.app.tables import running_app

KEPT: Final = sorted((Path(__file__).with_name("kept")).glob("*.sql"))
KEY: Final = bytes.fromhex("5a" * 32)
REFRESH_TOKEN: Final = "XlrCWAmDnF5bRUtD3fAZ-oeqvHRrP03DQnUbRiQ80k0"
API_KEY: Final = "chautari_BEXmHehx8veLCoNnQ5SK6MaNwXyzoomTOg05H1vRLsB4Xdacj"
"""Of Sita, who plays with Hari; Gita is banned, and was removed from the match that waits."""
AWAY: Final = 600 * SECOND


@pytest.fixture(params=KEPT, ids=lambda dump: dump.stem)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A database of before."""
    path = tmp_path / "store.db"
    connection = sqlite3.connect(path)
    connection.executescript(request.param.read_text())
    assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(request.param.stem,)]
    connection.close()
    return path


@pytest.fixture
async def app(path: Path) -> AsyncIterator[App]:
    """This program on it, some minutes after the other was stopped."""
    with sqlite3.connect(path) as connection:
        [[left_at]] = connection.execute("SELECT value FROM server WHERE key = 'last_alive'").fetchall()
    connection.close()
    now = int(left_at) + AWAY
    async with running_app(store=SqliteStore.open(path, KEY, lambda: now)) as app:
        yield app


def check(path: Path) -> checking.Checked:
    """What is wrong with it; each match is played again."""
    return checking.check(path, KEY, replay.faults, lambda _done, _all: None)


async def sign_in(app: App) -> Caller:
    """Sita, by the refresh token that she had."""
    tokens = await app.accounts.refresh(REFRESH_TOKEN)
    return Caller((await app.accounts.authenticate(tokens.access)).account_id)


async def matches_of(app: App, caller: Caller) -> dict[str, Match]:
    """The matches of an account by their games, and the one that waits."""
    listed = [
        await app.store.matches_of(caller.account, active=active, my_turn=False, game=None, before=None, limit=99)
        for active in (True, False)
    ]
    ids = dict.fromkeys(match.id for part in listed for match in part)
    found = [await app.store.find_match(match_id) for match_id in ids]
    return {"waiting" if match.state is MatchState.SEATING else match.game: match for match in found if match}


async def test_nothing_is_wrong_with_a_database_of_before(path: Path, app: App) -> None:
    assert migrate.current(f"sqlite:///{path}") == migrate.head()
    checked = check(path)
    assert (checked.faults, checked.unchecked, checked.matches, checked.audit_entries) == ([], [], 5, 1)
    sita = await sign_in(app)
    assert (await app.accounts.authenticate(API_KEY)).account_id == sita.account_id


async def test_its_matches_go_on(path: Path, app: App) -> None:
    sita, now = await sign_in(app), app.store.clock()
    found = await matches_of(app, sita)
    for game in ("bluff", "jutpatti", "teen_patti"):
        match = found[game]
        people = [Caller(chair.account_id) for chair in match.chairs]
        assert [match.clocks is None, match.due_at is None] == [game == "teen_patti"] * 2
        if match.due_at is not None:  # the time in which nothing served is no player's
            assert app.store.service_time() <= now - AWAY < match.due_at
        position = engine.decode(find_game(game), match.snapshot or b"")
        seat = position.turn[0]
        action = engine.sample(position, seat, Random(1))
        assert action is not None
        await app.playing.act(people[seat], match.id, seat, action)
        assert (await app.matches.get(sita, match.id)).revision == match.revision + 1
        await app.matches.resign(people[1], match.id, 1)
        assert (await app.matches.get(sita, match.id)).is_over
    assert check(path).faults == []


async def test_who_was_removed_stays_out_and_others_sit_down(app: App) -> None:
    found = await matches_of(app, await sign_in(app))
    waiting, [removed] = found["waiting"], found["waiting"].barred
    with pytest.raises(Forbidden):
        await app.matches.join(Caller(removed), link=waiting.link)
    hari = Caller(next(chair.account_id for chair in found["bluff"].chairs if chair.display_name == "Hari"))
    assert (await app.matches.join(hari, link=waiting.link, seats=(1,))).seats_of(hari.account) == (1,)


async def test_what_is_packed_is_read(app: App) -> None:
    over = (await matches_of(app, await sign_in(app)))["gulam_chor"]
    assert over.packed
    entries = await app.store.entries(over.id, 0, 99)
    assert [entry.revision for entry in entries] == list(range(1, over.revision + 1))
    gone = await app.store.find_account(over.chairs[1].account_id or "")
    assert gone is not None
    assert (gone.kind, over.chairs[1].display_name) == (AccountKind.DELETED, gone.display_name)
