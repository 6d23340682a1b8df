"""The store in memory: accounts that end."""

import msgspec

from chautari.app import events
from chautari.app.account_ports import Gone
from chautari.app.account_values import AccountKind, Closing, ClosingKind, RefreshToken, Renaming
from chautari.app.values import Entry, Match, Micros
from chautari.store.clock import Clock
from chautari.store.memory_accounts import MemoryAccounts


class MemoryClosings(MemoryAccounts):
    """The part of the store in memory that closes accounts."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._closings: dict[str, Closing] = {}
        self._matches: dict[str, Match] = {}
        self._journals: dict[str, list[Entry]] = {}
        self._matches_of: dict[str, set[str]] = {}

    async def merge_account(self, account_id: str, survivor: str, due_at: Micros) -> list[str]:
        """See `app.account_ports`."""
        self._check()
        self._open(account_id, survivor)
        for identity in await self.identities_of(account_id):
            self._identities[identity.id] = msgspec.structs.replace(identity, account_id=survivor)
        for key in list(self._api_keys.values()):
            if key.account_id == account_id:
                self._change_key(key.id, account_id=survivor, request=None)
        if await self.identities_of(survivor):
            self._set_kind(survivor, AccountKind.LINKED)
        self._set_kind(account_id, AccountKind.MERGED)
        for closing in await self.merged_into(account_id):
            self._closings[closing.account_id] = msgspec.structs.replace(closing, survivor=survivor)
        self._close(account_id, ClosingKind.MERGED, survivor, due_at)
        return await self.revoke_account(account_id)

    async def delete_account(self, account_id: str, name: str, due_at: Micros) -> list[str]:
        """See `app.account_ports`."""
        self._check()
        self._open(account_id)
        keys = [key.id for key in self._api_keys.values() if key.account_id == account_id]
        for key_id in keys:
            del self._api_keys[key_id]
        self._note_revoked(keys)
        for identity in await self.identities_of(account_id):
            del self._identities[identity.id]
        for closing in await self.merged_into(account_id):
            changed = msgspec.structs.replace(closing, survivor=None, kind=ClosingKind.DELETED)
            self._closings[closing.account_id] = changed
            self._forget_account(closing.account_id, name)
        self._forget_account(account_id, name)
        self._close(account_id, ClosingKind.DELETED, None, due_at)
        return await self.revoke_account(account_id) + keys

    async def find_closing(self, account_id: str) -> Closing | None:
        """See `app.account_ports`."""
        self._check()
        return self._closings.get(account_id)

    async def merged_into(self, account_id: str) -> list[Closing]:
        """See `app.account_ports`."""
        self._check()
        found = [closing for closing in self._closings.values() if closing.survivor == account_id]
        return sorted(found, key=lambda closing: (closing.at, closing.account_id))

    async def claim_closings(self, limit: int, lease: Micros) -> list[Closing]:
        """See `app.account_ports`."""
        self._check()
        now = self._clock.now()
        due = [(closing.due_at, closing) for closing in self._closings.values() if closing.due_at is not None]
        come = [closing for at, closing in sorted(due, key=lambda each: each[0]) if at <= now][:limit]
        for closing in come:
            self._closings[closing.account_id] = msgspec.structs.replace(closing, due_at=now + lease)
        return [self._closings[closing.account_id] for closing in come]

    async def settle_closing(self, account_id: str) -> None:
        """See `app.account_ports`."""
        self._check()
        self._closings[account_id] = msgspec.structs.replace(self._closings[account_id], due_at=None)

    async def rename_over(self, renaming: Renaming, limit: int) -> list[str]:
        """See `app.account_ports`."""
        self._check()
        old, new = renaming.account_id, renaming.successor
        mine = [self._matches[match_id] for match_id in self._matches_of.get(old, ())]
        found = sorted((match for match in mine if match.is_over), key=lambda match: match.created_at)[:limit]
        for match in found:
            await self.rename_in_match(match.id, renaming)
            match = self._matches[match.id]
            chairs = tuple(
                msgspec.structs.replace(chair, account_id=new) if chair.account_id == old else chair
                for chair in match.chairs
            )
            host = new if match.host == old else match.host
            self._matches[match.id] = msgspec.structs.replace(match, chairs=chairs, host=host)
            self._matches_of[old].discard(match.id)
            if new != old:
                self._matches_of.setdefault(new, set()).add(match.id)
        return [match.id for match in found]

    async def rename_in_match(self, match_id: str, renaming: Renaming) -> None:
        """See `app.account_ports`."""
        self._check()
        old, new, name = renaming.account_id, renaming.successor, renaming.display_name
        match = self._matches.get(match_id)
        if match is not None and name is not None:
            chairs = tuple(
                msgspec.structs.replace(chair, display_name=name) if chair.account_id == old else chair
                for chair in match.chairs
            )
            self._matches[match_id] = msgspec.structs.replace(match, chairs=chairs)
        for number, entry in enumerate(self._journals.get(match_id, ())):
            entry = msgspec.structs.replace(entry, events=events.renamed(match_id, entry.events, renaming))
            if entry.account_id == old != new:
                entry = msgspec.structs.replace(entry, account_id=new, request=None)
            self._journals[match_id][number] = entry

    async def matches_asked(self, account_id: str) -> list[str]:
        """See `app.account_ports`."""
        self._check()
        return [
            match_id
            for match_id, entries in self._journals.items()
            if any(entry.account_id == account_id and entry.request is not None for entry in entries)
        ]

    async def sign_ins_of(self, account_id: str) -> list[RefreshToken]:
        """See `app.account_ports`."""
        self._check()
        mine = [token for token in self._tokens.values() if token.account_id == account_id and token.used_at is None]
        return list({token.family: token for token in sorted(mine, key=lambda token: token.expires_at)}.values())

    def _open(self, *account_ids: str) -> None:
        found = [self._accounts.get(account_id) for account_id in account_ids]
        if any(account is None or account.is_closed for account in found):
            raise Gone

    def _close(self, account_id: str, kind: ClosingKind, survivor: str | None, due_at: Micros) -> None:
        self._closings[account_id] = Closing(
            account_id=account_id, kind=kind, survivor=survivor, at=self._clock.now(), due_at=due_at
        )

    def _forget_account(self, account_id: str, name: str) -> None:
        self._accounts[account_id] = msgspec.structs.replace(
            self._accounts[account_id], kind=AccountKind.DELETED, display_name=name, language="en"
        )
