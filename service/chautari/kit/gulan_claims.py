"""Gulan Parish: claims of every trick, kott by the bidder's side and maru-kott by the other, and daring to claim."""

from chautari.engine import OVER, Look, Random, Rule, Seat, Table, Turn, turn, verb
from chautari.kit.gulan_parish import Claim, F, Settings, by_side, is_bidders, winning_seat

_KOTT_IS_YOURS = ("CLAIM_OF_THE_OTHER_SIDE", "you are of the bidder's side, and claim by kott")
_MARUKOTT_IS_YOURS = ("CLAIM_OF_THE_OTHER_SIDE", "you are not of the bidder's side, and claim by marukott")


def nothing_to_claim(look: Look[F], settings: Settings, seat: Seat) -> Rule | None:
    """Why neither a claim nor a challenge is open to the seat."""
    facts = look.facts
    if settings.claims == "off":
        return "NO_CLAIMS", "claims are not played at this table: play a card"
    if facts.bid == "thani":
        return "NO_CLAIM_IN_THANI", "there are no claims in a thani: play a card"
    assert facts.bid is not None
    if settings.claims == "below_honours" and facts.bid >= settings.scale.honours:
        return "BID_TOO_HIGH_TO_CLAIM", f"from a bid of {settings.scale.honours} on there are no claims"
    if facts.claim is not None:
        return "CLAIM_STANDS", "a claim stands already: play a card"
    if facts.cards - sum(facts.tricks) < settings.kott_min_cards:
        return "TOO_FEW_CARDS_TO_CLAIM", f"{settings.kott_min_cards} cards must be left to you: play a card"
    return None


def claim_refused(look: Look[F], settings: Settings, seat: Seat, claim: Claim) -> Rule | None:
    """Why the seat may not claim: an answer needs only the right word."""
    bidders = is_bidders(look, settings, seat)
    if bidders is not (claim == "kott"):
        return _KOTT_IS_YOURS if bidders else _MARUKOTT_IS_YOURS
    if look.phase == "answer":
        return None
    refusal = nothing_to_claim(look, settings, seat)
    if refusal is None and by_side(look, settings, look.facts.tricks)[bidders]:
        return "TRICK_LOST", "the other side has won a trick: play a card"
    return refusal


def kott_refused(look: Look[F], settings: Settings, seat: Seat) -> Rule | None:
    """Why kott may not be claimed."""
    return claim_refused(look, settings, seat, "kott")


def marukott_refused(look: Look[F], settings: Settings, seat: Seat) -> Rule | None:
    """Why maru-kott may not be claimed."""
    return claim_refused(look, settings, seat, "marukott")


@verb(unless=kott_refused)
def kott(table: Table[F], settings: Settings, seat: Seat) -> Turn:
    """Claims every trick for the bidder's side; the bid no longer matters."""
    return claim_all(table, seat, "kott")


@verb(unless=marukott_refused)
def marukott(table: Table[F], settings: Settings, seat: Seat) -> Turn:
    """Claims every trick for the other side."""
    return claim_all(table, seat, "marukott")


def claim_all(table: Table[F], seat: Seat, claim: Claim) -> Turn:
    """The claim stands, and the seat whose turn it was goes on."""
    facts = table.facts
    facts.claim, facts.claimant = claim, seat
    if table.phase == "answer":
        assert facts.challenger is not None
        return turn("play", facts.challenger)
    return turn("play", seat)


def challenge_refused(look: Look[F], settings: Settings, seat: Seat) -> Rule | None:
    """Why the seat may not challenge: the other side must have won every trick, and be winning this one."""
    refusal = nothing_to_claim(look, settings, seat)
    if refusal is not None:
        return refusal
    mine = is_bidders(look, settings, seat)
    tricks = by_side(look, settings, look.facts.tricks)
    if tricks[not mine] or not tricks[mine]:
        return "NOT_ALL_TRICKS_WON", "the other side must have won every trick, and one at least"
    if not look.count("trick") or is_bidders(look, settings, winning_seat(look)) == mine:
        return "NOT_WINNING_THIS_TRICK", "a seat of the other side must be winning the trick under way"
    return None


@verb(unless=challenge_refused)
def challenge(table: Table[F], settings: Settings, seat: Seat) -> Turn:
    """Grants the other side the bid, and dares it to claim every trick: the seat winning the trick answers."""
    table.facts.challenger = seat
    return turn("answer", winning_seat(table))


@verb(free=True)
def decline(table: Table[F], settings: Settings, seat: Seat) -> Turn:
    """Claims nothing: the hand is over, won at the bid's own pay."""
    table.facts.won = is_bidders(table, settings, seat)
    return OVER


def sample_claim(look: Look[F], settings: Settings, seat: Seat, random: Random) -> str | None:
    """The claim of one's side, now and then; always where it is an answer."""
    word = "kott" if is_bidders(look, settings, seat) else "marukott"
    return word if look.phase == "answer" or random.random() < 0.1 else None
