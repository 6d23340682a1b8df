"""Marriage: three packs, 21 cards each; three pure sets or seven dublees let you see the maal, then finish first.

Sources: the list of games (seed 001) for the seats, the packs and the aim; pagat.com, Marriage, for sets of three, wild
cards, tunnelas, dublees, the points and who pays whom; Bhoos for alter and man, murder and kidnap; Wikipedia for the
card turned up and tunnelas shown before drawing. The maal is the last card of the deck, fixed at the deal; fouls are
refused, nobody folds, and the deck is renewed a limited number of times, so that a hand ends.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from chautari import engine
from chautari.cards import JOKER, Card, CardText, cards, pack, text
from chautari.engine import OVER, Among, BySeat, Game, Groups, Held, Look, Seat, Sees, Table, Turn, Zone, turn, verb
from chautari.errors import Refusal
from chautari.kit.dealing import next_deals
from chautari.kit.maal import (
    Cards,
    Family,
    choose_sets,
    count_points,
    dublees,
    family_of,
    is_dublee,
    is_pure,
    is_set,
    pure_sets,
    split_into_sets,
)
from chautari.kit.piles import renew_deck
from chautari.kit.placing import most_points
from chautari.kit.records import written
from chautari.kit.totals import set_at

Sets = tuple[Cards, ...]
Way = Literal["none", "sets", "dublee"]
How = Literal["sets", "dublee", "tunnelas", "no_cards"]


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Annotated[int, engine.Range(2, 5)] = 4
    man: Literal[0, 3] = 0
    hands: Annotated[int, engine.Range(1, 20)] = 3
    dublee_players: Literal[0, 2, 3, 4, 5] = 2
    tunnela_win: bool = False
    unseen_tunnela: bool = False
    pick_before_seeing: bool = True
    pick_man: bool = False
    alter: bool = True
    unseen_maal: Literal["murder", "kidnap", "count"] = "murder"
    seen_fee: Annotated[int, engine.Range(0, 50)] = 3
    unseen_fee: Annotated[int, engine.Range(0, 50)] = 10
    dublee_fee: Annotated[int, engine.Range(0, 50)] = 3
    dublee_bonus: Annotated[int, engine.Range(0, 50)] = 5
    reshuffles: Annotated[int, engine.Range(0, 5)] = 1


class LastHand(engine.Record, frozen=True):
    """The record of a hand: its winner, how it was won, its maal, and by seat points, payments and cards."""

    hand_no: int
    winner: Seat | None
    how: How
    maal: CardText
    points: BySeat[int]
    change: BySeat[int]
    seen: BySeat[bool]
    hands: BySeat[str]


def who_drew(look: Look["Facts"]) -> engine.Viewers:
    """The seat that has drawn a card and not thrown one yet: it has 22, or has just finished with 21."""
    facts = look.facts
    if facts.drawn is None:
        return engine.NOBODY
    drew = [seat for seat in look.seats if len(all_cards(look, seat)) == 22]
    if not drew and facts.last is not None and facts.last.winner is not None:
        drew = [facts.last.winner]
    return engine.only(*drew)


class Facts(engine.Facts):
    """What the table knows, who has drawn in this hand, and how it has ended."""

    dealer: Seat = 0
    hand_no: int = 0
    score: BySeat[int] = ()
    seen: BySeat[bool] = ()
    kind: BySeat[Way] = ()
    tunnelas: BySeat[str] = ()
    taken: CardText | None = None
    drawn: Annotated[CardText | None, engine.Private(who_drew)] = None
    renewals: int = 0
    last: LastHand | None = None
    has_drawn: Annotated[BySeat[bool], engine.SECRET] = ()
    ended: Annotated[How, engine.SECRET] = "no_cards"


def those_who_saw(look: Look[Facts], number: int) -> engine.Viewers:
    """The seats that have seen the maal."""
    seen = look.facts.seen
    return engine.only(*[seat for seat in look.seats if seen[seat]]) if True in seen else engine.NOBODY


ZONES = (
    Zone("deck", Sees.NONE, ordered=True),
    Zone("pile", Sees.ALL, ordered=True),
    Zone("maal", those_who_saw, kind=engine.Kind.ASIDE, at_end=Sees.ALL),
    Zone("hand", Sees.OWNER, per_seat=True, at_end=Sees.ALL),
    Zone("shown", Sees.ALL, per_seat=True, ordered=True, kind=engine.Kind.MELD),
)


def opening(settings: Settings) -> Facts:
    """The last seat deals first."""
    return Facts(dealer=settings.players - 1, score=(0,) * settings.players)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """21 cards each, a card turned up, and the last card of the rest, or the last that is no man, aside as maal."""
    facts = table.facts
    facts.hand_no += 1
    facts.seen = facts.has_drawn = (False,) * settings.players
    facts.kind, facts.tunnelas = tuple("none" for _ in table.seats), ("",) * settings.players
    facts.taken, facts.drawn, facts.renewals, facts.ended = None, None, 0, "no_cards"
    shuffled = table.lot(pack(3, settings.man))
    place = max(place for place, card in enumerate(shuffled) if card is not JOKER)
    table.bring((*shuffled[:place], *shuffled[place + 1 :]), "deck")
    table.bring(shuffled[place : place + 1], "maal")
    first = table.after(facts.dealer)
    table.deal("deck", to="hand", first=first, each=21)
    table.draw("deck", to="pile")
    return turn("draw", first)


def tunnelas_of(look: Look[Facts], seat: Seat) -> Cards:
    """The faces of which a seat has shown tunnelas before its first draw."""
    return cards(look.facts.tunnelas[seat])


# Before drawing ───────────────────────────────────────────────────────────────────────────────────────────────────────


def tunnelas(look: Look[Facts], settings: Settings, seat: Seat) -> list[Card]:
    """The faces held three times, until the seat has drawn."""
    if look.facts.has_drawn[seat]:
        return []
    return [card for card, times in Counter(look.cards("hand", seat)).items() if times == 3 and card is not JOKER]


def no_tunnela(look: Look[Facts], settings: Settings, seat: Seat, card: Card) -> Refusal:
    """Why this face cannot be shown as a tunnela."""
    if look.facts.has_drawn[seat]:
        return Refusal("HAS_DRAWN", "tunnelas are shown before your first draw of the hand")
    if card is JOKER:
        return Refusal("NO_TUNNELA_OF_MAN", "three man cards are no tunnela")
    return Refusal("NOT_THREE", f"a tunnela is three of the very same card, and you do not hold three {card}")


def tunnela(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[Card, Held("hand"), Among(tunnelas, no_tunnela)],
) -> Turn:  # fmt: skip
    """Shows three of the very same card, before the first draw; the third may win the hand."""
    facts = table.facts
    table.move((card, card, card), "hand", "shown", seat)
    shown = (*tunnelas_of(table, seat), card)
    facts.tunnelas = set_at(facts.tunnelas, seat, text(shown))
    if settings.tunnela_win and len(shown) == 3:
        see(facts, seat, "sets")
        facts.ended = "tunnelas"
        return OVER
    return turn("draw", seat)


def stocks(look: Look[Facts], settings: Settings, seat: Seat) -> tuple[str, ...]:
    """Where a card may be taken from."""
    top = look.top("pile")
    may = (settings.pick_man or top is not JOKER) and (settings.pick_before_seeing or look.facts.seen[seat])
    return ("deck", "pile") if may and top is not None else ("deck",)


def pile_is_closed(look: Look[Facts], settings: Settings, seat: Seat, source: str) -> Refusal:
    """Why the card on the pile may not be taken."""
    if look.top("pile") is None:
        return Refusal("PILE_IS_EMPTY", "nothing lies on the pile: draw from the deck")
    if look.top("pile") is JOKER and not settings.pick_man:
        return Refusal("MAN_STAYS", "a thrown man card may not be taken at this table: draw from the deck")
    return Refusal("NOT_SEEN", "only who has seen the maal may take thrown cards at this table: draw from the deck")


def draw(
    table: Table[Facts], settings: Settings, seat: Seat,
    source: Annotated[Literal["deck", "pile"], Among(stocks, pile_is_closed)],
) -> Turn:  # fmt: skip
    """Takes the next card of the deck, or the last card of the pile."""
    facts = table.facts
    if source == "deck":
        facts.drawn = table.draw("deck", to="hand", seat=seat).text
    else:
        facts.taken = table.pick("pile", to="hand", seat=seat).text
    facts.has_drawn = set_at(facts.has_drawn, seat, True)
    return turn("throw", seat)


# After drawing ────────────────────────────────────────────────────────────────────────────────────────────────────────


def see(facts: Facts, seat: Seat, kind: Way) -> None:
    """The seat has seen the maal: it knows which cards are wild."""
    facts.seen, facts.kind = set_at(facts.seen, seat, True), set_at(facts.kind, seat, kind)


def lay(table: Table[Facts], seat: Seat, sets: Sets) -> None:
    """Lays sets down from the hand; they stay the seat's cards, and are locked."""
    for group in sets:
        table.move(group, "hand", "shown", seat)


ALIKE = "is no dublee: a dublee is two of the very same card, and no man"


def refuse_unless(holds: Callable[[Cards], bool], sets: Sets, rule: str, says: str) -> None:
    """Refuses the first group that is not what it is laid down for."""
    for group in sets:
        if not holds(group):
            raise Refusal(rule, f"{text(group)} {says}")


def has_seen(look: Look[Facts], settings: Settings, seat: Seat) -> engine.Rule | None:
    """The maal is seen once."""
    return ("HAS_SEEN", "you have seen the maal already") if look.facts.seen[seat] else None


def wanted_to_see(look: Look[Facts], settings: Settings, seat: Seat) -> tuple[int, ...]:
    """Three pure sets, less the tunnelas shown before the first draw."""
    return (3,) * (3 - len(tunnelas_of(look, seat)))


def can_be_shown(look: Look[Facts], settings: Settings, seat: Seat, sizes: tuple[int, ...]) -> bool:
    """Groups of three, and none at all only where none is wanted."""
    return bool(sizes) == bool(wanted_to_see(look, settings, seat)) and set(sizes) <= {3}


@verb(unless=has_seen)
def show(
    table: Table[Facts], settings: Settings, seat: Seat,
    sets: Annotated[Sets, Held("hand"), Groups(wanted_to_see, can_be_shown)],
) -> Turn:  # fmt: skip
    """Lays down as many pure sets as are wanted, and sees the maal."""
    wanted = len(wanted_to_see(table, settings, seat))
    if len(sets) != wanted:
        raise Refusal("WRONG_NUMBER_OF_SETS", f"show {wanted} pure sets to see the maal", sets=wanted)
    refuse_unless(is_pure, sets, "NOT_PURE", "is no pure set: show sequences of one suit, or tunnelas")
    lay(table, seat, sets)
    see(table.facts, seat, "sets")
    return turn("throw", seat)


def no_dublees(look: Look[Facts], settings: Settings, seat: Seat) -> engine.Rule | None:
    """Dublees are for tables of so many players, and for who has not seen."""
    if not 0 < settings.dublee_players <= settings.players:
        return "DUBLEES_NOT_PLAYED", "nobody may see by dublees at this table: show pure sets"
    return has_seen(look, settings, seat)


def are_pairs(look: Look[Facts], settings: Settings, seat: Seat, sizes: tuple[int, ...]) -> bool:
    """Groups of two, one at least."""
    return set(sizes) == {2}


@verb(unless=no_dublees)
def dublee(
    table: Table[Facts], settings: Settings, seat: Seat,
    pairs: Annotated[Sets, Held("hand"), Groups((2,) * 7, are_pairs)],
) -> Turn:  # fmt: skip
    """Lays down seven pairs of the very same card, and sees the maal."""
    if len(pairs) != 7:
        raise Refusal("NOT_SEVEN", "lay down seven dublees to see the maal")
    refuse_unless(is_dublee, pairs, "NO_DUBLEE", ALIKE)
    lay(table, seat, pairs)
    see(table.facts, seat, "dublee")
    return turn("throw", seat)


def has_not_seen(look: Look[Facts], settings: Settings, seat: Seat) -> engine.Rule | None:
    """Nothing is judged for a seat that has not seen, since what is a set would tell it of the maal."""
    return None if look.facts.seen[seat] else ("NOT_SEEN", "you finish after seeing the maal: show first")


def wanted_to_finish(look: Look[Facts], settings: Settings, seat: Seat) -> tuple[int, ...]:
    """An eighth dublee; or the sets that are missing to seven, and a last card."""
    if look.facts.kind[seat] == "dublee":
        return (2,)
    return (3,) * (7 - look.count("shown", seat) // 3) + (1,)


def can_be_finished(look: Look[Facts], settings: Settings, seat: Seat, sizes: tuple[int, ...]) -> bool:
    """One pair, after dublees; else groups of three and a last one of one card."""
    if look.facts.kind[seat] == "dublee":
        return sizes == (2,)
    return sizes[-1:] == (1,) and set(sizes[:-1]) <= {3}


@verb(unless=has_not_seen)
def finish(
    table: Table[Facts], settings: Settings, seat: Seat,
    sets: Annotated[Sets, Held("hand"), Groups(wanted_to_finish, can_be_finished)],
) -> Turn:  # fmt: skip
    """Ends the hand: an eighth dublee, or seven sets in all and the card that is left, which goes to the pile."""
    facts = table.facts
    if facts.kind[seat] == "dublee":
        refuse_unless(is_dublee, sets, "NO_DUBLEE", ALIKE)
        lay(table, seat, sets)
        facts.ended = "dublee"
    else:
        wanted = len(wanted_to_finish(table, settings, seat)) - 1
        if len(sets) - 1 != wanted:
            raise Refusal("WRONG_NUMBER_OF_SETS", f"finish with {wanted} sets and one card more", sets=wanted)
        wild = family_of(table.cards("maal")[0]).wild
        refuse_unless(lambda group: is_set(group, wild), sets[:-1], "NO_SET", "is no set, even with the wild cards")
        lay(table, seat, sets[:-1])
        table.play(sets[-1][0], "hand", to="pile", seat=seat)
        facts.ended = "sets"
    return OVER


def throwable(look: Look[Facts], settings: Settings, seat: Seat) -> list[Card]:
    """All cards held but those like the one taken from the pile in this turn.

    Where dublees have left nothing but man cards, which make no eighth one, the man taken may go straight back.
    """
    hand, taken = look.cards("hand", seat), look.facts.taken
    if look.facts.kind[seat] == "dublee" and set(hand) == {JOKER}:
        return list(hand)
    return [card for card in hand if card.text != taken]


def throw(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[
        Card, Held("hand"), Among(throwable, "NOT_BACK", "the card just taken may not go straight back: throw another")
    ],
) -> Turn:  # fmt: skip
    """Throws a card on the pile; an empty deck is renewed of all the others there, or nobody wins the hand."""
    facts = table.facts
    table.play(card, "hand", to="pile", seat=seat)
    facts.taken = facts.drawn = None
    if not table.count("deck"):
        if facts.renewals == settings.reshuffles:
            return OVER
        facts.renewals += 1
        renew_deck(table, keep=1)
    return turn("draw", table.after(seat))


# The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """Every two seats pay each other the difference of their points, and each loser pays the winner a fee."""
    facts = table.facts
    maal = table.cards("maal")[0]
    winner = None if facts.ended == "no_cards" else table.acting[0]
    points = change = (0,) * settings.players
    if winner is not None:
        points = points_of(table, settings, winner, family_of(maal))
        fees = [0 if seat == winner else fee(table, settings, seat) for seat in table.seats]
        change = tuple(
            settings.players * points[seat] - sum(points) + (sum(fees) if seat == winner else -fees[seat])
            for seat in table.seats
        )
    facts.score = tuple(map(sum, zip(facts.score, change, strict=True)))
    hands = tuple(written(all_cards(table, seat)) for seat in table.seats)
    facts.last = LastHand(facts.hand_no, winner, facts.ended, maal.text, points, change, facts.seen, hands)
    return facts.last


def all_cards(look: Look[Facts], seat: Seat) -> Cards:
    """The cards of a seat, laid down or not."""
    return look.cards("hand", seat) + look.cards("shown", seat)


def points_of(look: Look[Facts], settings: Settings, winner: Seat, family: Family) -> tuple[int, ...]:
    """By seat, what its maal and its tunnelas count; of a seat that has not seen they may be lost, or the winner's."""
    points, kidnapped = [], 0
    for seat in look.seats:
        maal, extra = count_points(all_cards(look, seat), tunnelas_of(look, seat), family, alter=settings.alter)
        kept = maal + extra
        if not look.facts.seen[seat] and settings.unseen_maal != "count":
            kept = extra if settings.unseen_tunnela else 0
        points.append(kept)
        kidnapped += maal + extra - kept
    if settings.unseen_maal == "kidnap":
        points[winner] += kidnapped
    return tuple(points)


def fee(look: Look[Facts], settings: Settings, seat: Seat) -> int:
    """What a loser pays the winner, by how it saw; more if the winner finished with dublees."""
    fees = {"none": settings.unseen_fee, "sets": settings.seen_fee, "dublee": settings.dublee_fee}
    return fees[look.facts.kind[seat]] + (settings.dublee_bonus if look.facts.ended == "dublee" else 0)


def match_is_over(look: Look[Facts], settings: Settings) -> bool:
    """A match is a fixed number of hands."""
    return look.facts.hand_no == settings.hands


# Time-outs and samples ────────────────────────────────────────────────────────────────────────────────────────────────


def timed_out_throw(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The card drawn from the deck, else the highest but the one taken, spades first; man cards last.

    A seat that has laid down all but what it took can only finish, or see first.
    """
    hand = look.cards("hand", seat)
    if look.facts.drawn in [card.text for card in hand]:
        return f"throw {look.facts.drawn}"
    choice = throwable(look, settings, seat)
    if choice:
        return f"throw {max(choice, key=lambda card: (card.low, card))}"
    return f"finish {text(hand)}" if look.facts.seen[seat] else "show"


def random_show(look: Look[Facts], settings: Settings, seat: Seat, random: engine.Random) -> str | None:
    """Pure sets enough to see the maal, if the hand has them."""
    wanted = len(wanted_to_see(look, settings, seat))
    if look.facts.seen[seat] or not wanted:
        return None
    hand = look.cards("hand", seat)
    sets = sorted(pure_sets(hand), key=lambda group: random.random())
    return written_out("show", choose_sets(hand, sets, wanted))


def random_dublee(look: Look[Facts], settings: Settings, seat: Seat, random: engine.Random) -> str | None:
    """Seven dublees, if the hand has them."""
    held = dublees(look.cards("hand", seat))
    if len(held) < 7 or no_dublees(look, settings, seat) is not None:
        return None
    return written_out("dublee", [(card, card) for card in random.sample(held, 7)])


def random_finish(look: Look[Facts], settings: Settings, seat: Seat, random: engine.Random) -> str | None:
    """A finish, if the seat has seen and its hand has one."""
    hand = look.cards("hand", seat)
    if not look.facts.seen[seat]:
        return None
    if look.facts.kind[seat] == "dublee":
        return written_out("finish", [(card, card) for card in dublees(hand)[:1]] or None)
    return written_out("finish", split_into_sets(hand, family_of(look.cards("maal")[0]).wild))


def written_out(key: str, sets: Sequence[Cards] | None) -> str | None:
    """The action that names these sets."""
    return None if sets is None else f"{key} {' / '.join(map(text, sets))}"


GAME = Game(
    key="marriage",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"draw": (tunnela, draw), "throw": (show, dublee, finish, throw)},
    end_hand=end_hand,
    match_is_over=match_is_over,
    pass_deal=next_deals,
    place=most_points,
    timeouts={"draw": "draw deck", "throw": timed_out_throw},
    samplers={"show": random_show, "dublee": random_dublee, "finish": random_finish},
    jokers=True,
    turn_seconds=120,
    trials=(
        {"players": 2, "hands": 1, "reshuffles": 0, "tunnela_win": True},
        {"players": 3, "hands": 1, "reshuffles": 0, "man": 3, "pick_man": True, "unseen_maal": "count"},
        {"players": 4, "hands": 1, "reshuffles": 1, "man": 3, "pick_before_seeing": False, "unseen_maal": "kidnap"},
        {"players": 5, "hands": 2, "reshuffles": 0, "dublee_players": 0, "alter": False, "unseen_tunnela": True},
    ),
)
