"""The use cases of play: act, look at the table, read the record."""

from typing import Any

import msgspec

from chautari import engine
from chautari.app import access
from chautari.app import events as journal
from chautari.app.caller import Caller
from chautari.app.events import AnyEvent
from chautari.app.live import Change, Live, LiveMatches
from chautari.app.pages import PageTokens, page_size
from chautari.app.ports import RequestSeen, Store, request_matches
from chautari.app.updates import Step
from chautari.app.values import Cause, Disclosure, Entry, Match, MatchState, Micros, RequestKey
from chautari.app.watching import Watching
from chautari.cards import text as cards_text
from chautari.engine import FairStream, Said, Seat, Shuffled
from chautari.errors import ChautariError, RequestReused, StaleRevision, WrongState


class Acted(msgspec.Struct, frozen=True):
    """What an action brought about. step: None where it was only judged; replayed: an earlier call had done it."""

    revision: int
    step: Step | None
    replayed: bool = False


class TableView(msgspec.Struct, frozen=True):
    """The table as one seat, or a spectator, sees it. view: None before the start."""

    match: Match
    seat: Seat | None
    view: engine.View | None
    options: list[engine.Option]
    online: frozenset[str]
    now: Micros


class RecordItem(msgspec.Struct, frozen=True):
    """One entry of a record, cut for its reader. shuffles: number and outcome, empty until all is disclosed."""

    revision: int
    at: Micros
    cause: Cause
    seat: Seat | None
    account_id: str | None
    action: str
    shuffles: list[tuple[int, str]]
    events: list[AnyEvent]


class RecordPage(msgspec.Struct, frozen=True):
    """A page of a record. complete: everything is disclosed, and nothing is left out."""

    match: Match
    entries: list[RecordItem]
    next_page_token: str
    complete: bool


class Playing:
    """The use cases of play."""

    def __init__(self, store: Store, live: LiveMatches, watching: Watching, tokens: PageTokens) -> None:
        self._store = store
        self._live = live
        self._watching = watching
        self._tokens = tokens

    async def act(
        self, caller: Caller, match_id: str, seat: Seat, text: str, revision: int | None = None,
        request: RequestKey | None = None, validate_only: bool = False,
    ) -> Acted:  # fmt: skip
        """A seat acts. What is acknowledged is committed; with a `request` it is done once, however often it comes.

        Forbidden `NO_ACCESS`, `NOT_SEATED`; RequestReused; WrongState `MATCH_NOT_STARTED`, `SEAT_LEFT`; StaleRevision;
        and the refusals of the rules.
        """

        def make(live: Live | None) -> Change:
            live = access.visible(live, caller)
            access.check_seat(live.match, caller, seat)
            return _acted(live, caller, seat, text, revision, request)

        if validate_only:
            live = access.visible(await self._live.load(match_id, fresh=True), caller)
            access.check_seat(live.match, caller, seat)
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

    async def view(self, caller: Caller, match_id: str, seat: Seat | None) -> TableView:
        """The table as a seat of the caller's, or a spectator (None), sees it now."""
        live = access.visible(await self._live.load(match_id, fresh=True), caller)
        if seat is not None:
            access.check_seat(live.match, caller, seat)
        position = live.position
        return TableView(
            match=live.match,
            seat=seat,
            view=None if position is None else engine.view(position, seat),
            options=[] if position is None or seat is None or seat in position.left else engine.options(position, seat),
            online=self._watching.online(match_id),
            now=self._store.clock(),
        )

    async def record(self, caller: Caller, match_id: str, seat: Seat | None, size: int, page_token: str) -> RecordPage:
        """The record of a match as far as the reader may know it: all of it once it is over and disclosed."""
        live = access.visible(await self._live.load(match_id, fresh=True), caller)
        match = live.match
        if seat is not None:
            access.check_seat(match, caller, seat)
        question = ("record", match_id, seat)
        after = self._tokens.read(page_token, question) or (0, 0)
        revision, shuffles = int(after[0]), int(after[1])
        limit = page_size(size, default=200, largest=1000)
        entries = await self._store.entries(match_id, revision, limit + 1)
        complete = match.is_over and match.disclosure is Disclosure.FULL
        items = []
        for entry in entries[:limit]:
            item = _item(entry, seat, complete, shuffles)
            shuffles += sum(isinstance(event, Shuffled) for event in journal.decode(entry.events))
            items.append(item)
        more = len(entries) > limit
        token = self._tokens.make(question, (items[-1].revision, shuffles)) if more else ""
        return RecordPage(match, items, token, complete)

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


def _item(entry: Entry, seat: Seat | None, complete: bool, shuffles: int) -> RecordItem:
    events = journal.decode(entry.events)
    action = entry.action
    shown: list[tuple[int, str]] = []
    if complete:
        outcomes: list[Any] = [event for event in events if isinstance(event, Shuffled)]
        shown = [(shuffles + number, cards_text(outcome.cards)) for number, outcome in enumerate(outcomes)]
    else:
        events = journal.redact(events, seat)
        action = next((event.text for event in events if isinstance(event, Said)), "")
    return RecordItem(entry.revision, entry.at, entry.cause, entry.seat, entry.account_id, action, shown, events)
