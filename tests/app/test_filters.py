"""Filters of lists: what they mean, and where one cannot be read."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chautari.app.filters import FIELDS, MOST_TERMS, Every, Is, Not, Some, holds, is_rising, read_filter, with_state
from chautari.app.listing import Which
from chautari.app.new_matches import NewMatch
from chautari.app.values import SECOND, MatchState, Privacy, StartRule
from chautari.errors import Malformed
from tests.app.tables import guest, running_app
from tests.store.made import make_match

BLUFF, JUTPATTI = Is("game", "=", "bluff"), Is("game", "=", "jutpatti")
PLAYING = Is("state", "=", "playing")
NOON = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()) * SECOND


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", None),
        ("  ", None),
        ("game=bluff", BLUFF),
        ("game = games/bluff", BLUFF),
        ('game="bluff"', BLUFF),
        ("state = PLAYING", PLAYING),
        ("state = playing", PLAYING),
        ("state != PLAYING", Is("state", "!=", "playing")),
        ("privacy = PUBLIC", Is("privacy", "=", "public")),
        ("start = BY_HOST", Is("start", "=", "by_host")),
        ("host = accounts/a1", Is("host", "=", "a1")),
        ('create_time >= "2026-11-30T12:00:00Z"', Is("create_time", ">=", NOON)),
        ("create_time<2026-11-30T17:45:00+05:45", Is("create_time", "<", NOON)),
        ("game = bluff AND state = PLAYING", Every((BLUFF, PLAYING))),
        ("game = bluff state = PLAYING", Every((BLUFF, PLAYING))),
        ("game = bluff OR game = jutpatti AND state = PLAYING", Every((Some((BLUFF, JUTPATTI)), PLAYING))),
        ("state = PLAYING AND game = bluff OR game = jutpatti", Every((PLAYING, Some((BLUFF, JUTPATTI))))),
        ("(state = PLAYING AND game = bluff) OR game = jutpatti", Some((Every((PLAYING, BLUFF)), JUTPATTI))),
        ("NOT game = bluff", Not(BLUFF)),
        ("-game = bluff", Not(BLUFF)),
        ("-(game = bluff OR game=jutpatti)", Not(Some((BLUFF, JUTPATTI)))),
        ("((game = bluff))", BLUFF),
    ],
)
def test_a_filter_is_read_as_aip_160_says(text: str, meant: object) -> None:
    assert read_filter(text) == meant


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("colour = red", 1, "there is no field 'colour'"),
        ("game = bluff AND colour = red", 18, "there is no field"),
        ("game", 5, "game is compared with =, !="),
        ("game < bluff", 6, "game is compared with"),
        ("game:bluff", 5, "game is compared with"),
        ("game = ", 8, "a value of game must stand here"),
        ("game = Bluff!", 8, "game is games/ and an id"),
        ("state = DANCING", 9, "state is one of SEATING, PLAYING, FINISHED, ABORTED"),
        ("create_time > yesterday", 15, "create_time is a time with its zone"),
        ("create_time > 2026-11-30T12:00:00", 15, "with its zone"),
        ("(game = bluff", 14, "a closing bracket is missing"),
        ("game = bluff)", 13, "a closing bracket without an opening one"),
        ("AND", 1, "there is no field 'AND'"),
        ("game = bluff AND", 17, "a field must stand here"),
        ("game = bluff OR OR", 17, "there is no field 'OR'"),
        ('game = "bluff', 8, "a value of game must stand here"),
        ("()", 2, "a field must stand here"),
        ("((((((((((game = bluff))))))))))", 10, "more than 8 brackets"),
        ("खेल = bluff", 1, "there is no field 'खेल'"),
        (" ".join(["game=a"] * (MOST_TERMS + 1)), 7 * MOST_TERMS + 1, "more than 20 restrictions"),
    ],
)
def test_what_cannot_be_read_is_shown_by_its_place(text: str, position: int, says: str) -> None:
    with pytest.raises(Malformed) as refused:
        read_filter(text)
    assert refused.value.reason == "FILTER_INVALID"
    assert refused.value.field == "filter"
    assert says in refused.value.message
    assert refused.value.values == {"position": str(position)}
    assert f"at character {position}:" in refused.value.message


WORDS = [*FIELDS, "=", "!=", "<", "(", ")", "AND", "OR", "NOT", "-", "bluff", '"', "PLAYING", " "]


@given(st.lists(st.sampled_from(WORDS)))
def test_whatever_is_written_is_read_or_refused(words: list[str]) -> None:
    for text in (" ".join(words), "".join(words)):
        with suppress(Malformed):
            read_filter(text)


@pytest.mark.parametrize(("text", "rising"), [("", False), ("create_time desc", False), (" create_time ", True)])
def test_an_order_is_by_time(text: str, rising: bool) -> None:
    assert is_rising(text) is rising


@pytest.mark.parametrize(
    ("text", "position"), [("title", 1), ("  state desc", 3), ("create_time asc", 13), ("create_time desc, title", 13)]
)
def test_another_order_is_refused_by_its_place(text: str, position: int) -> None:
    with pytest.raises(Malformed) as refused:
        is_rising(text)
    assert (refused.value.reason, refused.value.values) == ("ORDER_INVALID", {"position": str(position)})


@pytest.mark.parametrize(
    ("text", "are_found"),
    [
        ("state = PLAYING", True),
        ("state != PLAYING", False),
        ("state = FINISHED", False),
        ("NOT state = FINISHED", True),
        ("game = bluff state = PLAYING", True),
        ("state = FINISHED OR (game = bluff NOT state = SEATING)", True),
        ("state = PLAYING game = jutpatti", False),
    ],
)
def test_where_all_have_one_state_a_filter_does_not_ask_for_it(text: str, are_found: bool) -> None:
    condition = read_filter(text)
    assert condition is not None
    asked = with_state(condition, MatchState.PLAYING)
    assert "state" not in repr(asked)
    over = make_match("sita", game="bluff", state=MatchState.FINISHED)
    assert holds(asked, over) is are_found


async def test_lists_are_filtered_and_ordered_page_by_page() -> None:
    async with running_app() as app:
        host, other = await guest(app), await guest(app)
        made = []
        for number in range(6):
            new = NewMatch(
                game=("bluff", "jutpatti")[number % 2], privacy=Privacy.PUBLIC, start_rule=StartRule.BY_HOST,
                seats=(0,) if number else (),
            )  # fmt: skip
            made.append((await app.matches.create(host, new, None)).id)
        await app.hosting.close(host, made[2])

        async def listed(wanted: str, order: str = "", which: Which = Which.MINE, who: Any = host) -> list[str]:
            found: list[str] = []
            token = ""
            while True:
                page, token = await app.lists.page(who, which, None, 2, token, wanted, order)
                found += [match.id for match in page]
                if not token:
                    return found

        assert await listed("game = bluff") == [made[4], made[2], made[0]]
        assert await listed("game = bluff", "create_time") == [made[0], made[2], made[4]]
        assert await listed("state = ABORTED OR game = jutpatti", "create_time") == [made[1], made[2], made[3], made[5]]
        assert await listed(f"NOT host = accounts/{host.account}") == []
        assert await listed("game = bluff", "create_time", Which.OPEN, other) == [made[0], made[4]]
        assert await listed("privacy = PRIVATE", which=Which.OPEN, who=other) == []
        assert await listed('create_time < "2001-01-01T00:00:00Z"') == []
        assert await listed('create_time > "2001-01-01T00:00:00Z"', "create_time") == made
        _, token = await app.lists.page(host, Which.MINE, None, 2, "", "game = bluff")
        for wanted, order in (("game != bluff", ""), ("", ""), ("game = bluff", "create_time")):
            with pytest.raises(Malformed) as refused:
                await app.lists.page(host, Which.MINE, None, 2, token, wanted, order)
            assert refused.value.reason == "PAGE_TOKEN_INVALID"


async def test_a_list_tells_the_phase() -> None:
    async with running_app() as app:
        host = await guest(app)
        match = await app.matches.create(host, NewMatch(game="bluff", settings={"players": 3}, seats=(0, 1, 2)), None)
        [listed], _ = await app.lists.page(host, Which.MY_TURN, None, 0, "")
        assert (listed.phase, listed.must) == (match.phase, match.must)
        assert listed.phase
        assert listed.snapshot is None
        assert holds(PLAYING, listed)
