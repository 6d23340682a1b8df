"""The client for programs without an event loop: the same methods as `Client`, run on a loop in a thread of its own."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping, Sequence
from typing import Any, Self, TypeVar

import grpc

from chautari.v1 import games_pb2, match_pb2, matches_pb2, play_pb2, server_pb2, view_pb2
from chautari_client.client import Audience, Client, Disclosure, Privacy, Seating, Start, Which
from chautari_client.connection import Retry
from chautari_client.naming import GameRef, MatchRef
from chautari_client.playing import Move
from chautari_client.sync_hosting import SyncHosting
from chautari_client.sync_own_account import SyncOwnAccount
from chautari_client.table import Table

T = TypeVar("T")


class SyncClient(SyncOwnAccount, SyncHosting):
    """A `Client` whose methods wait for their answers. Make it with `SyncClient.connect`; use it from any thread.

    What each method does is told at the method of `Client` that has its name.
    """

    _client: Client

    def __init__(self, make: Callable[[], Client]) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="chautari-client", daemon=True)
        self._thread.start()
        self._client = self._run(_made(make))

    @classmethod
    def connect(
        cls, address: str, *, credentials: grpc.ChannelCredentials | None = None, retry: Retry | None = None,
        timeout_seconds: float = 10.0, heartbeat_seconds: float | None = None, language: str = "",
        options: Sequence[tuple[str, str | int]] = (), api_key: str = "",
    ) -> Self:  # fmt: skip
        """A client of the server at `host:port`."""

        def make() -> Client:
            return Client.connect(
                address, credentials=credentials, retry=retry or Retry(), timeout_seconds=timeout_seconds,
                heartbeat_seconds=heartbeat_seconds, language=language, options=options, api_key=api_key,
            )  # fmt: skip

        return cls(make)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Hangs up and ends the thread; streams under way end."""
        if self._loop.is_closed():
            return
        self._run(self._client.close())
        self._run(_finish())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # Games ────────────────────────────────────────────────────────────────────────────────────────────────────────────

    def games(self) -> list[games_pb2.Game]:
        """All games."""
        return self._run(self._client.games())

    def game(self, game: GameRef, language: str = "") -> games_pb2.Game:
        """A game with all its declarations."""
        return self._run(self._client.game(game, language))

    def rules(self, game: GameRef, language: str = "") -> str:
        """The rules of a game, for people."""
        return self._run(self._client.rules(game, language))

    def server_info(self) -> server_pb2.ServerInfo:
        """Version, limits and time of the server."""
        return self._run(self._client.server_info())

    def signing_keys(self) -> server_pb2.SigningKeys:
        """The public keys by which access tokens can be checked."""
        return self._run(self._client.signing_keys())

    # Matches ──────────────────────────────────────────────────────────────────────────────────────────────────────────

    def create_match(
        self, game: GameRef, settings: Mapping[str, object] | None = None, *, seats: Sequence[int] = (),
        title: str = "", privacy: Privacy = "private", disclosure: Disclosure | None = None,
        start: Start = "automatic", seating: Seating = "rotated", audience: Audience | None = None,
        spectator_delay_seconds: float = 0.0, clock: match_pb2.TimeControl | None = None,
        contribution: bytes = b"", request_id: str | None = None, validate_only: bool = False, **more: object,
    ) -> match_pb2.Match:  # fmt: skip
        """Creates a match and hosts it."""
        return self._run(
            self._client.create_match(
                game, settings, seats=seats, title=title, privacy=privacy, disclosure=disclosure, start=start,
                seating=seating, audience=audience, spectator_delay_seconds=spectator_delay_seconds,
                clock=clock, contribution=contribution, request_id=request_id, validate_only=validate_only, **more,
            )
        )  # fmt: skip

    def get_match(self, match: MatchRef) -> match_pb2.Match:
        """A match as it is now."""
        return self._run(self._client.get_match(match))

    def find_match(self, *, code: str | None = None, link: str | None = None) -> match_pb2.Match:
        """The match behind a code or a link."""
        return self._run(self._client.find_match(code=code, link=link))

    def join(
        self, match: MatchRef | None = None, *, code: str | None = None, link: str | None = None,
        seats: Sequence[int] = (), count: int = 0, contribution: bytes = b"", request_id: str | None = None,
    ) -> matches_pb2.JoinMatchResponse:  # fmt: skip
        """Sits down."""
        return self._run(
            self._client.join(
                match, code=code, link=link, seats=seats, count=count, contribution=contribution, request_id=request_id
            )
        )

    def leave(self, match: MatchRef, seats: Sequence[int] = (), *, request_id: str | None = None) -> match_pb2.Match:
        """Gives up seats before the start."""
        return self._run(self._client.leave(match, seats, request_id=request_id))

    def start(self, match: MatchRef, *, request_id: str | None = None) -> match_pb2.Match:
        """Starts a match that waits for its host."""
        return self._run(self._client.start(match, request_id=request_id))

    def resign(self, match: MatchRef, seat: int, *, request_id: str | None = None) -> match_pb2.Match:
        """Gives a seat up in a match under way."""
        return self._run(self._client.resign(match, seat, request_id=request_id))

    def rematch(self, match: MatchRef, *, contribution: bytes = b"", request_id: str | None = None) -> match_pb2.Match:
        """Another match with the same people."""
        return self._run(self._client.rematch(match, contribution=contribution, request_id=request_id))

    def matches(
        self, which: Which = "mine", *, game: GameRef | None = None, page_size: int = 0, filter: str = "",
        order_by: str = "",
    ) -> Iterator[match_pb2.Match]:  # fmt: skip
        """Matches, those created last first."""
        return self._iterate(
            self._client.matches(which, game=game, page_size=page_size, filter=filter, order_by=order_by)
        )

    # Play ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

    def act(
        self, match: MatchRef, seat: int, move: Move, *, revision: int | None = None, request_id: str | None = None,
        validate_only: bool = False,
    ) -> play_pb2.ActResponse:  # fmt: skip
        """A seat acts."""
        return self._run(
            self._client.act(
                match, seat, move, revision=revision, request_id=request_id, validate_only=validate_only
            )
        )  # fmt: skip

    def view(self, match: MatchRef, seat: int | None = None) -> view_pb2.View:
        """The table as a seat, or a spectator, sees it now."""
        return self._run(self._client.view(match, seat))

    def record(self, match: MatchRef, seat: int | None = None) -> play_pb2.MatchRecord:
        """The whole record of a match."""
        return self._run(self._client.record(match, seat))

    def watch(
        self, match: MatchRef, seat: int | None = None, *, after: int | None = None, heartbeats: bool = False,
        epoch: str = "",
    ) -> Iterator[play_pb2.Update]:  # fmt: skip
        """What happens in a match behind a revision."""
        return self._iterate(self._client.watch(match, seat, after=after, heartbeats=heartbeats, epoch=epoch))

    def watch_mine(self, *, heartbeats: bool = False) -> Iterator[play_pb2.MineUpdate]:
        """How one's matches stand."""
        return self._iterate(self._client.watch_mine(heartbeats=heartbeats))

    def follow(self, match: MatchRef, seat: int | None = None) -> Iterator[Table]:
        """The table of a seat or spectator, each time that it is up to date again."""
        return self._iterate(self._client.follow(match, seat))

    # Within ───────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _iterate(self, items: AsyncGenerator[T]) -> Iterator[T]:
        try:
            while True:
                try:
                    yield self._run(_next(items))
                except StopAsyncIteration:
                    return
        finally:
            if not self._loop.is_closed():
                self._run(items.aclose())


async def _made(make: Callable[[], Client]) -> Client:
    return make()


async def _next(items: AsyncGenerator[T]) -> T:
    return await anext(items)


async def _finish() -> None:
    """Ends whatever still runs on this loop."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
