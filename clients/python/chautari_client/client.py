"""The client: what a program can do at a Chautari server, one method each. `SyncClient` is the same without `await`."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Final, Literal, Self

import grpc

from chautari.v1 import action_pb2, games_pb2, match_pb2, matches_pb2, play_pb2, server_pb2, view_pb2
from chautari.v1.games_pb2_grpc import GamesStub
from chautari.v1.hosting_pb2_grpc import HostingStub
from chautari.v1.matches_pb2_grpc import MatchesStub
from chautari.v1.play_pb2_grpc import PlayStub
from chautari.v1.server_pb2_grpc import ServerStub
from chautari_client import streams
from chautari_client.connection import Connection, Retry
from chautari_client.errors import EpochChanged, SeatMoved
from chautari_client.hosting import Hosting
from chautari_client.own_account import OwnAccount
from chautari_client.own_account import request_id_of as _request_id
from chautari_client.plain import to_struct
from chautari_client.streams import HEARTBEAT_SECONDS
from chautari_client.table import Table

MatchRef = str | match_pb2.Match
"""A match: its name `matches/…`, or the message itself."""
GameRef = str | games_pb2.Game
"""A game: its key `bluff`, its name `games/bluff`, or the message itself."""
Move = str | action_pb2.Action
"""What a seat does: `throw 7H`, or the same as an Action."""
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


class Client(OwnAccount, Hosting):
    """One sign-in at one server, over one connection. Make it with `Client.connect`, inside a running event loop.

    Every call may raise a `ChautariError`. Calls that nobody answered are made again, with one `request_id`, so that
    they take effect once; refusals are never repeated. Give a `request_id` of your own to go on with a call that was
    still not answered after all tries, perhaps after your program was started again.
    """

    def __init__(self, connection: Connection, heartbeat_seconds: float) -> None:
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
        timeout_seconds: float = 10.0, heartbeat_seconds: float = HEARTBEAT_SECONDS, language: str = "",
        options: Sequence[tuple[str, str | int]] = (), api_key: str = "",
    ) -> Self:  # fmt: skip
        """A client of the server at `host:port`. The connection is made by the first call.

        credentials: for TLS, such as `grpc.ssl_channel_credentials()`; none: plain text. timeout_seconds: of one try.
        heartbeat_seconds: how often the server says at least that a stream is alive. language: of texts, such as `ne`.
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
        request = games_pb2.GetGameRequest(name=_game_name(game), language=language)
        return await self._connection.call(self._games.GetGame, request)

    async def rules(self, game: GameRef, language: str = "") -> str:
        """The page on which people read the rules of a game, in Markdown."""
        request = games_pb2.GetRulesRequest(name=_game_name(game), language=language)
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
            game=_game_name(game), settings=to_struct({**(settings or {}), **more}), title=title,
            privacy=_PRIVACY[privacy], disclosure=_DISCLOSURE[disclosure], start=_START[start], seats=seats,
            audience=_AUDIENCE[audience], seating=_SEATING[seating], contribution=contribution,
            clock=clock, request_id=_request_id(request_id), validate_only=validate_only,
        )  # fmt: skip
        if spectator_delay_seconds:
            request.spectator_delay.FromMicroseconds(round(spectator_delay_seconds * 1e6))
        return await self._connection.call(self._matches.CreateMatch, request)

    async def get_match(self, match: MatchRef) -> match_pb2.Match:
        """A match as it is now."""
        name = _match_name(match)
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
        """Sits down, by the match, its code or its link: in these seats, or in `count` free ones, or in one.

        The answer holds the match, whose `my_seats` are the caller's, and the view of the lowest seat taken.
        """
        request = matches_pb2.JoinMatchRequest(
            name=None if match is None else _match_name(match), code=code, link=link, seats=seats, count=count,
            contribution=contribution, request_id=_request_id(request_id),
        )  # fmt: skip
        return await self._connection.call(self._matches.JoinMatch, request)

    async def leave(
        self, match: MatchRef, seats: Sequence[int] = (), *, request_id: str | None = None
    ) -> match_pb2.Match:
        """Gives up these seats, or all, before the start."""
        request = matches_pb2.LeaveMatchRequest(
            name=_match_name(match), seats=seats, request_id=_request_id(request_id)
        )
        return await self._connection.call(self._matches.LeaveMatch, request)

    async def start(self, match: MatchRef, *, request_id: str | None = None) -> match_pb2.Match:
        """Starts a match that waits for its host."""
        request = matches_pb2.StartMatchRequest(name=_match_name(match), request_id=_request_id(request_id))
        return await self._connection.call(self._matches.StartMatch, request)

    async def resign(self, match: MatchRef, seat: int, *, request_id: str | None = None) -> match_pb2.Match:
        """Gives a seat up in a match under way."""
        request = matches_pb2.ResignMatchRequest(name=_match_name(match), seat=seat, request_id=_request_id(request_id))
        return await self._connection.call(self._matches.ResignMatch, request)

    async def rematch(
        self, match: MatchRef, *, contribution: bytes = b"", request_id: str | None = None
    ) -> match_pb2.Match:
        """Another match with the same people, each one seat further on."""
        request = matches_pb2.RematchMatchRequest(
            name=_match_name(match), contribution=contribution, request_id=_request_id(request_id)
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
            game="" if game is None else _game_name(game),
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

    # Play ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def act(
        self, match: MatchRef, seat: int, move: Move, *, revision: int | None = None, request_id: str | None = None,
        validate_only: bool = False,
    ) -> play_pb2.ActResponse:  # fmt: skip
        """A seat acts: `throw 7H`, or an Action. With a `revision` it is Stale if the match has gone on since.

        Refused says why not, and nothing has changed then. validate_only: it is judged, and not done.
        """
        request = play_pb2.ActRequest(
            match=_match_name(match), seat=seat, revision=revision, request_id=_request_id(request_id),
            validate_only=validate_only,
        )  # fmt: skip
        if isinstance(move, str):
            request.text = move
        else:
            request.action.CopyFrom(move)
        answer = await self._connection.call(self._play.Act, request)
        if not validate_only:
            self._acted[request.match, seat] = max(self._acted.get((request.match, seat), 0), answer.revision)
        return answer

    async def view(self, match: MatchRef, seat: int | None = None) -> view_pb2.View:
        """The table as a seat, or a spectator, sees it now."""
        name = _match_name(match)
        request = play_pb2.ViewRequest(match=name, seat=seat, ticket=self._tickets.get(name, ""))
        return await self._connection.call(self._play.View, request)

    async def record(self, match: MatchRef, seat: int | None = None) -> play_pb2.MatchRecord:
        """The whole record of a match, all pages in one, as it was when the first was given; `verify` checks it."""
        name = _match_name(match)
        request = play_pb2.RecordRequest(match=name, seat=seat, ticket=self._tickets.get(name, ""), page_size=1000)
        record = await self._connection.call(self._play.Record, request)
        while record.next_page_token:
            request.page_token = record.next_page_token
            page = await self._connection.call(self._play.Record, request)
            record.MergeFrom(page)
            record.next_page_token = page.next_page_token
        return record

    async def watch(
        self, match: MatchRef, seat: int | None = None, *, after: int | None = None, heartbeats: bool = False,
        epoch: str = "",
    ) -> AsyncGenerator[play_pb2.Update]:  # fmt: skip
        """What happens in a match behind the revision `after` (0: all; None: only from now on), as a seat may know it.

        Each revision comes once, in order and without a gap, whatever becomes of the connection: the stream is taken up
        again by itself. It ends when the match is over, with the update whose `end` says so, and in no other way.
        SeatMoved where the seats were drawn by lot, and the account sits on another one now. EpochChanged where the
        server was restored from a backup meanwhile, or since the `epoch` of the view that `after` is from.
        Leave it with `contextlib.aclosing` round it, so that the stream is closed at once.
        """
        name = _match_name(match)
        request = play_pb2.WatchRequest(
            match=name, seat=seat, after_revision=after, ticket=self._tickets.get(name, ""), epoch=epoch
        )
        updates = streams.watch(self._connection, self._play.Watch, request, self._heartbeat_seconds)
        async with aclosing(updates):
            async for update in updates:
                if heartbeats or not update.HasField("heartbeat"):
                    yield update

    async def watch_mine(self, *, heartbeats: bool = False) -> AsyncGenerator[play_pb2.MineUpdate]:
        """How one's matches stand: a summary, then each that changes; after a cut a summary again. It never ends."""
        updates = streams.resumed(
            self._connection, self._play.WatchMine, play_pb2.WatchMineRequest, self._heartbeat_seconds
        )
        async with aclosing(updates):
            async for update in updates:
                if heartbeats or not update.HasField("heartbeat"):
                    yield update

    async def follow(self, match: MatchRef, seat: int | None = None) -> AsyncGenerator[Table]:
        """The table of a seat or spectator, each time that it is up to date again; last when the match is over.

        Where the server was restored from a backup it starts anew, and `table.restarts` is one more.
        Where the seats are drawn by lot it goes on with the seat that its account got: `table.view.seat` tells.
        A table that is older than what this client did for the seat is passed over: it would ask for the same again.
        It is one `Table` that goes on: keep a copy of what you want to compare.
        """
        own = (_match_name(match), seat)
        table = Table(await self.view(match, seat))
        yield table
        while True:
            try:
                updates = self.watch(match, seat, after=table.revision, epoch=table.view.epoch)
                async with aclosing(updates):
                    async for update in updates:
                        if not table.apply(update):
                            continue
                        if table.needs_view:
                            table.reset(await self.view(match, seat))
                        waiting = table.view.state == match_pb2.MATCH_STATE_SEATING
                        current = (table.is_current or waiting) and table.revision >= self._acted.get(own, 0)
                        if update.HasField("step") and (current or table.is_over):
                            yield table
                break
            except EpochChanged:
                self._acted.pop(own, None)
                table.reset(await self.view(match, seat))
                table.restarts += 1
                yield table
            except SeatMoved as moved:
                seat = moved.seat
                own = (own[0], seat)
                table.reset(await self.view(match, seat))
                yield table
        self._acted.pop(own, None)


def _match_name(match: MatchRef) -> str:
    return match if isinstance(match, str) else match.name


def _game_name(game: GameRef) -> str:
    if not isinstance(game, str):
        return game.name
    return game if "/" in game else f"games/{game}"
