"""The record of a match: all it takes to replay it, cut for its reader until everything is disclosed.

A record shows the match as it was when its first page was made, also where the match goes on between two pages: later
pages end where the first one said, and are cut alike. So a record is of one moment, however it is fetched.
"""

from collections.abc import AsyncGenerator
from typing import Final

import msgspec

from chautari.app import access
from chautari.app import events as journal
from chautari.app.caller import Caller
from chautari.app.events import AnyEvent
from chautari.app.live import LiveMatches
from chautari.app.pages import PageTokens, page_size
from chautari.app.ports import Store
from chautari.app.spectating import Spectating
from chautari.app.updates import End, EndCause
from chautari.app.values import Cause, Disclosure, Entry, Match, Micros
from chautari.cards import text as cards_text
from chautari.engine import Said, Seat, Shuffled
from chautari.errors import Malformed

_DEFAULT_PAGE: Final = 200
_LARGEST_PAGE: Final = 1000
_LARGEST_BYTES: Final = 256 * 1024
"""Of the events of a page as the journal keeps them; as messages they are some three times as long, and a client takes
4 MiB unless told otherwise."""


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
    """A page of a record.

    seat      whose record it is; None for a spectator's, and where it is complete
    revision  that of the last entry of the whole record
    first     whether it is the first page, which tells of the match as well
    complete  everything is disclosed, and nothing is left out
    """

    match: Match
    seat: Seat | None
    revision: int
    first: bool
    complete: bool
    entries: list[RecordItem]
    next_page_token: str = ""


class _Cursor(msgspec.Struct, array_like=True, frozen=True):
    """Where a page goes on: behind this revision and this many shuffles, in a record that ends at `until`."""

    revision: int
    shuffles: int
    until: int
    complete: bool


class Records:
    """The use cases of records. Whoever may see a match may read its record; a seat's own only who holds it."""

    def __init__(self, store: Store, live: LiveMatches, spectating: Spectating, tokens: PageTokens) -> None:
        self._store = store
        self._live = live
        self._spectating = spectating
        self._tokens = tokens

    async def page(
        self, caller: Caller, match_id: str, seat: Seat | None, size: int, page_token: str, ticket: str = ""
    ) -> RecordPage:
        """A page of the record, of at most `size` entries; a page of long entries has fewer.

        Forbidden `NO_ACCESS`, `NOT_SEATED`; Malformed `PAGE_TOKEN_INVALID`.
        """
        match = await self._match(caller, match_id, seat, ticket)
        question = ("match record", match_id, seat)
        read = self._tokens.read(page_token, question)
        cursor = msgspec.convert(read, _Cursor) if read else _start(match)
        if cursor.until > match.revision:  # it was given to somebody who sees more of the match
            raise Malformed("PAGE_TOKEN_INVALID", "this page token is not yours: start again without one", "page_token")
        limit = page_size(size, default=_DEFAULT_PAGE, largest=_LARGEST_PAGE)
        page, cursor = await self._read(match, seat, cursor, limit)
        if cursor.revision == cursor.until:
            return page
        token = self._tokens.make(question, msgspec.to_builtins(cursor))
        return msgspec.structs.replace(page, next_page_token=token)

    async def download(
        self, caller: Caller, match_id: str, seat: Seat | None, ticket: str = ""
    ) -> AsyncGenerator[RecordPage | End, None]:
        """The whole record page by page, and `End` last. Raises, before the first page, as `page` does."""
        match = await self._match(caller, match_id, seat, ticket)
        cursor = _start(match)
        while True:
            page, cursor = await self._read(match, seat, cursor, _DEFAULT_PAGE)
            yield page
            if cursor.revision == cursor.until:
                break
        yield End(match_id, cursor.until, EndCause.ALL_SENT, resume=False)

    async def _match(self, caller: Caller, match_id: str, seat: Seat | None, ticket: str) -> Match:
        live = access.visible(await self._live.load(match_id, fresh=True), caller, ticket)
        if seat is not None:
            access.check_seat(live.match, caller, seat)
        return (await self._spectating.seen(live, caller)).match

    async def _read(self, match: Match, seat: Seat | None, cursor: _Cursor, limit: int) -> tuple[RecordPage, _Cursor]:
        entries = await self._store.entries(match.id, cursor.revision, min(limit, cursor.until - cursor.revision))
        reader = None if cursor.complete else seat
        shuffles, size = cursor.shuffles, 0
        items: list[RecordItem] = []
        for entry in entries:
            size += len(entry.events)
            if items and size > _LARGEST_BYTES:
                break
            events = journal.of(entry)
            items.append(whole_item(entry, events, shuffles) if cursor.complete else cut_item(entry, events, seat))
            shuffles += sum(isinstance(event, Shuffled) for event in events)
        page = RecordPage(match, reader, cursor.until, cursor.revision == 0, cursor.complete, items)
        last = items[-1].revision if items else cursor.until
        return page, _Cursor(last, shuffles, cursor.until, cursor.complete)


def _start(match: Match) -> _Cursor:
    complete = match.is_over and match.disclosure is Disclosure.FULL
    return _Cursor(0, 0, match.revision, complete)


def whole_item(entry: Entry, events: list[AnyEvent], shuffles: int) -> RecordItem:
    """An entry with nothing left out. shuffles: how many there were before it."""
    outcomes = [cards_text(event.cards) for event in events if isinstance(event, Shuffled)]
    return _item(entry, entry.action, list(enumerate(outcomes, shuffles)), events)


def cut_item(entry: Entry, events: list[AnyEvent], seat: Seat | None) -> RecordItem:
    """An entry as a seat, or an onlooker, may know it."""
    events = journal.redact(events, seat)
    action = next((event.text for event in events if isinstance(event, Said)), "")
    return _item(entry, action, [], events)


def _item(entry: Entry, action: str, shuffles: list[tuple[int, str]], events: list[AnyEvent]) -> RecordItem:
    # Which operator it was is in the operators' log alone.
    account_id = None if entry.cause is Cause.OPERATOR else entry.account_id
    return RecordItem(
        entry.revision, entry.at, entry.cause, entry.seat, account_id, action, shuffles, events
    )  # fmt: skip
