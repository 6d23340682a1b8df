"""Who sits where in a record: its seats by its own events, and which account must have made a change."""

from typing import Any

from chautari.engine import Game
from chautari.v1 import event_pb2, match_pb2, play_pb2

Cause = play_pb2.Cause


class Chairs:
    """The seats of a match, as the events so far leave them."""

    def __init__(self, game: Game[Any, Any], settings: Any) -> None:
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
        if entry.revision == 1:
            self._host = entry.account
        if "seat_taken" in kinds:
            sat = {event.seat_taken.account for event in entry.events if _sits_down(event)}
            return entry.account if not sat or entry.account in {*sat, self._host} else sat.pop()
        if "seat_vacated" in kinds:
            gone = [self._account(event.seat_vacated.seat) for event in entry.events if event.HasField("seat_vacated")]
            return entry.account if entry.account == self._host or gone[0] == "" else gone[0]
        return self._host

    def fold(self, event: event_pb2.Event) -> None:
        """What an event makes of the seats."""
        kind = event.WhichOneof("kind")
        if kind == "host_changed":
            self._host = event.host_changed.host
        elif kind in ("seat_taken", "seat_vacated", "seat_left"):
            told = getattr(event, kind)
            if not 0 <= told.seat < len(self.seats):
                return
            seat = self.seats[told.seat]
            if kind == "seat_left":
                seat.state = match_pb2.SEAT_STATE_LEFT
                return
            taken = event.seat_taken  # empty where the seat was vacated
            seat.account, seat.display_name = taken.account, taken.display_name
            if kind == "seat_vacated":
                seat.state = match_pb2.SEAT_STATE_OPEN
            else:
                seat.state = match_pb2.SEAT_STATE_HELD if taken.held else match_pb2.SEAT_STATE_TAKEN

    def _account(self, number: int) -> str:
        return self.seats[number].account if 0 <= number < len(self.seats) else ""


def _sits_down(event: event_pb2.Event) -> bool:
    return event.HasField("seat_taken") and not event.seat_taken.held
