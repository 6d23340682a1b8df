"""Badam Satti: suits are built up and down from their sevens, hearts first, and the first hand to run out wins.

Source: the list of games (seed 001) for the idea and the seats; public rules of Badam Satti, Satte pe Satta and Sevens
for the start with the seven of hearts and the points of the cards left. Who cannot play passes by itself, unless
passing is free, where a pass hides whether one could have played.
"""

from functools import cache
from typing import Annotated, Final, Literal

from chautari import engine
from chautari.cards import RANKS, SUITS, Card, CardText, card, pack, text
from chautari.engine import OVER, Among, BySeat, Game, Held, Look, Range, Record, Seat, Sees, Table, Turn, Zone, turn
from chautari.errors import Refusal
from chautari.kit.dealing import next_deals, rounds_are_over
from chautari.kit.placing import fewest_first, most_first
from chautari.kit.totals import add_to

FIRST: Final = card("7H")
RUNS: Final = {"low": RANKS, "high": (*RANKS[1:], RANKS[0])}
"""The order of a suit, by the setting `ace`."""


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Literal[3, 4, 5, 6] = 4
    rounds: Annotated[int, Range(1, 20)] = 5
    scoring: Literal["points", "cards", "wins"] = "points"
    ace: Literal["low", "high"] = "low"
    passing: Literal["unable", "free"] = "unable"
    sevens_first: bool = False
    pass_penalty: Annotated[int, Range(0, 5)] = 0


class LastHand(Record, frozen=True):
    """The record of a hand: its winner; by seat the cards left, the passes and the points."""

    winner: Seat
    cards: BySeat[str]
    passes: BySeat[int]
    points: BySeat[int]


class Facts(engine.Facts):
    """What the table knows; all are public."""

    dealer: Seat = 0
    hand_no: int = 0
    open_: tuple[CardText, ...] = ()
    passes: BySeat[int] = ()
    quiet: int = 0
    winners: tuple[Seat, ...] = ()
    score: BySeat[int] = ()


ZONES = (
    Zone("hand", Sees.OWNER, per_seat=True),
    Zone("row", Sees.ALL, ordered=True, indexes=SUITS),
)


def check(settings: Settings) -> None:
    """A pass can cost no hands."""
    if settings.pass_penalty and settings.scoring == "wins":
        raise engine.bad_setting("pass_penalty", "pass_penalty needs points or cards to count: set it to 0 with wins")


def opening(settings: Settings) -> Facts:
    """The last seat deals first."""
    return Facts(dealer=settings.players - 1, score=(0,) * settings.players)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """All cards are dealt, one at a time from the dealer's neighbour on; the holder of the seven of hearts begins."""
    facts = table.facts
    facts.hand_no += 1
    facts.open_, facts.passes, facts.quiet = (FIRST.text,), (0,) * settings.players, 0
    table.deal(table.lot(pack()), to="hand", first=table.after(facts.dealer))
    return turn("play", next(seat for seat in table.seats if FIRST in table.cards("hand", seat)))


def playable(look: Look[Facts], settings: Settings, seat: Seat) -> list[Card]:
    """The cards of the hand that are open; with `sevens_first` the sevens among them, if there are any."""
    fitting = [card for card in look.cards("hand", seat) if card.text in look.facts.open_]
    sevens = [card for card in fitting if card.rank == "7"] if settings.sevens_first else []
    return sevens or fitting


def why_not(look: Look[Facts], settings: Settings, seat: Seat, card: Card) -> Refusal:
    """Why this card of the hand may not be laid."""
    if card.text in look.facts.open_:
        return Refusal("SEVEN_FIRST", "you hold a seven that can be laid: lay a seven first")
    return Refusal("DOES_NOT_FIT", f"{card} does not fit: {' '.join(look.facts.open_)} do")


@engine.verb(tells="forced passes: who is passed over holds no open card; scoring: the record shows the cards left")
def play(
    table: Table[Facts], settings: Settings, seat: Seat, card: Annotated[Card, Held("hand"), Among(playable, why_not)]
) -> Turn:
    """Lays a card in the row of its suit; unless passing is free, seats that have none to lay are passed over."""
    facts = table.facts
    table.move((card,), "hand", "row", seat, to_seat=SUITS.index(card.suit))
    facts.open_, facts.quiet = open_after(facts.open_, card, settings.ace), 0
    if not table.count("hand", seat):
        return OVER
    following = table.after(seat)
    if settings.passing == "unable":
        for passing in table.round_from(following):
            following = passing
            if playable(table, settings, passing):  # some hand always holds an open card
                break
            count_pass(facts, passing)
            table.say(passing, "pass")
    return turn("play", following)


def open_after(before: tuple[CardText, ...], laid: Card, ace: str) -> tuple[CardText, ...]:
    """The open cards, in the card order, once this one lies."""
    return tuple(sorted([name for name in before if name != laid.text] + opened_by(laid, ace), key=card))


@cache
def opened_by(laid: Card, ace: str) -> list[CardText]:
    """The cards that fit because this one lies: its neighbours away from the seven, and with the first the sevens."""
    run = RUNS[ace]
    at, seven = run.index(laid.rank), run.index("7")
    below = run[at - 1 : at] if 0 < at <= seven else ()
    above = run[at + 1 : at + 2] if at >= seven else ()
    opened = [CardText(rank + laid.suit) for rank in (*below, *above)]
    if laid == FIRST:
        opened += [CardText("7" + suit) for suit in SUITS if suit != laid.suit]
    return opened


def count_pass(facts: Facts, seat: Seat) -> None:
    """A seat has laid nothing in its turn."""
    facts.passes = add_to(facts.passes, seat)
    facts.quiet += 1


def why_no_pass(look: Look[Facts], settings: Settings, seat: Seat) -> engine.Rule | None:
    """Why the seat may not pass, if it may not."""
    if settings.passing == "unable":
        return "CAN_PLAY", "whoever is in turn can play: lay a card"
    if look.facts.open_ == (FIRST.text,):
        return "SEVEN_OF_HEARTS_BEGINS", "nobody passes before 7H lies: lay it"
    if look.facts.quiet >= look.players - 1 and playable(look, settings, seat):
        return "ALL_OTHERS_PASSED", "all the others have passed since the last card: lay one that fits"
    return None


@engine.verb(unless=why_no_pass)
def pass_(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Lays nothing in this turn."""
    count_pass(table.facts, seat)
    return turn("play", table.after(seat))


def points(cards: tuple[Card, ...], settings: Settings) -> int:
    """What cards left in the hand count: one each, or as printed with J 11, Q 12, K 13 and the ace 1 or 14."""
    if settings.scoring == "cards":
        return len(cards)
    return sum(card.low if settings.ace == "low" else card.high for card in cards)


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """The seat without cards has won; the others count what they hold, and all their passes."""
    facts = table.facts
    hands = [table.cards("hand", seat) for seat in table.seats]
    winner = hands.index(())
    if settings.scoring == "wins":
        counted = add_to((0,) * table.players, winner)
    else:
        counted = tuple(points(hands[s], settings) + settings.pass_penalty * facts.passes[s] for s in table.seats)
    facts.winners += (winner,)
    facts.score = tuple(before + more for before, more in zip(facts.score, counted, strict=True))
    return LastHand(winner, tuple(text(sorted(hand)) for hand in hands), facts.passes, counted)


def place(look: Look[Facts], settings: Settings) -> tuple[int, ...]:
    """The fewest points or cards are best, or the most hands won."""
    return (most_first if settings.scoring == "wins" else fewest_first)(look.facts.score)


def timed_out(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The first card that may be laid, in the card order; a pass where there is none."""
    fitting = playable(look, settings, seat)
    return f"play {min(fitting)}" if fitting else "pass"


GAME = Game(
    key="badam_satti",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"play": (play, pass_)},
    end_hand=end_hand,
    match_is_over=rounds_are_over,
    pass_deal=next_deals,
    place=place,
    timeouts={"play": timed_out},
    check=check,
    turn_seconds=30,
    trials=(
        {"players": 3, "rounds": 2},
        {"players": 4, "rounds": 1, "passing": "free", "pass_penalty": 2},
        {"players": 5, "rounds": 2, "scoring": "cards", "ace": "high"},
        {"players": 6, "rounds": 2, "scoring": "wins", "sevens_first": True},
        {"players": 4, "rounds": 1, "passing": "free", "sevens_first": True, "ace": "high", "scoring": "cards"},
    ),
)
