"""The statements that commit changes of matches on PostgreSQL: all that they write, for many matches at once.

Each saves the matches that are loose and not overtaken, adds the entries of just those, and gives their ids and when
that was. Its parts see the database as it was before; all of them are done, or none.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from sqlalchemy import BigInteger, Boolean, Integer, LargeBinary, SmallInteger, Table

from chautari.app.values import Entry, Match, Micros
from chautari.store import journal, matches, tables

NOW: Final = "(extract(epoch FROM clock_timestamp()) * 1000000)::int8"
"""The time of the database in microseconds, as SQL: the moment at which it is read, not that of the transaction."""

_TYPES: Final = (
    (SmallInteger, "int2"), (BigInteger, "int8"), (Integer, "int4"), (LargeBinary, "bytea"), (Boolean, "bool"),
)  # fmt: skip
_PLACES: Final = matches.CHAIR[2:]
"""The columns of a chair but for its key."""


IMPATIENT: Final = "SET lock_timeout = 250"
"""So many milliseconds a statement of the session waits, at most, for somebody who holds one of its rows."""
_IMPATIENT_ITSELF: Final = "(SELECT set_config('lock_timeout', '250', true)) IS NOT NULL"
"""The same as a condition in a statement, where a pooler takes no settings. Alone it would cost a twentieth more."""
PATIENT: Final = "SET LOCAL lock_timeout = '5s'"
"""For the rest of a transaction; a statement may wait so long for its tables, while they are changed."""
FREE: Final = 'SELECT id FROM "match" WHERE id = ANY($1::text[]) FOR NO KEY UPDATE SKIP LOCKED'
"""Those of these matches that nobody holds. Only for the tables it waits."""


class Written(Protocol):
    """A change to be committed. chairs: see `app.ports.MatchStore.commit`."""

    match: Match
    entry: Entry
    chairs: bool


@dataclass(frozen=True, slots=True)
class Statement:
    """one: its text for a single change; many: that for several; values: makes what they are given, with a time in
    place of the database's where there is one; settings: of the session that runs it."""

    one: str
    many: str
    values: Callable[[Sequence[Written], Micros | None], list[Any]]
    settings: Mapping[str, str]


def _type(table: Table, name: str) -> str:
    return next((sql for kind, sql in _TYPES if isinstance(table.c[name].type, kind)), "text")


def _lists(name: str, columns: dict[str, str], before: int = 0) -> str:
    """A table made of lists, of which that of its first column is the parameter behind so many."""
    slots = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(columns.values(), before + 1))
    return f"SELECT * FROM unnest({slots}) AS {name}({', '.join(columns)})"


def _turned(rows: Sequence[tuple[Any, ...]], columns: int) -> list[list[Any]]:
    """The columns of these rows."""
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(columns)]


# ── A match and its entry ─────────────────────────────────────────────────────────────────────────────────────────────

_ROW: Final = {f"m_{name}": _type(tables.match, name) for name in matches.CHANGING} | {
    f"j_{name}": _type(tables.journal, name) for name in journal.COLUMNS
}
_SLOTS: Final = ", ".join(f"${number}::{kind} AS {name}" for number, (name, kind) in enumerate(_ROW.items(), 1))
_CHANGES: Final = ", ".join(f"{name} = new.m_{name}" for name in matches.CHANGING)
_ENTRY: Final = ", ".join(f"coalesce(new.j_at, {NOW})" if name == "at" else f"new.j_{name}" for name in journal.COLUMNS)
_TOLD: Final = "SELECT match_id, at FROM added"


def _saved(new: str, changes: str, more: str = "", *, pooled: bool) -> str:
    also = _IMPATIENT_ITSELF if pooled else "true"
    return (
        f'WITH new AS ({new}), saved AS (UPDATE "match" SET {changes} FROM new WHERE "match".id = new.j_match_id '
        f'AND "match".revision = new.m_revision - 1 AND NOT "match".packed AND {also} '
        f'RETURNING "match".id{more}), '
        f"added AS (INSERT INTO journal ({', '.join(journal.COLUMNS)}) SELECT {_ENTRY} FROM new "
        f"JOIN saved ON saved.id = new.j_match_id RETURNING match_id, at)"
    )


def _row(one: Written, at: Micros | None) -> tuple[Any, ...]:
    return (*matches.changing(one.match), *journal.to_row(one.entry, at))  # type: ignore[arg-type]


def _plain(written: Sequence[Written], at: Micros | None) -> list[Any]:
    rows = [_row(one, at) for one in written]
    return list(rows[0]) if len(rows) == 1 else _turned(rows, len(_ROW))


def plain(*, pooled: bool) -> Statement:
    """Writes nothing but the rows of the matches and their entries. pooled: see `postgres_connect.Address`."""
    return Statement(
        many=f"{_saved(_lists('new', _ROW), _CHANGES, pooled=pooled)} {_TOLD}",
        # A row is sent and run in a fifth less than a list of one.
        one=f"{_saved(f'SELECT {_SLOTS}', _CHANGES, pooled=pooled)} {_TOLD}",
        values=_plain,
        settings={},
    )


# ── What hangs on a match ─────────────────────────────────────────────────────────────────────────────────────────────

_WHOLE_ROW: Final = (
    _ROW | {f"m_{name}": _type(tables.match, name) for name in matches.ARRANGED} | {"chairs": "bool", "is_over": "bool"}
)
_SITS: Final = {name: _type(tables.chair, name) for name in matches.CHAIR}
_BELONGS: Final = {"match_id": "text", "account_id": "text"}
_ARRANGED: Final = ", ".join(
    f'{name} = CASE WHEN new.chairs THEN new.m_{name} ELSE "match".{name} END' for name in matches.ARRANGED
)
_MORE: Final = ', "match".created_at, new.chairs, new.is_over'
_LISTS: Final = (
    f"sits AS ({_lists('sits', _SITS, len(_WHOLE_ROW))}), "
    f"belongs AS ({_lists('belongs', _BELONGS, len(_WHOLE_ROW) + len(_SITS))})"
)


def _columns(of: str, names: Iterable[str]) -> str:
    return ", ".join(f"{of}.{name}" for name in names)


# What stays as it is, as most chairs do, is not written again.
_CHAIRS: Final = (
    f"placed AS (INSERT INTO chair ({', '.join(_SITS)}) SELECT {_columns('sits', _SITS)} FROM sits "
    "JOIN saved ON saved.id = sits.match_id ON CONFLICT (match_id, number) DO UPDATE "
    f"SET {', '.join(f'{name} = excluded.{name}' for name in _PLACES)} "
    f"WHERE ({_columns('chair', _PLACES)}) IS DISTINCT FROM ({_columns('excluded', _PLACES)})), "
    "removed AS (DELETE FROM chair USING saved WHERE saved.chairs AND chair.match_id = saved.id AND NOT EXISTS "
    "(SELECT FROM sits WHERE sits.match_id = chair.match_id AND sits.number = chair.number))"
)
_SAME: Final = (
    "member.account_id = belonged.account_id AND member.created_at = belonged.created_at "
    "AND member.match_id = belonged.id"
)
_MEMBERS: Final = (
    "belonged AS (SELECT chair.account_id, saved.created_at, saved.id, saved.chairs FROM saved "
    "JOIN chair ON chair.match_id = saved.id WHERE chair.account_id IS NOT NULL "
    'UNION SELECT "match".host, saved.created_at, saved.id, saved.chairs FROM saved '
    'JOIN "match" ON "match".id = saved.id), '
    f"parted AS (DELETE FROM member USING belonged WHERE belonged.chairs AND {_SAME} AND NOT EXISTS "
    "(SELECT FROM belongs WHERE belongs.match_id = member.match_id AND belongs.account_id = member.account_id)), "
    f"retired AS (UPDATE member SET active = false FROM belonged WHERE NOT belonged.chairs AND {_SAME}), "
    "joined AS (INSERT INTO member (account_id, created_at, match_id, active) "
    "SELECT belongs.account_id, saved.created_at, saved.id, NOT saved.is_over FROM belongs "
    "JOIN saved ON saved.id = belongs.match_id "
    "ON CONFLICT (account_id, created_at, match_id) DO UPDATE SET active = excluded.active "
    "WHERE member.active IS DISTINCT FROM excluded.active)"
)


def _whole(written: Sequence[Written], at: Micros | None) -> list[Any]:
    rows = [(*_row(one, at), *matches.arranged(one.match), one.chairs, one.match.is_over) for one in written]
    seated = [one.match for one in written if one.chairs]
    sits = [row for match in seated for row in matches.chair_rows(match)]
    belongs = [(match.id, account_id) for match in seated for account_id in sorted(matches.members_of(match))]
    return [*_turned(rows, len(_WHOLE_ROW)), *_turned(sits, len(_SITS)), *_turned(belongs, len(_BELONGS))]


def whole(*, pooled: bool) -> Statement:
    """Writes what hangs on the matches too. It is for those whose chairs have changed, which it writes with who is a
    member and what a host may arrange; and for those that are over, which it takes from the lists of those that are
    not."""
    saved = _saved(_lists("new", _WHOLE_ROW), f"{_CHANGES}, {_ARRANGED}", _MORE, pooled=pooled)
    text = f"{saved}, {_LISTS}, {_CHAIRS}, {_MEMBERS} {_TOLD}"
    # A plan that is kept was made for a few rows in small tables, and would read the large ones from end to end.
    return Statement(one=text, many=text, values=_whole, settings={"plan_cache_mode": "force_custom_plan"})
