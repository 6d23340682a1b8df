"""Spectators over the wire: the same bytes before and after what they may not see yet, and a ticket for a link."""

from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from chautari.v1 import match_pb2, matches_pb2, play_pb2
from tests.wire.served import Caller, Code, Refused, serving, struct

HOUR = Duration(seconds=3600)


def creation(players: int, **fields: Any) -> matches_pb2.CreateMatchRequest:
    """A request for a match with its creator on seat 0."""
    settings = struct({"players": players, "rounds": 1})
    return matches_pb2.CreateMatchRequest(game="games/gulam_chor", settings=settings, seats=[0], **fields)


async def answers(spectator: Caller, name: str, link: str) -> list[bytes]:
    """All that a spectator can be told of a match, to the byte, but for the clock."""
    view = await spectator.call("Play/View", play_pb2.ViewRequest(match=name))
    view.ClearField("server_time")
    record = await spectator.call("Play/Record", play_pb2.RecordRequest(match=name, page_size=1))
    told: list[bytes] = [
        view.SerializeToString(deterministic=True),
        record.SerializeToString(deterministic=True),
        *await streamed(spectator, "Play/Watch", play_pb2.WatchRequest(match=name, after_revision=0), view.revision),
        *await streamed(spectator, "Play/DownloadRecord", play_pb2.DownloadRecordRequest(match=name), 0),
    ]
    request: Message
    for method, request in (
        ("Matches/GetMatch", matches_pb2.GetMatchRequest(name=name)),
        ("Matches/FindMatch", matches_pb2.FindMatchRequest(link=link)),
    ):
        told.append((await spectator.call(method, request)).SerializeToString(deterministic=True))
    for method, request in (
        ("Play/Act", play_pb2.ActRequest(match=name, seat=0, text="take", revision=1)),
        ("Play/View", play_pb2.ViewRequest(match=name, seat=1)),
        ("Matches/JoinMatch", matches_pb2.JoinMatchRequest(name=name)),
        ("Matches/JoinMatch", matches_pb2.JoinMatchRequest(link=link, seats=[1])),
        ("Matches/LeaveMatch", matches_pb2.LeaveMatchRequest(name=name)),
        ("Matches/StartMatch", matches_pb2.StartMatchRequest(name=name)),
        ("Matches/ResignMatch", matches_pb2.ResignMatchRequest(name=name)),
        ("Matches/RematchMatch", matches_pb2.RematchMatchRequest(name=name)),
    ):
        told.append((await spectator.refused(method, request)).status.SerializeToString(deterministic=True))
    with pytest.raises(Exception, match="the match is at revision") as beyond:
        await spectator.watch(name, after_revision=view.revision + 1).read()
    told.append(Refused.of(beyond.value).status.SerializeToString(deterministic=True))  # type: ignore[arg-type]
    return told


async def streamed(caller: Caller, method: str, request: Any, until: int) -> list[bytes]:
    """The messages of a stream up to a revision, or to its end."""
    stream = caller.stream(method, request)
    got = []
    async for message in stream:
        got.append(message.SerializeToString(deterministic=True))
        if until and message.revision >= until:
            break
    stream.cancel()
    return got


async def test_a_spectator_is_told_the_same_to_the_byte_until_the_delay_has_passed() -> None:
    async with serving() as served:
        host, friend, spectator = [await served.guest(name) for name in ("Host", "Friend", "Spectator")]
        request = creation(2, privacy=match_pb2.PRIVACY_PUBLIC, spectator_delay=HOUR)
        match = await host.call("Matches/CreateMatch", request)
        assert (match.audience, match.spectator_delay.seconds) == (match_pb2.AUDIENCE_EVERYONE, 3600)
        await friend.call("Matches/JoinMatch", matches_pb2.JoinMatchRequest(name=match.name))
        before = await answers(spectator, match.name, match.link)
        presence = host.watch(match.name, seat=0)
        await presence.read()
        while True:
            view = await host.call("Play/View", play_pb2.ViewRequest(match=match.name))
            if view.state == match_pb2.MATCH_STATE_FINISHED:
                break
            seat = view.turn.must[0]
            player = (host, friend)[seat]
            await player.call("Play/Act", play_pb2.ActRequest(match=match.name, seat=seat, text="take"))
            if view.revision == 4:
                assert await answers(spectator, match.name, match.link) == before
        presence.cancel()
        await host.call("Matches/RematchMatch", matches_pb2.RematchMatchRequest(name=match.name))
        assert await answers(spectator, match.name, match.link) == before


async def test_whoever_has_the_link_watches_with_a_ticket_of_its_own() -> None:
    async with serving() as served:
        host, watcher, other = [await served.guest(name) for name in ("Host", "Watcher", "Other")]
        match = await host.call("Matches/CreateMatch", creation(3, audience=match_pb2.AUDIENCE_LINK))
        assert match.ticket == ""
        found = await watcher.call("Matches/FindMatch", matches_pb2.FindMatchRequest(link=match.link))
        assert found.ticket
        assert not (await watcher.call("Matches/FindMatch", matches_pb2.FindMatchRequest(code=match.code))).ticket
        for method, request in (
            ("Matches/GetMatch", matches_pb2.GetMatchRequest(name=match.name, ticket=found.ticket)),
            ("Play/View", play_pb2.ViewRequest(match=match.name, ticket=found.ticket)),
            ("Play/Record", play_pb2.RecordRequest(match=match.name, ticket=found.ticket)),
        ):
            await watcher.call(method, request)
            refused = await other.refused(method, request)
            assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "NO_ACCESS")
        stream = watcher.watch(match.name, after_revision=0, ticket=found.ticket)
        assert (await stream.read()).step.events[0].seat_taken.seat == 0
        stream.cancel()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"spectator_delay": Duration(seconds=3601)}, "spectator_delay"),
        ({"spectator_delay": Duration(seconds=-1)}, "spectator_delay"),
        ({"spectator_delay": Duration(nanos=-1)}, "spectator_delay"),
        ({"audience": match_pb2.AUDIENCE_EVERYONE}, "audience"),
        ({"audience": 99}, "audience"),
        ({"privacy": match_pb2.PRIVACY_PUBLIC, "audience": match_pb2.AUDIENCE_MEMBERS}, "audience"),
    ],
)
async def test_who_may_watch_and_how_late_is_judged(fields: dict[str, Any], field: str) -> None:
    async with serving() as served:
        host = await served.guest()
        refused = await host.refused("Matches/CreateMatch", creation(2, **fields))
        assert (refused.code, refused.reason, list(refused.fields)) == (
            Code.INVALID_ARGUMENT,
            "REQUEST_INVALID",
            [field],
        )
