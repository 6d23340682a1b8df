"""Gulan Parish: the auction, team by team in rounds, or round the table (`open`).

In a round each seat speaks at most once, and the turn goes to the other team only over a bid: a team's next member
gets the chance that one has passed. The first stage has two rounds, a second stage one.
"""

from chautari.engine import Look, Random, Rule, Seat, Table
from chautari.errors import Refusal
from chautari.kit.gulan_parish import BidName, F, Settings, team_of


def begin_stage(table: Table[F], settings: Settings, stage: int) -> Seat | None:
    """A stage of the auction; gives the seat that speaks first, None where the stage is over at once."""
    facts = table.facts
    facts.stage, facts.raised, facts.passes = stage, False, 0
    begin_round(table, 1, tuple(table.seats))
    if is_decided(table, settings):
        return None
    return facts.first if stage == 1 or settings.auction == "open" else next_of_round(table, settings)


def begin_round(table: Table[F], number: int, speakers: tuple[Seat, ...]) -> None:
    """These seats may speak once."""
    facts = table.facts
    facts.round, facts.speakers, facts.raisers = number, speakers, ()
    facts.said = (None,) * table.players


def say(table: Table[F], seat: Seat, words: str) -> None:
    """What a seat says in the auction is heard by all, and kept."""
    facts = table.facts
    facts.said = (*facts.said[:seat], words, *facts.said[seat + 1 :])
    facts.calls = (*facts.calls, f"{seat} {words}")


def raise_bid(table: Table[F], settings: Settings, seat: Seat, bid: BidName) -> Seat | None:
    """The seat's is the standing bid; gives who speaks next, None where the stage is over."""
    facts = table.facts
    say(table, seat, str(bid))
    facts.bid, facts.bidder = bid, seat
    facts.raised, facts.passes, facts.raisers = True, 0, (*facts.raisers, seat)
    return next_speaker(table, settings, seat)


def let_pass(table: Table[F], settings: Settings, seat: Seat) -> Seat | None:
    """The seat makes no bid; gives who speaks next, None where the stage is over."""
    say(table, seat, "pass")
    table.facts.passes += 1
    return next_speaker(table, settings, seat)


def next_speaker(table: Table[F], settings: Settings, seat: Seat) -> Seat | None:
    """Who speaks after this seat; a second round may begin. None where the stage is over."""
    facts = table.facts
    if is_decided(table, settings):
        return None
    if settings.auction == "open":
        return None if facts.passes == settings.players - facts.raised else table.after(seat)
    facts.speakers = tuple([other for other in facts.speakers if other != seat])
    following = next_of_round(table, settings)
    if following is None and (facts.stage, facts.round) == (1, 1) and settings.second_round != "off":
        begin_round(table, 2, tuple(table.seats) if settings.second_round == "all" else facts.raisers)
        return next_of_round(table, settings)
    return following


def next_of_round(table: Table[F], settings: Settings) -> Seat | None:
    """The first after the bidder of the other team that may still speak; then of his own team; then he himself."""
    facts = table.facts
    assert facts.bidder is not None
    own = team_of(facts.bidder, settings)
    waiting = [seat for seat in table.round_from(table.after(facts.bidder)) if seat in facts.speakers]
    others = [seat for seat in waiting if team_of(seat, settings) != own]
    return next(iter(others or waiting), None)


def is_decided(look: Look[F], settings: Settings) -> bool:
    """Whether nobody could say anything but pass: after thani, or where the bid is the total and thani is not open."""
    bid = look.facts.bid
    return bid == "thani" or (bid == settings.scale.total and not is_thani_open(look, settings))


def is_thani_open(look: Look[F], settings: Settings) -> bool:
    """Whether thani may be bid: it is played, and all cards are dealt."""
    return settings.thani and not look.count("deck")


def lowest_bid(look: Look[F], settings: Settings, seat: Seat) -> int:
    """The lowest number that the seat may bid; it may be above the total."""
    facts, scale = look.facts, settings.scale
    floor = scale.senior if facts.stage == 2 else scale.honours if facts.round == 2 else scale.lowest
    if facts.bid is None or facts.bid == "thani":
        return floor
    assert facts.bidder is not None
    partners = seat != facts.bidder and team_of(seat, settings) == team_of(facts.bidder, settings)
    if partners and settings.honours_over_partner:
        floor = max(floor, scale.honours)
    return max(floor, facts.bid + 1)


def bids(look: Look[F], settings: Settings, seat: Seat) -> range:
    """The numbers that the seat may bid."""
    return range(lowest_bid(look, settings, seat), settings.scale.total + 1)


def bid_refused(look: Look[F], settings: Settings, seat: Seat, number: int) -> Refusal:
    """Why a number cannot be bid."""
    low, total = lowest_bid(look, settings, seat), settings.scale.total
    right = f"bid {low} to {total}" if low <= total else f"{total} has been bid, and no number is higher"
    return Refusal("BID_OUT_OF_RANGE", f"{number} cannot be bid: {right}", low=low, high=total)


def pass_refused(look: Look[F], settings: Settings, seat: Seat) -> Rule | None:
    """The first seat must bid."""
    if look.facts.bid is not None:
        return None
    return "FIRST_MUST_BID", f"there is no bid yet: bid {settings.scale.lowest} or more"


def thani_refused(look: Look[F], settings: Settings, seat: Seat) -> Rule | None:
    """Why thani may not be bid."""
    if not settings.thani:
        return "NO_THANI", "thani is not played at this table"
    if look.count("deck"):
        return "THANI_NEEDS_ALL_CARDS", "thani may be bid when all cards are dealt: bid a number, or pass"
    return None


def timed_out_bid(look: Look[F], settings: Settings, seat: Seat) -> str:
    """Passes, or bids the least where a bid is a must."""
    return "pass" if look.facts.bid is not None else f"bid {lowest_bid(look, settings, seat)}"


def sample_bid(look: Look[F], settings: Settings, seat: Seat, random: Random) -> str | None:
    """A bid at random, mostly a low one, as people bid."""
    low, total = lowest_bid(look, settings, seat), settings.scale.total
    return f"bid {min(low + int(random.expovariate(0.7)), total)}" if low <= total else None


def sample_thani(look: Look[F], settings: Settings, seat: Seat, random: Random) -> str | None:
    """Thani, now and then."""
    return "thani" if random.random() < 0.03 else None
