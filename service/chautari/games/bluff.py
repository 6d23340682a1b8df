"""Bluff: cards are laid face down with a rank said, true or not; whoever is wrong about a doubt takes the pile.

Source: the list of games (seed 001) for the idea and the seats; public rules of Bluff and of Cheat / I Doubt It. The
South Asian form, in which the rank stays until all pass, is the default; accounts differ on who leads after passing:
here the seat of the last lay.
"""

from typing import Annotated, Literal

from chautari import engine
from chautari.cards import JOKER, RANKS, Card, CardText, Rank, pack, text
from chautari.engine import OVER, SECRET, Among, BySeat, Game, Look, Range, Record, Seat, Sees, Table, Turn, Zone, turn
from chautari.kit.placing import fewest_first
from chautari.kit.totals import add_to


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Annotated[int, Range(2, 6)] = 4
    packs: Literal[1, 2] = 1
    jokers: Annotated[int, Range(0, 4)] = 0
    form: Literal["stay", "up"] = "stay"
    max_cards: Annotated[int, Range(1, 8)] = 4
    challengers: Literal["all", "next"] = "all"
    window: Literal["sealed", "first"] = "sealed"
    play_on: bool = False
    lay_limit: Annotated[int, Range(50, 1000)] = 300


class LastHand(Record, frozen=True):
    """The record: the order of going out; by seat the cards left, the lays, and the challenges that counted."""

    out: tuple[Seat, ...]
    cards: BySeat[int]
    lays: BySeat[int]
    challenges: BySeat[int]


class Facts(engine.Facts):
    """What the table knows, and at the end what the rules keep to themselves."""

    dealer: Seat = 0
    rank: Rank | None = None
    laid_by: Seat | None = None
    count: int = 0
    passes: int = 0
    lays: int = 0
    answered: tuple[Seat, ...] = ()
    challenger: Seat | None = None
    challenged: Seat | None = None
    honest: bool | None = None
    revealed: tuple[CardText, ...] = ()
    out: tuple[Seat, ...] = ()
    score: BySeat[int] = ()
    doubting: Annotated[tuple[Seat, ...], SECRET] = ()
    lays_of: Annotated[BySeat[int], SECRET] = ()
    challenges_of: Annotated[BySeat[int], SECRET] = ()


ZONES = (
    Zone("hand", Sees.OWNER, per_seat=True),
    Zone("laid", Sees.OWNER, per_seat=True, ordered=True, kind=engine.Kind.ASIDE),
    Zone("pile", Sees.NONE, ordered=True),
    Zone("dead", Sees.NONE, ordered=True, kind=engine.Kind.ASIDE),
)


def opening(settings: Settings) -> Facts:
    """The last seat deals."""
    nothing = (0,) * settings.players
    return Facts(dealer=settings.players - 1, score=nothing, lays_of=nothing, challenges_of=nothing)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """All cards are dealt, one at a time; seat 0 leads."""
    facts = table.facts
    table.deal(table.lot(pack(settings.packs, settings.jokers)), to="hand", first=0)
    facts.rank = "A" if settings.form == "up" else None
    facts.score = table.counts("hand")
    return turn("play", 0)


def in_play(look: Look[Facts]) -> list[Seat]:
    """The seats that are not out."""
    return [seat for seat in look.seats if seat not in look.facts.out]


def ranks(look: Look[Facts], settings: Settings, seat: Seat) -> tuple[Rank, ...]:
    """The ranks that may be said: any by a leader, else the one that stands."""
    return RANKS if look.facts.rank is None else (look.facts.rank,)


def lay(
    table: Table[Facts], settings: Settings, seat: Seat,
    rank: Annotated[Rank, Among(ranks, "RANK_IS_FIXED", "the rank is fixed: say the rank that stands")],
    cards: Annotated[tuple[Card, ...], engine.Held("hand"), engine.Several(1, "max_cards")],
) -> Turn:  # fmt: skip
    """Lays cards face down and says that they are of this rank; the number is always true."""
    facts = table.facts
    table.move(cards, "hand", "laid", seat)
    facts.rank, facts.laid_by, facts.count, facts.passes = rank, seat, len(cards), 0
    facts.lays += 1
    facts.lays_of = add_to(facts.lays_of, seat)
    facts.challenger = facts.challenged = facts.honest = None
    facts.revealed = facts.answered = facts.doubting = ()
    facts.score = table.counts("hand")
    others = [other for other in in_play(table) if other != seat]
    return turn("answer", *(others if settings.challengers == "all" else [table.after(seat, among=others)]))


def must_lay(look: Look[Facts], settings: Settings, seat: Seat) -> engine.Rule | None:
    """Nobody passes where the rank goes up, and no leader does."""
    if settings.form == "up":
        return "NO_PASSING", "nobody may pass where the rank goes up: lay a card"
    if look.facts.rank is None:
        return "LEADER_LAYS", "the leader may not pass: lay a card and say a rank"
    return None


@engine.verb(unless=must_lay)
def pass_(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Lays nothing in this turn; when all others have passed since the last lay, the round ends."""
    facts = table.facts
    playing = in_play(table)
    facts.passes += 1
    if facts.passes < len([other for other in playing if other != facts.laid_by]):
        return turn("play", table.after(seat, among=playing))
    assert facts.laid_by is not None
    table.sweep("pile", "dead")
    facts.rank, facts.passes = None, 0
    return turn("play", table.nearest(facts.laid_by, among=playing))


def is_sealed(settings: Settings) -> bool:
    """Whether answers are secret until the window closes."""
    return settings.window == "sealed"


@engine.verb(sealed=is_sealed, free=True)
def challenge(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Doubts the lay."""
    table.facts.doubting += (seat,)
    return answer(table, settings, seat)


@engine.verb(sealed=is_sealed, free=True)
def accept(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Lets the lay pass."""
    return answer(table, settings, seat)


def answer(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """The window closes when every seat asked has answered; with `first`, at the first challenge."""
    facts = table.facts
    facts.answered = tuple(sorted((*facts.answered, seat)))
    waiting = table.still_in_turn(seat)
    if waiting is not None and not (facts.doubting and settings.window == "first"):
        return waiting
    return close_window(table, settings)


def close_window(table: Table[Facts], settings: Settings) -> Turn:
    """The laid cards join the pile, a challenge is decided, the layer may be out, and the turn goes on."""
    facts = table.facts
    layer = facts.laid_by
    assert layer is not None
    laid = table.cards("laid", layer)
    table.sweep("laid", "pile", layer)
    if facts.doubting:
        challenger = next(seat for seat in table.round_from(table.after(layer)) if seat in facts.doubting)
        facts.honest = all(card.rank == facts.rank or card == JOKER for card in laid)
        facts.challenger, facts.challenged = challenger, layer
        facts.challenges_of = add_to(facts.challenges_of, challenger)
        facts.revealed = tuple(card.text for card in laid)
        loser = challenger if facts.honest else layer
        table.move(sorted(table.cards("pile")), "pile", "hand", loser)  # mixed: the order would tell who laid what
    facts.answered = facts.doubting = ()
    if not table.count("hand", layer):
        facts.out += (layer,)
    facts.score = table.counts("hand")

    playing = in_play(table)
    leader = table.after(layer, among=playing)
    if settings.form == "up":
        assert facts.rank is not None
        facts.rank = RANKS[(RANKS.index(facts.rank) + 1) % len(RANKS)]
    elif facts.challenger is not None:
        facts.rank = None
        leader = table.nearest(layer if facts.honest else facts.challenger, among=playing)
    if (facts.out and not settings.play_on) or len(playing) == 1 or facts.lays == settings.lay_limit:
        return OVER
    return turn("play", leader)


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """One hand is the match; cards are not counted by value."""
    facts = table.facts
    return LastHand(facts.out, facts.score, facts.lays_of, facts.challenges_of)


def place(look: Look[Facts], settings: Settings) -> tuple[int, ...]:
    """Those that are out in the order in which they went; then by the cards in hand, fewest first."""
    out = look.facts.out
    return fewest_first([(0, out.index(s)) if s in out else (1, look.count("hand", s)) for s in look.seats])


def timed_out(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """Passes where it may; else lays its first card, with `up` the first that is true, if it has one."""
    rank = look.facts.rank
    hand = sorted(look.cards("hand", seat))
    if rank is None:
        return f"lay {'A' if hand[0] == JOKER else hand[0].rank} {hand[0]}"
    if settings.form == "stay":
        return "pass"
    return f"lay {rank} {next((card for card in hand if card.rank == rank or card == JOKER), hand[0])}"


def random_lay(look: Look[Facts], settings: Settings, seat: Seat, random: engine.Random) -> str:
    """One to `max_cards` cards of the hand, under a rank that may be said."""
    hand = list(look.cards("hand", seat))
    most = min(settings.max_cards, len(hand))
    laid = [hand.pop(int(random.random() * len(hand))) for _ in range(1 + int(random.random() * most))]
    return f"lay {random.choice(ranks(look, settings, seat))} {text(laid)}"


GAME = Game(
    key="bluff",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"play": (lay, pass_), "answer": (challenge, accept)},
    end_hand=end_hand,
    place=place,
    timeouts={"play": timed_out, "answer": "accept"},
    samplers={"lay": random_lay},
    jokers=True,
    trials=(
        {"players": 2, "lay_limit": 50, "max_cards": 8},
        {"players": 3, "lay_limit": 50, "window": "first"},
        {"players": 4, "lay_limit": 60, "play_on": True, "jokers": 2},
        {"players": 5, "lay_limit": 50, "form": "up", "packs": 2},
        {"players": 6, "lay_limit": 50, "challengers": "next", "jokers": 4},
        {"players": 3, "lay_limit": 60, "form": "up", "play_on": True, "max_cards": 6},
    ),
)
