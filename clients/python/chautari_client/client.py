"""The client: what a program can do at a Chautari server, one method each. `SyncClient` is the same without `await`."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Final, Literal, Self

import grpc

from chautari.v1 import games_pb2, match_pb2, matches_pb2, server_pb2
from chautari.v1.games_pb2_grpc import GamesStub
from chautari.v1.hosting_pb2_grpc import HostingStub
from chautari.v1.matches_pb2_grpc import MatchesStub
from chautari.v1.play_pb2_grpc import PlayStub
from chautari.v1.server_pb2_grpc import ServerStub
from chautari_client.connection import Connection, Retry
from chautari_client.hosting import Hosting
from chautari_client.naming import GameRef, MatchRef, game_name, name_of, request_id_of
from chautari_client.own_account import OwnAccount
from chautari_client.plain import to_struct
from chautari_client.playing import Playing

Privacy = Literal["private", "public"]
Disclosure = Literal["full", "shown_only"]
Start = Literal["automatic", "by_host"]
Audience = Literal["members", "link", "everyone"]
Seating = Literal["chosen", "random", "rotated"]
Which = Literal["mine", "mine_active", "my_turn", "open", "playing"]

_PRIVACY: Final[Mapping[Privacy, match_pb2.Privacy]] = {
    "private": match_pb2.PRIVACY_PRIVATE,
    "public": match_pb2.PRIVACY_PUBLIC,
}
_AUDIENCE: Final[Mapping[Audience | None, match_pb2.Audience]] = {
    None: match_pb2.AUDIENCE_UNSPECIFIED,
    "members": match_pb2.AUDIENCE_MEMBERS,
    "link": match_pb2.AUDIENCE_LINK,
    "everyone": match_pb2.AUDIENCE_EVERYONE,
}
_SEATING: Final[Mapping[Seating, match_pb2.SeatingRule]] = {
    "chosen": match_pb2.SEATING_RULE_CHOSEN,
    "random": match_pb2.SEATING_RULE_RANDOM,
    "rotated": match_pb2.SEATING_RULE_ROTATED,
}
_DISCLOSURE: Final[Mapping[Disclosure | None, match_pb2.Disclosure]] = {
    None: match_pb2.DISCLOSURE_UNSPECIFIED,
    "full": match_pb2.DISCLOSURE_FULL,
    "shown_only": match_pb2.DISCLOSURE_SHOWN_ONLY,
}
_START: Final[Mapping[Start, match_pb2.StartRule]] = {
    "automatic": match_pb2.START_RULE_AUTOMATIC,
    "by_host": match_pb2.START_RULE_BY_HOST,
}
_WHICH: Final[Mapping[Which, matches_pb2.MatchList]] = {
    "mine": matches_pb2.MATCH_LIST_MINE,
    "mine_active": matches_pb2.MATCH_LIST_MINE_ACTIVE,
    "my_turn": matches_pb2.MATCH_LIST_MY_TURN,
    "open": matches_pb2.MATCH_LIST_OPEN,
    "playing": matches_pb2.MATCH_LIST_PLAYING,
}
_DEFAULT_RETRY: Final = Retry()


class Client(OwnAccount, Hosting, Playing):
    """One sign-in at one server, over one connection. Make it with `Client.connect`, inside a running event loop.

    Every call may raise a `ChautariError`. Calls that nobody answered are made again, with one `request_id`, so that
    they take effect once; refusals are never repeated. Give a `request_id` of your own to go on with a call that was
    still not answered after all tries, perhaps after your program was started again.
    """

    def __init__(self, connection: Connection, heartbeat_seconds: float | None = None) -> None:
        super().__init__(connection)
        self._heartbeat_seconds = heartbeat_seconds
        self._acted: dict[tuple[str, int | None], int] = {}
        self._tickets: dict[str, str] = {}
        self._games = GamesStub(connection.channel)
        self._matches = MatchesStub(connection.channel)
        self._hosting = HostingStub(connection.channel)
        self._play = PlayStub(connection.channel)
        self._server = ServerStub(connection.channel)

    @classmethod
    def connect(
        cls, address: str, *, credentials: grpc.ChannelCredentials | None = None, retry: Retry = _DEFAULT_RETRY,
        timeout_seconds: float = 10.0, heartbeat_seconds: float | None = None, language: str = "",
        options: Sequence[tuple[str, str | int]] = (), api_key: str = "",
    ) -> Self:  # fmt: skip
        """A client of the server at `host:port`. The connection is made by the first call.

        credentials: for TLS, such as `grpc.ssl_channel_credentials()`; none: plain text. timeout_seconds: of one try.
        heartbeat_seconds: how often the server says at least that a stream is alive; None: as it tells.
        language: of texts, such as `ne`.
        api_key: the secret of a key, for a program that calls without a sign-in.
        """
        connection = Connection(
            address, credentials=credentials, retry=retry, timeout_seconds=timeout_seconds, language=language,
            options=options, api_key=api_key,
        )  # fmt: skip
        return cls(connection, heartbeat_seconds)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Hangs up; streams under way end."""
        await self._connection.close()

    # Games ────────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def games(self) -> list[games_pb2.Game]:
        """All games, without their declarations."""
        found: list[games_pb2.Game] = []
        request = games_pb2.ListGamesRequest()
        while True:
            answer = await self._connection.call(self._games.ListGames, request)
            found += answer.games
            if not answer.next_page_token:
                return found
            request.page_token = answer.next_page_token

    async def game(self, game: GameRef, language: str = "") -> games_pb2.Game:
        """A game with all its declarations: settings, zones, facts, verbs, words."""
        request = games_pb2.GetGameRequest(name=game_name(game), language=language)
        return await self._connection.call(self._games.GetGame, request)

    async def rules(self, game: GameRef, language: str = "") -> str:
        """The page on which people read the rules of a game, in Markdown."""
        request = games_pb2.GetRulesRequest(name=game_name(game), language=language)
        return (await self._connection.call(self._games.GetRules, request)).markdown

    async def server_info(self) -> server_pb2.ServerInfo:
        """Version, limits and time of the server."""
        return await self._connection.call(self._server.GetServerInfo, server_pb2.GetServerInfoRequest())

    async def signing_keys(self) -> server_pb2.SigningKeys:
        """The public keys by which access tokens can be checked."""
        return await self._connection.call(self._server.GetSigningKeys, server_pb2.GetSigningKeysRequest())

    # Matches ──────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def create_match(
        self, game: GameRef, settings: Mapping[str, object] | None = None, *, seats: Sequence[int] = (),
        title: str = "", privacy: Privacy = "private", disclosure: Disclosure | None = None,
        start: Start = "automatic", seating: Seating = "rotated", audience: Audience | None = None,
        spectator_delay_seconds: float = 0.0, clock: match_pb2.TimeControl | None = None,
        contribution: bytes = b"", request_id: str | None = None, validate_only: bool = False, **more: object,
    ) -> match_pb2.Match:  # fmt: skip
        """Creates a match and hosts it. seats: those that the creator takes.

        settings: those that are not as by default, by name, as a mapping or as keywords (`players=3`).
        audience, spectator_delay_seconds: who may watch beside the members, and how late, at most an hour.
        clock: how long a seat has to act, as `clocks` makes it; None for what the game has.
        contribution: 16 to 64 random bytes that go into every shuffle, for each seat taken.
        """
        request = matches_pb2.CreateMatchRequest(
            game=game_name(game), settings=to_struct({**(settings or {}), **more}), title=title,
            privacy=_PRIVACY[privacy], disclosure=_DISCLOSURE[disclosure], start=_START[start], seats=seats,
            audience=_AUDIENCE[audience], seating=_SEATING[seating], contribution=contribution,
            clock=clock, request_id=request_id_of(request_id), validate_only=validate_only,
        )  # fmt: skip
        if spectator_delay_seconds:
            request.spectator_delay.FromMicroseconds(round(spectator_delay_seconds * 1e6))
        return await self._connection.call(self._matches.CreateMatch, request)

    async def get_match(self, match: MatchRef) -> match_pb2.Match:
        """A match as it is now."""
        name = name_of(match)
        request = matches_pb2.GetMatchRequest(name=name, ticket=self._tickets.get(name, ""))
        return await self._connection.call(self._matches.GetMatch, request)

    async def find_match(self, *, code: str | None = None, link: str | None = None) -> match_pb2.Match:
        """The match behind a code or a link, to look at before joining, or to watch where its audience may."""
        request = matches_pb2.FindMatchRequest(code=code, link=link)
        found = await self._connection.call(self._matches.FindMatch, request)
        if found.ticket:
            self._tickets[found.name] = found.ticket
        return found

    async def join(
        self, match: MatchRef | None = None, *, code: str | None = None, link: str | None = None,
        seats: Sequence[int] = (), count: int = 0, contribution: bytes = b"", request_id: str | None = None,
    ) -> matches_pb2.JoinMatchResponse:  # fmt: skip
        """Sits down, by the match, its code or its link: in these seats, or in `count` free ones, or in one. Who comes
        too late is refused with MATCH_STARTED or MATCH_OVER, and with `match` in the metadata if it may be watched.

        The answer holds the match, whose `my_seats` are the caller's, and the view of the lowest seat taken.
        """
        request = matches_pb2.JoinMatchRequest(
            name=None if match is None else name_of(match), code=code, link=link, seats=seats, count=count,
            contribution=contribution, request_id=request_id_of(request_id),
        )  # fmt: skip
        return await self._connection.call(self._matches.JoinMatch, request)

    async def leave(
        self, match: MatchRef, seats: Sequence[int] = (), *, request_id: str | None = None
    ) -> match_pb2.Match:
        """Gives up these seats, or all, before the start."""
        request = matches_pb2.LeaveMatchRequest(name=name_of(match), seats=seats, request_id=request_id_of(request_id))
        return await self._connection.call(self._matches.LeaveMatch, request)

    async def start(self, match: MatchRef, *, request_id: str | None = None) -> match_pb2.Match:
        """Starts a match that waits for its host."""
        request = matches_pb2.StartMatchRequest(name=name_of(match), request_id=request_id_of(request_id))
        return await self._connection.call(self._matches.StartMatch, request)

    async def resign(self, match: MatchRef, seat: int, *, request_id: str | None = None) -> match_pb2.Match:
        """Gives a seat up in a match under way."""
        request = matches_pb2.ResignMatchRequest(name=name_of(match), seat=seat, request_id=request_id_of(request_id))
        return await self._connection.call(self._matches.ResignMatch, request)

    async def rematch(
        self, match: MatchRef, *, contribution: bytes = b"", request_id: str | None = None
    ) -> match_pb2.Match:
        """Another match with the same people, each one seat further on."""
        request = matches_pb2.RematchMatchRequest(
            name=name_of(match), contribution=contribution, request_id=request_id_of(request_id)
        )
        return await self._connection.call(self._matches.RematchMatch, request)

    async def matches(
        self, which: Which = "mine", *, game: GameRef | None = None, page_size: int = 0, filter: str = "",
        order_by: str = "",
    ) -> AsyncGenerator[match_pb2.Match]:  # fmt: skip
        """Matches, those created last first; pages are fetched as they are needed.

        filter: such as `state = PLAYING AND game != bluff`; order_by: `create_time` for the oldest first.
        """
        request = matches_pb2.ListMatchesRequest(
            which=_WHICH[which],
            game="" if game is None else game_name(game),
            page_size=page_size,
            filter=filter,
            order_by=order_by,
        )
        while True:
            answer = await self._connection.call(self._matches.ListMatches, request)
            for match in answer.matches:
                yield match
            if not answer.next_page_token:
                return
            request.page_token = answer.next_page_token
