"""Last Card: cards match the top of the pile in suit or rank, some have powers, and who is left with one must say so.

Source: the list of games (seed 001) for the idea and the seats; encyclopedia pages on Last Card for powers, stacking
and the missed call; Crazy Eights for drawing and the points of cards left. A missed call is caught by players, never by
the rules, until the next seat moves. Limits on turns and on empty draws are ours, so that each hand ends.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Annotated, Any, Final, Literal

from chautari import engine
from chautari.cards import JOKER, SUITS, Card, CardText, Rank, Suit, card, find_card, pack
from chautari.engine import (
    OVER,
    SECRET,
    BySeat,
    Game,
    Held,
    Look,
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
from chautari.errors import Malformed, Refusal
from chautari.kit.dealing import next_deals, rounds_are_over
from chautari.kit.piles import renew_deck
from chautari.kit.placing import fewest_first, most_first

MOST_TURNS: Final = 400
POWERS: Final[dict[Rank, str]] = {"2": "two", "5": "five", "T": "ten", "J": "jack", "7": "seven"}
"""The setting that puts the power of a rank in force; the ace always has its own."""
PLAYS: Final = [[f"play {card} {suit}" for suit in SUITS] if card.rank == "A" else [f"play {card}"] for card in pack()]
"""By card, the plays of it alone: an ace with each suit."""


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Annotated[int, Range(2, 6)] = 4
    cards: Literal[5, 6, 7, 8] = 7
    packs: Literal[1, 2] = 1
    rounds: Annotated[int, Range(1, 20)] = 1
    scoring: Literal["points", "wins"] = "points"
    two: bool = True
    five: bool = True
    ten: bool = True
    jack: bool = True
    seven: bool = False
    stack: Literal["none", "same", "any"] = "same"
    draw: Literal["one", "one_play", "until"] = "one"
    may_draw: Literal["free", "unable"] = "free"
    multi: bool = False
    power_finish: bool = True
    call_penalty: Literal[0, 1, 2, 5] = 2


class LastHand(Record, frozen=True):
    """The record of a hand: its winner, null where it was blocked; by seat points and cards left; the turns."""

    winner: Seat | None
    points: BySeat[int]
    cards: BySeat[int]
    turns: int


def of_to_move(look: Look["Facts"]) -> int:
    """A card just drawn is known to its seat alone; that there is none, to all."""
    facts = look.facts
    return engine.ALL if facts.drawn is None or facts.to_move is None else engine.only(facts.to_move)


class Facts(engine.Facts):
    """What the table knows."""

    dealer: Seat = 0
    hand_no: int = 0
    suit: Suit = "C"
    way: Literal[1, -1] = 1
    pending: int = 0
    to_move: Seat | None = None
    uncalled: Seat | None = None
    drawn: Annotated[CardText | None, engine.Private(of_to_move, "??")] = None
    winners: tuple[Seat | None, ...] = ()
    score: BySeat[int] = ()
    turns: Annotated[int, SECRET] = 0
    empty_draws: Annotated[int, SECRET] = 0


ZONES = (
    Zone("deck", Sees.NONE, ordered=True),
    Zone("hand", Sees.OWNER, per_seat=True),
    Zone("pile", Sees.ALL, ordered=True),
)


def check(settings: Settings) -> None:
    """Enough cards must be left to draw from."""
    if settings.players * settings.cards > 45 * settings.packs:
        raise engine.bad_setting("cards", f"players × cards may be at most {45 * settings.packs}: deal fewer cards")


def opening(settings: Settings) -> Facts:
    """The last seat deals first."""
    return Facts(dealer=settings.players - 1, score=(0,) * settings.players)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """Hands one card at a time from the dealer's neighbour on; the next card begins the pile, and has no power."""
    facts = table.facts
    facts.hand_no += 1
    facts.way, facts.pending, facts.turns, facts.empty_draws = 1, 0, 0, 0
    facts.to_move = table.after(facts.dealer)
    table.shuffle("deck", fresh=pack(settings.packs))
    table.deal("deck", to="hand", first=facts.to_move, each=settings.cards)
    facts.suit = table.draw("deck", to="pile").suit
    return go_on(table)


def go_on(table: Table[Facts]) -> Turn:
    """The seat to move is in turn; while somebody can be caught, the others may act too."""
    to_move = table.facts.to_move
    assert to_move is not None
    if table.facts.uncalled is None:
        return turn("play", to_move)
    return turn("play", to_move, may=[seat for seat in table.seats if seat != to_move])


# Playing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def has_power(rank: Rank, settings: Settings) -> bool:
    """Whether the rank has a power that is in force."""
    return rank == "A" or (rank in POWERS and getattr(settings, POWERS[rank]))


@cache
def that_fit(suit: Suit, rank: Rank) -> frozenset[Card]:
    """The cards that fit on a card of this suit and rank: an ace, the suit or the rank."""
    return frozenset(card for card in pack() if card.suit == suit or card.rank in (rank, "A"))


def fitting(look: Look[Facts], settings: Settings, cards: Iterable[Card]) -> Collection[Card]:
    """Those of the cards that fit, each once; where a pick-up is due, what may be stacked on it."""
    facts, top = look.facts, look.cards("pile")[-1]
    if facts.pending:
        ranks = {"none": (), "same": (top.rank,), "any": ("2", "5")}[settings.stack]
        return {card for card in cards if card.rank in ranks and has_power(card.rank, settings)}
    return that_fit(facts.suit, top.rank).intersection(cards)


def playable(look: Look[Facts], settings: Settings, seat: Seat) -> list[Card]:
    """The single cards that the seat may play, in the card order; a call that it owes does not count."""
    if look.facts.drawn is not None:
        return [card(look.facts.drawn)]
    hand = look.cards("hand", seat)
    cards = sorted(fitting(look, settings, hand))
    return [card for card in cards if may_finish(card, settings)] if len(hand) == 1 else cards


def may_finish(card: Card, settings: Settings) -> bool:
    """Whether the card may be played as the last of a hand."""
    return settings.power_finish or not has_power(card.rank, settings)


def list_plays(look: Look[Facts], settings: Settings, seat: Seat) -> list[str]:
    """The plays of a single card: aces last, with each suit; the last card but one with the call and without."""
    hand, cards = look.count("hand", seat), playable(look, settings, seat)
    if hand == 1 and look.facts.uncalled == seat:
        return []
    lines = [PLAYS[card][0] for card in cards if card.rank != "A"]
    if len(lines) < len(cards):
        lines += [line for card in cards if card.rank == "A" for line in PLAYS[card]]
    return [line + call for line in lines for call in ("", " last")] if hand == 2 and settings.call_penalty else lines


def describe_plays(look: Look[Facts], settings: Settings, seat: Seat) -> list[engine.Option]:
    """Single cards, aces apart; with `multi` also each rank of which several may go at once."""
    lines = list_plays(look, settings, seat)
    options = []
    for aces in (False, True):
        actions = tuple(line for line in lines if (line[5] == "A") == aces)
        if actions:
            cards = tuple(card for card in playable(look, settings, seat) if (card.rank == "A") == aces)
            options.append(described(cards, 1, 1, aces, actions[-1].endswith("last"), actions))
    if settings.multi:
        hand = sorted(look.cards("hand", seat))
        for rank in dict.fromkeys(card.rank for card in playable(look, settings, seat)):
            same = tuple(card for card in hand if card.rank == rank)
            if len(same) > 1:
                options.append(described(same, 2, len(same), rank == "A", settings.call_penalty > 0, None))
    return options


def described(
    cards: tuple[Card, ...], least: int, most: int, aces: bool, calls: bool, actions: tuple[str, ...] | None
) -> engine.Option:  # fmt: skip
    """An option to play so many of these cards."""
    choices = [engine.Choice("cards", "cards", False, None, least, most, cards)]
    choices += [engine.Choice("suit", "suit", False, SUITS)] * aces
    choices += [engine.Choice("last", "word", True, ("last",))] * calls
    return engine.Option("play", tuple(choices), actions, actions[0] if actions else "")


def read_play(look: Look[Facts], settings: Settings, seat: Seat, words: Sequence[str]) -> list[Any]:
    """Cards, then a suit exactly if the first is an ace, then perhaps the call."""
    rest, cards = list(words), []
    while rest and (found := find_card(rest[0])) is not None and found != JOKER:
        cards.append(found)
        del rest[0]
    suit = rest.pop(0) if rest and rest[0] in SUITS else None
    last = rest.pop(0) if rest == ["last"] and settings.call_penalty else None
    if not cards or rest or (cards[0].rank == "A") != (suit is not None):
        says = "write it as: play CARD… [SUIT] [last], the suit exactly where the first card is an ace"
        raise Malformed("MALFORMED_ACTION", says, field="action", verb="play")
    return [tuple(cards), suit, last]


def not_to_move(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """While somebody can be caught others are in turn, but only one seat moves."""
    to_move = look.facts.to_move
    return None if seat == to_move else ("NOT_TO_MOVE", f"it is for seat {to_move} to play or draw")


def why_no_play(
    look: Look[Facts], settings: Settings, seat: Seat, cards: tuple[Card, ...], last: str | None
) -> Refusal | None:  # fmt: skip
    """Why the seat to move may not play these cards of its hand, if it may not."""
    facts, left = look.facts, look.count("hand", seat) - len(cards)
    if facts.drawn is not None and cards[0].text != facts.drawn:
        return Refusal("DRAWN_CARD_ONLY", f"play the card just drawn, {facts.drawn}, or keep it")
    if not fitting(look, settings, cards[:1]):
        wanted = "only a pick-up" if facts.pending else f"the suit {facts.suit}, the rank of the top card or an ace"
        return Refusal("DOES_NOT_FIT", f"{cards[0]} does not fit: {wanted} does; or draw")
    if len(cards) > 1:
        if not settings.multi:
            return Refusal("ONE_CARD", "one card is played at a time here")
        if any(card.rank != cards[0].rank for card in cards):
            return Refusal("ONE_RANK", "cards played together must be of one rank")
    if not left and not may_finish(cards[0], settings):
        return Refusal("NO_POWER_FINISH", "the last card may not be a power card: draw")
    if not left and facts.uncalled == seat:
        return Refusal("CALL_FIRST", "you have not called your last card: call before you play it")
    if last is not None and left != 1:
        return Refusal("NOT_THE_LAST", "the call goes with a play that leaves exactly one card")
    return None


@verb(
    reads=read_play, unless=not_to_move, lists=list_plays, describes=describe_plays,
    tells="end of hand: the cards left in the hands are counted",
)  # fmt: skip
def play(
    table: Table[Facts], settings: Settings, seat: Seat, cards: Annotated[tuple[Card, ...], Held("hand")],
    suit: Suit | None, last: Literal["last"] | None,
) -> Turn:  # fmt: skip
    """Plays a card, or with `multi` several of one rank, and uses their power; `last` calls the card that is left."""
    facts = table.facts
    refusal = why_no_play(table, settings, seat, cards, last)
    if refusal is not None:
        raise refusal
    table.move(cards, "hand", "pile", seat)
    facts.suit, facts.uncalled, facts.drawn = suit or cards[-1].suit, None, None
    facts.turns, facts.empty_draws = facts.turns + 1, 0
    step = use_power(facts, settings, cards[0].rank, len(cards)) if has_power(cards[0].rank, settings) else 1
    left = table.count("hand", seat)
    if not left:
        return OVER
    if left == 1 and last is None and settings.call_penalty:
        facts.uncalled = seat
    return pass_move(table, seat, step)


def use_power(facts: Facts, settings: Settings, rank: Rank, count: int) -> int:
    """What `count` cards of a power rank do; returns how many seats the move goes on, 0 for another move."""
    if rank in ("2", "5"):
        facts.pending += int(rank) * count
    elif rank == "T":
        return 1 + count
    elif rank == "J":
        return 0
    elif rank == "7" and count % 2:
        if settings.players == 2:
            return 0
        facts.way = -facts.way
    return 1


def pass_move(table: Table[Facts], seat: Seat, step: int = 1) -> Turn:
    """The seat so many places on is to move; a hand that has taken too many turns is blocked."""
    facts = table.facts
    if facts.turns >= MOST_TURNS:
        return OVER
    facts.to_move = (seat + facts.way * step) % table.players
    return go_on(table)


# Drawing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def can_be_drawn(look: Look[Facts]) -> bool:
    """Whether a card can be taken: from the deck, or from under the top card of the pile."""
    return look.count("deck") > 0 or look.count("pile") > 1


def take_card(table: Table[Facts], seat: Seat) -> Card | None:
    """The next card of the deck, which is made anew from the pile where it is empty; None where there is none."""
    if not can_be_drawn(table):
        return None
    if not table.count("deck"):
        renew_deck(table, keep=1)
    return table.draw("deck", to="hand", seat=seat)


def why_no_draw(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Why the seat may not draw, if it may not; a pick-up that is due may always be taken."""
    refusal = not_to_move(look, settings, seat)
    if refusal is not None or look.facts.pending or (settings.may_draw == "free" and can_be_drawn(look)):
        return refusal
    return ("CAN_PLAY", "you can play a card: play it") if playable(look, settings, seat) else None


@verb(unless=why_no_draw, tells="drawing: who must not draw if able has no card that fits; a card drawn fits or not")
def draw(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Takes the cards that are due, or one, or with `until` as many as it takes until one fits."""
    facts = table.facts
    facts.uncalled = None
    facts.turns += 1
    drawn = taken = None
    if facts.pending:
        take_pending(table, seat)
        facts.empty_draws = 0
        return pass_move(table, seat)
    while (taken := take_card(table, seat)) is not None:
        drawn = taken
        if settings.draw != "until" or fitting(table, settings, (drawn,)):
            break
    facts.empty_draws = facts.empty_draws + 1 if drawn is None else 0
    if facts.empty_draws == table.players:
        return OVER
    if taken is not None and settings.draw != "one" and fitting(table, settings, (taken,)):
        facts.drawn = taken.text
        return turn("drawn", seat)
    return pass_move(table, seat)


def take_pending(table: Table[Facts], seat: Seat) -> None:
    """The seat picks up all cards that are due, as far as there are any."""
    for _ in range(table.facts.pending):
        take_card(table, seat)
    table.facts.pending = 0


def why_no_keep(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Who has drawn until a card fits may not keep it."""
    return ("PLAY_IT", "you have drawn until a card fits: play it") if settings.draw == "until" else None


@verb(unless=why_no_keep)
def keep(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Keeps the card just drawn."""
    table.facts.drawn = None
    return pass_move(table, seat)


# Calling ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def why_no_call(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Only the seat that has not called may call."""
    return None if look.facts.uncalled == seat else ("NOTHING_TO_CALL", "you owe no call now")


@verb(exists=lambda settings: settings.call_penalty > 0, unless=why_no_call)
def call(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Calls the last card, late but before anybody has noticed."""
    table.facts.uncalled = None
    return go_on(table)


def why_no_catch(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Only another seat may be caught, and only before it calls or the next seat moves."""
    uncalled = look.facts.uncalled
    return ("NOBODY_TO_CATCH", "nobody else has missed a call now") if uncalled in (None, seat) else None


@verb(exists=lambda settings: settings.call_penalty > 0, unless=why_no_catch)
def catch(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Catches the seat that has not called: it draws the penalty."""
    facts = table.facts
    assert facts.uncalled is not None
    for _ in range(settings.call_penalty):
        take_card(table, facts.uncalled)
    facts.uncalled = None
    return go_on(table)


# The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def points(cards: Sequence[Card], settings: Settings) -> int:
    """20 for each card of a power rank in force, else 10 for T J Q K and the number for the others."""
    return sum(20 if has_power(card.rank, settings) else min(card.low, 10) for card in cards)


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """A pick-up played last is taken first; then the hands count, or the win. A blocked hand has no winner."""
    facts = table.facts
    winner = next((seat for seat in table.seats if not table.count("hand", seat)), None)
    if winner is not None:
        take_pending(table, (winner + facts.way) % table.players)
    facts.pending, facts.to_move, facts.uncalled, facts.drawn = 0, None, None, None
    if settings.scoring == "points":
        counted = tuple(points(table.cards("hand", seat), settings) for seat in table.seats)
    else:
        counted = tuple(int(seat == winner) for seat in table.seats)
    facts.winners += (winner,)
    facts.score = tuple(before + more for before, more in zip(facts.score, counted, strict=True))
    return LastHand(winner, counted, table.counts("hand"), facts.turns)


def place(look: Look[Facts], settings: Settings) -> tuple[int, ...]:
    """The fewest points are best, or the most wins."""
    return (most_first if settings.scoring == "wins" else fewest_first)(look.facts.score)


def timed_out_move(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """Draws where it may; else plays its first card, after the call that it owes."""
    if why_no_draw(look, settings, seat) is None:
        return "draw"
    return "call" if look.facts.uncalled == seat else play_first(look, settings, seat)


def timed_out_drawn(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """Keeps the card where it may."""
    return play_first(look, settings, seat) if settings.draw == "until" else "keep"


def play_first(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """Plays the first card in the card order that it may, an ace with its own suit, with the call if it is due."""
    first = min(playable(look, settings, seat))
    suit = f" {first.suit}" if first.rank == "A" else ""
    last = " last" if look.count("hand", seat) == 2 and settings.call_penalty else ""
    return f"play {first}{suit}{last}"


def random_play(look: Look[Facts], settings: Settings, seat: Seat, random: engine.Random) -> str | None:
    """Several cards of one rank, where that is played, with the call or without; None where there are not."""
    cards = playable(look, settings, seat) if settings.multi else []
    if not cards:
        return None
    first, hand = random.choice(cards), list(look.cards("hand", seat))
    hand.remove(first)
    more = [card for card in hand if card.rank == first.rank][: 1 + int(random.random() * 3)]
    left = len(hand) - len(more)
    if not more or (not left and not may_finish(first, settings)):
        return None
    suit = [random.choice(SUITS)] * (first.rank == "A")
    last = ["last"] * (left == 1 and settings.call_penalty > 0 and random.random() < 0.5)
    return " ".join(["play", *map(str, (first, *more)), *suit, *last])


GAME = Game(
    key="last_card",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"play": (play, draw, call, catch), "drawn": (play, keep)},
    end_hand=end_hand,
    match_is_over=rounds_are_over,
    pass_deal=next_deals,
    place=place,
    timeouts={"play": timed_out_move, "drawn": timed_out_drawn},
    timeouts_go_on_after=("call",),
    samplers={"play": random_play},
    check=check,
    turn_seconds=30,
    trials=(
        {"players": 2, "rounds": 2, "draw": "one_play", "seven": True},
        {"players": 3, "cards": 5, "multi": True, "draw": "until"},
        {"players": 4, "stack": "any", "may_draw": "unable"},
        {"players": 5, "cards": 5, "rounds": 2, "scoring": "wins", "stack": "none", "power_finish": False},
        {"players": 6, "packs": 2, "cards": 8, "multi": True, "call_penalty": 5, "seven": True},
        {"players": 3, "cards": 6, "call_penalty": 0, "two": False, "five": False, "ten": False, "jack": False},
        {"players": 2, "cards": 8, "packs": 2, "multi": True, "may_draw": "unable", "power_finish": False},
        {"players": 4, "cards": 5, "call_penalty": 1, "draw": "until", "stack": "any", "seven": True},
    ),
)
