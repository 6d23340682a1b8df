"""Who may see a match, and who may act in it. Whoever may not is not told whether it exists (AIP-211)."""

import hmac
from typing import Final

from chautari.app import base64url
from chautari.app.caller import Caller
from chautari.app.live import Live
from chautari.app.values import Audience, Match, Privacy
from chautari.engine import Seat
from chautari.errors import Forbidden, WrongState

_TICKET_BYTES: Final = 18


def is_member(match: Match, caller: Caller) -> bool:
    """Whether the caller hosts it, sits in it, or has a seat held for it."""
    return caller.account == match.host or any(chair.account_id == caller.account for chair in match.chairs)


def is_open(match: Match) -> bool:
    """Whether everybody may see the match as it is, and at once."""
    return match.audience is Audience.EVERYONE and not match.spectator_delay


def may_watch(match: Match, caller: Caller, ticket: str = "") -> bool:
    """Whether the caller may see the match: as a member, or as one of its audience.

    Whom the host has removed from a private match had its link, and sees it no more.
    """
    if match.audience is Audience.EVERYONE or is_member(match, caller):
        return True
    if match.audience is not Audience.LINK or caller.account_id in match.barred:
        return False
    return hmac.compare_digest(ticket_of(match, caller).encode(), ticket.encode())


def is_shut_out(match: Match, caller: Caller) -> bool:
    """Whether the host has removed the caller from a match that is not for everybody to see."""
    return caller.account_id in match.barred and not may_watch(match, caller)


def removed() -> Forbidden:
    """The refusal of whom the host has removed."""
    return Forbidden("REMOVED_BY_HOST", "the host has removed you from this match")


def ticket_of(match: Match, caller: Caller) -> str:
    """What shows that this caller had the link of a match. It is of no use to anybody else, and ends with the link."""
    proof = hmac.digest(match.link.encode(), f"{match.id} {caller.account}".encode(), "sha256")[:_TICKET_BYTES]
    return base64url.encode(proof)


def visible(live: Live | None, caller: Caller, ticket: str = "") -> Live:
    """The match, for somebody who may see it; Forbidden `NO_ACCESS`."""
    if live is None or not may_watch(live.match, caller, ticket):
        raise no_access()
    return live


def joinable(live: Live | None, caller: Caller) -> Live:
    """The match, for somebody who may join it by its name; Forbidden `NO_ACCESS`."""
    if live is None or not (live.match.privacy is Privacy.PUBLIC or is_member(live.match, caller)):
        raise no_access()
    return live


def known(live: Live | None, caller: Caller) -> Live:
    """The match, for somebody who may join or see it, and may be told why something else is not for it. `NO_ACCESS`."""
    if live is None or not (live.match.privacy is Privacy.PUBLIC or may_watch(live.match, caller)):
        raise no_access()
    return live


def member(live: Live | None, caller: Caller) -> Live:
    """The match, for one of its members; Forbidden `NO_ACCESS`, WrongState `NOT_IN_MATCH` for who may only see it."""
    live = known(live, caller)
    if not is_member(live.match, caller):
        raise not_in_match()
    return live


def actor(live: Live | None, caller: Caller, seat: Seat) -> Live:
    """The match, for the holder of this seat; Forbidden `NO_ACCESS`, or `NOT_SEATED` to who may only see it."""
    if live is not None:
        chairs = live.match.chairs
        if 0 <= seat < len(chairs) and chairs[seat].account_id == caller.account:
            return live
    live = visible(live, caller)
    check_seat(live.match, caller, seat)
    return live


def check_seat(match: Match, caller: Caller, seat: Seat) -> None:
    """Forbidden `NOT_SEATED` where the caller does not hold this seat."""
    if seat not in match.seats_of(caller.account):
        raise Forbidden("NOT_SEATED", f"seat {seat} of this match is not yours, or it might not exist", seat=seat)


def not_in_match() -> WrongState:
    """The refusal of an account that has no seat."""
    return WrongState("NOT_IN_MATCH", "this account has no seat in the match")


def no_access() -> Forbidden:
    """The refusal of a match that is not for this caller."""
    return Forbidden("NO_ACCESS", "this match is not for you to see, or it might not exist")
