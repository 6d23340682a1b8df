"""Boards: positions, cells with names, a choice that depends on the one before, and what a client is told of them."""

from typing import Annotated, Any

import pytest

from chautari import engine
from chautari.cards import Card, CardText, cards
from chautari.engine import (
    OVER,
    Among,
    At,
    Board,
    BySeat,
    BySide,
    Choice,
    Game,
    Held,
    Look,
    Option,
    Position,
    Record,
    Seat,
    Sees,
    Show,
    Side,
    Table,
    Turn,
    Words,
    Zone,
    turn,
)
from chautari.errors import ChautariError

CELLS = ("a1", "b1", "a2", "b2")
BOARD = Board(2, CELLS, (CardText("AC"), CardText("2C"), CardText("2C"), ""))


class Settings(engine.Settings, frozen=True):
    """A toy."""

    players: Annotated[int, engine.Range(2, 2)] = 2


class Facts(engine.Facts):
    """What lies on the board, and who belongs to whom."""

    chips: Annotated[tuple[str, ...], BOARD] = ("..", "..")
    team: BySeat[Side] = (0, 1)
    rows: BySide[int] = (0, 0)
    up: tuple[Annotated[int, At("pos")], ...] = ()
    score: BySeat[int] = (0, 0)


class Nothing(Record, frozen=True):
    """Nothing of note."""

    done: bool = True


ZONES = [
    Zone("hand", Sees.OWNER, per_seat=True),
    Zone("pos", Sees.ALL, indexes=lambda settings: 3, kind=engine.Kind.BOARD),
]


def spaces(look: Look[Facts], settings: Settings, seat: Seat, card: Card) -> list[str]:
    """The cells that show this card and are empty."""
    lying = "".join(look.facts.chips)
    return [CELLS[i] for i in range(4) if BOARD.prints[i] == card.text and lying[i] == "."]


def put(
    table: Table[Facts], settings: Settings, seat: Seat, card: Annotated[Card, Held("hand")],
    space: Annotated[str, Words(CELLS), Among(spaces, "NOT_OPEN", "that cell is not open to the card", given=True)],
) -> Turn:  # fmt: skip
    """Puts a card down on a cell."""
    table.play(card, "hand", to="pos", seat=0)
    return turn("play", 0)


def filled(look: Look[Facts], settings: Settings, seat: Seat) -> list[int]:
    """The positions that hold a card."""
    return [position for position, count in enumerate(look.counts("pos")) if count]


def lift(
    table: Table[Facts], settings: Settings, seat: Seat,
    position: Annotated[int, At("pos"), Among(filled, "EMPTY", "nothing lies there")],
) -> Turn:  # fmt: skip
    """Lifts the card of a position."""
    table.pick("pos", "hand", position)
    return OVER


GAME: Game[Settings, Facts] = Game(
    key="toy", version=1, settings=Settings, facts=Facts, zones=ZONES,
    deal=lambda table, settings: turn("play", 0), phases={"play": (put, lift)},
    end_hand=lambda table, settings: Nothing(), place=lambda look, settings: (1, 1), timeouts={"play": "lift 0"},
    trials=({},),
)  # fmt: skip


def table(hand: str, chips: tuple[str, str] = ("..", ".."), **lying: str) -> Position[Any]:
    settings = Settings()
    layout = GAME.layout(settings)
    zones = dict(layout.empty) | {"hand.0": cards(hand)} | {f"pos.{at[1:]}": cards(held) for at, held in lying.items()}
    return Position(GAME, settings, layout, zones, Facts(chips=chips), "play", 1, 0, 1)


def refused(position: Position[Any], action: str) -> str:
    with pytest.raises(ChautariError) as refusal:
        engine.act(position, 0, action, lambda faces: faces)
    return refusal.value.reason


def test_a_choice_that_depends_on_the_one_before_is_listed_for_each() -> None:
    assert engine.legal(table("3C 2C AC"), 0) == ["put AC a1", "put 2C b1", "put 2C a2"]
    assert engine.legal(table("3C 2C 2C", (".1", "0.")), 0) == []


def test_there_is_an_option_for_each_first_choice() -> None:
    assert engine.options(table("2C AC"), 0) == [
        Option(
            "put",
            (Choice("card", "card", False, ("AC",)), Choice("space", "word", False, ("a1",))),
            ("put AC a1",),
            "put AC a1",
        ),
        Option(
            "put",
            (Choice("card", "card", False, ("2C",)), Choice("space", "word", False, ("b1", "a2"))),
            ("put 2C b1", "put 2C a2"),
            "put 2C b1",
        ),
    ]


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("put 2C", "MALFORMED_ACTION"),
        ("put 2C c1", "MALFORMED_ACTION"),
        ("put 2C 1a", "MALFORMED_ACTION"),
        ("put 3C b1", "CARD_NOT_HELD"),
        ("put 2C a1", "RULE_BROKEN"),
        ("put 2C b2", "RULE_BROKEN"),
        ("lift 3", "MALFORMED_ACTION"),
        ("lift 01", "MALFORMED_ACTION"),
        ("lift -1", "MALFORMED_ACTION"),
        ("lift 2", "RULE_BROKEN"),
    ],
)
def test_refusals(action: str, code: str) -> None:
    assert refused(table("2C AC", p0="KC"), action) == code


def test_positions_are_numbers_of_zones() -> None:
    position = table("2C", (".0", "0."), p1="KC", p2="QC")
    assert engine.legal(position, 0) == ["lift 1", "lift 2"]
    (option,) = engine.options(position, 0)
    assert option.choices == (Choice("position", "position", False, ("1", "2")),)


def test_facts_say_what_they_are() -> None:
    chips, team, rows, up, _ = GAME.facts_declared
    assert (chips.show, chips.board) == (Show.BOARD, BOARD)
    assert (team.type, team.shape) == ("side", "by_seat")
    assert (rows.type, rows.shape) == ("int", "by_side")
    assert (up.type, up.shape, up.at, up.board) == ("position", "list", "pos", None)
