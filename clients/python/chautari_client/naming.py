"""How programs name things: each by its name, or by its message; and the ids of their requests."""

import uuid
from typing import Protocol

from chautari.v1 import accounts_pb2, games_pb2, identities_pb2, keys_pb2, linked_identity_pb2, match_pb2

MatchRef = str | match_pb2.Match
"""A match: its name `matches/…`, or the message itself."""
GameRef = str | games_pb2.Game
"""A game: its key `bluff`, its name `games/bluff`, or the message itself."""
AccountRef = str | accounts_pb2.Account
"""An account: its name `accounts/…`, or the message itself."""
KeyRef = str | keys_pb2.ApiKey
"""An API key: its name `accounts/…/keys/…`, or the message itself; never its secret."""
ProviderRef = str | identities_pb2.Provider
"""An identity provider: its key `google`, its name `providers/google`, or the message itself."""
IdentityRef = str | linked_identity_pb2.LinkedIdentity
"""A linked identity: its name `accounts/…/identities/…`, or the message itself."""


class _Named(Protocol):
    """A message of a resource."""

    name: str


def name_of(thing: str | _Named) -> str:
    """The name of what is given by it, or as a message."""
    return thing if isinstance(thing, str) else thing.name


def game_name(game: GameRef) -> str:
    """The name of a game, which may be given by its key alone."""
    return _within("games", game) if isinstance(game, str) else game.name


def provider_name(provider: ProviderRef) -> str:
    """The name of a provider, which may be given by its key alone."""
    return _within("providers", provider) if isinstance(provider, str) else provider.name


def _within(collection: str, name: str) -> str:
    return name if "/" in name else f"{collection}/{name}"


def request_id_of(given: str | None) -> str:
    """The id that the caller gave, or a new one."""
    return given or str(uuid.uuid4())
