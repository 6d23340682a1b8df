"""Hosts over the wire: masks, what watchers are told, and each right with a repeated request."""

from typing import Any
from uuid import uuid4

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask

from chautari.v1 import hosting_pb2, match_pb2, matches_pb2, play_pb2, server_pb2
from tests.wire.served import Caller, Code, Served, serving, struct


async def seated(served: Served, players: int = 3, **fields: Any) -> tuple[Caller, Caller, match_pb2.Match]:
    """A host, a friend, and the match in which both sit."""
    host, friend = await served.guest("Host"), await served.guest("Friend")
    request = matches_pb2.CreateMatchRequest(
        game="games/gulam_chor", settings=struct({"players": players}), seats=[0], **fields
    )
    match = await host.call("Matches/CreateMatch", request)
    joined = await friend.call("Matches/JoinMatch", matches_pb2.JoinMatchRequest(link=match.link))
    return host, friend, joined.match


def update(match: match_pb2.Match, paths: list[str], **fields: Any) -> matches_pb2.UpdateMatchRequest:
    """A request to change these fields."""
    return matches_pb2.UpdateMatchRequest(
        match=match_pb2.Match(name=match.name, **fields), update_mask=FieldMask(paths=paths)
    )


async def test_match_is_changed_by_mask_and_without_one_by_what_is_set() -> None:
    async with serving() as served:
        host = await served.guest()
        match = await host.create("gulam_chor", seats=(0,), players=4, rounds=3)
        stream = host.watch(match.name, after_revision=1)
        await stream.read()
        changed = await host.call(
            "Matches/UpdateMatch",
            update(match, ["title", "settings.rounds"], title="शुक्र", settings=struct({"rounds": 2, "players": 8})),
        )
        assert (changed.title, changed.settings["rounds"], changed.settings["players"]) == ("शुक्र", 2, 4)
        told = (await stream.read()).step.events[0].match_updated
        assert list(told.update_mask.paths) == ["settings", "title"]
        stream.cancel()
        changed = await host.call(
            "Matches/UpdateMatch",
            update(
                match, [], privacy=match_pb2.PRIVACY_PUBLIC, start=match_pb2.START_RULE_BY_HOST,
                spectator_delay=Duration(seconds=9), seating=match_pb2.SEATING_RULE_CHOSEN, etag=changed.etag,
                settings=struct({"players": 5}),
            ),
        )  # fmt: skip
        assert (changed.privacy, changed.audience) == (match_pb2.PRIVACY_PUBLIC, match_pb2.AUDIENCE_EVERYONE)
        assert (changed.start, changed.seating) == (match_pb2.START_RULE_BY_HOST, match_pb2.SEATING_RULE_CHOSEN)
        assert (changed.spectator_delay.seconds, len(changed.seats), changed.title) == (9, 5, "शुक्र")
        assert changed.settings["rounds"] == 2
        whole = match_pb2.Match()
        whole.CopyFrom(changed)
        whole.title, whole.disclosure = "", match_pb2.DISCLOSURE_SHOWN_ONLY
        request = matches_pb2.UpdateMatchRequest(match=whole, update_mask=FieldMask(paths=["*"]))
        changed = await host.call("Matches/UpdateMatch", request)
        assert (changed.title, changed.disclosure) == ("", match_pb2.DISCLOSURE_SHOWN_ONLY)
        stale = await host.refused("Matches/UpdateMatch", update(match, ["title"], title="x", etag="1"))
        assert (stale.code, stale.reason) == (Code.ABORTED, "STALE_REVISION")


@pytest.mark.parametrize(
    ("paths", "fields", "field"),
    [
        (["host"], {"host": "accounts/x"}, "update_mask"),
        (["revision", "title"], {}, "update_mask"),
        (["settings.players.x"], {}, "update_mask"),
        (["titel"], {}, "update_mask"),
        (["*", "title"], {}, "update_mask"),
        ([""], {}, "update_mask"),
        (["privacy"], {}, "match.privacy"),
        (["seating"], {"seating": 77}, "match.seating"),
        (["audience"], {"audience": match_pb2.AUDIENCE_EVERYONE}, "match.audience"),
        (["spectator_delay"], {"spectator_delay": Duration(seconds=3601)}, "match.spectator_delay"),
        (["title"], {"name": "matches/UPPER"}, "match.name"),
        (["title"], {"name": ""}, "match.name"),
    ],
)
async def test_what_cannot_be_changed_is_named(paths: list[str], fields: dict[str, Any], field: str) -> None:
    async with serving() as served:
        host = await served.guest()
        match = await host.create("gulam_chor", seats=(0,), players=4)
        fields = {"name": match.name, **fields}
        request = matches_pb2.UpdateMatchRequest(match=match_pb2.Match(**fields), update_mask=FieldMask(paths=paths))
        refused = await host.refused("Matches/UpdateMatch", request)
        assert (refused.code, refused.reason) == (Code.INVALID_ARGUMENT, "REQUEST_INVALID")
        assert field in refused.fields
        wrong = update(match, [], settings=struct({"players": 99}))
        unset = await host.refused("Matches/UpdateMatch", wrong)
        assert (unset.reason, list(unset.fields)) == ("BAD_SETTING", ["match.settings.players"])
        no_match = await host.refused("Matches/UpdateMatch", matches_pb2.UpdateMatchRequest())
        assert (no_match.reason, list(no_match.fields)) == ("REQUEST_INVALID", ["match"])


async def test_rights_of_a_host_take_effect_once() -> None:
    async with serving() as served:
        host, friend, match = await seated(served)

        async def twice(method: str, request: Any) -> match_pb2.Match:
            request.request_id = str(uuid4())
            answers = [await host.call(f"Hosting/{method}", request) for _ in range(2)]
            assert answers[0].revision == answers[1].revision
            answer: match_pb2.Match = answers[1]
            return answer

        stream = host.watch(match.name, after_revision=match.revision)
        await stream.read()
        account = friend.account
        removed = await twice("RemoveFromMatch", hosting_pb2.RemoveFromMatchRequest(name=match.name, account=account))
        assert removed.seats[1].state == match_pb2.SEAT_STATE_OPEN
        assert (await stream.read()).step.events[0].seat_vacated.removed
        join = matches_pb2.JoinMatchRequest(code=match.code)
        refused = await friend.refused("Matches/JoinMatch", join)
        assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "REMOVED_BY_HOST")
        await twice("ReadmitToMatch", hosting_pb2.ReadmitToMatchRequest(name=match.name, account=account))
        assert not (await stream.read()).step.events
        renewed = await twice("RenewCode", hosting_pb2.RenewCodeRequest(name=match.name))
        assert renewed.code != match.code
        assert list((await stream.read()).step.events[0].match_updated.update_mask.paths) == ["code"]
        assert (await friend.refused("Matches/JoinMatch", join)).reason == "CODE_UNKNOWN"
        await friend.call("Matches/JoinMatch", matches_pb2.JoinMatchRequest(code=renewed.code))
        handed = await twice("TransferHost", hosting_pb2.TransferHostRequest(name=match.name, account=account))
        assert handed.host == account
        stream.cancel()
        host, friend = friend, host
        closed = await twice("CloseMatch", hosting_pb2.CloseMatchRequest(name=match.name))
        assert (closed.state, closed.result.reason) == (match_pb2.MATCH_STATE_ABORTED, match_pb2.END_REASON_CLOSED)
        last = friend.watch(match.name, after_revision=closed.revision - 1)
        assert (await last.read()).step.events[0].match_ended.result.reason == match_pb2.END_REASON_CLOSED
        assert (await last.read()).end.cause == play_pb2.END_CAUSE_MATCH_OVER


async def test_a_join_repeated_after_leaving_gets_its_first_answer() -> None:
    async with serving() as served:
        host, friend = await served.guest(), await served.guest()
        match = await host.create("bluff", seats=(0,), players=3)
        join = matches_pb2.JoinMatchRequest(link=match.link, request_id=str(uuid4()))
        first = await friend.call("Matches/JoinMatch", join)
        await friend.call("Matches/LeaveMatch", matches_pb2.LeaveMatchRequest(name=match.name))
        again = await friend.call("Matches/JoinMatch", join)
        assert (again.match.revision, again.view.revision, again.view.seat) == (2, 2, 1)
        assert [seat.account for seat in again.view.seats] == [seat.account for seat in first.view.seats]
        assert (await host.call("Matches/GetMatch", matches_pb2.GetMatchRequest(name=match.name))).revision == 3


async def test_whoever_joins_the_last_seat_by_its_number_is_shown_the_seat_that_it_drew() -> None:
    async with serving() as served:
        for _ in range(6):
            host = await served.guest()
            request = matches_pb2.CreateMatchRequest(
                game="games/gulam_chor", settings=struct({"players": 2}), seats=[0],
                seating=match_pb2.SEATING_RULE_RANDOM,
            )  # fmt: skip
            match = await host.call("Matches/CreateMatch", request)
            friend = await served.guest()
            joined = await friend.call("Matches/JoinMatch", matches_pb2.JoinMatchRequest(link=match.link, seats=[1]))
            assert list(joined.match.my_seats) == [joined.view.seat]
            assert joined.match.seats[joined.view.seat].account == friend.account


async def test_codes_that_have_expired_count_as_wrong() -> None:
    async with serving(wrong_codes_per_minute=2, code_seconds=0.001) as served:
        host, guesser = await served.guest(), await served.guest()
        match = await host.create("gulam_chor", seats=(0,), players=3)
        find = matches_pb2.FindMatchRequest(code=match.code)
        for expected in ("CODE_EXPIRED", "CODE_EXPIRED", "TOO_MANY_REQUESTS"):
            assert (await guesser.refused("Matches/FindMatch", find)).reason == expected


async def test_open_matches_are_limited_by_account() -> None:
    async with serving(open_matches_per_account=2) as served:
        host = await served.guest()
        for _ in range(2):
            await host.create("bluff")
        info = await host.call("Server/GetServerInfo", server_pb2.GetServerInfoRequest())
        limits = info.limits
        told = (limits.max_open_matches, limits.code_seconds, limits.seating_seconds, limits.idle_seconds)
        assert told == (2, 86_400, 86_400, 90 * 86_400)
        refused = await host.refused("Matches/CreateMatch", matches_pb2.CreateMatchRequest(game="games/bluff"))
        assert (refused.code, refused.reason) == (Code.RESOURCE_EXHAUSTED, "TOO_MANY_OPEN_MATCHES")
        assert refused.info.metadata["limit"] == "2"
