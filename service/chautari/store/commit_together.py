"""The commits that wait together on SQLite: a few statements for up to 64 of them, by hand on the driver.

Each statement costs a turn of the interpreter, so one of many rows is far cheaper than many of one.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from chautari.app.values import Match, Micros
from chautari.store import journal, matches
from chautari.store.commit import Commit
from chautari.store.group_commit import Job
from chautari.store.sqlite_errors import is_fatal

_MOST: Final = 64
"""SQLite takes 32 766 values: with 70 chairs in each match it would be too many."""
_Key = tuple[str, Micros, str]
"""That of a member: the columns _MEMBER."""
_MEMBER: Final = ("account_id", "created_at", "match_id")
_ADD: Final = f"INSERT OR ROLLBACK INTO journal ({', '.join(journal.COLUMNS)}) "
_PLACE: Final = f"INSERT OR ROLLBACK INTO chair ({', '.join(matches.CHAIR)}) "
_JOIN: Final = f"INSERT INTO member ({', '.join(_MEMBER)}, active) "
_JOINED: Final = f" ON CONFLICT ({', '.join(_MEMBER)}) DO UPDATE SET active = excluded.active"
_RETIRE: Final = "UPDATE OR ROLLBACK member SET active = 0 FROM ("
_RETIRED: Final = f") AS gone WHERE {' AND '.join(f'{key} = gone.column{n}' for n, key in enumerate(_MEMBER, 1))}"
_PART: Final = f"DELETE FROM member WHERE {' AND '.join(f'{key} = ?' for key in _MEMBER)}"


def commit_together(driver: sqlite3.Connection, jobs: Sequence[Job[Any]], at: Micros) -> Mapping[Job[Any], Micros]:
    """Does the commits with which nothing else is written; where one of them fails, it rolls back and does none.

    A single one of nothing but the entry and the row of its match is left: its two statements are cheap enough.
    """
    commits = [job for job in jobs if isinstance(job, Commit) and job.is_by_itself]
    if len(commits) < 2 and all(commit.is_brief for commit in commits):
        return {}
    for start in range(0, len(commits), _MOST):
        some = commits[start : start + _MOST]
        try:
            done = _commit(driver, some, at)
        except Exception as error:
            if is_fatal(error):
                raise
            done = False
        if not done:
            if driver.in_transaction:
                driver.execute("ROLLBACK")
            return {}
    return dict.fromkeys(commits, at)


def _commit(driver: sqlite3.Connection, commits: Sequence[Commit], at: Micros) -> bool:
    """Whether all of them could be done. Where not, some may be."""
    seated = [commit for commit in commits if commit.chairs]
    others = [commit for commit in commits if not commit.chairs]
    over = [commit.match for commit in others if commit.match.is_over]
    before = _members(driver, [commit.match for commit in seated] + over)
    _run(driver, _ADD, [commit.entry_row(at) for commit in commits])
    plain = [commit.match_row() for commit in others]
    whole = [commit.match_row(matches.arranged(commit.match)) for commit in seated]
    for rows, columns in ((plain, matches.CHANGING), (whole, (*matches.CHANGING, *matches.ARRANGED))):
        if rows and driver.execute(_save(columns, len(rows)), [v for row in rows for v in row]).rowcount != len(rows):
            return False
    if seated:
        _seat(driver, [commit.match for commit in seated], before)
    _run(driver, _RETIRE, [key for match in over for key in before[match.id]], _RETIRED)
    return True


def _seat(driver: sqlite3.Connection, seated: Sequence[Match], before: Mapping[str, set[_Key]]) -> None:
    """Replaces the chairs of these matches, and who is a member of them. before: what `_members` gave."""
    driver.execute(f"DELETE FROM chair WHERE match_id IN ({_marks(len(seated))})", [match.id for match in seated])
    _run(driver, _PLACE, [row for match in seated for row in matches.chair_rows(match)])
    now = {match.id: {(one, match.created_at, match.id) for one in matches.members_of(match)} for match in seated}
    driver.executemany(_PART, [key for match_id, keys in now.items() for key in before[match_id] - keys])
    _run(driver, _JOIN, [(*key, not match.is_over) for match in seated for key in now[match.id]], _JOINED)


def _members(driver: sqlite3.Connection, of: Sequence[Match]) -> dict[str, set[_Key]]:
    """The members of these matches by what is stored: who sits in one, has a seat held, or hosts it."""
    if not of:
        return {}
    found: dict[str, set[_Key]] = {match.id: set() for match in of}
    created = {match.id: match.created_at for match in of}
    marks = _marks(len(found))
    query = (
        f"SELECT match_id, account_id FROM chair WHERE match_id IN ({marks}) AND account_id IS NOT NULL "
        f"UNION SELECT id, host FROM match WHERE id IN ({marks})"
    )
    for match_id, account_id in driver.execute(query, [*found, *found]):
        found[match_id].add((account_id, created[match_id], match_id))
    return found


def _run(driver: sqlite3.Connection, head: str, rows: Sequence[tuple[Any, ...]], tail: str = "") -> None:
    """Runs a statement on these rows, which stand between its two parts; nothing where there are none."""
    if rows:
        values = _values(len(rows), len(rows[0]))
        driver.execute(f"{head}{values}{tail}", [value for row in rows for value in row])


@cache
def _save(columns: Sequence[str], count: int) -> str:
    """The statement that saves so many matches which are loose and not overtaken.

    OR ROLLBACK spares SQLite the copies of pages by which it could undo the statement alone.
    """
    changes = ", ".join(f"{name} = new.column{number}" for number, name in enumerate(columns, 1))
    same = f"match.id = new.column{len(columns) + 1} AND match.revision = new.column{len(columns) + 2}"
    rows = _values(count, len(columns) + 2)
    return f"UPDATE OR ROLLBACK match SET {changes} FROM ({rows}) AS new WHERE {same} AND match.packed = 0"


@cache
def _values(rows: int, columns: int) -> str:
    return f"VALUES {', '.join([f'({_marks(columns)})'] * rows)}"


@cache
def _marks(count: int) -> str:
    return ", ".join("?" * count)
