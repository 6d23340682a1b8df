"""Gulam Chor, the jack thief: pairs are thrown, cards are taken blind from a neighbour, and the odd card makes a thief.

Source: "How to play Gulam Chor" (seed 000), with the list of games (seed 001) for the number of seats; Old Maid and
Vieux garçon for the variants. Two to eight seats play: the sources give 2–6, 3–8 and 2–8, and the rules work for all.
"""

from typing import Annotated, Literal

from chautari import engine
from chautari.cards import JOKER, Card, CardText, Rank, pack
from chautari.engine import OVER, Among, BySeat, Game, Look, Range, Record, Seat, Sees, Table, Turn, Zone, turn
from chautari.kit.dealing import rounds_are_over
from chautari.kit.placing import fewest_first
from chautari.kit.totals import add_to


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Annotated[int, Range(2, 8)] = 4
    rounds: Annotated[int, Range(1, 50)] = 5
    odd_card: Literal["named", "unseen", "joker"] = "named"
    rank: Rank = "J"
    take_from: Literal["next", "previous"] = "next"
    pairing: Literal["rank", "colour"] = "rank"
    packs: Literal[1, 2] = 1


class LastHand(Record, frozen=True):
    """The record of a hand: who was the chor, with which card, and the card that was set aside."""

    hand_no: int
    chor: Seat
    card: CardText
    aside: CardText | None


class Facts(engine.Facts):
    """What the table knows."""

    dealer: Seat = 0
    hand_no: int = 0
    odd: Rank | Literal["XX"] | None = None
    from_: Seat | None = None
    out: tuple[Seat, ...] = ()
    score: BySeat[int] = ()
    last_hand: LastHand | None = None


ZONES = (
    Zone("hand", Sees.OWNER, per_seat=True, at_end=Sees.ALL),
    Zone("aside", Sees.NONE, at_end=Sees.ALL),
    Zone("pile", Sees.ALL, ordered=True),
)


def opening(settings: Settings) -> Facts:
    """Nobody has been the chor yet."""
    return Facts(score=(0,) * settings.players)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """One card is set aside, the rest is dealt from the starter on, and every pair is thrown."""
    facts = table.facts
    facts.hand_no += 1
    starter = (facts.hand_no - 1) % settings.players
    facts.dealer = table.before(starter)
    facts.out = ()
    facts.odd = {"named": settings.rank, "joker": JOKER.text, "unseen": None}[settings.odd_card]  # type: ignore[assignment]

    cards = list(table.lot(pack(settings.packs, jokers=settings.odd_card == "joker")))
    if settings.odd_card != "joker":
        named = settings.odd_card == "named"
        aside = next(card for card in cards if not named or card.rank == settings.rank)
        cards.remove(aside)
        table.bring((aside,), "aside")
    table.deal(cards, to="hand", first=starter)

    for seat in table.round_from(starter):
        thrown = pairs(table.cards("hand", seat), settings)
        if thrown:
            table.move(thrown, "hand", "pile", seat)
    facts.out = tuple(seat for seat in table.round_from(starter) if not table.count("hand", seat))
    return pass_turn(table, settings, starter)


def pairs(hand: tuple[Card, ...], settings: Settings) -> list[Card]:
    """The pairs of a hand, in the order in which they are thrown: by rank, with `colour` black before red."""
    by_colour = settings.pairing == "colour"
    single: dict[int, Card] = {}
    found: list[tuple[int, Card, Card]] = []
    for card in sorted(hand):
        kind = 2 * card.low + (by_colour and card.red)
        mate = single.pop(kind, None)
        if mate is None:
            single[kind] = card
        else:
            found.append((kind, mate, card))
    return [card for _, *pair in sorted(found) for card in pair]


def is_pair(one: Card, other: Card, settings: Settings) -> bool:
    """Whether two cards pair; a joker pairs with nothing."""
    return one.rank == other.rank and one != JOKER and (settings.pairing == "rank" or one.red == other.red)


def places(look: Look[Facts], settings: Settings, seat: Seat) -> range:
    """The places in the fan that is held out, from 1 on."""
    assert look.facts.from_ is not None
    return range(1, look.count("hand", look.facts.from_) + 1)


def take(
    table: Table[Facts], settings: Settings, seat: Seat,
    place: Annotated[int, Among(places, "NO_SUCH_PLACE", "take a place from 1 to the number of cards held out")] = 1,
) -> Turn:  # fmt: skip
    """Takes the card at that place of the fan, which was shuffled first, and throws the pair that it makes."""
    facts = table.facts
    giver = facts.from_
    assert giver is not None
    table.shuffle("hand", giver)
    card = table.cards("hand", giver)[place - 1]
    mate = next((held for held in table.cards("hand", seat) if is_pair(held, card, settings)), None)
    table.move((card,), "hand", "hand", giver, to_seat=seat)
    if mate is not None:
        table.move((mate, card), "hand", "pile", seat)
    for emptied in (giver, seat):
        if not table.count("hand", emptied):
            facts.out += (emptied,)
    return pass_turn(table, settings, giver if settings.take_from == "next" else table.after(seat))


def pass_turn(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """The turn goes to this seat, or to the nearest after it with cards; a hand with one holder is over."""
    holders = table.holders("hand")
    if len(holders) == 1:
        return OVER
    taker = table.nearest(seat, among=holders)
    neighbour = table.after if settings.take_from == "next" else table.before
    table.facts.from_ = neighbour(taker, among=holders)
    return turn("take", taker)


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """The last seat with a card is the chor."""
    facts = table.facts
    (chor,) = table.holders("hand")
    aside = table.top("aside")
    facts.score = add_to(facts.score, chor)
    facts.last_hand = LastHand(facts.hand_no, chor, table.cards("hand", chor)[0].text, aside.text if aside else None)
    return facts.last_hand


def at_end(table: Table[Facts], settings: Settings) -> None:
    """Nobody takes from anybody any more."""
    table.facts.from_ = None


def place(look: Look[Facts], settings: Settings) -> tuple[int, ...]:
    """Whoever was the chor least often is first."""
    return fewest_first(look.facts.score)


GAME = Game(
    key="gulam_chor",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"take": (take,)},
    end_hand=end_hand,
    match_is_over=rounds_are_over,
    at_end=at_end,
    place=place,
    timeouts={"take": "take"},
    turn_seconds=30,
    trials=(
        {"players": 2, "rounds": 2},
        {"players": 3, "rounds": 1, "odd_card": "unseen"},
        {"players": 4, "rounds": 2, "take_from": "previous"},
        {"players": 5, "rounds": 1, "pairing": "colour"},
        {"players": 6, "rounds": 1, "odd_card": "joker"},
        {"players": 7, "rounds": 1, "packs": 2, "rank": "Q"},
        {"players": 8, "rounds": 1, "packs": 2, "odd_card": "unseen", "pairing": "colour"},
    ),
)
