"""Playing: a match begins, seats act, seats leave. Each step gives the next position and its events."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from chautari.cards import UNSEEN, Card, find_card
from chautari.engine.actions import Verb
from chautari.engine.events import Event, HandEnded, MatchEnded, Moved, Said, SeatLeft, Turned
from chautari.engine.facts import F, plain
from chautari.engine.game import Game, Placing
from chautari.engine.look import Look, viewers_at_end
from chautari.engine.position import Position, Result
from chautari.engine.settings import S
from chautari.engine.shuffles import Shuffle
from chautari.engine.table import Table
from chautari.engine.turns import FINISHED, OVER, Turn
from chautari.engine.viewers import ALL, Seat, seats_of
from chautari.errors import Refusal


class Step(NamedTuple):
    """What one action or departure made: the next position and the events that lead there."""

    position: Position[Any]
    events: list[Event]


def begin(game: Game[S, F], settings: S, shuffle: Shuffle) -> Step:
    """The first deal of a match. A match whose hands all end at the deal may be over at once."""
    layout = game.layout(settings)
    opening: Position[F] = Position(game, settings, layout, dict(layout.empty), game.opening(settings), "", 0, 0, 0)
    table = Table(opening, shuffle)
    table.tell_opening()
    table.gather(1)
    return _finish(table, opening, game.deal(table, settings), hands=1, left=())


def act(position: Position[Any], seat: Seat, text: str, shuffle: Shuffle) -> Step:
    """A seat's action, `throw 7H`. A Refusal or Malformed says why not, first things first; nothing has changed."""
    settings = position.settings
    table: Table[Any] = Table(position, shuffle)
    listed = position.listed
    if listed is not None and listed[0] == seat and text in listed[1]:  # it is legal, and need not be looked at again
        verb = position.layout.verbs[position.phase][text.partition(" ")[0]]
        values = verb.read_listed(table, settings, seat, text)
    else:
        words = text.split(" ")
        if "" in words or "\t" in text or text.count("/") != words.count("/"):
            words = _words(text)
            text = " ".join(words)
        verb = _find_verb(position, seat, words)
        values = verb.read(table, settings, seat, words[1:])
    turn = verb.run(table, settings, seat, *values)
    events = table.events
    if verb.sealed and verb.is_sealed(settings):
        told = ""
    else:
        told = _overheard(verb, text, values, events) if verb.cards_at else text
    events.insert(0, Said(seat, text, told))
    return _finish(table, position, turn, position.hands, position.left)


def _words(text: str) -> list[str]:
    """The words of an action, however many blanks there are between them, or round the `/` of groups."""
    words = [word for word in text.replace("\t", " ").split(" ") if word]
    return words[:1] + [word for word in " ".join(words[1:]).replace("/", " / ").split(" ") if word]


def _find_verb(position: Position[Any], seat: Seat, words: Sequence[str]) -> Verb:
    """The verb that these words name: refused after the match, without such a verb now, and to a seat not in turn."""
    phase = position.phase
    if phase == FINISHED:
        raise Refusal("MATCH_OVER", "the match has ended", code="MATCH_OVER")
    verbs = position.layout.verbs[phase]
    verb = verbs.get(words[0]) if words else None
    if verb is None:
        known = ", ".join(known_verb.usage for known_verb in verbs.values())
        raise Refusal("UNKNOWN_ACTION", f"in the phase {phase} there are: {known}", code="UNKNOWN_ACTION")
    if not is_in_turn(position, seat):
        raise Refusal("NOT_YOUR_TURN", f"seat {seat} is not in turn", code="NOT_YOUR_TURN", seat=seat)
    return verb


def timeout_action(position: Position[Any], seat: Seat) -> str | None:
    """The action that the rules take for a seat whose time ran out; None where it has no clock running."""
    if position.is_over or seat < 0 or not position.must >> seat & 1:
        return None
    action = position.game.timeouts[position.phase]
    return action if isinstance(action, str) else action(Look(position), position.settings, seat)


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
            table.events.append(SeatLeft(seat))
    staying = [side for side in position.game.sides(position.settings) if not set(side) & set(left)]
    turn = Turn(position.phase, position.must, position.may)
    if len(staying) > 1:
        return _finish(table, position, turn, position.hands, left)
    return _end(table, position, position.hands, left, position.last_hand, aborted=not staying)


def stop(position: Position[Any], *, aborted: bool) -> Step:
    """The match is ended from outside, as if all who are still there resigned in one moment.

    They are placed by the score as it stands, before those who left earlier; aborted: there is no result. A Refusal
    `MATCH_OVER` where the match has ended.
    """
    if position.is_over:
        raise Refusal("MATCH_OVER", "the match has ended", code="MATCH_OVER")
    table: Table[Any] = Table(position, _no_chance)
    return _end(table, position, position.hands, position.left, position.last_hand, aborted=aborted)


def _no_chance(cards: tuple[Any, ...]) -> tuple[Any, ...]:
    raise AssertionError("leaving a match shuffles nothing")


def _overheard(verb: Verb, text: str, values: Sequence[Any], events: Sequence[Event]) -> str:
    """What the others hear of an action: no card but those that all are shown being moved."""
    named = values[verb.cards_at[0]] if len(verb.cards_at) == 1 else None
    if type(named) is Card:
        named = (named,)
    if (
        type(named) is tuple and named and type(named[0]) is Card
    ):  # as they are moved, in one event: nothing has to be looked for
        faces = bytes(named)
        for event in events:
            if type(event) is Moved and event.viewers == ALL and faces in event.faces:
                return text
    shown = bytearray().join([event.faces for event in events if type(event) is Moved and event.viewers == ALL])
    words = text.split(" ")
    if not shown:
        return " ".join([word if find_card(word) is None else UNSEEN.text for word in words])
    for place, word in enumerate(words):
        card = find_card(word)
        if card is not None:
            if card in shown:
                shown.remove(card)
            else:
                words[place] = UNSEEN.text
    return " ".join(words)


def _finish(table: Table[Any], position: Position[Any], turn: Turn, hands: int, left: tuple[Seat, ...]) -> Step:
    """Ends hands as long as they are over, deals the next, and closes the step."""
    game, settings, last_hand = position.game, position.settings, position.last_hand
    while turn is OVER:
        record = game.end_hand(table, settings)
        table.flush()
        last_hand = HandEnded(hands, plain(record))
        table.events.append(last_hand)
        if game.match_is_over(table, settings):
            return _end(table, position, hands, left, last_hand)
        if game.pass_deal is not None:
            game.pass_deal(table, settings)
        table.flush()
        hands += 1
        table.gather(hands, keeps=game.keeps_cards)
        turn = game.deal(table, settings)
    table.tell()
    phase, must, may = turn.phase, turn.must, turn.may
    if must != position.must or phase != position.phase or may != position.may:
        table.events.append(Turned(phase, must, may))
    after = Position(
        game, settings, position.layout, table.zones, table.facts, phase, must, may, hands, left, None, last_hand
    )  # fmt: skip
    return tuple.__new__(Step, (after, table.events))  # as Step(…), without a call in between


def _end(
    table: Table[Any], position: Position[Any], hands: int, left: tuple[Seat, ...], last_hand: HandEnded | None, *,
    aborted: bool = False,
) -> Step:  # fmt: skip
    game, settings = position.game, position.settings
    table.phase = FINISHED
    if game.at_end is not None:
        game.at_end(table, settings)
    table.flush()
    table.events.append(Turned(FINISHED, 0, 0))
    table.show_all(lambda name: viewers_at_end(table, name))
    score = tuple(table.facts.score)
    placing = _behind(game.place(table, settings), left, game.sides(settings))
    table.events.append(MatchEnded(placing, score, aborted))
    result = Result(placing, score, aborted)
    after = Position(
        game, settings, position.layout, table.zones, table.facts, FINISHED, 0, 0, hands, left, result, last_hand
    )  # fmt: skip
    return Step(after, table.events)


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


def is_in_turn(position: Position[Any], seat: Seat) -> bool:
    """Whether the seat must or may act now."""
    return seat >= 0 and bool((position.must | position.may) >> seat & 1)


def must_act(position: Position[Any]) -> tuple[Seat, ...]:
    """The seats whose clocks run, ascending."""
    return seats_of(position.must)
