"""`chautari record`: the forms of a record, from files and a server; and hands of hold'em as pokerkit reads them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pokerkit.notation import HandHistory

from chautari.app.values import Disclosure
from chautari.games.poker import GAME
from chautari.v1 import play_pb2
from chautari.wire.convert.plain import read_struct
from chautari.wire.records.files import read_record, record_to_json
from chautari.wire.records.phh import record_to_phh
from chautari.wire.records.text import record_to_text
from tests.cli.test_commands import call
from tests.games.test_poker_and_pokerkit import assert_agree, elsewhere
from tests.wire.recorded import played, sitting
from tests.wire.served import serving


async def test_forms_of_a_file(tmp_path: Path) -> None:
    record = await played("badam_satti")
    as_json, as_text = tmp_path / "a.chautari.json", tmp_path / "a.txt"
    as_json.write_text(record_to_json(record))
    result = call("record", str(as_json))
    assert (result.exit_code, result.stdout) == (0, record_to_text(record))
    as_text.write_text(result.stdout)
    assert read_record(call("record", str(as_text), "--json").stdout) == record
    written = tmp_path / "b.chautari.json"
    assert call("record", str(as_text), "--json", "--out", str(written)).exit_code == 0
    assert read_record(written.read_text()) == record
    refused = call("record", str(as_json), "--phh")
    assert refused.exit_code == 2
    assert "badam_satti has no form in PHH" in refused.stderr


def test_what_cannot_be_shown(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("{}")
    assert call("record", str(tmp_path / "missing")).exit_code == 2
    assert call("record", str(tmp_path / "x"), "--json", "--phh").exit_code == 2
    (tmp_path / "binary").write_bytes(b"\xff")
    assert call("record", str(tmp_path / "binary")).exit_code == 2
    assert call("record", str(tmp_path / "x"), "--phh").exit_code == 2


async def test_from_a_server(tmp_path: Path) -> None:
    async with serving() as served:
        guest = await served.guest("सीता")
        match = await guest.create("gulam_chor", seats=(0, 1, 2), players=3)
        token = tmp_path / "token"
        token.write_text(guest.token + "\n")

        async def fetched(*arguments: str) -> Any:
            return await asyncio.to_thread(call, "record", match.name, "--server", guest.address, *arguments)

        cut = await fetched("--json", "--seat", "1", "--token-file", str(token))
        assert cut.exit_code == 0, cut.output
        expected = await guest.call("Play/Record", play_pb2.RecordRequest(match=match.name, seat=1))
        assert read_record(cut.stdout) == expected
        private = await fetched()
        assert private.exit_code == 2
        assert "not for you to see" in private.stderr
    gone = await fetched()
    assert gone.exit_code == 2
    assert "the server does not give it" in gone.stderr


@pytest.mark.parametrize("disclosure", Disclosure)
@pytest.mark.parametrize("trial", range(len(GAME.trials)))
async def test_hands_of_holdem_end_with_the_same_stacks_for_pokerkit(trial: int, disclosure: Disclosure) -> None:
    """But where a blind is posted short, which pokerkit lets others call for less; and but for odd chips."""
    record = await played("poker", trial, disclosure=disclosure)
    pots = [
        read_struct(event.hand_ended.record.record)["pots"]
        for entry in record.entries for event in entry.events if event.HasField("hand_ended")
    ]  # fmt: skip
    hands = list(HandHistory.loads_all(record_to_phh(record)))
    for hand, won in zip(hands, pots, strict=True):
        assert hand.blinds_or_straddles is not None
        assert hand.finishing_stacks is not None
        big, places = hand.blinds_or_straddles[1], len(hand.starting_stacks)
        short = hand.starting_stacks[0 if places == 2 else 1] - hand.antes[0] < big
        if not short:
            *_, last = hand
            assert_agree(hand.finishing_stacks, last.stacks, elsewhere(won))
            assert sum(last.stacks) == sum(hand.starting_stacks)
    assert hands


async def test_a_seat_reads_its_own_cards_in_the_history() -> None:
    async with sitting("poker", disclosure=Disclosure.SHOWN_ONLY) as match:
        await match.go_on()
        hands = list(HandHistory.loads_all(record_to_phh(await match.record(1))))
        spectator = list(HandHistory.loads_all(record_to_phh(await match.record())))
    assert hands
    for hand, other in zip(hands, spectator, strict=True):
        dealt = {action.split()[2]: action.split()[3] for action in hand.actions if action.startswith("d dh")}
        assert hand.seats is not None
        own = [f"p{hand.seats.index(2) + 1}"] if 2 in hand.seats else []
        assert [player for player, cards in dealt.items() if "?" not in cards] == own
        assert all("????" in action for action in other.actions if action.startswith("d dh"))


def test_a_history_of_what_does_not_fit_is_refused() -> None:
    record = play_pb2.MatchRecord(format_version=1, game="games/poker")
    record.entries.add().events.add().hand_began.hand = 1
    with pytest.raises(Exception, match="do not fit"):
        record_to_phh(record)
    assert record_to_json(record)
