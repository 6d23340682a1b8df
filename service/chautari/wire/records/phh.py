"""Hands of hold'em in PHH, the open format of hand histories (a TOML table for each hand), from a record.

Only what the record tells is read: facts, cards shown, actions. So a record that was cut gives a history as well, with
`??` for cards that its reader has not seen. A hand under way has no history yet.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from google.protobuf.timestamp_pb2 import Timestamp

from chautari.app import catalog
from chautari.app.signs import is_sign
from chautari.errors import WrongState
from chautari.v1 import event_pb2, play_pb2
from chautari.wire.convert.plain import id_of, read_struct
from chautari.wire.records.forms import unreadable

FORMAT: Final = "phh"
"""The name under which a game declares that its records can be written so. It then has the facts that are read here:
dealer, chips, ante, small_blind, big_blind, out; and the record of a hand has show_order, shown and change."""

_HIDDEN: Final = "??"


@dataclass
class _Hand:
    """A hand under way. order: the seats dealt in, from the one after the button on; the players of PHH, p1 first."""

    number: int
    stacks: list[int]
    time: Timestamp
    order: list[int] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    board: list[str] = field(default_factory=list)
    on_board: int = 0

    def player(self, seat: int) -> str:
        """A seat as PHH names it."""
        return f"p{self.order.index(seat) + 1}"

    def turn_up(self) -> None:
        """Writes the cards of the board that were dealt since: the first three at once, then one by one."""
        while self.on_board < len(self.board):
            upto = max(3, self.on_board + 1)
            if upto > len(self.board):
                return
            self.actions.append(f"d db {_cards(self.board[self.on_board : upto])}")
            self.on_board = upto


def record_to_phh(record: play_pb2.MatchRecord) -> str:
    """The hands of a record that have ended, one table each: the content of a `.phhs` file.

    WrongState `NO_SUCH_FORM` where it is none of a game that has such a form; Malformed `RECORD_UNREADABLE`.
    """
    if FORMAT not in catalog.find(id_of(record.game)).formats:
        raise WrongState("NO_SUCH_FORM", f"a match of {id_of(record.game)} has no form in PHH: that is for hold'em")
    try:
        return "\n".join(_tables(record))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise unreadable(f"its events do not fit one another: {error!r}; verify it") from error


def _tables(record: play_pb2.MatchRecord) -> Iterator[str]:
    settings, facts = read_struct(record.settings), dict[str, Any]()
    hand: _Hand | None = None
    for entry in record.entries:
        if hand is not None and entry.action:
            hand.actions.append(_action(hand, entry.seat, entry.action))
        for event in entry.events:
            kind = event.WhichOneof("kind")
            if kind == "told":
                facts |= read_struct(event.told.facts)
            elif kind == "hand_began":
                hand = _Hand(event.hand_began.hand, list(facts["chips"]), entry.time)
            elif kind == "hand_ended" and hand is not None:
                yield _table(record, settings, facts, hand, read_struct(event.hand_ended.record.record))
                hand = None
            elif hand is not None:
                _fold(hand, event, facts)


def _fold(hand: _Hand, event: event_pb2.Event, facts: dict[str, Any]) -> None:
    kind = event.WhichOneof("kind")
    if kind == "dealt":
        seats = [int(dealt.zone.partition(".")[2]) for dealt in event.dealt.hands]
        after = [seat for seat in seats if seat > facts["dealer"]]
        hand.order = sorted(after) + sorted(set(seats) - set(after))
        dealt_to = dict(zip(seats, event.dealt.hands, strict=True))
        for seat in hand.order:
            dealt = dealt_to[seat]
            cards = _cards(dealt.cards) if dealt.cards else _HIDDEN * dealt.count
            hand.actions.append(f"d dh {hand.player(seat)} {cards}")
    elif kind == "moved" and event.moved.target == "board":
        hand.board += event.moved.cards
        if len(hand.board) >= 3:
            hand.turn_up()


def _action(hand: _Hand, seat: int, text: str) -> str:
    verb, _, total = text.partition(" ")
    player = hand.player(seat)
    if verb == "fold":
        return f"{player} f"
    return f"{player} cbr {total}" if total else f"{player} cc"


def _table(
    record: play_pb2.MatchRecord, settings: dict[str, Any], facts: dict[str, Any], hand: _Hand, ended: dict[str, Any]
) -> str:
    order = hand.order
    shows = [seat for seat in ended["show_order"] if ended["shown"][seat]]
    folded = {action.partition(" ")[0] for action in hand.actions if action.endswith(" f")}
    hand.actions += [f"{hand.player(seat)} sm {_cards(ended['shown'][seat].split())}" for seat in shows]
    if shows:
        mucks = [seat for seat in order if seat not in shows and hand.player(seat) not in folded]
        hand.actions += [f"{hand.player(seat)} sm" for seat in mucks]
    fixed = settings["limit"] == "fixed_limit"
    names = {seat.number: seat.display_name for seat in record.seats}
    when = hand.time.ToDatetime()
    big = facts["big_blind"]
    bets = {"small_bet": big, "big_bet": 2 * big} if fixed else {"min_bet": big}
    fields: dict[str, Any] = {
        "variant": "FT" if fixed else "NT",
        "ante_trimming_status": True,
        "antes": [facts["ante"]] * len(order),
        "blinds_or_straddles": [facts["small_blind"], big, *[0] * (len(order) - 2)],
        **bets,
        "starting_stacks": [hand.stacks[seat] for seat in order],
        "actions": hand.actions,
        "venue": "Chautari",
        "event": record.title,
        "time": when.strftime("%H:%M:%S"),
        "time_zone": "UTC",
        "day": when.day,
        "month": when.month,
        "year": when.year,
        "hand": hand.number,
        "seats": [seat + 1 for seat in order],
        "seat_count": len(record.seats),
        "players": [names.get(seat, "") for seat in order],
        "finishing_stacks": [hand.stacks[seat] + ended["change"][seat] for seat in order],
        "_limit": settings["limit"],
        "_match": record.match,
    }
    lines = [f"{name} = {value if name == 'time' else _toml(value)}" for name, value in fields.items()]
    return "\n".join([f"[{hand.number}]", *lines]) + "\n"


def _cards(cards: Iterable[str]) -> str:
    """Cards as PHH writes them, `AsTd`."""
    return "".join(card if card == _HIDDEN else card[0] + card[1].lower() for card in cards)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        return f'"{"".join(_escaped(value))}"'
    return str(value)


def _escaped(text: str) -> Iterator[str]:
    for sign in text:
        if sign in '"\\':
            yield "\\" + sign
        elif is_sign(sign):
            yield sign
        else:
            yield f"\\U{ord(sign):08X}"
