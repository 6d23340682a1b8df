"""Damaged requests over each way in, thousands of them: each is answered or refused with a reason, none is a fault.

What is damaged are the requests of the matrix, which are good; so the damage gets past the door and into every method.
"""

import asyncio
import json
import random
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

import grpc
import pytest
from google.protobuf.json_format import Error as JsonError
from google.protobuf.message import Message

from chautari.errors import ChautariError
from chautari.wire.http.exchange import READ_OFF
from chautari.wire.methods import Method
from tests.wire.damage import damage, damaged_bytes, damaged_json
from tests.wire.made import methods
from tests.wire.over_http import Answer, Http
from tests.wire.roles import World, world
from tests.wire.served import Refused
from tests.wire.test_authorisation import ROWS
from tests.wire.transports import _bound

Code = grpc.StatusCode
FAULTS = (Code.INTERNAL, Code.UNKNOWN, Code.UNAVAILABLE, Code.DATA_LOSS, Code.DEADLINE_EXCEEDED, Code.UNIMPLEMENTED)
ROLES = (*("host",) * 5, *("seated", "other", "bot") * 2, "anon")
OF_TOKENS = ("Accounts/RefreshToken", "Accounts/SignOut", "Accounts/MergeAccounts")
"""Methods that are given a token besides that of the caller; damaged, it is refused as that would be."""
AT_ONCE = 8


class Fuzz:
    """Requests at one server, over connections of their own.

    answers: how many got each reason; lost: how many met a sign-in that an earlier request had ended.
    """

    def __init__(self, at: World, seed: int) -> None:
        self.at = at
        self.chance = random.Random(seed)
        self.answers: Counter[str] = Counter()
        self.lost = 0
        self._is_out = False

    async def good(self, *, streams: bool = True, by_get: bool = False) -> tuple[str, Method, str, Message]:
        """A line of the matrix: the path, the method, who calls it, and the request."""
        if self._is_out:
            self._is_out = False
            await self.at.fill()
        while True:
            name = self.chance.choice([*ROWS])
            path = "/chautari.v1." + name.partition(" ")[0].replace(".", "/")
            if methods()[path].by_get if by_get else streams or methods()[path].open is None:
                break
        role = "operator" if name.startswith("Operate") else self.chance.choice(ROLES)
        row = ROWS[name]
        try:
            made = await row.make(self.at)
        except ChautariError:  # an account has been deleted, or has as much as it may
            await self.at.fill()
            made = await row.make(self.at)
        request = methods()[path].request()
        request.CopyFrom(row.request(self.at, role, made))
        return path, methods()[path], role, request

    def note(self, reason: str, path: str, role: str) -> None:
        """Counts an answer. Where a sign-in has ended, all sign in before the next request."""
        self.answers[reason] += 1
        if reason.startswith("TOKEN_") and role != "anon" and not path.endswith(OF_TOKENS):
            self.lost += 1
            self._is_out = True


async def over_grpc(fuzz: Fuzz, web: dict[str, Http]) -> None:
    """A damaged message over gRPC."""
    del web
    path, method, role, request = await fuzz.good()
    body = damaged_bytes(request, fuzz.chance)
    caller = fuzz.at.grpc(role)
    try:
        if method.open is None:
            await caller.send(path, body, 60)
        else:
            opened: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = caller.channel.unary_stream(path)
            stream = opened(body, metadata=caller.metadata, timeout=60)
            await stream.read()
            stream.cancel()
    except grpc.aio.AioRpcError as error:
        if error.code() in FAULTS:
            raise AssertionError((path, role, body, error.details())) from error
        by_grpc = len(body) > 4 * 65536  # it refuses so much by itself
        fuzz.note("MESSAGE_TOO_LARGE" if by_grpc else Refused.of(error).reason, path, role)
    else:
        fuzz.note("OK", path, role)


async def over_connect(fuzz: Fuzz, web: dict[str, Http]) -> None:
    """A damaged request over the Connect protocol, as a message or as JSON."""
    path, _, role, request = await fuzz.good(streams=False)
    is_json = fuzz.chance.random() < 0.7
    try:
        body = (damaged_json if is_json else damaged_bytes)(request, fuzz.chance)
    except JsonError:  # JSON cannot say it
        return
    kind = "application/json" if is_json else "application/proto"
    answer = await ask(fuzz, web, role, "POST", path, body, content_type=kind)
    note(fuzz, answer, path, role, body)


async def over_connect_by_get(fuzz: Fuzz, web: dict[str, Http]) -> None:
    """A damaged request over the Connect protocol by GET: its message, and sometimes the query that holds it."""
    path, _, role, request = await fuzz.good(by_get=True)
    is_json = fuzz.chance.random() < 0.7
    try:
        message = (damaged_json if is_json else damaged_bytes)(request, fuzz.chance)
    except JsonError:
        return
    query = {"connect": "v1", "encoding": "json" if is_json else "proto", "message": message}
    if fuzz.chance.random() < 0.5:
        query |= {"base64": "1", "message": urlsafe_b64encode(message)}
    letters = list(urlencode(query))
    for _ in range(fuzz.chance.choice((0, 0, 1, 3))):
        letters[fuzz.chance.randrange(len(letters))] = fuzz.chance.choice("=&%+/;aA0\xe9")
    where = f"{path}?{''.join(letters)}"
    note(fuzz, await ask(fuzz, web, role, "GET", where, None), path, role, where)


async def over_rest(fuzz: Fuzz, web: dict[str, Http]) -> None:
    """A damaged request over REST: its path, its query, its body."""
    path, method, role, request = await fuzz.good()
    try:
        damage(request, fuzz.chance)
        verb, where, data = _bound(path.removeprefix("/chautari.v1."), request)
        body = None if data is None else json.dumps(data).encode()
        if body is not None and fuzz.chance.random() < 0.3:
            body = damaged_json(request, fuzz.chance)
    except (JsonError, ValueError):
        return
    kind = {} if body is None else {"content_type": "application/json"}
    if method.open is None:
        answer = await ask(fuzz, web, role, verb, where, body, **kind)
    else:
        http = connection(fuzz, web, role)
        await http.send(verb, where, body, **kind)
        answer = await http.begin()
        if answer.status == 200:
            await http.part()
            answer.body = b"{}"
        elif answer.status != 204:
            answer.body = await (await http.open())[0].readexactly(int(answer.headers["content-length"]))
        await http.close()
    note(fuzz, answer, path, role, (verb, where, body))


def connection(fuzz: Fuzz, web: dict[str, Http], role: str) -> Http:
    """A connection with the token of a role."""
    if role not in web:
        web[role] = fuzz.at.http()
    web[role].token = fuzz.at.grpc(role).token
    return web[role]


async def ask(
    fuzz: Fuzz, web: dict[str, Http], role: str, verb: str, path: str, body: bytes | None, **headers: str
) -> Answer:
    """Asks and gives the whole answer; of what is far too large the server may hang up while it is still sent."""
    http = connection(fuzz, web, role)
    try:
        return await http.ask(verb, path, body, **headers)
    except (ConnectionError, asyncio.IncompleteReadError):
        await http.close()
        if body is not None and len(body) > READ_OFF:
            return Answer(413, {}, b'{"reason": "MESSAGE_TOO_LARGE"}')
        assert len(path) > 8_000, (verb, path[:100])
        return Answer(431, {}, b'{"reason": "HEAD_TOO_LARGE"}')


def note(fuzz: Fuzz, answer: Answer, path: str, role: str, asked: Any) -> None:
    """Counts an answer, which is no fault and, where it is a refusal, has a reason."""
    assert answer.status < 500, (path, role, asked, answer.body)
    fuzz.note("OK" if answer.status < 400 else answer.reason, path, role)


Way = Callable[[Fuzz, dict[str, Http]], Awaitable[None]]
WAYS: tuple[Way, ...] = (over_grpc, over_connect, over_connect_by_get, over_rest)


async def run(way: Way, count: int, seed: int) -> Fuzz:
    """So many damaged requests of a way, several at a time; hardly any met a sign-in that had ended."""
    async with world(http=way is not over_grpc) as at:
        fuzz = Fuzz(at, seed)

        async def some() -> None:
            web: dict[str, Http] = {}
            for _ in range(count // AT_ONCE):
                await way(fuzz, web)

        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(some())
    assert fuzz.lost < count // 50
    assert fuzz.answers["TOKEN_MISSING"] < count // 10
    return fuzz


@pytest.mark.parametrize("way", WAYS)
async def test_damaged_requests(way: Way) -> None:
    answers = (await run(way, 1_000, 1)).answers
    assert answers["OK"] > 20
    assert answers["REQUEST_INVALID"] > 100
    assert len(answers) > 8


@pytest.mark.soak(day=34, night=374)
@pytest.mark.parametrize("way", WAYS)
async def test_many_damaged_requests(way: Way, part: int) -> None:
    fuzz = await run(way, 2_000, part)
    print(
        f"{way.__name__}, seed {part}: {fuzz.answers.total()} damaged requests, {fuzz.lost} without a sign-in;",
        dict(fuzz.answers.most_common()),
    )
