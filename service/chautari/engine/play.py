"""Playing: a match begins, seats act, time runs out, seats leave. Each step gives the next position and its events."""

from typing import Any, NamedTuple

from chautari.cards import UNSEEN, find_card
from chautari.engine.actions import Verb
from chautari.engine.events import Event, HandEnded, MatchEnded, Moved, Said, SeatLeft, Told, Turned
from chautari.engine.facts import F, plain
from chautari.engine.game import Game, Placing
from chautari.engine.look import Look, viewers_at_end
from chautari.engine.position import Position, Result
from chautari.engine.settings import S
from chautari.engine.table import Shuffle, Table
from chautari.engine.turns import FINISHED, OVER, Turn
from chautari.engine.viewers import ALL, Seat, seats_of
from chautari.errors import Refusal


class Step(NamedTuple):
    """What one action, time-out or departure made: the next position and the events that lead there."""

    position: Position[Any]
    events: list[Event]


def begin(game: Game[S, F], settings: S, shuffle: Shuffle) -> Step:
    """The first deal of a match. A match whose hands all end at the deal may be over at once."""
    layout = game.layout(settings)
    facts = game.opening(settings)
    opening: Position[F] = Position(
        game=game, settings=settings, layout=layout, zones=dict(layout.empty), facts=facts, phase="", must=0, may=0,
        hands=0,
    )  # fmt: skip
    table = Table(opening, shuffle)
    public = [fact for fact in game.facts_declared if fact.private is None]
    table.record(Told({fact.name: plain(getattr(facts, fact.field)) for fact in public}))
    for fact in game.private_facts:
        assert fact.private is not None
        instead = {} if fact.secret else {fact.name: plain(fact.private.instead)}
        value = {fact.name: plain(getattr(facts, fact.field))}
        table.record(Told(value, fact.private.viewers(table), instead))
    table.gather(1)
    return _finish(table, opening, game.deal(table, settings), hands=1)


def act(position: Position[Any], seat: Seat, text: str, shuffle: Shuffle) -> Step:
    """A seat's action, `throw 7H`. A Refusal or Malformed says why not, first things first; nothing has changed."""
    settings = position.settings
    verb, words = find_verb(position, seat, text)
    table: Table[Any] = Table(position, shuffle)
    arguments = verb.read(table, settings, seat, words)
    turn = verb.run(table, settings, seat, *arguments)
    events = table.draft[1]
    text = " ".join((verb.key, *words))
    events.insert(0, Said(seat, text, _overheard(verb, settings, text, words, events)))
    return _finish(table, position, turn, position.hands)


def find_verb(position: Position[Any], seat: Seat, text: str) -> tuple[Verb, list[str]]:
    """The verb that an action names, and its other words: refused where the match is over, the verb is not one of this
    phase, or the seat is not in turn."""
    if position.phase == FINISHED:
        raise Refusal("MATCH_OVER", "the match has ended", code="MATCH_OVER")
    words = text.split(" ")
    if "" in words:
        words = [word for word in words if word]
    verbs = position.game.phases[position.phase]
    verb = verbs.get(words[0]) if words else None
    if verb is None:
        known = ", ".join(known_verb.usage for known_verb in verbs.values())
        raise Refusal("UNKNOWN_ACTION", f"in the phase {position.phase} there are: {known}", code="UNKNOWN_ACTION")
    if seat < 0 or not (position.must | position.may) >> seat & 1:
        raise Refusal("NOT_YOUR_TURN", f"seat {seat} is not in turn", code="NOT_YOUR_TURN", seat=seat)
    return verb, words[1:]


def timeout_action(position: Position[Any], seat: Seat) -> str | None:
    """The action that the rules take for a seat whose time ran out; None where it has no clock running."""
    if position.is_over or seat < 0 or not position.must >> seat & 1:
        return None
    action = position.game.timeouts[position.phase]
    return action if isinstance(action, str) else action(Look(position), position.settings, seat)


def time_out(position: Position[Any], seat: Seat, shuffle: Shuffle) -> Step | None:
    """A seat's time ran out. None, and nothing changes, where it has no clock running."""
    action = timeout_action(position, seat)
    return None if action is None else act(position, seat, action, shuffle)


def leave(position: Position[Any], *seats: Seat) -> Step:
    """Seats resign or are abandoned: with one side left the match is over, with none it is aborted.

    They are played by the time-out action from now on, and placed behind all who stayed. A Refusal `MATCH_OVER` where
    the match has ended; a seat that has left before is passed over.
    """
    if position.is_over:
        raise Refusal("MATCH_OVER", "the match has ended", code="MATCH_OVER")
    table: Table[Any] = Table(position, _no_chance)
    left = position.left
    for seat in seats:
        if seat not in left:
            left += (seat,)
            table.record(SeatLeft(seat))
    staying = [side for side in position.game.sides(position.settings) if not set(side) & set(left)]
    turn = Turn(position.phase, position.must, position.may)
    if len(staying) > 1:
        return _finish(table, position, turn, position.hands, left)
    return _end(table, position, position.hands, left, aborted=not staying)


def _no_chance(cards: tuple[Any, ...]) -> tuple[Any, ...]:
    raise AssertionError("leaving a match shuffles nothing")


def _overheard(verb: Verb, settings: Any, text: str, words: list[str], events: list[Event]) -> str:
    """What the others hear of an action: nothing of a sealed one, and no card that they are not shown being moved."""
    if verb.is_sealed(settings):
        return ""
    if not verb.has_cards:
        return text
    seen = b"".join([event.faces for event in events if type(event) is Moved and event.viewers == ALL])
    return " ".join([verb.key, *(_masked(word, seen) for word in words)])


def _masked(word: str, seen: bytes) -> str:
    card = find_card(word)
    return word if card is None or card in seen else UNSEEN.text


def _finish(
    table: Table[Any], position: Position[Any], turn: Turn, hands: int, left: tuple[Seat, ...] | None = None
) -> Step:
    """Ends hands as long as they are over, deals the next, and closes the step."""
    game, settings = position.game, position.settings
    left = position.left if left is None else left
    while turn is OVER:
        record = game.end_hand(table, settings)
        table.flush()
        table.record(HandEnded(hands, plain(record)))
        if game.match_is_over(table, settings):
            return _end(table, position, hands, left)
        if game.pass_deal is not None:
            game.pass_deal(table, settings)
        table.flush()
        hands += 1
        table.gather(hands)
        turn = game.deal(table, settings)
    table.flush()
    zones, events = table.draft
    if (turn.phase, turn.must, turn.may) != (position.phase, position.must, position.may):
        events.append(Turned(turn.phase, turn.must, turn.may))
    return Step(
        Position(
            game=game, settings=settings, layout=position.layout, zones=zones, facts=table.facts, phase=turn.phase,
            must=turn.must, may=turn.may, hands=hands, left=left,
        ),
        events,
    )  # fmt: skip


def _end(
    table: Table[Any], position: Position[Any], hands: int, left: tuple[Seat, ...], *, aborted: bool = False
) -> Step:
    game, settings = position.game, position.settings
    table.phase = FINISHED
    table.flush()
    zones, events = table.draft
    events.append(Turned(FINISHED, 0, 0))
    table.show_all(lambda name: viewers_at_end(table, name))
    score = tuple(table.facts.score)
    placing = _behind(game.place(table, settings), left, game.sides(settings))
    events.append(MatchEnded(placing, score, aborted))
    return Step(
        Position(
            game=game, settings=settings, layout=position.layout, zones=zones, facts=table.facts, phase=FINISHED,
            must=0, may=0, hands=hands, left=left, result=Result(placing, score, aborted),
        ),
        events,
    )  # fmt: skip


def _behind(placing: Placing, left: tuple[Seat, ...], sides: tuple[tuple[Seat, ...], ...]) -> Placing:
    """The placing with the sides of which a seat left behind all who stayed, the later leavers better."""
    if not left:
        return placing
    gone = [next(side for side in sides if seat in side) for seat in left]
    order: dict[Seat, tuple[int, int]] = {seat: (0, place) for seat, place in enumerate(placing)}
    for turn, side in enumerate(gone):
        for seat in side:
            if order[seat][0] == 0:
                order[seat] = (len(left) - turn, 0)
    return tuple(1 + sum(other < own for other in order.values()) for own in order.values())


def sides_left(position: Position[Any]) -> int:
    """How many sides have no seat that left."""
    return sum(not set(side) & set(position.left) for side in position.game.sides(position.settings))


def must_act(position: Position[Any]) -> tuple[Seat, ...]:
    """The seats whose clocks run, ascending."""
    return seats_of(position.must)
