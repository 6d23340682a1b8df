"""Scopes: what the token or key of a caller may be used for."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from chautari.errors import Forbidden, Malformed


class Scope(StrEnum):
    """One thing that a token may be used for.

    read      look: at games, at matches that the account may see, at their streams and records
    play      sit down, act, and look after one's own account; includes read
    bot       play as a program does, and seat bots; includes play
    organise  run tournaments; includes read
    operate   run the service itself; includes read
    reveal    see hidden cards while running it; includes operate
    """

    READ = "read"
    PLAY = "play"
    BOT = "bot"
    ORGANISE = "organise"
    OPERATE = "operate"
    REVEAL = "reveal"


_NAMES: Final = frozenset(Scope)
_INCLUDES: Final[dict[Scope, frozenset[Scope]]] = {
    Scope.READ: frozenset({Scope.READ}),
    Scope.PLAY: frozenset({Scope.PLAY, Scope.READ}),
    Scope.BOT: frozenset({Scope.BOT, Scope.PLAY, Scope.READ}),
    Scope.ORGANISE: frozenset({Scope.ORGANISE, Scope.READ}),
    Scope.OPERATE: frozenset({Scope.OPERATE, Scope.READ}),
    Scope.REVEAL: frozenset({Scope.REVEAL, Scope.OPERATE, Scope.READ}),
}

ACCOUNT_SCOPES: Final = frozenset({Scope.READ, Scope.PLAY, Scope.BOT, Scope.ORGANISE})
"""What an account's own sign-in may be used for: everything but to run the service."""


def with_included(scopes: Iterable[Scope]) -> frozenset[Scope]:
    """These scopes and those that they include."""
    return frozenset().union(*(_INCLUDES[scope] for scope in scopes))


def check_scope(scopes: frozenset[Scope], needed: Scope) -> None:
    """Forbidden `SCOPE_MISSING` names the scope that the caller's token or key lacks."""
    if needed not in scopes:
        raise Forbidden("SCOPE_MISSING", f"this needs a token or key with the scope {needed}", scope=needed)


def write_scopes(scopes: Iterable[Scope]) -> str:
    """The text form: names in the order of the enum, with blanks between them."""
    held = set(scopes)
    return " ".join(scope for scope in Scope if scope in held)


def read_scopes(text: str) -> frozenset[Scope]:
    """The scopes of a text; Malformed `SCOPE_UNKNOWN` where it names another."""
    try:
        return frozenset(Scope(name) for name in text.split())
    except ValueError as error:
        raise Malformed("SCOPE_UNKNOWN", f"scopes are {', '.join(Scope)}; {error}", field="scopes") from error


def known_scopes(text: str) -> frozenset[Scope]:
    """The scopes that a token or key holds; one that only a newer release knows allows nothing here."""
    return frozenset(Scope(name) for name in text.split() if name in _NAMES)
