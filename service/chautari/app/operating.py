"""What operators do: find, look, end, ban. Each use goes into the audit log, a refused one too.

What changes something is noted in the transaction that changes it, what reveals something before it is revealed.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import msgspec

from chautari import engine
from chautari.app import events as journal
from chautari.app.audit import AuditCheck, AuditEntry, AuditQuestion, Note
from chautari.app.bans import Ban, moment
from chautari.app.decisions import Decisions
from chautari.app.live import Change, Live, LiveMatches
from chautari.app.noting import Noting, Operator, said_reason, said_text
from chautari.app.pages import PageTokens, page_size
from chautari.app.ports import Store
from chautari.app.records import RecordItem, cut_item, whole_item
from chautari.app.scopes import Scope, check_scope, write_scopes
from chautari.app.searches import AccountQuestion, AccountRow, MatchQuestion
from chautari.app.stopping import Ending, stop_change
from chautari.app.values import SECOND, Match, Micros, RequestKey
from chautari.errors import Malformed, NotFound, WrongState

T = TypeVar("T")

LONGEST_NOTE: Final = 200
RECENT: Final = 20
_LAST_MOMENT: Final[Micros] = 253_402_300_799 * SECOND
"""The end of the year 9999."""


class MatchFile(msgspec.Struct, frozen=True, kw_only=True):
    """A match as an operator sees it. view: an onlooker's, None before the start; recent: its latest entries.

    position: all that is there; None where it is not revealed.
    """

    match: Match
    view: engine.View | None
    recent: list[RecordItem]
    position: engine.Position[Any] | None
    now: Micros
    outages: Micros


class Operating:
    """The use cases of operators."""

    def __init__(
        self, store: Store, live: LiveMatches, decisions: Decisions, tokens: PageTokens, noting: Noting
    ) -> None:  # fmt: skip
        self._store = store
        self._live = live
        self._decisions = decisions
        self._tokens = tokens
        self.noting: Final = noting

    # ── Find and look ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def find_accounts(
        self, who: Operator, question: AccountQuestion, size: int = 0, page_token: str = ""
    ) -> tuple[list[AccountRow], str]:
        """Accounts by name, and the token of the next page; Malformed `PAGE_TOKEN_INVALID`."""

        async def work(note: Note) -> tuple[list[AccountRow], str]:
            asked = ("accounts", *msgspec.structs.astuple(question))
            cursor = self._tokens.read(page_token, asked)
            limit = page_size(size)
            after = (cursor[0], cursor[1]) if cursor else None
            found = await self._store.search_accounts(question, after, limit + 1)
            await self.noting.add(note)
            return self._tokens.cut(
                found, limit, asked, lambda row: (row.account.display_name.casefold(), row.account.id)
            )  # fmt: skip

        target = f"accounts/{question.account_id}" if question.account_id else ""
        return await self.noting.looked(who, "FindAccounts", target, work, detail=_asked(question))

    async def find_matches(
        self, who: Operator, question: MatchQuestion, size: int = 0, page_token: str = ""
    ) -> tuple[list[Match], str]:
        """Matches, the latest created first, and the token of the next page; Malformed `PAGE_TOKEN_INVALID`."""

        async def work(note: Note) -> tuple[list[Match], str]:
            asked = ("all matches", *msgspec.structs.astuple(question))
            cursor = self._tokens.read(page_token, asked)
            limit = page_size(size)
            before = (cursor[0], cursor[1]) if cursor else None
            found = await self._store.search_matches(question, before, limit + 1)
            await self.noting.add(note)
            return self._tokens.cut(found, limit, asked, lambda match: (match.created_at, match.id))

        target = f"matches/{question.match_id}" if question.match_id else ""
        return await self.noting.looked(who, "FindMatches", target, work, detail=_asked(question))

    async def inspect(self, who: Operator, match_id: str, *, reveal: bool = False, reason: str = "") -> MatchFile:
        """A match as an onlooker sees it, and with `reveal` every card; that needs the scope `reveal` and a reason.

        NotFound `MATCH_UNKNOWN`; Forbidden `SCOPE_MISSING`; Malformed `REASON_MISSING`.
        """

        async def look(note: Note) -> MatchFile:
            live = await self._load(match_id)
            first = max(0, live.match.revision - RECENT)
            shuffles = await self._shuffles(match_id, first) if reveal and first else 0
            recent: list[RecordItem] = []
            for entry in await self._store.entries(match_id, first, RECENT):
                events = journal.of(entry)
                recent.append(whole_item(entry, events, shuffles) if reveal else cut_item(entry, events, None))
                shuffles += len(recent[-1].shuffles)
            await self.noting.add(note)
            return MatchFile(
                match=live.match,
                view=None if live.position is None else engine.view(live.position, None),
                recent=recent,
                position=live.position if reveal else None,
                now=self._store.clock(),
                outages=self._store.outages,
            )

        async def work(note: Note) -> MatchFile:
            if not reveal:
                return await look(note)
            check_scope(who.scopes, Scope.REVEAL)
            return await look(msgspec.structs.replace(note, reason=said_reason(reason)))

        detail = {"reveal": "true"} if reveal else {}
        return await self.noting.looked(
            who, "InspectMatch", f"matches/{match_id}", work, reason=reason, detail=detail
        )  # fmt: skip

    async def _shuffles(self, match_id: str, before: int) -> int:
        """How many shuffles there were up to a revision."""
        entries = await self._store.entries(match_id, 0, before)
        return sum(isinstance(event, engine.Shuffled) for entry in entries for event in journal.of(entry))

    # ── End and ban ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def end_match(
        self, who: Operator, match_id: str, ending: Ending, *, reason: str, note: str = "",
        request: RequestKey | None = None,
    ) -> Match:  # fmt: skip
        """Ends a match, also one whose state cannot be read any more; those who see it are told so, with the note.

        NotFound `MATCH_UNKNOWN`; WrongState `MATCH_OVER`, `MATCH_NOT_STARTED`; Malformed `REASON_MISSING`.
        """

        async def work(noted: Note) -> Match:
            told = said_text(note, "note", LONGEST_NOTE)

            def make(live: Live | None) -> Change:
                if live is None:
                    raise _unknown_match()
                return stop_change(live, ending, told, noted, self._store.clock())

            match = (await self._live.change(match_id, make, blind=True)).live.match
            await self.noting.tell_latest(noted)
            return match

        async def again(_: AuditEntry) -> Match:
            return (await self._load(match_id)).match

        return await self.noting.changed(
            who, "EndMatch", f"matches/{match_id}", work, again=again, reason=reason, request=request,
            detail={"ending": ending.value, **({"note": note} if note else {})},
        )  # fmt: skip

    async def ban(
        self, who: Operator, account_id: str, until: Micros | None, *, reason: str, request: RequestKey | None = None
    ) -> Ban:
        """Bans an account, for good where `until` is None, in place of a ban that it has.

        NotFound `ACCOUNT_UNKNOWN`; WrongState `OWN_ACCOUNT`; Malformed `REASON_MISSING`, `REQUEST_INVALID`.
        """

        async def work(note: Note) -> Ban:
            now = self._store.clock()
            if account_id == who.account_id:
                raise WrongState("OWN_ACCOUNT", "this is the account of your own key: nobody bans themselves")
            if until is not None and not now < until <= _LAST_MOMENT:
                raise Malformed("REQUEST_INVALID", "end_time: a ban must end later than now", field="end_time")
            account = await self._store.find_account(account_id)
            if account is None or account.is_closed:
                raise _unknown_account()
            ban = Ban(account_id, now, until, note.reason)
            entry = await self._store.ban(ban, note)
            self.noting.tell(entry)
            await self._decisions.look()
            self._decisions.hurry()
            return msgspec.structs.replace(ban, at=entry.at)

        async def again(seen: AuditEntry) -> Ban:
            return Ban(account_id, seen.at, until, seen.note.reason)

        return await self.noting.changed(
            who, "BanAccount", f"accounts/{account_id}", work, again=again, reason=reason, request=request,
            detail={"until": "never" if until is None else moment(min(max(until, 0), _LAST_MOMENT))},
        )  # fmt: skip

    async def lift_ban(
        self, who: Operator, account_id: str, *, reason: str, request: RequestKey | None = None
    ) -> None:  # fmt: skip
        """Lifts a ban; NotFound `ACCOUNT_UNKNOWN`, WrongState `NOT_BANNED`, Malformed `REASON_MISSING`."""

        async def work(note: Note) -> None:
            entry = await self._store.lift_ban(account_id, note)
            if entry is None:
                if await self._store.find_account(account_id) is None:
                    raise _unknown_account()
                raise WrongState("NOT_BANNED", "this account is not banned")
            self.noting.tell(entry)
            await self._decisions.look()

        async def again(_: AuditEntry) -> None:
            pass

        await self.noting.changed(
            who, "LiftBan", f"accounts/{account_id}", work, again=again, reason=reason, request=request
        )  # fmt: skip

    # ── The log ───────────────────────────────────────────────────────────────────────────────────────────────────────

    async def make_key(
        self, who: Operator, scopes: frozenset[Scope], title: str, make: Callable[[], Awaitable[T]]
    ) -> T:  # fmt: skip
        """Makes an API key with which somebody may operate, and notes it; `make` makes it, or refuses to."""

        async def work(note: Note) -> T:
            made = await make()
            await self.noting.add(note)
            return made

        detail = {"scopes": write_scopes(scopes), "title": title}
        return await self.noting.looked(who, "CreateApiKey", f"accounts/{who.account_id}", work, detail=detail)

    async def audit(
        self, who: Operator, question: AuditQuestion, size: int = 0, page_token: str = ""
    ) -> tuple[list[AuditEntry], str]:
        """Entries of the log, the latest first, and the token of the next page; Malformed `PAGE_TOKEN_INVALID`."""

        async def work(note: Note) -> tuple[list[AuditEntry], str]:
            asked = ("audit", *msgspec.structs.astuple(question))
            before = self._tokens.read(page_token, asked)
            limit = page_size(size)
            found = await self._store.notes(question, before, limit + 1)
            await self.noting.add(note)
            return self._tokens.cut(found, limit, asked, lambda entry: entry.number)

        return await self.noting.looked(who, "ListAudit", "", work, detail=_asked(question))

    async def check_audit(self, who: Operator) -> AuditCheck:
        """Checks the seals of the whole log."""

        async def work(note: Note) -> AuditCheck:
            checked = await self._store.check_notes()
            await self.noting.add(
                msgspec.structs.replace(note, detail={"entries": str(checked.entries), "broken": str(checked.broken)})
            )
            return checked

        return await self.noting.looked(who, "CheckAudit", "", work)

    async def _load(self, match_id: str) -> Live:
        live = await self._live.load(match_id, fresh=True)
        if live is None:
            raise _unknown_match()
        return live


def _asked(question: msgspec.Struct) -> dict[str, str]:
    """What a question asks for, as the log keeps it."""
    return {name: str(value) for name, value in msgspec.structs.asdict(question).items() if value}


def _unknown_match() -> NotFound:
    return NotFound("MATCH_UNKNOWN", "there is no such match")


def _unknown_account() -> NotFound:
    return NotFound("ACCOUNT_UNKNOWN", "there is no such account")
