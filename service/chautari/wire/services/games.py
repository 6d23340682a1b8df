"""Games: the catalogue."""

from base64 import urlsafe_b64encode
from typing import Final

from chautari.app import catalog
from chautari.app.caller import Caller
from chautari.app.pages import of_another_list
from chautari.app.service import App
from chautari.errors import NotFound
from chautari.v1 import games_pb2
from chautari.wire.convert.games import game_to_proto, game_with_declarations
from chautari.wire.convert.plain import id_of
from chautari.wire.languages import ENGLISH, choose
from chautari.wire.methods import Needs, method

_PAGE: Final = 50
_LARGEST_PAGE: Final = 100


class Games:
    """The service `Games`."""

    def __init__(self, app: App) -> None:
        self._app = app

    @method(Needs.EITHER)
    async def list_games(self, caller: Caller, request: games_pb2.ListGamesRequest) -> games_pb2.ListGamesResponse:
        """Lists the games by name."""
        language = await self._language(caller, request.language)
        games = [game for game in catalog.games() if game.key > _last_key(request.page_token)]
        size = min(request.page_size or _PAGE, _LARGEST_PAGE)
        return games_pb2.ListGamesResponse(
            games=[game_to_proto(game, language) for game in games[:size]],
            next_page_token=_token(games[size - 1].key) if len(games) > size else "",
        )

    @method(Needs.EITHER)
    async def get_game(self, caller: Caller, request: games_pb2.GetGameRequest) -> games_pb2.Game:
        """Gives a game with all its declarations."""
        return game_with_declarations(catalog.find(id_of(request.name)), await self._language(caller, request.language))

    @method(Needs.EITHER)
    async def get_rules(self, caller: Caller, request: games_pb2.GetRulesRequest) -> games_pb2.GetRulesResponse:
        """Gives the rules page of a game; every page is in English."""
        game = catalog.find(id_of(request.name))
        return games_pb2.GetRulesResponse(
            name=request.name, rules_version=game.version, language=ENGLISH, markdown=catalog.page(game.key)
        )

    async def _language(self, caller: Caller, asked: str) -> str:
        """The language asked for, else that of the header, else that of the account."""
        if asked or caller.language or caller.account_id is None:
            return choose(asked, caller.language)
        try:
            return choose((await self._app.accounts.get(caller, "me")).language)
        except NotFound:
            return ENGLISH


def _token(key: str) -> str:
    """The page token that goes on behind this game. The catalogue is public, so nothing needs to be signed."""
    return urlsafe_b64encode(key.encode()).decode()


def _last_key(token: str) -> str:
    """The game that a page token goes on behind; empty for the first page."""
    key = next((game.key for game in catalog.games() if _token(game.key) == token), "")
    if token and not key:
        raise of_another_list()
    return key
