"""A game gets other rules while matches are under way: those go on by the rules that they began with."""

from copy import copy
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask

from chautari.app.replay import faults
from chautari.engine import Game
from chautari.engine.position import make_header
from chautari.games import GAMES, RULES, find_game
from chautari.v1 import action_pb2, match_pb2, matches_pb2, operate_pb2, play_pb2, view_pb2
from chautari.wire.records.verify import verify
from tests.wire.served import Caller, serving, struct
from tests.wire.test_operate import operator
from tests.wire.test_records import merged, pages


class Next:
    """The next version of a game. Whoever reads more of it than this has taken the wrong rules."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.key = game.key
        self.version = game.version + 1


def changes(monkeypatch: pytest.MonkeyPatch, key: str, *, keeps_old: bool = True) -> None:
    """From now on this program has other rules of a game, and those of before too, or not: then what is told without a
    state is told by those of now."""
    game = find_game(key)
    later: Any = Next(game)
    if not keeps_old:
        later = copy(game)
        later.version += 1
        later.header = make_header(key, later.version)
    monkeypatch.setitem(GAMES, key, later)
    monkeypatch.setitem(RULES, (key, later.version), later)
    if not keeps_old:
        monkeypatch.delitem(RULES, (key, game.version))


async def created(host: Caller, **more: Any) -> match_pb2.Match:
    """A match of Gulam Chor by three, with one guest on all seats that are named."""
    request = matches_pb2.CreateMatchRequest(
        game="games/gulam_chor", settings=struct({"players": 3}), privacy=match_pb2.PRIVACY_PUBLIC, **more
    )
    match: match_pb2.Match = await host.call("Matches/CreateMatch", request)
    return match


async def play(host: Caller, match: str) -> None:
    """Plays first actions until the match is over, each in its typed form, which the rules read."""
    for _ in range(500):
        view: view_pb2.View = await host.call("Play/View", play_pb2.ViewRequest(match=match, seat=0))
        if view.state == match_pb2.MATCH_STATE_FINISHED:
            return
        seat = view.turn.must[0]
        seen = await host.call("Play/View", play_pb2.ViewRequest(match=match, seat=seat))
        verb, _, place = seen.options[0].actions[0].partition(" ")
        action = action_pb2.Action(verb=verb, arguments=[action_pb2.Argument(number=int(place))])
        await host.call("Play/Act", play_pb2.ActRequest(match=match, seat=seat, action=action))
    raise AssertionError("the match does not end")


async def test_matches_under_way_go_on_by_the_rules_that_they_began_with(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(calls_per_second=0) as served:
        host, onlooker = await served.guest("Sita"), await served.guest("Hari")
        begun = await created(host, seats=(0, 1, 2))
        late = await created(host, seats=(0, 1, 2), spectator_delay=Duration(nanos=1_000_000))
        waiting = await created(host, seats=(0,), start=match_pb2.START_RULE_BY_HOST)
        changes(monkeypatch, "gulam_chor")
        for match in (begun, late, waiting):
            served.app.matches._live.forget(match.name.removeprefix("matches/"))

        changed = match_pb2.Match(name=waiting.name, settings=struct({"players": 2}))
        request = matches_pb2.UpdateMatchRequest(match=changed, update_mask=FieldMask(paths=["settings.players"]))
        assert len((await host.call("Matches/UpdateMatch", request)).seats) == 2
        await host.call("Matches/JoinMatch", matches_pb2.JoinMatchRequest(name=waiting.name, seats=[1]))
        await host.call("Matches/StartMatch", matches_pb2.StartMatchRequest(name=waiting.name))
        for match in (begun, late, waiting):
            assert (await onlooker.call("Play/View", play_pb2.ViewRequest(match=match.name))).zones
            await play(host, match.name)
            assert match.rules_version == (await host.call("Matches/GetMatch", named(match))).rules_version
            steps = [update async for update in onlooker.watch(match.name, after_revision=0)]
            assert steps[-1].end.cause == play_pb2.END_CAUSE_MATCH_OVER
            assert verify(merged(await pages(host, match.name, 0))).holds
            kept = await served.app.store.find_match(match.name.removeprefix("matches/"))
            assert kept is not None
            assert faults(kept, await served.app.store.entries(kept.id, 0, 1000)) == []
        listed = await host.call("Matches/ListMatches", matches_pb2.ListMatchesRequest())
        assert len(listed.matches) == 3


def named(match: match_pb2.Match) -> matches_pb2.GetMatchRequest:
    """Asks for a match."""
    return matches_pb2.GetMatchRequest(name=match.name)


async def test_without_them_it_is_said_which_are_missing_and_an_operator_can_end_the_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving() as served:
        host, by = await served.guest("Sita"), await operator(served)
        match = await created(host, seats=(0, 1, 2))
        stream = host.watch(match.name, seat=0, after_revision=match.revision)
        assert (await stream.read()).HasField("heartbeat")
        with monkeypatch.context() as patch:
            changes(patch, "gulam_chor", keeps_old=False)
            served.app.matches._live.forget(match.name.removeprefix("matches/"))
            known = await served.app.store.find_match(match.name.removeprefix("matches/"))
            assert known is not None
            for asks, request in (
                ("Play/View", play_pb2.ViewRequest(match=match.name)),
                ("Matches/FindMatch", matches_pb2.FindMatchRequest(link=known.link)),
            ):
                refused = await host.refused(asks, request)
                assert (refused.reason, dict(refused.info.metadata)) == (
                    "RULES_UNKNOWN", {"game": "gulam_chor", "version": str(match.rules_version)}
                )  # fmt: skip
            ask = operate_pb2.EndMatchRequest(
                match=match.name, ending=operate_pb2.ENDING_AS_IT_STANDS, reason="old", note="sorry"
            )
            assert (await by.refused("Operate/EndMatch", ask)).reason == "MATCH_UNREADABLE"
            ask.ending = operate_pb2.ENDING_ABORT
            for ended in (await by.call("Operate/EndMatch", ask), await host.call("Matches/GetMatch", named(match))):
                assert ended.state == match_pb2.MATCH_STATE_ABORTED
                assert (ended.result.reason, ended.result.note) == (match_pb2.END_REASON_OPERATOR, "sorry")
            step, end = await stream.read(), await stream.read()
            kinds = [event.WhichOneof("kind") for event in step.step.events]
            assert (kinds, end.end.cause) == (
                ["match_stopped", "turned", "match_ended"], play_pb2.END_CAUSE_MATCH_OVER
            )  # fmt: skip
            mine = matches_pb2.ListMatchesRequest(which=matches_pb2.MATCH_LIST_MY_TURN)
            assert not (await host.call("Matches/ListMatches", mine)).matches
            view = await host.call("Play/View", play_pb2.ViewRequest(match=match.name, seat=0))
            assert (view.state, view.result.note) == (match_pb2.MATCH_STATE_ABORTED, "sorry")
        assert verify(merged(await pages(host, match.name, 0))).differences == []
        kept = await served.app.store.find_match(match.name.removeprefix("matches/"))
        assert kept is not None
        assert faults(kept, await served.app.store.entries(kept.id, 0, 1000)) == []
