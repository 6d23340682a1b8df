"""A client's own picture of a table: a view, and every event behind it folded on by the rules of event.proto.

It knows no game. Only the server judges: the picture is for drawing, and for programs that think.
"""

from datetime import UTC, datetime
from typing import Any, Final

from chautari.v1 import event_pb2 as events
from chautari.v1 import match_pb2 as matches
from chautari.v1 import option_pb2 as option
from chautari.v1 import play_pb2 as play
from chautari.v1 import view_pb2 as views
from chautari_client.errors import Gap
from chautari_client.plain import to_plain
from chautari_client.zones import Zones

OVER: Final = "over"


class Table:
    """One viewer's table. `view` is the picture, a message of the API; `apply` brings it up to date.

    is_current   the newest step was seen with its head: `options`, turn and clocks are those of now
    restarts     how often `Client.follow` has started anew, since the server was restored from a backup
    needs_view   something happened that this client does not know: put a fresh view in with `reset`
    """

    def __init__(self, view: views.View) -> None:
        self.restarts = 0
        self.reset(view)

    def reset(self, view: views.View) -> None:
        """Puts a fresh view in place of the picture."""
        self.view = views.View()
        self.view.CopyFrom(view)
        self.is_current = True
        self.needs_view = False
        self._zones = Zones(self.view.zones, self._ask_for_view)

    # What is to be seen ───────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def revision(self) -> int:
        """The revision of the picture."""
        return self.view.revision

    @property
    def facts(self) -> dict[str, Any]:
        """The facts by name, as plain values."""
        return to_plain(self.view.facts)

    @property
    def options(self) -> list[option.Option]:
        """What the seat may do now; empty out of turn, and while newer steps are still on their way."""
        return list(self.view.options)

    @property
    def actions(self) -> list[str]:
        """Legal actions in their text form: all of the options that list them, one example of those that do not."""
        return [
            action
            for each in self.view.options
            for action in (each.actions or ([each.example] if each.example else []))
        ]

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self.view.state in (matches.MATCH_STATE_FINISHED, matches.MATCH_STATE_ABORTED)

    @property
    def is_my_turn(self) -> bool:
        """Whether the seat of this view must or may act."""
        view = self.view
        return view.HasField("seat") and not self.is_over and view.seat in (*view.turn.must, *view.turn.may)

    def due_time(self, seat: int) -> datetime | None:
        """When the time of a seat is up, by the server's clock; None while its clock does not run."""
        for clock in self.view.clocks:
            if clock.seat == seat and clock.HasField("due_time"):
                return clock.due_time.ToDatetime(UTC)
        return None

    def seconds_left(self, seat: int) -> float | None:
        """How long a seat had when this picture was made; None while its clock does not run."""
        due = self.due_time(seat)
        return None if due is None else (due - self.view.server_time.ToDatetime(UTC)).total_seconds()

    def zone(self, name: str) -> views.Zone:
        """The zone of this name, such as `hand.2`; KeyError where the game has none."""
        return self._zones[name]

    def cards(self, name: str) -> tuple[str, ...]:
        """The cards of a zone that this viewer sees; empty where it does not see them."""
        return tuple(self._zones[name].cards)

    # What happens ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def apply(self, update: play.Update) -> bool:
        """Folds one message of a watch; whether it brought anything new.

        A step that was folded before changes nothing. Gap where one between is missing.
        """
        match update.WhichOneof("kind"):
            case "step":
                if update.revision <= self.view.revision:
                    return False
                if update.revision != self.view.revision + 1:
                    raise Gap(f"the table is at revision {self.view.revision}, and {update.revision} came")
                self._step(update)
                return True
            case "presence":
                seat = self._seat(update.presence.seat)
                changed = seat is not None and seat.online != update.presence.online
                if seat is not None:
                    seat.online = update.presence.online
                return changed
            case _:
                return False

    def _step(self, update: play.Update) -> None:
        view = self.view
        view.revision = update.revision
        del view.options[:]
        del view.clocks[:]
        self.is_current = update.step.HasField("head")
        for event in update.step.events:
            self.fold(event)
        if update.step.HasField("head"):
            head = update.step.head
            if head.HasField("turn"):
                view.turn.CopyFrom(head.turn)
            view.clocks.extend(head.clocks)
            view.options.extend(head.options)
            view.server_time.CopyFrom(update.step.time)

    def fold(self, event: events.Event) -> None:
        """Folds one event, as event.proto says at its message under "Fold"."""
        view = self.view
        match event.WhichOneof("kind"):
            case "hand_began":
                if not event.hand_began.cards_stay:
                    self._zones.clear()
                view.hand = event.hand_began.hand
            case "shuffled":
                self._zones.shuffle(event.shuffled)
            case "dealt":
                self._zones.deal(event.dealt)
            case "moved":
                self._zones.move(event.moved)
            case "shown":
                self._zones.show(event.shown.zone, event.shown.cards)
            case "hidden":
                self._zones.hide(event.hidden.zone)
            case "told":
                for name, value in event.told.facts.fields.items():
                    view.facts.fields[name].CopyFrom(value)
            case "said":
                pass
            case "turned":
                view.turn.CopyFrom(event.turned.turn)
            case "hand_ended":
                view.last_hand.CopyFrom(event.hand_ended.record)
            case "seat_left":
                self._seat_becomes(event.seat_left.seat, matches.SEAT_STATE_LEFT)
            case "match_ended":
                view.result.MergeFrom(event.match_ended.result)
                aborted = event.match_ended.result.aborted
                view.state = matches.MATCH_STATE_ABORTED if aborted else matches.MATCH_STATE_FINISHED
                view.turn.CopyFrom(matches.Turn(phase=OVER))
            case "seat_taken":
                taken = event.seat_taken
                seat = self._seat_becomes(
                    taken.seat, matches.SEAT_STATE_HELD if taken.held else matches.SEAT_STATE_TAKEN
                )
                if seat is not None:
                    seat.account, seat.display_name = taken.account, taken.display_name
            case "seat_vacated":
                seat = self._seat_becomes(event.seat_vacated.seat, matches.SEAT_STATE_OPEN)
                if seat is not None:
                    seat.account, seat.display_name, seat.online = "", "", False
            case "seat_away":
                seat = self._seat(event.seat_away.seat)
                if seat is not None:
                    seat.away = event.seat_away.away
            case "seat_handed":
                seat = self._seat(event.seat_handed.seat)
                if seat is not None:
                    seat.account = event.seat_handed.account
            case "seats_drawn":
                self._draw(list(event.seats_drawn.before))
            case "match_started":
                view.state = matches.MATCH_STATE_PLAYING
            case "host_changed":
                view.host = event.host_changed.host
            case "match_stopped":
                view.result.note = event.match_stopped.note
            case _:
                self._ask_for_view()

    def _ask_for_view(self) -> None:
        self.needs_view = True

    def _draw(self, before: list[int]) -> None:
        old = {seat.number: (seat.account, seat.display_name, seat.state, seat.online) for seat in self.view.seats}
        for seat in self.view.seats:
            if seat.number < len(before):
                seat.account, seat.display_name, seat.state, seat.online = old[before[seat.number]]

    def _seat(self, number: int) -> matches.Seat | None:
        return next((seat for seat in self.view.seats if seat.number == number), None)

    def _seat_becomes(self, number: int, state: matches.SeatState) -> matches.Seat | None:
        seat = self._seat(number)
        if seat is not None:
            seat.state = state
        return seat
