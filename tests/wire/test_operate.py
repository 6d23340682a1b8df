"""Operators over the wire: who is let in, what is noted at the door, and what those hear who are banned."""

from typing import Any

import grpc
import msgspec
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from prometheus_client import CollectorRegistry

from chautari.app import decisions
from chautari.app.keys import NewKey
from chautari.app.scopes import Scope
from chautari.app.values import SECOND, DueKind
from chautari.store import MemoryStore
from chautari.v1 import accounts_pb2, games_pb2, keys_pb2, match_pb2, operate_pb2, play_pb2
from chautari.wire.metrics import Metrics
from tests.wire.served import Caller, Code, Refused, Served, serving


async def operator(served: Served, scope: Scope = Scope.OPERATE) -> Caller:
    """A caller with a key of an operator."""
    account = (await served.app.accounts.create_guest("Olga", "en")).account
    caller = served.caller()
    caller.account = f"accounts/{account.id}"
    caller.token = (await served.app.keys.issue(account.id, NewKey("Operator", frozenset({scope})))).secret
    return caller


async def entries(by: Caller, **question: Any) -> list[operate_pb2.AuditEntry]:
    """The entries of the log before this question."""
    answer = await by.call("Operate/ListAudit", operate_pb2.ListAuditRequest(**question))
    return list(answer.entries)


async def test_what_is_refused_at_the_door_is_noted_too() -> None:
    async with serving() as served:
        guest, by = await served.guest("Sita"), await operator(served)
        for _ in range(3):
            refused = await guest.refused("Operate/BanAccount", operate_pb2.BanAccountRequest(account=guest.account))
            assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "SCOPE_MISSING")
        refused = await served.caller().refused("Operate/ListAudit", operate_pb2.ListAuditRequest())
        assert refused.reason == "TOKEN_MISSING"
        refused = await by.refused(
            "Operate/BanAccount", operate_pb2.BanAccountRequest(account="Sita", reason="x" * 501)
        )
        assert set(refused.fields) == {"account", "reason"}
        refused = await by.refused("Operate/EndMatch", b"\xff")
        assert refused.reason == "REQUEST_INVALID"
        refused = await by.refused(
            "Operate/EndMatch",
            operate_pb2.EndMatchRequest(match="matches/m", reason="why", ending=9),  # type: ignore[arg-type]
        )
        assert set(refused.fields) == {"ending"}
        refused = await by.refused("Operate/BanAccount", operate_pb2.BanAccountRequest(account=guest.account))
        assert (refused.code, refused.reason, set(refused.fields)) == (
            Code.INVALID_ARGUMENT, "REASON_MISSING", {"reason"}
        )  # fmt: skip
        found = [(entry.account, entry.method, entry.outcome) for entry in reversed(await entries(by))]
        assert found == [
            (guest.account, "BanAccount", "SCOPE_MISSING"),
            (by.account, "BanAccount", "REQUEST_INVALID"),
            (by.account, "EndMatch", "REQUEST_INVALID"),
            (by.account, "EndMatch", "REQUEST_INVALID"),
            (by.account, "BanAccount", "REASON_MISSING"),
        ]
        [last] = await entries(by, page_size=1, method="BanAccount", target=guest.account)
        assert last.outcome == "REASON_MISSING"
        assert last.key
        assert last.origin == "127.0.0.1"
        assert (await by.call("Operate/CheckAudit", operate_pb2.CheckAuditRequest())).broken == 0


async def test_hidden_cards_need_another_scope_and_a_reason() -> None:
    async with serving() as served:
        guest = await served.guest("Sita")
        match = await guest.create("gulam_chor", seats=(0, 1, 2), players=3)
        asked = operate_pb2.InspectMatchRequest(match=match.name, reveal=True, reason="a claim")
        by = await operator(served)
        refused = await by.refused("Operate/InspectMatch", asked)
        assert (refused.reason, dict(refused.info.metadata)) == ("SCOPE_MISSING", {"scope": "reveal"})
        shown = await by.call("Operate/InspectMatch", operate_pb2.InspectMatchRequest(match=match.name))
        assert not shown.zones
        assert not shown.HasField("facts")
        assert {zone.name: list(zone.cards) for zone in shown.view.zones}["hand.0"] == []
        assert not any(hand.cards for entry in shown.recent for event in entry.events for hand in event.dealt.hands)
        assert (shown.match.code, shown.match.link, shown.match.secret) == ("", "", b"")
        revealing = await operator(served, Scope.REVEAL)
        whole = await revealing.call("Operate/InspectMatch", asked)
        hands = {zone.zone: list(zone.cards) for zone in whole.zones}
        mine = await guest.call("Play/View", play_pb2.ViewRequest(match=match.name, seat=0))
        assert sorted(hands["hand.0"]) == sorted(next(zone for zone in mine.zones if zone.name == "hand.0").cards)
        assert any(hand.cards for entry in whole.recent for event in entry.events for hand in event.dealt.hands)
        asked.reason = " "
        assert (await revealing.refused("Operate/InspectMatch", asked)).reason == "REASON_MISSING"


async def test_who_is_banned_is_told_so_by_every_call_and_stream() -> None:
    async with serving() as served:
        guest, other, by = await served.guest("Sita"), await served.guest("Hari"), await operator(served)
        match = await other.create("gulam_chor", seats=(0, 1, 2), players=3)
        mine, own = guest.stream("Play/WatchMine", play_pb2.WatchMineRequest()), await guest.create("bluff", players=3)
        watching = guest.watch(own.name)
        assert (await mine.read()).HasField("summary")
        await watching.read()
        until = Timestamp(seconds=4_000_000_000)
        ban = await by.call(
            "Operate/BanAccount", operate_pb2.BanAccountRequest(account=guest.account, reason="spam", end_time=until)
        )
        assert (ban.account, ban.reason, ban.end_time) == (guest.account, "spam", until)
        for stream in (mine, watching):
            last = await last_of(stream)
            assert (last.end.cause in (play_pb2.END_CAUSE_BANNED, play_pb2.END_CAUSE_MATCH_OVER), last.end.resume) == (
                True, False
            )  # fmt: skip
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await mine.read()
        assert Refused.of(ended.value).reason == "ACCOUNT_BANNED"
        for method, request in (
            ("Play/View", play_pb2.ViewRequest(match=match.name)),
            ("Accounts/GetAccount", accounts_pb2.GetAccountRequest(name="accounts/me")),
            ("Games/ListGames", games_pb2.ListGamesRequest()),
        ):
            refused = await guest.refused(method, request)
            assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "ACCOUNT_BANNED")
            assert refused.info.metadata["until"] == "2096-10-02T07:06:40Z"
            assert "spam" not in refused.message
        await by.call("Operate/LiftBan", operate_pb2.LiftBanRequest(account=guest.account, reason="enough"))
        await guest.call("Accounts/GetAccount", accounts_pb2.GetAccountRequest(name="accounts/me"))


async def last_of(stream: Any) -> Any:
    """The last message of a stream that ends."""
    while not (update := await stream.read()).HasField("end"):
        pass
    return update


async def test_watchers_are_told_why_a_match_was_ended() -> None:
    async with serving() as served:
        guest, by = await served.guest("Sita"), await operator(served)
        match = await guest.create("gulam_chor", seats=(0, 1, 2), players=3)
        watching = guest.watch(match.name, seat=0)
        await watching.read()
        request = operate_pb2.EndMatchRequest(
            match=match.name, ending=operate_pb2.ENDING_AS_IT_STANDS, reason="secret why", note="We move"
        )
        ended = await by.call("Operate/EndMatch", request)
        assert ended.state == match_pb2.MATCH_STATE_FINISHED
        step = (await watching.read()).step
        assert step.cause == play_pb2.CAUSE_OPERATOR
        assert step.events[0].match_stopped.note == "We move"
        view = await guest.call("Play/View", play_pb2.ViewRequest(match=match.name, seat=0))
        assert (view.result.reason, view.result.note) == (match_pb2.END_REASON_OPERATOR, "We move")
        assert len(view.result.placing) == 3
        record = await guest.call("Play/Record", play_pb2.RecordRequest(match=match.name))
        assert b"secret why" not in record.SerializeToString() + view.SerializeToString() + step.SerializeToString()


def test_bans_are_counted_when_they_are_asked_for() -> None:
    registry, bans = CollectorRegistry(), [3]
    Metrics(registry).watch_bans(lambda: bans[0])
    assert registry.get_sample_value("chautari_bans") == 3
    bans[0] = 0
    assert registry.get_sample_value("chautari_bans") == 0


def test_failing_matches_are_counted_by_game_and_exception_when_they_are_asked_for() -> None:
    registry, failing = CollectorRegistry(), {("bluff", "KeyError"): 2}
    metrics = Metrics(registry)
    metrics.watch_failing(lambda: failing)
    labels = {"game": "bluff", "error": "KeyError"}
    assert registry.get_sample_value("chautari_matches_failing", labels) == 2
    failing.clear()
    assert registry.get_sample_value("chautari_matches_failing", labels) is None


async def test_operators_see_which_matches_fail_and_when_they_are_tried_again() -> None:
    async with serving() as served:
        guest, by = await served.guest("Sita"), await operator(served)
        fine, failing = [await guest.create("gulam_chor", seats=(0, 1, 2), players=3) for _ in range(2)]
        store = served.app.store
        assert isinstance(store, MemoryStore)
        due_at = store.service_time() + 3600 * SECOND
        for match, late in ((fine, 0), (failing, 24)):
            match_id = match.name.removeprefix("matches/")
            store._matches[match_id] = msgspec.structs.replace(
                store._matches[match_id], due_at=due_at, due_kind=DueKind.CLOCK, wake_at=due_at + late * SECOND
            )
            served.app.chores._live.forget(match_id)
        found = await by.call("Operate/FindMatches", operate_pb2.FindMatchesRequest(failing=True))
        assert [match.name for match in found.matches] == [failing.name]
        shown = await by.call("Operate/InspectMatch", operate_pb2.InspectMatchRequest(match=failing.name))
        assert (shown.due_kind, shown.retry_time.seconds - shown.due_time.seconds) == ("clock", 24)
        shown = await by.call("Operate/InspectMatch", operate_pb2.InspectMatchRequest(match=fine.name))
        assert shown.HasField("due_time")
        assert not shown.HasField("retry_time")


async def test_a_key_that_an_operator_makes_for_operating_is_noted() -> None:
    async with serving() as served:
        by, guest = await operator(served), await served.guest("Sita")
        wanted = keys_pb2.CreateApiKeyRequest(
            parent="accounts/me", api_key=keys_pb2.ApiKey(title="Night", scopes=[keys_pb2.SCOPE_OPERATE])
        )
        assert (await by.call("Keys/CreateApiKey", wanted)).secret
        assert (await guest.refused("Keys/CreateApiKey", wanted)).reason == "SCOPE_MISSING"
        wanted.api_key.scopes[:] = [keys_pb2.SCOPE_REVEAL]
        assert (await by.refused("Keys/CreateApiKey", wanted)).reason == "SCOPE_MISSING"
        wanted.api_key.scopes[:] = [keys_pb2.SCOPE_READ]
        assert (await by.call("Keys/CreateApiKey", wanted)).secret
        found = [(entry.method, entry.outcome, dict(entry.detail)) for entry in await entries(by)]
        assert found == [
            ("CreateApiKey", "SCOPE_MISSING", {"scopes": "read operate reveal", "title": "Night"}),
            ("CreateApiKey", "OK", {"scopes": "read operate", "title": "Night"}),
        ]


async def test_who_is_banned_is_told_so_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(http=True) as served:
        http, by = await served.web_guest("Sita"), await operator(served)
        me = (await http.rest("GET", "/v1/accounts/me")).json["name"]
        settings = {"game": "games/gulam_chor", "settings": {"players": 3}}
        match = (await http.rest("POST", "/v1/matches", settings)).json["name"]
        streams = {kind: served.over_http(http.token) for kind in ("text/event-stream", "application/x-ndjson")}
        for kind, stream in streams.items():
            await stream.send("GET", f"/v1/{match}:watch", accept=kind)
            await stream.begin()
            await stream.part()
        monkeypatch.setattr(decisions.Decisions, "settle", idle)  # else the match ends, and with it the streams
        await by.call("Operate/BanAccount", operate_pb2.BanAccountRequest(account=me, reason="spam"))
        for stream in streams.values():
            text = b"".join([part async for part in stream.parts()])
            assert b"END_CAUSE_BANNED" in text
            await stream.close()
        refused = await http.rest("GET", "/v1/accounts/me")
        assert (refused.status, refused.reason) == (403, "ACCOUNT_BANNED")
        assert refused.headers["content-type"] == "application/problem+json"
        found = await served.over_http(by.token).rest("GET", "/v1/operate/audit?method=BanAccount")
        assert [entry["outcome"] for entry in found.json["entries"]] == ["OK"]


async def idle(_: object) -> None:
    """Gives up no seats."""
