"""Random hands of poker end with the same chips as in the library pokerkit, in each limit, mode and number of seats.

Left out is what the page of poker decides otherwise: a big blind posted short, which pokerkit lets others call for
less. Where there are several odd chips, as many may lie elsewhere: pokerkit gives those of one pot to one winner, the
page one each to the first; and it makes one pot of those whose losers have mucked, the page divides each on its own.
Nor are the blinds equal: of two seats pokerkit then lets the wrong one open.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import pytest
from pokerkit import Automation, BettingStructure, FixedLimitTexasHoldem, NoLimitTexasHoldem, State

from chautari import engine
from chautari.cards import Card, cards
from chautari.engine import FairStream, Position, Seat
from chautari.games.poker import GAME, Settings
from tests.games.matches import chance_of

AUTOMATIC = tuple(
    one for one in Automation
    if one not in (Automation.CARD_BURNING, Automation.HOLE_DEALING, Automation.BOARD_DEALING)
)  # fmt: skip
LIMITS = ("no_limit", "pot_limit", "fixed_limit")
MODES = ("cash", "freezeout")


class PotLimitTexasHoldem(NoLimitTexasHoldem):
    """Texas hold'em with pot limit, which pokerkit has no class of its own for."""

    betting_structure = BettingStructure.POT_LIMIT


class End(NamedTuple):
    """The chips at the end of a hand, by place after the button: ours, theirs; and how many may lie elsewhere."""

    ours: list[int]
    theirs: list[int]
    elsewhere: int


class Hand:
    """One hand at our table and at theirs. Their seats are numbered from the one after the button on."""

    def __init__(self, start: Position[Any]) -> None:
        facts, settings = start.facts, start.settings
        assert isinstance(settings, Settings)
        dealt_in = [seat for seat in range(settings.players) if facts.live[seat]]
        self.order = [seat for seat in engine.Look(start).round_from(facts.dealer) if seat in dealt_in]
        self.order = self.order[1:] + self.order[:1]
        blinds = (facts.small_blind, facts.big_blind)
        chips = [facts.stacks[seat] for seat in self.order]
        rest: tuple[Any, ...] = (chips, len(chips))
        if settings.limit == "fixed_limit":
            bets = (facts.big_blind, 2 * facts.big_blind)
            self.state: State = FixedLimitTexasHoldem.create_state(AUTOMATIC, True, facts.ante, blinds, *bets, *rest)
        else:
            kind = PotLimitTexasHoldem if settings.limit == "pot_limit" else NoLimitTexasHoldem
            self.state = kind(AUTOMATIC, True, facts.ante, blinds, facts.big_blind)(*rest)
        for seat in self.order:
            self.state.deal_hole(theirs(start.zones[f"hand.{seat}"]))

    @property
    def seat(self) -> Seat | None:
        """Who is to act at their table."""
        place = self.state.actor_index
        return None if place is None else self.order[place]

    def can_raise_to(self, total: int) -> bool:
        """Whether their rules allow it too."""
        return bool(self.state.can_complete_bet_or_raise_to(total))

    def act(self, action: str) -> None:
        """The same action at their table."""
        verb, _, total = action.partition(" ")
        if verb == "fold":
            self.state.fold()
        elif total:
            self.state.complete_bet_or_raise_to(int(total))
        else:
            self.state.check_or_call()

    def go_on(self, board: Sequence[Card], seat: Seat | None) -> None:
        """Deals the cards that lie on our board and not on theirs, until this seat is to act, or the hand is over.

        A seat that has called all others in is asked again there, to check; not at our table.
        """
        while True:
            if self.state.can_burn_card("??"):
                self.state.burn_card("??")
                lying = len(list(self.state.get_board_cards(0)))
                self.state.deal_board(theirs(board[lying : max(3, lying + 1)]))
            elif self.seat is not None and self.seat != seat:
                assert self.state.checking_or_calling_amount == 0
                self.state.check_or_call()
            else:
                assert self.seat == seat
                return


def elsewhere(pots: Sequence[Mapping[str, Any]]) -> int:
    """How many chips of a hand with these pots each player may have more or fewer of at the other table."""
    odd = sum(pot["amount"] % len(pot["winners"]) for pot in pots)
    return odd if odd > 1 else 0


def assert_agree(ours: Sequence[int], others: Sequence[int], apart: int) -> None:
    """The same chips for everybody, but for so many that may lie elsewhere."""
    assert sum(ours) == sum(others)
    assert all(abs(own - other) <= apart for own, other in zip(ours, others, strict=True)), (ours, others)


def theirs(some: Sequence[Card]) -> str:
    """Cards as pokerkit writes them."""
    return "".join(card.rank + card.suit.lower() for card in some)


def hands(limit: str, mode: str, count: int) -> Iterator[End]:
    """The ends of so many random hands."""
    random = Random(f"{limit} {mode}")
    while count > 0:
        small, big = random.choice(((1, 2), (1, 3), (2, 5)))
        settings = GAME.read_settings({
            "players": random.randint(2, 6), "limit": limit, "mode": mode, "chips": random.choice((20, 50, 200)),
            "small_blind": small, "big_blind": big, "ante": random.choice((0, 0, 1)), "hands": 12, "level_hands": 8,
        })  # fmt: skip
        chance = chance_of(GAME, settings.players, random.randrange(1 << 30))
        position = engine.begin(GAME, settings, chance).position
        while not position.is_over and count > 0:
            position, end = _play_hand(position, random, chance)
            if end is not None:
                count -= 1
                yield end


def _play_hand(position: Position[Any], random: Random, chance: FairStream) -> tuple[Position[Any], End | None]:
    """Plays one hand at both tables; at ours alone, with no end to compare, where a blind is short. Several may end at
    once at ours."""
    facts = position.facts
    number, stacks = position.hands, facts.stacks
    short = facts.bets[facts.big_blind_seat] < facts.big_blind
    hand = None if short else Hand(position)
    while position.hands == number and not position.is_over:
        seat = position.turn[0]
        action = engine.sample(position, seat, random)
        if action is None or (action == "fold" and random.random() < 0.6):
            action = "call"
        if hand is not None:
            assert hand.seat == seat
            verb, _, total = action.partition(" ")
            if total and not hand.can_raise_to(int(total)):
                raise AssertionError(f"pokerkit refuses {verb} {total}")
            hand.act(action)
        position, happened = engine.act(position, seat, action, chance)
        records = [event.record for event in happened if isinstance(event, engine.HandEnded)]
        if hand is not None:
            board = cards(records[0]["board"]) if records else position.zones["board"]
            hand.go_on(board, None if records else position.turn[0])
    if hand is None:
        return position, None
    assert not hand.state.status
    ours = [stacks[seat] + records[0]["change"][seat] for seat in hand.order]
    return position, End(ours, list(hand.state.stacks), elsewhere(records[0]["pots"]))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("limit", LIMITS)
def test_hands_end_with_the_same_chips(limit: str, mode: str) -> None:
    for end in hands(limit, mode, 60):
        assert_agree(*end)


@pytest.mark.soak
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("limit", LIMITS)
def test_very_many_hands_end_with_the_same_chips(limit: str, mode: str) -> None:
    for end in hands(limit, mode, 5000):
        assert_agree(*end)
