"""How often somebody may call: buckets by the clock, and over the wire."""

import pytest

from chautari.errors import Exhausted
from chautari.v1 import accounts_pb2, matches_pb2, play_pb2, server_pb2
from chautari.wire import limits
from chautari.wire.limits import Allowed, Buckets, Limits, Rate
from tests.waiting import until
from tests.wire.served import Code, serving


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(limits, "monotonic", clock)
    return clock


def test_bucket_empties_and_fills_by_itself(clock: Clock) -> None:
    buckets = Buckets(Rate(3, 6.0))
    for _ in range(3):
        buckets.take("a")
    with pytest.raises(Exhausted) as caught:
        buckets.take("a")
    assert caught.value.reason == "TOO_MANY_REQUESTS"
    assert caught.value.retry_after == pytest.approx(2.0)
    buckets.take("b")
    clock.now += 2.0
    buckets.take("a")
    with pytest.raises(Exhausted):
        buckets.take("a")
    clock.now += 1000
    for _ in range(3):
        buckets.take("a")
    with pytest.raises(Exhausted):
        buckets.take("a")


def test_token_that_is_given_back_counts_again(clock: Clock) -> None:
    buckets = Buckets(Rate(1, 60.0))
    buckets.take("a")
    buckets.give_back("a")
    buckets.give_back("a")
    buckets.take("a")
    with pytest.raises(Exhausted):
        buckets.take("a")


def test_no_burst_is_no_limit(clock: Clock) -> None:
    buckets = Buckets(Rate(0, 1.0))
    for _ in range(1000):
        buckets.take("a")


def test_full_buckets_are_forgotten(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_SWEEP_AT", 10)
    buckets = Buckets(Rate(2, 2.0))
    for number in range(10):
        buckets.take(str(number))
    clock.now += 1.5
    buckets.take("late")
    assert set(buckets._buckets) == {"late"}


def test_streams_are_counted_while_they_last() -> None:
    of = Limits(Allowed(streams=2))
    with of.stream("a"), of.stream("a"), of.stream("b"), pytest.raises(Exhausted) as caught, of.stream("a"):
        pass
    assert caught.value.values == {"limit": "2"}
    with of.stream("a"), of.stream("a"):
        pass
    assert not of._streams


async def test_new_guests_of_one_address(clock: Clock) -> None:
    async with serving(guests_per_hour=3) as served:
        caller = served.caller()
        for _ in range(3):
            await caller.sign_in()
        refused = await caller.refused("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest())
        assert (refused.code, refused.reason) == (Code.RESOURCE_EXHAUSTED, "TOO_MANY_REQUESTS")
        assert refused.wait == 1200
        clock.now += 1200
        await caller.sign_in()
        await caller.call("Server/GetServerInfo", server_pb2.GetServerInfoRequest())


async def test_guests_of_other_addresses_behind_a_trusted_proxy() -> None:
    async with serving(guests_per_hour=1, trust_forwarded=True) as served:
        caller = served.caller()
        for address in ("10.0.0.1", "10.0.0.2", "evil, 10.0.0.3"):
            caller.headers["x-forwarded-for"] = address
            await caller.sign_in()
        caller.headers["x-forwarded-for"] = "10.0.0.3"
        refused = await caller.refused("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest())
        assert refused.reason == "TOO_MANY_REQUESTS"
    async with serving(guests_per_hour=1) as served:
        caller = served.caller()
        caller.headers["x-forwarded-for"] = "10.0.0.1"
        await caller.sign_in()
        caller.headers["x-forwarded-for"] = "10.0.0.2"
        assert (await caller.refused("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest())).wait


async def test_wrong_codes_of_one_address(clock: Clock) -> None:
    async with serving(wrong_codes_per_minute=3) as served:
        host, other = await served.guest(), await served.guest()
        match = await host.create("bluff", players=2)
        for _ in range(5):
            await other.call("Matches/FindMatch", matches_pb2.FindMatchRequest(code=match.code))
        for method, kind in (
            ("Matches/FindMatch", matches_pb2.FindMatchRequest),
            ("Matches/JoinMatch", matches_pb2.JoinMatchRequest),
            ("Matches/FindMatch", matches_pb2.FindMatchRequest),
        ):
            refused = await other.refused(method, kind(code="ZZZZZZ"))
            assert (refused.code, refused.reason) == (Code.NOT_FOUND, "CODE_UNKNOWN")
        refused = await other.refused("Matches/FindMatch", matches_pb2.FindMatchRequest(code=match.code))
        assert (refused.code, refused.reason) == (Code.RESOURCE_EXHAUSTED, "TOO_MANY_REQUESTS")
        assert refused.wait
        await other.call("Matches/FindMatch", matches_pb2.FindMatchRequest(link=match.link))


async def test_calls_of_one_account(clock: Clock) -> None:
    async with serving(calls_per_second=1) as served:
        caller, other = await served.guest(), await served.guest()
        request = accounts_pb2.GetAccountRequest(name="accounts/me")
        for _ in range(4):
            await caller.call("Accounts/GetAccount", request)
        refused = await caller.refused("Accounts/GetAccount", request)
        assert (refused.code, refused.reason) == (Code.RESOURCE_EXHAUSTED, "TOO_MANY_REQUESTS")
        assert refused.wait == 1
        await other.call("Accounts/GetAccount", request)
        clock.now += 1
        await caller.call("Accounts/GetAccount", request)


async def test_calls_of_one_address_without_an_account(clock: Clock) -> None:
    async with serving(anonymous_per_second=1) as served:
        caller = served.caller()
        for _ in range(5):
            await caller.call("Server/GetServerInfo", server_pb2.GetServerInfoRequest())
        refused = await caller.refused("Server/GetServerInfo", server_pb2.GetServerInfoRequest())
        assert (refused.code, refused.reason) == (Code.RESOURCE_EXHAUSTED, "TOO_MANY_REQUESTS")


async def test_streams_of_one_account() -> None:
    async with serving(streams_per_account=2) as served:
        caller = await served.guest()
        match = await caller.create("bluff", players=2)
        first, second = caller.watch(match.name), caller.stream("Play/WatchMine", play_pb2.WatchMineRequest())
        assert (await first.read()).HasField("heartbeat")
        assert (await second.read()).HasField("summary")
        refused = await caller.refused("Play/WatchMine", play_pb2.WatchMineRequest())
        assert (refused.code, refused.reason) == (Code.RESOURCE_EXHAUSTED, "TOO_MANY_STREAMS")
        assert refused.info.metadata["limit"] == "2"
        first.cancel()
        await until(lambda: not served.app.watching._feeds)
        assert (await caller.watch(match.name).read()).HasField("heartbeat")
