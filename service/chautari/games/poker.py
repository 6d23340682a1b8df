"""Poker, Texas hold'em: two cards of one's own, five for all, and four rounds of betting for the pot.

Sources: the list of games (seed 001) for the seats, the cards and play chips; pagat.com, "Texas Hold'em" and "Poker
betting", for the deal, the limits and the showdown; the rules of the TDA for short all-ins, odd chips, the order of
showing and the button when two are left. The button moves and is never dead, no cards are burnt, and hands are shown
by the rules. Folding is refused where checking is free.
"""

from operator import add, sub
from typing import Annotated, Final, Literal

from chautari import engine
from chautari.cards import pack, text
from chautari.engine import (
    ALL,
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
    Viewers,
    Zone,
    bad_setting,
    refusal_of,
    turn,
    verb,
)
from chautari.errors import Refusal
from chautari.kit.chips import begin_hand, give_up, pay, put_out, seats_in, seats_live
from chautari.kit.levels import factor_of
from chautari.kit.placing import most_first
from chautari.kit.poker_hands import strength
from chautari.kit.pots import uncalled, win_alone, win_pots
from chautari.kit.records import written
from chautari.kit.totals import add_to, set_at


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Annotated[int, Range(2, 6)] = 4
    limit: Literal["no_limit", "pot_limit", "fixed_limit"] = "no_limit"
    mode: Literal["cash", "freezeout"] = "cash"
    chips: Annotated[int, Range(2, 1_000_000)] = 200
    small_blind: Annotated[int, Range(1, 10_000)] = 1
    big_blind: Annotated[int, Range(1, 20_000)] = 2
    ante: Annotated[int, Range(0, 10_000)] = 0
    hands: Annotated[int, Range(1, 200)] = 20
    level_hands: Annotated[int, Range(1, 100)] = 10
    raise_cap: Annotated[int, Range(0, 10)] = 4
    rebuy: bool = False
    muck: bool = True


def check(settings: Settings) -> None:
    """The small blind, the big blind and the chips rise in this order, and nobody buys chips in a freeze-out."""
    if settings.small_blind > settings.big_blind:
        raise bad_setting("small_blind", f"small_blind must not be above big_blind, {settings.big_blind}")
    if settings.big_blind > settings.chips:
        raise bad_setting("big_blind", f"big_blind must not be above chips, {settings.chips}")
    if settings.rebuy and settings.mode == "freezeout":
        raise bad_setting("rebuy", "there is no rebuy in a freezeout: play cash, or set rebuy to false")


class Pot(Record, frozen=True):
    """A pot that was won: the seats that could win it, and those that did."""

    amount: int
    seats: tuple[Seat, ...]
    winners: tuple[Seat, ...]


class LastHand(Record, frozen=True):
    """The record of a hand: how it ended, the board, the pots, by seat what came back and what changed, the cards."""

    hand_no: int
    how: Literal["showdown", "folds"]
    board: str
    pots: tuple[Pot, ...]
    returned: BySeat[int]
    change: BySeat[int]
    shown: BySeat[str]
    show_order: tuple[Seat, ...]


class Facts(engine.Facts):
    """What the table knows; and, told to nobody, what follows from it: the course of the round, and of the match.

    acted: the bet to match when a seat last acted in this round, −1 if it has not; step: how much a full raise lifts
    it; raises: bets and raises made in this round; bettor: the seat that made the last one. bought: chips that count
    against the score; stacks: the chips of each seat before the hand; out_in: the hand in which it went out.
    """

    dealer: Seat = 0
    hand_no: int = 0
    small_blind: int = 0
    big_blind: int = 0
    ante: int = 0
    small_blind_seat: Seat = 0
    big_blind_seat: Seat = 0
    chips: BySeat[int] = ()
    score: BySeat[int] = ()
    pot: int = 0
    paid: BySeat[int] = ()
    bets: BySeat[int] = ()
    live: BySeat[bool] = ()
    to_match: int = 0
    owes: int = 0
    least: int = 0
    most: int = 0
    out: BySeat[bool] = ()
    last: LastHand | None = None
    acted: Annotated[BySeat[int], SECRET] = ()
    step: Annotated[int, SECRET] = 0
    raises: Annotated[int, SECRET] = 0
    bettor: Annotated[Seat | None, SECRET] = None
    bought: Annotated[BySeat[int], SECRET] = ()
    stacks: Annotated[BySeat[int], SECRET] = ()
    out_in: Annotated[BySeat[int], SECRET] = ()


def may_see_at_end(look: Look[Facts], seat: Seat) -> Viewers:
    """A hand that was shown in the last hand is everybody's to see, any other its owner's."""
    last = look.facts.last
    shown = last is not None and last.hand_no == look.facts.hand_no and last.shown[seat]
    return ALL if shown else 1 << seat


ZONES = (
    Zone("deck", Sees.NONE, ordered=True),
    Zone("board", Sees.ALL, ordered=True, kind=Kind.ROW),
    Zone("muck", Sees.NONE, ordered=True, kind=Kind.ASIDE),
    Zone("hand", Sees.OWNER, per_seat=True, at_end=may_see_at_end),
)

STREETS: Final = {"preflop": "flop", "flop": "turn", "turn": "river"}
"""The round that follows each but the last."""


def opening(settings: Settings) -> Facts:
    """The button begins at the last seat, and everybody has the same chips; those of a cash game were bought."""
    players = settings.players
    nothing, no, chips = (0,) * players, (False,) * players, (settings.chips,) * players
    bought = chips if settings.mode == "cash" else nothing
    score = tuple(settings.chips - cost for cost in bought)
    return Facts(
        dealer=players - 1, chips=chips, score=score, paid=nothing, bets=nothing, live=no, out=no,
        acted=nothing, bought=bought, stacks=chips, out_in=nothing,
    )  # fmt: skip


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """Antes and blinds are paid, everybody gets two cards, and the seat after the big blind is first to act."""
    facts = table.facts
    players = seats_in(table)
    begin_hand(facts)
    level = 1 + (facts.hand_no - 1) // settings.level_hands
    by = factor_of(level) if settings.mode == "freezeout" else 1
    facts.small_blind, facts.big_blind = settings.small_blind * by, settings.big_blind * by
    facts.ante = settings.ante * by
    first = table.after(facts.dealer, among=players)
    facts.small_blind_seat = first if len(players) > 2 else facts.dealer
    facts.big_blind_seat = table.after(facts.small_blind_seat, among=players)
    facts.stacks = tuple([facts.stacks[seat] if facts.out[seat] else facts.chips[seat] for seat in table.seats])
    facts.bets = (0,) * settings.players
    table.shuffle("deck", fresh=pack())
    if facts.ante:
        for seat in players:
            pay(facts, seat, min(facts.ante, facts.chips[seat]))
    bet_up_to(facts, facts.small_blind_seat, facts.small_blind)
    bet_up_to(facts, facts.big_blind_seat, facts.big_blind)
    table.deal("deck", to="hand", first=first, each=2, seats=players)
    facts.acted = (-1,) * settings.players
    facts.to_match, facts.step, facts.raises, facts.bettor = facts.big_blind, facts.big_blind, 1, None
    return go_on(table, settings, "preflop", facts.big_blind_seat)


def bet_up_to(facts: Facts, seat: Seat, total: int) -> None:
    """The bet of a seat in this round becomes this total, or what it has."""
    amount = min(total - facts.bets[seat], facts.chips[seat])
    pay(facts, seat, amount)
    facts.bets = add_to(facts.bets, seat, amount)


def go_on(table: Table[Facts], settings: Settings, street: str, seat: Seat) -> Turn:
    """The next seat after this one that must act; where none must, the next street, and after the river the end."""
    facts = table.facts
    live = seats_live(table)
    if len(live) == 1:
        return settle(table, settings, "folds")
    able = [other for other in live if facts.chips[other]]
    while True:
        for following in table.round_from(table.after(seat)):
            if following in able and must_act(facts, following, alone=len(able) == 1):
                facts.owes = min(facts.to_match - facts.bets[following], facts.chips[following])
                facts.least, facts.most = totals(facts, settings, live, following)
                return turn(street, following)
        if street == "river":
            return settle(table, settings, "showdown")
        street, seat = STREETS[street], facts.dealer
        for _ in range(3 if street == "flop" else 1):
            table.draw("deck", to="board")
        facts.bets, facts.acted, facts.to_match = (0,) * settings.players, (-1,) * settings.players, 0
        doubled = settings.limit == "fixed_limit" and street in ("turn", "river")
        facts.step, facts.raises, facts.bettor = facts.big_blind << doubled, 0, None


def must_act(facts: Facts, seat: Seat, *, alone: bool) -> bool:
    """Whether a seat that can has to act: it has not, or owes a bet; not one that can `alone`, and owes nobody."""
    own = facts.bets[seat]
    if facts.acted[seat] >= 0 and own == facts.to_match:
        return False
    return not alone or max(facts.bets) > own


def totals(facts: Facts, settings: Settings, live: list[Seat], seat: Seat) -> tuple[int, int]:
    """The least and the most that a seat may bet or raise to; twice 0 where it may not."""
    own, to_match = facts.bets[seat], facts.to_match
    everything = own + facts.chips[seat]
    if why_no_raise(facts, settings, live, seat) is not None:
        return 0, 0
    least = most = to_match + facts.step
    if settings.limit == "no_limit":
        most = everything
    elif settings.limit == "pot_limit":
        most = max(least, 2 * to_match - own + facts.pot)
    return min(least, everything), min(most, everything)


def why_no_raise(facts: Facts, settings: Settings, live: list[Seat], seat: Seat) -> Rule | None:
    """What keeps a seat from betting and raising, by any amount."""
    to_match = facts.to_match
    if facts.bets[seat] + facts.chips[seat] <= to_match:
        return "ONLY_A_CALL", "you do not have more than a call costs: call, or fold"
    if max([facts.bets[other] + facts.chips[other] for other in live if other != seat]) <= to_match:
        return "NOBODY_COULD_CALL", "nobody else has chips to call a raise"
    if settings.limit == "fixed_limit" and 0 < settings.raise_cap <= facts.raises:
        return "CAPPED", "{cap} bets and raises are all that a round has", {"cap": settings.raise_cap}
    if facts.acted[seat] >= 0 and to_match - facts.acted[seat] < facts.step:
        return "NOT_REOPENED", "since you acted there was no full raise: call, or fold"
    return None


def nothing_to_call(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Folding and calling are for a seat that owes a bet."""
    return None if look.facts.owes else ("NOTHING_TO_CALL", "there is no bet to call: check")


def bet_to_call(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Checking is for a seat that owes nothing."""
    owes = look.facts.owes
    return ("BET_TO_CALL", "a call costs {owes}: call, raise or fold", {"owes": owes}) if owes else None


def opened(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """A round is opened once."""
    bet = look.facts.to_match
    return ("OPENED", "there is a bet of {bet} in this round: raise", {"bet": bet}) if bet else None


def unopened(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """A bet comes before raises."""
    return None if look.facts.to_match else ("NOT_OPENED", "nobody has bet in this round: bet")


@verb(unless=nothing_to_call)
def fold(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Gives the hand up, unseen."""
    table.move(sorted(table.cards("hand", seat)), "hand", "muck", seat)
    give_up(table.facts, seat)
    return go_on(table, settings, table.phase, seat)


@verb(unless=bet_to_call)
def check_(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Stays in for nothing."""
    return done(table, settings, seat)


@verb(unless=nothing_to_call)
def call(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Pays up to the bet to match, or all it has."""
    bet_up_to(table.facts, seat, table.facts.to_match)
    return done(table, settings, seat)


def done(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """The seat has acted."""
    table.facts.acted = set_at(table.facts.acted, seat, table.facts.to_match)
    return go_on(table, settings, table.phase, seat)


def open_totals(look: Look[Facts], settings: Settings, seat: Seat) -> range:
    """The totals that the seat in turn may bet or raise to."""
    facts = look.facts
    return range(facts.least, facts.most + 1) if facts.most else range(0)


def why_not(look: Look[Facts], settings: Settings, seat: Seat, total: int) -> Refusal:
    """Which rule forbids this total."""
    facts = look.facts
    refusal = why_no_raise(facts, settings, seats_live(look), seat)
    if refusal is not None:
        return refusal_of(refusal)
    return Refusal(
        "TOTAL_OUT_OF_RANGE", f"name a total from {facts.least} to {facts.most}, not {total}",
        least=facts.least, most=facts.most, total=total,
    )  # fmt: skip


Total = Annotated[int, AMOUNT, Among(open_totals, why_not)]


@verb(unless=opened)
def bet(table: Table[Facts], settings: Settings, seat: Seat, total: Total) -> Turn:
    """Opens the round: the bet of the seat becomes this total."""
    return raise_to(table, settings, seat, total)


@verb(unless=unopened)
def raise_(table: Table[Facts], settings: Settings, seat: Seat, total: Total) -> Turn:
    """The bet of the seat becomes this total of the round."""
    return raise_to(table, settings, seat, total)


def raise_to(table: Table[Facts], settings: Settings, seat: Seat, total: int) -> Turn:
    """A new bet to match; where there is no fixed limit, a full raise is the step of the next one."""
    facts = table.facts
    lift = total - facts.to_match
    bet_up_to(facts, seat, total)
    facts.to_match = total
    if settings.limit != "fixed_limit":
        facts.step = max(facts.step, lift)
    facts.raises += 1
    facts.bettor = seat
    return done(table, settings, seat)


def settle(table: Table[Facts], settings: Settings, how: Literal["showdown", "folds"]) -> Turn:
    """Uncalled chips go back, each pot goes to the best hand that can win it, and hands are shown; the hand is over."""
    facts = table.facts
    board = table.cards("board")
    order = table.round_from(table.after(facts.dealer))
    live = [seat for seat in order if facts.live[seat]]
    returned = uncalled(facts.paid)
    paid = tuple(map(sub, facts.paid, returned))
    if how == "showdown":
        hands = {seat: strength(board + table.cards("hand", seat)) for seat in live}
        showing = show_order(facts, settings, live, hands, paid)
        won = win_pots(paid, hands, order)
    else:
        showing, won = [], win_alone(paid, live[0])
    pots = tuple([Pot(*pot) for pot in won.pots])
    gained = tuple(map(add, returned, won.chips))
    facts.chips, facts.score = tuple(map(add, facts.chips, gained)), tuple(map(add, facts.score, gained))
    shown = tuple([written(table.cards("hand", seat)) if seat in showing else "" for seat in table.seats])
    change = tuple(map(sub, gained, facts.paid))
    facts.last = LastHand(facts.hand_no, how, text(board), pots, returned, change, shown, tuple(showing))
    return OVER


def show_order(
    facts: Facts, settings: Settings, live: list[Seat], hands: dict[Seat, int], paid: tuple[int, ...]
) -> list[Seat]:
    """The seats that show, in their order: of the `live`, in order of play from the button on, all where at most one
    has chips left; else from the last one that bet on the river, and not those that are beaten already."""
    if sum([facts.chips[seat] > 0 for seat in live]) < 2:
        return live
    first = 0 if facts.bettor is None else live.index(facts.bettor)
    showing: list[Seat] = []
    for seat in live[first:] + live[:first]:
        beaten = any(hands[other] > hands[seat] and paid[other] >= paid[seat] for other in showing)
        if not (settings.muck and beaten):
            showing.append(seat)
    return showing


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """A seat without chips buys some again, or is out for good."""
    facts = table.facts
    assert facts.last is not None
    for seat in seats_in(table):
        if not facts.chips[seat]:
            if settings.rebuy:
                facts.chips = set_at(facts.chips, seat, settings.chips)
                facts.bought = add_to(facts.bought, seat, settings.chips)
            else:
                put_out(facts, seat)
    facts.pot = facts.to_match = facts.owes = facts.least = facts.most = 0
    facts.paid = facts.bets = (0,) * settings.players
    return facts.last


def match_is_over(look: Look[Facts], settings: Settings) -> bool:
    """When one seat is left, and in a cash game after the last hand."""
    return len(seats_in(look)) < 2 or (settings.mode == "cash" and look.facts.hand_no == settings.hands)


def pass_deal(table: Table[Facts], settings: Settings) -> None:
    """The button moves on; when two are left for the first time, so that nobody is big blind twice running."""
    facts = table.facts
    players = seats_in(table)
    were_more = facts.small_blind_seat != facts.dealer
    facts.dealer = table.after(facts.dealer, among=players)
    if len(players) == 2 and were_more and table.after(facts.dealer, among=players) == facts.big_blind_seat:
        facts.dealer = facts.big_blind_seat


def place(look: Look[Facts], settings: Settings) -> tuple[int, ...]:
    """Cash: the highest score. Freeze-out: who is left, then who lasted longest, then who had more before the hand."""
    facts = look.facts
    if settings.mode == "cash":
        return most_first(facts.score)
    return most_first([
        (facts.out_in[seat], facts.stacks[seat]) if facts.out[seat] else (facts.hand_no + 1, facts.chips[seat])
        for seat in look.seats
    ])  # fmt: skip


def timed_out(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """Checks where that is free, else folds."""
    return "fold" if look.facts.owes else "check"


def random_total(look: Look[Facts], settings: Settings, seat: Seat, random: Random) -> str | None:
    """The least or the most total, or one in between."""
    least, most = look.facts.least, look.facts.most
    if not most:
        return None
    chance = 3 * random.random()
    total = least if chance < 1 else most if chance < 2 else least + int(random.random() * (most - least + 1))
    return f"{'raise' if look.facts.to_match else 'bet'} {total}"


GAME = Game(
    key="poker",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases=dict.fromkeys(("preflop", "flop", "turn", "river"), (fold, check_, call, bet, raise_)),
    end_hand=end_hand,
    match_is_over=match_is_over,
    pass_deal=pass_deal,
    place=place,
    timeouts=dict.fromkeys(("preflop", "flop", "turn", "river"), timed_out),
    samplers={"bet": random_total, "raise": random_total},
    check=check,
    disclosure="shown_only",
    formats=("phh",),
    turn_seconds=30,
    trials=(
        {"players": 4, "hands": 10},
        {"players": 2, "hands": 12, "limit": "pot_limit", "chips": 40, "rebuy": True},
        {"players": 6, "hands": 8, "limit": "fixed_limit", "chips": 60, "big_blind": 4, "small_blind": 2, "ante": 1},
        {"players": 3, "mode": "freezeout", "level_hands": 2, "chips": 60, "muck": False},
        {"players": 5, "mode": "freezeout", "level_hands": 1, "chips": 30, "ante": 1, "limit": "pot_limit"},
        {"players": 6, "hands": 8, "chips": 12, "ante": 3, "big_blind": 3, "rebuy": True, "raise_cap": 0},
        {"players": 2, "mode": "freezeout", "level_hands": 1, "chips": 20, "limit": "fixed_limit", "raise_cap": 2},
    ),
)
