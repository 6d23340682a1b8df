"""What has been listed of a position is taken for legal when it is done; it is no part of the state."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from chautari import engine
from chautari.engine import Position, Random, Script
from chautari.errors import Refusal
from tests.games.tables import table


def playing() -> Position[Any]:
    return table(
        "call_break", "hand.0: 7H 8H 2C | hand.1: 9H 3D | trick: TH", phase="play", turn=[1], led="H", leader=0,
        calls=(1, 1, 1, 1),
    )  # fmt: skip


def test_an_action_that_was_listed_gives_what_it_gives_unlisted() -> None:
    seen, unseen = playing(), playing()
    assert engine.legal(seen, 1) == ["play 9H"]
    one, other = engine.act(seen, 1, "play 9H", Script(())), engine.act(unseen, 1, "play 9H", Script(()))
    assert (one.position, one.events) == (other.position, other.events)


def draw(position: Position[Any], seat: int) -> str | None:
    return engine.sample(position, seat, Random(1))


@pytest.mark.parametrize("ask", [engine.legal, engine.options, draw])
@pytest.mark.parametrize(
    ("seat", "action", "code"),
    [(1, "play 3D", "RULE_BROKEN"), (1, "play KH", "CARD_NOT_HELD"), (0, "play 9H", "NOT_YOUR_TURN")],
)
def test_what_was_not_listed_is_still_refused(
    ask: Callable[[Position[Any], int], object], seat: int, action: str, code: str
) -> None:
    position = playing()
    ask(position, 1)
    with pytest.raises(Refusal) as refused:
        engine.act(position, seat, action, Script(()))
    assert refused.value.reason == code


def test_it_may_be_written_in_another_way() -> None:
    position = playing()
    engine.legal(position, 1)
    one, other = (engine.act(position, 1, action, Script(())) for action in (" play \t9H ", "play 9H"))
    assert one.events == other.events


def test_what_was_listed_for_one_seat_says_nothing_of_another() -> None:
    position = msgspec.structs.replace(playing(), must=0b11)
    assert "play 7H" in engine.legal(position, 0)
    with pytest.raises(Refusal) as refused:
        engine.act(position, 1, "play 7H", Script(()))
    assert refused.value.reason == "CARD_NOT_HELD"


def test_a_position_made_of_another_has_nothing_listed() -> None:
    position = playing()
    engine.legal(position, 1)
    other = msgspec.structs.replace(position, zones={**position.zones, "hand.1": position.zones["hand.0"]})
    assert other.listed is None
    with pytest.raises(Refusal) as refused:
        engine.act(other, 1, "play 9H", Script(()))
    assert refused.value.reason == "CARD_NOT_HELD"


def test_it_changes_neither_what_is_equal_nor_what_is_kept() -> None:
    one, other = playing(), playing()
    engine.legal(one, 1)
    assert one == other
    assert engine.encode(one) == engine.encode(other)
    assert one != msgspec.structs.replace(other, hands=2)
    assert one != object()


def test_what_a_sampler_drew_is_looked_at_again_and_nothing_forbidden_is_drawn() -> None:
    position = table(
        "poker", "hand.0: 7H 8H | hand.1: 9H 3D", phase="preflop", turn=[0], chips=(198, 196), bets=(2, 4), paid=(2, 4),
        live=(True, True), acted=(-1, -1), to_match=4, owes=2, least=6, most=200, step=2, raises=1,
        settings={"players": 2},
    )  # fmt: skip
    verbs = set()
    for seed in range(60):
        action = engine.sample(position, 0, Random(seed))
        assert action is not None
        assert position.listed == (0, ["fold", "call"])
        verbs.add(action.split(" ")[0])
    assert verbs == {"fold", "call", "raise"}  # there is a bet: none is made now, and nobody checks
