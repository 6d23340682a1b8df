"""The hidden call that does nothing: what it is asked for, and that it is not there for everybody."""

import pytest

from chautari.wire import nothing
from tests.wire.served import serving


@pytest.mark.parametrize(
    ("asked", "waited"), [(0.0, []), (0.0004, [0.0004]), (0.1, [0.1]), (1.0, [1.0]), (60.0, [1.0])]
)
def test_it_waits_as_long_as_a_slow_disk_may_take_and_no_longer(
    monkeypatch: pytest.MonkeyPatch, asked: float, waited: list[float]
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(nothing, "_wait", waits.append)
    assert nothing.answer(nothing.asking_for(9, asked, bytes(200))) == bytes(9)
    assert waits == pytest.approx(waited)


@pytest.mark.parametrize(("asked", "answered"), [(0, 0), (65_535, 65_535), (65_536, 65_535), (2**32 - 1, 65_535)])
def test_it_answers_with_no_more_than_so_many_bytes(asked: int, answered: int) -> None:
    assert nothing.answer(nothing.asking_for(asked, 0.0, b"")) == bytes(answered)


@pytest.mark.parametrize("request_bytes", [b"", b"\0", b"\0\0\0\0\0"])
def test_a_request_that_is_cut_off_asks_for_little(request_bytes: bytes) -> None:
    assert nothing.answer(request_bytes) == b""


async def test_over_http_it_is_there_only_where_it_is_asked_for() -> None:
    request = nothing.asking_for(600, 0.0, bytes(200))
    async with serving(http=True, measured=True) as served:
        found = await served.over_http("").ask("POST", nothing.PATH, request, content_type="application/proto")
        assert (found.status, found.body) == (200, bytes(600))
    async with serving(http=True) as served:
        refused = await served.over_http("").ask("POST", nothing.PATH, request, content_type="application/proto")
        assert (refused.status, refused.reason) == (501, "METHOD_UNKNOWN")
