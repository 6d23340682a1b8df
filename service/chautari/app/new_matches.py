"""How a match is made and begun: pure functions, and the codes and ids that are drawn for it."""

import hmac
import secrets
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from chautari import engine
from chautari.app import catalog, seating
from chautari.app.account_values import Account
from chautari.app.clock_values import NO_CLOCK, TimeControl
from chautari.app.clocks import check_control, default_control
from chautari.app.events import AnyEvent, MatchStarted
from chautari.app.live import Change, fair_stream
from chautari.app.names import check_name
from chautari.app.values import (
    SECOND,
    Audience,
    Cause,
    Disclosure,
    Match,
    MatchState,
    Micros,
    Privacy,
    RequestKey,
    SeatingRule,
    StartRule,
)
from chautari.engine import Seat
from chautari.errors import Malformed, NotFound
from chautari.games import find_game

CODE_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
CODE_LENGTH: Final = 6
LONGEST_DELAY: Final[Micros] = 3600 * SECOND


class Terms(msgspec.Struct, frozen=True):
    """What holds for every match of a server.

    code          how long a code lives
    expire        how long after its last change a match that has not started ends by itself; 0 for never
    idle          how long after its last change a match under way does whose clocks do not run; 0 for never
    open_at_most  how many matches that are not over one account may host; 0 for any number
    """

    code: Micros = 24 * 3600 * SECOND
    expire: Micros = 24 * 3600 * SECOND
    idle: Micros = 90 * 24 * 3600 * SECOND
    open_at_most: int = 0


class NewMatch(msgspec.Struct, frozen=True, kw_only=True):
    """What a match is to be. seats: those that its creator takes; disclosure: None for the default of the game.

    audience: None for the members of a private match, and everyone for a public one, which admits no other.
    clock: None for the time that the game has for a move, or for none where its creator takes several seats: people who
    pass one device round are not hurried.
    """

    game: str
    settings: Mapping[str, Any] = {}
    title: str = ""
    privacy: Privacy = Privacy.PRIVATE
    disclosure: Disclosure | None = None
    start_rule: StartRule = StartRule.AUTOMATIC
    audience: Audience | None = None
    spectator_delay: Micros = 0
    seating: SeatingRule = SeatingRule.ROTATED
    seats: tuple[Seat, ...] = ()
    contribution: bytes | None = None
    clock: TimeControl | None = None


def make_match(account: Account, new: NewMatch, terms: Terms, now: Micros, match_id: str | None = None) -> Match:
    """A match with nobody on its seats, hosted by the account.

    Malformed `GAME_UNKNOWN`, `BAD_SETTING`, `NAME_INVALID`.
    """
    try:
        game = find_game(new.game)
    except NotFound as error:
        raise Malformed(error.reason, error.message, field="game", game=new.game) from error
    settings = game.read_settings(new.settings)
    match_id = match_id or secrets.token_hex(10)
    secret = secrets.token_bytes(32)
    agreed = msgspec.structs.asdict(settings)
    committed = engine.commitment(
        match=match_id, game=game.key, version=game.version, settings=agreed, secret=secret
    )  # fmt: skip
    return Match(
        id=match_id, game=game.key, rules_version=game.version, settings=agreed,
        title=check_name(new.title, "title", optional=True), state=MatchState.SEATING, privacy=new.privacy,
        disclosure=new.disclosure or Disclosure(game.disclosure), start_rule=new.start_rule, host=account.id,
        audience=check_audience(new.privacy, new.audience), spectator_delay=check_delay(new.spectator_delay),
        seating=new.seating, clock=check_control(_clock(game, new)),
        chairs=seating.open_chairs(settings.players), revision=0, commitment=committed, secret=secret,
        code=new_code(), code_expires_at=now + terms.code, link=secrets.token_urlsafe(24),
        created_at=now,
    )  # fmt: skip


def _clock(game: engine.Game[Any, Any], new: NewMatch) -> TimeControl:
    if new.clock is not None:
        return new.clock
    return NO_CLOCK if len(new.seats) > 1 else default_control(game)


def check_audience(privacy: Privacy, audience: Audience | None, field: str = "audience") -> Audience:
    """Who may watch a match of this privacy; Malformed `REQUEST_INVALID` where the two do not go together."""
    public = privacy is Privacy.PUBLIC
    if audience is None:
        return Audience.EVERYONE if public else Audience.MEMBERS
    if public is not (audience is Audience.EVERYONE):
        message = "a public match is watched by everyone, and a private one by its members or those with its link"
        raise Malformed("REQUEST_INVALID", message, field=field)
    return audience


def check_delay(delay: Micros, field: str = "spectator_delay") -> Micros:
    """How late spectators see a match; Malformed `REQUEST_INVALID` outside 0 to an hour."""
    if not 0 <= delay <= LONGEST_DELAY:
        raise Malformed("REQUEST_INVALID", f"a delay is from 0 to {LONGEST_DELAY // SECOND} seconds", field=field)
    return delay


def begun_if_full(
    match: Match, events: list[AnyEvent], account_id: str, request: RequestKey | None, now: Micros
) -> Change:
    """The change by which somebody sat down, or the host arranged the match, which may start by itself once full."""
    if match.start_rule is StartRule.AUTOMATIC and not seating.free_seats(match):
        return start_change(match, events, account_id, request, now, chairs=True)
    return Change(
        match=match, position=None, fair=None, events=events, cause=Cause.SEATING, account_id=account_id,
        request=request, chairs=True,
    )  # fmt: skip


def start_change(
    match: Match, events: list[AnyEvent], account_id: str, request: RequestKey | None, now: Micros, *, chairs: bool
) -> Change:
    """The change by which a match starts: contributions are frozen, and the first hand is dealt."""
    game = catalog.find_rules(match.game, match.rules_version)
    if match.seating is SeatingRule.RANDOM:
        match, drawn = seating.draw(match)
        events, chairs = [*events, *drawn], True
    fair = fair_stream(match)
    step = engine.begin(game, game.read_settings(match.settings), fair)
    if not match.revision:  # it starts as it is made, so nobody was ever told its code
        match = msgspec.structs.replace(match, code=None, code_expires_at=None)
    started = msgspec.structs.replace(match, state=MatchState.PLAYING, started_at=now)
    return Change(
        match=started, position=step.position, fair=fair, events=[*events, MatchStarted(), *step.events],
        cause=Cause.SEATING, account_id=account_id, request=request, chairs=chairs,
    )  # fmt: skip


def new_code() -> str:
    """A short code to join by, of letters and digits that are not mistaken for one another."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def rematch_id(match: Match) -> str:
    """The id of the match that follows this one: whoever asks for it first makes it, however many ask at once.

    It is made from the secret: whoever could guess it would know by it that a match which it sees late is over.
    """
    return hmac.digest(match.secret, f"rematch of {match.id}".encode(), "sha256").hex()[:20]
