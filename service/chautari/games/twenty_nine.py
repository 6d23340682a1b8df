"""Twenty-nine: two sides bid for a trump that stays secret until somebody who cannot follow suit asks for it.

Source: the list of games (seed 001); Pagat.com, 29, for the deal, the bids, showing the trump, the pair and the pips;
World of Card Games for doubling. A pair is declared in one's own turn before one's card, which shows nothing else; the
hands that are thrown in are so by the rules, and are shown to nobody.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from chautari import engine
from chautari.cards import SUITS, Card, CardText, Suit
from chautari.engine import (
    OVER,
    Among,
    BySeat,
    BySide,
    Game,
    Held,
    Look,
    Private,
    Random,
    Range,
    Record,
    Rule,
    Seat,
    Sees,
    Side,
    Table,
    Turn,
    Viewers,
    Zone,
    turn,
    verb,
)
from chautari.errors import Refusal
from chautari.kit.dealing import next_deals
from chautari.kit.hidden_trump import knowers, no_asking, turn_up
from chautari.kit.jack_nine import card_points, is_thrown_in, jack_high, jack_low, pack_of
from chautari.kit.partners import is_on_side_of, side_of, two_sides
from chautari.kit.placing import most_points
from chautari.kit.totals import add_to, set_at
from chautari.kit.tricks import (
    begin_tricks,
    lay_card,
    longest_suit,
    lowest_card,
    must_follow,
    next_in,
    take_trick,
    trick_winner,
)

HiddenTrump = Literal["C", "D", "H", "S", "7", "N"]
PACK = pack_of("J9ATKQ87")


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Literal[4] = 4
    min_bid: Literal[15, 16, 17] = 16
    first_must_bid: bool = False
    last_trick_point: bool = False
    seventh_card: bool = False
    no_trump: Literal["off", "plain", "reverse"] = "off"
    doubles: bool = False
    single_hand: bool = False
    must_trump: bool = True
    early_trumps: Literal["count", "plain"] = "count"
    pair: bool = True
    pair_min_bid: Annotated[int, Range(15, 21)] = 15
    bonus_bid: Annotated[int, Range(19, 24, also=(0,))] = 0
    redeal: Literal["standard", "off"] = "standard"
    pips: Annotated[int, Range(3, 12)] = 6
    max_hands: Annotated[int, Range(1, 100)] = 100

    @property
    def highest_bid(self) -> int:
        """All the points there are."""
        return 29 if self.last_trick_point else 28


class LastHand(Record, frozen=True):
    """The record of a hand: the side that played it, whether it won, its worth in pips, and the points by side."""

    side: Side
    won: bool
    worth: int
    points: BySide[int]


def bidder_only(look: "Look[Facts]") -> Viewers:
    """What the bidder alone knows until the trump is shown."""
    return knowers(look.facts.trump, look.facts.bidder)


class Facts(engine.Facts):
    """What the table knows, and two counts that the rules keep to themselves."""

    dealer: Seat = 3
    hand_no: int = 0
    redeals: int = 0
    leader: Seat = 0
    led: Suit | None = None
    bid: int | None = None
    bidder: Seat | None = None
    passed: BySeat[bool] = (False,) * 4
    target: int | None = None
    hidden_trump: Annotated[HiddenTrump | None, Private(bidder_only)] = None
    trump: Literal["C", "D", "H", "S", "N"] | None = None
    asker: Seat | None = None
    stake: int = 1
    doubler: Seat | None = None
    single: Seat | None = None
    out: tuple[Seat, ...] = ()
    pair: Seat | None = None
    points: BySide[int] = (0, 0)
    tricks: BySeat[int] = (0, 0, 0, 0)
    last_trick: tuple[CardText, ...] = ()
    last_winner: Seat | None = None
    last_hand: LastHand | None = None
    pips: BySide[int] = (0, 0)
    score: BySeat[int] = (0, 0, 0, 0)
    early: Annotated[int, engine.SECRET] = 0
    """How many cards of the trick had been played when the trump was shown; 0 in later tricks."""
    tricks_since: Annotated[tuple[int, ...], engine.SECRET] = (0, 0)
    """The tricks finished since the showing, its own included, by side."""


ZONES = (
    Zone("hand", Sees.OWNER, per_seat=True),
    Zone("deck", Sees.NONE, ordered=True),
    Zone("trump_card", lambda look, _: bidder_only(look), ordered=True, kind=engine.Kind.ASIDE),
    Zone("trick", Sees.ALL, ordered=True),
    Zone("taken", Sees.NONE, per_seat=True, ordered=True, kind=engine.Kind.WON),
)


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """A new hand."""
    table.facts.hand_no += 1
    table.facts.redeals = 0
    return deal_cards(table, settings)


def deal_cards(table: Table[Facts], settings: Settings) -> Turn:
    """Four cards each, unless the first bidder would get no points; then that seat bids first."""
    facts = table.facts
    first = table.after(facts.dealer)
    begin_tricks(facts, leader=first)
    facts.bid = facts.bidder = facts.target = facts.hidden_trump = facts.trump = facts.asker = None
    facts.doubler = facts.single = facts.pair = None
    facts.passed, facts.stake, facts.out, facts.early = (False,) * 4, 1, (), 0
    facts.points = facts.tricks_since = (0, 0)
    table.shuffle("deck", fresh=PACK)
    while settings.redeal == "standard" and not card_points(table.cards("deck")[0:16:4]):
        facts.redeals += 1
        table.shuffle("deck", fresh=PACK)
    table.deal("deck", to="hand", first=first, each=4)
    return turn("bid", first)


def throw_in(table: Table[Facts], settings: Settings) -> Turn:
    """The cards are dealt again, by whoever is the dealer now."""
    table.facts.redeals += 1
    table.throw_in()
    return deal_cards(table, settings)


def deal_rest(table: Table[Facts], settings: Settings) -> Turn:
    """Four more each, unless a hand would be thrown in; the third of them may be the bidder's hidden trump."""
    facts = table.facts
    first = table.after(facts.dealer)
    deck = table.cards("deck")
    order = table.round_from(first)
    hands = {seat: table.cards("hand", seat) + deck[place::4] for place, seat in enumerate(order)}
    if settings.redeal == "standard" and any(is_thrown_in(hand) for hand in hands.values()):
        return throw_in(table, settings)
    table.deal("deck", to="hand", first=first, each=4)
    if facts.hidden_trump == "7":
        assert facts.bidder is not None
        seventh = hands[facts.bidder][6]
        facts.hidden_trump = seventh.suit
        table.move((seventh,), "hand", "trump_card", facts.bidder)
    return turn("single" if settings.single_hand else "play", first)


# The auction, the trump, doubling, the single hand ────────────────────────────────────────────────────────────────────


def bids(look: Look[Facts], settings: Settings, seat: Seat) -> range:
    """From the lowest bid, or one above the highest so far, to all the points there are."""
    return range(settings.min_bid if look.facts.bid is None else look.facts.bid + 1, settings.highest_bid + 1)


def bid_refused(look: Look[Facts], settings: Settings, seat: Seat, number: int) -> Refusal:
    """Why a number cannot be bid."""
    allowed = bids(look, settings, seat)
    return Refusal("BID_OUT_OF_RANGE", f"{number} cannot be bid: bid {allowed[0]} to {allowed[-1]}, or pass")


def bid(table: Table[Facts], settings: Settings, seat: Seat, number: Annotated[int, Among(bids, bid_refused)]) -> Turn:
    """Becomes the highest bid, over one's partner too."""
    facts = table.facts
    facts.bid, facts.bidder = number, seat
    return end_auction(table) if number == settings.highest_bid else next_bidder(table, seat)


def next_bidder(table: Table[Facts], seat: Seat) -> Turn:
    """The next seat that has not passed, until the bidder is the only one."""
    facts = table.facts
    following = table.after(seat, among=[other for other in table.seats if not facts.passed[other]])
    return end_auction(table) if following == facts.bidder else turn("bid", following)


def end_auction(table: Table[Facts]) -> Turn:
    """The bidder chooses the trump."""
    facts = table.facts
    assert facts.bidder is not None
    facts.target = facts.bid
    return turn("trump", facts.bidder)


def pass_refused(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Whether the first bidder has to bid."""
    if settings.first_must_bid and look.phase == "bid" and look.facts.bid is None:
        return "FIRST_MUST_BID", f"the first bidder may not pass: bid {settings.min_bid} or more"
    return None


@verb(unless=pass_refused, tells="after the second four cards a hand without points or with four jacks is thrown in")
def pass_(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Leaves the auction; does not double, or redouble; does not play a single hand."""
    facts = table.facts
    if table.phase == "single":
        return turn("play", facts.leader) if seat == facts.dealer else turn("single", table.after(seat))
    if table.phase != "bid":
        asked_first = facts.bidder if table.phase == "redouble" else table.after(facts.bidder or 0)
        return turn(table.phase, (seat + 2) % 4) if seat == asked_first else deal_rest(table, settings)
    facts.passed = set_at(facts.passed, seat, True)
    if all(facts.passed):
        facts.dealer = table.after(facts.dealer)
        return throw_in(table, settings)
    return next_bidder(table, seat)


def trumps(look: Look[Facts], settings: Settings, seat: Seat) -> tuple[str, ...]:
    """The four suits, held or not, and what else the settings allow."""
    return (*SUITS, *("7" * settings.seventh_card), *("N" * (settings.no_trump != "off")))


def trump_refused(look: Look[Facts], settings: Settings, seat: Seat, choice: str) -> Refusal:
    """Why this cannot be chosen."""
    what = "the seventh card" if choice == "7" else "no trumps"
    return Refusal("TRUMP_NOT_PLAYED", f"{what} may not be chosen at this table: choose C, D, H or S")


@verb(sealed=True, tells="after the second four cards a hand without points or with four jacks is thrown in")
def trump(
    table: Table[Facts], settings: Settings, seat: Seat, choice: Annotated[HiddenTrump, Among(trumps, trump_refused)]
) -> Turn:
    """Chooses the trump, in secret."""
    table.facts.hidden_trump = choice
    return turn("double", table.after(seat)) if settings.doubles else deal_rest(table, settings)


@verb(free=True)
def double(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Doubles what the hand is worth; the bidder's side may answer."""
    facts = table.facts
    assert facts.bidder is not None
    facts.stake, facts.doubler = 2, seat
    return turn("redouble", facts.bidder)


@verb(free=True, tells="after the second four cards a hand without points or with four jacks is thrown in")
def redouble(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Doubles it once more."""
    table.facts.stake = 4
    return deal_rest(table, settings)


@verb(free=True)
def single(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Undertakes to win all tricks alone, without trumps; the partner sits out."""
    facts = table.facts
    facts.single, facts.out, facts.leader = seat, ((seat + 2) % 4,), seat
    table.sweep("trump_card", to="hand", to_seat=facts.bidder)
    return turn("play", seat)


# The play ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def playable(look: Look[Facts], settings: Settings, seat: Seat) -> Sequence[Card]:
    """Follow suit if able; who asked for the trump plays one if able, where that is a duty, else any card."""
    facts = look.facts
    hand = look.cards("hand", seat)
    if facts.asker != seat:
        return must_follow(hand, facts.led)
    # who asked is bound by the trump alone, also where the seventh card has come back and is of the suit led
    return [card for card in hand if settings.must_trump and card.suit == facts.trump] or hand


def play_refused(look: Look[Facts], settings: Settings, seat: Seat, card: Card) -> Refusal:
    """Why a card that the seat holds may not be played."""
    if look.facts.asker == seat:
        return Refusal("MUST_TRUMP", "you asked for the trump and hold one: play it")
    return Refusal("FOLLOW_SUIT", "you hold a card of the suit led: play one")


def reveal_refused(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Why the trump may not be asked for."""
    facts = look.facts
    if facts.trump is not None:
        return "TRUMP_IS_KNOWN", "the trump has been shown: play a card"
    if facts.single is not None:
        return "NO_TRUMP_IN_A_SINGLE_HAND", "a single hand is played without trumps: play a card"
    return no_asking(look.cards("hand", seat), facts.led)


@verb(unless=reveal_refused, tells="who asks for the trump has no card of the suit led")
def reveal(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Has the trump shown, and plays on; where it is a duty, a trump."""
    show_trump(table)
    table.facts.asker = seat
    return turn("play", seat)


def show_trump(table: Table[Facts]) -> None:
    """The trump becomes known to all; the seventh card is seen, and goes back to its hand."""
    facts = table.facts
    assert facts.hidden_trump is not None
    assert facts.hidden_trump != "7"
    facts.trump = facts.hidden_trump
    facts.early = turn_up(table, facts.bidder)


def pair_refused(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Why a pair may not be declared."""
    facts = look.facts
    if not settings.pair:
        return "NO_PAIRS", "pairs are not played at this table"
    if facts.trump is None or facts.trump == "N" or facts.tricks_since[side_of(seat)] == 0:
        return "PAIR_NEEDS_A_TRICK", "your side has won no trick since a trump was shown: win one first"
    if facts.pair is not None:
        return "PAIR_DECLARED", "there is one pair in a hand, and it has been declared"
    if not {"K", "Q"} <= {card.rank for card in look.cards("hand", seat) if card.suit == facts.trump}:
        return "NO_PAIR_HELD", "you must hold both king and queen of trumps"
    if is_on_side_of(facts.bidder, seat) and (facts.bid or 0) < settings.pair_min_bid:
        return "BID_TOO_LOW_FOR_A_PAIR", f"the bidder's side needs a bid of {settings.pair_min_bid} for a pair"
    return None


@verb(unless=pair_refused, tells="who declares a pair holds king and queen of trumps")
def pair(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Declares king and queen of trumps: the bidder's side needs four points less, or four more by the others' pair."""
    facts = table.facts
    assert facts.target is not None
    facts.pair = seat
    if is_on_side_of(facts.bidder, seat):
        facts.target = max(settings.min_bid, facts.target - 4)
    else:
        facts.target = min(settings.highest_bid, facts.target + 4)
    return turn("play", seat)


def play(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[Card, Held("hand"), Among(playable, play_refused)],
) -> Turn:  # fmt: skip
    """Plays a card to the trick."""
    facts = table.facts
    trick = lay_card(table, seat, card)
    facts.asker = None
    if len(trick) < 4 - len(facts.out):
        return next_player(table, next_in(table, seat, facts.out))
    winner = winner_now(table, settings)
    take_trick(table, winner)
    side = side_of(winner)
    facts.points = add_to(facts.points, side, card_points(trick))
    facts.early = 0
    if facts.trump is not None:
        facts.tricks_since = add_to(facts.tricks_since, side)
    return OVER if is_hand_over(facts) else next_player(table, winner)


def next_player(table: Table[Facts], seat: Seat) -> Turn:
    """Whose only card is a hidden trump has it shown by the rules, and plays it."""
    if not table.count("hand", seat):
        show_trump(table)
    return turn("play", seat)


def winner_now(look: Look[Facts], settings: Settings) -> Seat:
    """The seat that wins the trick; a trump that nobody has asked for has no power."""
    facts = look.facts
    cuts_from = facts.early if settings.early_trumps == "plain" else 0
    upside_down = facts.hidden_trump == "N" and settings.no_trump == "reverse" and facts.single is None
    return trick_winner(look, facts.trump, jack_low if upside_down else jack_high, cuts_from, facts.out)


def is_hand_over(facts: Facts) -> bool:
    """After eight tricks; a single hand with the first trick that its player does not win."""
    return sum(facts.tricks) == 8 or facts.single not in (None, facts.last_winner)


# The score ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """The worth is added to the tally of the side that played the hand if it won, else subtracted."""
    facts = table.facts
    assert facts.last_winner is not None
    assert facts.bidder is not None
    assert facts.bid is not None
    assert facts.target is not None
    if facts.single is not None:
        side, won, worth = side_of(facts.single), facts.last_winner == facts.single, 3
    else:
        if settings.last_trick_point:
            facts.points = add_to(facts.points, side_of(facts.last_winner))
        side = side_of(facts.bidder)
        won = facts.points[side] >= facts.target
        worth = facts.stake * (2 if 0 < settings.bonus_bid <= facts.bid else 1)
    tally = facts.pips[side] + (worth if won else -worth)
    facts.pips = set_at(facts.pips, side, max(-settings.pips, min(settings.pips, tally)))
    facts.score = tuple([facts.pips[side_of(seat)] for seat in table.seats])
    facts.last_hand = LastHand(side, won, worth, facts.points)
    return facts.last_hand


def match_is_over(look: Look[Facts], settings: Settings) -> bool:
    """A tally is full, red or black, or enough hands have been played."""
    return max(map(abs, look.facts.pips)) == settings.pips or look.facts.hand_no == settings.max_hands


def timed_out_bid(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """Passes, or bids the least where it may not."""
    return "pass" if pass_refused(look, settings, seat) is None else f"bid {settings.min_bid}"


def timed_out_trump(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The suit of which the seat holds most."""
    return f"trump {longest_suit(look.cards('hand', seat))}"


def timed_out_play(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The lowest card allowed by the usual ranks, known trumps after all others."""
    return f"play {lowest_card(playable(look, settings, seat), look.facts.trump, jack_high)}"


def random_bid(look: Look[Facts], settings: Settings, seat: Seat, random: Random) -> str:
    """A bid, mostly a low one."""
    allowed = bids(look, settings, seat)
    return f"bid {allowed[min(int(random.expovariate(0.7)), len(allowed) - 1)]}"


GAME = Game(
    key="twenty_nine",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    deal=deal,
    phases={
        "bid": (bid, pass_),
        "trump": (trump,),
        "double": (double, pass_),
        "redouble": (redouble, pass_),
        "single": (single, pass_),
        "play": (play, reveal, pair),
    },
    end_hand=end_hand,
    match_is_over=match_is_over,
    pass_deal=next_deals,
    place=most_points,
    timeouts={
        "bid": timed_out_bid,
        "trump": timed_out_trump,
        "double": "pass",
        "redouble": "pass",
        "single": "pass",
        "play": timed_out_play,
    },
    sides=two_sides,
    samplers={"bid": random_bid},
    trials=(
        {"max_hands": 2},
        {"max_hands": 2, "seventh_card": True, "no_trump": "plain", "doubles": True, "early_trumps": "plain"},
        {"max_hands": 3, "single_hand": True, "seventh_card": True, "min_bid": 15, "pair_min_bid": 19, "pips": 3},
        {"max_hands": 2, "no_trump": "reverse", "must_trump": False, "last_trick_point": True, "bonus_bid": 20},
        {"max_hands": 2, "redeal": "off", "first_must_bid": True, "min_bid": 17, "pair": False, "pips": 12},
        {"max_hands": 2, "seventh_card": True, "must_trump": False, "doubles": True, "pair_min_bid": 21},
    ),
)
