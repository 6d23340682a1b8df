"""What a program does at the table: act, look, watch and follow it, and fetch the record."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from chautari.v1 import action_pb2, match_pb2, play_pb2, server_pb2, view_pb2
from chautari_client import streams
from chautari_client.connection import Connection
from chautari_client.errors import ChautariError, EpochChanged, SeatMoved
from chautari_client.naming import MatchRef, name_of, request_id_of
from chautari_client.streams import HEARTBEAT_SECONDS
from chautari_client.table import Table

if TYPE_CHECKING:
    from chautari.v1.play_pb2_grpc import PlayAsyncStub
    from chautari.v1.server_pb2_grpc import ServerAsyncStub

Move = str | action_pb2.Action
"""What a seat does: `throw 7H`, or the same as an Action."""


class Playing:
    """The methods of who plays or watches; `Client` has them."""

    _connection: Connection
    _play: "PlayAsyncStub"
    _server: "ServerAsyncStub"
    _heartbeat_seconds: float | None
    _acted: dict[tuple[str, int | None], int]
    """By match and seat, the last revision that this client made."""
    _tickets: dict[str, str]
    """By match, what shows that this client had its link."""

    async def act(
        self, match: MatchRef, seat: int, move: Move, *, revision: int | None = None, request_id: str | None = None,
        validate_only: bool = False,
    ) -> play_pb2.ActResponse:  # fmt: skip
        """A seat acts: `throw 7H`, or an Action. With a `revision` it is Stale if the match has gone on since.

        Refused says why not, and nothing has changed then. validate_only: it is judged, and not done.
        """
        request = play_pb2.ActRequest(
            match=name_of(match), seat=seat, revision=revision, request_id=request_id_of(request_id),
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
        name = name_of(match)
        request = play_pb2.ViewRequest(match=name, seat=seat, ticket=self._tickets.get(name, ""))
        return await self._connection.call(self._play.View, request)

    async def record(self, match: MatchRef, seat: int | None = None) -> play_pb2.MatchRecord:
        """The whole record of a match, all pages in one, as it was when the first was given; `verify` checks it."""
        name = name_of(match)
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
        name = name_of(match)
        request = play_pb2.WatchRequest(
            match=name, seat=seat, after_revision=after, ticket=self._tickets.get(name, ""), epoch=epoch
        )
        updates = streams.watch(self._connection, self._play.Watch, request, await self._heartbeat())
        async with aclosing(updates):
            async for update in updates:
                if heartbeats or not update.HasField("heartbeat"):
                    yield update

    async def watch_mine(self, *, heartbeats: bool = False) -> AsyncGenerator[play_pb2.MineUpdate]:
        """How one's matches stand: a summary, then each that changes; after a cut a summary again. It never ends."""
        updates = streams.resumed(
            self._connection, self._play.WatchMine, play_pb2.WatchMineRequest, await self._heartbeat()
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
        own = (name_of(match), seat)
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

    async def _heartbeat(self) -> float:
        """How often the server says at least that a stream is alive, in seconds: asked once, when it first matters."""
        if self._heartbeat_seconds is None:
            try:
                info = await self._connection.call(self._server.GetServerInfo, server_pb2.GetServerInfoRequest())
            except ChautariError:  # the stream meets it again, and knows what to do
                return HEARTBEAT_SECONDS
            self._heartbeat_seconds = float(info.limits.heartbeat_seconds) or HEARTBEAT_SECONDS
        return self._heartbeat_seconds
