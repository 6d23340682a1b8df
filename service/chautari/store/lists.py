"""Lists of matches: functions over a connection inside a transaction, alike on every database.

Each is read in the order of an index, so that a page costs the same however long the list is.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, exists, literal, select, tuple_

from chautari.app.clocks import first_of
from chautari.app.filters import Filter
from chautari.app.new_matches import LONGEST_DELAY
from chautari.app.newer import newer
from chautari.app.values import Match, MatchState, Micros, Privacy, SeatState, Standing
from chautari.store import filters, match_rows
from chautari.store.bans import in_force
from chautari.store.tables import ban, chair, match, member

_STATES: Final = frozenset(MatchState)
_listed: Final = [column for column in match.c if column.name not in ("secret", "snapshot")]


def load(connection: Connection, match_ids: Sequence[str]) -> list[Match]:
    """These matches in this order, without secrets and snapshots."""
    if not match_ids:
        return []
    rows = {row.id: row for row in connection.execute(select(*_listed).where(match.c.id.in_(match_ids)))}
    chairs = match_rows.chairs_of(connection, match_ids)
    return [match_rows.from_row(rows[match_id], chairs.get(match_id, ()), b"", None) for match_id in match_ids]


def matches_of(
    connection: Connection, account_id: str, *, active: bool, my_turn: bool, game: str | None,
    before: tuple[Micros, str] | None, limit: int, wanted: Filter | None = None, rising: bool = False,
) -> list[Match]:  # fmt: skip
    """The account's matches, the latest created first or the oldest, without secrets and snapshots."""
    query = _of_account(account_id, active=active or my_turn, rising=rising)
    if wanted is not None:
        query = query.where(filters.condition(wanted))
    if my_turn:
        query = query.where(_must_act)
    if game is not None:
        query = query.where(match.c.game == game)
    if before is not None:
        query = query.where(_behind(member.c.created_at, member.c.match_id, before, rising))
    return load(connection, [row.id for row in connection.execute(query.limit(limit))])


_must_act: Final = exists().where(
    chair.c.match_id == member.c.match_id,
    chair.c.account_id == member.c.account_id,
    chair.c.state == SeatState.TAKEN.value,
    match.c.must.bitwise_rshift(chair.c.number).bitwise_and(1) == 1,
)


def _behind(
    created_at: ColumnElement[Any], match_id: ColumnElement[Any], cursor: tuple[Micros, str], rising: bool
) -> ColumnElement[bool]:  # fmt: skip
    place = tuple_(created_at, match_id)
    return place > tuple_(*cursor) if rising else place < tuple_(*cursor)


def _of_account(account_id: str, *, active: bool, rising: bool = False) -> Select[Any]:
    """id, revision and state of the account's matches, and whether a seat of its must act; the latest created first."""
    query = (
        select(match.c.id, match.c.revision, match.c.state, _must_act.label("my_turn"))
        .join(member, member.c.match_id == match.c.id)
        .where(member.c.account_id == account_id)
        .order_by(*[column if rising else column.desc() for column in (member.c.created_at, member.c.match_id)])
    )
    return query.where(member.c.active) if active else query


def open_matches(
    connection: Connection, *, but_of: str, game: str | None, before: tuple[Micros, str] | None, limit: int,
    wanted: Filter | None = None, rising: bool = False,
) -> list[Match]:  # fmt: skip
    """The public matches that are seating and have a free seat, but for the account's own, the latest created first."""
    free = exists().where((chair.c.match_id == match.c.id) & (chair.c.state == SeatState.OPEN.value))
    query = _public(but_of, game, before, wanted, rising).where(_is(MatchState.SEATING), free).limit(limit)
    return load(connection, [row.id for row in connection.execute(query)])


def playing_matches(
    connection: Connection, *, but_of: str, now: Micros, game: str | None, before: tuple[Micros, str] | None,
    limit: int, wanted: Filter | None = None, rising: bool = False,
) -> list[Match]:  # fmt: skip
    """The public matches that are under way for spectators, as late as these are, and whose host is not banned; but for
    the account's own, the latest created first.

    Those whose end is not old enough have an index of their own, by which all of the last hour are read: in the order
    of the list they would lie among all that were ever played. They are looked for last, so that a match that ends
    meanwhile is not missed.
    """
    delay = match.c.spectator_delay
    banned = exists().where(ban.c.account_id == match.c.host, in_force(now))
    shown = _public(but_of, game, before, wanted, rising).where(match.c.started_at + delay <= now, ~banned)
    is_late = delay > literal(0, literal_execute=True)
    unseen = is_late & (match.c.ended_at > now - LONGEST_DELAY) & (match.c.ended_at + delay > now)
    places = {
        (row.created_at, row.id)
        for query in (shown.where(_is(MatchState.PLAYING)).limit(limit), shown.where(unseen).order_by(None))
        for row in connection.execute(query)
    }
    return load(connection, [match_id for _, match_id in sorted(places, reverse=not rising)[:limit]])


def _is(state: MatchState) -> ColumnElement[bool]:
    return match.c.state == literal(state.value, literal_execute=True)


def _public(
    but_of: str, game: str | None, before: tuple[Micros, str] | None, wanted: Filter | None, rising: bool
) -> Select[Any]:  # fmt: skip
    """created_at and id of the public matches but for the account's own, the latest created first or the oldest."""
    of_account = exists().where(
        member.c.account_id == but_of, member.c.created_at == match.c.created_at, member.c.match_id == match.c.id
    )
    public = match.c.privacy == literal(Privacy.PUBLIC.value, literal_execute=True)
    query = (
        select(match.c.created_at, match.c.id)
        .where(public, ~of_account)
        .order_by(*[column if rising else column.desc() for column in (match.c.created_at, match.c.id)])
    )
    if wanted is not None:
        query = query.where(filters.condition(wanted))
    if game is not None:
        query = query.where(match.c.game == game)
    if before is not None:
        query = query.where(_behind(match.c.created_at, match.c.id, before, rising))
    return query


def standings(connection: Connection, account_id: str, limit: int, outages: Micros) -> list[Standing]:
    """How the account's matches that are not over stand, the latest created first. outages: all together."""
    query = _of_account(account_id, active=True).add_columns(match.c.clocks).limit(limit)
    found = connection.execute(query).all()
    timed = [row.id for row in found if row.my_turn and row.clocks is not None]
    mine: dict[str, list[int]] = {}
    seats = select(chair.c.match_id, chair.c.number).where(
        chair.c.match_id.in_(timed), chair.c.account_id == account_id, chair.c.state == SeatState.TAKEN.value
    )
    for row in connection.execute(seats) if timed else ():
        mine.setdefault(row.match_id, []).append(row.number)
    return [_standing(row, mine.get(row.id), outages) for row in found]


def _standing(row: Row[Any], timed: Sequence[int] | None, outages: Micros) -> Standing:
    """timed: the seats of the account, where the time of one of them may run. Unavailable `MATCH_NEWER`."""
    if row.state not in _STATES:
        raise newer(row.id)
    due = None if timed is None else first_of(match_rows.read_clocks(row.clocks), timed, outages)
    return Standing(row.id, row.revision, MatchState(row.state), bool(row.my_turn), due)


def revisions(connection: Connection, match_ids: Collection[str], account_ids: Collection[str]) -> dict[str, int]:
    """The latest revisions of these matches, and of those of these accounts that are not over.

    They are two queries in one: for either of two conditions PostgreSQL would read every match there ever was.
    """
    named = select(match.c.id, match.c.revision).where(match.c.id.in_(match_ids))
    mine = (
        select(match.c.id, match.c.revision)
        .join(member, member.c.match_id == match.c.id)
        .where(member.c.account_id.in_(account_ids) & member.c.active)
    )
    rows = connection.execute(named.union(mine))
    return {row.id: row.revision for row in rows}
