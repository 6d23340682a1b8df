"""The packed form of a finished match's journal: one blob, column by column, compressed.

First byte: the version of the form. A column holds one thing of every entry, so that like stands beside like.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import zstandard

from chautari.app.values import Cause, Entry, RequestKey

_VERSION: Final = 1
_LEVEL: Final = 19


class _Columns(msgspec.Struct, array_like=True):
    """The entries by column. revisions and times: the first, then differences; accounts: those that occur.

    callers: per entry an index into accounts, one more than it; 0 where the service acted by itself.
    """

    revisions: list[int]
    times: list[int]
    causes: list[Cause]
    seats: list[int | None]
    accounts: list[str]
    callers: list[int]
    actions: list[str]
    events: list[bytes]
    requests: list[RequestKey | None]


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Columns).decode


def pack(entries: Sequence[Entry]) -> bytes:
    """Packs the entries of one match."""
    accounts = list(dict.fromkeys(entry.account_id for entry in entries if entry.account_id is not None))
    numbers: dict[str | None, int] = {None: 0, **{account: index for index, account in enumerate(accounts, 1)}}
    columns = _Columns(
        revisions=_differences([entry.revision for entry in entries]),
        times=_differences([entry.at for entry in entries]),
        causes=[entry.cause for entry in entries],
        seats=[entry.seat for entry in entries],
        accounts=accounts,
        callers=[numbers[entry.account_id] for entry in entries],
        actions=[entry.action for entry in entries],
        events=[entry.events for entry in entries],
        requests=[entry.request for entry in entries],
    )
    return bytes((_VERSION,)) + zstandard.ZstdCompressor(level=_LEVEL).compress(_encode(columns))


def unpack(match_id: str, blob: bytes) -> list[Entry]:
    """The entries of a packed match; ValueError where this version does not know the form."""
    if blob[0] != _VERSION:
        raise ValueError(f"the journal of {match_id} is packed in form {blob[0]}, this version reads {_VERSION}")
    columns = _decode(zstandard.ZstdDecompressor().decompress(blob[1:]))
    accounts: list[str | None] = [None, *columns.accounts]
    return [
        Entry(
            match_id=match_id, revision=revision, at=at, cause=cause, seat=seat, account_id=accounts[caller],
            action=action, events=events, request=request,
        )
        for revision, at, cause, seat, caller, action, events, request in zip(
            _sums(columns.revisions), _sums(columns.times), columns.causes, columns.seats, columns.callers,
            columns.actions, columns.events, columns.requests, strict=True,
        )
    ]  # fmt: skip


def _differences(numbers: list[int]) -> list[int]:
    return [number - before for before, number in zip([0, *numbers], numbers, strict=False)]


def _sums(differences: list[int]) -> list[int]:
    total = 0
    return [total := total + difference for difference in differences]
