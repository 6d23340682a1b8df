"""Call Break: each of four players calls how many tricks to win, spades are trumps, and making the call scores it.

Source: the list of games (seed 001); Pagat.com, Call Break and Call Bridge; published rules of Callbreak apps. The duty
to beat the trick is the apps' rule and the default; Pagat obliges only a void hand (`trump`). Scores are in tenths.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from chautari import engine
from chautari.cards import Card, CardText, Suit, pack
from chautari.engine import OVER, Among, BySeat, Game, Held, Look, Range, Record, Seat, Sees, Table, Turn, Zone, turn
from chautari.errors import Refusal
from chautari.kit.dealing import next_deals, rounds_are_over
from chautari.kit.placing import most_points
from chautari.kit.tricks import begin_tricks, lay_card, lowest_card, must_follow, take_trick, trick_winner

TRUMP: Suit = "S"


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Literal[4] = 4
    rounds: Annotated[int, Range(1, 20)] = 5
    must_beat: Literal["all", "trump", "off"] = "all"
    min_call: Literal[1, 2] = 1
    max_call: Annotated[int, Range(8, 13)] = 8
    min_total: Literal[0, 8, 9, 10, 11, 12] = 0
    redeal: Literal["off", "no_spade", "no_spade_or_court"] = "off"
    break_spades: bool = False
    overtricks: Literal["tenth", "none"] = "tenth"
    over_limit: Literal[0, 1, 2] = 0
    bonus_call: bool = False


class LastHand(Record, frozen=True):
    """The record of a hand, by seat: the calls, the tricks won, and the points in tenths."""

    hand_no: int
    calls: BySeat[int]
    tricks: BySeat[int]
    points: BySeat[int]


class Facts(engine.Facts):
    """What the table knows; all are public."""

    dealer: Seat = 3
    hand_no: int = 0
    leader: Seat = 0
    led: Suit | None = None
    trump: Suit = TRUMP
    calls: BySeat[int | None] = (None,) * 4
    tricks: BySeat[int] = (0, 0, 0, 0)
    spades_broken: bool = False
    redeals: int = 0
    last_trick: tuple[CardText, ...] = ()
    last_winner: Seat | None = None
    last_points: BySeat[int] | None = None
    score: BySeat[int] = (0, 0, 0, 0)


ZONES = (
    Zone("hand", Sees.OWNER, per_seat=True),
    Zone("trick", Sees.ALL, ordered=True),
    Zone("taken", Sees.NONE, per_seat=True, ordered=True, kind=engine.Kind.WON),
)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """A new hand."""
    table.facts.hand_no += 1
    table.facts.redeals = 0
    return deal_cards(table, settings)


def deal_cards(table: Table[Facts], settings: Settings) -> Turn:
    """Thirteen cards each, one at a time; bad hands are thrown in before anybody sees them, and dealt again."""
    facts = table.facts
    first = table.after(facts.dealer)
    begin_tricks(facts, leader=first)
    facts.calls, facts.spades_broken = (None,) * 4, False
    outcome = table.lot(pack())
    while any(is_bad(outcome[turn::4], settings) for turn in range(4)):
        facts.redeals += 1
        outcome = table.lot(pack())
    table.deal(outcome, to="hand", first=first)
    return turn("call", first)


def is_bad(hand: Sequence[Card], settings: Settings) -> bool:
    """Whether the cards are thrown in for this hand: it has no spade, or, where that counts, no court card or ace."""
    if settings.redeal == "off":
        return False
    no_court = settings.redeal == "no_spade_or_court" and not any(card.rank in "AKQJ" for card in hand)
    return no_court or not any(card.suit == TRUMP for card in hand)


def callable_numbers(look: Look[Facts], settings: Settings, seat: Seat) -> range:
    """From the lowest call to the highest."""
    return range(settings.min_call, settings.max_call + 1)


def call_refused(look: Look[Facts], settings: Settings, seat: Seat, number: int) -> Refusal:
    """Why a number cannot be called."""
    low, high = settings.min_call, settings.max_call
    return Refusal("CALL_OUT_OF_RANGE", f"{number} cannot be called: call {low} to {high}", low=low, high=high)


def call(
    table: Table[Facts], settings: Settings, seat: Seat, number: Annotated[int, Among(callable_numbers, call_refused)]
) -> Turn:
    """Says, for all to hear, how many tricks the seat will win; calls that add up to too little are dealt again."""
    facts = table.facts
    facts.calls = (*facts.calls[:seat], number, *facts.calls[seat + 1 :])
    if seat != facts.dealer:
        return turn("call", table.after(seat))
    if sum(called or 0 for called in facts.calls) < settings.min_total:
        facts.redeals += 1
        table.throw_in()
        return deal_cards(table, settings)
    return turn("play", facts.leader)


def playable(look: Look[Facts], settings: Settings, seat: Seat) -> Sequence[Card]:
    """Follow suit if able, and with `must_beat` go higher if able; a void hand trumps, or trumps higher, if able."""
    hand = look.cards("hand", seat)
    trick = look.cards("trick")
    if not trick:
        if settings.break_spades and not look.facts.spades_broken:
            return [card for card in hand if card.suit != TRUMP] or hand
        return hand
    led = trick[0].suit
    follows = must_follow(hand, led)
    suit = led if follows[0].suit == led else TRUMP
    ruffed = suit != TRUMP and any(card.suit == TRUMP for card in trick)
    if settings.must_beat == "off" or (suit == led and (settings.must_beat == "trump" or ruffed)):
        return follows
    highest = max((card.high for card in trick if card.suit == suit), default=0)
    return [card for card in follows if card.suit == suit and card.high > highest] or follows


def card_refused(look: Look[Facts], settings: Settings, seat: Seat, card: Card) -> Refusal:
    """Why a card that the seat holds may not be played."""
    led = look.facts.led
    if led is None:
        return Refusal("SPADES_UNBROKEN", "no spade has been played yet: lead another suit")
    if must_follow(look.cards("hand", seat), led)[0].suit != led:
        return Refusal("TRUMP_HIGHER", "you hold a spade that beats those in the trick: play one")
    if card.suit != led:
        return Refusal("FOLLOW_SUIT", "you hold a card of the suit led: play one")
    return Refusal("GO_HIGHER", "you hold a card of the suit led that beats those in the trick: play one")


def play(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[Card, Held("hand"), Among(playable, card_refused)],
) -> Turn:  # fmt: skip
    """Plays a card to the trick; the highest spade wins it, without one the highest card of the suit led."""
    facts = table.facts
    trick = lay_card(table, seat, card)
    if card.suit == TRUMP:
        facts.spades_broken = True
    if len(trick) < 4:
        return turn("play", table.after(seat))
    winner = trick_winner(table, TRUMP)
    take_trick(table, winner)
    return turn("play", winner) if table.count("hand", winner) else OVER


def points(settings: Settings, called: int, won: int) -> int:
    """The tenths of a point that a seat gets for a call and the tricks won."""
    if won < called or (settings.over_limit and won > called + settings.over_limit):
        return -10 * called
    if settings.bonus_call and called >= 8:
        return 130
    return 10 * called + (won - called if settings.overtricks == "tenth" else 0)


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """Each seat scores for itself alone."""
    facts = table.facts
    calls = tuple([called or 0 for called in facts.calls])
    facts.last_points = tuple([points(settings, *seat) for seat in zip(calls, facts.tricks, strict=True)])
    facts.score = tuple([sum(both) for both in zip(facts.score, facts.last_points, strict=True)])
    return LastHand(facts.hand_no, calls, facts.tricks, facts.last_points)


def timed_out_call(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The lowest call."""
    return f"call {settings.min_call}"


def timed_out_play(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The lowest card allowed, spades after all others."""
    return f"play {lowest_card(playable(look, settings, seat), TRUMP)}"


GAME = Game(
    key="call_break",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    deal=deal,
    phases={"call": (call,), "play": (play,)},
    end_hand=end_hand,
    match_is_over=rounds_are_over,
    pass_deal=next_deals,
    place=most_points,
    timeouts={"call": timed_out_call, "play": timed_out_play},
    trials=(
        {"rounds": 1},
        {"rounds": 2, "must_beat": "trump", "min_call": 2, "max_call": 13, "redeal": "no_spade_or_court"},
        {"rounds": 1, "must_beat": "off", "min_total": 12, "redeal": "no_spade", "break_spades": True},
        {"rounds": 2, "overtricks": "none", "over_limit": 1, "bonus_call": True, "min_total": 8, "max_call": 9},
        {"rounds": 1, "over_limit": 2, "break_spades": True, "min_total": 9, "max_call": 10, "must_beat": "trump"},
        {"rounds": 1, "min_total": 10, "max_call": 11},
        {"rounds": 1, "min_total": 11, "max_call": 12, "must_beat": "off"},
    ),
)
