"""What the use cases speak of: matches, seats, and the entries of a match's journal.

All are values: they are replaced, never changed. Times are whole microseconds since 1970 UTC, by the database's clock.
"""

from enum import StrEnum
from typing import Any, Final

import msgspec

from chautari.app.clock_values import Clocks, TimeControl
from chautari.engine import Seat

Micros = int
"""A moment: microseconds since 1970 UTC."""

SECOND: Micros = 1_000_000

LEAST_PUT_OFF: Micros = 3 * SECOND
"""What the service could not do in a match is put off for so long at least."""

CODE_KEPT: Final[Micros] = 24 * 3600 * SECOND
"""So long after its start, or its end before that, the code of a match is remembered for those who come late."""


class MatchState(StrEnum):
    """How far a match has come."""

    SEATING = "seating"
    PLAYING = "playing"
    FINISHED = "finished"
    ABORTED = "aborted"


class Privacy(StrEnum):
    """Who may see a match and join it."""

    PRIVATE = "private"
    PUBLIC = "public"


class Audience(StrEnum):
    """Who may watch a match beside its members: nobody, whoever has its link, everyone; a public one is everyone's."""

    MEMBERS = "members"
    LINK = "link"
    EVERYONE = "everyone"


class Disclosure(StrEnum):
    """What becomes public when a match is over: everything, or only what was shown."""

    FULL = "full"
    SHOWN_ONLY = "shown_only"


class StartRule(StrEnum):
    """When a match starts: by itself once all seats are taken, or when its host says so."""

    AUTOMATIC = "automatic"
    BY_HOST = "by_host"


class SeatingRule(StrEnum):
    """Who sits where: as they chose, also in a rematch; drawn by lot at each start; one seat further each rematch."""

    CHOSEN = "chosen"
    RANDOM = "random"
    ROTATED = "rotated"


class EndReason(StrEnum):
    """Why a match ended."""

    PLAYED = "played"
    RESIGNED = "resigned"
    DESERTED = "deserted"
    CLOSED = "closed"
    """Its host closed it before the start."""
    EXPIRED = "expired"
    """Nobody started it for long."""
    OPERATOR = "operator"


class SeatState(StrEnum):
    """Who sits on a seat: nobody, somebody it is kept for, somebody, or somebody who has left a match under way."""

    OPEN = "open"
    HELD = "held"
    TAKEN = "taken"
    LEFT = "left"


class Chair(msgspec.Struct, frozen=True, kw_only=True):
    """A seat of a match and who holds it. contribution: the bytes it adds to the shuffles, None where it added none.

    since: the revision in which it was taken; 0 where that was not noted.
    """

    number: Seat
    state: SeatState = SeatState.OPEN
    account_id: str | None = None
    display_name: str = ""
    contribution: bytes | None = None
    since: int = 0


class Outcome(msgspec.Struct, frozen=True):
    """How a match ended: placing and score by seat. note: what the operator who ended it says to those who see it."""

    placing: tuple[int, ...]
    score: tuple[int, ...]
    aborted: bool
    reason: EndReason
    note: str = ""


class DueKind(StrEnum):
    """What the service does by itself with a match when its time has come."""

    CLOCK = "clock"
    """The time of a seat is up: take the time-out action for it."""
    PLAY_LEFT = "play_left"
    """A seat that left, or is away, must act: take the time-out action for it at once; or it is to be resigned."""
    PACK = "pack"
    """The match ended a while ago: pack its journal into one row."""
    EXPIRE = "expire"
    """Nobody has started the match for long, or nothing has happened in one whose clocks do not run: end it."""


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """A match, as its row holds it.

    settings      every setting with its value
    revision      counts the committed changes, 1 for the creation; a write is guarded by it
    snapshot      the encoded position of this revision; None before the start
    shuffles      how many shuffles have been made so far
    must          the seats whose clocks run, as bits: the lists of whose turn it is read it
    phase         of the turn, for lists too; None before the start, and where it has not been noted yet
    audience      who may watch beside the members; spectator_delay: how old a revision must be before they see it
    barred        the accounts that the host has removed, and that cannot sit down again
    secret        of the shuffles; the store keeps it sealed
    code          the short code to join by, while the match is seating; later only remembered, see `holds_code`
    link          its long secret
    may           the seats that may act besides, as bits, where the match is told as late as spectators see it
    rematch       the match that followed this one, where it was looked for. No row holds this or `may`
    clock         how long a seat has to act; None where nobody's time runs, as in matches from before there were clocks
    clocks        how they stand; None before the start, and without a clock
    due_at, due_kind  when the service has to do what by itself, in service time; None where nothing
    wake_at       when it looks at the match next: after `due_at` only where it is at it, or could not do it when it
                  tried last. It is moved seldom, as it has an index
    packed        whether the journal is packed
    """

    id: str
    game: str
    rules_version: int
    settings: dict[str, Any]
    title: str
    state: MatchState
    privacy: Privacy
    disclosure: Disclosure
    start_rule: StartRule
    seating: SeatingRule = SeatingRule.ROTATED
    audience: Audience = Audience.MEMBERS
    spectator_delay: Micros = 0
    barred: tuple[str, ...] = ()
    host: str
    chairs: tuple[Chair, ...]
    revision: int
    commitment: bytes
    secret: bytes
    code: str | None
    code_expires_at: Micros | None
    link: str
    created_at: Micros
    started_at: Micros | None = None
    ended_at: Micros | None = None
    snapshot: bytes | None = None
    shuffles: int = 0
    must: int = 0
    phase: str | None = None
    may: int = 0
    outcome: Outcome | None = None
    rematch: str | None = None
    clock: TimeControl | None = None
    clocks: Clocks | None = None
    due_at: Micros | None = None
    due_kind: DueKind | None = None
    wake_at: Micros | None = None
    packed: bool = False

    def seats_of(self, account_id: str) -> tuple[Seat, ...]:
        """The seats that this account holds, or held until it left; ascending."""
        return tuple(chair.number for chair in self.chairs if chair.account_id == account_id)

    @property
    def is_over(self) -> bool:
        """Whether nothing can happen in it any more."""
        return self.state in (MatchState.FINISHED, MatchState.ABORTED)

    @property
    def is_put_off(self) -> bool:
        """Whether what is due in it could not be done at the last try, see `app.ports.MatchStore.put_off`; for a moment
        also where it is being done."""
        return self.wake_at is not None and self.due_at is not None and self.wake_at - self.due_at >= LEAST_PUT_OFF

    def holds_code(self, now: Micros) -> bool:
        """Whether its code leads to it now, and is for no other match: for CODE_KEPT also after its seating."""
        if self.code is None:
            return False
        begun_at = self.ended_at if self.started_at is None else self.started_at
        return self.state is MatchState.SEATING or (begun_at is not None and begun_at + CODE_KEPT > now)


class Cause(StrEnum):
    """What caused a change of a match."""

    SEAT = "seat"
    CLOCK = "clock"
    RULES = "rules"
    RESIGNED = "resigned"
    ABANDONED = "abandoned"
    SEATING = "seating"
    OPERATOR = "operator"


class RequestKey(msgspec.Struct, frozen=True):
    """The `request_id` of a call, 16 bytes, and the SHA-256 of what it asked for, without the id."""

    id: bytes
    digest: bytes


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One change of a match in its journal: never an answer, which is cut again on a repeat.

    at        when it was committed; the store sets it
    seat      who acted, resigned, or whose time ran out
    account_id  who made the call; None where the service did it by itself
    action    its text, `` where there was none
    events    the unredacted events as `app.events` encodes them; the outcome of each shuffle is among them
    """

    match_id: str
    revision: int
    at: Micros = 0
    cause: Cause
    seat: Seat | None = None
    account_id: str | None = None
    action: str = ""
    events: bytes = b""
    request: RequestKey | None = None


class Standing(msgspec.Struct, frozen=True):
    """How a match stands for one of its members, as the lists of one's own matches tell it.

    due_at: when the time of a seat of its is up first, by the database's clock; None where no clock of its runs.
    """

    match_id: str
    revision: int
    state: MatchState
    my_turn: bool
    due_at: Micros | None = None


class Claims(msgspec.Struct, frozen=True):
    """What was claimed, and when, in service time, there may be more; None where nothing waits."""

    claimed: list["Claim"]
    next_at: Micros | None


class PutOff(msgspec.Struct, frozen=True):
    """What is due in a match of this game is not looked at again before then, in service time."""

    game: str
    until: Micros


class Claim(msgspec.Struct, frozen=True):
    """A match of which something is due, at the revision that it had when it was claimed."""

    match_id: str
    revision: int
