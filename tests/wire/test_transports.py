"""Each case over every transport: the same answers, the same refusals, the same streams, resumed alike."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Final
from uuid import UUID

import pytest
from google.protobuf import json_format
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.rpc.status_pb2 import Status

from chautari.v1 import accounts_pb2, games_pb2, match_pb2, matches_pb2, play_pb2, server_pb2
from tests.wire.behind import serving_behind
from tests.wire.served import Served, serving, struct
from tests.wire.transports import Failure, Transport, every_way

WAYS: Final = (
    "grpc", "connect-proto", "connect-json", "connect-get-proto", "connect-get-json", "grpc-web", "grpc-web-text",
    "rest-events", "rest-lines",
)  # fmt: skip
STREAMS: Final = tuple(name for name in WAYS if "-get-" not in name)
"""Of the ways those whose streams are ways of their own: no stream is asked for by GET over Connect."""
SIZE: Final = re.compile(r"has \d+ bytes")
SETTINGS: Final[dict[str, Any]] = {"players": 4, "rounds": 3}


Serving = Callable[..., AbstractAsyncContextManager[Served]]


class Table:
    """A service with one guest, who plays a match on all seats and comes in by every way."""

    def __init__(self, served: Served, token: str) -> None:
        self.served = served
        self.token = token
        self.ways: list[Transport] = every_way(served, token)
        self.by_name = {way.name: way for way in self.ways}
        self.match = ""
        self.account = ""

    async def create(self, way: Transport) -> match_pb2.Match:
        """A match that begins at once."""
        request = matches_pb2.CreateMatchRequest(
            game="games/gulam_chor", settings=struct(SETTINGS), seats=range(4), privacy=match_pb2.PRIVACY_PUBLIC
        )
        match: match_pb2.Match = await way.call("Matches/CreateMatch", request)
        return match


@pytest.fixture(params=["straight", "through Envoy"])
def serve(request: pytest.FixtureRequest) -> Serving:
    """Serves, so that callers come straight to the fronts, or through Envoy on one port with TLS."""
    return serving if request.param == "straight" else partial(serving_behind, request.getfixturevalue("envoy"))


@pytest.fixture
async def table(serve: Serving) -> AsyncIterator[Table]:
    """The table."""
    async with serve(http=True, streams_per_account=0) as served:
        guest = await served.guest("सीता")
        table = Table(served, guest.token)
        table.account = guest.account
        table.match = (await table.create(table.ways[0])).name
        yield table


async def told(way: Transport, method: str, request: Message) -> Any:
    """The answer to a call, or its refusal as data that can be compared."""
    try:
        answer = await way.call(method, request)
    except Failure as failure:
        return failure.status
    if method == "Play/View":
        answer.ClearField("server_time")
    return answer


def shown(answer: Any) -> str:
    """An answer as text. The size of a message is another in each form."""
    if not isinstance(answer, Status):
        return str(answer)
    details = [json_format.MessageToJson(detail, sort_keys=True) for detail in answer.details]
    return SIZE.sub("", f"{answer.code} {answer.message} {details}")


async def read(way: Transport, request: Message, method: str = "Play/Watch") -> tuple[list[Any], Any]:
    """A stream to its end: its messages, and the status that it ended with."""
    messages: list[Any] = []
    try:
        async for message in way.stream(method, request):
            messages.append(message)  # noqa: PERF401 - those before a failure count
    except Failure as failure:
        return messages, failure.status
    return messages, None


def questions(match: str, account: str) -> dict[str, tuple[str, Message, str]]:
    """What is asked over every transport: the method, the request, and the reason of the refusal, if it is one."""
    watch, view = play_pb2.WatchRequest, play_pb2.ViewRequest
    key = "5f1c6a3e-8f0b-4e43-9a57-0d6f6f0e1c11"
    return {
        "games": ("Games/ListGames", games_pb2.ListGamesRequest(page_size=2, language="ne"), ""),
        "game": ("Games/GetGame", games_pb2.GetGameRequest(name="games/marriage"), ""),
        "rules": ("Games/GetRules", games_pb2.GetRulesRequest(name="games/bluff"), ""),
        "no such game": ("Games/GetGame", games_pb2.GetGameRequest(name="games/whist"), "GAME_UNKNOWN"),
        "keys": ("Server/GetSigningKeys", server_pb2.GetSigningKeysRequest(), ""),
        "account": ("Accounts/GetAccount", accounts_pb2.GetAccountRequest(name=account), ""),
        "me": ("Accounts/GetAccount", accounts_pb2.GetAccountRequest(name="accounts/me"), ""),
        "match": ("Matches/GetMatch", matches_pb2.GetMatchRequest(name=match), ""),
        "matches": ("Matches/ListMatches", matches_pb2.ListMatchesRequest(page_size=1), ""),
        "matches to watch": (
            "Matches/ListMatches", matches_pb2.ListMatchesRequest(which=matches_pb2.MATCH_LIST_PLAYING), "",
        ),
        "view": ("Play/View", view(match=match, seat=2), ""),
        "view of a spectator": ("Play/View", view(match=match), ""),
        "record": ("Play/Record", play_pb2.RecordRequest(match=match, seat=0), ""),
        "not in turn": ("Play/Act", play_pb2.ActRequest(match=match, text="take"), "NOT_YOUR_TURN"),
        "no such verb": ("Play/Act", play_pb2.ActRequest(match=match, text="nimm"), "UNKNOWN_ACTION"),
        "no verb": ("Play/Act", play_pb2.ActRequest(match=match), "UNKNOWN_ACTION"),
        "stale": ("Play/Act", play_pb2.ActRequest(match=match, text="take", revision=0), "STALE_REVISION"),
        "not seated": ("Play/View", view(match=match, seat=7), "NOT_SEATED"),
        "no such seat": ("Play/View", view(match=match, seat=-1), "REQUEST_INVALID"),
        "no access": ("Play/View", view(match="matches/" + "a" * 20), "NO_ACCESS"),
        "bad name": ("Play/View", view(match="matches/Ärger"), "REQUEST_INVALID"),
        "slash in a name": ("Play/View", view(match="matches/a%2Fb"), "REQUEST_INVALID"),
        "bad setting": (
            "Matches/CreateMatch",
            matches_pb2.CreateMatchRequest(game="games/bluff", settings=struct({"players": "4"})),
            "BAD_SETTING",
        ),
        "unknown value": ("Matches/ListMatches", matches_pb2.ListMatchesRequest(which=99), "REQUEST_INVALID"),  # type: ignore[arg-type]
        "page of another list": (
            "Matches/ListMatches", matches_pb2.ListMatchesRequest(page_token="Zm9v"), "PAGE_TOKEN_INVALID",
        ),
        "mask of what is only told": (
            "Accounts/UpdateAccount",
            accounts_pb2.UpdateAccountRequest(
                account=accounts_pb2.Account(name=account), update_mask=FieldMask(paths=["create_time"])
            ),
            "REQUEST_INVALID",
        ),
        "no uuid": ("Play/Act", play_pb2.ActRequest(match=match, text="take", request_id="1"), "REQUEST_INVALID"),
        "reused": ("Play/Act", play_pb2.ActRequest(match=match, seat=1, request_id=key), "REQUEST_ID_REUSED"),
        "watch nothing": ("Play/Watch", watch(match="matches/" + "a" * 20), "NO_ACCESS"),
        "watch beyond": ("Play/Watch", watch(match=match, after_revision=99), "BEYOND_HEAD"),
        "watch a seat": ("Play/Watch", watch(match=match, seat=6), "NOT_SEATED"),
        "too large": ("Play/Act", play_pb2.ActRequest(match=match, text="a" * 100_000), "MESSAGE_TOO_LARGE"),
    }  # fmt: skip


QUESTIONS: Final = tuple(questions("", ""))


async def test_every_question_gets_the_same_answer_or_refusal_on_every_transport(table: Table) -> None:
    key = "5f1c6a3e-8f0b-4e43-9a57-0d6f6f0e1c11"
    await table.ways[0].call("Play/Act", play_pb2.ActRequest(match=table.match, text="take", request_id=key))
    differing: list[str] = []
    for name, (method, request, reason) in questions(table.match, table.account).items():
        answers: list[Any] = []
        for way in table.ways:
            if method == "Play/Watch":
                messages, status = await read(way, request)
                assert not messages, (name, way.name)
                answers.append(status)
            else:
                answers.append(await told(way, method, request))
        first = answers[0]
        given = Failure(first).reason if isinstance(first, Status) else ""
        assert given == reason, (name, first)
        differing += [
            f"{name} over {way.name}: {shown(answer)}"
            for way, answer in zip(table.ways, answers, strict=True)
            if shown(answer) != shown(first)
        ]
    assert not differing, "\n".join(differing)


async def test_a_whole_match_is_played_by_turns_over_all_and_watched_over_each(table: Table) -> None:
    watched = play_pb2.WatchRequest(match=table.match, seat=1, after_revision=0)
    watching = [asyncio.create_task(read(way, watched)) for way in table.ways]
    view = await table.ways[0].call("Play/View", play_pb2.ViewRequest(match=table.match, seat=0))
    must, number = view.turn.must, 0
    while must:
        way = table.ways[number % len(table.ways)]
        request = play_pb2.ActRequest(
            match=table.match, seat=must[0], text="take", revision=number + 1, request_id=str(UUID(int=number + 1))
        )
        acted = await way.call("Play/Act", request)
        assert acted.revision == number + 2
        again = await table.ways[(number + 1) % len(table.ways)].call("Play/Act", request)
        assert (again.revision, again.replayed) == (acted.revision, True), "a repeat over another way takes no effect"
        must, number = acted.update.step.head.turn.must, number + 1
    assert number > len(table.ways), "each way has acted"
    streams = dict(zip(WAYS, await asyncio.gather(*watching), strict=True))
    whole, status = streams["grpc"]
    assert status is None
    assert whole[-1].end.cause == play_pb2.END_CAUSE_MATCH_OVER
    steps = [message.revision for message in whole if message.HasField("step")]
    assert steps == list(range(1, number + 2)), "each revision comes once, in order"
    for name, (messages, ended) in streams.items():
        assert ended is None, name
        assert _steps(messages) == _steps(whole), name
    record = [await told(way, "Play/Record", play_pb2.RecordRequest(match=table.match)) for way in table.ways]
    assert record[0].entries
    assert all(one == record[0] for one in record)


@pytest.mark.parametrize("name", STREAMS)
async def test_stream_is_resumed_from_its_last_revision(table: Table, name: str) -> None:
    way, acting = table.by_name[name], table.ways[0]
    first = way.stream("Play/Watch", play_pb2.WatchRequest(match=table.match, seat=0, after_revision=0))
    begun = await anext(first)
    assert begun.revision == 1
    await first.aclose()  # type: ignore[attr-defined]
    must = [0]
    for _ in range(3):
        acted = await acting.call("Play/Act", play_pb2.ActRequest(match=table.match, seat=must[0], text="take"))
        must = acted.update.step.head.turn.must
    again = way.stream("Play/Watch", play_pb2.WatchRequest(match=table.match, seat=0, after_revision=begun.revision))
    found = []
    async for message in again:
        if message.HasField("step"):
            found.append(message.revision)
        if message.revision == 4 and message.HasField("step"):
            assert message.step.HasField("head"), "the newest tells how things stand"
            break
        assert not message.step.HasField("head")
    await again.aclose()  # type: ignore[attr-defined]
    assert found == [2, 3, 4]


@pytest.mark.parametrize("name", STREAMS)
async def test_own_matches_over_each(table: Table, name: str) -> None:
    stream = table.by_name[name].stream("Play/WatchMine", play_pb2.WatchMineRequest())
    summary = (await anext(stream)).summary
    assert [(status.match, status.my_turn) for status in summary.matches] == [(table.match, True)]
    await table.ways[0].call("Play/Act", play_pb2.ActRequest(match=table.match, text="take"))
    assert (await anext(stream)).changed.revision == 2
    await stream.aclose()  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", STREAMS)
async def test_stream_ends_when_the_server_is_about_to_stop(serve: Serving, name: str) -> None:
    async with serve(http=True) as served:
        table = Table(served, (await served.guest()).token)
        match = await table.create(table.ways[0])
        way = table.by_name[name]
        reading = asyncio.create_task(read(way, play_pb2.WatchRequest(match=match.name, after_revision=0)))
        async with asyncio.timeout(30):
            while not served.is_watched(match.name):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
    messages, status = await asyncio.wait_for(reading, 30)
    assert messages[-1].end.cause == play_pb2.END_CAUSE_DRAINING
    assert messages[-1].end.resume
    assert Failure(status).reason == "DRAINING"


def _steps(messages: list[Any]) -> list[Any]:
    """The steps without their heads: whoever catches up is told how things stand once, and later than another."""
    found = []
    for message in messages:
        if message.HasField("step"):
            step = play_pb2.Update.FromString(message.SerializeToString())
            step.step.ClearField("head")
            found.append(step)
    return found
