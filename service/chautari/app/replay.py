"""Whether a match replays from its journal: with the rules of its game, and without them."""

from collections.abc import Sequence
from typing import Any

import msgspec

from chautari import engine
from chautari.app import catalog
from chautari.app import events as journal
from chautari.app.events import AnyEvent, MatchStarted, MatchStopped, SeatingEvent
from chautari.app.live import fair_stream
from chautari.app.values import Cause, Entry, Match
from chautari.engine import FairStream, Picture, Position
from chautari.errors import ChautariError


class Unreplayed(Exception):
    """This program has not the rules that the match was played by; the message says which."""


def faults(match: Match, entries: Sequence[Entry]) -> list[str]:
    """What is wrong with the journal of a match, or with what its row makes of it; nothing where it replays.

    Each entry follows the one before; the actions and leavings, run again on the fair shuffles, give the very events;
    they lead to the snapshot; and the events alone, folded without the game, give its zones and facts. Unreplayed.
    """
    revisions = [entry.revision for entry in entries]
    if revisions != list(range(1, match.revision + 1)):
        missing = sorted(set(range(1, match.revision + 1)) - set(revisions))
        return [f"its journal has {len(revisions)} entries for {match.revision} revisions; missing: {missing[:10]}"]
    try:
        told = [journal.decode(entry.events) for entry in entries]
    except msgspec.DecodeError as error:
        return [f"an entry cannot be read: {error}"]
    try:
        catalog.find_rules(match.game, match.rules_version)
    except ChautariError as error:
        raise Unreplayed(error.message) from error
    fair = fair_stream(msgspec.structs.replace(match, shuffles=0))
    position: Position[Any] | None = None
    is_blind = match.is_over and match.snapshot is None  # it was ended without its state
    for entry, events in zip(entries, told, strict=True):
        if is_blind and entry.cause is Cause.OPERATOR:
            return []
        try:
            position, made = _again(match, entry, events, position, fair)
        except (ChautariError, ValueError, LookupError, AssertionError) as error:
            return [f"revision {entry.revision} is refused by the rules: {error}"]
        if made is not None and made != _of_rules(events):
            return [f"revision {entry.revision} has other events than the rules give"]
    if position is None:
        return [] if match.snapshot is None else ["it has a snapshot, and no start in its journal"]
    found = []
    if match.snapshot != engine.encode(position):
        found.append("its snapshot is not what its journal leads to")
    if match.shuffles != fair.used:
        found.append(f"its row counts {match.shuffles} shuffles, its journal {fair.used}")
    return found + _unlike(_fold(position, told), position)


def _of_rules(events: list[AnyEvent]) -> list[Any]:
    return [event for event in events if not isinstance(event, SeatingEvent)]


def _again(
    match: Match, entry: Entry, events: list[AnyEvent], position: Position[Any] | None, fair: FairStream
) -> tuple[Position[Any] | None, list[Any] | None]:
    """The position after an entry, and the events that the rules give for it; None where it is none of theirs."""
    if position is None:
        if not any(isinstance(event, MatchStarted) for event in events):
            return None, None
        game = catalog.find_rules(match.game, match.rules_version)
        step = engine.begin(game, game.read_settings(match.settings), fair)
    elif entry.cause is Cause.OPERATOR:
        stopped = next(event for event in events if isinstance(event, MatchStopped))
        step = engine.stop(position, aborted=stopped.aborted)
    elif entry.seat is None:
        return position, _of_rules(events)[:0]
    elif entry.cause in (Cause.RESIGNED, Cause.ABANDONED):
        step = engine.leave(position, *(event.seat for event in events if isinstance(event, engine.SeatLeft)))
    else:
        step = engine.act(position, entry.seat, entry.action, fair)
    return step.position, list(step.events)


def _fold(position: Position[Any], told: list[list[AnyEvent]]) -> Picture:
    picture = Picture(zones=dict.fromkeys(position.zones, ()))
    for events in told:
        engine.fold(picture, _of_rules(events), whole=True)
    return picture


def _unlike(picture: Picture, position: Position[Any]) -> list[str]:
    """Where a folded picture differs from the position."""
    found = [
        f"its events alone lead to another zone {name}"
        for name, cards in position.zones.items()
        if picture.zones.get(name) != cards
    ]
    for fact in position.game.facts_declared:
        value = engine.plain(getattr(position.facts, fact.field))
        if engine.plain(picture.facts.get(fact.name)) != value:
            found.append(f"its events alone lead to another fact {fact.name}")
    if (picture.phase, picture.must, picture.may) != (position.phase, position.must, position.may):
        found.append("its events alone lead to another turn")
    return found
