"""What every call passes: the error boundary, the deadline, the log, the metrics."""

import asyncio
import json
import re
from typing import Any

import grpc
import pytest
import structlog
from structlog.testing import capture_logs

from chautari.app.scopes import Scope
from chautari.app.tokens import Identity
from chautari.errors import Refusal, Unavailable
from chautari.v1 import accounts_pb2, matches_pb2, play_pb2, server_pb2
from chautari.wire.pipeline import Timing
from tests.waiting import until
from tests.wire.served import Code, Refused, serving
from tests.wire.stand_in import INFO, TOKEN, WATCH, standing_in

REQUEST = server_pb2.GetServerInfoRequest()
SECRET = "QH 7S of seat 2"


async def test_text_of_an_exception_never_leaves() -> None:
    async with standing_in() as stand_in:

        async def fails(caller: Any, request: Any) -> Any:
            raise RuntimeError(SECRET)

        stand_in.answer = fails
        with capture_logs() as lines:
            refused = await stand_in.caller().refused("Server/GetServerInfo", REQUEST)
        assert (refused.code, refused.reason) == (Code.INTERNAL, "FAULT")
        incident = refused.info.metadata["incident"]
        assert set(refused.info.metadata) == {"incident"}
        assert SECRET.encode() not in refused.status.SerializeToString()
        assert "RuntimeError" not in str(refused.status)
        [line] = [line for line in lines if line["event"] == "fault"]
        assert (line["incident"], line["log_level"], line["method"]) == (incident, "error", INFO)
        assert isinstance(line["exc_info"], RuntimeError)
        assert stand_in.count(INFO, "FAULT") == 1


async def test_answer_that_cannot_be_encoded_is_a_fault_too() -> None:
    async with standing_in() as stand_in:

        async def answers_nonsense(caller: Any, request: Any) -> Any:
            return SECRET

        stand_in.answer = answers_nonsense
        refused = await stand_in.caller().refused("Server/GetServerInfo", REQUEST)
        assert (refused.code, refused.reason) == (Code.INTERNAL, "FAULT")
        assert SECRET.encode() not in refused.status.SerializeToString()


async def test_refusal_passes_with_its_reason() -> None:
    async with standing_in() as stand_in:

        async def refuses(caller: Any, request: Any) -> Any:
            raise Refusal("MUST_FOLLOW", "follow hearts", suit="H")

        stand_in.answer = refuses
        refused = await stand_in.caller().refused("Server/GetServerInfo", REQUEST)
        assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, "RULE_BROKEN")
        assert dict(refused.info.metadata) == {"rule": "MUST_FOLLOW", "suit": "H"}
        assert stand_in.count(INFO, "RULE_BROKEN") == 1


async def test_call_that_takes_too_long_is_ended() -> None:
    async with standing_in(Timing(call=0.1)) as stand_in:
        ended = asyncio.Event()

        async def sleeps(caller: Any, request: Any) -> Any:
            try:
                await asyncio.sleep(60)
            finally:
                ended.set()

        stand_in.answer = sleeps
        refused = await stand_in.caller().refused("Server/GetServerInfo", REQUEST)
        assert (refused.code, refused.reason) == (Code.DEADLINE_EXCEEDED, "DEADLINE_PASSED")
        assert ended.is_set()
        assert stand_in.count(INFO, "DEADLINE_PASSED") == 1


async def test_shorter_deadline_of_the_caller_ends_the_call_here_too() -> None:
    async with standing_in() as stand_in:
        ended = asyncio.Event()

        async def sleeps(caller: Any, request: Any) -> Any:
            try:
                await asyncio.sleep(60)
            finally:
                ended.set()

        stand_in.answer = sleeps
        seconds = 0.1
        while not ended.is_set():  # on a busy machine the call may not even arrive in time
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await stand_in.caller().call("Server/GetServerInfo", REQUEST, seconds)
            assert caught.value.code() is Code.DEADLINE_EXCEEDED
            await until(lambda: not stand_in.pipeline._running)
            seconds *= 2
        assert stand_in.count(INFO, "CANCELLED") >= 1


async def test_caller_is_known_by_its_token() -> None:
    async with standing_in() as stand_in:
        caller = stand_in.caller()
        caller.token = ""
        missing = await caller.refused("Play/View", play_pb2.ViewRequest(match="matches/a"))
        assert (missing.code, missing.reason) == (Code.UNAUTHENTICATED, "TOKEN_MISSING")
        caller.token = "other"
        wrong = await caller.refused("Play/View", play_pb2.ViewRequest(match="matches/a"))
        assert (wrong.code, wrong.reason) == (Code.UNAUTHENTICATED, "TOKEN_INVALID")
        await caller.call("Server/GetServerInfo", REQUEST)
        caller.token, caller.headers["authorization"] = "", TOKEN
        scheme = await caller.refused("Play/View", play_pb2.ViewRequest(match="matches/a"))
        assert scheme.reason == "TOKEN_MISSING"


async def test_token_without_the_scope_of_a_method_is_refused_before_anything_is_read() -> None:
    async with standing_in() as stand_in:
        caller = stand_in.caller()
        stand_in.accounts.identity = Identity("sita", None, "", frozenset({Scope.READ}))
        refused = await caller.refused("Play/Act", play_pb2.ActRequest(match="x"))
        assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "SCOPE_MISSING")
        assert dict(refused.info.metadata) == {"scope": "play"}
        refused = await caller.refused("Accounts/SignOut", accounts_pb2.SignOutRequest())
        assert refused.reason == "SCOPE_MISSING"
        call = caller.watch("matches/a")
        assert await call.read() is grpc.aio.EOF
        stand_in.accounts.identity = Identity("sita", None, "", frozenset({Scope.PLAY}))
        refused = await caller.refused("Play/Watch", play_pb2.WatchRequest(match="matches/a"))
        assert (refused.reason, refused.info.metadata["scope"]) == ("SCOPE_MISSING", "read")


async def test_who_may_not_call_is_told_before_what_is_wrong() -> None:
    async with standing_in() as stand_in:
        caller = stand_in.caller()
        caller.token = ""
        assert (await caller.refused("Play/View", play_pb2.ViewRequest(match="x"))).reason == "TOKEN_MISSING"
        caller.token = TOKEN
        invalid = await caller.refused("Play/View", play_pb2.ViewRequest(match="x", seat=-1))
        assert (invalid.code, invalid.reason) == (Code.INVALID_ARGUMENT, "REQUEST_INVALID")
        assert set(invalid.fields) == {"match", "seat"}


async def test_fields_within_fields_are_named() -> None:
    async with standing_in() as stand_in:
        request = matches_pb2.CreateMatchRequest(game="games/bluff", seats=[0, -1])
        assert "seats[1]" in (await stand_in.caller().refused("Matches/CreateMatch", request)).fields
        update = accounts_pb2.UpdateAccountRequest(account=accounts_pb2.Account(language="!"))
        assert "account.language" in (await stand_in.caller().refused("Accounts/UpdateAccount", update)).fields
        find = await stand_in.caller().refused("Matches/FindMatch", matches_pb2.FindMatchRequest())
        assert "by" in find.fields


async def test_one_line_a_call_without_cards_tokens_or_actions() -> None:
    async with serving(log_calls=1.0) as served:
        guest = await served.guest("Sita Sharma")
        with capture_logs() as lines:
            match = await guest.create("bluff", seats=(0, 1), players=2)
            view = await guest.call("Play/View", play_pb2.ViewRequest(match=match.name, seat=match.turn.must[0]))
            [hand] = [zone for zone in view.zones if zone.name == f"hand.{view.seat}"]
            act = play_pb2.ActRequest(match=match.name, seat=view.seat, text="lay Q ??")
            await guest.refused("Play/Act", act)
            act.text = f"lay Q {hand.cards[0]}"
            await guest.call("Play/Act", act)
        calls = [line for line in lines if line["event"] == "call"]
        assert [line["method"].rpartition("/")[2] for line in calls] == ["CreateMatch", "View", "Act", "Act"]
        assert [line["outcome"] for line in calls] == ["OK", "OK", "MALFORMED_ACTION", "OK"]
        assert {line["account"] for line in calls} == {guest.account.removeprefix("accounts/")}
        said = json.dumps(lines, default=str)
        for secret in (guest.token, "lay Q", "Sita"):
            assert secret not in said
        assert not set(re.findall(r"\w+", said)) & set(hand.cards)


async def test_lines_can_be_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chautari.wire.pipeline._SLOW_CALL_SECONDS", 1e9)
    async with standing_in(logged=0.0) as stand_in:
        with capture_logs() as lines:
            await stand_in.caller().call("Server/GetServerInfo", REQUEST)
        assert not lines
    structlog.reset_defaults()


async def test_slow_call_is_always_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chautari.wire.pipeline._SLOW_CALL_SECONDS", 0.0)
    async with standing_in(logged=0.0) as stand_in:
        with capture_logs() as lines:
            await stand_in.caller().call("Server/GetServerInfo", REQUEST)
        assert [(line["event"], line["log_level"]) for line in lines] == [("call", "warning")]


async def test_new_calls_are_refused_while_draining_and_others_go_on() -> None:
    async with standing_in() as stand_in:
        going_on, enough = asyncio.Event(), asyncio.Event()

        async def waits(caller: Any, request: Any) -> Any:
            going_on.set()
            await enough.wait()
            return server_pb2.ServerInfo(version="late")

        stand_in.answer = waits
        first = asyncio.create_task(stand_in.caller().call("Server/GetServerInfo", REQUEST))
        await going_on.wait()
        stand_in.pipeline.drain()
        refused = await stand_in.caller().refused("Server/GetServerInfo", REQUEST)
        assert (refused.code, refused.reason) == (Code.UNAVAILABLE, "DRAINING")
        assert refused.wait
        assert not await stand_in.pipeline.idle(0.05)
        enough.set()
        assert (await first).version == "late"
        assert await stand_in.pipeline.idle(60)


async def test_calls_and_streams_are_counted() -> None:
    async with standing_in() as stand_in:
        caller = stand_in.caller()
        await caller.call("Server/GetServerInfo", REQUEST)
        await caller.call("Server/GetServerInfo", REQUEST)
        call = caller.watch("matches/a")
        assert await call.read() is grpc.aio.EOF
        assert stand_in.count(INFO, "OK") == 2
        assert stand_in.registry.get_sample_value("chautari_call_seconds_count", {"method": INFO}) == 2
        assert stand_in.count(WATCH, "OK") == 1
        assert stand_in.registry.get_sample_value("chautari_streams", {"method": WATCH}) == 0


async def test_stream_that_fails_says_so_as_its_last_message_and_its_status() -> None:
    async with standing_in() as stand_in:
        for error, reason, code in (
            (RuntimeError(SECRET), "FAULT", Code.INTERNAL),
            (Unavailable("STORAGE_AWAY", "no database"), "STORAGE_AWAY", Code.UNAVAILABLE),
        ):

            async def fails(error: Exception = error) -> Any:
                yield play_pb2.Update(match="matches/a", revision=7).SerializeToString()
                raise error

            stand_in.items = fails
            call = stand_in.caller().watch("matches/a", after_revision=6)
            await call.read()
            last = await call.read()
            assert (last.end.cause, last.end.resume) == (play_pb2.END_CAUSE_FAULT, True)
            assert last.match == "matches/a"
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call.read()
            refused = Refused.of(caught.value)
            assert (refused.code, refused.reason) == (code, reason)
            assert SECRET.encode() not in refused.status.SerializeToString()


async def test_stream_that_is_refused_has_no_message() -> None:
    async with standing_in() as stand_in:

        async def refuses() -> Any:
            if stand_in.port:
                raise Unavailable("STORAGE_AWAY", "no database")
            yield

        stand_in.items = refuses
        refused = await stand_in.caller().refused("Play/Watch", play_pb2.WatchRequest(match="matches/a"))
        assert refused.reason == "STORAGE_AWAY"


async def test_stream_that_is_cancelled_lets_go_of_everything() -> None:
    async with standing_in() as stand_in:

        async def waits() -> Any:
            yield play_pb2.Update(revision=1).SerializeToString()
            await asyncio.sleep(60)

        stand_in.items = waits
        call = stand_in.caller().watch("matches/a")
        await call.read()
        assert not stand_in.closed.is_set()
        call.cancel()
        await asyncio.wait_for(stand_in.closed.wait(), 60)
        assert stand_in.count(WATCH, "CANCELLED") == 1
        assert not stand_in.pipeline._sending._readers
