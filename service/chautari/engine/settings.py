"""Settings: what a table agrees on before the first deal, how it is declared, read and refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from chautari.cards import RANKS
from chautari.errors import Malformed


class Settings(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The base of each game's settings: a field with its type, what is allowed, and its default.

    Types are `Annotated[int, Range(2, 8)]`, `Literal[5, 7, 9]`, a `Literal` of words, `Rank` or `bool`.
    Every game has `players`, the number of seats.
    """

    players: int


S = TypeVar("S", bound=Settings)


@dataclass(frozen=True, slots=True)
class Range:
    """Whole numbers from `low` to `high`, both allowed, and the few in `also`."""

    low: int
    high: int
    also: tuple[int, ...] = ()

    def __contains__(self, number: int) -> bool:
        return self.low <= number <= self.high or number in self.also


SettingType = Literal["int", "word", "rank", "bool"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as clients are told of it.

    allowed: the words or numbers to choose from, in order; or of an int the `range`. Default: always allowed.
    """

    name: str
    type: SettingType
    default: str | int | bool
    allowed: tuple[str | int, ...] = ()
    range: Range | None = None

    @property
    def choice(self) -> str:
        """What is allowed, in words, for an error message."""
        if self.type == "bool":
            return "true or false"
        if self.range is None:
            return "one of " + ", ".join(str(value) for value in self.allowed)
        also = "".join(f" or {number}" for number in self.range.also)
        return f"a whole number from {self.range.low} to {self.range.high}{also}"

    def allows(self, value: object) -> bool:
        """Whether this very value, of this very type, may be set."""
        if self.type == "bool":
            return isinstance(value, bool)
        if self.type == "int":
            if isinstance(value, bool) or not isinstance(value, int):
                return False
            return value in self.range if self.range else value in self.allowed
        return isinstance(value, str) and value in self.allowed


def declared(settings: type[Settings]) -> tuple[Setting, ...]:
    """The settings of a game, in the order in which its page lists them."""
    hints = get_type_hints(settings, include_extras=True)
    fields = {field.name: field for field in msgspec.structs.fields(settings)}
    return tuple(_declared(name, hints[name], fields[name].default) for name in fields)


def _declared(name: str, hint: Any, default: Any) -> Setting:
    if hint is bool:
        return Setting(name, "bool", default)
    if get_origin(hint) is Literal:
        allowed = get_args(hint)
        if allowed == RANKS:
            return Setting(name, "rank", default, allowed)
        return Setting(name, "int" if isinstance(allowed[0], int) else "word", default, allowed)
    if get_origin(hint) is Annotated:
        for mark in get_args(hint)[1:]:
            if isinstance(mark, Range):
                return Setting(name, "int", default, range=mark)
    raise TypeError(f"the setting {name} has a type that is no setting: {hint}")


def read_settings(settings: type[S], declarations: tuple[Setting, ...], given: Mapping[str, object]) -> S:
    """Settings from what a caller gave, the rest by default; Malformed `BAD_SETTING` names the field and its values."""
    known = {setting.name: setting for setting in declarations}
    for name, value in given.items():
        setting = known.get(name)
        if setting is None:
            raise bad_setting(name, f"there is no setting {name!r}; there are {', '.join(known)}")
        if not setting.allows(value):
            shown = "null" if isinstance(value, NoneType) else repr(value)
            raise bad_setting(name, f"{name} must be {setting.choice}, not {shown}")
    return settings(**given)  # type: ignore[arg-type]  # each value was held to its declaration above


def bad_setting(name: str, message: str) -> Malformed:
    """The refusal of a setting, or of a combination that its `message` explains."""
    return Malformed("BAD_SETTING", message, field=f"settings.{name}", setting=name)
