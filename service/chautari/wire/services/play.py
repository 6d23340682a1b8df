"""Play: act, look, watch, and the record."""

import re
from collections import OrderedDict
from functools import partial
from typing import Any, Final

from chautari.app import catalog
from chautari.app.caller import Caller
from chautari.app.parking import Post
from chautari.app.playing import Acted
from chautari.app.service import App
from chautari.engine import Game
from chautari.errors import Malformed
from chautari.v1 import play_pb2, view_pb2
from chautari.wire.convert.actions import action_text
from chautari.wire.convert.plain import id_of
from chautari.wire.convert.records import RecordParts, page_to_proto
from chautari.wire.convert.streams import encode_acted, encode_epoch, encode_mine, encode_update
from chautari.wire.convert.views import view_to_proto
from chautari.wire.methods import Feed, Quota, method
from chautari.wire.requests import request_key

_REMEMBERED: Final = 5000
_PLAIN_MATCH: Final = re.compile(r"matches/[a-z0-9]{1,40}").fullmatch
_PLAIN_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|").fullmatch


def is_plain_act(request: play_pb2.ActRequest) -> bool:
    """Whether an act keeps the rules of its message. A tenth of the time of an act would go into finding that out."""
    return _PLAIN_MATCH(request.match) is not None and _PLAIN_UUID(request.request_id) is not None


class Play:
    """The service `Play`."""

    def __init__(self, app: App, version: str) -> None:
        self._app = app
        self._server = f"chautari {version}"
        self._epoch = encode_epoch(app.store.epoch)
        self._encode_update = partial(encode_update, epoch=self._epoch)
        self._playing = app.playing
        self._watching = app.watching
        self._records = app.records
        self._games: OrderedDict[str, Game[Any, Any]] = OrderedDict()

    @method(is_plain=is_plain_act, quota=lambda _: Quota.MATCH)
    async def act(self, caller: Caller, request: play_pb2.ActRequest) -> bytes:
        """Does an action for a seat."""
        key = request_key("Act", request)
        match_id = id_of(request.match)
        text = request.text
        if request.HasField("action"):
            text = action_text(await self._game(caller, match_id), request.action)
        revision = request.revision if request.HasField("revision") else None
        try:
            acted: Acted = await self._playing.act(
                caller, match_id, request.seat, text, revision, key, request.validate_only
            )
        except Malformed as error:
            if error.field == "action" and not request.HasField("action"):
                error.field = "text"
            raise
        return encode_acted(acted, self._epoch)

    async def view(self, caller: Caller, request: play_pb2.ViewRequest) -> view_pb2.View:
        """Gives the table as a seat, or a spectator, sees it now."""
        return view_to_proto(await self._playing.view(caller, id_of(request.match), _seat(request), request.ticket))

    def watch(self, caller: Caller, request: play_pb2.WatchRequest) -> Feed:
        """Streams what happens in a match."""
        match_id = id_of(request.match)
        after = request.after_revision if request.HasField("after_revision") else None
        post, spectates = Post(), not request.HasField("seat")
        items = self._watching.watch(caller, match_id, _seat(request), after, request.ticket, post, request.epoch)
        return Feed(items, self._encode_update, match_id, after or 0, spectates, post)

    def watch_mine(self, caller: Caller, request: play_pb2.WatchMineRequest) -> Feed:
        """Streams how the caller's matches stand."""
        del request
        return Feed(self._watching.watch_mine(caller), encode_mine)

    async def record(self, caller: Caller, request: play_pb2.RecordRequest) -> play_pb2.MatchRecord:
        """Gives the record of a match, or a page of it."""
        page = await self._records.page(
            caller, id_of(request.match), _seat(request), request.page_size, request.page_token, request.ticket
        )
        return page_to_proto(page, self._server)

    def download_record(self, caller: Caller, request: play_pb2.DownloadRecordRequest) -> Feed:
        """Streams the whole record of a match."""
        match_id = id_of(request.match)
        parts = RecordParts(self._server, as_text=request.format == play_pb2.RECORD_FORMAT_TEXT)
        return Feed(self._records.download(caller, match_id, _seat(request), request.ticket), parts.encode, match_id)

    async def _game(self, caller: Caller, match_id: str) -> Game[Any, Any]:
        """The game of a match, which says in which order a verb takes its arguments."""
        game = self._games.get(match_id)
        if game is None:
            game = self._games[match_id] = catalog.game_of(await self._app.matches.get(caller, match_id))
            if len(self._games) > _REMEMBERED:
                self._games.popitem(last=False)
        return game


def _seat(request: Any) -> int | None:
    """The seat that a request is made for, None for a spectator."""
    return request.seat if request.HasField("seat") else None
