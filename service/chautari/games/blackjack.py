"""Blackjack: each seat alone draws towards 21 against a house that plays by fixed rules.

Sources: the list of games (seed 004) for the aim and busting; casino rules as generally published for the rest, with a
setting where casinos differ; tournament rules (gamerules.com, qfit.com) for a fixed number of rounds, the first bet
going round, secret bets, and being out below the smallest bet. All fractions of a chip go to the house.
"""

from itertools import repeat
from typing import Annotated, Literal

from chautari import engine
from chautari.cards import pack
from chautari.engine import (
    ALL,
    AMOUNT,
    NOBODY,
    OVER,
    SECRET,
    Among,
    BySeat,
    Game,
    Kind,
    Look,
    Private,
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
    turn,
    verb,
)
from chautari.errors import Refusal
from chautari.kit.placing import most_first
from chautari.kit.shoe import cards_left, next_card, renew
from chautari.kit.staked_hands import (
    begin_hands,
    cards_of,
    double_stake,
    draw_to,
    finish,
    hand_names,
    hands_to_beat,
    house_draws,
    in_play,
    insure_half,
    is_of_split_aces,
    outcomes_of,
    split_hand,
    too_few,
    why_no_insurance,
)
from chautari.kit.totals import add_to, set_at
from chautari.kit.twenty_one import BEST, Ending, Outcome, Pays, are_alike, gain, is_natural, total


class Settings(engine.Settings, frozen=True):
    """What a table agrees on."""

    players: Annotated[int, Range(1, 7)] = 3
    packs: Annotated[int, Range(1, 8)] = 6
    rounds: Annotated[int, Range(1, 100)] = 10
    chips: Annotated[int, Range(1, 1_000_000)] = 1000
    min_bet: Annotated[int, Range(1, 1_000_000)] = 10
    max_bet: Annotated[int, Range(1, 1_000_000)] = 200
    bet_step: Annotated[int, Range(1, 1_000_000)] = 10
    bet_order: Literal["together", "in_turn"] = "together"
    must_bet: bool = True
    blackjack_pays: Pays = "3to2"
    soft17: Literal["stand", "hit"] = "stand"
    hole: Literal["peek", "late"] = "peek"
    insurance: bool = True
    even_money: bool = True
    double: Literal["any", "9to11", "10to11", "none"] = "any"
    double_after_split: bool = True
    split: Literal["value", "rank", "none"] = "value"
    max_hands: Annotated[int, Range(2, 4)] = 4
    resplit_aces: bool = False
    hit_split_aces: bool = False
    surrender: bool = False
    charlie: Literal[0, 5, 6, 7] = 0
    cut: Annotated[int, Range(0, 90)] = 75


def check(settings: Settings) -> None:
    """Bets go in steps from the least to the greatest, and the least is within the chips."""
    low, high, step = settings.min_bet, settings.max_bet, settings.bet_step
    if settings.chips < low:
        raise bad_setting("chips", f"chips must be at least min_bet, {low}")
    if low > high:
        raise bad_setting("min_bet", f"min_bet must not be above max_bet, {high}")
    for name, bet in (("min_bet", low), ("max_bet", high)):
        if bet % step:
            raise bad_setting(name, f"{name} must be a multiple of bet_step, {step}")


class LastHand(Record, frozen=True):
    """The record of a round: by seat the outcome of each hand, and what it won or lost."""

    hand_no: int
    outcomes: BySeat[tuple[Outcome, ...]]
    change: BySeat[int]


def unless_hidden(look: Look["Facts"]) -> Viewers:
    """While bets are made unseen, a seat sees its own."""
    return NOBODY if look.facts.bets_hidden else ALL


class Facts(engine.Facts):
    """What the table knows, and how hands of the round were finished."""

    button: Seat = 0
    hand_no: int = 0
    score: BySeat[int] = ()
    stakes: Annotated[BySeat[tuple[int, ...]], Private(unless_hidden, (), each_own=True)] = ()
    insured: BySeat[int] = ()
    active: int | None = None
    out_at: BySeat[int | None] = ()
    last_hand: LastHand | None = None
    bets_hidden: Annotated[bool, Show.HIDDEN] = False
    endings: Annotated[BySeat[tuple[Ending, ...]], SECRET] = ()


ZONES = (
    Zone("deck", Sees.NONE, ordered=True),
    Zone("discard", Sees.ALL, ordered=True, kind=Kind.PILE),
    Zone("house", Sees.ALL, ordered=True, kind=Kind.ROW),
    Zone("hole", Sees.NONE, kind=Kind.ASIDE),
    Zone("hand", Sees.ALL, ordered=True, indexes=hand_names),
)


def opening(settings: Settings) -> Facts:
    """Everybody has the same chips, and seat 0 is first."""
    players = settings.players
    nothing, none = (0,) * players, ((),) * players
    score = (settings.chips,) * players
    return Facts(score=score, stakes=none, insured=nothing, out_at=(None,) * players, endings=none)


def order(look: Look[Facts]) -> list[Seat]:
    """The seats that are in, from the button on."""
    out_at = look.facts.out_at
    return [seat for seat in look.round_from(look.facts.button) if out_at[seat] is None]


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """A round begins with the bets; the cards of the one before still lie on the table."""
    facts = table.facts
    if not facts.hand_no:
        table.shuffle("deck", fresh=pack(settings.packs))
    facts.hand_no += 1
    facts.bets_hidden = settings.bet_order == "together"
    seats = order(table)
    return turn("bet", *(seats if facts.bets_hidden else seats[:1]))


def is_secret(settings: Settings) -> bool:
    """Bets that all make at once are not heard."""
    return settings.bet_order == "together"


def bets(look: Look[Facts], settings: Settings, seat: Seat) -> range:
    """What a seat may bet."""
    return range(settings.min_bet, min(settings.max_bet, look.facts.score[seat]) + 1, settings.bet_step)


def why_no_bet(look: Look[Facts], settings: Settings, seat: Seat, amount: int) -> Refusal:
    """Which rule forbids this bet."""
    allowed = bets(look, settings, seat)
    low, high, step = allowed[0], allowed[-1], settings.bet_step
    if low <= amount <= high:
        return Refusal("BETWEEN_STEPS", f"bet a multiple of {step}, not {amount}", step=step, amount=amount)
    return Refusal("BET_OUT_OF_RANGE", f"bet from {low} to {high}, not {amount}", low=low, high=high, amount=amount)


@verb(sealed=is_secret)
def bet(
    table: Table[Facts], settings: Settings, seat: Seat, amount: Annotated[int, AMOUNT, Among(bets, why_no_bet)]
) -> Turn:
    """Stakes chips on a hand of this round; that is final."""
    table.facts.stakes = set_at(table.facts.stakes, seat, (amount,))
    return bet_done(table, settings, seat)


def has_to_bet(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """A round may be sat out only where the table allows it."""
    return ("MUST_BET", "everybody has to bet in every round here") if settings.must_bet else None


@verb(sealed=is_secret, unless=has_to_bet)
def sit(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Makes no bet in this round."""
    return bet_done(table, settings, seat)


def bet_done(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """The others decide; after the last one the cards are dealt."""
    if settings.bet_order == "together":
        return table.still_in_turn(seat) or deal_cards(table, settings)
    seats = order(table)
    return turn("bet", seats[seats.index(seat) + 1]) if seat != seats[-1] else deal_cards(table, settings)


def deal_cards(table: Table[Facts], settings: Settings) -> Turn:
    """The table is cleared, the shoe shuffled where it is time, and seats with a bet and the house get their cards."""
    facts = table.facts
    facts.bets_hidden = False
    for hand in table.holders("hand"):
        table.sweep("hand", "discard", seat=hand)
    table.sweep("house", to="discard")
    every = 52 * settings.packs
    if facts.hand_no > 1 and 100 * (every - table.count("deck")) >= settings.cut * every:
        renew(table)
    begin_hands(facts)
    playing = [seat for seat in order(table) if facts.stakes[seat]]
    if not playing:
        return settle(table, settings)
    for up_card in (True, False):
        for seat in playing:
            draw_to(table, settings, seat, 0)
        if up_card or settings.hole == "peek":
            next_card(table, "house" if up_card else "hole")
    asked = [
        seat for seat in playing
        if why_no_insurance(table, settings, seat) is None or why_no_even_money(table, settings, seat) is None
    ]  # fmt: skip
    if settings.insurance and table.cards("house")[0].rank == "A" and asked:
        return turn("insure", *asked)
    return look_for_blackjack(table, settings)


def why_no_even_money(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Even money is for a blackjack, where the table gives it."""
    if settings.even_money and is_natural(cards_of(look, settings, seat, 0)):
        return None
    return "NO_EVEN_MONEY", "even money is for a blackjack, at tables that give it"


@verb(unless=why_no_insurance)
def insure(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Stakes half the bet on a blackjack of the house."""
    insure_half(table, seat)
    return table.still_in_turn(seat) or look_for_blackjack(table, settings)


@verb(unless=why_no_even_money)
def even(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Takes 1 to 1 for a blackjack at once."""
    table.facts.endings = set_at(table.facts.endings, seat, ("even",))
    return table.still_in_turn(seat) or look_for_blackjack(table, settings)


@verb(free=True)
def decline(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Neither insures nor takes even money."""
    return table.still_in_turn(seat) or look_for_blackjack(table, settings)


def look_for_blackjack(table: Table[Facts], settings: Settings) -> Turn:
    """A house that has a blackjack turns it, and the round is settled; otherwise the seats play."""
    if settings.hole == "peek" and is_natural(table.cards("house") + table.cards("hole")):
        table.sweep("hole", to="house")
        return settle(table, settings)
    return go_on(table, settings)


def go_on(table: Table[Facts], settings: Settings) -> Turn:
    """The first unfinished hand of the first seat that has one is to be played; then it is for the house."""
    facts = table.facts
    for seat in order(table):
        for hand in range(len(facts.stakes[seat])):
            if not is_finished(table, settings, seat, hand):
                facts.active = hand + 1
                return turn("play", seat)
    facts.active = None
    return house_plays(table, settings)


def is_finished(look: Look[Facts], settings: Settings, seat: Seat, hand: int) -> bool:
    """Whether nothing more can be done with a hand."""
    cards = cards_of(look, settings, seat, hand)
    if look.facts.endings[seat][hand] or total(cards) >= BEST:
        return True
    stuck = is_of_split_aces(look, seat, cards) and not settings.hit_split_aces
    return stuck and why_no_split(look, settings, seat, hand) is not None


def why_no_card(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Split aces get one card each, and a card has to be left."""
    _, cards = in_play(look, settings, seat)
    if is_of_split_aces(look, seat, cards) and not settings.hit_split_aces:
        return "SPLIT_ACE", "a split ace gets one card only"
    return None if cards_left(look) else ("NO_CARDS_LEFT", "no card is left to draw")


@verb(free=True)
def stand(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Leaves the hand as it is."""
    finish(table, seat, in_play(table, settings, seat)[0], "stood")
    return go_on(table, settings)


@verb(unless=why_no_card)
def hit(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Takes another card; so many without going over 21 are a charlie."""
    hand, cards = in_play(table, settings, seat)
    draw_to(table, settings, seat, hand)
    _, cards = in_play(table, settings, seat)
    if 0 < settings.charlie <= len(cards) and total(cards) <= BEST:
        finish(table, seat, hand, "charlie")
    return go_on(table, settings)


DOUBLED = {"any": range(BEST + 1), "9to11": range(9, 12), "10to11": range(10, 12), "none": range(0)}
"""By setting, the totals on which a hand may be doubled."""


def why_no_double(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Two cards of a total that allows it, not against the rules for split hands, and chips for the stake once more."""
    hand, cards = in_play(look, settings, seat)
    stakes = look.facts.stakes[seat]
    if len(cards) != 2:
        return "NOT_TWO_CARDS", "only a hand of two cards may be doubled"
    if total(cards) not in DOUBLED[settings.double]:
        return "NOT_THIS_TOTAL", "a total of {total} may not be doubled here", {"total": total(cards)}
    if len(stakes) > 1 and not settings.double_after_split:
        return "SPLIT_HAND", "a hand made by a split may not be doubled here"
    return why_no_card(look, settings, seat) or too_few(look, seat, stakes[hand])


@verb(unless=why_no_double)
def double(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Stakes as much again, and gets exactly one card."""
    hand, _ = in_play(table, settings, seat)
    double_stake(table, seat, hand)
    draw_to(table, settings, seat, hand)
    finish(table, seat, hand, "stood")
    return go_on(table, settings)


def why_no_split(look: Look[Facts], settings: Settings, seat: Seat, hand: int | None = None) -> Rule | None:
    """Two cards alike, hands and chips left, aces once unless the table allows more, and cards for both hands.

    hand: the one that would be split, if not the one in play.
    """
    if hand is None:
        hand, _ = in_play(look, settings, seat)
    cards = cards_of(look, settings, seat, hand)
    stakes = look.facts.stakes[seat]
    if not are_alike(cards, settings.split):
        return "NOT_ALIKE", "only two cards that are alike may be split, at tables that allow it"
    if len(stakes) >= settings.max_hands:
        return "TOO_MANY_HANDS", "{most} hands are the most", {"most": settings.max_hands}
    if is_of_split_aces(look, seat, cards) and not settings.resplit_aces:
        return "SPLIT_ACE", "split aces may not be split again here"
    if cards_left(look) < 2:
        return "NO_CARDS_LEFT", "no two cards are left to draw"
    return too_few(look, seat, stakes[hand])


@verb(unless=why_no_split)
def split(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """The second card begins a new hand with an equal stake, and both hands get a card."""
    hand, _ = in_play(table, settings, seat)
    split_hand(table, settings, seat, hand)
    return go_on(table, settings)


def why_no_surrender(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """The first two cards may be given up, where the table allows it."""
    _, cards = in_play(look, settings, seat)
    if settings.surrender and len(cards) == 2 and len(look.facts.stakes[seat]) == 1:
        return None
    return "NO_SURRENDER", "only the first two cards may be given up, at tables that allow it"


@verb(unless=why_no_surrender)
def surrender(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Gives the hand up for half its stake."""
    finish(table, seat, in_play(table, settings, seat)[0], "surrender")
    return go_on(table, settings)


def house_plays(table: Table[Facts], settings: Settings) -> Turn:
    """The house shows its second card where that matters, and draws to 17 where a hand is left to beat."""
    facts = table.facts
    live = hands_to_beat(table, settings, order(table))
    if settings.hole == "peek":
        table.sweep("hole", to="house")
    elif (live or any(facts.insured)) and cards_left(table):
        next_card(table, "house")
    if not all(live) and not is_natural(table.cards("house")):
        house_draws(table, hits_soft_17=settings.soft17 == "hit")
    return settle(table, settings)


def settle(table: Table[Facts], settings: Settings) -> Turn:
    """Each hand gets what it has won, and each insurance; the round is over."""
    facts = table.facts
    house = table.cards("house")
    outcomes: list[tuple[Outcome, ...]] = []
    change: list[int] = []
    for seat in table.seats:
        stakes = facts.stakes[seat]
        found = outcomes_of(table, settings, seat)
        won = sum(map(gain, found, stakes, repeat(settings.blackjack_pays)))
        won += 3 * facts.insured[seat] if is_natural(house) else 0
        facts.score = add_to(facts.score, seat, won)
        outcomes.append(found)
        change.append(won - sum(stakes) - facts.insured[seat])
    nothing, none = (0,) * settings.players, ((),) * settings.players
    facts.stakes, facts.insured, facts.endings, facts.active = none, nothing, none, None
    facts.last_hand = LastHand(facts.hand_no, tuple(outcomes), tuple(change))
    return OVER


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    """A seat that cannot make the least bet any more is out."""
    facts = table.facts
    assert facts.last_hand is not None
    facts.out_at = tuple([
        facts.hand_no if gone is None and facts.score[seat] < settings.min_bet else gone
        for seat, gone in enumerate(facts.out_at)
    ])  # fmt: skip
    return facts.last_hand


def match_is_over(look: Look[Facts], settings: Settings) -> bool:
    """After the last round, when nobody is in, or when one of several is."""
    left = len(order(look))
    return look.facts.hand_no == settings.rounds or left == 0 or (settings.players > 1 and left == 1)


def pass_deal(table: Table[Facts], settings: Settings) -> None:
    """The button moves to the next seat that is in."""
    table.facts.button = table.after(table.facts.button, among=order(table))


def place(look: Look[Facts], settings: Settings) -> tuple[int, ...]:
    """Seats in by chips, then seats out, the later the better, then by chips."""
    facts = look.facts
    return most_first([
        (settings.rounds + 1 if facts.out_at[seat] is None else facts.out_at[seat], facts.score[seat])
        for seat in look.seats
    ])  # fmt: skip


def timed_out_bet(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The least bet, or none where that is allowed."""
    return f"bet {settings.min_bet}" if settings.must_bet else "sit"


def random_bet(look: Look[Facts], settings: Settings, seat: Seat, random: Random) -> str:
    """Any bet that is allowed."""
    return f"bet {random.choice(bets(look, settings, seat))}"


GAME = Game(
    key="blackjack",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=ZONES,
    opening=opening,
    deal=deal,
    phases={"bet": (bet, sit), "insure": (insure, even, decline), "play": (stand, hit, double, split, surrender)},
    end_hand=end_hand,
    match_is_over=match_is_over,
    pass_deal=pass_deal,
    place=place,
    timeouts={"bet": timed_out_bet, "insure": "decline", "play": "stand"},
    samplers={"bet": random_bet},
    check=check,
    keeps_cards=True,
    turn_seconds=30,
    trials=(
        {"players": 3, "packs": 1, "rounds": 12, "cut": 90},
        {"players": 1, "packs": 1, "rounds": 15, "must_bet": False, "surrender": True, "hole": "late", "cut": 60},
        {"players": 7, "packs": 1, "rounds": 6, "bet_order": "in_turn", "charlie": 5, "cut": 90, "soft17": "hit"},
        {"players": 2, "packs": 2, "rounds": 15, "chips": 60, "resplit_aces": True, "hit_split_aces": True,
         "blackjack_pays": "6to5", "double": "9to11", "split": "rank", "max_hands": 3, "must_bet": False},
        {"players": 4, "packs": 8, "rounds": 10, "resplit_aces": True, "double_after_split": False, "max_hands": 2,
         "even_money": False, "double": "10to11", "blackjack_pays": "2to1", "hole": "late", "cut": 0},
        {"players": 5, "packs": 1, "rounds": 8, "min_bet": 1, "bet_step": 1, "max_bet": 7, "chips": 20, "cut": 50},
        {"players": 6, "packs": 1, "rounds": 8, "double": "none", "split": "none", "charlie": 6, "surrender": True,
         "blackjack_pays": "1to1", "bet_order": "in_turn", "must_bet": False},
    ),
)  # fmt: skip
