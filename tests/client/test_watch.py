"""Streams: cut, drained, silent, repeated or with holes, they go on without a gap and without a repeat."""

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from chautari.v1 import event_pb2, match_pb2, play_pb2, view_pb2
from chautari_client import BeyondHead, Client, EpochChanged, Faulty, NotAllowed, SeatMoved, Unavailable
from tests.client.conftest import QUICK
from tests.client.fake import OVER, Code, Fails, Fake, beat, end, step
from tests.waiting import until


async def revisions(client: Client, after: int | None = 0) -> list[int]:
    """The revisions of the steps that a watch brings."""
    async with aclosing(client.watch("matches/m1", 1, after=after)) as updates:
        return [update.revision async for update in updates if update.HasField("step")]


async def test_stream_ends_with_the_match(client: Client, fake: Fake) -> None:
    fake.streams = [[step(1), beat(1), step(2), OVER(2)]]
    updates = [update async for update in client.watch("matches/m1", 1, after=0)]
    assert [update.WhichOneof("kind") for update in updates] == ["step", "step", "end"]
    assert (fake.watches[0].seat, fake.watches[0].after_revision) == (1, 0)


async def test_cut_stream_is_resumed_from_the_last_revision(client: Client, fake: Fake) -> None:
    fake.streams = [
        [step(1), step(2)],
        [step(3), Fails(Code.UNAVAILABLE, "READER_SLOW")],
        [beat(3)],
        [step(4), OVER(4)],
    ]
    assert await revisions(client) == [1, 2, 3, 4]
    assert [asked.after_revision for asked in fake.watches] == [0, 2, 3, 3]


async def test_repeat_is_dropped_and_hole_is_asked_for_again(client: Client, fake: Fake) -> None:
    fake.streams = [[step(1), step(1), step(2), step(4)], [step(2), step(3), beat(5)], [step(4), step(5), OVER(5)]]
    assert await revisions(client) == [1, 2, 3, 4, 5]
    assert [asked.after_revision for asked in fake.watches] == [0, 2, 3]


async def test_drained_stream_waits_as_told_and_goes_on(client: Client, fake: Fake) -> None:
    fake.streams = [[step(1), end(1, play_pb2.END_CAUSE_DRAINING, resume=True, wait=0.3)], [step(2), OVER(2)]]
    before = asyncio.get_running_loop().time()
    assert await revisions(client) == [1, 2]
    assert asyncio.get_running_loop().time() - before >= 0.3


async def test_two_missed_heartbeats_are_a_cut(fake: Fake, address: str) -> None:
    fake.streams = [[step(1), 9.0, OVER(1)], [*(beat(1), 0.2) * 8, step(2), OVER(2)]]
    async with Client.connect(address, heartbeat_seconds=0.7) as client:
        await client.sign_in_as_guest()
        assert await revisions(client) == [1, 2]
    assert len(fake.watches) == 2


async def test_how_often_a_server_beats_it_says_itself_and_is_asked_once(client: Client, fake: Fake) -> None:
    fake.heartbeat_seconds = 1
    fake.streams = [[step(1), 9.0, OVER(1)], [step(2), OVER(2)], [OVER(2)]]
    assert await revisions(client) == [1, 2]
    assert await revisions(client, after=2) == []
    assert fake.asked_for_limits == 1


async def test_a_server_that_does_not_say_how_often_it_beats_is_watched_all_the_same(
    client: Client, fake: Fake
) -> None:  # fmt: skip
    fake.heartbeat_seconds = Fails(Code.INTERNAL, "FAULT")
    fake.streams = [[step(1), OVER(1)], [OVER(1)]]
    assert await revisions(client) == [1]
    assert await revisions(client, after=1) == []
    assert fake.asked_for_limits == 2


async def test_without_a_cursor_it_goes_on_from_where_it_began(client: Client, fake: Fake) -> None:
    fake.streams = [[beat(7)], [step(8)], [step(9), OVER(9)]]
    assert await revisions(client, after=None) == [8, 9]
    assert not fake.watches[0].HasField("after_revision")
    assert [asked.after_revision for asked in fake.watches[1:]] == [7, 8]


async def test_token_that_runs_out_is_renewed(client: Client, fake: Fake) -> None:
    fake.streams = [[step(1), end(1, play_pb2.END_CAUSE_TOKEN, resume=True)], [step(2), OVER(2)]]
    assert await revisions(client) == [1, 2]
    assert fake.renewals == ["refresh-1"]


async def test_token_that_expired_before_the_call_is_renewed(client: Client, fake: Fake) -> None:
    fake.valid_token = "access-2"
    fake.streams = [[step(1), OVER(1)]]
    assert await revisions(client) == [1]
    assert fake.renewals == ["refresh-1"]


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (Fails(Code.PERMISSION_DENIED, "NO_ACCESS"), NotAllowed),
        (Fails(Code.OUT_OF_RANGE, "BEYOND_HEAD", metadata={"revision": "3"}), BeyondHead),
        (end(1, play_pb2.END_CAUSE_NO_ACCESS, resume=False), NotAllowed),
        (end(1, play_pb2.END_CAUSE_BANNED, resume=False), NotAllowed),
        (end(1, play_pb2.END_CAUSE_FAULT, resume=False), Faulty),
    ],
    ids=["no access", "beyond the head", "no access any more", "banned", "a fault"],
)
async def test_refused_stream_raises_and_is_not_resumed(
    client: Client, fake: Fake, failure: Fails | play_pb2.Update, kind: type[Exception]
) -> None:
    fake.streams = [[step(1), failure]]
    with pytest.raises(kind):
        await revisions(client)
    assert len(fake.watches) == 1


async def test_fault_of_the_server_is_told_after_some_tries(client: Client, fake: Fake) -> None:
    fake.streams = [[Fails(Code.INTERNAL, "FAULT")] for _ in range(9)]
    with pytest.raises(Faulty):
        await revisions(client)
    assert len(fake.watches) == 5


async def test_watch_gives_up_where_nobody_answers_for_long(fake: Fake, address: str) -> None:
    fake.streams = [[step(1)], *([Fails(Code.UNAVAILABLE)] for _ in range(1000))]
    async with Client.connect(address, retry=replace(QUICK, give_up_seconds=0.3)) as client:
        await client.sign_in_as_guest()
        with pytest.raises(Unavailable):
            await revisions(client)


async def test_unknown_kinds_are_skipped(client: Client, fake: Fake) -> None:
    unknown = play_pb2.Update.FromString(step(1).SerializeToString()[:12] + b"\xa2\x06\x00")
    fake.streams = [[unknown, step(1), OVER(1)]]
    assert await revisions(client) == [1]


async def test_leaving_a_watch_closes_its_stream(client: Client, fake: Fake) -> None:
    fake.streams = [[step(1), 60.0]]
    async with aclosing(client.watch("matches/m1", after=0)) as updates:
        await anext(updates)
        assert fake.streams_open == 1
    await until(lambda: fake.streams_open == 0)


async def test_watch_mine_begins_anew_after_a_cut(client: Client, fake: Fake) -> None:
    summary = play_pb2.MineUpdate(summary=play_pb2.MineSummary())
    changed = play_pb2.MineUpdate(changed=play_pb2.MatchStatus(match="matches/m1", my_turn=True))
    heartbeat = play_pb2.MineUpdate(heartbeat=play_pb2.Heartbeat())
    fake.streams = [[summary, heartbeat, changed], [summary, 60.0]]
    kinds = []
    async with aclosing(client.watch_mine()) as updates:
        async for update in updates:
            kinds.append(update.WhichOneof("kind"))
            if len(kinds) == 3:
                break
    assert kinds == ["summary", "changed", "summary"]


async def test_follow_gives_the_table_whenever_it_is_up_to_date(client: Client, fake: Fake) -> None:
    fake.view = view_pb2.View(match="matches/m1", revision=3, seat=1, state=match_pb2.MATCH_STATE_PLAYING)
    over = event_pb2.Event(match_ended=event_pb2.MatchEnded(result=match_pb2.MatchResult(placing=[1, 2])))
    fake.streams = [[step(4), step(5, head=True), step(6, over, head=True), OVER(6)]]
    seen = [(table.revision, table.is_over) async for table in client.follow("matches/m1", 1)]
    assert seen == [(3, False), (5, False), (6, True)]
    assert fake.watches[0].after_revision == 3


async def test_follow_passes_over_tables_older_than_ones_own_act(client: Client, fake: Fake) -> None:
    fake.view = view_pb2.View(match="matches/m1", revision=3, seat=1, state=match_pb2.MATCH_STATE_PLAYING)
    fake.streams = [[step(4, head=True), step(5, head=True), step(6, head=True), OVER(6)]]
    fake.answers = [play_pb2.ActResponse(revision=5)]
    seen = []
    async for table in client.follow("matches/m1", 1):
        seen.append(table.revision)
        if table.revision == 3:
            await client.act("matches/m1", 1, "accept")
    assert seen == [3, 5, 6]


def moved(revision: int, seat: int) -> play_pb2.Update:
    """The end of a stream whose account has got another seat by lot."""
    update = end(revision, play_pb2.END_CAUSE_SEAT_MOVED, resume=True)
    update.end.seat = seat
    return update


async def test_watch_says_where_a_lot_has_seated_its_account(client: Client, fake: Fake) -> None:
    fake.streams = [[step(1), moved(1, 3)]]
    with pytest.raises(SeatMoved) as caught:
        await revisions(client)
    assert caught.value.seat == 3


async def test_follow_goes_on_with_the_seat_that_was_drawn(client: Client, fake: Fake) -> None:
    fake.view = view_pb2.View(match="matches/m1", revision=3, seat=1, state=match_pb2.MATCH_STATE_PLAYING)
    fake.streams = [[moved(3, 2)], [step(4, head=True), OVER(4)]]
    assert [table.revision async for table in client.follow("matches/m1", 1)] == [3, 3, 4]
    assert [(asked.seat, asked.after_revision) for asked in fake.watches] == [(1, 3), (2, 3)]


RESTORED = Fails(Code.OUT_OF_RANGE, "EPOCH_CHANGED", metadata={"epoch": "after"})


def of_epoch(update: play_pb2.Update, epoch: str) -> play_pb2.Update:
    """The same message of another epoch."""
    update.epoch = epoch
    return update


async def test_watch_carries_its_epoch_and_tells_of_another(client: Client, fake: Fake) -> None:
    fake.streams = [[of_epoch(step(1), "before")], [of_epoch(beat(1), "before")], [RESTORED]]
    with pytest.raises(EpochChanged) as caught:
        await revisions(client)
    assert (caught.value.reason, caught.value.epoch) == ("EPOCH_CHANGED", "after")
    assert isinstance(caught.value, BeyondHead)
    assert [asked.epoch for asked in fake.watches] == ["", "before", "before"]


async def test_follow_starts_anew_after_a_restore_and_says_so(client: Client, fake: Fake) -> None:
    playing = match_pb2.MATCH_STATE_PLAYING
    fake.view = view_pb2.View(match="matches/m1", revision=8, seat=1, state=playing, epoch="before")
    fake.answers = [play_pb2.ActResponse(revision=9)]
    fake.streams = [[RESTORED], [of_epoch(step(6, head=True), "after"), of_epoch(OVER(6), "after")]]
    seen = []
    async for table in client.follow("matches/m1", 1):
        seen.append((table.revision, table.restarts, table.view.epoch))
        if len(seen) == 1:
            await client.act("matches/m1", 1, "pass")
            fake.view = view_pb2.View(match="matches/m1", revision=5, seat=1, state=playing, epoch="after")
    assert seen == [(8, 0, "before"), (5, 1, "after"), (6, 1, "after")]
    assert [(asked.epoch, asked.after_revision) for asked in fake.watches] == [("before", 8), ("after", 5)]
