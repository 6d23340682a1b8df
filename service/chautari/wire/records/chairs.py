"""Who sits where in a record: its seats by its own events, and which account must have made a change."""

from collections.abc import Callable
from typing import Any, Final

from chautari.engine import Game
from chautari.v1 import event_pb2, match_pb2, play_pb2

Cause = play_pb2.Cause
_MOST_SEATS: Final = 64


class Impossible(Exception):
    """By the rules this cannot have happened; nothing behind it can be checked."""


class Chairs:
    """The seats of a match, as the events so far leave them."""

    def __init__(
        self, game: Game[Any, Any], settings: Any, is_lot: Callable[[list[int]], bool], *, was_resized: bool = False
    ) -> None:
        """is_lot: whether seats can have been drawn so; was_resized: whether there were other settings at first."""
        self._is_lot = is_lot
        self._gone: dict[int, match_pb2.Seat] | None = {} if was_resized else None
        sides = game.sides(settings)
        alone = all(len(side) == 1 for side in sides)
        side_of = {seat: number for number, side in enumerate(sides) for seat in side}
        self.seats = [
            match_pb2.Seat(
                number=number, state=match_pb2.SEAT_STATE_OPEN, side=None if alone else side_of.get(number)
            )
            for number in range(settings.players)
        ]  # fmt: skip
        self._host = ""

    def account_of(self, entry: play_pb2.RecordEntry) -> str:
        """The account that must have made this change; the one that is named where others may have as well."""
        if entry.cause in (Cause.CAUSE_SEAT, Cause.CAUSE_RESIGNED):
            return self.seats[entry.seat].account if 0 <= entry.seat < len(self.seats) else ""
        if entry.cause != Cause.CAUSE_SEATING:
            return ""
        kinds = {event.WhichOneof("kind") for event in entry.events}
        if any(event.match_ended.result.reason == match_pb2.END_REASON_EXPIRED for event in entry.events):
            return ""
        if entry.revision == 1:
            self._host = entry.account
        if "seat_handed" in kinds:
            return min({self._account(e.seat_handed.seat) for e in entry.events if e.HasField("seat_handed")})
        if "seat_away" in kinds:
            return min({self._account(e.seat_away.seat) for e in entry.events if e.HasField("seat_away")})
        if "seat_taken" in kinds:
            sat = {event.seat_taken.account for event in entry.events if _sits_down(event)}
            return entry.account if not sat or entry.account in sat else min(sat)
        if any(event.seat_vacated.removed for event in entry.events):
            return self._host
        if "seat_vacated" in kinds:
            gone = {self._account(e.seat_vacated.seat) for e in entry.events if e.HasField("seat_vacated")}
            return entry.account if entry.account in {*gone, ""} else min(gone)
        return self._host

    def fold(self, event: event_pb2.Event, account: str) -> None:
        """What an event that this account brought about makes of the seats; Impossible where it cannot have."""
        kind = event.WhichOneof("kind")
        if kind == "host_changed":
            if event.host_changed.host == self._host:
                raise Impossible("the host became what it was")
            self._host = event.host_changed.host
        elif kind == "seat_taken":
            self._take(event.seat_taken, account)
        elif kind == "seat_handed":
            self._hand(event.seat_handed, account)
        elif kind == "seat_vacated":
            seat = self._seat(event.seat_vacated.seat)
            if seat.state == match_pb2.SEAT_STATE_OPEN:
                raise Impossible(f"nobody sat on seat {seat.number} that was given up")
            if event.seat_vacated.removed == (seat.account == account):
                raise Impossible(f"seat {seat.number} was given up by somebody else")
            seat.account, seat.display_name, seat.state = "", "", match_pb2.SEAT_STATE_OPEN
        elif kind == "seat_away":
            seat = self._seat(event.seat_away.seat)
            if seat.away == event.seat_away.away:
                raise Impossible(f"seat {seat.number} was away, or not, before")
            seat.away = event.seat_away.away
        elif kind == "seats_drawn":
            self._draw([*event.seats_drawn.before])
        elif kind == "seat_left":
            self._seat(event.seat_left.seat).state = match_pb2.SEAT_STATE_LEFT
        elif kind == "match_started" and any(seat.state != match_pb2.SEAT_STATE_TAKEN for seat in self.seats):
            raise Impossible("it started before every seat was taken")

    def check_host(self, entry: play_pb2.RecordEntry) -> None:
        """Impossible where the host gave up its last seat and nobody followed, though others sat there."""
        kinds = {event.WhichOneof("kind") for event in entry.events if not event.seat_vacated.removed}
        seated = [seat.account for seat in self.seats if seat.state == match_pb2.SEAT_STATE_TAKEN]
        if kinds == {"seat_vacated"} and entry.account == self._host and seated and self._host not in seated:
            raise Impossible("the host left, and nobody became the host")

    def _draw(self, before: list[int]) -> None:
        if len(before) != len(self.seats) or not self._is_lot(before):
            raise Impossible("the seats were not drawn by the secret and what the seats added to it")
        old = [(seat.account, seat.display_name, seat.state) for seat in self.seats]
        for seat, was in zip(self.seats, before, strict=True):
            seat.account, seat.display_name, seat.state = old[was]

    def _take(self, taken: event_pb2.SeatTaken, account: str) -> None:
        seat = self._seat(taken.seat)
        is_held_for_it = seat.state == match_pb2.SEAT_STATE_HELD and seat.account == taken.account and not taken.held
        if seat.state != match_pb2.SEAT_STATE_OPEN and not is_held_for_it:
            raise Impossible(f"seat {seat.number} was not free")
        if taken.held and taken.account == account:
            raise Impossible(f"seat {seat.number} is held for the very account that took it")
        seat.account, seat.display_name = taken.account, taken.display_name
        seat.state = match_pb2.SEAT_STATE_HELD if taken.held else match_pb2.SEAT_STATE_TAKEN

    def _hand(self, handed: event_pb2.SeatHanded, account: str) -> None:
        seat = self._seat(handed.seat)
        if not seat.account or seat.account != account or handed.account in ("", account):
            raise Impossible(f"seat {seat.number} was not for {account} to hand on")
        seat.account = handed.account

    def _seat(self, number: int) -> match_pb2.Seat:
        if self._gone is not None and len(self.seats) <= number < _MOST_SEATS:
            return self._gone.setdefault(number, match_pb2.Seat(number=number, state=match_pb2.SEAT_STATE_OPEN))
        if not 0 <= number < len(self.seats):
            raise Impossible(f"there is no seat {number}")
        return self.seats[number]

    def _account(self, number: int) -> str:
        if self._gone and number in self._gone:
            return self._gone[number].account
        return self.seats[number].account if 0 <= number < len(self.seats) else ""


def _sits_down(event: event_pb2.Event) -> bool:
    return event.HasField("seat_taken") and not event.seat_taken.held
