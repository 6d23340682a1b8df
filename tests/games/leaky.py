"""Ferry post: a game made to leak, as its setting says. The tests of secrets must find each leak, and no other."""

from typing import Annotated, Any, Literal

from chautari import engine
from chautari.cards import Card, pack
from chautari.engine import (
    OVER,
    SECRET,
    Among,
    BySeat,
    Game,
    Held,
    Look,
    Record,
    Seat,
    Sees,
    Table,
    Turn,
    Zone,
    turn,
    verb,
)
from chautari.errors import Refusal

LEAKS = (
    "a fact is worked out from an unseen card",
    "a fact tells how a hand lies",
    "a fact counts sealed votes",
    "the turn goes by an unseen card",
    "a refusal names an unseen card",
    "a refusal tells a secret fact",
    "the options go by an unseen card",
    "a zone opens by an unseen card",
    "cards taken come in the order in which they lay",
    "the record counts unseen cards",
    "a shuffle is worked out",
    "a fact names an unseen card",
)


class Settings(engine.Settings, frozen=True):
    """How it leaks."""

    players: Literal[3] = 3
    leak: Literal[
        "nothing",
        "a fact is worked out from an unseen card",
        "a fact tells how a hand lies",
        "a fact counts sealed votes",
        "the turn goes by an unseen card",
        "a refusal names an unseen card",
        "a refusal tells a secret fact",
        "the options go by an unseen card",
        "a zone opens by an unseen card",
        "cards taken come in the order in which they lay",
        "the record counts unseen cards",
        "a shuffle is worked out",
        "a fact names an unseen card",
    ] = "nothing"


class Posted(Record, frozen=True):
    """The record: something of the post."""

    aces: int


class Facts(engine.Facts):
    """What the table knows, and what it should not."""

    posted: int = 0
    known: int = 0
    next_letter: str = ""
    score: BySeat[int] = (0, 0, 0)
    votes: Annotated[tuple[Seat, ...], SECRET] = ()
    opens: bool = False


def bag_viewers(look: Look[Facts], seat: Seat) -> int:
    """Nobody sees the bag, unless the leak is that its first card says who."""
    return engine.ALL if look.facts.opens and look.count("bag") and look.cards("bag")[0].red else engine.NOBODY


ZONES = (
    Zone("hand", Sees.OWNER, per_seat=True),
    Zone("bag", bag_viewers, ordered=True, kind=engine.Kind.STOCK),
    Zone("pile", Sees.ALL, ordered=True),
)


def opening(settings: Settings) -> Facts:
    """Nothing is posted."""
    return Facts(opens=settings.leak == "a zone opens by an unseen card")


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """Six cards each, and twelve in the bag."""
    cards = table.lot(pack())
    table.deal(cards[:18], to="hand", first=0)
    table.bring(cards[18:30], "bag")
    if settings.leak == "a shuffle is worked out":
        table.facts.known = sum(card.low for card in cards[30:])
    return turn("post", 0)


def postable(look: Look[Facts], settings: Settings, seat: Seat) -> list[Card]:
    """All of the hand, unless the leak is that the bag says what."""
    hand = sorted(look.cards("hand", seat))
    if settings.leak == "the options go by an unseen card" and look.count("bag"):
        return [card for card in hand if card.suit != look.cards("bag")[0].suit] or hand
    return hand


def post(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[Card, Held("hand"), Among(postable, "NOT_NOW", "not now")],
) -> Turn:  # fmt: skip
    """A card goes from the hand to the end of the bag; then all vote on it."""
    table.play(card, "hand", to="bag", seat=seat)
    table.facts.posted += 1
    return turn("vote", *table.seats)


def show(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[Card, Held("hand"), Among(postable, "NOT_NOW", "not now")],
) -> Turn:  # fmt: skip
    """A card goes from the hand to the pile."""
    table.play(card, "hand", to="pile", seat=seat)
    return pass_turn(table, settings, seat)


def peek(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Nobody may; the leak is in what the refusal says."""
    if settings.leak == "a refusal names an unseen card":
        raise Refusal("NO_PEEKING", f"the bag is closed, and you would find {table.top('bag')}")
    if settings.leak == "a refusal tells a secret fact":
        raise Refusal("NO_PEEKING", f"{len(table.facts.votes)} have voted for it")
    raise Refusal("NO_PEEKING", "the bag is closed")


@verb(sealed=True, free=True)
def aye(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """A vote for, which the others do not hear until all have voted."""
    table.facts.votes += (seat,)
    return count(table, settings, seat)


@verb(sealed=True, free=True)
def nay(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """A vote against."""
    return count(table, settings, seat)


def count(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """With more ayes than nays the next seat takes the bag."""
    waiting = [other for other in table.acting if other != seat]
    if settings.leak == "a fact counts sealed votes":
        table.facts.known = len(table.facts.votes)
    if waiting:
        return turn("vote", *waiting)
    taker = table.after(table.facts.posted % 3)
    if len(table.facts.votes) > 1:
        bag = table.cards("bag")
        leaks = settings.leak == "cards taken come in the order in which they lay"
        table.move(bag if leaks else sorted(bag), "bag", "hand", 0, to_seat=taker)
    table.facts.votes = ()
    return pass_turn(table, settings, taker)


def pass_turn(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """After twelve letters, or when a hand is empty, it is over."""
    facts = table.facts
    bag = table.cards("bag")
    if settings.leak == "a fact is worked out from an unseen card" and bag:
        facts.known = bag[0].low
    if settings.leak == "a fact names an unseen card" and bag:
        facts.next_letter = bag[0].text
    if settings.leak == "a fact tells how a hand lies" and table.count("hand", seat):
        facts.known = int(table.cards("hand", seat)[0] == min(table.cards("hand", seat)))
    if facts.posted == 12 or not all(table.counts("hand")):
        return OVER
    skips = settings.leak == "the turn goes by an unseen card" and bag and bag[0].red
    return turn("post", table.after(table.after(seat)) if skips else table.after(seat))


def end_hand(table: Table[Facts], settings: Settings) -> Posted:
    """Nobody scores."""
    hidden = [card for seat in table.seats for card in table.cards("hand", seat)]
    leaks = settings.leak == "the record counts unseen cards"
    return Posted(sum(card.low for card in hidden if leaks and card.red))


def place(look: Look[Facts], settings: Settings) -> tuple[int, ...]:
    """All are first."""
    return (1, 1, 1)


def post_first(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The first card in the card order."""
    return f"post {postable(look, settings, seat)[0]}"


LEAKY: Game[Any, Any] = Game(
    key="leaky",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"post": (post, show, peek), "vote": (aye, nay)},
    end_hand=end_hand,
    place=place,
    timeouts={"post": post_first, "vote": "nay"},
    trials=({},),
)
