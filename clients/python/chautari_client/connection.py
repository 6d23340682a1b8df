"""One channel to a server and one sign-in over it: tokens that renew themselves, and calls that are tried again."""

import asyncio
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, TypeVar

import grpc

from chautari.v1 import accounts_pb2 as accounts
from chautari.v1.accounts_pb2_grpc import AccountsStub
from chautari_client.errors import ChautariError, NotSignedIn, Unavailable, from_rpc_error

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")

_RENEWABLE: Final = ("TOKEN_EXPIRED", "TOKEN_INVALID", "SIGN_IN_OLD")
_OPTIONS: Final[Mapping[str, int]] = {
    # Each client has a connection of its own, is back at once after a restart, and finds out when nobody is there.
    "grpc.use_local_subchannel_pool": 1,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 2_000,
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 10_000,
    "grpc.enable_retries": 0,
}


def _published() -> Mapping[str, Any]:
    """The retry policy of the API, as its service config tells it."""
    text = files("chautari").joinpath("_data", "service_config_with_request_id.json").read_text()
    policy: Mapping[str, Any] = json.loads(text)["methodConfig"][0]["retryPolicy"]
    return policy


_POLICY: Final = _published()


@dataclass(frozen=True, slots=True)
class Retry:
    """When a call is tried again: only where nobody answered, never where the server said no.

    What is not given is as the API publishes it: four tries, after 0.1, 0.4 and 1.6 seconds.

    tries          how often at most, the first included
    first_seconds  the pause after the first try; each that follows is `growth` times as long, `most_seconds` at most
    give_up_seconds  for how long a stream looks for a server before it fails with Unavailable; None: for ever
    """

    tries: int = int(_POLICY["maxAttempts"])
    first_seconds: float = float(_POLICY["initialBackoff"].removesuffix("s"))
    most_seconds: float = float(_POLICY["maxBackoff"].removesuffix("s"))
    growth: float = float(_POLICY["backoffMultiplier"])
    give_up_seconds: float | None = 300.0

    def pause(self, tried: int, told: float | None = None) -> float:
        """Seconds to wait after this many tries: at least as long as the server told, and never all at once."""
        longest = min(self.first_seconds * self.growth ** min(tried - 1, 20), self.most_seconds)
        return max(told or 0.0, longest * random.uniform(0.5, 1.0))


class Connection:
    """A channel, the tokens of one sign-in, and how calls are made with them."""

    def __init__(
        self, address: str, *, credentials: grpc.ChannelCredentials | None, retry: Retry, timeout_seconds: float,
        language: str, options: Sequence[tuple[str, str | int]], api_key: str = "",
    ) -> None:  # fmt: skip
        self.retry: Final = retry
        self._api_key = api_key
        self.tokens: accounts.Tokens | None = None
        self._timeout = timeout_seconds
        self._language = language
        merged = {**_OPTIONS, **dict(options)}
        settings = list(merged.items())
        self.channel: Final = (
            grpc.aio.secure_channel(address, credentials, options=settings)
            if credentials is not None
            else grpc.aio.insecure_channel(address, options=settings)
        )
        self._accounts = AccountsStub(self.channel)
        self._renewing = asyncio.Lock()

    @property
    def access_token(self) -> str:
        """The access token in use, else the API key; empty where nobody is signed in."""
        return self.tokens.access_token if self.tokens is not None else self._api_key

    def metadata(self, access_token: str) -> list[tuple[str, str]]:
        """The headers of a call."""
        headers = [("accept-language", self._language)] if self._language else []
        return [*headers, ("authorization", f"Bearer {access_token}")] if access_token else headers

    async def call(
        self, method: grpc.aio.UnaryUnaryMultiCallable[RequestT, ResponseT], request: RequestT, *, signed: bool = True
    ) -> ResponseT:
        """Makes a call: renews the access token where it has expired, and tries again where nobody answered.

        The request must be one that may be made twice: it reads only, or it carries a `request_id`. One that could and
        does not is made once.
        """
        tried, renewed = 0, False
        while True:
            token = self.access_token if signed else ""
            try:
                return await method(request, timeout=self._timeout, metadata=self.metadata(token))
            except grpc.aio.AioRpcError as failed:
                error = from_rpc_error(failed)
            if self.may_renew(error) and signed and not renewed:
                await self.renew(token)
                renewed = True
                continue
            tried += 1
            is_once = getattr(request, "request_id", None) == ""
            if not isinstance(error, Unavailable) or tried >= self.retry.tries or is_once:
                raise error
            await asyncio.sleep(self.retry.pause(tried, error.retry_after))

    def may_renew(self, error: ChautariError) -> bool:
        """Whether a new access token may help."""
        return isinstance(error, NotSignedIn) and error.reason in _RENEWABLE and self.tokens is not None

    async def renew(self, used: str) -> None:
        """Exchanges the refresh token for a new pair, unless the access token `used` has been replaced meanwhile."""
        async with self._renewing:
            if self.tokens is None or self.tokens.access_token != used:
                return
            request = accounts.RefreshTokenRequest(refresh_token=self.tokens.refresh_token)
            answer = await self.call(self._accounts.RefreshToken, request, signed=False)
            self.tokens = answer.tokens

    async def close(self) -> None:
        """Hangs up."""
        await self.channel.close()
