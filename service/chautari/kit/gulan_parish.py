"""Gulan Parish: the settings, facts, deal and tricks that its games share.

Jack and nine are the best cards, the highest bidder's side plays for its bid, and kooli are won until a slam. Even
seats are team 0 and odd seats team 1; with three players each seat is a team, and the bidder plays against two. The
auction, the claims, the pay and the hidden trump are in the other files that begin with `gulan`.

Source: seed 002, by the regional settings; Pagat.com, 28, 40 and 56, for other numbers of players.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeVar

from chautari import engine
from chautari.cards import Card, CardText, Suit
from chautari.engine import SECRET, BySeat, BySide, Look, Range, Record, Seat, Side, Table, Turn, turn
from chautari.kit.jack_nine import card_points, jack_high
from chautari.kit.totals import add_to
from chautari.kit.tricks import begin_tricks, lay_card, next_in, take_trick, trick_winner

BidName = int | Literal["thani"]
TrumpName = Literal["C", "D", "H", "S", "N"]
Claim = Literal["kott", "marukott"]


@dataclass(frozen=True, slots=True)
class Scale:
    """All the points of a game's pack, its lowest bid, and the bids from which more is paid."""

    total: int
    lowest: int
    honours: int
    senior: int


class Settings(engine.Settings, frozen=True):
    """What every table of the family agrees on; a game says which seats and auctions it has, and adds its own."""

    scale: ClassVar[Scale]

    players: int
    auction: str = "rounds"
    second_round: Literal["bidders", "all", "off"] = "bidders"
    partner_from_honours: bool = True
    thani: bool = True
    thani_trump: Literal["none", "first_led"] = "none"
    thani_partners: Literal["out", "play"] = "out"
    kott: str = "all"
    kott_min_cards: Literal[0, 3] = 0
    kott_pay: Literal["thani", "double"] = "thani"
    senior_pay: Literal["none", "extra"] = "none"
    first_lead: Literal["seat", "aces"] = "seat"
    kooli_method: Literal["split", "neutral"] = "split"
    kooli_count: Literal[5, 6, 12] = 6
    slams: Annotated[int, Range(1, 5)] = 1
    kunukku: Literal["bids", "slam", "off"] = "bids"
    max_hands: Annotated[int, Range(1, 200)] = 100

    @property
    def honours_over_partner(self) -> bool:
        """Whether one must bid honours at least over a partner's bid."""
        return self.partner_from_honours

    @property
    def claims(self) -> str:
        """With which bids kott may be claimed: `all`, `below_honours` or `off`."""
        return self.kott

    @property
    def teams(self) -> int:
        """How many teams there are."""
        return 3 if self.players == 3 else 2


class LastHand(Record, frozen=True):
    """The record of a hand: whether the bidder's side was paid, the kooli due, and the team that made a slam."""

    bidder: Seat
    bid: BidName
    won: bool
    claim: Claim | None
    paid: int
    points: BySeat[int]
    slam: Side | None


class Facts(engine.Facts):
    """What the table knows, all of it public, and last what the rules keep to themselves."""

    dealer: Seat
    hand_no: int
    first: Seat
    leader: Seat
    led: Suit | None
    stage: int
    round: int
    said: BySeat[str | None]
    calls: tuple[str, ...]
    bid: BidName | None
    bidder: Seat | None
    trump: TrumpName | None
    claim: Claim | None
    claimant: Seat | None
    challenger: Seat | None
    out: tuple[Seat, ...]
    points: BySeat[int]
    tricks: BySeat[int]
    last_trick: tuple[CardText, ...]
    last_winner: Seat | None
    last_hand: LastHand | None
    kooli: BySide[int]
    neutral: int
    box: Side | None
    lead: int | None
    slams: BySide[int]
    kunukku: BySeat[int]
    cast: tuple[CardText, ...]
    score: BySeat[int]

    cards: Annotated[int, SECRET]
    """How many cards each seat is dealt in this hand."""
    speakers: Annotated[tuple[Seat, ...], SECRET]
    """The seats that may still speak in this round."""
    raisers: Annotated[tuple[Seat, ...], SECRET]
    """The seats that have bid in this round."""
    raised: Annotated[bool, SECRET]
    """Whether anybody has bid in this stage."""
    passes: Annotated[int, SECRET]
    """The passes since the last bid of this stage."""
    early: Annotated[int, SECRET]
    """How many cards of the trick had been played when the trump was shown; 0 in later tricks."""
    won: Annotated[bool | None, SECRET]
    """Whether the bidder's side is paid, once the hand is decided."""
    ringed: Annotated[tuple[int, ...], SECRET]
    """The hand in which each team was last given ear-rings; 0 for never."""


F = TypeVar("F", bound=Facts)


def check(settings: Settings) -> None:
    """Three players keep kooli one by one, and make no slams."""
    if settings.players == 3 and settings.kooli_method == "neutral":
        raise engine.bad_setting("kooli_method", "three players keep kooli by themselves: set kooli_method to split")
    if settings.players == 3 and settings.slams > 1:
        raise engine.bad_setting("slams", "with three players there are no slams: set slams to 1")


def team_of(seat: Seat, settings: Settings) -> int:
    """Even seats are team 0, odd seats team 1; of three players each is a team."""
    return seat if settings.players == 3 else seat % 2


def sides(settings: Settings) -> tuple[tuple[Seat, ...], ...]:
    """The seats of each team."""
    return tuple(tuple(range(team, settings.players, settings.teams)) for team in range(settings.teams))


def is_bidders(look: Look[F], settings: Settings, seat: Seat) -> bool:
    """Whether the seat is of the bidder's side."""
    bidder = look.facts.bidder
    return seat == bidder or (bidder is not None and settings.players != 3 and (seat - bidder) % 2 == 0)


def by_side(look: Look[F], settings: Settings, counts: Sequence[int]) -> tuple[int, int]:
    """Counts by seat, added up for the bidder's side and for the other."""
    bidder = look.facts.bidder
    assert bidder is not None
    own = counts[bidder] if settings.players == 3 else sum(counts[bidder % 2 :: 2])
    return own, sum(counts) - own


# The deal ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def first_facts(facts: type[F], settings: Settings, **own: object) -> F:
    """The facts of a game before its first deal: the last seat deals first. `own`: those that it adds."""
    nothing = (0,) * settings.players
    made = facts(
        dealer=settings.players - 1, hand_no=0, first=0, leader=0, led=None, stage=1, round=1,
        said=(None,) * settings.players, calls=(), bid=None, bidder=None, trump=None, claim=None, claimant=None,
        challenger=None, out=(), points=nothing, tricks=nothing, last_trick=(), last_winner=None, last_hand=None,
        kooli=(), neutral=0, box=None, lead=None if settings.players == 3 else 0, slams=(0,) * settings.teams,
        kunukku=nothing, cast=(), score=nothing, cards=0, speakers=(), raisers=(), raised=False, passes=0, early=0,
        won=None, ringed=(0,) * settings.teams, **own,
    )  # fmt: skip
    start_kooli(made, settings)
    score(made, settings)
    return made


def start_kooli(facts: Facts, settings: Settings) -> None:
    """Every team, or every one of three players, has its kooli; or all lie neutral."""
    split = settings.kooli_method == "split"
    facts.kooli = (settings.kooli_count if split else 0,) * settings.teams
    facts.neutral, facts.box = 0 if split else settings.kooli_count, None


def score(facts: Facts, settings: Settings) -> None:
    """The score of a seat: the slams of its team; of three players, their kooli."""
    won = facts.slams if facts.lead is not None else facts.kooli
    facts.score = tuple([won[team_of(seat, settings)] for seat in range(settings.players)])


def begin_hand(table: Table[F], settings: Settings, pack: Sequence[Card]) -> None:
    """The facts of a hand begin anew, and the pack is shuffled; before the first hand aces may be cast for."""
    facts = table.facts
    facts.hand_no += 1
    if facts.hand_no == 1 and settings.first_lead == "aces":
        cast_for_ace(table, pack)
    facts.first = table.after(facts.dealer)
    begin_tricks(facts, leader=facts.first)
    facts.bid = facts.bidder = facts.trump = facts.claim = facts.claimant = facts.challenger = facts.won = None
    facts.calls, facts.out, facts.early = (), (), 0
    facts.points = (0,) * settings.players
    facts.cards = len(pack) // settings.players
    table.shuffle("deck", fresh=pack)


def cast_for_ace(table: Table[F], pack: Sequence[Card]) -> None:
    """Cards are turned up round the table, the first to the last seat; the first ace makes its seat the first."""
    facts = table.facts
    turned = table.lot(pack)
    place = [card.rank for card in turned].index("A")
    facts.cast = tuple([card.text for card in turned[: place + 1]])
    facts.dealer = (2 * (table.players - 1) + place) % table.players


def deal_batches(table: Table[F], each: int) -> None:
    """So many cards each, all batches of one size: four cards if that divides the number, else three."""
    batch = 4 if each % 4 == 0 else 3
    for _ in range(each // batch):
        table.deal("deck", to="hand", first=table.facts.first, each=batch, in_blocks=True)


# The play ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def begin_play(table: Table[F], settings: Settings) -> Turn:
    """The first seat leads; in thani its bidder does, whose team-mates may sit out, and who may play without trump."""
    facts = table.facts
    if facts.bid == "thani":
        assert facts.bidder is not None
        facts.leader = facts.bidder
        if settings.thani_trump == "none":
            facts.trump = "N"
        if settings.thani_partners == "out":
            mates = sides(settings)[team_of(facts.bidder, settings)]
            facts.out = tuple([seat for seat in mates if seat != facts.bidder])
    return turn("play", facts.leader)


def lay(table: Table[F], settings: Settings, seat: Seat, card: Card) -> Seat | None:
    """Plays a card to the trick; gives the seat whose turn comes, None where the hand is over."""
    facts = table.facts
    trick = lay_card(table, seat, card)
    if len(trick) == 1 and facts.bid == "thani" and facts.trump is None:
        facts.trump = card.suit
    if len(trick) < settings.players - len(facts.out):
        return next_in(table, seat, facts.out)
    winner = winning_seat(table)
    take_trick(table, winner)
    facts.points = add_to(facts.points, winner, card_points(trick))
    facts.early = 0
    facts.won = verdict(table, settings, winner)
    return winner if facts.won is None else None


def winning_seat(look: Look[F]) -> Seat:
    """The seat that wins the trick, or is winning it; of equal cards the one played first wins."""
    facts = look.facts
    return trick_winner(look, facts.trump, jack_high, facts.early, facts.out)


def verdict(look: Look[F], settings: Settings, winner: Seat) -> bool | None:
    """Whether the bidder's side is paid, seeing who has won the trick; None while the hand goes on."""
    facts = look.facts
    last = sum(facts.tricks) == facts.cards
    if facts.bid == "thani":
        return False if winner != facts.bidder else True if last else None
    if facts.claimant is not None:
        claiming = is_bidders(look, settings, facts.claimant)
        return not claiming if is_bidders(look, settings, winner) != claiming else claiming if last else None
    if not last:
        return None
    assert facts.bid is not None
    return by_side(look, settings, facts.points)[0] >= facts.bid
