"""3-2-5: three players have to win three, two and five tricks, and cards are pulled blind from whoever fell short.

Source: the list of games (seed 001); Pagat.com, 3-2-5, for pack, targets and pulling; Wikipedia, 3-2-5, for the blocks,
the turned cards, high sevens and owing. Pulls are made when all cards are dealt: the sources differ on the moment.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from chautari import engine
from chautari.cards import SUITS, Card, CardText, Suit, card, pack
from chautari.engine import (
    OVER,
    Among,
    BySeat,
    Game,
    Held,
    Look,
    Private,
    Range,
    Record,
    Seat,
    Sees,
    Table,
    Turn,
    Viewers,
    Zone,
    turn,
    verb,
)
from chautari.errors import Refusal
from chautari.kit.dealing import next_deals
from chautari.kit.placing import most_points
from chautari.kit.totals import add_to
from chautari.kit.tricks import begin_tricks, longest_suit, must_follow, take_trick

TrumpName = Literal["C", "D", "H", "S", "N"]
SEVENS = (card("7H"), card("7S"))
PACK = tuple(one for one in pack() if one.high > 7 or one in SEVENS)
TRICKS = len(PACK) // 3


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Literal[3] = 3
    rounds: Annotated[int, Range(1, 10)] = 3
    scoring: Literal["over_under", "tricks"] = "over_under"
    goal: Annotated[int, Range(10, 50, also=(0,))] = 0
    settle: Literal["pull", "owe", "choice", "none"] = "pull"
    give_back: Literal["any", "same_suit"] = "any"
    sevens: Literal["low", "high"] = "low"
    turn_up: bool = False
    no_trump: bool = False


def check(settings: Settings) -> None:
    """A goal is one of tricks."""
    if settings.goal and settings.scoring != "tricks":
        raise engine.bad_setting("goal", "a goal needs scoring by tricks: set scoring to tricks, or goal to 0")


class LastHand(Record, frozen=True):
    """The record of a hand, by seat: the targets as they became, the tricks won, and the points."""

    hand_no: int
    target: BySeat[int]
    tricks: BySeat[int]
    points: BySeat[int]


def pullers(look: "Look[Facts]") -> Viewers:
    """A pulled card is known to the seat that pulled it and the seat that had it."""
    facts = look.facts
    return engine.only(*facts.debts[0][:2]) if facts.pulled else engine.ALL


class Facts(engine.Facts):
    """What the table knows."""

    dealer: Seat = 2
    hand_no: int = 0
    leader: Seat = 0
    led: Suit | None = None
    trump: TrumpName | None = None
    turned: tuple[CardText, ...] = ()
    target: BySeat[int] = (5, 3, 2)
    tricks: BySeat[int] = (0, 0, 0)
    debts: tuple[tuple[Seat, Seat, int], ...] = ()
    pulled: Annotated[CardText | None, Private(pullers)] = None
    last_trick: tuple[CardText, ...] = ()
    last_winner: Seat | None = None
    last_over: BySeat[int] | None = None
    score: BySeat[int] = (0, 0, 0)


ZONES = (
    Zone("hand", Sees.OWNER, per_seat=True),
    Zone("deck", Sees.NONE, ordered=True),
    Zone("trick", Sees.ALL, ordered=True),
    Zone("taken", Sees.NONE, per_seat=True, ordered=True, kind=engine.Kind.WON),
)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """Five cards each in a block; the seat after the dealer chooses the trump and has to win five tricks."""
    facts = table.facts
    chooser = table.after(facts.dealer)
    facts.hand_no += 1
    facts.trump, facts.turned = None, ()
    begin_tricks(facts, leader=chooser)
    facts.target = tuple([{facts.dealer: 2, chooser: 5}.get(seat, 3) for seat in table.seats])
    if facts.last_over is not None and settings.settle != "none":
        facts.debts = debts_of(facts.last_over, table.round_from(chooser))
    table.shuffle("deck", fresh=PACK)
    table.deal("deck", to="hand", first=chooser, each=5, in_blocks=True)
    return turn("trump", chooser)


def debts_of(last_over: Sequence[int], order: Sequence[Seat]) -> tuple[tuple[Seat, Seat, int], ...]:
    """Who has to settle how many tricks with whom: creditors in this order, and for each the debtors in it."""
    over = list(last_over)
    debts = []
    for creditor in order:
        for debtor in order:
            owed = min(over[creditor], -over[debtor])
            if owed > 0:
                debts.append((creditor, debtor, owed))
                over[creditor] -= owed
                over[debtor] += owed
    return tuple(debts)


def deal_rest(table: Table[Facts], settings: Settings) -> Turn:
    """Three more each and then two, in blocks; then debts are settled."""
    for each in (3, 2):
        table.deal("deck", to="hand", first=table.facts.leader, each=each, in_blocks=True)
    return settle_next(table, settings)


def trumps(look: Look[Facts], settings: Settings, seat: Seat) -> tuple[str, ...]:
    """The four suits, and no trumps where it is played."""
    return (*SUITS, "N") if settings.no_trump else SUITS


def trump(
    table: Table[Facts], settings: Settings, seat: Seat,
    suit: Annotated[TrumpName, Among(trumps, "NO_TRUMPS_NOT_PLAYED", "there is no play without trumps: name a suit")],
) -> Turn:  # fmt: skip
    """Names the trump from the first five cards."""
    table.facts.trump = suit
    return deal_rest(table, settings)


@verb(exists=lambda settings: settings.turn_up, free=True, tells="the three cards are turned up for all")
def turn_(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Has the next three cards turned up: the highest makes the trump, of equal ranks the one dealt first."""
    turned = table.cards("deck")[:3]
    table.facts.turned = tuple([one.text for one in turned])
    table.facts.trump = max(turned, key=lambda one: one.high).suit
    return deal_rest(table, settings)


def settle_next(table: Table[Facts], settings: Settings) -> Turn:
    """The first debt that is left is settled; without any, play begins."""
    facts = table.facts
    if settings.settle == "owe":
        while facts.debts:
            owe_first(facts)
    if not facts.debts:
        return turn("play", facts.leader)
    creditor, debtor, _ = facts.debts[0]
    return turn("settle", debtor) if settings.settle == "choice" else turn("pull", creditor)


def owe_first(facts: Facts) -> None:
    """The first debt moves the targets of its two seats instead of cards."""
    (creditor, debtor, owed), *left = facts.debts
    facts.target = add_to(add_to(facts.target, debtor, owed), creditor, -owed)
    facts.debts = tuple(left)


@verb(free=True)
def allow(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Lets the creditor pull for the whole debt."""
    return turn("pull", table.facts.debts[0][0])


@verb(free=True)
def owe(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Settles the whole debt by the targets: one's own grows, the creditor's shrinks."""
    owe_first(table.facts)
    return settle_next(table, settings)


@verb(free=True)
def pull(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Pulls a card blind: the debtor's hand is shuffled, and its first card is the one."""
    debtor = table.facts.debts[0][1]
    table.shuffle("hand", debtor)
    pulled = table.cards("hand", debtor)[0]
    table.facts.pulled = pulled.text
    table.move((pulled,), "hand", "hand", debtor, to_seat=seat)
    return turn("give", seat)


@verb(free=True)
def skip(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Gives up one pull."""
    return one_pull_less(table, settings)


def givable(look: Look[Facts], settings: Settings, seat: Seat) -> Sequence[Card]:
    """Any card of the hand, or those of the suit that is printed on the pulled one."""
    hand = look.cards("hand", seat)
    if settings.give_back == "any":
        return hand
    assert look.facts.pulled is not None
    return [one for one in hand if one.suit == card(look.facts.pulled).suit]


def give(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[Card, Held("hand"), Among(givable, "SAME_SUIT", "give back a card of the suit that you pulled")],
) -> Turn:  # fmt: skip
    """Gives a card back for the one pulled; it may be the same."""
    table.move((card,), "hand", "hand", seat, to_seat=table.facts.debts[0][1])
    table.facts.pulled = None
    return one_pull_less(table, settings)


def one_pull_less(table: Table[Facts], settings: Settings) -> Turn:
    """The first debt shrinks by a card; the creditor goes on until it is settled."""
    facts = table.facts
    (creditor, debtor, owed), *left = facts.debts
    if owed > 1:
        facts.debts = ((creditor, debtor, owed - 1), *left)
        return turn("pull", creditor)
    facts.debts = tuple(left)
    return settle_next(table, settings)


def high_sevens(look: Look[Facts], settings: Settings) -> tuple[Card, ...]:
    """The two highest trumps, where sevens are played so; hearts before spades, which beat them."""
    return SEVENS if settings.sevens == "high" and look.facts.trump != "N" else ()


def suit_of(card: Card, look: Look[Facts], sevens: tuple[Card, ...]) -> str | None:
    """The suit to which the card belongs: a high seven to the trumps."""
    return look.facts.trump if card in sevens else card.suit


def strength(card: Card, sevens: tuple[Card, ...]) -> int:
    """Ace high, and high sevens above it."""
    return 15 + sevens.index(card) if card in sevens else card.high


def playable(look: Look[Facts], settings: Settings, seat: Seat) -> Sequence[Card]:
    """The cards that follow suit if the hand has any, otherwise all."""
    hand, led, sevens = look.cards("hand", seat), look.facts.led, high_sevens(look, settings)
    if not sevens:
        return must_follow(hand, led)
    return [one for one in hand if suit_of(one, look, sevens) == led] or hand


def play_refused(look: Look[Facts], settings: Settings, seat: Seat, card: Card) -> Refusal:
    """Why a card that the seat holds may not be played."""
    return Refusal("FOLLOW_SUIT", f"you hold a card that follows {look.facts.led}: play one")


def play(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[Card, Held("hand"), Among(playable, play_refused)],
) -> Turn:  # fmt: skip
    """Plays a card to the trick; the highest trump wins it, without one the highest card of the suit led."""
    facts = table.facts
    table.play(card, "hand", to="trick", seat=seat)
    if facts.led is None:
        facts.led = next(suit for suit in SUITS if suit == suit_of(card, table, high_sevens(table, settings)))
    trick = table.cards("trick")
    if len(trick) < 3:
        return turn("play", table.after(seat))
    winner = (facts.leader + winning_place(trick, table, settings)) % 3
    take_trick(table, winner)
    return turn("play", winner) if sum(facts.tricks) < TRICKS else OVER


def winning_place(trick: Sequence[Card], look: Look[Facts], settings: Settings) -> int:
    """The place in the trick of the card that wins."""
    sevens = high_sevens(look, settings)

    def power(place: int) -> tuple[bool, bool, int]:
        suit = suit_of(trick[place], look, sevens)
        return suit == look.facts.trump, suit == look.facts.led, strength(trick[place], sevens)

    return max(range(3), key=power)


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """Tricks less target, or the tricks themselves."""
    facts = table.facts
    facts.last_over = tuple([won - target for won, target in zip(facts.tricks, facts.target, strict=True)])
    points = facts.tricks if settings.scoring == "tricks" else facts.last_over
    facts.score = tuple([sum(both) for both in zip(facts.score, points, strict=True)])
    return LastHand(facts.hand_no, facts.target, facts.tricks, points)


def match_is_over(look: Look[Facts], settings: Settings) -> bool:
    """All rounds of three hands have been played, or somebody has reached the goal."""
    facts = look.facts
    return facts.hand_no == 3 * settings.rounds or 0 < settings.goal <= max(facts.score)


def timed_out_trump(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The suit of which the seat holds most."""
    return f"trump {longest_suit(look.cards('hand', seat))}"


def timed_out_give(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The pulled card goes back."""
    return f"give {look.facts.pulled}"


def timed_out_play(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The lowest card allowed, trumps after all others."""
    sevens = high_sevens(look, settings)

    def cost(one: Card) -> tuple[bool, int, Card]:
        return suit_of(one, look, sevens) == look.facts.trump, strength(one, sevens), one

    return f"play {min(playable(look, settings, seat), key=cost)}"


GAME = Game(
    key="three_two_five",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    deal=deal,
    phases={"trump": (trump, turn_), "settle": (allow, owe), "pull": (pull, skip), "give": (give,), "play": (play,)},
    end_hand=end_hand,
    match_is_over=match_is_over,
    pass_deal=next_deals,
    place=most_points,
    check=check,
    timeouts={
        "trump": timed_out_trump,
        "settle": "allow",
        "pull": "pull",
        "give": timed_out_give,
        "play": timed_out_play,
    },
    trials=(
        {"rounds": 1},
        {"rounds": 1, "scoring": "tricks", "goal": 10, "settle": "choice", "sevens": "high", "turn_up": True},
        {"rounds": 1, "settle": "owe", "no_trump": True, "sevens": "high"},
        {"rounds": 1, "give_back": "same_suit", "turn_up": True, "no_trump": True},
        {"rounds": 2, "settle": "none", "scoring": "tricks", "goal": 12},
    ),
)
