"""Records tell no world from another that differs only in cards that their reader has not seen: of matches under way,
and of those that are over where only what was shown is disclosed. Nor does what operators see who may not reveal."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from chautari import engine
from chautari.app import events as journal
from chautari.app.audit import AuditEntry, Note
from chautari.app.caller import Caller
from chautari.app.live import Live
from chautari.app.noting import Noting, Operator
from chautari.app.operating import Operating
from chautari.app.pages import PageTokens
from chautari.app.records import Records
from chautari.app.spectating import Seen
from chautari.app.values import Cause, Disclosure, Entry, Match, MatchState
from chautari.engine import Step, Viewer
from chautari.games import GAMES
from chautari.wire.convert.operate import match_file
from chautari.wire.convert.records import page_to_proto
from chautari.wire.records.files import record_to_json
from chautari.wire.records.text import record_to_text
from tests.games import twins as twins_module
from tests.games.twins import begun
from tests.store.made import make_match
from tests.wire.recorded import SERVER


class Log:
    """Stands in for the engine where twins are played, and keeps each step with the position that it was made from."""

    def __init__(self) -> None:
        self.steps: list[tuple[object, int | None, str, Step]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(engine, name)

    def begin(self, *given: Any) -> Step:
        """As the engine's."""
        return self._kept(None, None, "", engine.begin(*given))

    def act(self, position: Any, seat: int, line: str, chance: Any) -> Step:
        """As the engine's."""
        return self._kept(position, seat, line, engine.act(position, seat, line, chance))

    def leave(self, position: Any, *seats: int) -> Step:
        """As the engine's."""
        return self._kept(position, seats[0], "", engine.leave(position, *seats))

    def _kept(self, position: object, seat: int | None, line: str, step: Step) -> Step:
        self.steps.append((position, seat, line, step))
        return step

    def history(self, last: object) -> list[tuple[int | None, str, Step]]:
        """The steps that led to a position, the first one first."""
        found: list[tuple[int | None, str, Step]] = []
        wanted: object = last
        while wanted is not None:
            position, seat, line, step = next(one for one in self.steps if one[3].position is wanted)
            found.insert(0, (seat, line, step))
            wanted = position
        return found


class OneMatch:
    """A store, its live matches and what spectators see of them: of one match, whose journal is this."""

    outages = 0

    def __init__(self, match: Match, position: Any, entries: list[Entry]) -> None:
        self.match = match
        self._position = position
        self._entries = entries

    def clock(self) -> int:
        """Always the same time."""
        return 0

    async def note(self, note: Note) -> AuditEntry:
        """Keeps no log."""
        return AuditEntry(number=1, at=0, note=note, seal=b"")

    async def load(self, match_id: str, *, fresh: bool) -> Live:
        """The match."""
        return Live(self.match, self._position, None)

    async def seen(self, live: Live, caller: Caller) -> Seen:
        """All of it."""
        return Seen(live.match)

    async def entries(self, match_id: str, after: int, limit: int) -> list[Entry]:
        """Some of its entries."""
        return self._entries[after : after + limit]


@pytest.mark.parametrize("key", GAMES)
async def test_records_do_not_tell_worlds_apart(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log()
    monkeypatch.setattr(twins_module, "engine", log)
    game, random = GAMES[key], Random(key)
    settings = game.read_settings(game.trials[0])
    compared = 0
    for _ in range(12):
        log.steps.clear()
        viewer = random.choice((*range(settings.players), None))
        twins = begun(game, settings, viewer, random)
        if twins is None:
            continue
        twins.go_on(8, random)
        if twins.one.is_over:
            continue
        here, there = (log.history(position) for position in (twins.one, twins.other))
        assert len(here) == len(there)
        for state in (MatchState.PLAYING, MatchState.FINISHED):
            for form in (lambda record: record.SerializeToString(deterministic=True), record_to_json, record_to_text):
                one, other = [await record_in(world(key, history, state), viewer, form) for history in (here, there)]
                assert one == other
        if viewer is None:
            one, other = [await inspected(world(key, history)) for history in (here, there)]
            assert one == other
        compared += 1
    assert compared


async def record_in(one: Any, viewer: Viewer, form: Callable[[Any], str | bytes]) -> str | bytes:
    """The record of a world for a viewer, in one of its forms."""
    match: Match = one.match
    caller = Caller(match.chairs[viewer or 0].account_id or "")
    page = await Records(one, one, one, PageTokens(b"key")).page(caller, match.id, viewer, 1000, "")
    assert len(page.entries) == match.revision
    return form(page_to_proto(page, SERVER))


async def inspected(one: Any) -> bytes:
    """What an operator sees of a world who may not reveal."""
    noting = Noting(one, logs=False)
    file = await Operating(one, one, one, PageTokens(b"key"), noting).inspect(Operator(account_id="o"), one.match.id)
    return match_file(file, frozenset()).SerializeToString(deterministic=True)


def world(
    key: str, history: list[tuple[int | None, str, Step]], state: MatchState = MatchState.PLAYING
) -> OneMatch:  # fmt: skip
    """A match with this history; over: it was ended as it stood, and what was not shown stays secret."""
    game = GAMES[key]
    settings: Any = history[0][2].position.settings
    people = [f"account{seat}" for seat in range(settings.players)]
    match = make_match(
        *people, id="m1", game=key, rules_version=game.version, state=state, revision=len(history),
        disclosure=Disclosure.SHOWN_ONLY,
        settings={name: getattr(settings, name) for name in settings.__struct_fields__},
    )  # fmt: skip
    entries = [
        Entry(
            match_id="m1", revision=revision, at=revision, cause=Cause.SEAT if line else Cause.SEATING, seat=seat,
            account_id="account0", action=line, events=journal.encode(list(step.events)),
        )
        for revision, (seat, line, step) in enumerate(history, 1)
    ]  # fmt: skip
    return OneMatch(match, history[-1][2].position, entries)


async def test_a_record_that_is_not_cut_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above would find it."""
    monkeypatch.setattr(journal, "redact", lambda events, viewer: events)
    monkeypatch.setattr("chautari.wire.convert.events.texts", lambda faces: [str(face) for face in faces])
    with pytest.raises(AssertionError, match="At index"):
        await test_records_do_not_tell_worlds_apart("bluff", monkeypatch)
