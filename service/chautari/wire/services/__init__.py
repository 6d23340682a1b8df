"""The services of the API, a file each: a method decodes, calls one use case, encodes."""

from chautari.app.service import App
from chautari.wire.services.accounts import Accounts
from chautari.wire.services.games import Games
from chautari.wire.services.hosting import Hosting
from chautari.wire.services.identities import Identities
from chautari.wire.services.keys import Keys
from chautari.wire.services.matches import Matches
from chautari.wire.services.operate import Operate
from chautari.wire.services.play import Play
from chautari.wire.services.server import Facts, Server

__all__ = [
    "Accounts", "Facts", "Games", "Hosting", "Identities", "Keys", "Matches", "Operate", "Play", "Server",
    "services_of",
]  # fmt: skip


def services_of(app: App, facts: Facts) -> list[object]:
    """Every service, over these use cases."""
    return [
        Games(app),
        Accounts(app),
        Identities(app),
        Keys(app),
        Matches(app),
        Hosting(app),
        Play(app, facts.version),
        Operate(app.operating, app.signing_keys, app.watching.online),
        Server(app, facts),
    ]
