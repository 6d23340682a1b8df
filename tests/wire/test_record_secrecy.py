"""Records of matches under way tell no world from another that differs only in cards that their reader has not seen."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from chautari import engine
from chautari.app import events as journal
from chautari.app.caller import Caller
from chautari.app.live import Live
from chautari.app.pages import PageTokens
from chautari.app.records import Records
from chautari.app.spectating import Seen
from chautari.app.values import Cause, Entry, Match, MatchState
from chautari.engine import Step, Viewer
from chautari.games import GAMES
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

    def __init__(self, match: Match, entries: list[Entry]) -> None:
        self._match = match
        self._entries = entries

    async def load(self, match_id: str, *, fresh: bool) -> Live:
        """The match."""
        return Live(self._match, None, None)

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
        for form in (lambda record: record.SerializeToString(deterministic=True), record_to_json, record_to_text):
            one, other = [await record_in(key, history, viewer, form) for history in (here, there)]
            assert one == other
        compared += 1
    assert compared


async def record_in(
    key: str, history: list[tuple[int | None, str, Step]], viewer: Viewer, form: Callable[[Any], str | bytes]
) -> str | bytes:
    """The record of a world for a viewer, in one of its forms."""
    game = GAMES[key]
    settings: Any = history[0][2].position.settings
    people = [f"account{seat}" for seat in range(settings.players)]
    match = make_match(
        *people, id="m1", game=key, rules_version=game.version, state=MatchState.PLAYING, revision=len(history),
        settings={name: getattr(settings, name) for name in settings.__struct_fields__},
    )  # fmt: skip
    entries = [
        Entry(
            match_id="m1", revision=revision, at=revision, cause=Cause.SEAT if line else Cause.SEATING, seat=seat,
            account_id="account0", action=line, events=journal.encode(list(step.events)),
        )
        for revision, (seat, line, step) in enumerate(history, 1)
    ]  # fmt: skip
    one: Any = OneMatch(match, entries)
    page = await Records(one, one, one, PageTokens(b"key")).page(
        Caller(people[viewer or 0]), match.id, viewer, 1000, ""
    )
    assert len(page.entries) == len(history)
    return form(page_to_proto(page, SERVER))


async def test_a_record_that_is_not_cut_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above would find it."""
    monkeypatch.setattr(journal, "redact", lambda events, viewer: events)
    monkeypatch.setattr("chautari.wire.convert.events.texts", lambda faces: [str(face) for face in faces])
    with pytest.raises(AssertionError, match="At index"):
        await test_records_do_not_tell_worlds_apart("bluff", monkeypatch)
