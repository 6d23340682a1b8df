"""How often somebody may call: token buckets in memory, each replica counting for itself, and a count of streams."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Final

from chautari.errors import Exhausted

_SWEEP_AT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Rate:
    """So many at once, and as many again in `seconds`; 0 for as many as one likes."""

    burst: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Allowed:
    """What one account, or one address, may do.

    calls      of an account; of an address, for calls without an account: `anonymous`
    guests     new guests for one address
    codes      wrong codes of matches for one address
    streams    open at once for one account; 0 for as many as one likes
    """

    calls: Rate = Rate(400, 4)
    anonymous: Rate = Rate(100, 5)
    guests: Rate = Rate(10, 3600)
    codes: Rate = Rate(10, 60)
    streams: int = 8


class Buckets:
    """A bucket of tokens for each key: it is full at first, and fills by itself."""

    def __init__(self, rate: Rate) -> None:
        self._burst = float(rate.burst)
        self._each = rate.seconds / rate.burst if rate.burst else 0.0
        self._buckets: dict[str, tuple[float, float]] = {}
        self._sweep_at = _SWEEP_AT

    def take(self, key: str) -> None:
        """Takes a token; Exhausted `TOO_MANY_REQUESTS` says when there will be one."""
        if not self._burst:
            return
        now = monotonic()
        left, at = self._buckets.get(key, (self._burst, now))
        left = min(self._burst, left + (now - at) / self._each)
        if left < 1:
            wait = (1 - left) * self._each
            raise Exhausted("TOO_MANY_REQUESTS", f"too many of these: try again in {wait:.1f} s", retry_after=wait)
        if len(self._buckets) >= self._sweep_at:
            self._sweep(now)
        self._buckets[key] = (left - 1, now)

    def give_back(self, key: str) -> None:
        """Puts a token back: what it was taken for does not count."""
        if key in self._buckets:
            left, at = self._buckets[key]
            self._buckets[key] = (min(self._burst, left + 1), at)

    def _sweep(self, now: float) -> None:
        """Forgets the buckets that are full again."""
        self._buckets = {
            key: (left, at) for key, (left, at) in self._buckets.items() if left + (now - at) / self._each < self._burst
        }
        self._sweep_at = max(_SWEEP_AT, 2 * len(self._buckets))


class Limits:
    """What everybody has used of what is allowed."""

    def __init__(self, allowed: Allowed) -> None:
        self._streams_allowed = allowed.streams
        self._streams: Counter[str] = Counter()
        self.calls = Buckets(allowed.calls)
        self.anonymous = Buckets(allowed.anonymous)
        self.guests = Buckets(allowed.guests)
        self.codes = Buckets(allowed.codes)

    @contextmanager
    def stream(self, account: str) -> Iterator[None]:
        """Counts a stream of the account while it lasts; Exhausted `TOO_MANY_STREAMS` where it has too many."""
        most = self._streams_allowed
        if most and self._streams[account] >= most:
            raise Exhausted("TOO_MANY_STREAMS", f"at most {most} streams may be open at once: end one", limit=most)
        self._streams[account] += 1
        try:
            yield
        finally:
            self._streams[account] -= 1
            if not self._streams[account]:
                del self._streams[account]
