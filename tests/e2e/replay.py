"""Whether a match replays from its journal: with the game's module, and without it."""

from collections.abc import Sequence
from typing import Any

from chautari import engine
from chautari.app import events as journal
from chautari.app.events import AnyEvent, SeatingEvent
from chautari.app.values import Cause, Entry, Match
from chautari.cards import Card
from chautari.engine import Picture, Position, Script, Shuffled
from chautari.games import find_game


def check_journal(match: Match, entries: Sequence[Entry]) -> Position[Any] | None:
    """The position that the journal leads to; AssertionError where it is not what the match's row holds.

    Each entry follows the one before (nothing is lost, doubled, or half there); the actions, run again on the recorded
    shuffles, give the very events; and the events alone, folded without the game, give the very zones and facts.
    """
    assert [entry.revision for entry in entries] == list(range(1, match.revision + 1))
    requests = [entry.request.id for entry in entries if entry.request is not None]
    assert len(requests) == len(set(requests)), "one request is in the journal twice"
    told = [journal.decode(entry.events) for entry in entries]
    position = _run_again(match, entries, told)
    if position is None:
        assert match.snapshot is None
        return None
    assert match.snapshot == engine.encode(position)
    picture = _fold(position, told)
    assert picture.zones == position.zones
    assert (picture.phase, picture.must, picture.may) == (position.phase, position.must, position.may)
    facts = {
        fact.name: engine.plain(getattr(position.facts, fact.field)) for fact in position.game.facts_declared
    }  # fmt: skip
    assert {name: engine.plain(value) for name, value in picture.facts.items()} == facts
    return position


def _run_again(match: Match, entries: Sequence[Entry], told: list[list[AnyEvent]]) -> Position[Any] | None:
    """The position after all actions; each made the events that the journal holds."""
    game = find_game(match.game)
    assert game.version == match.rules_version
    script = Script(_outcomes(told))
    position: Position[Any] | None = None
    for entry, events in zip(entries, told, strict=True):
        of_rules = [event for event in events if not isinstance(event, SeatingEvent)]
        if not of_rules or (position is None and entry.cause is not Cause.SEATING):
            continue
        if position is None:
            if match.snapshot is None:  # it ended before it began
                continue
            step = engine.begin(game, game.read_settings(match.settings), script)
        elif entry.cause in (Cause.RESIGNED, Cause.ABANDONED):
            assert entry.seat is not None
            step = engine.leave(position, entry.seat)
        else:
            assert entry.seat is not None
            step = engine.act(position, entry.seat, entry.action, script)
        assert step.events == of_rules, f"revision {entry.revision}"
        position = step.position
    return position


def _outcomes(told: list[list[AnyEvent]]) -> list[Sequence[Card]]:
    return [event.cards for events in told for event in events if isinstance(event, Shuffled)]


def _fold(position: Position[Any], told: list[list[AnyEvent]]) -> Picture:
    picture = Picture(zones=dict.fromkeys(position.zones, ()))
    for events in told:
        engine.fold(picture, [event for event in events if not isinstance(event, SeatingEvent)], whole=True)
    return picture
