"""Staked hands: what a seat stakes on against a house, and its hands, which it plays one after another and may split.

They are the zones `hand.2.1`, `hand.2.2` … of seat 2, as many as `max_hands`; a hand counts from 0 here. Those of the
house are in the zone `house`. Source: casino rules as generally published.
"""

from collections.abc import Iterable
from operator import sub
from typing import Any, Final, Protocol

from chautari.cards import Card
from chautari.engine import Look, Rule, Seat, Table
from chautari.kit.shoe import cards_left, next_card
from chautari.kit.totals import add_to, set_at
from chautari.kit.twenty_one import BEST, Ending, Outcome, is_below_17, is_natural, outcome_of, total

_UNFINISHED: Final[tuple[Ending, ...]] = ("",)


class StakedFacts(Protocol):
    """What the table knows of them: by seat its chips, the stakes on its hands, that on a blackjack of the house, and
    how the hands were finished.

    active: which hand of the seat in turn is played, from 1 on.
    """

    score: tuple[int, ...]
    stakes: tuple[tuple[int, ...], ...]
    insured: tuple[int, ...]
    endings: tuple[tuple[Ending, ...], ...]
    active: int | None


def hand_names(settings: Any) -> tuple[str, ...]:
    """The hands of seat 0, then those of seat 1 …"""
    return tuple(f"{seat}.{k}" for seat in range(settings.players) for k in range(1, settings.max_hands + 1))


def cards_of(look: Look[Any], settings: Any, seat: Seat, hand: int) -> tuple[Card, ...]:
    """The cards of a hand."""
    return look.cards("hand", seat * settings.max_hands + hand)


def in_play(look: Look[Any], settings: Any, seat: Seat) -> tuple[int, tuple[Card, ...]]:
    """The hand that the seat plays, and its cards."""
    hand = look.facts.active - 1
    return hand, cards_of(look, settings, seat, hand)


def is_of_split_aces(look: Look[Any], seat: Seat, cards: tuple[Card, ...]) -> bool:
    """Whether a hand came from split aces: only aces make hands that begin with one."""
    return len(look.facts.stakes[seat]) > 1 and cards[0].rank == "A"


def draw_to(table: Table[Any], settings: Any, seat: Seat, hand: int) -> None:
    """The hand gets the next card of the shoe."""
    next_card(table, "hand", seat * settings.max_hands + hand)


def begin_hands(facts: StakedFacts) -> None:
    """What is staked is taken off the chips, and the hands that it is staked on begin."""
    facts.score = tuple(map(sub, facts.score, map(sum, facts.stakes)))
    facts.endings = tuple([_UNFINISHED * len(stakes) for stakes in facts.stakes])


def finish(table: Table[Any], seat: Seat, hand: int, ending: Ending) -> None:
    """Nothing more is done with this hand."""
    facts: StakedFacts = table.facts
    facts.endings = set_at(facts.endings, seat, set_at(facts.endings[seat], hand, ending))


def double_stake(table: Table[Any], seat: Seat, hand: int) -> None:
    """As much again is staked on a hand."""
    stakes = table.facts.stakes[seat]
    _stake(table, seat, set_at(stakes, hand, 2 * stakes[hand]))


def split_hand(table: Table[Any], settings: Any, seat: Seat, hand: int) -> None:
    """The last card of a hand begins a new one with an equal stake, and both get a card."""
    facts: StakedFacts = table.facts
    stakes = facts.stakes[seat]
    _stake(table, seat, (*stakes, stakes[hand]))
    facts.endings = set_at(facts.endings, seat, facts.endings[seat] + _UNFINISHED)
    first = seat * settings.max_hands
    table.pick(table.name("hand", first + hand), to=table.name("hand", first + len(stakes)))
    draw_to(table, settings, seat, hand)
    draw_to(table, settings, seat, len(stakes))


def _stake(table: Table[Any], seat: Seat, stakes: tuple[int, ...]) -> None:
    """The stakes of a seat become these, and what they are more is taken off its chips."""
    facts: StakedFacts = table.facts
    facts.score = add_to(facts.score, seat, sum(facts.stakes[seat]) - sum(stakes))
    facts.stakes = set_at(facts.stakes, seat, stakes)


def too_few(look: Look[Any], seat: Seat, price: int) -> Rule | None:
    """What a seat is told that does not have so many chips."""
    chips = look.facts.score[seat]
    if chips >= price:
        return None
    return "TOO_FEW_CHIPS", "this costs {price} chips, and you have {chips}", {"price": price, "chips": chips}


# A house that shows an ace ────────────────────────────────────────────────────────────────────────────────────────────


def why_no_insurance(look: Look[Any], settings: Any, seat: Seat) -> Rule | None:
    """Half the stake is at least a chip, and the seat has it."""
    half = look.facts.stakes[seat][0] // 2
    if half < 1:
        return "HALF_IS_NOTHING", "half of your bet is less than a chip: it cannot be insured"
    return too_few(look, seat, half)


def insure_half(table: Table[Any], seat: Seat) -> None:
    """Half as much as on the hand is staked on a blackjack of the house."""
    facts: StakedFacts = table.facts
    half = facts.stakes[seat][0] // 2
    facts.insured = set_at(facts.insured, seat, half)
    facts.score = add_to(facts.score, seat, -half)


# Against the house ────────────────────────────────────────────────────────────────────────────────────────────────────


def hands_to_beat(look: Look[Any], settings: Any, seats: Iterable[Seat]) -> list[bool]:
    """Of each hand of these seats that the house has yet to beat, whether it is a blackjack."""
    facts: StakedFacts = look.facts
    natural = []
    for seat in seats:
        for hand, ending in enumerate(facts.endings[seat]):
            cards = cards_of(look, settings, seat, hand)
            if ending in ("", "stood") and total(cards) <= BEST:
                natural.append(is_natural(cards) and len(facts.stakes[seat]) == 1)
    return natural


def house_draws(table: Table[Any], *, hits_soft_17: bool) -> None:
    """The house draws to 17, as far as there are cards."""
    while cards_left(table) and is_below_17(table.cards("house"), hits_soft_17=hits_soft_17):
        next_card(table, "house")


def outcomes_of(look: Look[Any], settings: Any, seat: Seat) -> tuple[Outcome, ...]:
    """What became of each hand of a seat: of more than one, all came from a split."""
    facts: StakedFacts = look.facts
    house, was_split = look.cards("house"), len(facts.stakes[seat]) > 1
    return tuple([
        outcome_of(cards_of(look, settings, seat, hand), house, ending, was_split=was_split)
        for hand, ending in enumerate(facts.endings[seat])
    ])  # fmt: skip
