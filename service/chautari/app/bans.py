"""Bans: accounts that are shut out for a while or for good, as every replica knows them within seconds."""

from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from chautari.app.values import SECOND, Micros
from chautari.errors import Forbidden


class Ban(msgspec.Struct, frozen=True):
    """A ban. at: when it began; until: when it ends by itself, None for never; reason: for operators only.

    seats_left: whether its seats in matches are given up.
    """

    account_id: str
    at: Micros
    until: Micros | None
    reason: str
    seats_left: bool = False


class Bans:
    """The bans in force as this process knows them."""

    def __init__(self, clock: Callable[[], Micros]) -> None:
        self._clock = clock
        self._bans: dict[str, Ban] = {}
        self._listeners: list[Callable[[str], None]] = []

    def on_new(self, listener: Callable[[str], None]) -> None:
        """Calls the listener with each account that is found to be banned."""
        self._listeners.append(listener)

    def know(self, bans: list[Ban]) -> None:
        """These are the bans in force."""
        before, self._bans = self._bans, {ban.account_id: ban for ban in bans}
        for account_id in self._bans.keys() - before.keys():
            for listener in self._listeners:
                listener(account_id)

    def find(self, account_id: str | None) -> Ban | None:
        """The ban of an account that is in force."""
        ban = self._bans.get(account_id) if account_id else None
        return None if ban is None or (ban.until is not None and ban.until <= self._clock()) else ban

    def check(self, account_id: str) -> None:
        """Forbidden `ACCOUNT_BANNED` says until when an account is banned."""
        if not self._bans:
            return
        ban = self.find(account_id)
        if ban is None:
            return
        if ban.until is None:
            raise Forbidden("ACCOUNT_BANNED", "this account is banned for good")
        until = moment(ban.until)
        raise Forbidden("ACCOUNT_BANNED", f"this account is banned until {until}", until=until)

    def pending(self) -> list[Ban]:
        """Those whose seats are not given up yet."""
        return [ban for ban in self._bans.values() if not ban.seats_left]

    def count(self) -> int:
        """How many accounts are banned now."""
        return sum(self.find(account_id) is not None for account_id in self._bans)


def moment(at: Micros) -> str:
    """A moment in the form of RFC 3339, in whole seconds: `2026-11-30T03:15:00Z`."""
    return datetime.fromtimestamp(at // SECOND, UTC).isoformat().replace("+00:00", "Z")
