"""Dhumbal: throw a card, a set or a run, take a card, and call when your hand adds up to little enough.

Sources: the list of games (seed 001) for throw, pick and call; pagat.com, Yaniv, for sets, runs with jokers and taking
the ends; alankar.com.np and Nepali apps for the values of the courts; Wikipedia, Jhyap, for 25 points, dropping out at
100 and the deck that runs out. Where they differ there is a setting; the number of hands is limited, so a match ends.
"""

from typing import Annotated, Literal

from chautari import engine
from chautari.cards import JOKER, Card, pack
from chautari.engine import (
    OVER,
    SECRET,
    Among,
    BySeat,
    Game,
    Held,
    Kind,
    Look,
    Random,
    Range,
    Record,
    Rule,
    Seat,
    Sees,
    Several,
    Table,
    Turn,
    Zone,
    turn,
    verb,
)
from chautari.errors import Refusal
from chautari.kit.melds import is_of_one_rank, lay_run
from chautari.kit.piles import renew_deck
from chautari.kit.placing import fewest_first
from chautari.kit.records import written


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Annotated[int, Range(2, 6)] = 4
    cards: Literal[5, 7] = 5
    jokers: Literal[0, 2] = 0
    court_values: Literal["rank", "ten"] = "rank"
    ace: Literal["low", "both"] = "low"
    call_limit: Annotated[int, Range(1, 15)] = 5
    tie: Literal["counter", "caller"] = "counter"
    penalty: Annotated[int, Range(0, 100)] = 25
    penalty_adds_hand: bool = True
    beater_zero: bool = False
    pick_from: Literal["ends", "any"] = "ends"
    pick_needs_combo: bool = False
    reshuffles: Annotated[int, Range(0, 10)] = 3
    mode: Literal["knockout", "first"] = "knockout"
    target: Annotated[int, Range(0, 500)] = 100
    fifty: bool = False
    starter: Literal["next", "winner"] = "next"
    hands: Annotated[int, Range(1, 100)] = 50


class LastHand(Record, frozen=True):
    """The record of a hand: who called in it, who won, and by seat the values, points and cards."""

    hand_no: int
    caller: Seat | None
    beaten: bool
    winners: tuple[Seat, ...]
    values: BySeat[int]
    change: BySeat[int]
    hands: BySeat[str]


class Facts(engine.Facts):
    """What the table knows, and who starts the next hand and when each seat went out."""

    dealer: Seat = 0
    hand_no: int = 0
    score: BySeat[int] = ()
    out: BySeat[bool] = ()
    renewals: int = 0
    offer_run: bool = False
    last: LastHand | None = None
    starter: Annotated[Seat, SECRET] = 0
    out_in: Annotated[BySeat[int], SECRET] = ()


ZONES = (
    Zone("deck", Sees.NONE, ordered=True),
    Zone("offer", Sees.ALL, ordered=True, kind=Kind.ROW),
    Zone("thrown", Sees.ALL, ordered=True, kind=Kind.ROW),
    Zone("pile", Sees.ALL, ordered=True),
    Zone("hand", Sees.OWNER, per_seat=True, at_end=Sees.ALL),
)


def opening(settings: Settings) -> Facts:
    """The last seat deals first, and nobody is out."""
    nothing = (0,) * settings.players
    return Facts(dealer=settings.players - 1, score=nothing, out=(False,) * settings.players, out_in=nothing)


def seats_in(look: Look[Facts]) -> list[Seat]:
    """The seats that are not out."""
    out = look.facts.out
    return [seat for seat in look.seats if not out[seat]]


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """The cards are dealt to the seats still in, and the next card is turned up as the first offer."""
    facts = table.facts
    facts.hand_no += 1
    facts.renewals, facts.offer_run = 0, False
    playing = seats_in(table)
    table.shuffle("deck", fresh=pack(jokers=settings.jokers))
    table.deal("deck", to="hand", first=table.after(facts.dealer), each=settings.cards, seats=playing)
    table.draw("deck", to="offer")
    return turn("throw", facts.starter)


def value(card: Card, settings: Settings) -> int:
    """An ace counts 1, a joker nothing, a court card its rank or ten."""
    return min(card.low, 10) if settings.court_values == "ten" else card.low


def hand_value(look: Look[Facts], settings: Settings, seat: Seat) -> int:
    """What a hand adds up to."""
    return sum([value(card, settings) for card in look.cards("hand", seat)])


def is_too_much(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """A hand may be called at the limit, and not above it."""
    held, limit = hand_value(look, settings, seat), settings.call_limit
    if held <= limit:
        return None
    return "HAND_TOO_HIGH", "your hand adds up to {value}: call at {limit} or less", {"value": held, "limit": limit}


@verb(unless=is_too_much)
def call(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Ends the hand: the caller says that nobody holds as little."""
    return OVER


def lay_out(cards: tuple[Card, ...], settings: Settings) -> tuple[Card, ...] | None:
    """A throw as it will lie: a single or a set as it was named, a run in its order; None where it is none of them."""
    return cards if is_of_one_rank(cards) else lay_run(cards, high_ace=settings.ace == "both")


def throw(
    table: Table[Facts], settings: Settings, seat: Seat, cards: Annotated[tuple[Card, ...], Held("hand"), Several(1, 7)]
) -> Turn:
    """Throws a single card, a set of one rank, or a run of one suit in which jokers may stand for missing cards."""
    laid = lay_out(cards, settings)
    if laid is None:
        raise Refusal("NO_COMBINATION", "throw one card, cards of one rank, or three or more of one suit in a row")
    table.move(laid, "hand", "thrown", seat)
    return turn("pick", seat)


def takeable(look: Look[Facts], settings: Settings, seat: Seat) -> list[str | Card]:
    """The deck, and of the offer what may be taken: all cards but those within a run, and none after a lone throw."""
    if settings.pick_needs_combo and look.count("thrown") < 2:
        return ["deck"]
    offer = look.cards("offer")
    if look.facts.offer_run and settings.pick_from == "ends":
        offer = (offer[0], offer[-1])
    return ["deck", *sorted(set(offer))]


def why_not(look: Look[Facts], settings: Settings, seat: Seat, card: Card) -> Refusal:
    """Which rule keeps a card of the offer where it is."""
    if settings.pick_needs_combo and look.count("thrown") < 2:
        return Refusal("NEEDS_COMBINATION", "only after throwing two cards or more may you take a thrown card")
    return Refusal("INSIDE_A_RUN", f"{card} lies inside a run: take one of its ends, or a card of the deck")


def pick(
    table: Table[Facts], settings: Settings, seat: Seat,
    source: Annotated[Literal["deck"] | Card, Held("offer"), Among(takeable, why_not)],
) -> Turn:  # fmt: skip
    """Takes the next card of the deck or a card on offer; the throw of this turn is what the next seat is offered."""
    facts = table.facts
    if isinstance(source, Card):
        first, last = table.cards("offer")[0], table.cards("offer")[-1]
        if source is last and source is not first:
            table.pick("offer", to="hand", seat=seat)  # where a run has two jokers, this is the one at its end
        else:
            table.play(source, "offer", to="hand", seat=seat)
    else:
        table.draw("deck", to="hand", seat=seat)
    table.sweep("offer", to="pile")
    thrown = table.cards("thrown")
    facts.offer_run = len(thrown) > 2 and not is_of_one_rank(thrown)
    table.sweep("thrown", to="offer")
    if not table.count("deck"):
        if facts.renewals == settings.reshuffles:
            return OVER
        facts.renewals += 1
        renew_deck(table)
    return turn("throw", table.after(seat, among=seats_in(table)))


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """The points of the hand, the totals with them, and who is out now."""
    facts = table.facts
    playing = seats_in(table)
    caller = table.acting[0] if table.phase == "throw" else None  # a hand that ends after a pick ends without a call
    values = tuple(hand_value(table, settings, seat) for seat in table.seats)
    winners = winners_of(values, playing, caller, settings)
    beaten = caller is not None and caller not in winners
    change = tuple(points(seat, values, winners, caller, settings) for seat in table.seats)
    facts.score = tuple(total_after(*both, settings) for both in zip(facts.score, change, strict=True))
    if settings.mode == "knockout" and settings.target:
        gone = [seat for seat in playing if facts.score[seat] >= settings.target]
        facts.out = tuple(out or seat in gone for seat, out in enumerate(facts.out))
        facts.out_in = tuple(facts.hand_no if seat in gone else hand for seat, hand in enumerate(facts.out_in))
    hands = tuple(written(table.cards("hand", seat)) for seat in table.seats)
    facts.last = LastHand(facts.hand_no, caller, beaten, winners, values, change, hands)
    return facts.last


def winners_of(
    values: tuple[int, ...], playing: list[Seat], caller: Seat | None, settings: Settings
) -> tuple[Seat, ...]:
    """The caller where nobody has as little; else the lowest of those that beat it; without a call the lowest."""
    rivals = playing
    if caller is not None:
        least = values[caller] if settings.tie == "counter" else values[caller] - 1
        rivals = [seat for seat in playing if seat != caller and values[seat] <= least]
        if not rivals:
            return (caller,)
    lowest = min(values[seat] for seat in rivals)
    return tuple(seat for seat in rivals if values[seat] == lowest)


def points(
    seat: Seat, values: tuple[int, ...], winners: tuple[Seat, ...], caller: Seat | None, settings: Settings
) -> int:
    """What a seat scores: its hand; a caller that stands nothing, one that is beaten the penalty."""
    if seat == caller:
        if seat in winners:
            return 0
        return settings.penalty + values[seat] * settings.penalty_adds_hand
    spared = settings.beater_zero and caller is not None and seat in winners
    return 0 if spared else values[seat]


def total_after(total: int, change: int, settings: Settings) -> int:
    """The new total; with `fifty` one that the hand brought to a multiple of 50 goes down by 50."""
    total += change
    return total - 50 if settings.fifty and change and total % 50 == 0 else total


def match_is_over(look: Look[Facts], settings: Settings) -> bool:
    """After the last hand; when somebody has reached the target, or when at most one seat is left in."""
    if look.facts.hand_no == settings.hands:
        return True
    if settings.mode == "first":
        return 0 < settings.target <= max(look.facts.score)
    return len(seats_in(look)) < 2


def pass_deal(table: Table[Facts], settings: Settings) -> None:
    """The next seat still in deals; the seat after it starts, or the winner met first from the caller or dealer on."""
    facts, last = table.facts, table.facts.last
    assert last is not None
    playing = seats_in(table)
    old = facts.dealer
    facts.dealer = table.after(old, among=playing)
    facts.starter = table.after(facts.dealer, among=playing)
    if settings.starter == "winner":
        asked = table.round_from(old if last.caller is None else last.caller)
        winner = next(seat for seat in asked if seat in last.winners)
        if winner in playing:
            facts.starter = winner


def place(look: Look[Facts], settings: Settings) -> tuple[int, ...]:
    """The lowest score; in a knockout those still in, then those out, the later the better."""
    facts = look.facts
    return fewest_first([(facts.out[seat], -facts.out_in[seat], facts.score[seat]) for seat in look.seats])


def timed_out_throw(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The highest single card, of equals the first of S H D C; it never calls."""
    return f"throw {max(look.cards('hand', seat), key=lambda card: (card.low, card))}"


def random_throw(look: Look[Facts], settings: Settings, seat: Seat, random: Random) -> str:
    """A card, and as often as not what lies near it: others of its rank, or of its suit, and jokers."""
    hand = sorted(look.cards("hand", seat))
    card = random.choice(hand)
    if random.random() < 0.5:
        others = [card, *(held for held in hand if held is not card and held.rank == card.rank)]
        chosen = tuple(others[: 1 + int(random.random() * len(others))])
    else:
        near = [held for held in hand if held.suit == card.suit and 0 <= held.low - card.low < 3]
        if settings.ace == "both":
            near = near if card.low < 12 else [held for held in hand if held.suit == card.suit and held.high > 11]
        chosen = (*near, *(held for held in hand if held is JOKER and card is not JOKER))
        if lay_out(chosen, settings) is None:
            chosen = tuple(near)
    if lay_out(chosen, settings) is None:
        chosen = (card,)
    return " ".join(["throw", *(held.text for held in chosen)])


GAME = Game(
    key="dhumbal",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"throw": (call, throw), "pick": (pick,)},
    end_hand=end_hand,
    match_is_over=match_is_over,
    pass_deal=pass_deal,
    place=place,
    timeouts={"throw": timed_out_throw, "pick": "pick deck"},
    samplers={"throw": random_throw},
    jokers=True,
    trials=(
        {"players": 2, "hands": 2, "reshuffles": 1},
        {"players": 3, "hands": 2, "reshuffles": 0, "cards": 7, "jokers": 2, "ace": "both", "target": 0},
        {"players": 4, "hands": 2, "reshuffles": 0, "court_values": "ten", "pick_from": "any", "beater_zero": True},
        {"players": 5, "hands": 2, "reshuffles": 0, "mode": "first", "target": 90, "tie": "caller", "fifty": True},
        {"players": 6, "hands": 3, "reshuffles": 0, "cards": 7, "target": 40, "starter": "winner", "call_limit": 15},
        {"players": 3, "hands": 1, "jokers": 2, "pick_needs_combo": True, "penalty_adds_hand": False, "penalty": 50},
    ),
)
