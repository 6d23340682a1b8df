"""Clocks and absence: whose time runs, what becomes of a seat whose time is up, and who is away."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import msgspec
import pytest

from chautari import engine
from chautari.app import clocks
from chautari.app.arranging import Arrangement
from chautari.app.caller import Caller
from chautari.app.clock_values import DAY, NO_CLOCK, Clocks, TimeControl, WhenAway
from chautari.app.clocks import GRACE, OVERTIME
from chautari.app.events import SeatAway
from chautari.app.live import Done
from chautari.app.new_matches import NewMatch, Terms
from chautari.app.service import App
from chautari.app.updates import MineChange, MineSummary, Step
from chautari.app.values import SECOND, Cause, DueKind, EndReason, Entry, Match, MatchState, Privacy, SeatState
from chautari.errors import ChautariError, Malformed
from chautari.store.memory import MemoryStore
from tests.app.tables import collect, due, guest, legal_action, let_pass, request, running_app
from tests.app.test_spectating import Hour

LATE = GRACE / SECOND + 0.01


@pytest.fixture(autouse=True)
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is done but by the test."""
    monkeypatch.setattr("chautari.app.chores._PAUSE_SECONDS", 3600.0)
    monkeypatch.setattr("chautari.app.chores._PULSE_SECONDS", 3600.0)


class Timed:
    """A match under way with a clock, and who sits in it."""

    def __init__(self, app: App, clock: Hour, match_id: str, people: list[Caller]) -> None:
        self.app = app
        self.clock = clock
        self.id = match_id
        self.people = people

    async def match(self) -> Match:
        """The match as it is stored."""
        found = await self.app.store.find_match(self.id)
        assert found is not None
        return found

    async def clocks(self) -> Clocks:
        """How its clocks stand."""
        found = (await self.match()).clocks
        assert found is not None
        return found

    async def left(self) -> list[float]:
        """The seconds that each seat has left; 0 where its clock does not run."""
        now = self.app.store.service_time()
        return [(until - now) / SECOND if until else 0 for until in (await self.clocks()).due]

    async def entries(self) -> list[Entry]:
        """Its journal."""
        return await self.app.store.entries(self.id, 0, 1000)

    async def act(self, seat: int | None = None) -> int:
        """A seat, or the first one in turn, does the first legal action; gives the seat."""
        match = await self.match()
        if seat is None:
            seat, action = await legal_action(self.app, match, self.people)
        else:
            options = (await self.app.playing.view(self.people[seat], self.id, seat)).options
            action = next(
                action for option in options for action in (*(option.actions or ()), option.example) if action
            )
        await self.app.playing.act(self.people[seat], self.id, seat, action)
        return seat

    async def until(self, seat: int) -> None:
        """The others act until this seat must."""
        while not (await self.left())[seat]:
            await self.act()

    async def run_out(self, seconds: float) -> None:
        """Lets so much time pass, and does what is due then."""
        await let_pass(self.app, self.clock, seconds)
        for match_id in await due(self.app):
            await self.app.chores.perform(match_id)


@asynccontextmanager
async def timed(
    control: TimeControl | None, game: str = "call_break", players: int = 4, terms: Terms | None = None, **more: Any
) -> AsyncIterator[Timed]:  # fmt: skip
    """A match that has just started with this clock."""
    clock = Hour()
    async with running_app(store=MemoryStore(clock), terms=terms or Terms()) as app:
        people = [await guest(app, f"Guest {number}") for number in range(players)]
        new = NewMatch(game=game, settings={"players": players}, seats=(0,), clock=control, **more)
        match = await app.matches.create(people[0], new, None)
        for seat, person in enumerate(people[1:], 1):
            match = await app.matches.join(person, link=match.link, seats=(seat,))
        yield Timed(app, clock, match.id, people)


MOVE = TimeControl(move=30 * SECOND)


# ── What is agreed ────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_match_has_the_clock_of_its_game_unless_one_account_takes_several_seats() -> None:
    async with running_app() as app:
        host = await guest(app)
        made = [
            await app.matches.create(host, NewMatch(game=game, settings={"players": 4}, seats=seats, clock=clock), None)
            for game, seats, clock in (
                ("call_break", (0,), None), ("slapjack", (), None), ("call_break", (0, 1), None),
                ("call_break", (0, 1), MOVE), ("call_break", (0,), NO_CLOCK),
            )
        ]  # fmt: skip
        assert [match.clock and match.clock.move for match in made] == [
            45 * SECOND, 10 * SECOND, None, 30 * SECOND, None
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("control", "field"),
    [
        (TimeControl(move=2 * SECOND), "clock.per_move"),
        (TimeControl(move=3601 * SECOND), "clock.per_move"),
        (TimeControl(bank=9 * SECOND), "clock.bank.time"),
        (TimeControl(bank=60 * SECOND, increment=601 * SECOND), "clock.bank.increment"),
        (TimeControl(days=31), "clock.days_per_move"),
        (TimeControl(move=30 * SECOND, away_after=21), "clock.away_after"),
    ],
)
async def test_what_is_out_of_range_is_refused_by_its_field(control: TimeControl, field: str) -> None:
    async with running_app() as app:
        host = await guest(app)
        with pytest.raises(Malformed) as refused:
            await app.matches.create(host, NewMatch(game="bluff", clock=control), None)
        assert (refused.value.reason, refused.value.field) == ("REQUEST_INVALID", field)


async def test_a_host_changes_the_clock_before_the_start_and_a_rematch_keeps_it() -> None:
    async with running_app() as app:
        host = await guest(app)
        match = await app.matches.create(host, NewMatch(game="gulam_chor", settings={"players": 2}, seats=(0,)), None)
        wanted = TimeControl(bank=60 * SECOND, increment=SECOND)
        match = await app.hosting.arrange(host, match.id, Arrangement(clock=wanted))
        assert match.clock == wanted
        again = await app.hosting.arrange(host, match.id, Arrangement(clock=wanted))
        assert again.revision == match.revision
        assert (await app.hosting.arrange(host, match.id, Arrangement(clock=NO_CLOCK))).clock is None
        await app.hosting.arrange(host, match.id, Arrangement(clock=wanted))
        friend = await guest(app)
        await app.matches.join(friend, link=match.link)
        await app.matches.resign(friend, match.id, 1)
        assert (await app.matches.rematch(host, match.id)).clock == wanted


# ── Whose time runs ───────────────────────────────────────────────────────────────────────────────────────────────────


async def test_only_the_seat_that_must_act_has_a_clock_running_and_each_move_is_timed_anew() -> None:
    async with timed(MOVE) as table:
        assert await table.left() == [30, 0, 0, 0]
        await let_pass(table.app, table.clock, 12)
        assert await table.left() == [18, 0, 0, 0]
        await table.act()
        assert await table.left() == [0, 30, 0, 0]
        match = await table.match()
        assert (match.due_kind, match.due_at) == (DueKind.CLOCK, table.app.store.service_time() + 30 * SECOND + GRACE)


async def test_days_are_counted_for_each_move() -> None:
    async with timed(TimeControl(days=3)) as table:
        assert await table.left() == [3 * DAY / SECOND, 0, 0, 0]


async def test_a_duty_that_goes_on_across_anothers_move_keeps_its_clock() -> None:
    async with timed(MOVE, "andar_bahar") as table:
        assert await table.left() == [30, 30, 30, 30]
        await let_pass(table.app, table.clock, 10)
        await table.act(2)
        assert await table.left() == [20, 20, 0, 20]
        await let_pass(table.app, table.clock, 5)
        await table.act(0)
        assert await table.left() == [0, 15, 0, 15]


async def test_the_time_to_look_again_is_not_moved_with_each_act() -> None:
    async with timed(MOVE) as table:
        first = (await table.match()).wake_at
        for _ in range(3):
            await let_pass(table.app, table.clock, 5)
            await table.act()
        match = await table.match()
        assert match.wake_at == first
        assert (match.due_at or 0) > (first or 0)
        await table.run_out(15 + LATE)
        match = await table.match()
        assert match.wake_at == match.due_at
        assert [entry.cause for entry in await table.entries()].count(Cause.CLOCK) == 0
        await table.run_out(15)
        assert [entry.cause for entry in await table.entries()].count(Cause.CLOCK) == 1


async def test_a_bank_is_used_up_and_own_moves_add_to_it() -> None:
    control = TimeControl(bank=60 * SECOND, increment=5 * SECOND)
    async with timed(control, "gulam_chor", 2) as table:
        mover = next(seat for seat, left in enumerate(await table.left()) if left)
        await let_pass(table.app, table.clock, 20)
        assert await table.act() == mover
        banks = (await table.clocks()).banks
        assert (banks[mover], banks[1 - mover]) == (45 * SECOND, 60 * SECOND)
        view = await table.app.playing.view(table.people[0], table.id, 0)
        running = next(one for one in view.clocks if one.due_at)
        assert len(view.clocks) == 2
        assert (running.bank or 0) + view.now == running.due_at


async def test_a_move_that_the_clock_has_made_adds_nothing_to_the_bank() -> None:
    async with timed(TimeControl(bank=12 * SECOND, increment=5 * SECOND), "gulam_chor", 2) as table:
        seat = next(seat for seat, left in enumerate(await table.left()) if left)
        await table.run_out(12 + LATE)
        assert (await table.clocks()).banks[seat] == 0


async def test_an_empty_bank_leaves_a_little_time_for_each_move() -> None:
    control = TimeControl(bank=12 * SECOND, away_after=0)
    async with timed(control, "gulam_chor", 2) as table:
        seat = next(seat for seat, left in enumerate(await table.left()) if left)
        await table.run_out(12 + LATE)
        assert (await table.clocks()).banks[seat] == 0
        await table.until(seat)
        assert (await table.left())[seat] == OVERTIME / SECOND
        await let_pass(table.app, table.clock, 4)
        await table.act(seat)
        assert (await table.clocks()).banks[seat] == 0


def test_a_seat_that_only_may_act_has_no_clock() -> None:
    match = Match(
        id="m", game="slapjack", rules_version=1, settings={}, title="", state=MatchState.PLAYING,
        privacy=Privacy.PRIVATE, disclosure=None, start_rule=None, host="h", chairs=(None, None), revision=1,  # type: ignore[arg-type]
        commitment=b"", secret=b"", code=None, code_expires_at=None, link="", created_at=0, clock=MOVE, phase="play",
    )  # fmt: skip
    position: Any = msgspec.defstruct("P", ["phase", "must", "may", "left"])("play", 0b01, 0b10, ())
    assert clocks.wound(match, position, Cause.SEATING, None, [], 5).due == (5 + 30 * SECOND, 0)
    idle: Any = msgspec.defstruct("P", ["phase", "must", "may", "left"])("play", 0, 0b11, ())
    after = clocks.wound(match, idle, Cause.SEATING, None, [], 5)
    assert after.due == (0, 0)
    assert clocks.falls_due(match, after, idle, 5) == (None, None)


# ── Time is up ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_whose_time_is_up_takes_the_rules_action_once() -> None:
    async with timed(MOVE) as table:
        before = await table.match()
        await let_pass(table.app, table.clock, 30)
        assert await due(table.app) == []
        await table.run_out(LATE)
        last = (await table.entries())[-1]
        assert (last.revision, last.cause, last.seat, last.account_id, last.action) == (
            before.revision + 1, Cause.CLOCK, 0, None, "call 1"
        )  # fmt: skip
        assert await table.left() == [0, 30, 0, 0]
        await table.app.chores.perform(table.id)
        assert (await table.match()).revision == before.revision + 1


async def test_seats_due_together_are_timed_out_in_their_order_each_as_its_own_revision() -> None:
    async with timed(MOVE, "andar_bahar") as table:
        before = (await table.match()).revision
        await table.run_out(30 + LATE)
        told = [(e.revision - before, e.cause, e.seat) for e in await table.entries() if e.revision > before]
        assert told[:4] == [(number + 1, Cause.CLOCK, number) for number in range(4)]


@pytest.mark.parametrize("game", ["bluff", "blackjack", "last_card", "slapjack", "teen_patti"])
async def test_at_most_the_seats_that_must_act_run_out_of_time(game: str) -> None:
    """Seats act and run out of time by chance, some of them two at once: nobody else's clock runs, and nobody else is
    timed out."""
    async with timed(TimeControl(move=30 * SECOND, away_after=0), game) as table:
        chance, must, timed_out = Random(game), (await table.match()).must, 0

        def look(done: Done) -> None:
            nonlocal must, timed_out
            if done.entry.cause is Cause.CLOCK:
                assert done.entry.seat in engine.seats_of(must)
                timed_out += 1
            match, must = done.live.match, done.live.match.must
            assert match.clocks is not None
            assert [bool(due) for due in match.clocks.due] == [bool(must >> seat & 1) for seat in range(4)]

        table.app.matches._live.on_done(look)
        for _ in range(30):
            match = await table.match()
            if match.is_over:
                break
            if chance.random() < 0.4:
                await table.run_out(chance.choice((29, 30 + LATE)))
            else:
                await table.act(chance.choice(engine.seats_of(match.must)))
        assert timed_out > 2


async def test_who_is_due_first_is_timed_out_first() -> None:
    async with timed(MOVE, "andar_bahar", 2) as table:
        due = (await table.clocks()).due
        match = msgspec.structs.replace(
            await table.match(), clocks=Clocks((due[0] + 1, due[1]), (), (0, 0))
        )  # fmt: skip
        assert clocks.run_out(match, due[1] + GRACE) == 1
        assert clocks.run_out(match, due[1] + 9 * GRACE) == 1
        assert clocks.run_out(match, due[1] + GRACE - 1) is None


async def test_what_comes_after_the_time_but_before_the_time_out_counts() -> None:
    async with timed(MOVE) as table:
        await let_pass(table.app, table.clock, 33)
        assert await due(table.app) == [table.id]
        await table.act()
        await table.app.chores.perform(table.id)
        assert [entry.cause for entry in await table.entries()].count(Cause.CLOCK) == 0


async def test_what_comes_after_the_time_out_is_judged_by_the_state_that_it_meets() -> None:
    async with timed(MOVE) as table:
        await table.run_out(31)
        with pytest.raises(ChautariError) as refused:
            await table.app.playing.act(table.people[0], table.id, 0, "call 3")
        assert refused.value.reason == "NOT_YOUR_TURN"


async def test_an_outage_is_given_back() -> None:
    async with timed(MOVE) as table:
        await let_pass(table.app, table.clock, 10)
        shown = (await table.app.playing.view(table.people[0], table.id, 0)).clocks[0].due_at or 0
        table.clock.pass_seconds(3600)
        assert await due(table.app) == []
        assert await table.app.store.pulse() == 3600 * SECOND
        assert await table.left() == [20, 0, 0, 0]
        assert (await table.app.playing.view(table.people[0], table.id, 0)).clocks[0].due_at == shown + 3600 * SECOND
        await table.run_out(20 + LATE)
        assert (await table.entries())[-1].cause is Cause.CLOCK


async def test_without_a_clock_nobodys_time_runs() -> None:
    async with timed(NO_CLOCK, terms=Terms(idle=0)) as table:
        match = await table.match()
        assert (match.clock, match.clocks, match.due_at, match.due_kind) == (None, None, None, None)
        assert (await table.app.playing.view(table.people[0], table.id, 0)).clocks == ()


@pytest.mark.parametrize("left", [False, True], ids=["all are there", "one has left"])
async def test_a_match_without_a_clock_is_given_up_where_nothing_happens_for_long(left: bool) -> None:
    async with timed(NO_CLOCK, terms=Terms(idle=100 * SECOND)) as table:
        match = await table.match()
        seat = engine.seats_of(match.must)[0]
        if left:
            other = (seat + 2) % 4
            await table.app.matches.resign(table.people[other], table.id, other)
        await table.run_out(99)
        await table.act(seat)
        await table.run_out(99)
        assert (await table.match()).state is MatchState.PLAYING
        await table.run_out(1)
        assert [entry.cause for entry in await table.entries()][-1] is Cause.ABANDONED
        match = await table.match()
        assert match.outcome is not None
        assert (match.state, match.outcome.reason) == (MatchState.ABORTED, EndReason.DESERTED)
        assert {chair.state for chair in match.chairs} == {SeatState.LEFT}


async def test_a_match_that_went_on_after_it_was_claimed_is_not_given_up() -> None:
    async with timed(NO_CLOCK, terms=Terms(idle=100 * SECOND)) as table:
        await let_pass(table.app, table.clock, 100)
        assert await due(table.app) == [table.id]
        await table.act()
        await table.app.chores.perform(table.id)
        assert (await table.match()).state is MatchState.PLAYING


async def test_the_time_to_give_a_match_up_costs_an_act_no_change_of_an_index() -> None:
    async with timed(NO_CLOCK, terms=Terms(idle=100 * SECOND)) as table:
        before = await table.match()
        table.clock.pass_seconds(1)
        await table.act()
        after = await table.match()
        assert before.due_at is not None
        assert (after.due_at, after.wake_at) == (before.due_at + SECOND, before.wake_at)


# ── Who is away ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_seat_that_is_away_is_played_at_once_and_comes_back_by_joining() -> None:
    async with timed(TimeControl(move=30 * SECOND, away_after=1)) as table:
        await table.run_out(30 + LATE)
        assert (await table.clocks()).away == 0b0001
        told = [step.events for step in await steps(table, table.people[1], 1)]
        assert SeatAway(0, True) in told[-1]
        for _ in range(3):
            await table.act()
        await table.app.chores.perform(table.id)  # seat 0 is to play: at once
        last = (await table.entries())[-1]
        assert (last.cause, last.seat) == (Cause.CLOCK, 0)
        assert (await table.left())[1] == 30
        ask = request()
        match = await table.app.matches.join(table.people[0], match_id=table.id, request=ask)
        assert match.clocks is not None
        assert (match.clocks.away, match.clocks.missed[0]) == (0, 0)
        again = await table.app.matches.join(table.people[0], match_id=table.id, request=ask)
        assert again.revision == match.revision
        assert (await table.app.matches.join(table.people[0], match_id=table.id)).revision == match.revision
        assert (await steps(table, table.people[1], 1))[-1].events == [SeatAway(0, False)]
        await table.until(0)
        assert (await table.left())[0] == 30


async def test_acting_brings_a_seat_back_and_counts_anew() -> None:
    async with timed(TimeControl(move=30 * SECOND, when_away=WhenAway.KEEP_CLOCK)) as table:
        for round_number in (1, 2):
            await table.run_out(30 + LATE)
            stand = await table.clocks()
            assert (stand.missed[0], stand.away) == (round_number, round_number - 1), "once is no absence"
            await table.until(0)
        assert (await table.clocks()).away == 1
        assert (await table.left())[0] == 30, "it keeps its clock"
        await table.act(0)
        after = await table.clocks()
        assert (after.away, after.missed[0], after.silent) == (0, 0, 0)
        assert (await steps(table, table.people[1], 1))[-1].events[0] == SeatAway(0, False)


async def test_a_seat_that_is_away_resigns_where_that_was_agreed() -> None:
    async with timed(TimeControl(move=30 * SECOND, away_after=1, when_away=WhenAway.RESIGN), "bluff", 3) as table:
        seat = next(seat for seat, left in enumerate(await table.left()) if left)
        await table.run_out(30 + LATE)
        match = await table.match()
        assert match.chairs[seat].state is SeatState.LEFT
        told = await table.entries()
        assert [entry.cause for entry in told[-2:]] == [Cause.CLOCK, Cause.ABANDONED]
        assert match.clocks is not None
        assert match.clocks.away == 0


async def test_with_everybody_away_the_clock_runs_and_the_match_is_given_up_in_the_end() -> None:
    async with timed(TimeControl(move=30 * SECOND, away_after=1)) as table:
        for _ in range(4):
            await table.run_out(30 + LATE)
        assert (await table.clocks()).away == 0b1111
        revision = (await table.match()).revision
        assert max(await table.left()) == 30, "it waits for somebody to come back"
        await table.run_out(30 + LATE)
        assert (await table.match()).revision == revision + 1
        for _ in range(20):
            await table.run_out(30 + LATE)
        match = await table.match()
        assert match.state is MatchState.ABORTED
        assert match.outcome is not None
        assert match.outcome.reason is EndReason.DESERTED
        assert [entry.cause for entry in await table.entries()].count(Cause.CLOCK) == 12
        assert match.due_kind is DueKind.PACK


async def test_one_who_comes_back_is_waited_for_and_the_others_are_played_at_once() -> None:
    async with timed(TimeControl(move=30 * SECOND, away_after=1)) as table:
        for _ in range(4):
            await table.run_out(30 + LATE)
        await table.app.matches.join(table.people[2], match_id=table.id)
        await table.run_out(0)
        assert [seat for seat, left in enumerate(await table.left()) if left] == [2]


async def test_a_match_in_which_nobody_is_ever_away_ends_too() -> None:
    async with timed(TimeControl(move=3 * SECOND, away_after=0), "marriage", 2) as table:
        for _ in range(60):
            await table.run_out(3 + LATE)
        match = await table.match()
        assert match.is_over
        assert [entry.cause for entry in await table.entries()].count(Cause.CLOCK) <= 40


async def test_without_a_clock_seats_that_left_are_played_at_once_too() -> None:
    async with timed(NO_CLOCK, "bluff", 3) as table:
        (seat, *_) = engine.seats_of((await table.match()).must)
        match = await table.app.matches.resign(table.people[seat], table.id, seat)
        assert match.due_kind is DueKind.PLAY_LEFT
        assert match.wake_at == match.due_at is not None
        await table.app.chores.perform(table.id)
        last = (await table.entries())[-1]
        assert (last.cause, last.seat) == (Cause.CLOCK, seat)


async def test_seats_that_left_are_played_at_once_while_others_have_their_time() -> None:
    async with timed(MOVE, "bluff", 3) as table:
        seat = next(seat for seat, left in enumerate(await table.left()) if left)
        await table.app.matches.resign(table.people[seat], table.id, seat)
        await table.app.chores.perform(table.id)
        left = await table.left()
        assert (left[seat], max(left)) == (0, 30)
        assert (await table.entries())[-1].cause is Cause.CLOCK
        assert (await table.clocks()).silent == 0


# ── Who is told ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def steps(table: Timed, caller: Caller, seat: int) -> list[Step]:
    """All steps so far, as this seat sees them."""
    match = await table.match()
    return await collect(table.app.watching.watch(caller, table.id, seat, 0), match.revision)


async def test_the_head_of_a_stream_and_ones_own_matches_tell_when_time_is_up() -> None:
    async with timed(MOVE) as table:
        due_at = (await table.clocks()).due[0]
        head = (await steps(table, table.people[1], 1))[-1].head
        assert head is not None
        assert [(one.seat, one.due_at, one.bank) for one in head.clocks] == [(0, due_at, None)]
        mine = table.app.watching.watch_mine(table.people[0])
        summary = await anext(mine)
        assert isinstance(summary, MineSummary)
        assert summary.standings[0].due_at == due_at
        await table.act()
        change = await anext(mine)
        assert isinstance(change, MineChange)
        assert (change.standing.my_turn, change.standing.due_at) == (False, None)
        await mine.aclose()


async def test_late_spectators_are_not_told_whose_time_runs_and_hear_late_who_is_away() -> None:
    control = TimeControl(move=30 * SECOND, away_after=1)
    async with timed(control, privacy=Privacy.PUBLIC, spectator_delay=60 * SECOND) as table:
        spectator = await guest(table.app)
        await let_pass(table.app, table.clock, 29)
        await table.run_out(1 + LATE)
        await let_pass(table.app, table.clock, 31)
        view = await table.app.playing.view(spectator, table.id, None)
        assert view.clocks == ()
        assert view.match.clocks is None
        assert view.match.due_at is None
        await let_pass(table.app, table.clock, 31)
        view = await table.app.playing.view(spectator, table.id, None)
        assert view.match.clocks is not None
        assert (view.match.clocks.away, view.clocks) == (1, ())
        assert isinstance(view.view, engine.View)
