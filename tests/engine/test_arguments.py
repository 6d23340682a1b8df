"""Arguments beyond one word of one kind: groups of cards, amounts with steps, a word or a card, what may be missing."""

from random import Random
from typing import Annotated, Any, Literal

import pytest

from chautari import engine
from chautari.cards import Card, cards, text
from chautari.engine import (
    AMOUNT,
    OVER,
    Among,
    Choice,
    Game,
    Groups,
    Held,
    Look,
    Option,
    Position,
    Record,
    Said,
    Script,
    Seat,
    Sees,
    Table,
    Turn,
    Zone,
    turn,
)
from chautari.errors import ChautariError, Malformed, Refusal


class Settings(engine.Settings, frozen=True):
    """A toy: the greatest stake."""

    players: Annotated[int, engine.Range(2, 2)] = 2
    most: Annotated[int, engine.Range(0, 500)] = 40


class Facts(engine.Facts):
    """How many groups are wanted, whether a side must be named, and the scores."""

    groups: int = 2
    sided: bool = False
    score: engine.BySeat[int] = (0, 0)


class LastHand(Record, frozen=True):
    """Nothing of note."""

    done: bool = True


ZONES = [
    Zone("hand", Sees.OWNER, per_seat=True),
    Zone("row", Sees.OWNER, per_seat=True, ordered=True),
    Zone("pile", Sees.ALL, ordered=True),
]


def deal(table: Table[Facts], settings: Settings) -> Turn:
    table.bring(cards("TS QS"), "pile")
    table.deal(cards("AC 2C 3C 4C 5C 6C 7C 8C"), to="hand", first=0)
    return turn("play", 0)


def pairs(look: Look[Facts], settings: Settings, seat: Seat) -> tuple[int, ...]:
    return (2,) * look.facts.groups


def all_pairs(look: Look[Facts], settings: Settings, seat: Seat, sizes: tuple[int, ...]) -> bool:
    return bool(sizes) == (look.facts.groups > 0) and all(size == 2 for size in sizes)


Hand = tuple[tuple[Card, ...], ...]


def sort_(
    table: Table[Facts], settings: Settings, seat: Seat, rows: Annotated[Hand, Held("hand"), Groups((3, 1))]
) -> Turn:
    for row in rows:
        table.move(row, "hand", "row", seat)
    return turn("play", 0)


def lay(
    table: Table[Facts], settings: Settings, seat: Seat, rows: Annotated[Hand, Held("hand"), Groups(pairs, all_pairs)]
) -> Turn:
    if len(rows) != table.facts.groups:
        raise Refusal("WRONG_NUMBER", "lay as many pairs as are wanted")
    return OVER


def tops(look: Look[Facts], settings: Settings, seat: Seat) -> list[str | Card]:
    return ["none", look.cards("pile")[-1]]


def take(
    table: Table[Facts], settings: Settings, seat: Seat,
    what: Annotated[Literal["none"] | Card, Held("pile"), Among(tops, "ONLY_THE_TOP", "only the top may be taken")],
) -> Turn:  # fmt: skip
    if isinstance(what, Card):
        table.play(what, "pile", to="hand", seat=seat)
    return turn("play", 0)


def sides(look: Look[Facts], settings: Settings, seat: Seat) -> tuple[str | None, ...]:
    return ("left", "right") if look.facts.sided else (None,)


def stakes(look: Look[Facts], settings: Settings, seat: Seat) -> range:
    return range(10, settings.most + 1, 5)


def stake(
    table: Table[Facts], settings: Settings, seat: Seat,
    side: Annotated[Literal["left", "right"] | None, Among(sides, "NO_SUCH_SIDE", "left or right")],
    amount: Annotated[int, AMOUNT, Among(stakes, "OUT_OF_RANGE", "from 10 on, in fives")],
) -> Turn:  # fmt: skip
    table.facts.score = (amount, 0 if side is None else 1)
    return turn("play", 0)


def never(look: Look[Facts], settings: Settings, seat: Seat, random: Random) -> str | None:
    return None


TOY = Game(
    key="toy", version=1, settings=Settings, facts=Facts, zones=ZONES, deal=deal,
    phases={"play": (sort_, lay, take, stake)}, end_hand=lambda table, settings: LastHand(),
    place=lambda look, settings: (1, 1), timeouts={"play": "sort AC 3C 5C / 7C"},
    samplers={"sort": never, "lay": never, "stake": never}, trials=({},),
)  # fmt: skip


def toy(*, most: int = 40, **facts: object) -> Position[Any]:
    position = engine.begin(TOY, TOY.read_settings({"most": most}), Script(())).position
    for name, value in facts.items():
        setattr(position.facts, name, value)
    return position


def act(position: Position[Any], action: str) -> engine.Step:
    return engine.act(position, 0, action, Script(()))


def code(position: Position[Any], action: str) -> str:
    with pytest.raises(ChautariError) as caught:
        act(position, action)
    assert isinstance(caught.value, Malformed | Refusal)
    return caught.value.reason


def option(position: Position[Any], verb: str) -> list[Option]:
    return [option for option in engine.options(position, 0) if option.verb == verb]


@pytest.mark.parametrize("action", ["sort AC 3C 5C / 7C", "sort  5C 3C AC/7C", "sort AC\t3C 5C /7C "])
def test_groups_are_read_whatever_blanks_are_round_the_strokes(action: str) -> None:
    assert text(act(toy(), action).position.zones["row.0"][-1:]) == "7C"


@pytest.mark.parametrize(
    "action",
    ["sort", "sort /", "sort AC 3C 5C", "sort AC 3C / 5C 7C", "sort AC 3C 5C / 7C /", "sort / AC 3C 5C / 7C",
     "sort AC 3C 5C // 7C", "sort AC 3C 5C / 7c", "sort AC 3C 5C / ??"],
)  # fmt: skip
def test_groups_of_other_sizes_are_malformed(action: str) -> None:
    assert code(toy(), action) == "MALFORMED_ACTION"


def test_a_stroke_in_the_verb_is_no_verb() -> None:
    assert code(toy(), "sort/AC 3C 5C / 7C") == "UNKNOWN_ACTION"


def test_a_card_in_two_groups_is_not_held_twice() -> None:
    assert code(toy(), "sort AC 3C 5C / AC") == "CARD_NOT_HELD"


def test_others_hear_no_face_of_groups_laid_out_of_sight_whatever_the_blanks() -> None:
    said = act(toy(), "sort AC 3C 5C/7C").events[0]
    assert said == Said(0, "sort AC 3C 5C / 7C", "sort ?? ?? ?? / ??")


def test_sizes_that_can_be_read_are_left_to_a_rule() -> None:
    assert code(toy(), "lay AC 3C / 5C") == "MALFORMED_ACTION"
    assert code(toy(), "lay AC 3C") == "RULE_BROKEN"
    assert code(toy(), "lay") == "MALFORMED_ACTION"
    assert act(toy(), "lay AC 3C / 5C 7C").position.is_over


def test_groups_are_described_by_their_sizes_with_an_example_where_one_is_cheap() -> None:
    held = cards("AC 3C 5C 7C")
    assert option(toy(), "sort") == [
        Option("sort", (Choice("rows", "groups", False, None, 4, 4, held, sizes=(3, 1)),), None, "sort AC 3C 5C / 7C")
    ]
    assert option(toy(), "lay") == [
        Option("lay", (Choice("rows", "groups", False, None, 4, 4, held, sizes=(2, 2)),), None)
    ]
    assert option(toy(groups=3), "lay") == []


def test_a_verb_that_wants_no_group_stands_alone() -> None:
    assert code(toy(groups=0), "lay AC 3C") == "MALFORMED_ACTION"
    assert option(toy(groups=0), "lay") == [Option("lay", (), ("lay",), "lay")]
    assert "lay" in engine.legal(toy(groups=0), 0)
    assert "lay" not in engine.legal(toy(), 0)
    assert act(toy(groups=0), "lay").position.is_over


def test_an_argument_may_be_a_word_or_a_card() -> None:
    assert text(act(toy(), "take QS").position.zones["pile"]) == "TS"
    assert text(act(toy(), "take none").position.zones["pile"]) == "TS QS"
    assert code(toy(), "take AC") == "CARD_NOT_HELD"
    assert code(toy(), "take TS") == "RULE_BROKEN"
    assert code(toy(), "take some") == "MALFORMED_ACTION"
    assert [action for action in engine.legal(toy(), 0) if action.startswith("take")] == ["take none", "take QS"]


def test_a_word_or_a_card_has_an_option_each() -> None:
    assert TOY.verbs["take"].arguments[0].types == ("word", "card")
    assert option(toy(), "take") == [
        Option("take", (Choice("what", "word", False, ("none",)),), ("take none",), "take none"),
        Option("take", (Choice("what", "card", False, ("QS",)),), ("take QS",), "take QS"),
    ]


def test_an_amount_is_described_by_its_range_and_step() -> None:
    assert option(toy(), "stake") == [Option("stake", (Choice("amount", "number", False, None, 10, 40, step=5),), None)]
    assert code(toy(), "stake 45") == code(toy(), "stake 12") == "RULE_BROKEN"
    assert code(toy(), "stake 015") == "MALFORMED_ACTION"
    assert act(toy(), "stake 15").position.facts.score == (15, 0)


def test_an_empty_range_of_amounts_is_not_offered() -> None:
    assert option(toy(most=0), "stake") == []


def test_an_argument_may_be_wanted_at_one_time_and_not_at_another() -> None:
    assert code(toy(), "stake left 10") == "MALFORMED_ACTION"
    assert code(toy(sided=True), "stake 10") == "MALFORMED_ACTION"
    assert code(toy(sided=True), "stake 10 left") == "MALFORMED_ACTION"
    assert act(toy(sided=True), "stake left 10").position.facts.score == (10, 1)
    assert option(toy(sided=True), "stake")[0].choices[0] == Choice("side", "word", False, ("left", "right"))
