"""Seating: pure functions over the chairs of a match, before its start."""

from collections.abc import Sequence

import msgspec

from chautari import engine
from chautari.app.account_values import Account
from chautari.app.events import AnyEvent, HostChanged, MatchClosed, SeatsDrawn, SeatTaken, SeatVacated
from chautari.app.values import Chair, EndReason, Match, MatchState, Micros, Outcome, SeatState
from chautari.engine import Seat
from chautari.errors import Malformed, WrongState


def open_chairs(players: int) -> tuple[Chair, ...]:
    """As many chairs, with nobody on them."""
    return tuple(Chair(number=number) for number in range(players))


def choose(match: Match, account_id: str, seats: Sequence[Seat], count: int) -> tuple[Seat, ...]:
    """The seats that a joining account takes: those named, else those held for it, else the lowest free ones.

    Malformed `SEAT_UNKNOWN`; WrongState `SEAT_TAKEN` or `MATCH_FULL`. Empty where it has one and wants no other.
    """
    check_seats(match, seats)
    if seats:
        for seat in seats:
            chair = match.chairs[seat]
            if chair.state is not SeatState.OPEN and chair.account_id != account_id:
                raise WrongState("SEAT_TAKEN", f"seat {seat} is taken: choose another", seat=seat)
        return tuple(seat for seat in seats if match.chairs[seat].state is not SeatState.TAKEN)
    held = tuple(c.number for c in match.chairs if c.state is SeatState.HELD and c.account_id == account_id)
    if not count and (held or any(c.account_id == account_id for c in match.chairs)):
        return held
    wanted = max(count, 1)
    free = held + tuple(chair.number for chair in match.chairs if chair.state is SeatState.OPEN)
    if len(free) < wanted:
        raise WrongState("MATCH_FULL", f"{wanted} seats are wanted and {len(free)} are free", free=len(free))
    return free[:wanted]


def check_seats(match: Match, seats: Sequence[Seat]) -> None:
    """Malformed `SEAT_UNKNOWN` where a seat is none of this match."""
    for seat in seats:
        if not 0 <= seat < len(match.chairs):
            raise Malformed(
                "SEAT_UNKNOWN", f"there are seats 0 to {len(match.chairs) - 1}", field="seats", seat=seat,
                seats=len(match.chairs),
            )  # fmt: skip


def sit(
    match: Match, account: Account, seats: Sequence[Seat], contribution: bytes | None
) -> tuple[Match, list[AnyEvent]]:
    """The account on these seats, and what is told of it."""
    taken = Chair(
        number=0, state=SeatState.TAKEN, account_id=account.id, display_name=account.display_name,
        contribution=contribution, since=match.revision + 1,
    )  # fmt: skip
    chairs = tuple(
        msgspec.structs.replace(taken, number=chair.number) if chair.number in seats else chair
        for chair in match.chairs
    )
    events: list[AnyEvent] = [SeatTaken(seat, account.id, account.display_name) for seat in seats]
    return msgspec.structs.replace(match, chairs=chairs), events


def hold(match: Match, chairs: Sequence[Chair]) -> tuple[Match, list[AnyEvent]]:
    """These chairs kept for their accounts, which have not sat down yet."""
    held = {
        chair.number: msgspec.structs.replace(chair, state=SeatState.HELD, contribution=None, since=0)
        for chair in chairs
    }
    events: list[AnyEvent] = [
        SeatTaken(chair.number, chair.account_id or "", chair.display_name, True) for chair in held.values()
    ]
    kept = tuple(held.get(chair.number, chair) for chair in match.chairs)
    return msgspec.structs.replace(match, chairs=kept), events


def get_up(match: Match, account_id: str, seats: Sequence[Seat]) -> tuple[Match, list[AnyEvent]]:
    """These seats of the account free again. A host that has none then hands on to who has sat longest, if anybody.

    A host without a seat of its own stays the host where others get up.
    """
    chairs = tuple(Chair(number=chair.number) if chair.number in seats else chair for chair in match.chairs)
    match = msgspec.structs.replace(match, chairs=chairs)
    events: list[AnyEvent] = [SeatVacated(seat) for seat in seats]
    seated = [(chair.since, chair.number, chair.account_id) for chair in chairs if chair.state is SeatState.TAKEN]
    if match.host == account_id and not match.seats_of(account_id) and seated:
        host = min(seated)[2] or ""
        events.append(HostChanged(host))
        match = msgspec.structs.replace(match, host=host)
    return match, events


def take_from(match: Match, account_id: str, seats: Sequence[Seat]) -> tuple[Match, list[AnyEvent]]:
    """These seats of an account that the host removes free again."""
    chairs = tuple(Chair(number=chair.number) if chair.number in seats else chair for chair in match.chairs)
    return msgspec.structs.replace(match, chairs=chairs), [SeatVacated(seat, account_id) for seat in seats]


def aborted(match: Match, reason: EndReason, now: Micros, note: str = "") -> Match:
    """A match that ends before its start: nothing is due in it any more."""
    return msgspec.structs.replace(
        match, state=MatchState.ABORTED, ended_at=now, due_at=None, due_kind=None, wake_at=None,
        outcome=Outcome((), (), True, reason, note),
    )  # fmt: skip


def closed(match: Match, reason: EndReason, now: Micros) -> tuple[Match, list[AnyEvent]]:
    """A match that its host, or the service, ends before its start, and what is told of it."""
    return aborted(match, reason, now), [MatchClosed(reason)]


def draw(match: Match) -> tuple[Match, list[AnyEvent]]:
    """The same people on seats that are drawn by lot; what each adds to the shuffles goes with it."""
    before = engine.draw_seats(
        match=match.id, game=match.game, version=match.rules_version, secret=match.secret,
        contributions=[chair.contribution for chair in match.chairs],
    )  # fmt: skip
    chairs = tuple(msgspec.structs.replace(match.chairs[old], number=new) for new, old in enumerate(before))
    return msgspec.structs.replace(match, chairs=chairs), [SeatsDrawn(before)]


def free_seats(match: Match) -> int:
    """How many seats nobody has sat down on."""
    return sum(chair.state is not SeatState.TAKEN for chair in match.chairs)
