"""Who may call: everybody that DESIGN.md section 5 names, at one server, and what belongs to one of them, the host."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, Final

import grpc
import pytest
from google.protobuf.message import Message

from chautari.app import access
from chautari.app.account_values import ApiKey
from chautari.app.caller import Caller as AppCaller
from chautari.app.keys import MadeKey, NewKey
from chautari.app.new_matches import NewMatch
from chautari.app.noting import Operator
from chautari.app.scopes import Scope
from chautari.app.tokens import Signer
from chautari.app.values import SECOND, Audience, Match, Privacy, StartRule
from chautari.store import MemoryStore
from chautari.v1 import accounts_pb2
from chautari.wire.methods import Method
from tests.wire.made import methods
from tests.wire.over_http import Http
from tests.wire.served import Caller, Refused, Served, serving

ROLES: Final = (
    "anon", "forged", "past", "ended", "other", "looks", "seated", "host", "read", "play", "bot", "org", "oper",
    "operator",
)  # fmt: skip
"""anon: nobody has signed in. forged: a token for the host that another key signed. past: one of the host's that has
expired. ended: one of a sign-in that was ended. other: a stranger. looks: a stranger who had the link of a private
match, and shows the ticket for it. seated: who has seat 1. host: who has seat 0, by the access token. read to oper: API
keys of the host, each with one scope, bot with play and read in it, the others with read. operator: a key of somebody
else's with the scope operate.
"""
KEYS: Final = {
    "read": Scope.READ, "play": Scope.PLAY, "bot": Scope.BOT, "org": Scope.ORGANISE, "oper": Scope.OPERATE,
}  # fmt: skip
_OF_A_ROLE: Final = "Of a role"
_numbers: Final = count()


class World:
    """One server and its callers. What a call may change is made anew by whoever makes the request for it."""

    def __init__(self, served: Served) -> None:
        self.app = served.app
        self._served = served
        self._accounts: dict[str, str] = {}
        self._callers: dict[str, Caller] = {}
        self.secrets: dict[str, str] = {}

    async def fill(self) -> None:
        """Makes all who call."""
        for role in ("other", "seated", "host", "ended", "operator"):
            await self._sign_in(role)
        host = self.account("host")
        self._as("looks", self._callers["other"].token, "other")
        for role, scope in KEYS.items():
            self._as(role, (await self._key(host, scope)).secret, "host")
        self._as("operator", (await self._key(self.account("operator"), Scope.OPERATE)).secret, "operator")
        self._as("anon", "", "")
        self._as("forged", await forged(host), "")
        long_ago = self.app.store.clock() - 3600 * SECOND
        expired, _ = await self.app._signer.sign(host, "sign-in", long_ago)
        self._as("past", expired, "host")
        await self.app.accounts.sign_out(self.caller("ended"), self.secrets["ended"], True)

    async def shut_out(self) -> None:
        """Makes `banned` and `gone`: an account that is banned, and one that was deleted; both still have tokens."""
        for role in ("banned", "gone"):
            await self._sign_in(role)
        await self.app.operating.ban(Operator(account_id=None), self.account("banned"), None, reason="cheats")
        name = f"accounts/{self.account('gone')}"
        await self._callers["gone"].call("Accounts/DeleteAccount", accounts_pb2.DeleteAccountRequest(name=name))

    async def _sign_in(self, role: str) -> None:
        signed_in = await self.app.accounts.create_guest("", "en")
        self._accounts[role] = signed_in.account.id
        self.secrets[role] = signed_in.tokens.refresh
        self._as(role, signed_in.tokens.access, role)

    def _as(self, role: str, token: str, account: str) -> None:
        caller = self._callers[role] = self._served.caller()
        caller.token = token
        self._accounts.setdefault(role, self._accounts.get(account, ""))

    async def _key(self, account: str, scope: Scope) -> MadeKey:
        return await self.app.keys.issue(account, NewKey(_OF_A_ROLE, frozenset({scope})))

    def account(self, role: str) -> str:
        """The id of the account of a role; empty for who has none."""
        return self._accounts[role]

    def caller(self, role: str) -> AppCaller:
        """The account of a role as use cases know it, with everything that a sign-in may do."""
        return AppCaller(self._accounts[role])

    # What belongs to the host, made anew for each call ────────────────────────────────────────────────────────────────

    async def nothing(self) -> None:
        """For methods that are called on nothing."""

    async def playing(self) -> Match:
        """A private match under way, which those with its link may watch; somebody sits at seat 1."""
        return await self._match(NewMatch(game="bluff", settings={"players": 2}, seats=(0,), audience=Audience.LINK))

    async def public(self) -> Match:
        """A public match under way."""
        return await self._match(NewMatch(game="bluff", settings={"players": 2}, seats=(0,), privacy=Privacy.PUBLIC))

    async def waiting(self, privacy: Privacy = Privacy.PRIVATE) -> Match:
        """A match before its start; seat 2 of 3 is free."""
        new = NewMatch(game="bluff", settings={"players": 3}, seats=(0,), privacy=privacy, start_rule=StartRule.BY_HOST)
        return await self._match(new)

    async def waiting_in_public(self) -> Match:
        """The same, and public."""
        return await self.waiting(Privacy.PUBLIC)

    async def full(self) -> Match:
        """A match that its host may start."""
        match = await self.waiting()
        return await self.app.matches.join(self.caller("seated"), link=match.link, seats=(2,))

    async def to_act(self) -> tuple[Match, str]:
        """A match with what its host may do now."""
        match = await self.playing()
        view = await self.app.playing.view(self.caller("host"), match.id, 0)
        assert view.view is not None
        [hand] = [zone.cards for zone in view.view.zones if zone.name == "hand.0"]
        return match, f"lay K {hand[0].text if hand else ''}"

    async def over(self) -> Match:
        """A match that is over."""
        match = await self.playing()
        return await self.app.matches.resign(self.caller("seated"), match.id, 1)

    async def _match(self, new: NewMatch) -> Match:
        match = await self.app.matches.create(self.caller("host"), new, None)
        return await self.app.matches.join(self.caller("seated"), link=match.link, seats=(1,))

    async def api_key(self) -> ApiKey:
        """A key that the host made by its sign-in; those of earlier calls are gone, for an account may have so many."""
        host = self.caller("host")
        for key in await self.app.store.keys_of(host.account):
            if key.title != _OF_A_ROLE:
                await self.app.keys.delete(host, "me", key.id)
        return (await self.app.keys.create(host, "me", NewKey("Made anew", frozenset({Scope.READ})), None)).key

    async def refresh_token(self) -> str:
        """A refresh token of another sign-in."""
        return (await self.app.accounts.create_guest("", "en")).tokens.refresh

    async def guest(self) -> str:
        """The name of somebody else's account."""
        return f"accounts/{(await self.app.accounts.create_guest('', 'en')).account.id}"

    async def anew(self) -> None:
        """Everybody who has signed in does so again."""
        for role in ("other", "looks", "seated", "host"):
            sign_in = f"again{next(_numbers)}"
            token, _ = await self.app._signer.sign(self.account(role), sign_in, self.app.store.clock())
            self._callers[role].token = token

    def ticket(self, match: Match, role: str) -> str:
        """What a spectator shows for having had the link."""
        return access.ticket_of(match, self.caller(role)) if role == "looks" else ""

    def grpc(self, role: str) -> Caller:
        """The connection of a role over gRPC."""
        return self._callers[role]

    def http(self) -> Http:
        """Another connection over HTTP."""
        return self._served.over_http()

    # Calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def outcome(self, role: str, name: str, request: Message) -> str:
        """The reason with which a call of this role is refused; of a stream the first message counts. `OK`: none."""
        caller, method = self._callers[role], _method(name)
        try:
            if method.open is None:
                await caller.call(name, request)
            else:
                call = caller.stream(name, request)
                await call.read()
                call.cancel()
        except grpc.aio.AioRpcError as error:
            return Refused.of(error).reason
        return "OK"


def _method(name: str) -> Method:
    return methods()[f"/chautari.v1.{name}"]


async def forged(account: str) -> str:
    """An access token that somebody else's server made for the account."""
    store = MemoryStore()
    revocations: Any = _Revocations()
    token, _ = await Signer(store, revocations).sign(account, "sign-in", store.clock())
    return token


class _Revocations:
    def on_revoked(self, listener: Callable[[frozenset[str]], None]) -> None:
        """Never."""


@asynccontextmanager
async def world(*, http: bool = False) -> AsyncIterator[World]:
    """A server with everybody at it. http: whether over HTTP too. It looks for the key of each forged token at once,
    and does not wait for others that come soon."""
    calls = {"calls_per_second": 0, "anonymous_per_second": 0, "address_per_second": 0, "acts_per_second": 0}
    many = {"streams_per_account": 0, "open_matches_per_account": 0}
    wrong = {"wrong_codes_per_minute": 0, "wrong_tokens_per_minute": 0}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chautari.app.tokens._LOOK_SECONDS", 0.0)
        async with serving(http=http, guests_per_hour=0, **many, **calls, **wrong) as served:
            made = World(served)
            await made.fill()
            yield made
