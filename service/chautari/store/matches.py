"""Matches and their chairs: functions over a connection inside a transaction, alike on every database."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, insert, literal, select, union, update

from chautari.app.clock_values import Clocks, TimeControl
from chautari.app.newer import newer
from chautari.app.values import (
    Audience,
    Chair,
    Disclosure,
    DueKind,
    Match,
    MatchState,
    Outcome,
    Privacy,
    SeatingRule,
    SeatState,
    StartRule,
)
from chautari.store.seal import Sealer
from chautari.store.tables import chair, match, member

CHANGING: Final = (
    "revision", "state", "phase", "must", "shuffles", "clocks", "due_at", "due_kind", "wake_at", "host", "started_at",
    "ended_at", "code", "code_expires_at", "outcome", "snapshot",
)  # fmt: skip
"""The columns that a commit replaces. `packed` belongs to the store."""

ARRANGED: Final = (
    "title", "privacy", "disclosure", "start_rule", "seating", "audience", "spectator_delay", "settings", "barred",
    "clock", "commitment",
)  # fmt: skip
"""Those that a commit replaces together with the chairs. The others stay as they were created."""

_SEAT_STATES: Final = frozenset(SeatState)
_settings: Final = msgspec.json.Decoder(dict[str, Any]).decode
_barred: Final = msgspec.json.Decoder(tuple[str, ...]).decode
_outcome: Final = msgspec.json.Decoder(Outcome).decode
_clock: Final = msgspec.json.Decoder(TimeControl).decode
_clocks: Final = msgspec.msgpack.Decoder(Clocks)
_pack: Final = msgspec.msgpack.Encoder().encode
_json: Final = msgspec.json.Encoder().encode


def changing(new: Match) -> tuple[Any, ...]:
    """The values of the columns CHANGING."""
    outcome = None if new.outcome is None else _json(new.outcome).decode()
    due_kind = None if new.due_kind is None else str(new.due_kind)
    return (
        new.revision, str(new.state), new.phase, new.must, new.shuffles,
        None if new.clocks is None else _pack(new.clocks), new.due_at, due_kind, new.wake_at, new.host, new.started_at,
        new.ended_at, new.code, new.code_expires_at, outcome, new.snapshot,
    )  # fmt: skip


def read_clocks(blob: bytes) -> Clocks:
    """Clocks as their column holds them."""
    return _clocks.decode(blob)


def arranged(new: Match) -> tuple[Any, ...]:
    """The values of the columns ARRANGED."""
    barred = _json(new.barred).decode() if new.barred else None
    return (
        new.title, str(new.privacy), str(new.disclosure), str(new.start_rule), str(new.seating), str(new.audience),
        new.spectator_delay, _json(new.settings).decode(), barred,
        None if new.clock is None else _json(new.clock).decode(), new.commitment,
    )  # fmt: skip


def add_match(connection: Connection, sealer: Sealer, new: Match) -> None:
    """Adds a match with its chairs. ValueError `id`, `link` or `code` where another match has it."""
    taken = [("id", match.c.id == new.id), ("link", match.c.link == new.link)]
    if new.code is not None and new.state is MatchState.SEATING:
        taken.append(("code", _seating(new.code)))
    for name, condition in taken:
        if connection.execute(select(match.c.id).where(condition)).first() is not None:
            raise ValueError(name)
    connection.execute(
        insert(match).values(
            **dict(zip(CHANGING, changing(new), strict=True)),
            **dict(zip(ARRANGED, arranged(new), strict=True)),
            id=new.id,
            packed=new.packed,
            game=new.game,
            rules_version=new.rules_version,
            created_at=new.created_at,
            link=new.link,
            secret=sealer.seal("match", new.id, new.secret),
        )
    )
    _add_chairs(connection, new)
    _set_members(connection, new, set())


def hosted(connection: Connection, account_id: str, most: int) -> int:
    """How many matches that are not over an account hosts; it is not counted further than `most`.

    Until the transaction ends nobody else counts them: of two new matches at once the second sees the first.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtext(account_id))))
    mine = (
        select(match.c.id)
        .join(member, member.c.match_id == match.c.id)
        .where(member.c.account_id == account_id, member.c.active, match.c.host == account_id)
        .limit(most)
    )
    return len(connection.execute(mine).all())


def _add_chairs(connection: Connection, new: Match) -> None:
    rows = [
        {
            "match_id": new.id,
            "number": one.number,
            "state": one.state,
            "account_id": one.account_id,
            "display_name": one.display_name,
            "contribution": one.contribution,
            "since": one.since,
        }
        for one in new.chairs
    ]
    if rows:
        connection.execute(insert(chair), rows)


def members(connection: Connection, match_id: str) -> set[str]:
    """The accounts that sit in a match, have a seat held, or host it, as they are stored."""
    seated = select(chair.c.account_id).where((chair.c.match_id == match_id) & chair.c.account_id.is_not(None))
    hosting = select(match.c.host).where(match.c.id == match_id)
    return set(connection.execute(union(seated, hosting)).scalars())


def save(connection: Connection, changed: Match, *, chairs: bool) -> bool:
    """Replaces a match whose stored revision is one less, and what hangs on it; False where that is another."""
    before = members(connection, changed.id) if chairs else set()
    guard = (match.c.id == changed.id) & (match.c.revision == changed.revision - 1)
    values = dict(zip(CHANGING, changing(changed), strict=True))
    if connection.execute(update(match).where(guard).values(**values)).rowcount == 0:
        return False
    if chairs:
        save_chairs(connection, changed, before)
    elif changed.is_over:
        retire(connection, changed)
    return True


def save_chairs(connection: Connection, changed: Match, before: set[str]) -> None:
    """Replaces the chairs of a match and its columns ARRANGED. before: what `members` gave before it was changed."""
    values = dict(zip(ARRANGED, arranged(changed), strict=True))
    connection.execute(update(match).where(match.c.id == changed.id).values(**values))
    connection.execute(delete(chair).where(chair.c.match_id == changed.id))
    _add_chairs(connection, changed)
    _set_members(connection, changed, before)


def _set_members(connection: Connection, changed: Match, before: set[str]) -> None:
    if before:
        connection.execute(delete(member).where(_memberships(changed, before)))
    connection.execute(
        insert(member),
        [
            {
                "account_id": account_id,
                "created_at": changed.created_at,
                "match_id": changed.id,
                "active": not changed.is_over,
            }
            for account_id in sorted(members_of(changed))
        ],
    )


def members_of(match: Match) -> set[str]:
    """The accounts that sit in a match, have a seat held, or host it."""
    return {match.host, *(chair.account_id for chair in match.chairs if chair.account_id is not None)}


def retire(connection: Connection, over: Match) -> None:
    """Takes a match that is over from the lists of those that are not."""
    whose = _memberships(over, members(connection, over.id))
    connection.execute(update(member).where(whose).values(active=False))


def _memberships(match: Match, account_ids: set[str]) -> ColumnElement[bool]:
    mine = member.c.account_id.in_(sorted(account_ids))
    return and_(mine, member.c.created_at == match.created_at, member.c.match_id == match.id)


def find_match(connection: Connection, sealer: Sealer, match_id: str) -> Match | None:
    """The match with its chairs, secret and snapshot."""
    return _find(connection, sealer, match.c.id == match_id)


def find_by_code(connection: Connection, sealer: Sealer, code: str) -> Match | None:
    """The match that is seating under this code."""
    return _find(connection, sealer, _seating(code))


def find_by_link(connection: Connection, sealer: Sealer, link: str) -> Match | None:
    """The match with this link."""
    return _find(connection, sealer, match.c.link == link)


def _seating(code: str) -> ColumnElement[bool]:
    return (match.c.code == code) & (match.c.state == literal(MatchState.SEATING.value, literal_execute=True))


def _find(connection: Connection, sealer: Sealer, condition: ColumnElement[bool]) -> Match | None:
    row = connection.execute(select(match).where(condition)).first()
    if row is None:
        return None
    secret = sealer.open("match", row.id, row.secret)
    return from_row(row, chairs_of(connection, [row.id]).get(row.id, ()), secret, row.snapshot)


def from_row(row: Row[Any], chairs: tuple[Chair, ...], secret: bytes, snapshot: bytes | None) -> Match:
    """The match of a row; secret and snapshot are given, the row need not have them. Unavailable `MATCH_NEWER` where it
    holds a word that is not known here."""
    try:
        return _from_row(row, chairs, secret, snapshot)
    except msgspec.ValidationError as error:
        raise newer(row.id) from error
    except msgspec.DecodeError:  # it is damaged
        raise
    except ValueError as error:
        raise newer(row.id) from error


def _from_row(row: Row[Any], chairs: tuple[Chair, ...], secret: bytes, snapshot: bytes | None) -> Match:
    return Match(
        id=row.id,
        game=row.game,
        rules_version=row.rules_version,
        settings=_settings(row.settings),
        title=row.title,
        state=MatchState(row.state),
        privacy=Privacy(row.privacy),
        disclosure=Disclosure(row.disclosure),
        start_rule=StartRule(row.start_rule),
        seating=SeatingRule(row.seating),
        audience=Audience(row.audience),
        spectator_delay=row.spectator_delay,
        barred=() if row.barred is None else _barred(row.barred),
        host=row.host,
        chairs=chairs,
        revision=row.revision,
        commitment=row.commitment,
        secret=secret,
        code=row.code,
        code_expires_at=row.code_expires_at,
        link=row.link,
        created_at=row.created_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        snapshot=snapshot,
        shuffles=row.shuffles,
        must=row.must,
        phase=row.phase,
        outcome=None if row.outcome is None else _outcome(row.outcome),
        clock=None if row.clock is None else _clock(row.clock),
        clocks=None if row.clocks is None else read_clocks(row.clocks),
        due_at=row.due_at,
        due_kind=None if row.due_kind is None else DueKind(row.due_kind),
        wake_at=row.wake_at,
        packed=row.packed,
    )


def chairs_of(connection: Connection, match_ids: Iterable[str]) -> dict[str, tuple[Chair, ...]]:
    """The chairs of these matches, by match."""
    query = select(chair).where(chair.c.match_id.in_(match_ids)).order_by(chair.c.match_id, chair.c.number)
    chairs: dict[str, list[Chair]] = {}
    for row in connection.execute(query):
        if row.state not in _SEAT_STATES:
            raise newer(row.match_id)
        chairs.setdefault(row.match_id, []).append(
            Chair(
                number=row.number,
                state=SeatState(row.state),
                account_id=row.account_id,
                display_name=row.display_name,
                contribution=row.contribution,
                since=row.since,
            )
        )
    return {match_id: tuple(seats) for match_id, seats in chairs.items()}


def find_matches(connection: Connection, sealer: Sealer, match_ids: Sequence[str]) -> list[Match]:
    """Those of these matches that there are, each with its chairs, secret and snapshot."""
    rows = connection.execute(select(match).where(match.c.id.in_(match_ids))).all()
    chairs = chairs_of(connection, [row.id for row in rows])
    return [
        from_row(row, chairs.get(row.id, ()), sealer.open("match", row.id, row.secret), row.snapshot) for row in rows
    ]
