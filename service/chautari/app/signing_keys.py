"""The keys that sign access tokens, as operators see and change them. Each use is noted as those of `app.operating`."""

from typing import Final

import msgspec

from chautari.app.account_values import SigningKey
from chautari.app.audit import AuditEntry, Note
from chautari.app.noting import Noting, Operator
from chautari.app.ports import Store
from chautari.app.tokens import ACCESS_SECONDS, Signer
from chautari.app.values import SECOND, Micros, RequestKey
from chautari.errors import NotFound

_OTHERS_LEARN: Final[Micros] = 60 * SECOND
"""Within so long every replica signs with the new key."""


class SigningKeys:
    """The use cases of operators with signing keys."""

    def __init__(self, store: Store, signer: Signer, noting: Noting) -> None:
        self._store = store
        self._signer = signer
        self._noting = noting

    async def list_keys(self, who: Operator) -> list[SigningKey]:
        """The keys that are accepted, the newest first: that one signs. Their private parts are not for showing."""

        async def work(note: Note) -> list[SigningKey]:
            await self._noting.add(note)
            return await self._store.signing_keys()

        return await self._noting.looked(who, "ListSigningKeys", "", work)

    async def rotate(
        self, who: Operator, *, reason: str, request: RequestKey | None = None
    ) -> list[SigningKey]:  # fmt: skip
        """Makes a key that signs from now on; older ones are accepted until the last token of theirs has expired."""

        async def work(note: Note) -> list[SigningKey]:
            await self._signer.reload()
            key = self._signer.make_key()
            until = self._store.clock() + ACCESS_SECONDS * SECOND + _OTHERS_LEARN
            note = msgspec.structs.replace(note, detail={"kid": key.kid})
            entry = await self._store.change_keys(note, new=key, older_until=until)
            assert entry is not None
            return await self._changed(entry)

        async def again(_: AuditEntry) -> list[SigningKey]:
            return await self._store.signing_keys()

        return await self._noting.changed(
            who, "RotateSigningKeys", "", work, again=again, reason=reason, request=request
        )  # fmt: skip

    async def revoke(
        self, who: Operator, kid: str, *, reason: str, request: RequestKey | None = None
    ) -> list[SigningKey]:  # fmt: skip
        """Revokes a key at once, and makes another where it was the one that signs; NotFound `SIGNING_KEY_UNKNOWN`."""

        async def work(note: Note) -> list[SigningKey]:
            await self._signer.reload()
            known = await self._store.signing_keys()
            new = self._signer.make_key() if not known or known[0].kid == kid else None
            if new is not None:
                note = msgspec.structs.replace(note, detail={"new": new.kid})
            entry = await self._store.change_keys(note, new=new, revoked=kid)
            if entry is None:
                raise NotFound("SIGNING_KEY_UNKNOWN", "no signing key that is in force has this id")
            return await self._changed(entry)

        async def again(_: AuditEntry) -> list[SigningKey]:
            return await self._store.signing_keys()

        return await self._noting.changed(
            who, "RevokeSigningKey", f"signingKeys/{kid}", work, again=again, reason=reason, request=request
        )  # fmt: skip

    async def _changed(self, entry: AuditEntry) -> list[SigningKey]:
        self._noting.tell(entry)
        await self._signer.reload()
        return await self._store.signing_keys()
