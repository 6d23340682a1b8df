"""What the use cases need from outside, as Protocols: a store that keeps everything, and a bus that passes hints.

Every write is one unit of work: all of it is committed when the call returns, or nothing is and it raises. What a
store raises beside the errors named at each method: Exhausted `STORAGE_FULL` where the disk is full (reads go on), and
Unavailable `STORAGE_AWAY` where it does not answer.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from chautari.app.account_ports import AccountStore, ClosingStore, CredentialStore, IdentityStore, KeyStore
from chautari.app.audit import Note
from chautari.app.filters import Filter
from chautari.app.operate_ports import OperateStore
from chautari.app.values import (
    Claims,
    DueKind,
    Entry,
    Match,
    Micros,
    PutOff,
    RequestKey,
    Standing,
)


class Overtaken(Exception):
    """A guarded write found another revision than the one it was made from: load the match and try again."""


class TooManyOpen(Exception):
    """The host of a new match hosts as many that are not over as it may."""


class RequestSeen(Exception):
    """A write carried a `request_id` that this account has used before: `entry` is what that request did."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(entry.match_id, entry.revision)
        self.entry = entry


class MatchStore(Protocol):
    """Matches and their journals."""

    def add_match(
        self, match: Match, entry: Entry, *, open_at_most: int = 0, late: Callable[[Micros], object] | None = None
    ) -> asyncio.Future[Micros]:
        """Keeps a new match and the first entry of its journal; the future holds when, as that of `commit`.

        RequestSeen where the request was seen, which is looked at first. TooManyOpen where the match's host hosts
        `open_at_most` already that are not over; 0 for any number.
        ValueError `id` or `link` where another match has it, `code` where another match holds it (`Match.holds_code`).
        """

    async def find_match(self, match_id: str) -> Match | None:
        """The match with its chairs and snapshot, None where there is none."""

    async def find_by_code(self, code: str) -> Match | None:
        """The match that holds this code (`Match.holds_code`), one that is seating before others, also if the code has
        expired."""

    async def find_by_link(self, link: str) -> Match | None:
        """The match with this link."""

    def commit(
        self, match: Match, entry: Entry, *, chairs: bool = False, late: Callable[[Micros], object] | None = None,
        audit: Note | None = None,
    ) -> asyncio.Future[Micros]:  # fmt: skip
        """Replaces the match, whose stored revision must be one less, and adds the entry; the future holds when.

        The future is the caller's own: to cancel it does not stop the write, of which `late` is then told instead.

        This is the hot path. chairs: whether the chairs have changed as well, or what a host may arrange before the
        start: settings and with them the commitment, title, privacy, audience, delay, disclosure, start and seating
        rules, who is barred, the code. Else these stay. Game, rules, secret and link are always those of the creation.
        audit: is added to the audit log with it; NoteSeen where the request of that was seen.
        Overtaken where the stored revision is another; RequestSeen where the request was seen, which is looked at
        first; ValueError `code` where another match that is seating has this code.
        """

    async def entries(self, match_id: str, after: int, limit: int) -> list[Entry]:
        """The entries with revisions above `after`, in order, at most `limit`; of a packed match without requests."""

    async def revisions(self, match_ids: Collection[str], account_ids: Collection[str]) -> dict[str, int]:
        """The latest revisions of these matches, and of those of these accounts that are not over."""

    async def find_request(self, account_id: str, request: RequestKey, match_id: str | None) -> Entry | None:
        """What this request of the account did. In a packed match it is found by naming the match, but for the request
        that created it."""

    async def matches_of(
        self, account_id: str, *, active: bool, my_turn: bool, game: str | None, before: tuple[Micros, str] | None,
        limit: int, wanted: Filter | None = None, rising: bool = False,
    ) -> list[Match]:  # fmt: skip
        """The matches in which the account has, or had, a seat, and those that it hosts, the latest created first, from
        behind (created_at, id) `before`.

        active: only those not over; my_turn: only those where a seat of its must act; wanted: only those that it lets
        through; rising: the oldest first. Without secrets and snapshots.
        """

    async def open_matches(
        self, *, but_of: str, game: str | None, before: tuple[Micros, str] | None, limit: int,
        wanted: Filter | None = None, rising: bool = False,
    ) -> list[Match]:  # fmt: skip
        """The public matches that are seating and have a free seat, but for the account's own, the latest created
        first; `wanted` and `rising` as in `matches_of`."""

    async def playing_matches(
        self, *, but_of: str, now: Micros, game: str | None, before: tuple[Micros, str] | None, limit: int,
        wanted: Filter | None = None, rising: bool = False,
    ) -> list[Match]:  # fmt: skip
        """The public matches that are under way for their spectators, as late as these are (`shows_as_playing`), but
        for the account's own and those whose host is banned. Each is as it is stored, and may be over.

        The latest created first; `wanted` and `rising` as in `matches_of`."""

    async def standings(self, account_id: str, limit: int) -> list[Standing]:
        """How the account's matches that are not over stand, the latest created first."""

    async def find_matches(self, match_ids: Sequence[str]) -> list[Match]:
        """Those of these matches that there are, as `find_match` gives them, in any order."""

    async def claim_due(self, kinds: Collection[DueKind], limit: int, lease: Micros) -> Claims:
        """Claims matches of which something of these kinds is due, at most so many of each kind; nobody else gets them
        until the lease is over. Those due first come first.

        Nothing is claimed where an outage has not been credited yet.
        """

    async def put_off(self, match_id: str, most: Micros) -> PutOff | None:
        """Lets nobody claim what is due in a match until it has been due for twice as long, but from now on for
        LEAST_PUT_OFF at least, and `most` at most. None where nothing is due in it, or in an outage."""

    async def pack(self, match_id: str) -> None:
        """Packs the journal of a match that is over into one compressed row; nothing where that was done."""


class Store(
    AccountStore, ClosingStore, CredentialStore, IdentityStore, KeyStore, MatchStore, OperateStore, Protocol
):  # fmt: skip
    """Everything that is kept."""

    exclusive: bool
    """Whether no other process writes: what was read stays true until this one writes."""
    epoch: str
    """A random name that the database keeps; one that is restored from a backup gets another. At most 64 characters."""

    def clock(self) -> Micros:
        """The database's clock, as this process knows it without asking."""

    def service_time(self) -> Micros:
        """The database's clock less all outages: the time in which due times are counted. It stands still in one."""

    @property
    def outages(self) -> Micros:
        """All outages together, as far as this process knows."""

    async def pulse(self) -> Micros:
        """Notes that the service is alive; to be called about once a second.

        Where nothing was alive for more than a few seconds, that time is credited, once however many find out; it gives
        the outage then, else 0.
        """

    async def check(self) -> None:
        """Raises Unavailable where the database does not answer."""

    async def close(self) -> None:
        """Finishes the writes under way and lets go of the database."""


Listener = Callable[[str, int], None]


class Bus(Protocol):
    """Passes hints that a match has a new revision. A hint may be lost, late, or come twice; nothing depends on it."""

    def publish(self, match_id: str, revision: int) -> None:
        """Tells every replica."""

    def subscribe(self, listener: Listener) -> None:
        """Calls the listener, in the event loop, with each hint: (match, revision)."""

    def start(self) -> None:
        """Begins to pass hints on, in the event loop that runs."""

    async def close(self) -> None:
        """Passes no more."""


class Random(Protocol):
    """Secret randomness of the operating system."""

    def __call__(self, count: int, /) -> bytes:
        """That many bytes."""
        ...


def request_matches(entry: Entry, request: RequestKey) -> bool:
    """Whether an entry was made by this very request, not by another under its id."""
    return entry.request is not None and entry.request.digest == request.digest
