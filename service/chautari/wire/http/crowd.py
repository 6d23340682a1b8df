"""How many connections each address has open, so that one cannot take them all."""

from collections import Counter
from typing import Final

from chautari.errors import Exhausted
from chautari.wire import errors
from chautari.wire.addresses import Proxies, network_of
from chautari.wire.errors import Failed

_RETRY_SECONDS: Final = 5.0


class Crowd:
    """The connections of one listener, by address; an IPv6 network of 64 bits is one."""

    def __init__(self, most: int, proxies: Proxies) -> None:
        """most: connections of an address; 0 for as many as come.

        proxies: those that bring calls of many people, whose connections are not counted.
        """
        self._most = most
        self._proxies = proxies
        self._open: Counter[str] = Counter()

    def __len__(self) -> int:
        """How many addresses have a connection that is counted."""
        return len(self._open)

    def key(self, host: str) -> str:
        """For whom a connection from there counts; empty where it is not counted."""
        return "" if not self._most or self._proxies.trusts(host) else network_of(host)

    def enter(self, key: str) -> int:
        """Counts a connection that was opened; by how many its address has too many now, 0 or less where it has not."""
        if not key:
            return 0
        self._open[key] += 1
        return self._open[key] - self._most

    def leave(self, key: str) -> None:
        """Counts a connection no more."""
        if key:
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key]

    def refusal(self) -> Failed:
        """What is told to whoever has too many."""
        return errors.failed(
            Exhausted(
                "TOO_MANY_CONNECTIONS",
                f"at most {self._most} connections may be open from one address: use one for many calls, or close some",
                retry_after=_RETRY_SECONDS, limit=self._most,
            )
        )  # fmt: skip
