"""The maal of Marriage: the wild cards that a hidden card makes, sets of three with them, and what they count.

Source: pagat.com, Marriage; Bhoos for alter and man. A set has three cards; in a pure one each stands for itself.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, pairwise
from typing import NamedTuple

from chautari.cards import ALL_CARDS, JOKER, Card, Suit, pack
from chautari.kit.melds import fit_together, is_of_one_rank, is_pure_sequence

Cards = tuple[Card, ...]

_PARTNER: dict[Suit, Suit] = {"C": "S", "S": "C", "D": "H", "H": "D"}


class Family(NamedTuple):
    """The wild cards that a maal makes, and those of them that score."""

    tiplu: Card
    poplu: Card
    jhiplu: Card
    alter: Card
    wild: frozenset[Card]


@cache
def family_of(maal: Card) -> Family:
    """The maal is the tiplu; poplu and jhiplu are the ranks above and below in its suit, going round from K to A."""
    ace = maal - maal.low + 1
    poplu, jhiplu = ALL_CARDS[ace + maal.low % 13], ALL_CARDS[ace + (maal.low - 2) % 13]
    same = [card for card in pack() if card.rank == maal.rank]
    alter = next(card for card in same if card.suit == _PARTNER[maal.suit])
    return Family(maal, poplu, jhiplu, alter, frozenset((*same, poplu, jhiplu, JOKER)))


# Sets ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def is_dublee(group: Cards) -> bool:
    """Whether all cards are the very same: two are a dublee, three a tunnela. Man cards make none."""
    return len(set(group)) == 1 and group[0] is not JOKER


def is_pure(group: Cards) -> bool:
    """Whether three cards are a sequence of one suit or a tunnela, each standing for itself."""
    return is_dublee(group) or is_pure_sequence(group)


def is_set(group: Cards, wild: frozenset[Card]) -> bool:
    """Whether three cards are a pure set, a trial, or a set that one or more wild cards make."""
    if is_pure(group):
        return True
    plain = [card for card in group if card not in wild]
    if len(plain) == 2:
        return _make_a_set(*plain)
    return len(plain) < 2 or _is_trial(group)


def _make_a_set(one: Card, other: Card) -> bool:
    """Whether a wild card makes a set of these two: of one rank in two suits, or near each other in one."""
    return fit_together(one, other) or (one.rank == other.rank and one.suit != other.suit)


def _is_trial(group: Cards) -> bool:
    return is_of_one_rank(group) and len(set(group)) == 3


def pure_sets(hand: Sequence[Card]) -> list[Cards]:
    """Every pure set that can be made of a hand, each once."""
    faces = sorted(bytes(hand))
    held = set(faces)
    found: list[Cards] = []
    for face in held:
        if face + 1 in held and (card := ALL_CARDS[face]).low < 13:
            third = face + 2 if card.low < 12 else face - 11
            if third in held:
                found.append((card, ALL_CARDS[face + 1], ALL_CARDS[third]))
    thrice = {face for face, later in zip(faces, faces[2:], strict=False) if face == later != JOKER}
    return found + [(ALL_CARDS[face],) * 3 for face in thrice]


def choose_sets(hand: Sequence[Card], sets: Sequence[Cards], number: int) -> list[Cards] | None:
    """So many of these sets that the hand holds all at once, or None where it does not."""
    if number == 0:
        return []
    for place, group in enumerate(sets):
        left = _without(hand, group)
        others = None if left is None else choose_sets(left, sets[place:], number - 1)
        if others is not None:
            return [group, *others]
    return None


def _without(held: Sequence[Card], group: Sequence[Card]) -> list[Card] | None:
    """What is left without these cards, None where one of them is not held."""
    left = list(held)
    for card in group:
        if card not in left:
            return None
        left.remove(card)
    return left


def dublees(hand: Sequence[Card]) -> list[Card]:
    """The faces held more than once, sorted; a dublee of each can be made."""
    faces = sorted(bytes(hand))
    twice = {face for face, later in pairwise(faces) if face == later != JOKER}
    return [ALL_CARDS[face] for face in sorted(twice)]


def split_into_sets(hand: Sequence[Card], wild: frozenset[Card]) -> list[Cards] | None:
    """A whole hand in sets, and last the one card that is left; None where that cannot be."""
    plain = sorted(card for card in hand if card not in wild)
    return _split(plain, [card for card in hand if card in wild], one_left=True)


def _split(plain: list[Card], wild: list[Card], *, one_left: bool) -> list[Cards] | None:
    """Plain and wild cards in sets, the card left over last: the first plain card is tried wherever it may go."""
    if not plain:
        if len(wild) % 3 != one_left:
            return None
        return [tuple(wild[place : place + 3]) for place in range(0, len(wild), 3)]
    first, rest = plain[0], plain[1:]
    mates, pairs = _that_go_with(first)
    for group, used in (*((pair, 0) for pair in pairs), *(((mate,), 1) for mate in mates), ((), 2)):
        left = _without(rest, group) if used <= len(wild) else None
        found = None if left is None else _split(left, wild[used:], one_left=one_left)
        if found is not None:
            return [(first, *group, *wild[:used]), *found]
    found = _split(rest, wild, one_left=False) if one_left else None
    return None if found is None else [*found, (first,)]


@cache
def _that_go_with(card: Card) -> tuple[list[Card], list[Cards]]:
    """Of the cards from this one on: those with which a wild card makes it a set, and pairs that make it one alone."""
    mates = [other for other in pack() if other > card and _make_a_set(card, other)]
    pairs = list(combinations([card, card, *mates], 2))
    return mates, [pair for pair in pairs if is_pure((card, *pair)) or _is_trial((card, *pair))]


# What they count ──────────────────────────────────────────────────────────────────────────────────────────────────────

_TIPLU, _BESIDE, _ALTER_OR_MAN, _MARRIAGES = (0, 3, 7), (0, 2, 5, 10), (0, 5, 15, 25), (0, 10, 30)
"""By how many are held: the tiplu; the poplu or jhiplu; the alter or man; marriages, one of each of the first three."""


def count_points(held: Sequence[Card], tunnelas: Sequence[Card], family: Family, *, alter: bool) -> tuple[int, int]:
    """What the maal cards of a seat count, and what its tunnelas do.

    held: all its cards. tunnelas: the faces of those shown before the first draw, whose cards are no maal. alter: if
    the alter counts, and is no joker like the others of its rank.
    """
    counting = [card for card in held if card not in tunnelas]
    tiplu, poplu, jhiplu = (counting.count(card) for card in family[:3])
    best = max(
        _MARRIAGES[times] + _TIPLU[tiplu - times] + _BESIDE[poplu - times] + _BESIDE[jhiplu - times]
        for times in range(min(tiplu, poplu, jhiplu) + 1)
    )
    best += _ALTER_OR_MAN[counting.count(family.alter) if alter else 0] + _ALTER_OR_MAN[counting.count(JOKER)]
    return best, sum(_tunnela_points(card, family, alter) for card in tunnelas)


def _tunnela_points(card: Card, family: Family, alter: bool) -> int:
    if card in (family.poplu, family.jhiplu):
        return 20
    if card == family.alter and alter:
        return 30
    return 10 if card in family.wild else 5
