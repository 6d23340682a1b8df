"""How often somebody may call: buckets by the clock, and over the wire."""

import asyncio
import contextlib
import sys

import grpc
import pytest

from chautari.app.service import App
from chautari.errors import Exhausted
from chautari.v1 import accounts_pb2, hosting_pb2, identities_pb2, match_pb2, matches_pb2, play_pb2, server_pb2
from chautari.wire import limits, pipeline
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


def test_bucket_that_is_taken_from_is_not_forgotten_however_many_come(clock: Clock) -> None:
    buckets = Buckets(Rate(2, 2.0), remembered=10)
    for _ in range(2):
        buckets.take("mine")
    for number in range(100):
        buckets.take(str(number))
        with pytest.raises(Exhausted):
            buckets.take("mine")
        assert len(buckets) <= 20


def test_what_is_given_back_late_counts_too(clock: Clock) -> None:
    buckets = Buckets(Rate(1, 60.0), remembered=2)
    buckets.take("a")
    buckets.take("b")
    buckets.take("c")
    buckets.give_back("a")
    buckets.take("a")


def test_memory_is_bounded_under_a_million_addresses() -> None:
    buckets = Buckets(Rate(10, 3600.0))
    for number in range(1_000_000):
        buckets.take(str(number))
    assert len(buckets) <= 2 * limits.REMEMBERED
    assert sum(sys.getsizeof(generation) for generation in (buckets._new, buckets._old)) < 4 * 1024 * 1024


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
    async with serving(guests_per_hour=1, trusted_proxies="10.9.0.0/16, 127.0.0.0/8, ::1") as served:
        caller = served.caller()
        for address in ("10.0.0.1", "10.0.0.2, 10.9.0.1", "evil, 10.0.0.3"):
            caller.headers["x-forwarded-for"] = address
            await caller.sign_in()
        caller.headers["x-forwarded-for"] = "10.0.0.3"
        refused = await caller.refused("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest())
        assert refused.reason == "TOO_MANY_REQUESTS"
        caller.headers["x-forwarded-for"] = "10.0.0.4, 10.0.0.3, 10.9.0.1"
        assert (await caller.refused("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest())).wait
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


async def test_codes_that_are_only_remembered_count_as_wrong_ones_and_those_of_members_do_not(clock: Clock) -> None:
    async with serving(wrong_codes_per_minute=3) as served:
        host, late = await served.guest(), await served.guest()
        begun = await host.create("bluff", seats=(0,), players=2)
        await (await served.guest()).call("Matches/JoinMatch", matches_pb2.JoinMatchRequest(link=begun.link))
        closed = await host.create("bluff", players=2)
        await host.call("Hosting/CloseMatch", hosting_pb2.CloseMatchRequest(name=closed.name))
        for _ in range(5):
            await host.call("Matches/JoinMatch", matches_pb2.JoinMatchRequest(code=begun.code))
        for method, request, reason in (
            ("Matches/JoinMatch", matches_pb2.JoinMatchRequest(code=begun.code), "MATCH_STARTED"),
            ("Matches/FindMatch", matches_pb2.FindMatchRequest(code=begun.code), "MATCH_STARTED"),
            ("Matches/FindMatch", matches_pb2.FindMatchRequest(code=closed.code), "MATCH_OVER"),
            ("Matches/JoinMatch", matches_pb2.JoinMatchRequest(code=begun.code), "TOO_MANY_REQUESTS"),
        ):
            assert (await late.refused(method, request)).reason == reason
        refused = await late.refused("Matches/JoinMatch", matches_pb2.JoinMatchRequest(link=begun.link))
        assert refused.reason == "MATCH_STARTED"


async def test_wrong_tokens_in_requests_of_one_address_hold_up_nobody_with_a_right_one(clock: Clock) -> None:
    async with serving(wrong_tokens_per_minute=4) as served:
        other, stranger = await served.guest(), served.caller()
        guest = await stranger.call("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest())
        wrong = accounts_pb2.RefreshTokenRequest(refresh_token="x")
        merge = accounts_pb2.MergeAccountsRequest(name="accounts/me", other_access_token="x")
        attempt = identities_pb2.SignInWithIdentityRequest(attempt="x", id_token="y")
        for caller, method, request, reason in (
            (stranger, "Accounts/RefreshToken", wrong, "TOKEN_INVALID"),
            (stranger, "Accounts/SignOut", accounts_pb2.SignOutRequest(refresh_token="x"), "TOKEN_INVALID"),
            (other, "Accounts/MergeAccounts", merge, "TOKEN_INVALID"),
            (stranger, "Identities/SignInWithIdentity", attempt, "ATTEMPT_INVALID"),
            (stranger, "Accounts/RefreshToken", wrong, "TOO_MANY_REQUESTS"),
            (other, "Accounts/MergeAccounts", merge, "TOO_MANY_REQUESTS"),
        ):
            assert (await caller.refused(method, request)).reason == reason
        right = accounts_pb2.RefreshTokenRequest(refresh_token=guest.tokens.refresh_token)
        await stranger.call("Accounts/RefreshToken", right)
        await other.call("Accounts/GetAccount", accounts_pb2.GetAccountRequest(name="accounts/me"))


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


async def test_acts_in_one_match_count_for_the_match_whoever_acts(clock: Clock) -> None:
    async with serving(acts_per_second=1) as served:
        host, other, stranger = await served.guest(), await served.guest(), await served.guest()
        match = await host.create("bluff", seats=(0, 1), players=2)
        act = play_pb2.ActRequest(match=match.name, seat=0, text="no such verb")
        for _ in range(20):
            assert (await stranger.refused("Play/Act", act)).reason == "NO_ACCESS"
        for _ in range(4):
            assert (await host.refused("Play/Act", act)).reason == "UNKNOWN_ACTION"
        refused = await host.refused("Play/Act", act)
        assert (refused.code, refused.reason, refused.wait) == (Code.RESOURCE_EXHAUSTED, "TOO_MANY_REQUESTS", 1)
        await host.call("Play/View", play_pb2.ViewRequest(match=match.name))
        another = await other.create("bluff", seats=(0, 1), players=2)
        act.match = another.name
        assert (await other.refused("Play/Act", act)).reason == "UNKNOWN_ACTION"


async def test_whoever_may_not_act_learns_nothing_of_how_fast_others_do(clock: Clock) -> None:
    async with serving(acts_per_second=1) as served:
        host, stranger = await served.guest(), await served.guest()
        request = matches_pb2.CreateMatchRequest(
            game="games/bluff", seats=[0, 1], privacy=match_pb2.PRIVACY_PUBLIC,
        )  # fmt: skip
        request.settings.update({"players": 2})
        match = await host.call("Matches/CreateMatch", request)
        act = play_pb2.ActRequest(match=match.name, seat=0, text="no such verb")
        for _ in range(4):
            await host.refused("Play/Act", act)
        assert (await host.refused("Play/Act", act)).reason == "TOO_MANY_REQUESTS"
        tried = [(await stranger.refused("Play/Act", act)).reason for _ in range(6)]
        assert tried == ["NOT_SEATED"] * 6


async def test_calls_of_many_accounts_from_one_address(clock: Clock) -> None:
    async with serving(address_per_second=1, calls_per_second=1, guests_per_hour=0) as served:
        request = accounts_pb2.GetAccountRequest(name="accounts/me")
        first, second = await served.guest(), await served.guest()
        for _ in range(10):  # what its account may not do does not count for the others of its address
            with contextlib.suppress(grpc.aio.AioRpcError):
                await first.call("Accounts/GetAccount", request)
        refused = await second.refused("Accounts/GetAccount", request)
        assert (refused.reason, refused.wait) == ("TOO_MANY_REQUESTS", 1)
        clock.now += 1
        await second.call("Accounts/GetAccount", request)


async def test_watchers_of_one_match_and_those_who_sit_there() -> None:
    async with serving(watchers_per_match=2) as served:
        host, other = await served.guest(), await served.guest()
        match = await host.create("bluff", seats=(0, 1), players=2)
        public = matches_pb2.CreateMatchRequest(game="games/bluff", privacy="PRIVACY_PUBLIC")
        shown = await other.call("Matches/CreateMatch", public)
        watching = [host.watch(match.name), host.watch(match.name)]
        for stream in watching:
            assert (await stream.read()).HasField("heartbeat")
        refused = await host.refused("Play/Watch", play_pb2.WatchRequest(match=match.name))
        assert (refused.code, refused.reason) == (Code.RESOURCE_EXHAUSTED, "TOO_MANY_WATCHERS")
        assert refused.wait
        assert refused.info.metadata["limit"] == "2"
        assert (await host.watch(match.name, seat=0).read()).HasField("heartbeat")
        assert (await other.watch(shown.name).read()).HasField("heartbeat")
        watching[0].cancel()
        await until(lambda: watched(served.app, match.name) == 2)
        assert (await host.watch(match.name).read()).HasField("heartbeat")


def watched(app: App, match: str) -> int:
    """How many streams of a match there are."""
    feed = app.watching._feeds.find(match.removeprefix("matches/"))
    return feed.streams if feed is not None else 0


async def test_limits_are_told_and_those_that_are_off_are_not() -> None:
    async with serving(calls_per_second=7, address_per_second=0, guests_per_hour=3, watchers_per_match=9) as served:
        info = await served.caller().call("Server/GetServerInfo", server_pb2.GetServerInfoRequest())
        told = {
            (rate.counts, server_pb2.LimitSubject.Name(rate.subject)): (rate.burst, rate.period_seconds)
            for rate in info.limits.rates
        }
        assert told == {
            ("calls", "LIMIT_SUBJECT_ACCOUNT"): (28, 4),
            ("calls", "LIMIT_SUBJECT_ANONYMOUS_ADDRESS"): (100, 5),
            ("acts", "LIMIT_SUBJECT_MATCH"): (400, 4),
            ("guests", "LIMIT_SUBJECT_ADDRESS"): (3, 3600),
            ("codes", "LIMIT_SUBJECT_ADDRESS"): (10, 60),
            ("tokens", "LIMIT_SUBJECT_ADDRESS"): (300, 60),
        }
        assert (info.limits.max_account_streams, info.limits.max_match_watchers) == (8, 9)


async def test_who_is_over_a_limit_waits_for_the_refusal_and_not_all_as_long(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(anonymous_per_second=1, refusal_seconds=0.3) as served:
        caller, loop = served.caller(), asyncio.get_running_loop()
        for _ in range(5):
            await caller.call("Server/GetServerInfo", server_pb2.GetServerInfoRequest())
        for drawn in (0.0, 0.9):
            monkeypatch.setattr(pipeline, "random", lambda drawn=drawn: drawn)
            begun = loop.time()
            refused = await caller.refused("Server/GetServerInfo", server_pb2.GetServerInfoRequest())
            assert refused.reason == "TOO_MANY_REQUESTS"
            assert loop.time() - begun >= 0.3 * (1 + drawn)


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
        assert refused.details["RetryInfo"].retry_delay.seconds, "a stream that was cut counts until it is noticed"
        first.cancel()
        await until(lambda: not served.app.watching._feeds.watched())
        assert (await caller.watch(match.name).read()).HasField("heartbeat")
