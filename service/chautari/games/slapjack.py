"""Slapjack: cards are turned onto a pile, and whoever slaps a jack first takes it; a slap on another card costs one.

Source: named in seed 004; rules as told by Britannica Kids (Parlett), Recipe Goldmine (Bicycle) and Wikipedia. Every
slap names the flip it means, so that one that comes too late is void and free; a limit of flips stands for the time
limit that some sources give. Who covers a jack ends the last chance of those who had run out before it.
"""

from typing import Annotated, Literal

from chautari import engine
from chautari.cards import pack
from chautari.engine import (
    OVER,
    SECRET,
    Among,
    BySeat,
    Game,
    Look,
    Put,
    Range,
    Record,
    Rule,
    Seat,
    Sees,
    Table,
    Turn,
    Zone,
    turn,
    verb,
)
from chautari.errors import Refusal
from chautari.kit.placing import most_first
from chautari.kit.totals import add_to


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Annotated[int, Range(2, 8)] = 4
    packs: Literal[1, 2] = 1
    slap_on: Literal["jacks", "jacks_pairs"] = "jacks"
    penalty: Literal["flipper", "pile", "none"] = "flipper"
    collect: Literal["shuffle", "under"] = "shuffle"
    slap_in: Literal["once", "always"] = "once"
    cover: bool = True
    flip_limit: Annotated[int, Range(10, 100_000)] = 1000


class LastHand(Record, frozen=True):
    """The record: the cards flipped; by seat when it went out, its cards, and the piles it won."""

    flips: int
    out_at: BySeat[int | None]
    cards: BySeat[int]
    piles: BySeat[int]


class Facts(engine.Facts):
    """What the table knows, and what the rules remember: that a card is good, the players must see."""

    dealer: Seat = 0
    flipper: Seat | None = None
    flips: int = 0
    last: Seat | None = None
    slapped: tuple[Seat, ...] = ()
    passed: tuple[Seat, ...] = ()
    out_at: BySeat[int | None] = ()
    score: BySeat[int] = ()
    flipped_by: Annotated[Seat, SECRET] = 0  # the latest flip, also when its card has been taken
    good: Annotated[bool, SECRET] = False
    ran_out: Annotated[BySeat[int], SECRET] = ()  # the flips made when its stack became empty
    piles: Annotated[BySeat[int], SECRET] = ()


ZONES = (
    Zone("stack", Sees.NONE, per_seat=True, ordered=True, kind=engine.Kind.STOCK),
    Zone("pile", Sees.ALL, ordered=True),
)


def opening(settings: Settings) -> Facts:
    """The last seat deals, so that seat 0 is the first after it."""
    nothing = (0,) * settings.players
    dealer = settings.players - 1
    return Facts(dealer=dealer, flipped_by=dealer, out_at=(None,) * settings.players, score=nothing, ran_out=nothing,
                 piles=nothing)  # fmt: skip


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """All cards are dealt, one at a time; seat 0 flips first."""
    table.deal(table.lot(pack(settings.packs)), to="stack", first=0)
    return settle(table, settings)


def in_play(facts: Facts) -> list[Seat]:
    """The seats that are not out; one without cards is not out yet."""
    return [seat for seat, gone in enumerate(facts.out_at) if gone is None]


def is_open(look: Look[Facts]) -> bool:
    """Whether the top card may be slapped: it is there, and not all have passed on it."""
    facts = look.facts
    return look.count("pile") > 0 and not set(in_play(facts)) <= set(facts.passed)


def slappers(look: Look[Facts]) -> list[Seat]:
    """The seats that may slap the top card."""
    facts = look.facts
    if not look.count("pile"):
        return []
    return [seat for seat in in_play(facts) if seat not in facts.slapped and seat not in facts.passed]


def not_the_flipper(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Only one seat may flip."""
    flipper = look.facts.flipper
    return None if seat == flipper else ("NOT_THE_FLIPPER", f"it is for seat {flipper} to flip")


@verb(unless=not_the_flipper)
def flip(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Turns the next card of the stack onto the pile; a good card that it covers is lost to those waiting for it."""
    facts = table.facts
    covered, lost = table.top("pile"), facts.flips if facts.good and is_open(table) else 0
    card = table.draw("stack", to="pile", seat=seat)
    facts.flips += 1
    facts.last = facts.flipped_by = seat
    pair = settings.slap_on == "jacks_pairs" and covered is not None and covered.rank == card.rank
    facts.good = card.rank == "J" or pair
    facts.slapped = facts.passed = ()
    note_empty(table, seat)
    lose(table, settings, lost)
    return settle(table, settings)


def flips_open(look: Look[Facts], settings: Settings, seat: Seat) -> tuple[int, ...]:
    """The number of the flip that this seat may slap, if there is one: the latest."""
    return (look.facts.flips,) if seat in slappers(look) else ()


def why_no_slap(look: Look[Facts], settings: Settings, seat: Seat, number: int) -> Refusal:
    """Why a slap on the flip with this number is refused; it costs nothing."""
    flips = look.facts.flips
    if not 0 < number <= flips:
        return Refusal("NO_SUCH_FLIP", f"there has been no flip {number}: the latest is {flips}")
    if number < flips or not is_open(look):
        return Refusal("TOO_LATE", f"flip {number} is gone: slap the card that lies on top")
    return Refusal("SLAPPED_ALREADY", "you have slapped this card already: wait for the next")


def slap(
    table: Table[Facts], settings: Settings, seat: Seat, number: Annotated[int, Among(flips_open, why_no_slap)]
) -> Turn:
    """Slaps the card of this flip: a good one wins the pile, another costs what the table has agreed on."""
    facts = table.facts
    if facts.good:
        table.sweep("pile", to="stack", to_seat=seat)
        if settings.collect == "shuffle":
            table.shuffle("stack", seat)
        facts.piles = add_to(facts.piles, seat)
        facts.good = False
        lose(table, settings, number)
    else:
        facts.slapped += (seat,)
        if not table.count("stack", seat):
            put_out(facts, seat)
        elif settings.penalty == "flipper":
            table.draw("stack", to="stack", seat=seat, to_seat=paid(table, seat))
        elif settings.penalty == "pile":
            table.draw("stack", to="pile", seat=seat, put=Put.FIRST)
        note_empty(table, seat)
    return settle(table, settings)


def paid(look: Look[Facts], seat: Seat) -> Seat:
    """Who gets the card for a wrong slap: whoever flipped, else the nearest seat after the slapper that is in."""
    playing, last = in_play(look.facts), look.facts.last
    return last if last is not None and last != seat and last in playing else look.after(seat, among=playing)


@verb(free=True)
def pass_(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Lets a good card lie that the flipping waits for; when all have, it is lost."""
    facts = table.facts
    facts.passed += (seat,)
    if not is_open(table):
        lose(table, settings, facts.flips)
    return settle(table, settings)


def note_empty(table: Table[Facts], seat: Seat) -> None:
    """Remembers the flip at which a stack ran out."""
    facts = table.facts
    if not table.count("stack", seat):
        facts.ran_out = (*facts.ran_out[:seat], facts.flips, *facts.ran_out[seat + 1 :])


def lose(table: Table[Facts], settings: Settings, number: int) -> None:
    """The good card of this flip is gone: seats without cards that had run out before it are out."""
    if settings.slap_in == "once":
        for seat in in_play(table.facts):
            if not table.count("stack", seat) and table.facts.ran_out[seat] < number:
                put_out(table.facts, seat)


def put_out(facts: Facts, seat: Seat) -> None:
    """A seat is out from this flip on."""
    facts.out_at = (*facts.out_at[:seat], facts.flips, *facts.out_at[seat + 1 :])


def settle(table: Table[Facts], settings: Settings) -> Turn:
    """What follows every action: somebody may have won, nobody may be able to flip, or a jack may have to wait."""
    facts = table.facts
    playing = in_play(facts)
    if len(playing) == 1:
        table.sweep("pile", to="stack", to_seat=playing[0])
    if not table.count("pile"):
        facts.last, facts.slapped, facts.passed, facts.good = None, (), (), False
    facts.score = table.counts("stack")
    flipper = next_flipper(table, settings, playing)
    waiting = facts.good and is_open(table) and (flipper is None or not settings.cover)
    facts.flipper = None if waiting else flipper
    if len(playing) == 1 or 52 * settings.packs in facts.score or (flipper is None and not waiting):
        facts.flipper = None
        return OVER
    if facts.flipper is None:
        return turn("slap", *slappers(table))
    return turn("play", facts.flipper, may=[seat for seat in slappers(table) if seat != facts.flipper])


def next_flipper(look: Look[Facts], settings: Settings, playing: list[Seat]) -> Seat | None:
    """The nearest seat with cards after the one that flipped last; slaps never change the order."""
    holders = [seat for seat in playing if look.facts.score[seat]]
    if not holders or look.facts.flips == settings.flip_limit:
        return None
    return look.after(look.facts.flipped_by, among=holders)


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """One hand is the match; cards left in the pile count for nobody."""
    facts = table.facts
    return LastHand(facts.flips, facts.out_at, facts.score, facts.piles)


def place(look: Look[Facts], settings: Settings) -> tuple[int, ...]:
    """Those in by their cards, most first; behind them those out, the later the better."""
    out_at = look.facts.out_at
    return most_first([(1, look.count("stack", s)) if out_at[s] is None else (0, out_at[s]) for s in look.seats])


GAME = Game(
    key="slapjack",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"play": (flip, slap), "slap": (slap, pass_)},
    end_hand=end_hand,
    place=place,
    timeouts={"play": "flip", "slap": "pass"},
    turn_seconds=10,
    trials=(
        {"players": 2, "flip_limit": 200},
        {"players": 3, "flip_limit": 150, "penalty": "pile", "collect": "under"},
        {"players": 4, "flip_limit": 150, "cover": False},
        {"players": 5, "flip_limit": 150, "slap_on": "jacks_pairs", "slap_in": "always"},
        {"players": 6, "flip_limit": 150, "penalty": "none", "cover": False, "collect": "under"},
        {"players": 7, "flip_limit": 150, "packs": 2, "slap_on": "jacks_pairs", "penalty": "pile"},
        {"players": 8, "flip_limit": 150, "slap_in": "always", "cover": False, "slap_on": "jacks_pairs"},
        {"players": 2, "flip_limit": 30, "slap_in": "always"},
    ),
)
