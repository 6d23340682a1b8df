"""The packed form of a finished match's journal: one blob, column by column, compressed.

Its first byte is the version of the form. A column holds one thing of every entry, so that like stands beside like.
Of a request only enough is kept to know it again: its id folded to 8 bytes, and 4 of its digest, nearly all that does
not compress. So an unpacked entry has no request, and `find` takes the one that is looked for.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final
from zlib import crc32

import msgspec
import zstandard

from chautari.app import events
from chautari.app.account_values import Renaming
from chautari.app.newer import newer
from chautari.app.values import Cause, Entry, RequestKey

FORM: Final = 1
_LEVEL: Final = 12
"""Level 19 takes seven times as long for 4 % less."""
_ID_BYTES: Final = 8
_MARK_BYTES: Final = 12


class _Columns(msgspec.Struct, array_like=True):
    """The entries by column.

    revisions, times: the first, then differences. accounts: those that occur. callers: for each entry a position in
    accounts, counted from 1, or 0 where the service acted by itself. marks: 12 bytes for each entry, zeros where it
    came without a request.
    """

    revisions: list[int]
    times: list[int]
    causes: list[Cause]
    seats: list[int | None]
    accounts: list[str]
    callers: list[int]
    actions: list[str]
    events: list[bytes]
    marks: bytes


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Columns).decode
_NO_MARK: Final = bytes(_MARK_BYTES)


def pack(entries: Sequence[Entry]) -> bytes:
    """Packs the entries of one match."""
    accounts = list(dict.fromkeys(entry.account_id for entry in entries if entry.account_id is not None))
    numbers: dict[str | None, int] = {None: 0, **{account: number for number, account in enumerate(accounts, 1)}}
    columns = _Columns(
        revisions=_differences([entry.revision for entry in entries]),
        times=_differences([entry.at for entry in entries]),
        causes=[entry.cause for entry in entries],
        seats=[entry.seat for entry in entries],
        accounts=accounts,
        callers=[numbers[entry.account_id] for entry in entries],
        actions=[entry.action for entry in entries],
        events=[entry.events for entry in entries],
        marks=b"".join([_mark(entry.request) for entry in entries]),
    )
    return _close(columns)


def _close(columns: _Columns) -> bytes:
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    return bytes((FORM,)) + compressor.compress(_encode(columns))


def unpack(match_id: str, blob: bytes) -> list[Entry]:
    """The entries of a packed match, without their requests.

    Unavailable `MATCH_NEWER` where a newer release has packed it, or a cause is not known here.
    """
    columns = _open(match_id, blob)
    accounts: list[str | None] = [None, *columns.accounts]
    return [
        Entry(
            match_id=match_id, revision=revision, at=at, cause=cause, seat=seat, account_id=accounts[caller],
            action=action, events=events,
        )
        for revision, at, cause, seat, caller, action, events in zip(
            _sums(columns.revisions), _sums(columns.times), columns.causes, columns.seats, columns.callers,
            columns.actions, columns.events, strict=True,
        )
    ]  # fmt: skip


class Unpacked:
    """The journals that were unpacked last, so that the pages of a record do not unpack it again each time.

    They are known by the blob itself, so that nothing has to be dropped where one changes. Threads may share it.
    most_bytes: of the events in all of them; one alone may be larger.
    """

    def __init__(self, most_bytes: int = 8 * 1024 * 1024) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[tuple[str, int, int], tuple[int, list[Entry]]] = OrderedDict()
        self._lock = threading.Lock()

    def entries(self, match_id: str, blob: bytes) -> list[Entry]:
        """What `unpack` gives; the list is shared, and not to be changed."""
        key = (match_id, len(blob), crc32(blob))
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known[1]
        found = unpack(match_id, blob)
        size = sum(len(entry.events) for entry in found)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = size, found
                self._bytes += size
            while self._bytes > self._most_bytes and len(self._kept) > 1:
                self._bytes -= self._kept.popitem(last=False)[1][0]
        return found


def rename(match_id: str, blob: bytes, renaming: Renaming) -> bytes:
    """The packed form with another account or name in what it says of seats; the same where nothing is renamed."""
    columns = _open(match_id, blob)
    renamed = [events.renamed(match_id, each, renaming) for each in columns.events]
    accounts = [renaming.successor if one == renaming.account_id else one for one in columns.accounts]
    if renamed == columns.events and accounts == columns.accounts:
        return blob
    columns.events, columns.accounts = renamed, accounts
    return _close(columns)


def find(match_id: str, blob: bytes, account_id: str, request: RequestKey) -> Entry | None:
    """The entry that a request of this account made. Its digest is the one that is asked for where that made it."""
    columns = _open(match_id, blob)
    if account_id not in columns.accounts:
        return None
    caller = columns.accounts.index(account_id) + 1
    wanted = _mark(request)
    for number, number_of_caller in enumerate(columns.callers):
        mark = columns.marks[number * _MARK_BYTES : (number + 1) * _MARK_BYTES]
        if number_of_caller == caller and mark[:_ID_BYTES] == wanted[:_ID_BYTES] and mark != _NO_MARK:
            digest = request.digest if mark == wanted else mark[_ID_BYTES:]
            entry = unpack(match_id, blob)[number]
            return msgspec.structs.replace(entry, request=RequestKey(request.id, digest))
    return None


def _open(match_id: str, blob: bytes) -> _Columns:
    if blob[0] > FORM:
        raise newer(match_id)
    if blob[0] != FORM:
        raise ValueError(f"the journal of match {match_id} is packed in form {blob[0]}, this version reads {FORM}")
    try:
        return _decode(zstandard.ZstdDecompressor().decompress(blob[1:]))
    except msgspec.ValidationError as error:
        raise newer(match_id) from error


def _mark(request: RequestKey | None) -> bytes:
    if request is None:
        return _NO_MARK
    # Folded, since ids that count on from one another differ in their last bytes only.
    folded = bytes(one ^ other for one, other in zip(request.id[:_ID_BYTES], request.id[_ID_BYTES:], strict=True))
    return folded + request.digest[: _MARK_BYTES - _ID_BYTES]


def _differences(numbers: list[int]) -> list[int]:
    return [number - before for before, number in zip([0, *numbers], numbers, strict=False)]


def _sums(differences: list[int]) -> list[int]:
    total = 0
    return [total := total + difference for difference in differences]
