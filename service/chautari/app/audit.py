"""The audit log of what operators do: its entries, and the chain of seals by which a change of it shows.

Each entry is sealed together with the seal before it, by a key that is not in the database. So nobody who can write to
the database alone can change, leave out or put in an entry; the number and seal of the last one are kept apart, and are
in the log of the process, for entries cut off at the end.
"""

import hmac
from collections.abc import Iterable
from typing import Final

import msgspec

from chautari.app.values import Micros, RequestKey

DONE: Final = "OK"
REPEATED: Final = "REPEATED"
FIRST: Final = bytes(32)
"""What the first entry has in place of a seal before it."""


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """What an operator did, or tried, as it is noted.

    account_id  whose key was used; None where somebody at the console did it
    key_id      the key, empty where there was none
    origin      the address, or `console` and the user there
    target      such as `matches/ID`, empty where there is none
    outcome     DONE, REPEATED, or the reason of the refusal
    request     the `request_id` of what was done, by which a repeat is known
    """

    account_id: str | None
    key_id: str = ""
    origin: str = ""
    method: str
    target: str = ""
    reason: str = ""
    outcome: str = DONE
    detail: dict[str, str] = {}
    request: RequestKey | None = None


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the log. number: from 1 on without a gap; seal: of 32 bytes."""

    number: int
    at: Micros
    note: Note
    seal: bytes


class AuditQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Which entries to list; empty fields ask for nothing."""

    account_id: str = ""
    target: str = ""
    method: str = ""


class AuditCheck(msgspec.Struct, frozen=True):
    """What a check of the log found. broken: the number of the first entry that is changed or missing, 0 for none."""

    entries: int
    broken: int


class NoteSeen(Exception):
    """A note carries a `request_id` that this operator has used before: `entry` is what that request did."""

    def __init__(self, entry: AuditEntry) -> None:
        super().__init__(entry.number)
        self.entry = entry


def seal(key: bytes, before: bytes, number: int, at: Micros, note: Note) -> bytes:
    """The seal of an entry that follows the one with the seal `before`."""
    request = None if note.request is None else (note.request.id, note.request.digest)
    fields = (
        number, at, note.account_id, note.key_id, note.origin, note.method, note.target, note.reason, note.outcome,
        sorted(note.detail.items()), request,
    )  # fmt: skip
    return hmac.digest(key, b"chautari audit 1" + before + msgspec.msgpack.encode(fields), "sha256")


def check_chain(key: bytes, entries: Iterable[AuditEntry], last: tuple[int, bytes]) -> AuditCheck:
    """Checks entries in order from the first on against each other and against the last number and seal."""
    before, number = FIRST, 0
    for entry in entries:
        number += 1
        wanted = seal(key, before, number, entry.at, entry.note)
        if entry.number != number or not hmac.compare_digest(entry.seal, wanted):
            return AuditCheck(number, number)
        before = entry.seal
    return AuditCheck(number, 0 if (number, before) == last else number + 1)
