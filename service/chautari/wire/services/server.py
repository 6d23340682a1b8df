"""Server: what a client should know before it calls anything else."""

from dataclasses import dataclass
from typing import Final

from chautari.app.caller import Caller
from chautari.app.catalog import LANGUAGES
from chautari.app.service import App
from chautari.v1 import server_pb2
from chautari.wire.convert.plain import fill_time
from chautari.wire.limits import Allowed
from chautari.wire.methods import Needs, method

MIN_CLIENT_VERSION: Final = "0.1.0"
_LARGEST_PAGE: Final = 1000
_REQUEST_ID_SECONDS: Final = 24 * 3600


@dataclass(frozen=True, slots=True)
class Facts:
    """What the server says of itself. Sizes are in bytes, times in seconds."""

    version: str
    max_message_bytes: int
    max_streams: int
    address_connections: int
    max_call_seconds: int
    heartbeat_seconds: int
    allowed: Allowed
    open_matches: int
    code_seconds: int
    seating_seconds: int
    idle_seconds: int


class Server:
    """The service `Server`."""

    def __init__(self, app: App, facts: Facts) -> None:
        self._app = app
        self._facts = facts

    @method(Needs.NOTHING)
    async def get_server_info(self, caller: Caller, request: server_pb2.GetServerInfoRequest) -> server_pb2.ServerInfo:
        """Tells the version, the limits and the time of the server."""
        del caller, request
        facts = self._facts
        info = server_pb2.ServerInfo(
            version=facts.version,
            api_versions=["v1"],
            min_client_version=MIN_CLIENT_VERSION,
            languages=LANGUAGES,
            limits=server_pb2.ServerLimits(
                max_message_bytes=facts.max_message_bytes,
                max_page_size=_LARGEST_PAGE,
                max_streams=facts.max_streams,
                max_call_seconds=facts.max_call_seconds,
                heartbeat_seconds=facts.heartbeat_seconds,
                request_id_seconds=_REQUEST_ID_SECONDS,
                max_account_streams=facts.allowed.streams,
                max_match_watchers=facts.allowed.watchers,
                max_address_connections=facts.address_connections,
                max_open_matches=facts.open_matches,
                code_seconds=facts.code_seconds,
                seating_seconds=facts.seating_seconds,
                idle_seconds=facts.idle_seconds,
                rates=[
                    server_pb2.RateLimit(
                        counts=counts,
                        subject=f"LIMIT_SUBJECT_{subject.name}",
                        burst=rate.burst,
                        period_seconds=round(rate.seconds),
                    )
                    for counts, subject, rate in facts.allowed.rates()
                ],
            ),
        )
        fill_time(info.time, self._app.store.clock())
        return info

    @method(Needs.NOTHING)
    async def get_signing_keys(
        self, caller: Caller, request: server_pb2.GetSigningKeysRequest
    ) -> server_pb2.SigningKeys:
        """Gives the public keys by which access tokens can be checked."""
        del caller, request
        members = ("kid", "kty", "crv", "use", "alg", "x", "y")
        keys = await self._app.accounts.public_keys()
        return server_pb2.SigningKeys(
            keys=[server_pb2.SigningKey(**{name: key.get(name, "") for name in members}) for key in keys]
        )
