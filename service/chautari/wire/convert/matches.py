"""Matches as one reader may know them, and what is asked of them, between messages and values."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from chautari import engine
from chautari.app import access, catalog
from chautari.app.caller import Caller
from chautari.app.clocks import first_due
from chautari.app.listing import Which
from chautari.app.new_matches import NewMatch
from chautari.app.values import (
    Audience,
    Chair,
    Disclosure,
    Match,
    MatchState,
    Micros,
    Outcome,
    Privacy,
    SeatingRule,
    SeatState,
    Standing,
    StartRule,
)
from chautari.v1 import match_pb2, matches_pb2, play_pb2
from chautari.wire.convert.clocks import control_from_proto, fill_control
from chautari.wire.convert.events import END_REASONS
from chautari.wire.convert.plain import account_name, fill_struct, fill_time, id_of, read_struct

STATES: Final = {
    MatchState.SEATING: match_pb2.MATCH_STATE_SEATING,
    MatchState.PLAYING: match_pb2.MATCH_STATE_PLAYING,
    MatchState.FINISHED: match_pb2.MATCH_STATE_FINISHED,
    MatchState.ABORTED: match_pb2.MATCH_STATE_ABORTED,
}
PRIVACIES: Final = {Privacy.PRIVATE: match_pb2.PRIVACY_PRIVATE, Privacy.PUBLIC: match_pb2.PRIVACY_PUBLIC}
AUDIENCES: Final = {
    Audience.MEMBERS: match_pb2.AUDIENCE_MEMBERS,
    Audience.LINK: match_pb2.AUDIENCE_LINK,
    Audience.EVERYONE: match_pb2.AUDIENCE_EVERYONE,
}
DISCLOSURES: Final = {
    Disclosure.FULL: match_pb2.DISCLOSURE_FULL,
    Disclosure.SHOWN_ONLY: match_pb2.DISCLOSURE_SHOWN_ONLY,
}
SEATING_RULES: Final = {
    SeatingRule.CHOSEN: match_pb2.SEATING_RULE_CHOSEN,
    SeatingRule.RANDOM: match_pb2.SEATING_RULE_RANDOM,
    SeatingRule.ROTATED: match_pb2.SEATING_RULE_ROTATED,
}
START_RULES: Final = {
    StartRule.AUTOMATIC: match_pb2.START_RULE_AUTOMATIC,
    StartRule.BY_HOST: match_pb2.START_RULE_BY_HOST,
}
_SEAT_STATES: Final = {
    SeatState.OPEN: match_pb2.SEAT_STATE_OPEN,
    SeatState.HELD: match_pb2.SEAT_STATE_HELD,
    SeatState.TAKEN: match_pb2.SEAT_STATE_TAKEN,
    SeatState.LEFT: match_pb2.SEAT_STATE_LEFT,
}
_WHICH: Final = {
    matches_pb2.MATCH_LIST_UNSPECIFIED: Which.MINE,
    matches_pb2.MATCH_LIST_MINE: Which.MINE,
    matches_pb2.MATCH_LIST_MINE_ACTIVE: Which.MINE_ACTIVE,
    matches_pb2.MATCH_LIST_MY_TURN: Which.MY_TURN,
    matches_pb2.MATCH_LIST_OPEN: Which.OPEN,
    matches_pb2.MATCH_LIST_PLAYING: Which.PLAYING,
}


def match_to_proto(
    match: Match, caller: Caller, online: frozenset[str] = frozenset(), outages: Micros = 0
) -> match_pb2.Match:
    """A match as this caller may know it. A draft, at revision 0, has no name, code, link and commitment yet.

    outages: all together, as the store has them.
    """
    message = match_pb2.Match(
        game=f"games/{match.game}",
        rules_version=match.rules_version,
        title=match.title,
        state=STATES[match.state],
        privacy=PRIVACIES[match.privacy],
        disclosure=DISCLOSURES[match.disclosure],
        start=START_RULES[match.start_rule],
        audience=AUDIENCES[match.audience],
        seating=SEATING_RULES[match.seating],
        host=account_name(match.host),
        revision=match.revision,
        my_seats=match.seats_of(caller.account),
    )
    if match.spectator_delay:
        message.spectator_delay.FromMicroseconds(match.spectator_delay)
    fill_control(message.clock, match.clock)
    due_at = first_due(match, message.my_seats, outages)
    if due_at is not None:
        fill_time(message.due_time, due_at)
    fill_struct(message.settings, match.settings)
    fill_seats(message.seats, match, online)
    if match.revision:
        message.name = f"matches/{match.id}"
        message.etag = str(match.revision)
        message.commitment = match.commitment
        fill_time(message.create_time, match.created_at)
    if match.started_at is not None:
        fill_time(message.start_time, match.started_at)
        _fill_turn(message.turn, match)
    if match.ended_at is not None:
        fill_time(message.end_time, match.ended_at)
        message.secret = disclosed_secret(match)
    if match.outcome is not None:
        fill_outcome(message.result, match.outcome)
    if match.revision and access.is_member(match, caller):
        _fill_for_members(message, match)
    return message


def _fill_for_members(message: match_pb2.Match, match: Match) -> None:
    if match.state is MatchState.SEATING:
        message.code = match.code or ""
        message.link = match.link
        if match.code_expires_at is not None:
            fill_time(message.code_expire_time, match.code_expires_at)
    if match.rematch is not None:
        message.rematch = f"matches/{match.rematch}"


def _fill_turn(target: match_pb2.Turn, match: Match) -> None:
    if match.is_over:
        target.phase = engine.FINISHED
    elif match.snapshot is not None:
        position = engine.decode(catalog.find_rules(match.game, match.rules_version), match.snapshot)
        target.phase = position.phase
        target.must.extend(engine.seats_of(position.must))
        target.may.extend(engine.seats_of(position.may))
    else:  # without its state: its row knows the phase and the seats that must act, and a list nothing more
        target.phase = match.phase or ""
        target.must.extend(engine.seats_of(match.must))
        target.may.extend(engine.seats_of(match.may))


def disclosed_secret(match: Match) -> bytes:
    """The secret of the shuffles, once it is public; empty before, and for ever where it stays secret."""
    return match.secret if match.is_over and match.disclosure is Disclosure.FULL else b""


def fill_seats(target: Any, match: Match, online: frozenset[str]) -> None:
    """Writes the chairs of a match into an empty list."""
    sides = sides_of(match)
    for chair in match.chairs:
        seat = target.add()
        _fill_seat(seat, chair, sides, online)
        seat.away = match.clocks is not None and match.clocks.is_away(chair.number)


def _fill_seat(target: match_pb2.Seat, chair: Chair, sides: Mapping[int, int], online: frozenset[str]) -> None:
    target.number = chair.number
    target.state = _SEAT_STATES[chair.state]
    target.account = account_name(chair.account_id)
    target.display_name = chair.display_name
    target.online = chair.account_id in online and chair.state is not SeatState.HELD
    if chair.number in sides:
        target.side = sides[chair.number]


def sides_of(match: Match) -> dict[int, int]:
    """The side of each seat; empty where each plays for itself."""
    game = catalog.game_of(match)
    sides = game.sides(game.read_settings(match.settings))
    if all(len(side) == 1 for side in sides):
        return {}
    return {seat: number for number, side in enumerate(sides) for seat in side}


def fill_outcome(target: match_pb2.MatchResult, outcome: Outcome) -> None:
    """Writes how a match ended into an empty message."""
    target.aborted = outcome.aborted
    target.reason = END_REASONS[outcome.reason]
    target.note = outcome.note
    if not outcome.aborted:
        target.placing.extend(outcome.placing)
        target.score.extend(outcome.score)


def fill_standing(target: play_pb2.MatchStatus, standing: Standing, *, member: bool) -> None:
    """Writes how a match stands for a caller into an empty message."""
    target.match = f"matches/{standing.match_id}"
    target.revision = standing.revision
    target.state = STATES[standing.state]
    target.my_turn = standing.my_turn
    target.member = member
    if standing.due_at is not None:
        fill_time(target.due_time, standing.due_at)


def new_match_from_proto(request: matches_pb2.CreateMatchRequest) -> NewMatch:
    """What a match is to be."""
    return NewMatch(
        game=id_of(request.game),
        settings=read_struct(request.settings),
        title=request.title,
        privacy=_of(PRIVACIES, request.privacy) or Privacy.PRIVATE,
        disclosure=_of(DISCLOSURES, request.disclosure),
        start_rule=_of(START_RULES, request.start) or StartRule.AUTOMATIC,
        audience=_of(AUDIENCES, request.audience),
        spectator_delay=request.spectator_delay.ToMicroseconds(),
        seating=_of(SEATING_RULES, request.seating) or SeatingRule.ROTATED,
        seats=seats_from_proto(request.seats),
        contribution=request.contribution or None,
        clock=control_from_proto(request.clock),
    )


def seats_from_proto(seats: Iterable[int]) -> tuple[int, ...]:
    """The seats that a request names, in its order."""
    return tuple(seats)


def which_from_proto(which: matches_pb2.MatchList) -> Which:
    """The list that a request asks for."""
    return _WHICH[which]


def _of(table: Mapping[Any, int], number: int) -> Any:
    """The value that an enum's number stands for, None for 0."""
    return next((value for value, known in table.items() if known == number), None)
