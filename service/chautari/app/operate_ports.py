"""What the use cases of operators need from a store. What holds for every port is said in `app.ports`."""

from typing import Protocol

from chautari.app.account_values import SigningKey
from chautari.app.audit import AuditCheck, AuditEntry, AuditQuestion, Note
from chautari.app.bans import Ban
from chautari.app.searches import AccountQuestion, AccountRow, MatchQuestion
from chautari.app.values import Match, Micros, RequestKey


class OperateStore(Protocol):
    """What operators do and find, and the log of it. NoteSeen where the request of a note was seen: nothing is done."""

    async def note(self, note: Note) -> AuditEntry:
        """Adds an entry to the audit log."""

    async def last_note(self) -> int:
        """The number of the last entry of the audit log, 0 where there is none."""

    async def find_note(self, account_id: str, request: RequestKey) -> AuditEntry | None:
        """The entry that a request of this operator made."""

    async def notes(self, question: AuditQuestion, before: int | None, limit: int) -> list[AuditEntry]:
        """The entries with numbers below `before`, the latest first."""

    async def check_notes(self) -> AuditCheck:
        """Checks every seal of the audit log."""

    async def ban(self, ban: Ban, note: Note) -> AuditEntry:
        """Keeps a ban, which begins when its entry is made, in place of the one that the account has."""

    async def lift_ban(self, account_id: str, note: Note) -> AuditEntry | None:
        """Ends a ban; None, and nothing is noted, where there is none in force."""

    async def bans(self) -> list[Ban]:
        """Those in force, by account."""

    async def seats_left(self, ban: Ban) -> None:
        """Notes that the seats of the account are given up; nothing where another ban has taken the place of this."""

    async def change_keys(
        self, note: Note, *, new: SigningKey | None, older_until: Micros | None = None, revoked: str | None = None
    ) -> AuditEntry | None:
        """Adds a signing key, lets the older ones expire no later than `older_until`, and deletes the one revoked.

        None, and nothing is done, where the one to be revoked is not there.
        """

    async def search_accounts(
        self, question: AccountQuestion, after: tuple[str, str] | None, limit: int
    ) -> list[AccountRow]:
        """Accounts by folded name, from behind (folded name, id) `after`."""

    async def search_matches(
        self, question: MatchQuestion, before: tuple[Micros, str] | None, limit: int
    ) -> list[Match]:
        """Matches, the latest created first, from behind (created_at, id) `before`. Without secrets and snapshots."""
