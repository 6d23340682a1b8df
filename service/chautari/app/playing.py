"""The use cases of play: act, and look at the table."""

import msgspec

from chautari import engine
from chautari.app import access
from chautari.app.caller import Caller
from chautari.app.clocks import SeatClock, shown
from chautari.app.live import Change, Live, LiveMatches
from chautari.app.ports import RequestSeen, Store, request_matches
from chautari.app.spectating import Spectating
from chautari.app.updates import Step
from chautari.app.values import Cause, Entry, Match, MatchState, Micros, RequestKey
from chautari.app.watching import Watching
from chautari.engine import FairStream, Said, Seat
from chautari.errors import ChautariError, Forbidden, RequestReused, StaleRevision, WrongState


class Acted(msgspec.Struct, frozen=True):
    """What an action brought about. step: None where it was only judged; replayed: an earlier call had done it."""

    revision: int
    step: Step | None
    replayed: bool = False


class TableView(msgspec.Struct, frozen=True):
    """The table as one seat, or a spectator, sees it. view: None before the start; epoch: of the database."""

    match: Match
    seat: Seat | None
    view: engine.View | None
    options: list[engine.Option]
    online: frozenset[str]
    now: Micros
    epoch: str = ""
    clocks: tuple[SeatClock, ...] = ()


class Playing:
    """The use cases of play."""

    def __init__(self, store: Store, live: LiveMatches, watching: Watching, spectating: Spectating) -> None:
        self._store = store
        self._live = live
        self._spectating = spectating
        self._watching = watching

    async def act(
        self, caller: Caller, match_id: str, seat: Seat, text: str, revision: int | None = None,
        request: RequestKey | None = None, validate_only: bool = False,
    ) -> Acted:  # fmt: skip
        """A seat acts. What is acknowledged is committed; with a `request` it is done once, however often it comes.

        Forbidden `NO_ACCESS`, `NOT_SEATED`; RequestReused; WrongState `MATCH_NOT_STARTED`, `SEAT_LEFT`; StaleRevision;
        and the refusals of the rules.
        """

        def make(live: Live | None) -> Change:
            return _acted(access.actor(live, caller, seat), caller, seat, text, revision, request)

        if validate_only:
            live = access.actor(await self._live.load(match_id, fresh=True), caller, seat)
            _acted(live, caller, seat, text, revision, None)
            return Acted(live.match.revision, None)
        try:
            done = await self._live.change(match_id, make)
        except RequestSeen as seen:
            return await self._again(seen.entry, request, seat)
        except ChautariError as refusal:
            if request is not None and refusal.reason not in ("NO_ACCESS", "NOT_SEATED"):
                entry = await self._store.find_request(caller.account, request, match_id)
                if entry is not None:
                    return await self._again(entry, request, seat)
            raise
        return Acted(done.entry.revision, self._watching.step_of(done, seat))

    async def view(self, caller: Caller, match_id: str, seat: Seat | None, ticket: str = "") -> TableView:
        """The table as a seat of the caller's, or a spectator (None), sees it now: whoever only watches maybe late."""
        live = access.visible(await self._live.load(match_id, fresh=True), caller, ticket)
        if seat is not None:
            access.check_seat(live.match, caller, seat)
        seen = await self._spectating.seen(live, caller)
        position = seen.position
        return TableView(
            match=seen.match,
            seat=seat,
            view=seen.view(seat),
            options=[] if position is None or seat is None or seat in position.left else engine.options(position, seat),
            online=self._watching.online(live.match, caller),
            now=self._store.clock(),
            epoch=self._store.epoch,
            clocks=shown(seen.match, self._store.outages),
        )

    async def joined(self, caller: Caller, match: Match, seat: Seat | None) -> TableView:
        """The table as whoever has sat down on this seat sees it; a repeated call that has lost the seat meanwhile is
        given it as it was then, when the match had not started. match: what sitting down led to."""
        try:
            return await self.view(caller, match.id, seat)
        except Forbidden:
            return TableView(
                match=match, seat=seat, view=None, options=[], online=frozenset(), now=self._store.clock(),
                epoch=self._store.epoch,
            )  # fmt: skip

    async def _again(self, entry: Entry, request: RequestKey | None, seat: Seat) -> Acted:
        """The answer to a repeated request, cut again from its entry."""
        if request is None or not request_matches(entry, request):
            raise RequestReused
        return Acted(entry.revision, await self._watching.step_again(entry, seat), True)


def _acted(
    live: Live, caller: Caller, seat: Seat, text: str, revision: int | None, request: RequestKey | None
) -> Change:
    match, position = live.match, live.position
    if match.state is MatchState.SEATING or (position is None and not match.is_over):
        raise WrongState("MATCH_NOT_STARTED", "the match has not started")
    if revision is not None and revision != match.revision:
        raise StaleRevision(match.revision)
    if position is None:
        raise WrongState("MATCH_OVER", "the match has ended")
    if seat in position.left and not match.is_over:
        raise WrongState("SEAT_LEFT", f"seat {seat} has left the match", seat=seat)
    assert live.fair is not None
    fair: FairStream = live.fair.resumed(match.shuffles)
    step = engine.act(position, seat, text, fair)
    said = step.events[0]
    return Change(
        match=match, position=step.position, fair=fair, events=step.events, cause=Cause.SEAT, seat=seat,  # type: ignore[arg-type]
        account_id=caller.account, action=said.text if isinstance(said, Said) else text, request=request,
    )  # fmt: skip
