"""The store in memory: the lists of matches."""

from collections.abc import Iterable, Sequence

from chautari.app.clocks import first_due
from chautari.app.filters import Filter
from chautari.app.spectating import shows_as_playing
from chautari.app.values import Match, MatchState, Micros, Privacy, SeatState, Standing
from chautari.engine import Seat
from chautari.store import matches
from chautari.store.memory_operate import MemoryOperate, page


class MemoryLists(MemoryOperate):
    """The part of the store in memory that lists matches."""

    async def matches_of(
        self, account_id: str, *, active: bool, my_turn: bool, game: str | None,
        before: tuple[Micros, str] | None, limit: int, wanted: Filter | None = None, rising: bool = False,
    ) -> list[Match]:  # fmt: skip
        """See `app.ports`."""
        self._check()
        return page(
            (
                match
                for match in self._of(account_id)
                if not (active and match.is_over) and not (my_turn and not _must_act(match, account_id))
            ),
            game, before, limit, wanted, rising,
        )  # fmt: skip

    async def open_matches(
        self, *, but_of: str, game: str | None, before: tuple[Micros, str] | None, limit: int,
        wanted: Filter | None = None, rising: bool = False,
    ) -> list[Match]:  # fmt: skip
        """See `app.ports`."""
        self._check()
        return page(
            (
                match
                for match in self._matches.values()
                if match.state is MatchState.SEATING
                and match.privacy is Privacy.PUBLIC
                and any(chair.state is SeatState.OPEN for chair in match.chairs)
                and but_of not in matches.members_of(match)
            ),
            game, before, limit, wanted, rising,
        )  # fmt: skip

    async def playing_matches(
        self, *, but_of: str, now: Micros, game: str | None, before: tuple[Micros, str] | None, limit: int,
        wanted: Filter | None = None, rising: bool = False,
    ) -> list[Match]:  # fmt: skip
        """See `app.ports`."""
        self._check()
        banned = self._in_force()
        return page(
            (
                match
                for match in self._matches.values()
                if match.privacy is Privacy.PUBLIC
                and shows_as_playing(match, now)
                and match.host not in banned
                and but_of not in matches.members_of(match)
            ),
            game, before, limit, wanted, rising,
        )  # fmt: skip

    async def standings(self, account_id: str, limit: int) -> list[Standing]:
        """See `app.ports`."""
        self._check()
        active = page((match for match in self._of(account_id) if not match.is_over), None, None, limit)
        return [
            Standing(
                match.id, match.revision, match.state, _must_act(match, account_id),
                first_due(match, _taken(match, account_id), self.outages),
            )
            for match in active
        ]  # fmt: skip

    async def find_matches(self, match_ids: Sequence[str]) -> list[Match]:
        """See `app.ports`."""
        self._check()
        return [self._matches[match_id] for match_id in match_ids if match_id in self._matches]

    def _of(self, account_id: str) -> Iterable[Match]:
        ids = self._matches_of.get(account_id, ())
        return (match for match in map(self._matches.__getitem__, ids) if account_id in matches.members_of(match))


def _taken(match: Match, account_id: str) -> list[Seat]:
    return [chair.number for chair in match.chairs if chair.account_id == account_id and chair.state is SeatState.TAKEN]


def _must_act(match: Match, account_id: str) -> bool:
    return any(match.must >> seat & 1 for seat in _taken(match, account_id))
