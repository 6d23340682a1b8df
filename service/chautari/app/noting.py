"""How each use of an operator's method comes into the audit log, refused ones and repeats too."""

import time
import unicodedata
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeVar

import msgspec
import structlog

from chautari.app.audit import DONE, REPEATED, AuditEntry, AuditQuestion, Note, NoteSeen
from chautari.app.caller import Caller
from chautari.app.operate_ports import OperateStore
from chautari.app.scopes import Scope
from chautari.app.signs import JOINERS
from chautari.app.values import RequestKey
from chautari.errors import ChautariError, Exhausted, Malformed, RequestReused, Unavailable

T = TypeVar("T")

LONGEST_REASON: Final = 500
_LONGEST_DETAIL: Final = 200
_DOOR_SECONDS: Final = 3600
_DOOR_ENTRIES: Final = 200
"""So many attempts of accounts that are no operators are noted in an hour, and one for each account and method."""

_log: Final = structlog.get_logger("chautari.operate")


class Operator(msgspec.Struct, frozen=True, kw_only=True):
    """Who runs the service. account_id, key_id: None and empty for somebody at the console, who has every scope."""

    account_id: str | None
    key_id: str = ""
    origin: str = ""
    scopes: frozenset[Scope] = frozenset(Scope)

    @classmethod
    def of(cls, caller: Caller) -> "Operator":
        """The operator who calls."""
        return cls(account_id=caller.account, key_id=caller.key_id, origin=caller.address, scopes=caller.scopes)


class Noting:
    """Adds to the audit log."""

    def __init__(self, store: OperateStore, *, logs: bool = True) -> None:
        """logs: whether entries go into the log of the process too."""
        self._store = store
        self._logs = logs
        self._door: dict[tuple[str, str], float] = {}

    async def add(self, note: Note) -> None:
        """Adds an entry for what is only looked at."""
        self.tell(await self._store.note(note))

    def tell(self, entry: AuditEntry) -> None:
        """An entry has been added: it goes into the log of the process too, whose copies nobody can take back."""
        note = entry.note
        if self._logs:
            log = _log.info if note.outcome in (DONE, REPEATED) else _log.warning
            log(
                "operated", entry=entry.number, method=note.method, account=note.account_id, key=note.key_id,
                origin=note.origin, target=note.target, outcome=note.outcome, seal=entry.seal.hex(),
            )  # fmt: skip

    async def tell_latest(self, note: Note) -> None:
        """The same for an entry that was added together with something else."""
        [entry] = await self._store.notes(AuditQuestion(target=note.target, method=note.method), None, 1)
        self.tell(entry)

    async def looked(
        self, who: Operator, method: str, target: str, work: Callable[[Note], Awaitable[T]], *,
        reason: str = "", detail: Mapping[str, str] | None = None, request: RequestKey | None = None,
    ) -> T:  # fmt: skip
        """Does what is to be noted; `work` notes what it does, and this notes why it is refused."""
        note = Note(
            account_id=who.account_id, key_id=who.key_id, origin=who.origin, method=method, target=target,
            reason=reason[:LONGEST_REASON], request=request,
            detail={name: value[:_LONGEST_DETAIL] for name, value in (detail or {}).items()},
        )  # fmt: skip
        try:
            return await work(note)
        except (Unavailable, Exhausted):  # what cannot be noted now, for the same reason
            raise
        except ChautariError as error:
            await self.add(msgspec.structs.replace(note, outcome=error.reason, request=None))
            raise

    async def changed(
        self, who: Operator, method: str, target: str, work: Callable[[Note], Awaitable[T]], *,
        again: Callable[[AuditEntry], Awaitable[T]], reason: str, detail: Mapping[str, str] | None = None,
        request: RequestKey | None = None,
    ) -> T:  # fmt: skip
        """Does what changes something, which wants a reason, once for each request; `again` answers a repeat.

        Malformed `REASON_MISSING`; RequestReused.
        """
        if who.account_id is None:
            request = None

        async def once(note: Note) -> T:
            note = msgspec.structs.replace(note, reason=said_reason(reason))
            seen = await find()
            if seen is not None:
                return await repeat(seen, note)
            try:
                return await work(note)
            except NoteSeen as noted:  # its twin was faster
                return await repeat(noted.entry, note)
            except (Unavailable, Exhausted):
                raise
            except ChautariError:  # perhaps because its twin has done it: a match that has been ended is over
                seen = await find()
                if seen is None:
                    raise
                return await repeat(seen, note)

        async def find() -> AuditEntry | None:
            return None if request is None else await self._store.find_note(who.account_id or "", request)

        async def repeat(seen: AuditEntry, note: Note) -> T:
            assert request is not None
            assert seen.note.request is not None
            if seen.note.request.digest != request.digest:
                raise RequestReused
            await self.add(msgspec.structs.replace(note, outcome=REPEATED, request=None))
            return await again(seen)

        return await self.looked(who, method, target, once, reason=reason, detail=detail, request=request)

    async def refused(self, caller: Caller | None, method: str, outcome: str) -> None:
        """A call was refused before its method was reached: it lacked the scope, or could not be read.

        Who is no operator is noted once an hour for each method, so that nobody can fill the log.
        """
        if caller is None or caller.account_id is None:
            return
        if Scope.OPERATE not in caller.scopes:
            now = time.monotonic()
            self._door = {key: at for key, at in self._door.items() if at + _DOOR_SECONDS > now}
            if (caller.account_id, method) in self._door or len(self._door) >= _DOOR_ENTRIES:
                return
            self._door[caller.account_id, method] = now
        await self.add(
            Note(
                account_id=caller.account_id, key_id=caller.key_id, origin=caller.address, method=method,
                outcome=outcome,
            )
        )  # fmt: skip


def said_reason(reason: str) -> str:
    """Why something is done; Malformed `REASON_MISSING` where nothing is said."""
    said = said_text(reason, "reason", LONGEST_REASON)
    if not said:
        raise Malformed("REASON_MISSING", "say why, in a few words: the audit log keeps it", field="reason")
    return said


def said_text(text: str, field: str, longest: int) -> str:
    """A line of text, in NFC and with single blanks; Malformed `REQUEST_INVALID` where it is too long.

    Characters that cannot be seen become blanks, but for the joiners of Devanagari and emoji.
    """
    said = "".join(
        character if character in JOINERS or unicodedata.category(character)[0] not in "CZ" else " "
        for character in unicodedata.normalize("NFC", text)
    )
    said = " ".join(said.split())
    if len(said) > longest:
        raise Malformed("REQUEST_INVALID", f"the {field} may have {longest} characters", field=field)
    return said
