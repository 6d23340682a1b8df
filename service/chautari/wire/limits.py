"""How often somebody may call: buckets in memory, each process counting for itself, and counts of streams."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from math import ceil
from time import monotonic
from typing import Final

from chautari.errors import Exhausted

REMEMBERED: Final = 20_000
"""A bucket that nobody has taken from, while so many others were, may be forgotten; it is full again then."""
_TRY_AGAIN_SECONDS: Final = 10.0
"""After so long one of many streams may have ended."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many at once, and as many again in `seconds`; 0 for as many as one likes."""

    burst: int
    seconds: float


class Subject(Enum):
    """For whom something is counted."""

    ACCOUNT = auto()
    ADDRESS = auto()
    ANONYMOUS_ADDRESS = auto()
    MATCH = auto()


@dataclass(frozen=True, slots=True)
class Allowed:
    """What everybody may do.

    calls      of an account
    address    calls of an address, whoever makes them
    anonymous  calls of an address without an account
    guests     new guests of an address
    codes      wrong codes of matches of an address
    tokens     tokens and keys of an address that do not hold
    acts       in a match, of all its seats
    streams    open at once for one account
    watchers   of one match at once, beside those who watch for a seat of theirs
    """

    calls: Rate = Rate(400, 4)
    address: Rate = Rate(2000, 4)
    anonymous: Rate = Rate(100, 5)
    guests: Rate = Rate(10, 3600)
    codes: Rate = Rate(10, 60)
    tokens: Rate = Rate(300, 60)
    acts: Rate = Rate(400, 4)
    streams: int = 8
    watchers: int = 5000

    def rates(self) -> list[tuple[str, Subject, Rate]]:
        """What is counted, for whom, and how often it may be; what has no limit is left out."""
        found = [
            ("calls", Subject.ACCOUNT, self.calls),
            ("calls", Subject.ADDRESS, self.address),
            ("calls", Subject.ANONYMOUS_ADDRESS, self.anonymous),
            ("acts", Subject.MATCH, self.acts),
            ("guests", Subject.ADDRESS, self.guests),
            ("codes", Subject.ADDRESS, self.codes),
            ("tokens", Subject.ADDRESS, self.tokens),
        ]
        return [line for line in found if line[2].burst]


class Buckets:
    """A bucket of tokens for each key: it is full at first, and fills by itself.

    What is kept of a bucket is when it will be full. There are never more than twice `remembered`, however many keys
    come: those taken from lately are in the new generation, and what is left in the old one when the new is complete is
    forgotten.
    """

    def __init__(self, rate: Rate, remembered: int = REMEMBERED) -> None:
        self._each = rate.seconds / rate.burst if rate.burst else 0.0
        self._room = rate.seconds - self._each
        self._remembered = remembered
        self._new: dict[str, float] = {}
        self._old: dict[str, float] = {}

    @property
    def are_bounded(self) -> bool:
        """Whether there is a limit."""
        return self._each > 0

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._new) + len(self._old)

    def take(self, key: str) -> None:
        """Takes a token; Exhausted `TOO_MANY_REQUESTS` says when there will be one."""
        each = self._each
        if not each:
            return
        now = monotonic()
        full = self._new.get(key)
        if full is None:
            full = self._renew(key, now)
        if full < now:
            full = now
        if full - now > self._room + 1e-9:
            wait = ceil((full - now - self._room) * 10 - 1e-6) / 10
            raise Exhausted("TOO_MANY_REQUESTS", f"too many of these: try again in {wait:.1f} s", retry_after=wait)
        self._new[key] = full + each

    def give_back(self, key: str) -> None:
        """Puts a token back: what it was taken for does not count."""
        generation = self._new if key in self._new else self._old
        if key in generation:
            generation[key] -= self._each

    def _renew(self, key: str, now: float) -> float:
        """Brings a bucket into the new generation; it is full where it was not known."""
        if len(self._new) >= self._remembered:
            self._old = self._new
            self._new = {}
        full = self._new[key] = self._old.pop(key, now)
        return full


class Limits:
    """What everybody has used of what is allowed."""

    def __init__(self, allowed: Allowed) -> None:
        self._allowed = allowed
        self._streams: Counter[str] = Counter()
        self._watchers: Counter[str] = Counter()
        self.calls = Buckets(allowed.calls)
        self.address = Buckets(allowed.address)
        self.anonymous = Buckets(allowed.anonymous)
        self.guests = Buckets(allowed.guests)
        self.codes = Buckets(allowed.codes)
        self.tokens = Buckets(allowed.tokens)
        self.acts = Buckets(allowed.acts)

    @contextmanager
    def stream(self, account: str) -> Iterator[None]:
        """Counts a stream of the account while it lasts; Exhausted `TOO_MANY_STREAMS` where it has too many."""
        most = self._allowed.streams
        if most and self._streams[account] >= most:
            raise Exhausted(
                "TOO_MANY_STREAMS", f"at most {most} streams may be open at once: end one, or try again later",
                retry_after=_TRY_AGAIN_SECONDS, limit=most,
            )  # fmt: skip
        with _counted(self._streams, account):
            yield

    @contextmanager
    def watcher(self, match: str) -> Iterator[None]:
        """Counts a spectator's stream of a match; Exhausted `TOO_MANY_WATCHERS` where it has too many."""
        most = self._allowed.watchers
        if most and self._watchers[match] >= most:
            raise Exhausted(
                "TOO_MANY_WATCHERS", f"this match is watched by {most} already: try again later",
                retry_after=_TRY_AGAIN_SECONDS, limit=most,
            )  # fmt: skip
        with _counted(self._watchers, match):
            yield


@contextmanager
def _counted(counter: Counter[str], key: str) -> Iterator[None]:
    counter[key] += 1
    try:
        yield
    finally:
        counter[key] -= 1
        if not counter[key]:
            del counter[key]
