"""Gulan Parish: what a hand pays in kooli, slams and their ear-rings (kunukku), and the end of the match."""

from collections.abc import Sequence

from chautari.engine import Look, Seat, Table
from chautari.kit import kooli
from chautari.kit.gulan_parish import F, Facts, LastHand, Settings, score, sides, start_kooli, team_of
from chautari.kit.placing import most_first
from chautari.kit.totals import add_to


def pay(facts: Facts, settings: Settings) -> int:
    """The kooli due: for a bid by its level, one more to pay than to win; a claim like thani, or twice the bid's."""
    scale, extra = settings.scale, settings.senior_pay == "extra"
    top = 3 if extra else 2
    if facts.bid == "thani" or facts.bid == scale.total:
        level = top
    else:
        assert facts.bid is not None
        level = 2 if extra and facts.bid >= scale.senior else 1 if facts.bid >= scale.honours else 0
    if facts.claim is None:
        return level + (1 if facts.won else 2)
    if settings.kott_pay == "double":
        return 2 * (level + (1 if facts.won else 2))
    return top + (1 if facts.won == (facts.claim == "kott") else 2)


def end_hand(table: Table[F], settings: Settings, factor: int = 1) -> LastHand:
    """Ear-rings come off by a bid, kooli are paid, and a slam is counted; `factor` multiplies what is due."""
    facts = table.facts
    assert facts.bidder is not None
    assert facts.bid is not None
    assert facts.won is not None
    due = factor * pay(facts, settings)
    take_off_by_bid(facts, settings)
    slam = settle(facts, settings, due)
    facts.last_hand = LastHand(facts.bidder, facts.bid, facts.won, facts.claim, due, facts.points, slam)
    if slam is not None:
        facts.slams = add_to(facts.slams, slam)
        facts.lead = 0
        give_ear_rings(facts, settings, slam)
    score(facts, settings)
    return facts.last_hand


def settle(facts: Facts, settings: Settings, due: int) -> int | None:
    """The kooli change hands; gives the team that makes a slam by them."""
    assert facts.bidder is not None
    if facts.lead is None:
        change = kooli.take_from_all if facts.won else kooli.pay_to_all
        facts.kooli = change(facts.kooli, facts.bidder, due)
        return None
    bidding = team_of(facts.bidder, settings)
    winner = bidding if facts.won else 1 - bidding
    if settings.kooli_method == "split":
        facts.kooli = kooli.hand_over(facts.kooli, 1 - winner, winner, due)
        slam = facts.kooli[1 - winner] == 0
    else:
        signs, slam = kooli.win_signs(kooli.Signs(facts.kooli, facts.neutral, facts.box), winner, due)
        facts.kooli, facts.neutral, facts.box = signs
    facts.lead += due if winner == 0 else -due
    return winner if slam else None


def take_off_by_bid(facts: Facts, settings: Settings) -> None:
    """A bidder's side that is paid: its ear-rings come off in the hand after they were put on, later the bidder's."""
    if facts.won and settings.kunukku == "bids" and facts.bidder is not None:
        team = team_of(facts.bidder, settings)
        fresh = 0 < facts.ringed[team] == facts.hand_no - 1
        wear(facts, sides(settings)[team] if fresh else (facts.bidder,), 0)


def give_ear_rings(facts: Facts, settings: Settings, slam: int) -> None:
    """The team that a slam was made against puts on ear-rings; the other takes its own off, where slams do that."""
    if settings.kunukku != "off":
        facts.ringed = tuple([was if team == slam else facts.hand_no for team, was in enumerate(facts.ringed)])
        wear(facts, sides(settings)[1 - slam], 1)
    if settings.kunukku == "slam":
        wear(facts, sides(settings)[slam], 0)


def wear(facts: Facts, seats: Sequence[Seat], rings: int) -> None:
    """These seats wear an ear-ring, 1, or none."""
    facts.kunukku = tuple([rings if seat in seats else worn for seat, worn in enumerate(facts.kunukku)])


def match_is_over(look: Look[F], settings: Settings) -> bool:
    """Enough slams, one of three players without kooli, or enough hands."""
    facts = look.facts
    broke = facts.lead is None and 0 in facts.kooli
    return broke or settings.slams in facts.slams or facts.hand_no == settings.max_hands


def pass_deal(table: Table[F], settings: Settings) -> None:
    """The next seat deals; after a slam kooli start afresh."""
    facts = table.facts
    assert facts.last_hand is not None
    facts.dealer = table.after(facts.dealer)
    if facts.last_hand.slam is not None:
        start_kooli(facts, settings)


def place(look: Look[F], settings: Settings) -> tuple[int, ...]:
    """More slams are better, with equal ones the team ahead in kooli; of three players, more kooli."""
    facts = look.facts
    lead = facts.lead or 0
    ahead = [(facts.score[seat], lead if team_of(seat, settings) == 0 else -lead) for seat in look.seats]
    return most_first(ahead)
