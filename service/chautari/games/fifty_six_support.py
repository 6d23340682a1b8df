"""Fifty-six (Support): Gulan Parish with a public trump, where the way in which a bid is said tells the partners more.

Source: seed 002, which has the auction `rounds` and a trump named openly; Pagat.com, 56, and tournament rules for the
calls, doubling and tables of the auction `suits`. What the forms of a bid mean is a convention, and never enforced.
The rules of the family are in `chautari.kit.gulan_parish`.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

from chautari import engine
from chautari.cards import SUITS, Card
from chautari.engine import (
    OVER,
    Among,
    Game,
    Held,
    Look,
    Random,
    Rule,
    Seat,
    Sees,
    Table,
    Turn,
    Words,
    Zone,
    read_number,
    turn,
    verb,
)
from chautari.errors import Malformed, Refusal
from chautari.kit import gulan_auction, gulan_packs, gulan_parish, gulan_pay
from chautari.kit.gulan_auction import bids, let_pass, lowest_bid, raise_bid, say, thani_refused
from chautari.kit.gulan_claims import challenge, decline, kott, marukott, sample_claim
from chautari.kit.gulan_parish import (
    LastHand,
    Scale,
    begin_hand,
    begin_play,
    deal_batches,
    first_facts,
    is_bidders,
    lay,
)
from chautari.kit.jack_nine import jack_high
from chautari.kit.tricks import longest_suit, lowest_card, must_follow

BidSuit = Literal["C", "D", "H", "S", "N", "V"]
BID_SUITS: tuple[BidSuit, ...] = get_args(BidSuit)
SCALE = Scale(total=56, lowest=28, honours=40, senior=48)
NUMBERS = tuple(str(number) for number in range(SCALE.lowest, SCALE.total + 1))
RAISES = tuple(f"+{more}" for more in range(1, SCALE.lowest + 1))
BidWord = Annotated[str, Words((*NUMBERS, *RAISES, *BID_SUITS))]


class Settings(gulan_parish.Settings, frozen=True):
    """What a table agrees on."""

    scale = SCALE

    players: Literal[4, 6, 8] = 6
    auction: Literal["suits", "rounds"] = "suits"
    partner_from_honours: bool = False
    kott: Literal["auto", "all", "below_honours", "off"] = "auto"
    senior_pay: Literal["none", "extra"] = "extra"
    kooli_count: Literal[5, 6, 12] = 12
    pack: Literal["usual", "short", "long"] = "usual"
    first_must_bid: bool = True
    doubles: bool = True
    redouble_factor: Literal[3, 4] = 3

    @property
    def honours_over_partner(self) -> bool:
        """In rounds the family's rule always holds."""
        return self.auction == "rounds" or self.partner_from_honours

    @property
    def claims(self) -> str:
        """Where bids name suits, doubling takes the place of claims, unless they are wanted."""
        if self.kott == "auto":
            return "off" if self.auction == "suits" else "all"
        return self.kott


class Facts(gulan_parish.Facts):
    """What the table knows besides: the suit of the standing bid, and the doubling of it."""

    bid_suit: BidSuit | None = None
    factor: int = 1
    doubler: Seat | None = None


ZONES = (
    Zone("hand", Sees.OWNER, per_seat=True),
    Zone("deck", Sees.NONE, ordered=True),
    Zone("trick", Sees.ALL, ordered=True),
    Zone("taken", Sees.NONE, per_seat=True, ordered=True, kind=engine.Kind.WON),
)


def opening(settings: Settings) -> Facts:
    """The last seat deals first."""
    return first_facts(Facts, settings)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """The whole pack; the first seat begins the auction."""
    facts = table.facts
    begin_hand(table, settings, gulan_packs.PACKS[settings.pack])
    facts.bid_suit, facts.factor, facts.doubler = None, 1, None
    deal_batches(table, facts.cards)
    gulan_auction.begin_stage(table, settings, 1)
    return turn("bid", facts.first)


# The auction ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def names_suits(settings: Settings) -> bool:
    """Whether bids name suits."""
    return settings.auction == "suits"


def read_bid(look: Look[Facts], settings: Settings, seat: Seat, words: Sequence[str]) -> list[Any]:
    """A number and a letter in either order; in rounds one plain number."""
    if names_suits(settings):
        is_read = len(words) == 2 and any(is_bid_number(a) and b in BID_SUITS for a, b in (words, words[::-1]))
        forms = "bid 30 H, bid H 30, bid +2 H or bid H +2, with one of C D H S N V"
    else:
        is_read = len(words) == 1 and read_number(words[0]) is not None
        forms = "bid 30"
    if not is_read:
        raise Malformed("MALFORMED_ACTION", f"a bid is written as {forms}", field="action", verb="bid")
    return list(words)


def is_bid_number(word: str) -> bool:
    """Whether the word is a number, or a raise such as `+2`."""
    return bool(read_number(word.removeprefix("+")))


def open_suits(look: Look[Facts]) -> tuple[BidSuit, ...]:
    """What a bid may name; noes only over a suit."""
    return BID_SUITS if look.facts.bid_suit in SUITS else BID_SUITS[:-1]


def bid_forms(look: Look[Facts], settings: Settings, seat: Seat) -> list[tuple[tuple[str, ...], ...]]:
    """A number first or a suit first; the number plain or, over a bid, as a raise. In rounds a number alone."""
    allowed = bids(look, settings, seat)
    plain = tuple(map(str, allowed))
    if not plain or not names_suits(settings):
        return [(plain,)] if plain else []
    standing = look.facts.bid
    raises = tuple(f"+{number - standing}" for number in allowed) if isinstance(standing, int) else ()
    return [(plain + raises, open_suits(look)), (open_suits(look), plain + raises)]


@verb(reads=read_bid, forms=bid_forms)
def bid(table: Table[Facts], settings: Settings, seat: Seat, first: BidWord, second: BidWord = "") -> Turn:
    """Becomes the standing bid, and cancels a double; the form in which it is said is kept."""
    facts = table.facts
    word, suit = (second, first) if first in BID_SUITS else (first, second)
    if word[0] == "+" and facts.bid is None:
        raise Refusal("NOTHING_TO_RAISE", "there is no bid to raise: bid a plain number")
    number = int(word) + (facts.bid if word[0] == "+" and isinstance(facts.bid, int) else 0)
    if number not in bids(table, settings, seat):
        raise gulan_auction.bid_refused(table, settings, seat, number)
    if not names_suits(settings):
        return go_on(table, settings, raise_bid(table, settings, seat, number))
    named = next(known for known in BID_SUITS if known == suit)
    if named not in open_suits(table):
        raise Refusal("NOES_NEED_A_SUIT", "noes may be bid only over a bid of clubs, diamonds, hearts or spades")
    say(table, seat, f"{first} {second}")
    facts.bid, facts.bidder, facts.bid_suit = number, seat, named
    facts.factor, facts.doubler, facts.passes = 1, None, 0
    return turn("bid", table.after(seat))


def pass_refused(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """The first seat may have to bid; in rounds it always has."""
    if names_suits(settings) and not settings.first_must_bid:
        return None
    return gulan_auction.pass_refused(look, settings, seat)


@verb(unless=pass_refused)
def pass_(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Makes no bid; where all have passed, the hand is played at the lowest bid without trumps."""
    facts = table.facts
    if not names_suits(settings):
        return go_on(table, settings, let_pass(table, settings, seat))
    say(table, seat, "pass")
    facts.passes += 1
    if facts.bid is None and facts.passes == settings.players:
        facts.bid, facts.bidder, facts.bid_suit = SCALE.lowest, facts.first, "N"
        return go_on(table, settings, None)
    over = facts.bid is not None and facts.passes == settings.players - 1
    return go_on(table, settings, None if over else table.after(seat))


def double_refused(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Why the seat may not double."""
    if not settings.doubles:
        return "NO_DOUBLES", "doubling is not played at this table"
    if look.facts.bid is None or is_bidders(look, settings, seat):
        return "NOT_THEIR_BID", "only a bid of the other side can be doubled"
    if look.facts.factor > 1:
        return "DOUBLED_ALREADY", "the bid has been doubled: bid more, or pass"
    return None


@verb(exists=names_suits, unless=double_refused)
def double(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Doubles the standing bid of the other side."""
    facts = table.facts
    say(table, seat, "double")
    facts.factor, facts.doubler, facts.passes = 2, seat, 0
    return turn("bid", table.after(seat))


def redouble_refused(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Why the seat may not redouble."""
    if look.facts.factor == 1 or not is_bidders(look, settings, seat):
        return "NOT_DOUBLED", "only a bid of your own side that the others have doubled can be redoubled"
    return None


@verb(exists=names_suits, unless=redouble_refused)
def redouble(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Answers a double of one's own side's bid; the auction is over."""
    say(table, seat, "redouble")
    table.facts.factor = settings.redouble_factor
    return go_on(table, settings, None)


@verb(unless=thani_refused)
def thani(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Bids all tricks alone, over any number; the auction is over."""
    facts = table.facts
    facts.bid_suit, facts.factor, facts.doubler = None, 1, None
    return go_on(table, settings, raise_bid(table, settings, seat, "thani"))


def go_on(table: Table[Facts], settings: Settings, speaker: Seat | None) -> Turn:
    """The next to speak; or the trump is made: by the bid, or in rounds by the bidder."""
    facts = table.facts
    if speaker is not None:
        return turn("bid", speaker)
    if facts.bid != "thani":
        if not names_suits(settings):
            assert facts.bidder is not None
            return turn("trump", facts.bidder)
        facts.trump = next((suit for suit in SUITS if suit == facts.bid_suit), "N")
    return begin_play(table, settings)


def suits_held(look: Look[Facts], settings: Settings, seat: Seat) -> list[str]:
    """The suits of which the hand has a card."""
    held = {card.suit for card in look.cards("hand", seat)}
    return [suit for suit in SUITS if suit in held]


def trump_refused(look: Look[Facts], settings: Settings, seat: Seat, suit: str) -> Refusal:
    """Why this cannot be trump."""
    if suit == "N":
        return Refusal("NO_TRUMPS_NOT_NAMED", "only a thani is played without trumps: name a suit that you hold")
    return Refusal("SUIT_NOT_HELD", "you hold no card of that suit: name one that you hold")


def trump(
    table: Table[Facts], settings: Settings, seat: Seat,
    suit: Annotated[gulan_parish.TrumpName, Among(suits_held, trump_refused)],
) -> Turn:  # fmt: skip
    """Names the trump, for all to hear."""
    table.facts.trump = suit
    return begin_play(table, settings)


# The play, the pay, and time-outs ─────────────────────────────────────────────────────────────────────────────────────


def playable(look: Look[Facts], settings: Settings, seat: Seat) -> Sequence[Card]:
    """The cards of the suit led if the hand has any, otherwise all."""
    return must_follow(look.cards("hand", seat), look.facts.led)


def play(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[Card, Held("hand"), Among(playable, "FOLLOW_SUIT", "you hold a card of the suit led: play one")],
) -> Turn:  # fmt: skip
    """Plays a card to the trick; who cannot follow may cut or throw, and asks nobody."""
    following = lay(table, settings, seat, card)
    return OVER if following is None else turn("play", following)


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """As in the family; doubling multiplies all that is due."""
    return gulan_pay.end_hand(table, settings, table.facts.factor)


def timed_out_bid(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """Passes; where a bid is a must, bids the least, with its longest suit."""
    if pass_refused(look, settings, seat) is None:
        return "pass"
    lowest = f"bid {lowest_bid(look, settings, seat)}"
    return f"{lowest} {longest_suit(look.cards('hand', seat))}" if names_suits(settings) else lowest


def timed_out_trump(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The longest suit."""
    return f"trump {longest_suit(look.cards('hand', seat))}"


def timed_out_play(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The lowest card allowed, trumps after all others."""
    return f"play {lowest_card(playable(look, settings, seat), look.facts.trump, jack_high)}"


def sample_bid(look: Look[Facts], settings: Settings, seat: Seat, random: Random) -> str | None:
    """A bid at random, mostly a low one, in any of its forms."""
    forms, count = bid_forms(look, settings, seat), len(bids(look, settings, seat))
    if not forms:
        return None
    low = min(int(random.expovariate(0.5)), count - 1)
    written = [words if words[0] in BID_SUITS else words[low::count] for words in random.choice(forms)]
    return " ".join(["bid", *map(random.choice, written)])


GAME = Game(
    key="fifty_six_support",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={
        "bid": (bid, pass_, double, redouble, thani),
        "trump": (trump,),
        "play": (play, kott, marukott, challenge),
        "answer": (kott, marukott, decline),
    },
    end_hand=end_hand,
    match_is_over=gulan_pay.match_is_over,
    pass_deal=gulan_pay.pass_deal,
    place=gulan_pay.place,
    check=gulan_packs.check,
    timeouts={"bid": timed_out_bid, "trump": timed_out_trump, "play": timed_out_play, "answer": "decline"},
    sides=gulan_parish.sides,
    samplers={
        "bid": sample_bid,
        "thani": gulan_auction.sample_thani,
        "kott": sample_claim,
        "marukott": sample_claim,
    },
    trials=(
        {"max_hands": 2},
        {"max_hands": 2, "auction": "rounds", "players": 4, "second_round": "all", "kooli_method": "neutral"},
        {"max_hands": 2, "players": 8, "kott": "all", "first_must_bid": False, "redouble_factor": 4, "kooli_count": 5},
        {"max_hands": 2, "players": 8, "pack": "long", "thani_trump": "first_led", "doubles": False, "slams": 2},
        {"max_hands": 2, "players": 4, "pack": "short", "auction": "rounds", "second_round": "off", "thani": False},
        {"max_hands": 2, "partner_from_honours": True, "thani_partners": "play", "kott": "below_honours"},
        {"max_hands": 3, "auction": "rounds", "kott_pay": "double", "kott_min_cards": 3, "first_lead": "aces"},
        {"max_hands": 3, "kunukku": "slam", "senior_pay": "none", "kooli_count": 6, "kott": "off", "players": 4},
        {"max_hands": 2, "kunukku": "off", "auction": "rounds", "kott": "all", "slams": 5},
    ),
)
