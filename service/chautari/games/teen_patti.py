"""Teen Patti: bet on three cards, blind or seen, until one player is left or hands are compared.

Sources: the list of games (seed 001) for the seats, playing blind or seen, and play chips only; pagat.com for the range
of a bet, the show, the side show and the ranking; cardpartyclub and teenpatticlub for muflis and A-K-4-7; common apps
for the limits of blind bets, stake and pot. Where they differ there is a setting. A seat that cannot pay its bet may go
all in, which compares all hands; there are no side pots.
"""

from typing import Annotated, Literal

from chautari import engine
from chautari.cards import pack
from chautari.engine import (
    AMOUNT,
    NOBODY,
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
    Show,
    Table,
    Turn,
    Viewers,
    Zone,
    bad_setting,
    only,
    refusal_of,
    turn,
    verb,
)
from chautari.errors import Refusal
from chautari.kit.chips import begin_hand, give_up, pay, put_out, seats_in, seats_live
from chautari.kit.placing import most_first
from chautari.kit.pots import share
from chautari.kit.records import written
from chautari.kit.three_cards import strength, strength_with_wilds
from chautari.kit.totals import add_to, set_at


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Annotated[int, Range(2, 6)] = 4
    chips: Annotated[int, Range(10, 100_000)] = 100
    boot: Annotated[int, Range(1, 1000)] = 1
    hands: Annotated[int, Range(1, 100)] = 10
    variation: Literal["classic", "muflis", "ak47", "joker"] = "classic"
    a23: Literal["second", "first", "lowest"] = "second"
    max_blind: Annotated[int, Range(0, 20)] = 4
    stake_limit: Annotated[int, Range(0, 100_000)] = 0
    pot_limit: Annotated[int, Range(0, 1_000_000)] = 0
    side_show: bool = True
    show_tie: Literal["payer_loses", "split"] = "payer_loses"
    seen_may_show_blind: bool = False


def check(settings: Settings) -> None:
    """Everybody can pay the first boot."""
    if settings.chips < settings.boot:
        raise bad_setting("chips", f"chips must be at least the boot, {settings.boot}, not {settings.chips}")


How = Literal["packs", "show", "pot_limit", "all_in"]


class LastHand(Record, frozen=True):
    """The record of a hand: how it ended, who won the pot, what each seat won or lost, and the cards shown."""

    hand_no: int
    how: How
    winners: tuple[Seat, ...]
    pot: int
    change: BySeat[int]
    shown: BySeat[str]


class Facts(engine.Facts):
    """What the table knows, and in which hand each seat went out."""

    dealer: Seat = 0
    hand_no: int = 0
    chips: BySeat[int] = ()
    score: BySeat[int] = ()
    pot: int = 0
    stake: int = 0
    live: BySeat[bool] = ()
    seen: BySeat[bool] = ()
    blinds: BySeat[int] = ()
    paid: BySeat[int] = ()
    out: BySeat[bool] = ()
    asker: Seat | None = None
    last: LastHand | None = None
    shown_to: Annotated[BySeat[tuple[Seat, ...]], Show.HIDDEN] = ()
    out_in: Annotated[BySeat[int], SECRET] = ()


def may_see(look: Look[Facts], seat: Seat) -> Viewers:
    """Its owner sees a hand once it has looked at it, and so does who compared it in a side show."""
    facts = look.facts
    return only(*facts.shown_to[seat], seat) if facts.seen[seat] else NOBODY


def may_see_at_end(look: Look[Facts], seat: Seat) -> Viewers:
    """A hand that was shown in the last hand is everybody's to see."""
    last = look.facts.last
    if last is not None and last.hand_no == look.facts.hand_no and last.shown[seat]:
        return engine.ALL
    return may_see(look, seat)


ZONES = (
    Zone("deck", Sees.NONE, ordered=True),
    Zone("joker", Sees.ALL, kind=Kind.ASIDE),
    Zone("hand", may_see, per_seat=True, at_end=may_see_at_end),
)


def opening(settings: Settings) -> Facts:
    """The last seat deals first, and everybody has the same chips."""
    players = settings.players
    nothing, no, chips = (0,) * players, (False,) * players, (settings.chips,) * players
    return Facts(
        dealer=players - 1, chips=chips, score=chips, live=no, seen=no, blinds=nothing, paid=nothing, out=no,
        shown_to=((),) * players, out_in=nothing,
    )  # fmt: skip


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """All pay the boot and get three cards unseen; a pot that has reached its limit is shown for at once."""
    facts = table.facts
    players = seats_in(table)
    begin_hand(facts)
    facts.seen, facts.blinds = (False,) * settings.players, (0,) * settings.players
    facts.shown_to = ((),) * settings.players
    facts.stake = settings.boot
    for seat in players:
        pay(facts, seat, settings.boot)
    first = table.after(facts.dealer, among=players)
    table.shuffle("deck", fresh=pack())
    table.deal("deck", to="hand", first=first, each=3, seats=players)
    if settings.variation == "joker":
        table.draw("deck", to="joker")
    if 0 < settings.pot_limit <= facts.pot:
        return compare(table, settings, "pot_limit")
    return turn("bet", first)


def least_bet(look: Look[Facts], seat: Seat) -> int:
    """The stake for a blind seat, twice the stake for one that has seen its cards."""
    return look.facts.stake << look.facts.seen[seat]


def pass_turn(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """The next live seat bets; one that has bet blind often enough is shown its cards first."""
    facts = table.facts
    following = table.after(seat, among=seats_live(table))
    if 0 < settings.max_blind <= facts.blinds[following]:
        facts.seen = set_at(facts.seen, following, True)
    return turn("bet", following)


def has_seen(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Cards can be looked at once."""
    return ("SEEN_ALREADY", "you have seen your cards already") if look.facts.seen[seat] else None


@verb(unless=has_seen)
def see(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Looks at its cards, and is still to bet."""
    table.facts.seen = set_at(table.facts.seen, seat, True)
    return turn("bet", seat)


def bets(look: Look[Facts], settings: Settings, seat: Seat) -> range:
    """What may be bet: the least bet up to twice that, within the limit of the stake and the chips of the seat."""
    facts = look.facts
    seen = facts.seen[seat]
    most = facts.stake * 2
    if settings.stake_limit:
        most = min(most, max(settings.stake_limit, facts.stake))
    return range(facts.stake << seen, min(most << seen, facts.chips[seat]) + 1, 1 + seen)


def why_not(look: Look[Facts], settings: Settings, seat: Seat, amount: int) -> Refusal:
    """Which rule forbids a bet of this amount."""
    allowed = bets(look, settings, seat)
    if not allowed:
        return refusal_of(cannot_pay(look, seat))
    low, high = allowed[0], allowed[-1]
    if low <= amount <= high:
        return Refusal("BET_ODD", "a seat that has seen its cards bets an even amount", amount=amount)
    return Refusal("BET_OUT_OF_RANGE", f"bet from {low} to {high}, not {amount}", low=low, high=high, amount=amount)


def cannot_pay(look: Look[Facts], seat: Seat) -> Rule:
    """What a seat is told that has too few chips."""
    values = {"least": least_bet(look, seat), "chips": look.facts.chips[seat]}
    return "TOO_FEW_CHIPS", "this costs {least} chips, and you have {chips}", values


def chaal(
    table: Table[Facts], settings: Settings, seat: Seat, amount: Annotated[int, AMOUNT, Among(bets, why_not)]
) -> Turn:
    """Bets; the stake becomes the amount, or half of it where the seat has seen its cards."""
    facts = table.facts
    pay(facts, seat, amount)
    if facts.seen[seat]:
        facts.stake = amount // 2
    else:
        facts.stake = amount
        facts.blinds = add_to(facts.blinds, seat)
    if 0 < settings.pot_limit <= facts.pot:
        return compare(table, settings, "pot_limit")
    return pass_turn(table, settings, seat)


@verb(free=True)
def pack_(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Gives up the hand; the last live seat wins."""
    give_up(table.facts, seat)
    live = seats_live(table)
    return win(table, "packs", live) if len(live) == 1 else pass_turn(table, settings, seat)


def no_show(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Two live seats are needed, and who has seen its cards may not ask one that plays blind."""
    facts = look.facts
    live = seats_live(look)
    if len(live) != 2:
        return "NOT_TWO_LEFT", "a show is between the last two players, and {left} are left", {"left": len(live)}
    other = live[0] if live[1] == seat else live[1]
    if facts.seen[seat] and not facts.seen[other] and not settings.seen_may_show_blind:
        return "SEEN_AGAINST_BLIND", "you have seen your cards: you may not ask a blind player for a show"
    return cannot_pay(look, seat) if facts.chips[seat] < least_bet(look, seat) else None


@verb(unless=no_show)
def show(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Pays the least bet, and the last two hands are compared."""
    pay(table.facts, seat, least_bet(table, seat))
    return compare(table, settings, "show", payer=seat)


def seat_before(look: Look[Facts], seat: Seat) -> Seat:
    """Whom a side show asks."""
    return look.before(seat, among=seats_live(look))


def no_side_show(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """It is switched on, at least three are live, both have seen their cards, and the asker can pay."""
    facts = look.facts
    if not settings.side_show:
        return "NO_SIDE_SHOWS", "there are no side shows at this table"
    if len(seats_live(look)) < 3:
        return "NOT_THREE_LEFT", "a side show needs three players; with two left ask for a show"
    if not facts.seen[seat]:
        return "ASKER_BLIND", "see your cards before you ask for a side show"
    if not facts.seen[seat_before(look, seat)]:
        return "ASKED_BLIND", "the player before you plays blind, and cannot be asked for a side show"
    return cannot_pay(look, seat) if facts.chips[seat] < least_bet(look, seat) else None


@verb(unless=no_side_show)
def side_show(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Pays the least bet, and asks the live seat before it to compare hands."""
    facts = table.facts
    pay(facts, seat, least_bet(table, seat))
    if 0 < settings.pot_limit <= facts.pot:
        return compare(table, settings, "pot_limit")
    facts.asker = seat
    return turn("answer", seat_before(table, seat))


def can_pay(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Only a seat that cannot pay its least bet goes all in."""
    least = least_bet(look, seat)
    if look.facts.chips[seat] < least:
        return None
    return "CAN_PAY", "you can pay the least bet, {least}: all in is for those who cannot", {"least": least}


@verb(unless=can_pay)
def all_in(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Pays all it has, and all live hands are compared."""
    pay(table.facts, seat, table.facts.chips[seat])
    return compare(table, settings, "all_in")


@verb(tells="the weaker hand of an accepted side show packs")
def accept(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """The two see each other's cards; the weaker hand packs, of equal ones that of the asker."""
    facts = table.facts
    asker = facts.asker
    assert asker is not None
    for one, other in ((seat, asker), (asker, seat)):
        facts.shown_to = set_at(facts.shown_to, one, (*facts.shown_to[one], other))
    asked_loses = hand_strength(table, settings, seat) < hand_strength(table, settings, asker)
    give_up(facts, seat if asked_loses else asker)
    return end_side_show(table, settings, asker)


@verb(free=True)
def refuse(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Both play on."""
    assert table.facts.asker is not None
    return end_side_show(table, settings, table.facts.asker)


def end_side_show(table: Table[Facts], settings: Settings, asker: Seat) -> Turn:
    """The next live seat after the asker is to bet."""
    table.facts.asker = None
    return pass_turn(table, settings, asker)


def hand_strength(look: Look[Facts], settings: Settings, seat: Seat) -> int:
    """How good a hand is: the greater the better."""
    hand = look.cards("hand", seat)
    match settings.variation:
        case "classic":
            return strength(hand, aces=settings.a23)
        case "muflis":
            return -strength(hand, aces=settings.a23)
        case "ak47":
            return strength_with_wilds(hand, "AK47", aces=settings.a23)
        case "joker":
            return strength_with_wilds(hand, look.cards("joker")[0].rank, aces=settings.a23)


def compare(table: Table[Facts], settings: Settings, how: How, payer: Seat | None = None) -> Turn:
    """All live hands are shown, and the best wins; of equal ones all, but for the seat that paid for a show."""
    hands = {seat: hand_strength(table, settings, seat) for seat in seats_live(table)}
    best = max(hands.values())
    winners = [seat for seat, own in hands.items() if own == best]
    if len(winners) > 1 and settings.show_tie == "payer_loses":
        winners = [seat for seat in winners if seat != payer]
    return win(table, how, winners)


def win(table: Table[Facts], how: How, winners: list[Seat]) -> Turn:
    """The winners share the pot, odd chips going to the first after the dealer; the hand is over."""
    facts = table.facts
    shares = share(facts.pot, [seat for seat in table.round_from(table.after(facts.dealer)) if seat in winners])
    change = tuple(shares.get(seat, 0) - paid for seat, paid in enumerate(facts.paid))
    shown = tuple(written(table.cards("hand", seat)) if facts.live[seat] and how != "packs" else ""
                  for seat in table.seats)  # fmt: skip
    facts.last = LastHand(facts.hand_no, how, tuple(winners), facts.pot, change, shown)
    facts.chips = facts.score = tuple(own + shares.get(seat, 0) for seat, own in enumerate(facts.chips))
    facts.pot = facts.stake = 0
    return OVER


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """Who cannot pay another boot is out for good."""
    facts = table.facts
    assert facts.last is not None
    for seat in seats_in(table):
        if facts.chips[seat] < settings.boot:
            put_out(facts, seat)
    return facts.last


def match_is_over(look: Look[Facts], settings: Settings) -> bool:
    """After the last hand, or when at most one seat can pay the boot."""
    return look.facts.hand_no == settings.hands or len(seats_in(look)) < 2


def pass_deal(table: Table[Facts], settings: Settings) -> None:
    """The next seat that is still in deals."""
    table.facts.dealer = table.after(table.facts.dealer, among=seats_in(table))


def place(look: Look[Facts], settings: Settings) -> tuple[int, ...]:
    """The most chips; of equals a seat still in before those out, and of these the one that went out later."""
    facts = look.facts
    return most_first([(facts.chips[seat], not facts.out[seat], facts.out_in[seat]) for seat in look.seats])


def random_bet(look: Look[Facts], settings: Settings, seat: Seat, random: Random) -> str | None:
    """Any amount that may be bet."""
    allowed = bets(look, settings, seat)
    return f"chaal {random.choice(allowed)}" if allowed else None


GAME = Game(
    key="teen_patti",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"bet": (see, chaal, pack_, show, side_show, all_in), "answer": (accept, refuse)},
    end_hand=end_hand,
    match_is_over=match_is_over,
    pass_deal=pass_deal,
    place=place,
    timeouts={"bet": "pack", "answer": "refuse"},
    samplers={"chaal": random_bet},
    check=check,
    disclosure="shown_only",
    turn_seconds=30,
    trials=(
        {"players": 4, "hands": 8},
        {"players": 3, "hands": 12, "chips": 10, "max_blind": 1, "a23": "first", "show_tie": "split"},
        {"players": 6, "variation": "muflis", "stake_limit": 4, "max_blind": 2, "seen_may_show_blind": True},
        {"players": 5, "hands": 8, "variation": "ak47", "boot": 4, "chips": 40, "pot_limit": 60, "a23": "lowest"},
        {"players": 3, "hands": 8, "variation": "joker", "boot": 2, "max_blind": 2, "stake_limit": 1},
        {"players": 4, "hands": 100, "chips": 12, "boot": 2, "max_blind": 0, "pot_limit": 30, "show_tie": "split"},
    ),
)
