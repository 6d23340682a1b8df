"""The packed form of a journal: how a request is known again in it."""

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
