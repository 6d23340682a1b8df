"""Verifying records: those of every game hold, and whatever is changed in one is found, but for mere labels."""

import json
from collections import defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest

from chautari.app.stopping import Ending
from chautari.app.values import Disclosure
from chautari.cli import verify_shuffles
from chautari.errors import ChautariError
from chautari.games import GAMES
from chautari.v1 import play_pb2
from chautari.wire.convert.records import page_to_proto
from chautari.wire.records.files import read_record, record_to_json
from chautari.wire.records.text import record_to_text
from chautari.wire.records.verify import verify
from tests.wire.mutations import Mutation, mutations
from tests.wire.recorded import SERVER, eventful, played, sitting, stopped

LABELS: Final = {
    "server": "who made the record",
    "title": "what the creator called the match",
    "entries.time.seconds": "when it was, by the server's clock; but that of the start is told twice",
    "entries.time.nanos": "likewise",
    "entries.events.seat_taken.display_name": "of a seat that is only held: its account may have been renamed",
    "entries.events.host_changed.host": "who may start the match; found only where it is that account that starts it",
}
"""The fields that do not follow from anything: one that is changed is not always found. RECORDS.md lists them."""


def holds(record: play_pb2.MatchRecord) -> bool:
    """Whether nothing is found in a record; what cannot be read or played is found too."""
    try:
        return verify(record).holds
    except ChautariError:
        return False


@pytest.mark.parametrize("key", GAMES)
async def test_records_of_every_game_hold_in_every_form(key: str) -> None:
    record = await played(key, leaving=len(GAMES[key].trials[0]) % 2 == 0)
    assert verify(record).differences == []
    as_json, as_text = record_to_json(record), record_to_text(record)
    assert read_record(as_json) == record
    assert read_record(as_text) == record
    wrong, count = verify_shuffles.check(json.loads(as_json))
    assert wrong == []
    assert count == sum(len(entry.shuffles) for entry in record.entries) > 0


@pytest.mark.parametrize("ending", Ending)
async def test_records_of_matches_that_an_operator_ended_hold(ending: Ending) -> None:
    """Which operator it was they do not tell."""
    record = await stopped(ending)
    assert verify(record).differences == []
    assert record.result.note == "सर्भर सर्छ"
    assert record.entries[-1].account == ""
    assert read_record(record_to_json(record)) == record
    assert read_record(record_to_text(record)) == record


async def test_whatever_is_changed_is_found() -> None:
    """Of each field as many instances as it has, but at most a few, chosen at random."""
    found: defaultdict[str, list[bool]] = defaultdict(list)
    unfound: list[str] = []
    for record in [await eventful(), await played("kitti"), await stopped(Ending.AS_IT_STANDS)]:
        assert holds(record)
        for mutation in chosen(record):
            is_found = not holds(mutation.of(record))
            found[mutation.kind].append(is_found)
            if not is_found and mutation.kind not in LABELS:
                unfound.append(f"{record.game} {mutation}")
    assert unfound == []
    assert {kind for kind, cases in found.items() if not all(cases)} == {*LABELS}
    assert fields_of(play_pb2.MatchRecord.DESCRIPTOR) - {*found} == NOT_IN_COMPLETE_RECORDS


NOT_IN_COMPLETE_RECORDS: Final = {
    "entries.events.hidden.zone",
    "entries.events.match_updated.update_mask.paths",
    "entries.events.seat_away.away",
    "entries.events.seat_away.seat",
}


def chosen(record: play_pb2.MatchRecord, most: int = 3) -> Iterator[Mutation]:
    """Some of the mutations of each kind."""
    of_kind: defaultdict[str, list[Mutation]] = defaultdict(list)
    for mutation in mutations(record):
        of_kind[f"{mutation.kind} {mutation.how}"].append(mutation)
    random = Random(record.game)
    for cases in of_kind.values():
        yield from random.sample(cases, min(len(cases), most))


def fields_of(message: Any, kind: str = "") -> set[str]:
    """Every leaf that a message may have."""
    found = set()
    for field in message.fields:
        name = f"{kind}.{field.name}" if kind else field.name
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        if field.message_type is None or is_map:
            found.add(name)
        elif field.message_type.full_name == "google.protobuf.Struct":
            found.add(f"{name}.fields")
        else:
            found |= fields_of(field.message_type, name)
    return found


@pytest.mark.parametrize(("key", "trial"), [("poker", 0), ("poker", 1), ("teen_patti", 0), ("teen_patti", 1)])
async def test_records_of_what_stays_secret_hold_by_some_deal(key: str, trial: int) -> None:
    verdict = verify(await played(key, trial, disclosure=Disclosure.SHOWN_ONLY))
    assert verdict.differences == []
    assert any(line.startswith("the shuffles and the commitment") for line in verdict.unchecked)


@pytest.mark.parametrize("key", GAMES)
async def test_no_record_of_a_match_under_way_is_called_wrong(key: str) -> None:
    async with sitting(key) as match:
        await match.go_on(7)
        for seat in (None, 0):
            record = await match.record(seat)
            assert verify(record).differences == []
            assert read_record(record_to_json(record)) == record


FOUND_IN_CUT: Final = (
    "entries.revision", "entries.cause", "entries.account", "entries.action", "entries.events.said.text",
    "entries.events.turned.turn.phase", "entries.events.hand_began.hand", "result.placing", "seats.account",
    "seats.display_name", "revision", "state", "disclosure", "complete", "secret", "rules_version",
)  # fmt: skip


async def test_what_is_changed_in_a_record_that_was_cut() -> None:
    """Of other fields it depends on the cards that were not shown."""
    record = await played("poker", 1, disclosure=Disclosure.SHOWN_ONLY, hands=2)
    assert holds(record)
    changed = [mutation for mutation in chosen(record, 1) if mutation.kind in FOUND_IN_CUT]
    assert {mutation.kind for mutation in changed} == {*FOUND_IN_CUT}
    assert [str(mutation) for mutation in changed if holds(mutation.of(record))] == []


async def test_a_huge_match() -> None:
    """Fifty hands of poker of six, in pages of two sizes, in every form."""
    async with sitting("poker", limit="fixed_limit", hands=50, players=6, chips=1_000_000) as match:
        await match.go_on()
        record = await match.record()
        assert record.revision > 300
        caller, name = match.people[0], match.match.id
        for size in (97, 1000):
            merged, token = play_pb2.MatchRecord(), ""
            while token or not merged.entries:
                page = page_to_proto(await match.app.records.page(caller, name, None, size, token), SERVER)
                assert page.ByteSize() < 4 * 1024 * 1024
                merged.MergeFrom(page)
                token = page.next_page_token
            merged.next_page_token = ""
            assert merged == record
    assert verify(record).holds
    assert read_record(record_to_json(record)) == record
    assert read_record(record_to_text(record)) == record
