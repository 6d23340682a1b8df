"""The use cases of matches: create, find, join, leave, start, resign, rematch."""

import msgspec

from chautari.app import access, seating
from chautari.app.account_values import Account
from chautari.app.caller import Caller
from chautari.app.changes import Changes, Unchanged, before_start, hosted
from chautari.app.clock_values import NO_CLOCK
from chautari.app.events import AnyEvent
from chautari.app.leaving import come_back_change, get_up_change, leave_change
from chautari.app.live import Change, Live, LiveMatches, restore
from chautari.app.name_words import NameWords
from chautari.app.new_matches import (
    NewMatch,
    Terms,
    begun_if_full,
    make_match,
    new_code,
    rematch_id,
    start_change,
)
from chautari.app.ports import RequestSeen, Store, TooManyOpen
from chautari.app.spectating import Spectating, is_late
from chautari.app.values import Cause, Match, MatchState, RequestKey, SeatingRule
from chautari.engine import Seat
from chautari.errors import Exhausted, Forbidden, NotFound, WrongState


class Matches:
    """The use cases of matches. A match that a method gives is as its last commit left it."""

    def __init__(
        self, store: Store, live: LiveMatches, spectating: Spectating, changes: Changes, terms: Terms, words: NameWords
    ) -> None:
        self._store = store
        self._live = live
        self._spectating = spectating
        self._changes = changes
        self._terms = terms
        self._words = words

    async def create(
        self, caller: Caller, new: NewMatch, request: RequestKey | None, validate_only: bool = False
    ) -> Match:
        """Makes a match that the caller hosts; with all seats taken at once and a start by itself it starts.

        Malformed `GAME_UNKNOWN`, `BAD_SETTING`, `SEAT_UNKNOWN`, `NAME_INVALID`, `NAME_REFUSED`;
        RequestReused.
        """
        account = await self._changes.account(caller)
        match = make_match(account, new, self._terms, self._store.clock())
        self._words.check(match.title, "title")
        seating.check_seats(match, new.seats)
        match, events = seating.sit(match, account, new.seats, new.contribution)
        if validate_only:
            return match
        return await self._changes.seated(account, await self._add(caller, match, events, account, request))

    async def get(self, caller: Caller, match_id: str, ticket: str = "") -> Match:
        """A match that the caller may see, as late as it sees it; Forbidden `NO_ACCESS`."""
        live = access.visible(await self._live.load(match_id, fresh=True), caller, ticket)
        match = (await self._spectating.seen(live, caller)).match
        if match.is_over:
            new_id, following = await self._following(match)
            match = msgspec.structs.replace(match, rematch=new_id if following else None)
        return match

    async def find(self, caller: Caller, *, code: str | None = None, link: str | None = None) -> Match:
        """The match behind a code or a link, to look at before joining. Once it has started or is over a code, which
        may be guessed, shows it only to who may watch it.

        NotFound `CODE_UNKNOWN`; WrongState `CODE_EXPIRED`, `MATCH_STARTED`, `MATCH_OVER`; Forbidden `REMOVED_BY_HOST`.
        """
        match = await self._find(code, link)
        if access.is_shut_out(match, caller):
            raise access.removed()
        if link is None and not access.may_watch(match, caller):
            match = before_start(match, caller, self._store.clock())
        if not is_late(match, caller):
            return match
        try:
            return (await self._spectating.late(restore(match)))[0].match
        except Forbidden:
            raise _code_unknown() from None

    async def _find(self, code: str | None, link: str | None) -> Match:
        if link is not None:
            match = await self._store.find_by_link(link)
        else:
            match = await self._store.find_by_code("".join((code or "").split()).upper())
            waits = match is not None and match.state is MatchState.SEATING
            if match is not None and waits and (match.code_expires_at or 0) <= self._store.clock():
                raise WrongState("CODE_EXPIRED", "this code has expired: ask for the link of the match")
        if match is None:
            raise _code_unknown()
        return match

    async def join(
        self, caller: Caller, *, match_id: str | None = None, code: str | None = None, link: str | None = None,
        seats: tuple[Seat, ...] = (), count: int = 0, contribution: bytes | None = None,
        request: RequestKey | None = None,
    ) -> Match:  # fmt: skip
        """Sits the caller down. Whoever sits already and asks for no other seat gets the match as it is, also when that
        has started, and is there again if it was away.

        WrongState `SEAT_TAKEN`, `MATCH_FULL`, `MATCH_STARTED`, `MATCH_OVER`; those of `find`; Forbidden `NO_ACCESS`.
        """
        account = await self._changes.account(caller)
        invited = match_id is None
        if match_id is None:
            try:
                match_id = (await self._find(code, link)).id
            except (NotFound, WrongState):
                # What the call did is known for longer than the code: repeated, it still gets its answer.
                entry = await self._store.find_request(account.id, request, None) if request is not None else None
                if entry is None:
                    raise
                return await self._changes.again(caller, RequestSeen(entry), request)

        def make(live: Live | None) -> Change:
            if live is None or not invited:
                live = access.joinable(live, caller)
            match = live.match
            mine = match.seats_of(account.id)
            if not mine or count or not set(seats) <= set(mine):
                match = before_start(match, caller, self._store.clock())
            if account.id in match.barred and not mine:
                raise access.removed()
            chosen = seating.choose(match, account.id, seats, count) if match.state is MatchState.SEATING else ()
            if not chosen:
                back = come_back_change(live, account.id)
                if back is None:
                    raise Unchanged(live.match)
                return msgspec.structs.replace(back, account_id=account.id, request=request)
            match, events = seating.sit(match, account, chosen, contribution)
            return begun_if_full(match, events, account.id, request, self._store.clock())

        return await self._changes.seated(account, await self._changes.change(caller, match_id, make, request))

    async def leave(
        self, caller: Caller, match_id: str, seats: tuple[Seat, ...] = (), request: RequestKey | None = None
    ) -> Match:
        """Gives up seats before the start; where none is named all of the caller's, and the place of the host.

        WrongState `MATCH_STARTED`, `MATCH_OVER`; Forbidden `NOT_SEATED`. A host that nobody follows aborts the match.
        """

        def make(live: Live | None) -> Change:
            match = before_start(access.member(live, caller).match, caller, self._store.clock())
            seating.check_seats(match, seats)
            for seat in seats:
                access.check_seat(match, caller, seat)
            left = seats or match.seats_of(caller.account)
            change = get_up_change(match, caller.account, left, self._store.clock())
            return msgspec.structs.replace(change, account_id=caller.account, request=request)

        return await self._changes.change(caller, match_id, make, request)

    async def start(self, caller: Caller, match_id: str, request: RequestKey | None = None) -> Match:
        """Starts a match whose seats are all taken; Forbidden `NOT_HOST`, WrongState `SEATS_OPEN`, `MATCH_STARTED`."""

        def make(live: Live | None) -> Change:
            match = hosted(live, caller, self._store.clock())
            free = seating.free_seats(match)
            if free:
                raise WrongState("SEATS_OPEN", f"{free} seats are not taken yet", free=free)
            return start_change(match, [], caller.account, request, self._store.clock(), chairs=False)

        return await self._changes.change(caller, match_id, make, request)

    async def resign(self, caller: Caller, match_id: str, seat: Seat, request: RequestKey | None = None) -> Match:
        """Gives a seat up in a match under way; from then on the rules play it, and it is placed behind all who stayed.

        Forbidden `NOT_SEATED`; WrongState `MATCH_NOT_STARTED`, `SEAT_LEFT`, `MATCH_OVER`.
        """

        def make(live: Live | None) -> Change:
            live = access.known(live, caller)
            match, position = live.match, live.position
            access.check_seat(match, caller, seat)
            if match.state is MatchState.SEATING:
                raise WrongState("MATCH_NOT_STARTED", "the match has not started: leave it instead")
            if match.is_over or position is None:
                raise WrongState("MATCH_OVER", "the match has ended")
            if seat in position.left:
                raise WrongState("SEAT_LEFT", f"seat {seat} has left the match", seat=seat)
            change = leave_change(live, (seat,), Cause.RESIGNED)
            return msgspec.structs.replace(change, account_id=caller.account, request=request)

        return await self._changes.change(caller, match_id, make, request)

    async def rematch(
        self, caller: Caller, match_id: str, contribution: bytes | None = None, request: RequestKey | None = None
    ) -> Match:
        """Another match of the same people, each one seat further on where seats rotate.

        Whoever asks first makes it, the others join it.

        The id of the match that follows is made from the one before, so that there is one however many ask at once. One
        that everybody left before its start is passed over.
        """
        account = await self._changes.account(caller)
        live = access.member(await self._live.load(match_id, fresh=True), caller)
        old = live.match
        if not old.seats_of(account.id):
            raise access.not_in_match()
        if not old.is_over or live.position is None:
            raise WrongState("MATCH_NOT_OVER", "the match is still going on")
        new_id, following = await self._following(old)
        if following is None:
            match = make_match(
                account,
                NewMatch(
                    game=old.game, settings=old.settings, title=old.title, privacy=old.privacy,
                    disclosure=old.disclosure, start_rule=old.start_rule, audience=old.audience,
                    spectator_delay=old.spectator_delay, seating=old.seating, clock=old.clock or NO_CLOCK,
                ),
                self._terms,
                self._store.clock(),
                new_id,
            )  # fmt: skip
            count = len(old.chairs)
            by = 1 if old.seating is SeatingRule.ROTATED else 0
            moved = [msgspec.structs.replace(chair, number=(chair.number + by) % count) for chair in old.chairs]
            mine = [chair.number for chair in moved if chair.account_id == account.id]
            match, held = seating.hold(match, [chair for chair in moved if chair.account_id != account.id])
            match, sat = seating.sit(match, account, sorted(mine), contribution)
            try:
                made = await self._add(caller, match, held + sat, account, request)
            except ValueError:  # somebody was faster
                self._live.forget(new_id)
            else:
                return await self._changes.seated(account, made)
        return await self.join(caller, match_id=new_id, contribution=contribution, request=request)

    async def _following(self, match: Match) -> tuple[str, Match | None]:
        """The id of the match that follows this one, and that match if anybody has asked for it."""
        while True:
            match_id = rematch_id(match)
            following = await self._store.find_match(match_id)
            if following is None or following.state is not MatchState.ABORTED or following.started_at is not None:
                return match_id, following
            match = following

    async def _add(
        self, caller: Caller, match: Match, events: list[AnyEvent], account: Account, request: RequestKey | None
    ) -> Match:
        """Keeps a new match, with another code where it has that of another; ValueError where its id is taken."""
        for _ in range(20):
            try:
                return (
                    await self._live.add(
                        begun_if_full(match, events, account.id, request, self._store.clock()),
                        open_at_most=self._terms.open_at_most,
                    )
                ).live.match
            except TooManyOpen:
                most = self._terms.open_at_most
                raise Exhausted(
                    "TOO_MANY_OPEN_MATCHES", f"you host {most} matches that are not over: end or close one", limit=most
                ) from None
            except RequestSeen as seen:
                return await self._changes.again(caller, seen, request)
            except ValueError as taken:
                if str(taken) != "code":
                    raise
                match = msgspec.structs.replace(match, code=new_code())
        raise AssertionError("no free code was found in twenty tries")


def _code_unknown() -> NotFound:
    return NotFound("CODE_UNKNOWN", "no match has this code: look at it again, or ask for a new one")
