"""The typed form of an action as its text form, so that both are judged by the same parser and in the same order.

Nothing is refused here. What no text can say (a verb of two words, an argument that the verb does not declare) becomes
a word that the parser cannot read, and it refuses in its place and its order.
"""

from typing import Any, Final

from chautari.engine import Game
from chautari.v1 import action_pb2

_UNREADABLE: Final = "?"


def action_text(game: Game[Any, Any], action: action_pb2.Action) -> str:
    """The line that says what this action says, its arguments in the order in which the verb declares them."""
    if " " in action.verb:
        return _UNREADABLE
    verb = game.verbs.get(action.verb)
    if verb is None:
        return action.verb
    declared = [(argument.name, argument.types, argument.optional) for argument in verb.arguments]
    given: dict[str, str] = {}
    unreadable = False
    for place, argument in enumerate(action.arguments):
        name = argument.name or (declared[place][0] if place < len(declared) else "")
        types = next((types for known, types, _ in declared if known == name), None)
        if types is None or name in given:
            unreadable = True
        else:
            given[name] = _words(argument, types)
    words = [action.verb]
    missing: list[bool] = []
    for name, _, optional in declared:
        if name not in given:
            missing.append(optional)
            continue
        # a text fills what may be left out from left to right: it cannot skip one and then give another
        if not all(missing) or (optional and missing):
            unreadable = True
        words.append(given[name])
    if unreadable:
        words.append(_UNREADABLE)
    return " ".join(word for word in words if word)


def _words(argument: action_pb2.Argument, types: tuple[str, ...]) -> str:
    """The value as words; unreadable where it is not of a type that the verb declares."""
    kind = argument.WhichOneof("value")
    if kind not in types:
        return _UNREADABLE
    if kind == "cards":
        return " ".join(map(_word, argument.cards.cards))
    if kind == "groups":
        return " / ".join(" ".join(map(_word, group.cards)) or _UNREADABLE for group in argument.groups.groups)
    return _word(str(getattr(argument, kind)))


def _word(text: str) -> str:
    """One word; what is not one cannot be read."""
    return _UNREADABLE if not text or " " in text or "/" in text else text
