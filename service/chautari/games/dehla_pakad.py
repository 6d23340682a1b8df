"""Dehla Pakad, catch the tens: tricks pile up in the middle until one player wins two running and takes them all.

Source: "How to play Dehla Pakad" (seed 003); Pagat.com, Dehla Pakad, for seats and direction. The first dealer is
seat 3; the card drawn for trump comes from a shuffle of the cards played, and one hand never makes two kots.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from chautari import engine
from chautari.cards import Card, CardText, Suit, pack
from chautari.engine import (
    OVER,
    Among,
    BySeat,
    BySide,
    Game,
    Held,
    Look,
    Range,
    Record,
    Seat,
    Sees,
    Side,
    Table,
    Turn,
    Zone,
    turn,
)
from chautari.kit.partners import side_of, two_sides
from chautari.kit.placing import most_points
from chautari.kit.totals import add_to
from chautari.kit.tricks import begin_tricks, longest_suit, lowest_card, must_follow, trick_winner


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Literal[4] = 4
    trump_making: Literal["first_void", "chosen"] = "first_void"
    kots: Literal[1, 2, 3] = 2
    max_hands: Annotated[int, Range(1, 40)] = 40


class LastHand(Record, frozen=True):
    """The record of a hand: the side that won it, the tens of each side, and the kot if it made one."""

    side: Side
    tens: BySide[int]
    kot: Literal["tens", "row"] | None


class Facts(engine.Facts):
    """What the table knows: everything but the cards."""

    dealer: Seat = 3
    hand_no: int = 0
    leader: Seat = 0
    led: Suit | None = None
    trump: Suit | None = None
    trump_maker: Seat | None = None
    trump_card: CardText | None = None
    holder: Seat | None = None
    middle_tens: int = 0
    tens: BySide[int] = (0, 0)
    tricks: BySeat[int] = (0, 0, 0, 0)
    last_trick: tuple[CardText, ...] = ()
    last_winner: Seat | None = None
    kots: BySide[int] = (0, 0)
    row: int = 0
    row_side: Side | None = None
    last_hand: LastHand | None = None
    score: BySeat[int] = (0, 0, 0, 0)


ZONES = (
    Zone("hand", Sees.OWNER, per_seat=True),
    Zone("deck", Sees.NONE, ordered=True),
    Zone("trick", Sees.ALL, ordered=True),
    Zone("middle", Sees.NONE, ordered=True, kind=engine.Kind.PILE),
    Zone("taken", Sees.NONE, per_seat=True, ordered=True, kind=engine.Kind.WON),
)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """Five cards each, before the trump is made."""
    facts = table.facts
    facts.hand_no += 1
    begin_tricks(facts, leader=table.after(facts.dealer))
    facts.trump = facts.trump_maker = facts.trump_card = facts.holder = None
    facts.tens, facts.middle_tens = (0, 0), 0
    table.shuffle("deck", fresh=pack())
    table.deal("deck", to="hand", first=facts.leader, each=5)
    return turn("play" if settings.trump_making == "first_void" else "trump", facts.leader)


def deal_rest(table: Table[Facts]) -> None:
    """The other eight each, again from the dealer's neighbour on, whoever leads next."""
    table.deal("deck", to="hand", first=table.after(table.facts.dealer), each=8)


def trump(table: Table[Facts], settings: Settings, seat: Seat, suit: Suit) -> Turn:
    """Names the trump from the first five cards, and leads."""
    table.facts.trump, table.facts.trump_maker = suit, seat
    deal_rest(table)
    return turn("play", seat)


def playable(look: Look[Facts], settings: Settings, seat: Seat) -> Sequence[Card]:
    """The cards of the suit led if the hand has any, otherwise all."""
    return must_follow(look.cards("hand", seat), look.facts.led)


def play(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[Card, Held("hand"), Among(playable, "FOLLOW_SUIT", "you hold a card of the suit led: play one")],
) -> Turn:  # fmt: skip
    """Plays a card to the trick; with `first_void`, the first that does not follow makes its suit trump."""
    facts = table.facts
    table.play(card, "hand", to="trick", seat=seat)
    if facts.led is None:
        facts.led = card.suit
    elif card.suit != facts.led and facts.trump is None:
        facts.trump, facts.trump_maker = card.suit, seat
    if table.count("trick") < 4:
        return turn("play", table.after(seat))
    return finish_trick(table)


def finish_trick(table: Table[Facts]) -> Turn:
    """The winner takes the middle if it also won the trick before, or if this was the last; then it leads."""
    facts = table.facts
    trick = table.cards("trick")
    winner = trick_winner(table, facts.trump)
    table.sweep("trick", to="middle")
    facts.tricks = add_to(facts.tricks, winner)
    facts.last_trick, facts.last_winner = tuple([card.text for card in trick]), winner
    facts.middle_tens += [card.rank for card in trick].count("T")
    played = sum(facts.tricks)
    if facts.holder == winner or played == 13:
        table.sweep("middle", to="taken", seat=winner)
        facts.tens = add_to(facts.tens, side_of(winner), facts.middle_tens)
        facts.middle_tens, facts.holder = 0, None
    else:
        facts.holder = winner
    if table.count("deck") and (facts.trump is not None or played == 5):
        if facts.trump is None:
            draw_trump(table)
        deal_rest(table)
    facts.leader, facts.led = winner, None
    return OVER if played == 13 else turn("play", winner)


def draw_trump(table: Table[Facts]) -> None:
    """Everybody has followed in five tricks: one of the cards played is drawn, and its suit is trump."""
    played = [card for seat in table.seats for card in table.cards("taken", seat)]
    drawn = table.lot([*table.cards("middle"), *played])[0]
    table.facts.trump, table.facts.trump_card = drawn.suit, drawn.text


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """More tens win the hand, two each the side that did not deal; all four, or seven hands in a row, are a kot."""
    facts = table.facts
    dealing = side_of(facts.dealer)
    side = 1 - dealing if facts.tens[0] == facts.tens[1] else int(facts.tens[1] > facts.tens[0])
    facts.row = facts.row + 1 if facts.row_side == side else 1
    facts.row_side = side
    kot: Literal["tens", "row"] | None = "tens" if facts.tens[side] == 4 else "row" if facts.row == 7 else None
    if kot is not None:
        facts.kots = add_to(facts.kots, side)
        facts.row, facts.row_side = 0, None
        facts.score = tuple(facts.kots[side_of(seat)] for seat in table.seats)
    facts.last_hand = LastHand(side, facts.tens, kot)
    return facts.last_hand


def match_is_over(look: Look[Facts], settings: Settings) -> bool:
    """Enough kots, or enough hands."""
    return max(look.facts.kots) == settings.kots or look.facts.hand_no == settings.max_hands


def pass_deal(table: Table[Facts], settings: Settings) -> None:
    """A dealer whose side lost deals again, or hands the deal to the partner if it lost all four tens."""
    facts = table.facts
    assert facts.last_hand is not None
    if facts.last_hand.side == side_of(facts.dealer):
        facts.dealer = table.after(facts.dealer)
    elif facts.last_hand.tens[facts.last_hand.side] == 4:
        facts.dealer = (facts.dealer + 2) % 4


def timed_out_trump(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The suit of which the seat holds most, among equals the first of C D H S."""
    return f"trump {longest_suit(look.cards('hand', seat))}"


def timed_out_play(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The lowest card allowed, trumps after all others."""
    return f"play {lowest_card(playable(look, settings, seat), look.facts.trump)}"


GAME = Game(
    key="dehla_pakad",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    deal=deal,
    phases={"trump": (trump,), "play": (play,)},
    end_hand=end_hand,
    match_is_over=match_is_over,
    pass_deal=pass_deal,
    place=most_points,
    timeouts={"trump": timed_out_trump, "play": timed_out_play},
    sides=two_sides,
    trials=(
        {"max_hands": 1},
        {"max_hands": 2, "trump_making": "chosen"},
        {"max_hands": 3, "kots": 1},
        {"max_hands": 2, "kots": 3, "trump_making": "chosen"},
    ),
)
