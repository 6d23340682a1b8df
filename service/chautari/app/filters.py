"""Filters of lists, written as in AIP-160, small and typed: what they may name, how they are read, what they mean.

`state = PLAYING AND (game = bluff OR game = gulam_chor) AND create_time >= "2026-11-01T00:00:00Z"`. Between two
restrictions AND may be left out; OR binds closer than AND; NOT or `-` stands before a restriction or a bracket.
"""

import operator
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

from chautari.app.values import SECOND, Audience, Disclosure, Match, MatchState, Micros, Privacy, SeatingRule, StartRule
from chautari.errors import Malformed

MOST_TERMS: Final = 20
_DEEPEST: Final = 8
_SHOWN: Final = 40


class Is(msgspec.Struct, frozen=True):
    """A field compared with a value: a text of a closed set, an id, or a moment. sign: = != < <= > >=."""

    field: str
    sign: str
    value: str | Micros


class Not(msgspec.Struct, frozen=True):
    """The opposite."""

    part: "Filter"


class Every(msgspec.Struct, frozen=True):
    """All of the parts hold; with none it always does."""

    parts: tuple["Filter", ...]


class Some(msgspec.Struct, frozen=True):
    """One of the parts holds, or several; with none it never does."""

    parts: tuple["Filter", ...]


Filter = Is | Not | Every | Some

_ENUMS: Final[Mapping[str, type[StrEnum]]] = {
    "state": MatchState, "privacy": Privacy, "audience": Audience, "disclosure": Disclosure, "start": StartRule,
    "seating": SeatingRule,
}  # fmt: skip
_NAMES: Final = {"game": "games", "host": "accounts"}
"""Fields that name a resource, and its collection, which may be left out."""
_TIMES: Final = ("create_time",)
FIELDS: Final = (*_ENUMS, *_NAMES, *_TIMES)
ATTRIBUTES: Final = {name: name for name in FIELDS} | {"start": "start_rule", "create_time": "created_at"}
"""The field of a Match, and the column, that a field of a filter stands for."""
_SIGNS: Final = ("=", "!=")
_TIME_SIGNS: Final = (*_SIGNS, "<", "<=", ">", ">=")

_COMPARE: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_TOKEN: Final = re.compile(r"""\s*(?:(?P<sign>[()]|!=|<=|>=|[=<>:,])|"(?P<quoted>[^"]*)"|(?P<word>[^\s()=<>!:,"]+))""")
_VALUE: Final = re.compile(r"""\s*(?:"(?P<quoted>[^"]*)"|(?P<word>[^\s()"]+))""")


def read_filter(text: str) -> Filter | None:
    """The filter of a text, None of an empty one; Malformed `FILTER_INVALID` says where it cannot be read, from 1."""
    return _Reader(text).read() if text.strip() else None


def is_rising(order_by: str) -> bool:
    """Whether a list comes with the oldest first; Malformed `ORDER_INVALID` where it cannot be ordered so."""
    words = order_by.split()
    if words in ([], ["create_time", "desc"]):
        return False
    if words == ["create_time"]:
        return True
    position = 1 + len(order_by) - len(order_by.lstrip())
    if words[0] == "create_time":
        position = 1 + order_by.index(words[1], order_by.index("create_time") + len("create_time"))
    raise Malformed(
        "ORDER_INVALID", f"at character {position}: matches are ordered by `create_time` or `create_time desc`",
        "order_by", position=position,
    )  # fmt: skip


def holds(condition: Filter, match: Match) -> bool:
    """Whether a match is one of those that a filter lets through."""
    if isinstance(condition, Not):
        return not holds(condition.part, match)
    if isinstance(condition, Every):
        return all(holds(part, match) for part in condition.parts)
    if isinstance(condition, Some):
        return any(holds(part, match) for part in condition.parts)
    own: Any = getattr(match, ATTRIBUTES[condition.field])
    return bool(_COMPARE[condition.sign](own, condition.value))


def with_state(condition: Filter, state: MatchState) -> Filter:
    """The filter for matches that are all in this state, whatever is stored of them: it asks for no state any more."""
    if isinstance(condition, Not):
        return Not(with_state(condition.part, state))
    if isinstance(condition, Every | Some):
        return type(condition)(tuple(with_state(part, state) for part in condition.parts))
    if condition.field != "state":
        return condition
    return Every(()) if _COMPARE[condition.sign](state, condition.value) else Some(())


class _Reader:
    """Reads one filter from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._terms = 0
        self._depth = 0

    def read(self) -> Filter:
        found = self._every()
        if self._rest():
            raise self._wrong("a closing bracket without an opening one")
        return found

    def _every(self) -> Filter:
        parts = [self._some()]
        while self._rest() and not self._peek(")"):
            self._take("AND")
            parts.append(self._some())
        return parts[0] if len(parts) == 1 else Every(tuple(parts))

    def _some(self) -> Filter:
        parts = [self._term()]
        while self._take("OR"):
            parts.append(self._term())
        return parts[0] if len(parts) == 1 else Some(tuple(parts))

    def _term(self) -> Filter:
        if self._take("NOT") or self._take_minus():
            return Not(self._simple())
        return self._simple()

    def _simple(self) -> Filter:
        if not self._take("("):
            return self._restriction()
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._wrong(f"more than {_DEEPEST} brackets in one another")
        inner = self._every()
        if not self._take(")"):
            raise self._wrong("a closing bracket is missing")
        self._depth -= 1
        return inner

    def _restriction(self) -> Filter:
        start, name = self._at, self._next(_TOKEN)
        if name is None or name.lastgroup != "word":
            raise self._wrong("a field must stand here", start)
        field = name["word"]
        if field not in FIELDS:
            raise self._wrong(f"there is no field {field[:_SHOWN]!r}; there are {', '.join(FIELDS)}", start)
        self._terms += 1
        if self._terms > MOST_TERMS:
            raise self._wrong(f"more than {MOST_TERMS} restrictions", start)
        start, sign = self._at, self._next(_TOKEN)
        allowed = _TIME_SIGNS if field in _TIMES else _SIGNS
        if sign is None or sign["sign"] not in allowed:
            raise self._wrong(f"{field} is compared with {', '.join(allowed)}", start)
        start, value = self._at, self._next(_VALUE)
        if value is None:
            raise self._wrong(f"a value of {field} must stand here", start)
        text = value["word"] if value["quoted"] is None else value["quoted"]
        return Is(field, sign["sign"], self._value(field, text, start))

    def _value(self, field: str, text: str, start: int) -> str | Micros:
        if field in _ENUMS:
            values = [value.value for value in _ENUMS[field]]
            if text.lower() not in values:
                raise self._wrong(f"{field} is one of {', '.join(value.upper() for value in values)}", start)
            return text.lower()
        if field in _NAMES:
            found = re.fullmatch(rf"(?:{_NAMES[field]}/)?([a-z0-9_]{{1,40}})", text)
            if found is None:
                raise self._wrong(f"{field} is {_NAMES[field]}/ and an id", start)
            return found[1]
        try:
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is None:
                raise ValueError
        except ValueError:
            raise self._wrong(f"{field} is a time with its zone, such as 2026-11-30T12:00:00Z", start) from None
        return round(moment.timestamp() * SECOND)

    def _rest(self) -> bool:
        return bool(self._text[self._at :].strip())

    def _peek(self, word: str) -> bool:
        found = _TOKEN.match(self._text, self._at)
        return found is not None and (found["sign"] or found["word"]) == word

    def _take(self, word: str) -> bool:
        found = _TOKEN.match(self._text, self._at)
        if found is None or (found["sign"] or found["word"]) != word:
            return False
        self._at = found.end()
        return True

    def _take_minus(self) -> bool:
        found = re.compile(r"\s*-").match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return found is not None

    def _next(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return found

    def _wrong(self, what: str, at: int | None = None) -> Malformed:
        at = self._at if at is None else at
        position = 1 + at + len(self._text[at:]) - len(self._text[at:].lstrip())
        position = min(position, len(self._text) + 1)
        return Malformed("FILTER_INVALID", f"at character {position}: {what}", "filter", position=position)
