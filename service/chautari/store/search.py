"""What operators find: functions over a connection inside a transaction, alike on every database."""

from typing import Final

from sqlalchemy import ColumnElement, Connection, literal, select, tuple_

from chautari.app.bans import Ban
from chautari.app.searches import AccountQuestion, AccountRow, MatchQuestion
from chautari.app.values import LEAST_PUT_OFF, Match, MatchState, Micros
from chautari.store import accounts, lists
from chautari.store.bans import in_force
from chautari.store.tables import account, ban, match, member

BEHIND_ALL: Final = "\U0010ffff"
"""The last character that there is: a name with this prefix is below the prefix with this behind it."""
MOST_ACTIVE: Final = 100


def find_accounts(
    connection: Connection, question: AccountQuestion, now: Micros, after: tuple[str, str] | None, limit: int
) -> list[AccountRow]:
    """Accounts by name, from behind (folded name, id) `after`."""
    query = (
        select(account, ban.c.at, ban.c.until, ban.c.reason, ban.c.seats_left)
        .join(ban, (ban.c.account_id == account.c.id) & in_force(now), isouter=not question.banned)
        .order_by(account.c.folded_name, account.c.id)
        .limit(limit)
    )
    if question.account_id:
        query = query.where(account.c.id == question.account_id)
    if question.name_prefix:
        prefix = question.name_prefix.casefold()
        query = query.where(account.c.folded_name >= prefix, account.c.folded_name < prefix + BEHIND_ALL)
    if after is not None:
        query = query.where(tuple_(account.c.folded_name, account.c.id) > tuple_(*after))
    return [
        AccountRow(
            account=accounts.from_row(row),
            ban=None if row.at is None else Ban(row.id, row.at, row.until, row.reason, row.seats_left),
            active_matches=_active(connection, row.id),
        )
        for row in connection.execute(query).all()
    ]


def _active(connection: Connection, account_id: str) -> int:
    mine = select(member.c.match_id).where(member.c.account_id == account_id, member.c.active).limit(MOST_ACTIVE)
    return len(connection.execute(mine).all())


def find_matches(
    connection: Connection, question: MatchQuestion, before: tuple[Micros, str] | None, limit: int
) -> list[Match]:
    """Matches, the latest created first, from behind (created_at, id) `before`, without secrets and snapshots."""
    created_at: ColumnElement[Micros] = match.c.created_at
    match_id = match.c.id
    query = select(match.c.id)
    if question.account_id:  # the matches of one account are few, and sorted by themselves
        created_at, match_id = member.c.created_at, member.c.match_id
        query = query.join(member, member.c.match_id == match.c.id).where(member.c.account_id == question.account_id)
    if question.failing:  # they are few, among those of which something is due: no index of all matches leads there
        created_at = created_at + 0
        query = query.where(match.c.wake_at.is_not(None), match.c.wake_at - match.c.due_at >= LEAST_PUT_OFF)
    query = query.order_by(created_at.desc(), match_id.desc()).limit(limit)
    if question.match_id:
        query = query.where(match.c.id == question.match_id)
    if question.code:
        seating = match.c.state == literal(MatchState.SEATING.value, literal_execute=True)
        query = query.where(match.c.code == question.code, seating)
    if question.state is not None:
        query = query.where(match.c.state == question.state.value)
    if question.game:
        query = query.where(match.c.game == question.game)
    if before is not None:
        query = query.where(tuple_(created_at, match_id) < tuple_(*before))
    return lists.load(connection, list(connection.execute(query).scalars()))
