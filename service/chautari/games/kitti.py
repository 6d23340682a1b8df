"""Kitti: split nine cards into three hands of three, best first, and beat the table in enough of the three rounds.

Sources: the list of games (seed 001) for the seats and the nine cards; alankar.com.np for the ranking with 2-3-5, drawn
rounds, salami, four of a kind and four pairs; Bhoos for descending rows and any two rounds, which is the default where
alankar has two in a row; pagat.com for ranking three cards. Points stand for the pot, and nobody folds.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Annotated, Literal

from chautari import engine
from chautari.cards import Card, pack, text
from chautari.engine import (
    OVER,
    BySeat,
    Game,
    Groups,
    Held,
    Kind,
    Look,
    Random,
    Range,
    Record,
    Seat,
    Sees,
    Table,
    Turn,
    Zone,
    turn,
)
from chautari.errors import Refusal
from chautari.kit.dealing import next_deals
from chautari.kit.placing import most_points
from chautari.kit.records import best_first, written
from chautari.kit.three_cards import strength
from chautari.kit.totals import set_at

Row = tuple[Card, ...]
Rows = tuple[Row, ...]


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Annotated[int, Range(2, 5)] = 4
    win: Literal["two", "two_in_row", "most", "three"] = "two"
    two_three_five: bool = False
    four_of_a_kind: bool = False
    four_pairs: bool = False
    salami: Annotated[int, Range(1, 5)] = 2
    carry: bool = True
    target: Annotated[int, Range(0, 50)] = 5
    hands: Annotated[int, Range(1, 100)] = 20


class LastHand(Record, frozen=True):
    """The record of a hand: who won it and how, the winner of each round, and by seat the points and the rows."""

    hand_no: int
    winner: Seat | None
    how: Literal["win", "salami", "kitti", "four"]
    rounds: tuple[Seat | None, ...]
    stake: int
    change: BySeat[int]
    hands: BySeat[str]


class Facts(engine.Facts):
    """What the table knows."""

    dealer: Seat = 0
    hand_no: int = 0
    score: BySeat[int] = ()
    stake: int = 1
    arranged: BySeat[bool] = ()
    last: LastHand | None = None


ROWS = ("row1", "row2", "row3")
ZONES = (
    Zone("deck", Sees.NONE, ordered=True),
    Zone("hand", Sees.OWNER, per_seat=True, at_end=Sees.ALL),
    *(Zone(row, Sees.OWNER, per_seat=True, ordered=True, kind=Kind.ROW, at_end=Sees.ALL) for row in ROWS),
)


def opening(settings: Settings) -> Facts:
    """The last seat deals first."""
    return Facts(dealer=settings.players - 1, score=(0,) * settings.players, arranged=(False,) * settings.players)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """Nine cards each. Four of a rank may end the hand at once, and four pairs may have it dealt again."""
    facts = table.facts
    facts.hand_no += 1
    facts.arranged = (False,) * settings.players
    while True:
        table.shuffle("deck", fresh=pack())
        table.deal("deck", to="hand", first=table.after(facts.dealer), each=9)
        hands = [table.cards("hand", seat) for seat in table.seats]
        if settings.four_of_a_kind and any(map(four_of_a_rank, hands)):
            return OVER
        if not (settings.four_pairs and any(map(has_four_pairs, hands))):
            return turn("arrange", *table.seats)
        table.throw_in()


def four_of_a_rank(hand: Sequence[Card]) -> int:
    """The highest rank held four times, the ace being 14; 0 where there is none."""
    ranks = sorted([card.high for card in hand])
    return max([rank for rank, fourth in zip(ranks, ranks[3:], strict=False) if rank == fourth], default=0)


def has_four_pairs(hand: Sequence[Card]) -> bool:
    """Whether four ranks are held twice and one once."""
    ranks = [card.high for card in hand]
    return len(set(ranks)) == 5 and max([ranks.count(rank) for rank in set(ranks)]) == 2


def strengths(rows: Rows, settings: Settings) -> list[int]:
    """How strong each row is, as numbers that compare."""
    if settings.two_three_five:
        return [strength(row, two_three_five=True) for row in rows]
    return list(map(strength, rows))


def arrange(
    table: Table[Facts], settings: Settings, seat: Seat, rows: Annotated[Rows, Held("hand"), Groups((3, 3, 3))]
) -> Turn:
    """Lays the nine cards out in three rows, none stronger than the one before; it cannot be changed."""
    first, second, third = strengths(rows, settings)
    if second > first or third > second:
        number = 2 if second > first else 3
        raise Refusal("ROWS_GO_DOWN", f"row {number} is stronger than the row before it: put the stronger row first")
    for name, row in zip(ROWS, rows, strict=True):
        table.move(row, "hand", name, seat)
    table.facts.arranged = set_at(table.facts.arranged, seat, True)
    return table.still_in_turn(seat) or OVER


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """The rounds are compared and the winner scores the stake; a hand without a winner may raise the next stake."""
    facts = table.facts
    hands = [table.cards("hand", seat) for seat in table.seats]
    rounds: tuple[Seat | None, ...] = ()
    how: Literal["win", "salami", "kitti", "four"]
    if any(hands):  # nobody has arranged: four of a rank ended the hand at the deal
        winner: Seat | None = max(table.seats, key=lambda seat: four_of_a_rank(hands[seat]))
        how, worth, laid = "four", facts.stake, tuple(map(written, hands))
    else:
        rows = [tuple(table.cards(row, seat) for row in ROWS) for seat in table.seats]
        rounds = winners_of_rounds([strengths(own, settings) for own in rows])
        winner = next((seat for seat in table.seats if has_won(seat, rounds, settings)), None)
        how = "kitti" if winner is None else "salami" if rounds.count(winner) == 3 else "win"
        worth = facts.stake * settings.salami if how == "salami" else facts.stake
        laid = tuple(" / ".join(map(text, own)) for own in rows)
    change = tuple(worth if seat == winner else 0 for seat in table.seats)
    facts.last = LastHand(facts.hand_no, winner, how, rounds, facts.stake, change, laid)
    facts.score = tuple(map(sum, zip(facts.score, change, strict=True)))
    facts.stake = facts.stake + 1 if how == "kitti" and settings.carry else 1
    facts.arranged = (True,) * settings.players
    return facts.last


def winners_of_rounds(by_seat: Sequence[Sequence[int]]) -> tuple[Seat | None, ...]:
    """For each round, the seat whose row is stronger than all others; None where two share the strongest."""
    found: list[Seat | None] = []
    for row in zip(*by_seat, strict=True):
        best = max(row)
        found.append(row.index(best) if row.count(best) == 1 else None)
    return tuple(found)


def has_won(seat: Seat, rounds: tuple[Seat | None, ...], settings: Settings) -> bool:
    """Whether these rounds win the hand for this seat; they do for one seat at most."""
    won = rounds.count(seat)
    match settings.win:
        case "two":
            return won >= 2
        case "two_in_row":
            return won >= 2 and rounds[1] == seat
        case "three":
            return won == 3
        case "most":
            return won > max([rounds.count(other) for other in range(settings.players) if other != seat])


def match_is_over(look: Look[Facts], settings: Settings) -> bool:
    """At the target, or after the last hand."""
    return 0 < settings.target <= max(look.facts.score) or look.facts.hand_no == settings.hands


def timed_out(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """Row 1 as strong as can be, then row 2, then row 3; of equals the earliest cards of the sorted hand come first."""
    hand = best_first(look.cards("hand", seat))
    known: dict[Row, int] = {
        row: strength(row, two_three_five=settings.two_three_five) for row in combinations(hand, 3)
    }
    best = max(known.values())
    splits: list[tuple[Row, Row, Row]] = []
    for row1 in (row for row in combinations(hand, 3) if known[row] == best):
        rest = [card for card in hand if card not in row1]
        splits += [(row1, row2, tuple([c for c in rest if c not in row2])) for row2 in combinations(rest, 3)]
    return written_out(max(splits, key=lambda rows: (known[rows[1]], known[rows[2]])))


def random_rows(look: Look[Facts], settings: Settings, seat: Seat, random: Random) -> str:
    """Three threes at random, the strongest first."""
    mixed = sorted(sorted(look.cards("hand", seat)), key=lambda card: random.random())
    rows = (tuple(mixed[:3]), tuple(mixed[3:6]), tuple(mixed[6:]))
    ranked = sorted(zip(strengths(rows, settings), rows, strict=True), reverse=True)
    return written_out([row for _, row in ranked])


def written_out(rows: Sequence[Row]) -> str:
    """The action that arranges these rows."""
    return "arrange " + " / ".join(map(text, rows))


GAME = Game(
    key="kitti",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"arrange": (arrange,)},
    end_hand=end_hand,
    match_is_over=match_is_over,
    pass_deal=next_deals,
    place=most_points,
    timeouts={"arrange": timed_out},
    samplers={"arrange": random_rows},
    turn_seconds=120,
    trials=(
        {"players": 2, "hands": 6},
        {"players": 3, "hands": 6, "win": "two_in_row", "two_three_five": True, "four_pairs": True},
        {"players": 4, "hands": 6, "win": "most", "four_of_a_kind": True, "salami": 5, "target": 0},
        {"players": 5, "hands": 6, "win": "three", "carry": False, "four_of_a_kind": True, "four_pairs": True},
        {"players": 5, "hands": 6, "target": 1, "salami": 1},
    ),
)
