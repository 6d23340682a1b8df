"""Sequence, or Jack Foolery: cards played put chips on a board that shows each card twice, and rows of five win.

Source: seed 004 for equipment, hands, jacks, rows and variations; the published game for more than four players, one
dead card in a turn and the shuffling of played cards. How often they are shuffled is limited, so that a match ends, and
a hand that cannot play throws a card. The corners are free by default, the first use that the seed names.
"""

from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Annotated, Final, Literal

from chautari import engine
from chautari.cards import JOKER, Card, CardText, cards, pack
from chautari.engine import (
    OVER,
    SECRET,
    Among,
    BySeat,
    BySide,
    Game,
    Held,
    Look,
    Range,
    Record,
    Seat,
    Sees,
    Side,
    Table,
    Turn,
    Zone,
    turn,
    verb,
)
from chautari.errors import Refusal
from chautari.kit.piles import renew_deck
from chautari.kit.placing import most_first

# The board ────────────────────────────────────────────────────────────────────────────────────────────────────────────

PRINTS: Final = cards("""
    XX AS 2S 3S 4S 5S 6S 7S 8S XX
    4H 3H 2H AH KS QS TS 9S AC 2C
    5H 6H 7H 8H 9H TH QH KH 3C 4C
    KD QD TD 9D 8D 7D 6D 5D 5C 6C
    KC QC TC 9C 8C 7C AD 2D 3D 4D
    4D 3D 2D AD 7C 8C 9C TC QC KC
    6C 5C 5D 6D 7D 8D 9D TD QD KD
    4C 3C KH QH TH 9H 8H 7H 6H 5H
    2C AC 9S TS QS KS AH 2H 3H 4H
    XX 8S 7S 6S 5S 4S 3S 2S AS XX
""")
"""What each space shows, by its number: ten for each row from the top, and one for each column from the left."""
SPACES: Final = tuple(f"{number:02}" for number in range(100))
WHERE: Final = {face: tuple(number for number in range(100) if PRINTS[number] == face) for face in set(PRINTS)}
"""The spaces that show a card; of the joker, the corners."""
SHOWN_AT: Final = {face: tuple((*divmod(space, 10), SPACES[space]) for space in WHERE[face]) for face in WHERE}
"""The same by row, column and name."""
CORNERS: Final = WHERE[JOKER]
INNER: Final = tuple(number for number in range(100) if number not in CORNERS)
BOARD: Final = engine.Board(10, SPACES, tuple(CardText(face.text) for face in PRINTS))
EMPTY: Final = "."

TWO_EYED: Final = cards("JC JD")
ONE_EYED: Final = cards("JH JS")


def bits(spaces: Collection[int]) -> int:
    """A set of spaces as one number, space 0 in its highest bit, as a row of chips is read."""
    return sum(1 << (99 - space) for space in spaces)


def segments() -> tuple[int, ...]:
    """The 192 lines of five neighbouring spaces, across, down and in both diagonals."""
    steps = {(0, 1): (10, range(6)), (1, 0): (6, range(10)), (1, 1): (6, range(6)), (1, -1): (6, range(4, 10))}
    return tuple(
        bits([10 * (row + down * place) + column + across * place for place in range(5)])
        for (down, across), (rows, columns) in steps.items()
        for row in range(rows)
        for column in columns
    )


SEGMENTS: Final = segments()
THROUGH: Final = tuple(tuple(segment for segment in SEGMENTS if segment & bits([space])) for space in range(100))
CORNER_BITS: Final = bits(CORNERS)
MARKS: Final = tuple(str.maketrans(".012", "".join("01"[mark == str(team)] for mark in ".012")) for team in range(3))


# The match ────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Literal[2, 3, 4, 6, 8, 9, 10, 12] = 2
    teams: Literal[0, 2, 3] = 0
    hand_size: Annotated[int, Range(3, 9, also=(0,))] = 0
    rows: Literal[0, 1, 2] = 0
    corners: Literal["free", "plain", "jokers"] = "free"
    one_eyed: Literal["remove", "replace"] = "remove"
    protect: bool = False
    draw: Literal["after", "before"] = "after"
    dead_cards: Literal["no", "one", "any"] = "no"
    reshuffles: Literal[0, 1, 2, 3] = 1


class LastHand(Record, frozen=True):
    """The record: the winning team, null where nobody has won; the rows of each team; the number of actions."""

    winner: Side | None
    rows: BySide[int]
    actions: int


class Facts(engine.Facts):
    """What the table knows: everything but the cards."""

    dealer: Seat = 0
    team: BySeat[Side] = ()
    target: int = 0
    chips: Annotated[tuple[str, ...], BOARD] = (EMPTY * 10,) * 10
    rows: BySide[int] = ()
    swapped: int = 0
    reshuffles_left: int = 0
    score: BySeat[int] = ()
    actions: Annotated[int, SECRET] = 0


ZONES = (
    Zone("deck", Sees.NONE, ordered=True),
    Zone("hand", Sees.OWNER, per_seat=True),
    Zone("pile", Sees.ALL, ordered=True),
)


def teams_of(settings: Settings) -> int:
    """How many teams there are."""
    return settings.teams or (3 if settings.players in (3, 9) else 2)


def sides(settings: Settings) -> tuple[tuple[Seat, ...], ...]:
    """The seats of a team sit between those of the others."""
    teams = teams_of(settings)
    return tuple(tuple(range(team, settings.players, teams)) for team in range(teams))


def hand_size(settings: Settings) -> int:
    """How many cards each seat is dealt."""
    return settings.hand_size or {2: 7, 3: 6, 4: 5, 6: 5, 8: 4, 9: 4, 10: 3, 12: 3}[settings.players]


def check(settings: Settings) -> None:
    """Teams are equal, and enough cards are left for the deck."""
    if settings.players % teams_of(settings):
        raise engine.bad_setting("teams", f"{settings.players} players do not make {settings.teams} equal teams")
    if settings.players * hand_size(settings) > 72:
        raise engine.bad_setting("hand_size", "at most 72 cards may be dealt: players × hand_size is too many")


def opening(settings: Settings) -> Facts:
    """The last seat deals; the board is empty."""
    teams = teams_of(settings)
    return Facts(
        dealer=settings.players - 1,
        team=tuple(seat % teams for seat in range(settings.players)),
        target=settings.rows or (2 if teams == 2 else 1),
        rows=(0,) * teams,
        reshuffles_left=settings.reshuffles,
        score=(0,) * settings.players,
    )


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """Two packs, with `jokers` four jokers too; one card at a time from seat 0 on."""
    table.shuffle("deck", fresh=pack(2, jokers=4 if settings.corners == "jokers" else 0))
    table.deal("deck", to="hand", first=0, each=hand_size(settings))
    return begin_turn(table, settings, 0)


def begin_turn(table: Table[Facts], settings: Settings, first: Seat) -> Turn:
    """The turn of the nearest seat from this one on that has a card, or with `before` gets one; over if none has."""
    table.facts.swapped = 0
    for seat in table.round_from(first):
        if settings.draw == "before":
            draw_card(table, seat)
        if table.count("hand", seat):
            return turn("play", seat)
    return OVER


def end_turn(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """With `after` the seat draws; then the turn passes."""
    if settings.draw == "after":
        draw_card(table, seat)
    return begin_turn(table, settings, table.after(seat))


def draw_card(table: Table[Facts], seat: Seat) -> None:
    """The next card of the deck, made anew of the pile as often as is allowed; nothing where there is none."""
    facts = table.facts
    if not table.count("deck") and facts.reshuffles_left and table.count("pile"):
        renew_deck(table)
        facts.reshuffles_left -= 1
    if table.count("deck"):
        table.draw("deck", to="hand", seat=seat)


# Chips ────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def held_by(facts: Facts, settings: Settings, team: Side) -> int:
    """The spaces that count for the team: its chips, and corners that are free."""
    lying = int("".join(facts.chips).translate(MARKS[team]), 2)
    return lying | CORNER_BITS if settings.corners == "free" else lying


def rows_of(facts: Facts, settings: Settings, team: Side) -> int:
    """The rows that the team holds, two at most: two segments share one space at most."""
    lying = held_by(facts, settings, team)
    held = [segment for segment in SEGMENTS if segment & lying == segment]
    two = facts.target == 2 and any((one & other).bit_count() <= 1 for one, other in combinations(held, 2))
    return 2 if two else min(len(held), 1)


def safe(facts: Facts, settings: Settings, space: int) -> bool:
    """Whether the chip on this space may not be touched: it lies on a jokers' corner, or in a row that is protected."""
    if settings.corners == "jokers" and space in CORNERS:
        return True
    team = int(facts.chips[space // 10][space % 10])
    if not settings.protect or not facts.rows[team]:
        return False
    lying = held_by(facts, settings, team)
    return any(segment & lying == segment for segment in THROUGH[space])


def spaces(look: Look[Facts], settings: Settings, seat: Seat, card: Card) -> list[str]:
    """The spaces on which the card may be played, by number."""
    facts, lines = look.facts, look.facts.chips
    if card.rank != "J":
        return [name for row, column, name in SHOWN_AT[card] if lines[row][column] == EMPTY]
    chips = "".join(lines)
    empty = [space for space in (INNER if settings.corners == "free" else range(100)) if chips[space] == EMPTY]
    if card in TWO_EYED:
        return [SPACES[space] for space in empty]
    alone = (EMPTY, str(facts.team[seat]))
    foes = [space for space in range(100) if chips[space] not in alone and not safe(facts, settings, space)]
    return [SPACES[space] for space in sorted(foes + empty if settings.one_eyed == "replace" else foes)]


def why_no_play(look: Look[Facts], settings: Settings, seat: Seat, card: Card, space: str) -> Refusal:
    """Why the card may not be played there."""
    if card in ONE_EYED:
        wanted = "the chip of another team that is not safe" + ", or no chip" * (settings.one_eyed == "replace")
        return Refusal("NO_CHIP_TO_TAKE", f"{card} needs {wanted}: there is none at {space}")
    if look.facts.chips[int(space[0])][int(space[1])] != EMPTY:
        return Refusal("SPACE_TAKEN", f"{space} is taken: choose an empty space")
    if card in TWO_EYED:
        return Refusal("CORNER_IS_FREE", f"{space} is a corner, which belongs to all: no chip goes there")
    return Refusal("NOT_ITS_SPACE", f"{card} is shown at {' and '.join(SPACES[at] for at in WHERE[card])}, not {space}")


def put_chip(facts: Facts, settings: Settings, space: int, mark: str) -> None:
    """Puts a team's chip on the space, or none, and counts the rows of those whom that concerns."""
    row, column = divmod(space, 10)
    line, was = facts.chips[row], facts.chips[row][column]
    line = line[:column] + mark + line[column + 1 :]
    facts.chips = (*facts.chips[:row], line, *facts.chips[row + 1 :])
    rows = list(facts.rows)
    if was != EMPTY and rows[int(was)]:
        rows[int(was)] = rows_of(facts, settings, int(was))
    if mark != EMPTY:
        lying = held_by(facts, settings, int(mark))
        if [segment for segment in THROUGH[space] if segment & lying == segment]:
            rows[int(mark)] = rows_of(facts, settings, int(mark))
    if tuple(rows) != facts.rows:
        facts.rows = tuple(rows)
        facts.score = tuple(rows[team] for team in facts.team)


# Playing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def play(
    table: Table[Facts], settings: Settings, seat: Seat, card: Annotated[Card, Held("hand")],
    space: Annotated[str, engine.Words(SPACES), Among(spaces, why_no_play, given=True)],
) -> Turn:  # fmt: skip
    """Plays a card and puts a chip on one of its spaces; a one-eyed jack takes one of another team away."""
    facts = table.facts
    team = facts.team[seat]
    table.play(card, "hand", to="pile", seat=seat)
    facts.actions += 1
    takes = card in ONE_EYED and settings.one_eyed == "remove"
    put_chip(facts, settings, int(space), EMPTY if takes else str(team))
    return OVER if facts.rows[team] == facts.target else end_turn(table, settings, seat)


def is_dead(chips: Sequence[str], card: Card) -> bool:
    """Whether every space that shows the card is taken; a jack is never dead."""
    return card.rank != "J" and EMPTY not in [chips[row][column] for row, column, _ in SHOWN_AT[card]]


def why_no_swaps(look: Look[Facts], settings: Settings) -> Refusal | None:
    """Why no card at all may be swapped now, if none may."""
    facts = look.facts
    if settings.dead_cards == "no":
        return Refusal("NO_SWAPS", "dead cards are not swapped at this table")
    if settings.dead_cards == "one" and facts.swapped:
        return Refusal("ONE_SWAP", "one dead card may be swapped in a turn: play now")
    if not look.count("deck") and not facts.reshuffles_left:
        return Refusal("NOTHING_TO_DRAW", "there is no card to draw in its place")
    return None


def swappable(look: Look[Facts], settings: Settings, seat: Seat) -> list[Card]:
    """The dead cards of the hand, where they may be swapped now."""
    if settings.dead_cards == "no" or why_no_swaps(look, settings):
        return []
    chips = look.facts.chips
    return [card for card in sorted(look.cards("hand", seat)) if is_dead(chips, card)]


def why_no_swap(look: Look[Facts], settings: Settings, seat: Seat, card: Card) -> Refusal:
    """Why this card of the hand may not be swapped."""
    return why_no_swaps(look, settings) or Refusal("NOT_DEAD", f"{card} is not dead: only a dead card may be swapped")


def swap(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[Card, Held("hand"), Among(swappable, why_no_swap)],
) -> Turn:  # fmt: skip
    """Lays a dead card on the pile and draws another; the turn goes on."""
    table.play(card, "hand", to="pile", seat=seat)
    table.facts.actions += 1
    table.facts.swapped += 1
    draw_card(table, seat)
    return turn("play", seat)


def throwable(look: Look[Facts], settings: Settings, seat: Seat) -> Collection[Card]:
    """All cards of a hand that can neither play nor swap any."""
    hand = look.cards("hand", seat)
    for card in hand:
        if spaces(look, settings, seat, card):
            return ()
    return () if swappable(look, settings, seat) else hand


@verb(tells="throwing: who throws a card could neither play nor swap one")
def throw(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[Card, Held("hand"), Among(throwable, "CAN_PLAY", "you can play or swap a card: throw none")],
) -> Turn:  # fmt: skip
    """Lays a card on the pile where nothing else can be done."""
    table.play(card, "hand", to="pile", seat=seat)
    table.facts.actions += 1
    return end_turn(table, settings, seat)


# The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def winner(facts: Facts) -> Side | None:
    """The team that has the rows it takes; while the match goes on nobody has."""
    return next((team for team, rows in enumerate(facts.rows) if rows == facts.target), None)


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """One hand is the match."""
    facts = table.facts
    return LastHand(winner(facts), facts.rows, facts.actions)


def place(look: Look[Facts], settings: Settings) -> tuple[int, ...]:
    """The winning team, and all others behind it; where nobody has won, by rows and then by chips on the board."""
    facts, won = look.facts, winner(look.facts)
    if won is not None:
        return most_first([team == won for team in facts.team])
    lying = "".join(facts.chips)
    return most_first([(facts.rows[team], lying.count(str(team))) for team in facts.team])


def timed_out(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """Plays the first card it can, jacks after all others, on its lowest space; else swaps, else throws the first."""
    hand = sorted(look.cards("hand", seat), key=lambda card: (card.rank == "J", card in ONE_EYED, card))
    for card in hand:
        open_to = spaces(look, settings, seat, card)
        if open_to:
            return f"play {card} {open_to[0]}"
    dead = swappable(look, settings, seat)
    return f"swap {dead[0]}" if dead else f"throw {hand[0]}"


GAME = Game(
    key="sequence",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"play": (play, swap, throw)},
    end_hand=end_hand,
    place=place,
    timeouts={"play": timed_out},
    sides=sides,
    check=check,
    jokers=True,
    turn_seconds=60,
    trials=(
        {"players": 2},
        {"players": 3, "draw": "before", "dead_cards": "any", "corners": "jokers"},
        {"players": 4, "corners": "jokers", "protect": True, "reshuffles": 2},
        {"players": 6, "teams": 3, "one_eyed": "replace", "corners": "plain", "dead_cards": "one"},
        {"players": 8, "reshuffles": 0, "protect": True, "one_eyed": "replace", "corners": "jokers"},
        {"players": 9, "hand_size": 8, "draw": "before", "rows": 2, "reshuffles": 0, "dead_cards": "one"},
        {"players": 10, "hand_size": 6, "corners": "plain", "dead_cards": "any", "reshuffles": 3},
        {"players": 12, "teams": 3, "protect": True, "draw": "before", "one_eyed": "replace"},
    ),
)
