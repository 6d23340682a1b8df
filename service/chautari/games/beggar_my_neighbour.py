"""Beggar My Neighbour: cards are turned without looking, and whoever turns a court makes the next seat pay for it.

Source: "Beggar My Neighbor" (seed 004); Wikipedia for the taker who leads; Casella and others (2024) on games without
end, for which there is always a limit. A debt cut short is the creditor's, unless the table lets the next seat pay on.
"""

from typing import Annotated, Final, Literal

from chautari import engine
from chautari.cards import Rank, pack
from chautari.engine import OVER, BySeat, Game, Look, Range, Record, Seat, Sees, Table, Turn, Zone, turn, verb
from chautari.kit.placing import most_first

PRICES: Final[dict[Rank, int]] = {"A": 4, "K": 3, "Q": 2, "J": 1}


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Annotated[int, Range(2, 10)] = 2
    packs: Literal[0, 1, 2] = 0
    ace_pays: Literal[0, 4] = 4
    short_pay: Literal["take", "pass_on"] = "take"
    collect: Literal["in_order", "shuffled"] = "in_order"
    flip_limit: Annotated[int, Range(10, 100_000, also=(0,))] = 0


class LastHand(Record, frozen=True):
    """The record: the cards turned, who went out in which order, and the cards by seat."""

    flips: int
    out: tuple[Seat, ...]
    cards: BySeat[int]


class Facts(engine.Facts):
    """What the table knows: everything but the cards."""

    dealer: Seat = 0
    packs: int = 1
    creditor: Seat | None = None
    owed: int = 0
    flips: int = 0
    limit: int = 0
    out: tuple[Seat, ...] = ()
    score: BySeat[int] = ()


ZONES = (
    Zone("stack", Sees.NONE, per_seat=True, ordered=True, kind=engine.Kind.STOCK),
    Zone("pile", Sees.ALL, ordered=True),
)


def opening(settings: Settings) -> Facts:
    """The last seat deals; two packs from four players on, and about a flip a second for the limit."""
    packs = settings.packs or (1 if settings.players <= 3 else 2)
    limit = settings.flip_limit or (1000 if packs == 1 else 4000)
    return Facts(dealer=settings.players - 1, packs=packs, limit=limit, score=(0,) * settings.players)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """All cards are dealt, one at a time; the first that a seat gets is the first that it turns."""
    table.deal(table.lot(pack(table.facts.packs)), to="stack", first=0)
    table.facts.score = table.counts("stack")
    return turn("play", 0)


@verb(free=True)
def flip(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Turns the next card of the stack: a court makes a debt, a plain card pays of it."""
    facts = table.facts
    card = table.draw("stack", to="pile", seat=seat)
    facts.flips += 1
    price = 0 if card.rank == "A" and not settings.ace_pays else PRICES.get(card.rank, 0)
    if price:
        facts.creditor, facts.owed = seat, price
        following = next_with_cards(table, seat)
    elif facts.creditor is not None:
        facts.owed -= 1
        following = payer(table, settings, seat) if facts.owed else facts.creditor
    else:
        following = next_with_cards(table, seat)
    facts.score = table.counts("stack")
    if following == facts.creditor:
        take_pile(table, settings, following)
    if 0 in facts.score:
        facts.out += tuple(s for s in table.seats if is_out_now(facts, s))
        if len(facts.out) == table.players - 1:
            take_pile(table, settings, next(s for s in table.seats if s not in facts.out))
            return OVER
    return OVER if facts.flips == facts.limit else turn("play", following)


def next_with_cards(look: Look[Facts], seat: Seat) -> Seat:
    """The nearest seat after this one with cards; the seat itself where no other has any."""
    return look.after(seat, among=(*look.holders("stack"), seat))


def payer(look: Look[Facts], settings: Settings, seat: Seat) -> Seat:
    """Who pays the rest: the payer while it can, with `pass_on` the next that can; the creditor where nobody does."""
    creditor = look.facts.creditor
    assert creditor is not None
    if look.count("stack", seat):
        return seat
    return creditor if settings.short_pay == "take" else look.after(seat, among=(*look.holders("stack"), creditor))


def take_pile(table: Table[Facts], settings: Settings, taker: Seat) -> None:
    """The pile goes under the taker's stack, first turned first, or shuffled; nothing is owed any more."""
    if table.count("pile"):
        if settings.collect == "shuffled":
            table.shuffle("pile", face_down=True)
        table.sweep("pile", to="stack", to_seat=taker, face_down=settings.collect == "shuffled")
    table.facts.creditor, table.facts.owed = None, 0
    table.facts.score = table.counts("stack")


def is_out_now(facts: Facts, seat: Seat) -> bool:
    """Whether a seat that was in has no cards, nor a court that may still win it the pile."""
    return not facts.score[seat] and seat not in facts.out and seat != facts.creditor


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """One hand is the match; a debt still open counts for nobody."""
    facts = table.facts
    facts.creditor, facts.owed = None, 0
    return LastHand(facts.flips, facts.out, facts.score)


def place(look: Look[Facts], settings: Settings) -> tuple[int, ...]:
    """Those still in by their cards, most first; behind them the others, the last to go out first."""
    out = look.facts.out
    return most_first([(0, out.index(s)) if s in out else (1, look.count("stack", s)) for s in look.seats])


GAME = Game(
    key="beggar_my_neighbour",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"play": (flip,)},
    end_hand=end_hand,
    place=place,
    timeouts={"play": "flip"},
    turn_seconds=15,
    trials=(
        {"players": 2, "flip_limit": 400},
        {"players": 3, "collect": "shuffled", "flip_limit": 300},
        {"players": 4, "flip_limit": 250, "ace_pays": 0},
        {"players": 5, "packs": 1, "short_pay": "pass_on", "flip_limit": 400},
        {"players": 6, "packs": 2, "collect": "shuffled", "flip_limit": 200},
        {"players": 7, "packs": 1, "ace_pays": 0, "collect": "shuffled", "flip_limit": 300},
        {"players": 8, "packs": 1, "short_pay": "pass_on", "collect": "shuffled", "flip_limit": 300},
        {"players": 9, "packs": 1, "flip_limit": 300},
        {"players": 10, "packs": 1, "short_pay": "pass_on", "ace_pays": 0, "flip_limit": 300},
    ),
)
