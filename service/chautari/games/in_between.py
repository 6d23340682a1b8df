"""In Between: bet that the next card ranks between two others, against a pot that everybody has paid into.

Sources: the list of games (seed 001) for the seats and the idea; public rules of Acey-Deucey for the whole pot, double
for a match, higher or lower on a pair and half the pot in the first round; Bicycle for neighbours, pairs and single
pay.
"""

from typing import Annotated, Literal

from chautari import engine
from chautari.cards import Card, pack, text
from chautari.engine import (
    AMOUNT,
    OVER,
    SECRET,
    Among,
    BySeat,
    Game,
    Kind,
    Look,
    Random,
    Range,
    Record,
    Rule,
    Seat,
    Sees,
    Table,
    Turn,
    Zone,
    bad_setting,
    turn,
    verb,
)
from chautari.errors import Refusal
from chautari.kit.piles import renew_deck
from chautari.kit.placing import most_points
from chautari.kit.totals import add_to
from chautari.kit.turns_between import Called, Outcome, Side, TurnRecord, pack_turn, unpack_turns


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Annotated[int, Range(2, 8)] = 4
    chips: Annotated[int, Range(10, 10000)] = 100
    ante: Annotated[int, Range(1, 1000)] = 5
    min_bet: Annotated[int, Range(1, 1000)] = 1
    rounds: Annotated[int, Range(1, 50)] = 5
    packs: Literal[1, 2] = 1
    aces: Literal["high", "choice"] = "high"
    pairs: Literal["guess", "bonus", "redeal", "pass"] = "guess"
    neighbours: Literal["pass", "redeal", "lose"] = "pass"
    post_pays: Literal[1, 2] = 2
    may_pass: bool = True
    first_round: Literal["full", "half"] = "full"


def check(settings: Settings) -> None:
    """Two antes and a bet have to be within the chips of a seat."""
    if 2 * settings.ante > settings.chips:
        raise bad_setting("ante", f"two antes of {settings.ante} are more than {settings.chips} chips")
    if settings.min_bet > settings.chips:
        raise bad_setting("min_bet", f"a smallest bet of {settings.min_bet} is more than {settings.chips} chips")


class LastHand(Record, frozen=True):
    """The record of the one hand: its turns, the round of the last, the seats' chips, and what was left in the pot.

    A turn is one line, for there may be hundreds: seat, posts, call, side, bet, third card, outcome, chips paid.
    """

    turns: tuple[str, ...]
    round: int
    chips: BySeat[int]
    pot: int


class Facts(engine.Facts):
    """What the table knows: everything but the deck; and the turns so far, packed, for the record."""

    round: int = 1
    pot: int = 0
    score: BySeat[int] = ()
    ace: Called | None = None
    limits: tuple[int, ...] | None = None
    last_seat: Seat | None = None
    last_outcome: Outcome | None = None
    last_bet: int | None = None
    last_paid: int | None = None
    turns: Annotated[bytes, SECRET] = b""


ZONES = (
    Zone("deck", Sees.NONE, ordered=True),
    Zone("posts", Sees.ALL, ordered=True, kind=Kind.ROW),
    Zone("pile", Sees.ALL, ordered=True),
)


def opening(settings: Settings) -> Facts:
    """Every seat has its chips."""
    return Facts(score=(settings.chips,) * settings.players)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """Every seat pays the ante, and seat 0 is dealt its posts."""
    table.shuffle("deck", fresh=pack(settings.packs))
    pay_antes(table, settings)
    return give_turns(table, settings, 0)


# Chips ────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def pay(facts: Facts, seat: Seat, chips: int) -> int:
    """Chips go from the seat into the pot, at most all it has, or back where negative; returns what the seat gained."""
    paid = min(chips, facts.score[seat])
    facts.score = add_to(facts.score, seat, -paid)
    facts.pot += paid
    return -paid


def pay_antes(table: Table[Facts], settings: Settings) -> None:
    """Every seat pays the ante, or what it has."""
    for seat in table.seats:
        pay(table.facts, seat, settings.ante)


def with_chips(look: Look[Facts]) -> list[Seat]:
    """The seats that have chips; the others are out for good."""
    return [seat for seat in look.seats if look.facts.score[seat]]


# Turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def value(card: Card, ace: str | None = None) -> int:
    """The number of a card, courts 11 to 13, the ace 14; 1 where it was called low."""
    return card.low if ace == "low" else card.high


def posts(look: Look[Facts]) -> tuple[int, int]:
    """The values of the posts, the smaller first."""
    first, second = look.cards("posts")[:2]
    low, high = sorted((value(first, look.facts.ace), value(second)))
    return low, high


def is_pair(look: Look[Facts]) -> bool:
    """Whether the posts are equal; an ace called low and another ace are not."""
    low, high = posts(look)
    return low == high


def give_turns(table: Table[Facts], settings: Settings, seat: Seat, *, called: bool = False) -> Turn:
    """Deals posts to this seat, and to others after it as long as their turns are over at once.

    called: its first post lies there already, an ace that it has just called.
    """
    while True:
        opened = deal_posts(table, settings, seat, called=called)
        if opened is not None:
            return opened
        following = pass_turn(table, settings, seat)
        if following is None:
            return OVER
        seat, called = following, False


def deal_posts(table: Table[Facts], settings: Settings, seat: Seat, *, called: bool) -> Turn | None:
    """The posts of a seat, dealt until there are two to keep; None where they end its turn at once."""
    facts = table.facts
    while True:
        if not called:
            facts.ace = None
            renew_low_deck(table)
            if table.draw("deck", to="posts").rank == "A" and settings.aces == "choice":
                return turn("ace", seat)
        table.draw("deck", to="posts")
        low, high = posts(table)
        what = settings.pairs if low == high else settings.neighbours if high - low == 1 else "guess"
        if what == "guess":
            facts.limits = limits(facts, settings, seat)
            return turn("bet", seat)
        if what != "redeal":
            end_at_once(table, settings, seat, what, pair=low == high)
            return None
        table.sweep("posts", to="pile")
        called = False


def renew_low_deck(table: Table[Facts]) -> None:
    """With fewer than three cards left, all used cards are shuffled in."""
    if table.count("deck") < 3:
        renew_deck(table)


def limits(facts: Facts, settings: Settings, seat: Seat) -> tuple[int, int]:
    """The smallest and the largest bet: up to the pot, or half of it in the first round, and to the seat's chips."""
    pot = (facts.pot + 1) // 2 if settings.first_round == "half" and facts.round == 1 else facts.pot
    most = min(pot, facts.score[seat])
    return min(settings.min_bet, most), most


def end_at_once(table: Table[Facts], settings: Settings, seat: Seat, what: str, *, pair: bool) -> None:
    """Posts on which nobody can bet: the seat may get two chips or lose the smallest bet."""
    facts = table.facts
    outcome: Outcome = "neighbours" if not pair else "bonus" if what == "bonus" else "pair"
    chips = -min(2, facts.pot) if what == "bonus" else settings.min_bet if what == "lose" else 0
    note(table, seat, outcome, bet=0, paid=pay(facts, seat, chips))


def note(
    table: Table[Facts], seat: Seat, outcome: Outcome, *, bet: int, paid: int,
    side: Side | None = None,
) -> None:  # fmt: skip
    """How a turn went; its posts still lie there, and the third card behind them if one was turned."""
    facts = table.facts
    facts.last_seat, facts.last_outcome, facts.last_bet, facts.last_paid = seat, outcome, bet, paid
    cards = table.cards("posts")
    third = cards[2].text if len(cards) > 2 else None
    facts.turns += pack_turn(TurnRecord(seat, text(cards[:2]), facts.ace, side, bet, third, outcome, paid))


def pass_turn(table: Table[Facts], settings: Settings, seat: Seat) -> Seat | None:
    """The turn of this seat is over: whose is next, None where the match ends. An empty pot is filled first."""
    facts = table.facts
    facts.ace = facts.limits = None
    table.flush()  # several turns may be over in one action: each is told
    table.sweep("posts", to="pile")
    if len(with_chips(table)) < 2:
        return None
    old = facts.round
    following = next_seat(table, settings, seat)
    if following is None or facts.pot:
        return following
    pay_antes(table, settings)
    if len(with_chips(table)) < 2:
        return None
    return next_seat(table, settings, seat if facts.round == old else -1)


def next_seat(table: Table[Facts], settings: Settings, seat: Seat) -> Seat | None:
    """The next higher seat with chips, or the lowest in a new round; None after the last round."""
    facts = table.facts
    seats = with_chips(table)
    higher = [other for other in seats if other > seat]
    if not higher and facts.round < settings.rounds:
        facts.round += 1
        higher = seats
    return higher[0] if higher else None


# Verbs ────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def call(table: Table[Facts], settings: Settings, seat: Seat, ace: Called) -> Turn:
    """Says whether the first post, an ace, is 14 or 1; then the second is turned."""
    table.facts.ace = ace
    return give_turns(table, settings, seat, called=True)


def sides(look: Look[Facts], settings: Settings, seat: Seat) -> tuple[str | None, ...]:
    """With a pair one bets on higher or lower, without one on neither."""
    return ("higher", "lower") if is_pair(look) else (None,)


def amounts(look: Look[Facts], settings: Settings, seat: Seat) -> range:
    """The bets within the limits."""
    assert look.facts.limits is not None
    low, high = look.facts.limits
    return range(low, high + 1)


def out_of_limits(look: Look[Facts], settings: Settings, seat: Seat, amount: int) -> Refusal:
    """The limits, in words."""
    assert look.facts.limits is not None
    low, high = look.facts.limits
    return Refusal("OUT_OF_LIMITS", f"bet from {low} to {high} chips", low=low, high=high)


def bet(
    table: Table[Facts], settings: Settings, seat: Seat,
    side: Annotated[Side | None, Among(sides, "HIGHER_OR_LOWER", "say higher or lower")],
    amount: Annotated[int, AMOUNT, Among(amounts, out_of_limits)],
) -> Turn:  # fmt: skip
    """Bets on the next card, which is turned: one between the posts wins; one equal to a post costs more."""
    facts = table.facts
    low, high = posts(table)
    ranks = [card.rank for card in table.cards("posts")]
    third = table.draw("deck", to="posts")
    turned = value(third)
    outcome: Outcome
    if third.rank in ranks:
        outcome, chips = "post", amount * (settings.post_pays if side is None else 3)
    elif low < turned < high or (side == "higher" and turned > high) or (side == "lower" and turned < low):
        outcome, chips = "won", -amount
    else:
        outcome, chips = "lost", amount
    note(table, seat, outcome, bet=amount, paid=pay(facts, seat, chips), side=side)
    return hand_on(table, settings, seat)


def must_bet(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Where nobody may pass."""
    return None if settings.may_pass else ("MUST_BET", "nobody may pass at this table: bet")


@verb(unless=must_bet)
def pass_(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Bets nothing."""
    note(table, seat, "passed", bet=0, paid=0)
    return hand_on(table, settings, seat)


def hand_on(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Ends this seat's turn and gives the next."""
    following = pass_turn(table, settings, seat)
    return OVER if following is None else give_turns(table, settings, following)


# The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """The pot is shared by the seats with chips, or by all where none has any; what cannot be shared stays in it."""
    facts = table.facts
    seats = with_chips(table) or list(table.seats)
    share = facts.pot // len(seats)
    for seat in seats:
        pay(facts, seat, -share)
    return record_of(facts)


def record_of(facts: Facts) -> LastHand:
    """The record, which the facts tell as they are at the end."""
    return LastHand(tuple([turn.line for turn in unpack_turns(facts.turns)]), facts.round, facts.score, facts.pot)


def timed_out_bet(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """Passes; where nobody may, the lowest bet, with a pair on the side with more ranks."""
    if settings.may_pass:
        return "pass"
    least = amounts(look, settings, seat)[0]
    if is_pair(look):
        return f"bet {'higher' if posts(look)[0] <= 7 else 'lower'} {least}"
    return f"bet {least}"


def random_bet(look: Look[Facts], settings: Settings, seat: Seat, random: Random) -> str:
    """Any bet within the limits, on any side."""
    side = random.choice(sides(look, settings, seat))
    amount = random.choice(amounts(look, settings, seat))
    return f"bet {amount}" if side is None else f"bet {side} {amount}"


GAME = Game(
    key="in_between",
    version=2,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"ace": (call,), "bet": (bet, pass_)},
    end_hand=end_hand,
    record_of=record_of,
    place=most_points,
    timeouts={"ace": "call high", "bet": timed_out_bet},
    samplers={"bet": random_bet},
    check=check,
    turn_seconds=30,
    trials=(
        {"players": 2, "rounds": 20, "chips": 1000},
        {"players": 3, "rounds": 12, "aces": "choice", "pairs": "redeal", "neighbours": "redeal"},
        {"players": 4, "rounds": 10, "aces": "choice", "pairs": "bonus", "neighbours": "lose", "packs": 2},
        {"players": 5, "rounds": 8, "chips": 20, "post_pays": 1, "first_round": "half"},
        {"players": 6, "rounds": 6, "chips": 300, "may_pass": False, "min_bet": 10, "ante": 1},
        {"players": 7, "rounds": 5, "aces": "choice", "may_pass": False, "pairs": "pass"},
        {"players": 8, "rounds": 5, "packs": 2, "aces": "choice", "min_bet": 20},
    ),
)
