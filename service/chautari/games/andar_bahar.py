"""Andar Bahar: one card lies in the middle, and all bet on the side, inside or outside, on which its match will fall.

Sources: the list of games (seed 001) for the seats and the idea; pagat.com, Andar Bahar, for the order of dealing, the
colour rule and bets after the middle card; other public rules for nine tenths on the favoured side and second bets. The
table is the bank, even payment is the default, and all bets lie open.
"""

from typing import Annotated, Literal

from chautari import engine
from chautari.cards import CardText, pack
from chautari.engine import (
    AMOUNT,
    OVER,
    Among,
    BySeat,
    Game,
    Kind,
    Look,
    Random,
    Range,
    Record,
    Seat,
    Sees,
    Table,
    Turn,
    Zone,
    bad_setting,
    turn,
    verb,
)
from chautari.errors import Refusal
from chautari.kit.placing import most_points
from chautari.kit.totals import add_to, set_at

Side = Literal["andar", "bahar"]
Bet = Literal["andar", "bahar", "pass"]


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Annotated[int, Range(2, 6)] = 4
    chips: Annotated[int, Range(10, 10000)] = 100
    min_bet: Annotated[int, Range(1, 1000)] = 5
    max_bet: Annotated[int, Range(1, 10000)] = 50
    rounds: Annotated[int, Range(1, 50)] = 10
    first_side: Literal["colour", "andar", "bahar"] = "colour"
    payout: Literal["even", "nine_tenths"] = "even"
    second_bet: bool = False


def check(settings: Settings) -> None:
    """The smallest bet is within the largest and within the chips."""
    if settings.min_bet > min(settings.max_bet, settings.chips):
        raise bad_setting(
            "min_bet", f"the smallest bet is at most {settings.max_bet}, and at most {settings.chips} chips"
        )


class LastHand(Record, frozen=True):
    """The record of a round: the middle card, the side that won, the cards dealt, and by seat both bets and gains."""

    hand_no: int
    card: CardText
    side: Side
    count: int
    sides: BySeat[Bet | None]
    stakes: BySeat[int]
    gains: BySeat[int]
    sides2: BySeat[Bet | None]
    stakes2: BySeat[int]
    gains2: BySeat[int]


class Facts(engine.Facts):
    """What the table knows: everything but the deck."""

    hand_no: int = 0
    first_side: Side = "andar"
    side: BySeat[Bet | None] = ()
    stake: BySeat[int] = ()
    side2: BySeat[Bet | None] = ()
    stake2: BySeat[int] = ()
    last_card: CardText | None = None
    last_side: Side | None = None
    last_count: int | None = None
    score: BySeat[int] = ()


ZONES = (
    Zone("deck", Sees.NONE, ordered=True),
    Zone("middle", Sees.ALL, ordered=True, kind=Kind.ROW),
    Zone("andar", Sees.ALL, ordered=True, kind=Kind.ROW),
    Zone("bahar", Sees.ALL, ordered=True, kind=Kind.ROW),
)


def opening(settings: Settings) -> Facts:
    """Every seat has its chips."""
    return Facts(score=(settings.chips,) * settings.players)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """The middle card is turned up, and every seat that can is asked for a bet."""
    facts = table.facts
    facts.hand_no += 1
    facts.side = facts.side2 = (None,) * settings.players
    facts.stake = facts.stake2 = (0,) * settings.players
    table.shuffle("deck", fresh=pack())
    middle = table.draw("deck", to="middle")
    by_colour: Side = "bahar" if middle.red else "andar"
    facts.first_side = by_colour if settings.first_side == "colour" else settings.first_side
    return turn("bet", *able(table, settings))


def able(look: Look[Facts], settings: Settings) -> list[Seat]:
    """The seats with chips enough for the smallest bet."""
    return [seat for seat in look.seats if look.facts.score[seat] >= settings.min_bet]


def amounts(look: Look[Facts], settings: Settings, seat: Seat) -> range:
    """What a seat may bet."""
    return range(settings.min_bet, min(settings.max_bet, look.facts.score[seat]) + 1)


def out_of_range(look: Look[Facts], settings: Settings, seat: Seat, amount: int) -> Refusal:
    """The range, in words."""
    most = amounts(look, settings, seat)[-1]
    return Refusal("OUT_OF_RANGE", f"bet from {settings.min_bet} to {most} chips", low=settings.min_bet, high=most)


def bet(
    table: Table[Facts], settings: Settings, seat: Seat, side: Side,
    amount: Annotated[int, AMOUNT, Among(amounts, out_of_range)],
) -> Turn:  # fmt: skip
    """Bets on a side; it cannot be taken back."""
    facts = table.facts
    facts.score = add_to(facts.score, seat, -amount)
    return answer(table, settings, seat, side, amount)


@verb(free=True)
def pass_(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Bets nothing in this betting."""
    return answer(table, settings, seat, "pass", 0)


def answer(table: Table[Facts], settings: Settings, seat: Seat, side: Bet, amount: int) -> Turn:
    """Notes a bet of this betting; when the last seat in turn has acted, the cards are dealt."""
    facts = table.facts
    if table.phase == "bet":
        facts.side, facts.stake = set_at(facts.side, seat, side), set_at(facts.stake, seat, amount)
    else:
        facts.side2, facts.stake2 = set_at(facts.side2, seat, side), set_at(facts.stake2, seat, amount)
    return table.still_in_turn(seat) or deal_sides(table, settings)


def deal_sides(table: Table[Facts], settings: Settings) -> Turn:
    """Cards go to the sides in turn until one matches the middle; a second betting comes after the first two."""
    rank = table.cards("middle")[0].rank
    sides = (table.facts.first_side, other_side(table.facts.first_side))
    dealt = table.count("andar") + table.count("bahar")
    while True:
        if table.draw("deck", to=sides[dealt % 2]).rank == rank:
            return OVER
        dealt += 1
        if dealt == 2 and settings.second_bet:
            seats = able(table, settings)
            if seats:
                return turn("rebet", *seats)


def other_side(side: Side) -> Side:
    """The side across from this one."""
    return "bahar" if side == "andar" else "andar"


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """Each bet on the winning side goes back with its gain; the others go to the bank."""
    facts = table.facts
    middle = table.cards("middle")[0]
    dealt = table.count("andar") + table.count("bahar")
    winning = facts.first_side if dealt % 2 else other_side(facts.first_side)
    gains = gains_of(facts.side, facts.stake, winning, facts, settings)
    gains2 = gains_of(facts.side2, facts.stake2, winning, facts, settings)
    record = LastHand(
        facts.hand_no, middle.text, winning, dealt, facts.side, facts.stake, gains, facts.side2, facts.stake2, gains2
    )
    back = zip(facts.score, facts.stake, gains, facts.stake2, gains2, strict=True)
    facts.score = tuple(score + stake + gain + stake2 + gain2 for score, stake, gain, stake2, gain2 in back)
    facts.last_card, facts.last_side, facts.last_count = middle.text, winning, dealt
    facts.stake = facts.stake2 = (0,) * settings.players
    return record


def gains_of(
    sides: tuple[Bet | None, ...], stakes: tuple[int, ...], winning: Side, facts: Facts, settings: Settings
) -> tuple[int, ...]:
    """What each seat gains by its bet of one betting; a bet that is lost gains less than nothing."""
    favoured = settings.payout == "nine_tenths" and winning == facts.first_side
    return tuple(
        -stake if side != winning else stake * 9 // 10 if favoured else stake
        for side, stake in zip(sides, stakes, strict=True)
    )


def match_is_over(look: Look[Facts], settings: Settings) -> bool:
    """After the last round, or when no seat can bet any more."""
    return look.facts.hand_no == settings.rounds or not able(look, settings)


def random_bet(look: Look[Facts], settings: Settings, seat: Seat, random: Random) -> str:
    """Any bet on either side."""
    return f"bet {random.choice(('andar', 'bahar'))} {random.choice(amounts(look, settings, seat))}"


GAME = Game(
    key="andar_bahar",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"bet": (bet, pass_), "rebet": (bet, pass_)},
    end_hand=end_hand,
    match_is_over=match_is_over,
    place=most_points,
    timeouts={"bet": "pass", "rebet": "pass"},
    samplers={"bet": random_bet},
    check=check,
    turn_seconds=30,
    trials=(
        {"players": 2, "rounds": 6, "second_bet": True},
        {"players": 3, "rounds": 5, "payout": "nine_tenths", "first_side": "andar", "second_bet": True},
        {"players": 4, "rounds": 5, "chips": 20, "first_side": "bahar"},
        {"players": 5, "rounds": 4, "chips": 1000, "max_bet": 1000, "min_bet": 1, "payout": "nine_tenths"},
        {"players": 6, "rounds": 4, "second_bet": True, "min_bet": 40},
    ),
)
