"""Jutpatti: take a card, throw one, and win the hand at once when every card you hold is in a pair.

Source: "How to play Jutpatti" (seed 001); Bhoos for the joker's suit and the first dealer. The deck is remade at the
end of the turn in which it ran out, so that it can always be drawn from; how often is limited, so that a hand ends.
"""

from typing import Annotated, Literal

from chautari import engine
from chautari.cards import RANKS, Card, CardText, Rank, pack, text
from chautari.engine import OVER, Among, BySeat, Game, Held, Look, Range, Record, Seat, Sees, Table, Turn, Zone, turn
from chautari.kit.piles import renew_deck
from chautari.kit.placing import most_points
from chautari.kit.totals import add_to


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Annotated[int, Range(2, 6)] = 4
    cards: Literal[5, 7, 9, 11] = 7
    target: Literal[1, 3, 5] = 1
    jokers: Literal["rank", "card", "none"] = "rank"
    throw_back: bool = False
    deck_runs: Annotated[int, Range(0, 100)] = 20


class LastHand(Record, frozen=True):
    """The record of a hand: the winner and its cards, pair after pair; null for a drawn hand."""

    hand_no: int
    winner: Seat | None
    pairs: str | None


class Facts(engine.Facts):
    """What the table knows."""

    dealer: Seat = 0
    hand_no: int = 0
    cards: int = 0
    joker: Rank | CardText | None = None
    taken: CardText | None = None
    runs: int = 0
    score: BySeat[int] = ()
    last_hand: LastHand | None = None
    drawn_hands: Annotated[int, engine.SECRET] = 0


def winner_only(look: Look[Facts], seat: Seat) -> int:
    """At the end of the match everybody sees the hand that won the last hand, and no other.

    A match that ends because seats left it may end in the middle of a hand, which nobody has won.
    """
    last = look.facts.last_hand
    won = last is not None and last.hand_no == look.facts.hand_no and last.winner == seat
    return engine.ALL if won else engine.only(seat)


ZONES = (
    Zone("hand", Sees.OWNER, per_seat=True, at_end=winner_only),
    Zone("deck", Sees.NONE, ordered=True),
    Zone("pile", Sees.ALL, ordered=True),
    Zone("turned", Sees.ALL, ordered=True, kind=engine.Kind.ASIDE),
)


def opening(settings: Settings) -> Facts:
    """The last seat deals first."""
    return Facts(dealer=settings.players - 1, cards=cards_dealt(settings), score=(0,) * settings.players)


def cards_dealt(settings: Settings) -> int:
    """As many as are wanted, or the next smaller number for which the pack suffices."""
    return min(settings.cards, {5: 9, 6: 7}.get(settings.players, 11))


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """The cards are dealt from the dealer's neighbour on, and the next card is turned up to make the jokers."""
    facts = table.facts
    facts.hand_no += 1
    facts.taken, facts.runs, facts.joker = None, 0, None
    first = table.after(facts.dealer)
    table.shuffle("deck", fresh=pack())
    table.deal("deck", to="hand", first=first, each=facts.cards)
    if settings.jokers != "none":
        turned = table.draw("deck", to="turned")
        rank = RANKS[turned.low % len(RANKS)]
        facts.joker = rank if settings.jokers == "rank" else CardText(rank + turned.suit)
    return turn("draw", first)


def is_joker(card: Card, joker: str | None) -> bool:
    """Whether the card pairs with anything: one of the joker rank, or the one joker."""
    return joker is not None and joker in (card.rank, card.text)


def all_paired(hand: tuple[Card, ...], joker: str | None) -> bool:
    """Whether the ranks held an odd number of times, jokers left aside, are no more than the jokers."""
    odd: set[str] = set()
    jokers = 0
    for card in hand:
        if joker is not None and joker in (card.rank, card.text):
            jokers += 1
        else:
            odd ^= {card.rank}
    return len(odd) <= jokers


def lay_out(hand: tuple[Card, ...], joker: str | None) -> str:
    """A paired hand as text, pair after pair: pairs as they stand, singles with a joker each, the jokers left over."""
    by_rank = sorted(hand, key=lambda card: (card.low, card))
    jokers = [card for card in by_rank if is_joker(card, joker)]
    plain = [card for card in by_rank if not is_joker(card, joker)]
    singles = []
    for rank in RANKS:
        same = [card for card in plain if card.rank == rank]
        if len(same) % 2:
            singles.append(same[-1])
            plain.remove(same[-1])
    matched = [card for single in singles for card in (single, jokers.pop(0))]
    return text([*plain, *matched, *jokers])


def stocks(look: Look[Facts], settings: Settings, seat: Seat) -> tuple[str, ...]:
    """Where a card may be drawn from: the pile too, once something lies there."""
    return ("deck", "pile") if look.count("pile") else ("deck",)


def draw(
    table: Table[Facts], settings: Settings, seat: Seat,
    source: Annotated[
        Literal["deck", "pile"], Among(stocks, "PILE_IS_EMPTY", "nothing has been thrown yet: draw from the deck")
    ],
) -> Turn:  # fmt: skip
    """Takes the next card of the deck, or the last card thrown; a hand that is all paired wins at once."""
    facts = table.facts
    if source == "deck":
        table.draw("deck", to="hand", seat=seat)
    else:
        facts.taken = table.pick("pile", to="hand", seat=seat).text
    if all_paired(table.cards("hand", seat), facts.joker):
        return OVER
    return turn("throw", seat)


def throwable(look: Look[Facts], settings: Settings, seat: Seat) -> list[Card]:
    """The cards of the hand but the one just taken from the pile, unless it may be thrown back."""
    taken = None if settings.throw_back else look.facts.taken
    return [card for card in look.cards("hand", seat) if card.text != taken]


def throw(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[
        Card, Held("hand"), Among(throwable, "NOT_BACK", "the card just taken may not go straight back: throw another")
    ],
) -> Turn:  # fmt: skip
    """Throws a card on the pile; an empty deck is remade of all the others there, or the hand is drawn."""
    facts = table.facts
    table.play(card, "hand", to="pile", seat=seat)
    facts.taken = None
    if not table.count("deck"):
        if settings.deck_runs and facts.runs == settings.deck_runs:
            return OVER
        facts.runs += 1
        renew_deck(table, keep=1)
    return turn("draw", table.after(seat))


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """Whoever holds one card more than the others has just won; after a throw nobody does, and the hand is drawn."""
    facts = table.facts
    winner = next((seat for seat in table.seats if table.count("hand", seat) > facts.cards), None)
    if winner is None:
        facts.drawn_hands += 1
        facts.last_hand = LastHand(facts.hand_no, None, None)
    else:
        facts.drawn_hands = 0
        facts.score = add_to(facts.score, winner)
        facts.last_hand = LastHand(facts.hand_no, winner, lay_out(table.cards("hand", winner), facts.joker))
    return facts.last_hand


def match_is_over(look: Look[Facts], settings: Settings) -> bool:
    """At the target, or after two drawn hands in a row."""
    return max(look.facts.score) == settings.target or look.facts.drawn_hands == 2


def pass_deal(table: Table[Facts], settings: Settings) -> None:
    """The winner deals next; after a drawn hand, the seat after its dealer."""
    facts = table.facts
    assert facts.last_hand is not None
    winner = facts.last_hand.winner
    facts.dealer = table.after(facts.dealer) if winner is None else winner


def timed_out_throw(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The highest single; with none the highest card that is no joker; else the highest joker."""
    joker = look.facts.joker
    plain = [card for card in look.cards("hand", seat) if not is_joker(card, joker)]
    ranks = [card.rank for card in plain]
    choice = throwable(look, settings, seat)
    singles = [card for card in choice if card in plain and ranks.count(card.rank) % 2]
    group = singles or [card for card in choice if card in plain] or choice
    return f"throw {max(group, key=lambda card: (card.low, card))}"


GAME = Game(
    key="jutpatti",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"draw": (draw,), "throw": (throw,)},
    end_hand=end_hand,
    match_is_over=match_is_over,
    pass_deal=pass_deal,
    place=most_points,
    timeouts={"draw": "draw deck", "throw": timed_out_throw},
    trials=(
        {"players": 2, "cards": 5, "deck_runs": 1},
        {"players": 3, "cards": 5, "jokers": "card", "deck_runs": 1},
        {"players": 4, "target": 3, "cards": 5, "deck_runs": 2},
        {"players": 5, "cards": 9, "deck_runs": 3, "jokers": "none"},
        {"players": 6, "cards": 11, "deck_runs": 2, "throw_back": True},
        {"players": 4, "cards": 11, "deck_runs": 2},
    ),
)
