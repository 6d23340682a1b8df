"""The packed form of a journal: how a request is known again in it."""

import msgspec
import pytest

from chautari.app.values import Cause, Entry, RequestKey
from chautari.store import packing


def entry(revision: int, request: RequestKey | None) -> Entry:
    """An entry of Sita's."""
    return Entry(match_id="m", revision=revision, cause=Cause.SEAT, account_id="sita", request=request)


def test_ids_that_count_on_from_one_another_are_told_apart() -> None:
    keys = [RequestKey(bytes(15) + bytes((number,)), bytes((number,)) * 32) for number in range(1, 4)]
    blob = packing.pack([entry(revision, key) for revision, key in enumerate(keys, 2)])
    for revision, key in enumerate(keys, 2):
        found = packing.find("m", blob, "sita", key)
        assert found is not None
        assert (found.revision, found.request) == (revision, key)
    assert packing.find("m", blob, "sita", RequestKey(bytes(15) + b"\x09", bytes(32))) is None


def test_an_entry_without_a_request_is_no_request_with_an_id_of_zeros() -> None:
    blob = packing.pack([entry(2, None)])
    assert packing.find("m", blob, "sita", RequestKey(bytes(16), b"\x01" * 32)) is None


def test_pages_of_a_packed_match_unpack_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    unpack = packing.unpack

    def counted(match_id: str, blob: bytes) -> list[Entry]:
        made.append(match_id)
        return unpack(match_id, blob)

    monkeypatch.setattr(packing, "unpack", counted)
    one, other = (packing.pack([entry(number, None) for number in range(2, last)]) for last in (50, 60))
    cache = packing.Unpacked()
    for blob, match_id, last in ((one, "a", 50), (other, "b", 60), (other, "a", 60)):
        for _ in range(3):
            assert [found.revision for found in cache.entries(match_id, blob)] == list(range(2, last))
    assert made == ["a", "b", "a"]


def test_only_what_was_unpacked_last_is_kept() -> None:
    large = [msgspec.structs.replace(entry(2, None), events=bytes(1000))]
    cache = packing.Unpacked(most_bytes=2500)
    kept = [cache.entries(name, packing.pack(large)) for name in "abc"]
    assert cache.entries("c", packing.pack(large)) is kept[2]
    assert cache.entries("b", packing.pack(large)) is kept[1]
    assert cache.entries("a", packing.pack(large)) is not kept[0]
    huge = [msgspec.structs.replace(entry(2, None), events=bytes(5000))]
    assert cache.entries("h", packing.pack(huge)) is cache.entries("h", packing.pack(huge))
