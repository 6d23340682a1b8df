"""Gulan Parish: the games in which the bidder's trump lies face down until somebody who cannot follow suit asks for it.

A game says how it is dealt; placing the trump, playing and showing are the same in all of them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

from chautari import engine
from chautari.cards import Card, CardText
from chautari.cards import card as card_of
from chautari.engine import OVER, Among, Game, Held, Look, Rule, Seat, Sees, Table, Turn, Viewers, Zone, turn, verb
from chautari.errors import Refusal
from chautari.kit import gulan_parish
from chautari.kit.gulan_auction import (
    begin_stage,
    bid_refused,
    bids,
    let_pass,
    pass_refused,
    raise_bid,
    sample_bid,
    sample_thani,
    thani_refused,
    timed_out_bid,
)
from chautari.kit.gulan_claims import challenge, decline, kott, marukott, sample_claim
from chautari.kit.gulan_parish import begin_hand, begin_play, deal_batches, first_facts, lay, sides
from chautari.kit.gulan_pay import end_hand, match_is_over, pass_deal, place
from chautari.kit.hidden_trump import knowers, no_asking, turn_up
from chautari.kit.jack_nine import jack_high
from chautari.kit.tricks import longest_suit, lowest_card, must_follow


class Settings(gulan_parish.Settings, frozen=True):
    """What a table agrees on, where the trump is hidden."""

    auction: Literal["rounds", "open"] = "rounds"
    kott: Literal["all", "below_honours", "off"] = "all"
    must_cut: bool = True
    cut_with_face_down: bool = False


class Facts(gulan_parish.Facts):
    """What the table knows besides: whose card lies face down, the card once shown, and who asked."""

    placer: Seat | None = None
    shown: CardText | None = None
    asker: Seat | None = None


S = TypeVar("S", bound=Settings)


def placer_only(look: Look[Facts], _: Seat) -> Viewers:
    """Who sees the card that lies face down: its placer, and all as it is shown."""
    return knowers(look.facts.trump, look.facts.placer)


ZONES = (
    Zone("hand", Sees.OWNER, per_seat=True),
    Zone("deck", Sees.NONE, ordered=True),
    Zone("trump_card", placer_only, ordered=True, kind=engine.Kind.ASIDE),
    Zone("trick", Sees.ALL, ordered=True),
    Zone("taken", Sees.NONE, per_seat=True, ordered=True, kind=engine.Kind.WON),
)


def opening(settings: Settings) -> Facts:
    """The last seat deals first."""
    return first_facts(Facts, settings)


def deal_hand(table: Table[Facts], settings: Settings, pack: Sequence[Card], each: int) -> Turn:
    """So many cards each of this pack, and the first seat begins the auction."""
    facts = table.facts
    begin_hand(table, settings, pack)
    facts.placer = facts.shown = facts.asker = None
    deal_batches(table, each)
    begin_stage(table, settings, 1)
    return turn("bid", facts.first)


# The auction, and the trump ───────────────────────────────────────────────────────────────────────────────────────────


def bid(table: Table[Facts], settings: Settings, seat: Seat, number: Annotated[int, Among(bids, bid_refused)]) -> Turn:
    """Becomes the standing bid."""
    return go_on(table, settings, raise_bid(table, settings, seat, number))


@verb(unless=pass_refused)
def pass_(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Makes no bid."""
    return go_on(table, settings, let_pass(table, settings, seat))


@verb(unless=thani_refused)
def thani(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Bids all tricks alone, over any number; the auction is over."""
    return go_on(table, settings, raise_bid(table, settings, seat, "thani"))


def go_on(table: Table[Facts], settings: Settings, speaker: Seat | None) -> Turn:
    """The next to speak; or the stage is over, and the bidder places a trump, if no card placed before stays."""
    facts = table.facts
    if speaker is not None:
        return turn("bid", speaker)
    if facts.placer is not None and not facts.raised:
        return begin_play(table, settings)
    if facts.placer is not None:
        table.sweep("trump_card", to="hand", to_seat=facts.placer)
        facts.placer = None
    if facts.bid == "thani":
        return begin_play(table, settings)
    assert facts.bidder is not None
    return turn("trump", facts.bidder)


def hand_of(look: Look[Facts], settings: Settings, seat: Seat) -> Sequence[Card]:
    """Any card of the hand."""
    return look.cards("hand", seat)


def place_(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[Card, Held("hand"), Among(hand_of, "NOT_HELD", "place a card of your hand")],
) -> Turn:  # fmt: skip
    """Puts a card face down: its suit is the hidden trump. What is left of the pack is dealt, for a second stage."""
    table.facts.placer = seat
    table.play(card, "hand", to="trump_card", seat=seat)
    left = table.count("deck")
    if not left:
        return begin_play(table, settings)
    deal_batches(table, left // settings.players)
    return go_on(table, settings, begin_stage(table, settings, 2))


# The play ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def playable(look: Look[Facts], settings: Settings, seat: Seat) -> Sequence[Card]:
    """Follow suit if able; who asked for the trump cuts if able; a placer leads no hidden trumps if he can help it."""
    facts = look.facts
    hand = look.cards("hand", seat)
    if facts.led is None:
        face_down = look.top("trump_card")
        if face_down is None or seat != facts.placer:
            return hand
        return [card for card in hand if card.suit != face_down.suit] or hand
    follows = must_follow(hand, facts.led)
    if facts.asker != seat or follows[0].suit == facts.led:
        return follows
    if settings.cut_with_face_down and seat == facts.placer:
        assert facts.shown is not None
        return (card_of(facts.shown),)
    return [card for card in follows if settings.must_cut and card.suit == facts.trump] or follows


def play_refused(look: Look[Facts], settings: Settings, seat: Seat, card: Card) -> Refusal:
    """Why a card that the seat holds may not be played; told to that seat alone."""
    facts = look.facts
    if facts.led is None:
        return Refusal("NO_TRUMP_LEAD", "your trump lies face down: lead another suit")
    if must_follow(look.cards("hand", seat), facts.led)[0].suit == facts.led:
        return Refusal("FOLLOW_SUIT", "you hold a card of the suit led: play one")
    if settings.cut_with_face_down and seat == facts.placer:
        return Refusal("CUT_WITH_FACE_DOWN", f"you had your own trump shown: play {facts.shown}")
    return Refusal("MUST_CUT", "you asked for the trump and hold one: play it")


def play(
    table: Table[Facts], settings: Settings, seat: Seat,
    card: Annotated[Card, Held("hand"), Among(playable, play_refused)],
) -> Turn:  # fmt: skip
    """Plays a card to the trick; whose only card lies face down has it shown by the rules, and plays it next."""
    table.facts.asker = None
    following = lay(table, settings, seat, card)
    if following is None:
        return OVER
    if not table.count("hand", following):
        show_trump(table)
    return turn("play", following)


def reveal_refused(look: Look[Facts], settings: Settings, seat: Seat) -> Rule | None:
    """Why the trump may not be asked for."""
    if not look.count("trump_card"):
        return "NO_TRUMP_FACE_DOWN", "no trump lies face down: play a card"
    return no_asking(look.cards("hand", seat), look.facts.led)


@verb(unless=reveal_refused, tells="who asks for the trump has no card of the suit led")
def reveal(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Has the trump shown; the same seat plays on, and cuts if it is able and must."""
    show_trump(table)
    table.facts.asker = seat
    return turn("play", seat)


def show_trump(table: Table[Facts]) -> None:
    """The card that lies face down is seen by all, and goes back to its hand; only trumps played from now on cut."""
    facts = table.facts
    face_down = table.top("trump_card")
    assert face_down is not None
    facts.trump, facts.shown = face_down.suit, face_down.text
    facts.early = turn_up(table, facts.placer)


# Time-outs, and the game as a value ───────────────────────────────────────────────────────────────────────────────────


def timed_out_trump(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The lowest card of the longest suit."""
    hand = look.cards("hand", seat)
    suit = longest_suit(hand)
    return f"place {lowest_card((card for card in hand if card.suit == suit), strength=jack_high)}"


def timed_out_play(look: Look[Facts], settings: Settings, seat: Seat) -> str:
    """The lowest card allowed, known trumps after all others."""
    return f"play {lowest_card(playable(look, settings, seat), look.facts.trump, jack_high)}"


def concealed_game(
    key: str, settings: type[S], deal: Callable[[Table[Facts], S], Turn], check: Callable[[S], None],
    trials: Sequence[Mapping[str, object]],
) -> Game[S, Facts]:  # fmt: skip
    """A game with a hidden trump: what differs is its settings, and how it is dealt."""
    pace: dict[str, Callable[..., Any]] = {"bid": sample_bid, "thani": sample_thani}
    pace |= {"kott": sample_claim, "marukott": sample_claim}
    return Game(
        key=key,
        version=1,
        settings=settings,
        facts=Facts,
        zones=ZONES,
        opening=opening,
        deal=deal,
        phases={
            "bid": (bid, pass_, thani),
            "trump": (place_,),
            "play": (play, reveal, kott, marukott, challenge),
            "answer": (kott, marukott, decline),
        },
        end_hand=end_hand,
        match_is_over=match_is_over,
        pass_deal=pass_deal,
        place=place,
        timeouts={"bid": timed_out_bid, "trump": timed_out_trump, "play": timed_out_play, "answer": "decline"},
        sides=sides,
        samplers=pace,
        check=check,
        trials=trials,
    )
