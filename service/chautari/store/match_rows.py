"""Matches and their chairs, as their rows are read: functions over a connection, alike on every database."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, UnaryExpression, func, literal, select

from chautari.app.clock_values import Clocks, TimeControl
from chautari.app.newer import newer
from chautari.app.values import (
    CODE_KEPT,
    Audience,
    Chair,
    Disclosure,
    DueKind,
    Match,
    MatchState,
    Micros,
    Outcome,
    Privacy,
    SeatingRule,
    SeatState,
    StartRule,
)
from chautari.store.seal import Sealer
from chautari.store.tables import chair, match

_SEAT_STATES: Final = frozenset(SeatState)
_is_seating: Final = match.c.state == literal(MatchState.SEATING.value)
_begun_at: Final = func.coalesce(match.c.started_at, match.c.ended_at)
_settings: Final = msgspec.json.Decoder(dict[str, Any]).decode
_barred: Final = msgspec.json.Decoder(tuple[str, ...]).decode
_outcome: Final = msgspec.json.Decoder(Outcome).decode
_clock: Final = msgspec.json.Decoder(TimeControl).decode
_clocks: Final = msgspec.msgpack.Decoder(Clocks)


def read_clocks(blob: bytes) -> Clocks:
    """Clocks as their column holds them."""
    return _clocks.decode(blob)


def find_match(connection: Connection, sealer: Sealer, match_id: str) -> Match | None:
    """The match with its chairs, secret and snapshot."""
    return _find(connection, sealer, match.c.id == match_id)


def find_by_code(connection: Connection, sealer: Sealer, code: str, now: Micros) -> Match | None:
    """The match that is seating under this code, else the one whose seating under it has ended last, if lately."""
    return _find(connection, sealer, under_code(code, now), [_is_seating.desc(), _begun_at.desc()])


def find_by_link(connection: Connection, sealer: Sealer, link: str) -> Match | None:
    """The match with this link."""
    return _find(connection, sealer, match.c.link == link)


def under_code(code: str, now: Micros) -> ColumnElement[bool]:
    """Whether a match holds this code, as `Match.holds_code` says."""
    return (match.c.code == code) & (_is_seating | (_begun_at > now - CODE_KEPT))


def _find(
    connection: Connection, sealer: Sealer, condition: ColumnElement[bool], order: Sequence[UnaryExpression[Any]] = ()
) -> Match | None:
    row = connection.execute(select(match).where(condition).order_by(*order).limit(1)).first()
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
