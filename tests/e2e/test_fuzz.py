"""Requests that were damaged on the way, thousands of them: each is answered or refused, and none is a fault."""

import asyncio
import random
from collections import Counter
from uuid import uuid4

import grpc
import pytest
from google.protobuf.message import Message

from chautari.v1 import accounts_pb2, action_pb2, games_pb2, matches_pb2, play_pb2
from chautari_client import to_struct
from tests.e2e.raw import Raw
from tests.e2e.server import Server

FAULTS = (
    grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DATA_LOSS
)  # fmt: skip

OF_TOKENS = ("Accounts/RefreshToken", "Accounts/SignOut")
"""Methods that are given a token besides that of the caller; damaged, it is refused as that would be."""


def requests(match: str) -> list[tuple[str, Message]]:
    """A good request of each method that is no stream; `match` is one of the caller's own."""
    cards = action_pb2.Argument(name="cards", cards={"cards": ["7H", "TS"]})
    action = action_pb2.Action(verb="lay", arguments=[action_pb2.Argument(rank="K"), cards])
    settings = to_struct({"players": 3, "form": "up", "play_on": True, "jokers": 2})
    request_id = str(uuid4())
    return [
        ("Games/ListGames", games_pb2.ListGamesRequest(page_size=2, language="ne")),
        ("Games/GetGame", games_pb2.GetGameRequest(name="games/bluff", language="hi")),
        ("Games/GetRules", games_pb2.GetRulesRequest(name="games/bluff")),
        ("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest(display_name="सीता", language="ne")),
        ("Accounts/RefreshToken", accounts_pb2.RefreshTokenRequest(refresh_token="x" * 40)),
        ("Accounts/GetAccount", accounts_pb2.GetAccountRequest(name="accounts/me")),
        (
            "Accounts/UpdateAccount",
            accounts_pb2.UpdateAccountRequest(
                account=accounts_pb2.Account(display_name="Ram"), update_mask={"paths": ["display_name"]}
            ),
        ),
        ("Accounts/SignOut", accounts_pb2.SignOutRequest(refresh_token="x" * 40)),
        (
            "Matches/CreateMatch",
            matches_pb2.CreateMatchRequest(
                game="games/bluff", settings=settings, title="T", seats=[0, 2], contribution=b"x" * 16,
                request_id=request_id,
            ),
        ),
        ("Matches/GetMatch", matches_pb2.GetMatchRequest(name=match)),
        ("Matches/ListMatches", matches_pb2.ListMatchesRequest(page_size=3, game="games/bluff")),
        ("Matches/FindMatch", matches_pb2.FindMatchRequest(code="K7M2QX")),
        ("Matches/JoinMatch", matches_pb2.JoinMatchRequest(name=match, seats=[1], request_id=request_id)),
        ("Matches/LeaveMatch", matches_pb2.LeaveMatchRequest(name=match, seats=[1])),
        ("Matches/StartMatch", matches_pb2.StartMatchRequest(name=match)),
        ("Matches/ResignMatch", matches_pb2.ResignMatchRequest(name=match, seat=9)),
        ("Matches/RematchMatch", matches_pb2.RematchMatchRequest(name=match, contribution=b"y" * 20)),
        ("Play/Act", play_pb2.ActRequest(match=match, seat=0, text="lay K 7H", revision=3, request_id=request_id)),
        ("Play/Act", play_pb2.ActRequest(match=match, seat=1, action=action)),
        ("Play/View", play_pb2.ViewRequest(match=match, seat=0)),
        ("Play/Record", play_pb2.RecordRequest(match=match, seat=0, page_size=5)),
    ]  # fmt: skip


def damaged(body: bytes, chance: random.Random) -> bytes:
    """The bytes of a message with some of them changed, lost, doubled or made up."""
    out = bytearray(body)
    for _ in range(chance.randrange(1, 5)):
        place = chance.randrange(len(out) + 1)
        match chance.randrange(6):
            case 0 if out:
                out[min(place, len(out) - 1)] = chance.randrange(256)
            case 1:
                out[place:place] = chance.randbytes(chance.randrange(1, 9))
            case 2:
                del out[place : place + chance.randrange(1, 9)]
            case 3:
                out[place:place] = out[chance.randrange(len(out) + 1) :][: chance.randrange(30)]
            case 4 if out:
                out[min(place, len(out) - 1)] ^= 1 << chance.randrange(8)
            case _:
                out += bytes([chance.randrange(1, 14) << 3]) + b"\xff" * chance.randrange(10) + b"\x7f"
    return bytes(out)


async def send_damaged(server: Server, count: int, seed: int) -> Counter[str]:
    """Sends so many damaged requests, sixteen at a time; returns how they were answered, by status.

    Sign-ins are ended by a guest of each such request's own, so that none of the others meets one that has ended.
    """
    chance, answers = random.Random(seed), Counter[str]()
    async with Raw(server.address) as raw, Raw(server.address) as leaving:
        await raw.sign_in()
        match = await raw.create("bluff", seats=[0, 1], players=2)
        good = [(method, request.SerializeToString()) for method, request in requests(match)]

        async def send_some() -> None:
            for _ in range(count // 16):
                method, body = chance.choice(good)
                sent = damaged(body, chance)
                if method == "Accounts/SignOut":
                    await leaving.sign_in()
                code = await (leaving if method == "Accounts/SignOut" else raw).status(method, sent)
                assert code not in FAULTS, (method, sent)
                assert code is not grpc.StatusCode.UNAUTHENTICATED or method in OF_TOKENS, (method, sent)
                answers[code.name] += 1

        await asyncio.gather(*(send_some() for _ in range(16)))
    assert answers["UNAUTHENTICATED"] < count // 10
    return answers


async def test_damaged_requests(server: Server) -> None:
    answers = await send_damaged(server, 2_000, 1)
    assert answers["OK"] > 50
    assert answers["INVALID_ARGUMENT"] > 500


@pytest.mark.soak(day=10, night=110)
async def test_many_damaged_requests(server: Server, part: int) -> None:
    answers = await send_damaged(server, 20_000, part)
    print(f"seed {part}: {answers.total()} damaged requests, no fault; {dict(answers)}")
