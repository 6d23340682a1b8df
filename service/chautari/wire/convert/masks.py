"""Update masks: which fields of a resource are to change (AIP-134, AIP-161)."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from chautari.wire.errors import Violation

_ALL: Final = ["*"]
_SHOWN: Final = 40


def changed_fields(paths: Iterable[str], changeable: Sequence[str], is_set: Callable[[str], bool]) -> Sequence[str]:
    """The fields to change: those that the mask names, all of them for `*`, and where it names none those that are set.

    Violation where it names another.
    """
    named = list(paths)
    if named == _ALL:
        return changeable
    others = [path for path in named if path not in changeable]
    if others:
        allowed = " and ".join(changeable)
        raise Violation(
            [("update_mask", f"{path[:_SHOWN]!r} cannot be changed, only {allowed} can") for path in others]
        )
    return named or [name for name in changeable if is_set(name)]
