"""Who comes by the code of a match that takes nobody any more is told so, for a day; a guesser no more than that."""

import asyncio
from typing import Any

import pytest

from chautari.app.caller import Caller
from chautari.app.listing import Which
from chautari.app.new_matches import NewMatch
from chautari.app.service import App
from chautari.app.values import CODE_KEPT, SECOND, Audience, Match, MatchState, Privacy, StartRule
from chautari.errors import ChautariError
from chautari.store.memory import MemoryStore
from tests.app.tables import guest, play_out, request, running_app
from tests.app.test_spectating import Hour, refusal

_DAY = CODE_KEPT // SECOND


async def waiting(app: App, **new: Any) -> tuple[Match, Caller]:
    """A match that waits for one more, and its host."""
    host = await guest(app, "Host")
    settings = {"players": 2, **new.pop("settings", {})}
    return await app.matches.create(host, NewMatch(game="bluff", settings=settings, seats=(0,), **new), None), host


async def told(app: App, who: Caller, **by: Any) -> tuple[str, dict[str, str]]:
    """Why somebody cannot join so, and what that speaks of."""
    reason, _, values = await refusal(app.matches.join(who, **by))
    return reason, values


async def test_who_comes_late_is_told_that_the_match_has_begun_and_then_that_it_is_over() -> None:
    async with running_app() as app:
        match, host = await waiting(app, settings={"players": 2})
        friend, late = await guest(app), await guest(app)
        await app.matches.join(friend, code=match.code)
        by_code, by_link = {"code": f" {(match.code or '').lower()} "}, {"link": match.link}
        for reason in ("MATCH_STARTED", "MATCH_OVER"):
            assert await told(app, late, **by_code) == await told(app, late, **by_link) == (reason, {})
            assert await told(app, late, **by_code, seats=(0,)) == (reason, {})
            assert (await refusal(app.matches.find(late, **by_code)))[0] == reason
            await play_out(app, match, [host, friend])
        assert (await app.matches.find(late, **by_link)).is_over


async def test_members_come_back_by_the_code_as_by_the_link() -> None:
    async with running_app() as app:
        match, host = await waiting(app)
        friend = await guest(app)
        await app.matches.join(friend, code=match.code)
        for _ in range(2):
            for who in (host, friend):
                back = await app.matches.join(who, code=match.code)
                assert back == await app.matches.join(who, link=match.link)
                assert await app.matches.find(who, code=match.code) == back
                assert (await told(app, who, code=match.code, seats=(0, 1)))[1] == {"match": f"matches/{match.id}"}
            await play_out(app, match, [host, friend])


@pytest.mark.parametrize("way", ["closed", "left"])
async def test_a_match_that_ended_before_its_start_is_over(way: str) -> None:
    async with running_app() as app:
        match, host = await waiting(app)
        late = await guest(app)
        await (app.hosting.close if way == "closed" else app.matches.leave)(host, match.id)
        assert await told(app, late, code=match.code) == await told(app, late, link=match.link) == ("MATCH_OVER", {})
        assert (await refusal(app.matches.find(late, code=match.code)))[0] == "MATCH_OVER"


@pytest.mark.parametrize(
    ("audience", "is_named"), [(Audience.EVERYONE, True), (Audience.LINK, False), (Audience.MEMBERS, False)]
)
async def test_a_match_is_named_to_those_who_may_watch_it(audience: Audience, is_named: bool) -> None:
    async with running_app() as app:
        privacy = Privacy.PUBLIC if is_named else Privacy.PRIVATE
        match, _ = await waiting(app, privacy=privacy, audience=audience)
        late = await guest(app)
        await app.matches.join(await guest(app), code=match.code)
        named = {"match": f"matches/{match.id}"} if is_named else {}
        assert await told(app, late, code=match.code) == ("MATCH_STARTED", named)
        assert await told(app, late, link=match.link) == ("MATCH_STARTED", named)
        if is_named:
            found = await app.matches.find(late, code=match.code)
            assert (found.id, found.state) == (match.id, MatchState.PLAYING)
        else:
            assert (await refusal(app.matches.find(late, code=match.code)))[0] == "MATCH_STARTED"


async def test_whom_the_host_removed_hears_no_more_of_a_private_match() -> None:
    async with running_app() as app:
        match, host = await waiting(app, start_rule=StartRule.BY_HOST)
        removed = await guest(app)
        await app.matches.join(removed, code=match.code)
        await app.hosting.remove(host, match.id, removed.account)
        await app.matches.join(await guest(app), code=match.code)
        await app.matches.start(host, match.id)
        for by in ({"code": match.code}, {"link": match.link}):
            assert (await refusal(app.matches.find(removed, **by)))[0] == "REMOVED_BY_HOST"


async def test_a_code_is_forgotten_a_day_after_the_start_however_long_the_match_goes_on() -> None:
    clock = Hour()
    async with running_app(store=MemoryStore(clock)) as app:
        match, host = await waiting(app, start_rule=StartRule.BY_HOST)
        late = await guest(app)
        clock.pass_seconds(_DAY)
        assert (await told(app, late, code=match.code))[0] == "CODE_EXPIRED"
        await app.matches.join(await guest(app), link=match.link)
        await app.matches.start(host, match.id)
        assert (await told(app, late, code=match.code))[0] == "MATCH_STARTED"
        clock.pass_seconds(_DAY - 1)
        assert (await told(app, late, code=match.code))[0] == "MATCH_STARTED"
        clock.pass_seconds(1)
        assert (await told(app, late, code=match.code))[0] == "CODE_UNKNOWN"
        assert (await refusal(app.matches.find(host, code=match.code)))[0] == "CODE_UNKNOWN"
        assert (await told(app, late, link=match.link))[0] == "MATCH_STARTED"


async def test_a_new_match_has_no_code_that_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Hour()
    async with running_app(store=MemoryStore(clock)) as app:
        match, _ = await waiting(app)
        late = await guest(app)
        await app.matches.join(await guest(app), code=match.code)
        codes = iter([match.code, "NEWONE", match.code])
        monkeypatch.setattr("chautari.app.new_matches.new_code", lambda: next(codes))
        monkeypatch.setattr("chautari.app.matches.new_code", lambda: next(codes))
        assert (await waiting(app))[0].code == "NEWONE"
        assert (await told(app, late, code=match.code))[0] == "MATCH_STARTED"
        clock.pass_seconds(_DAY)
        again, _ = await waiting(app)
        assert again.code == match.code
        assert (await app.matches.join(late, code=match.code)).id == again.id


async def test_a_match_that_starts_as_it_is_made_has_no_code() -> None:
    async with running_app() as app:
        host = await guest(app)
        match = await app.matches.create(host, NewMatch(game="bluff", settings={"players": 2}, seats=(0, 1)), None)
        assert (match.state, match.code, match.code_expires_at) == (MatchState.PLAYING, None, None)


async def test_of_many_who_join_by_code_at_once_those_who_are_too_late_are_told_so() -> None:
    async with running_app() as app:
        match, _ = await waiting(app, settings={"players": 3})
        people = [await guest(app, f"Guest {number}") for number in range(12)]
        joins = [app.matches.join(who, code=match.code, request=request(who)) for who in people]
        outcomes = await asyncio.gather(*joins, return_exceptions=True)
        seated = [who for who, outcome in zip(people, outcomes, strict=True) if isinstance(outcome, Match)]
        assert len(seated) == 2
        refused = [outcome for outcome in outcomes if isinstance(outcome, ChautariError)]
        assert [(error.reason, error.values) for error in refused] == [("MATCH_STARTED", {})] * 10
        assert [match.id for match in (await app.lists.page(seated[0], Which.MINE, None, 0, ""))[0]] == [match.id]
