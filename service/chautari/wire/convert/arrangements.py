"""What a host wants to change of a match: a request with its mask as values."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from chautari.app.arranging import Arrangement
from chautari.app.clock_values import TimeControl
from chautari.v1 import match_pb2, matches_pb2
from chautari.wire.convert.clocks import control_from_proto
from chautari.wire.convert.matches import AUDIENCES, DISCLOSURES, PRIVACIES, SEATING_RULES, START_RULES
from chautari.wire.convert.plain import read_struct
from chautari.wire.errors import Violation

_NAME: Final = re.compile(r"matches/[a-z0-9]{1,40}").fullmatch
_SETTING: Final = re.compile(r"settings\.([a-z][a-z0-9_]{0,40})").fullmatch
_LONGEST: Final = 60


def arrangement_from_proto(request: matches_pb2.UpdateMatchRequest) -> Arrangement:
    """What is to change; Violation where the mask names another field, or a new value is none."""
    match = request.match
    if _NAME(match.name) is None:
        raise Violation([("match.name", "must be matches/{match}")])
    paths = list(dict.fromkeys(request.update_mask.paths))
    if not paths:
        paths = [field.name for field, _ in match.ListFields() if field.name in _READ]
        paths += [f"settings.{name}" for name in match.settings.fields]
    elif paths == ["*"]:
        paths = [*_READ, "settings"]
    wrong = [path for path in paths if path not in _READ and path != "settings" and _SETTING(path) is None]
    if wrong:
        allowed = f"only {', '.join(sorted(_READ))}, settings, and settings.NAME can"
        raise Violation([("update_mask", f"{path[:_LONGEST]!r} cannot be changed, {allowed}") for path in wrong])
    fields: dict[str, Any] = {}
    for path in paths:
        if path in _READ:
            name, read = _READ[path]
            fields[name] = read(match)
    names = tuple(found[1] for path in paths if (found := _SETTING(path)))
    if names or "settings" in paths:
        fields["settings"] = read_struct(match.settings)
        fields["setting_names"] = None if "settings" in paths else names
    return Arrangement(**fields)


def _one_of(field: str, table: Mapping[Any, int]) -> Callable[[match_pb2.Match], Any]:
    def read(match: match_pb2.Match) -> Any:
        number = getattr(match, field)
        for value, known in table.items():
            if known == number:
                return value
        raise Violation([(f"match.{field}", "must be one of the values of its enum, and not unspecified")])

    return read


def _delay(match: match_pb2.Match) -> int:
    return match.spectator_delay.ToMicroseconds()


def _clock(match: match_pb2.Match) -> TimeControl:
    control = control_from_proto(match.clock)
    if control is None:
        raise Violation([("match.clock", "must say how the time is counted: per_move, bank, days_per_move or none")])
    return control


_READ: Final[dict[str, tuple[str, Callable[[match_pb2.Match], Any]]]] = {
    "title": ("title", lambda match: match.title),
    "privacy": ("privacy", _one_of("privacy", PRIVACIES)),
    "audience": ("audience", _one_of("audience", AUDIENCES)),
    "spectator_delay": ("spectator_delay", _delay),
    "start": ("start_rule", _one_of("start", START_RULES)),
    "seating": ("seating", _one_of("seating", SEATING_RULES)),
    "disclosure": ("disclosure", _one_of("disclosure", DISCLOSURES)),
    "clock": ("clock", _clock),
}
"""By path of the mask: the field of an arrangement, and how its value is read."""
