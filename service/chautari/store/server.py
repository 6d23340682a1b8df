"""What a database knows of itself and of who serves it: functions over a connection inside a transaction."""

import secrets
from typing import Final, NamedTuple

from sqlalchemy import Connection, insert, select, update

from chautari.app.values import Micros
from chautari.errors import Malformed
from chautari.store import uptime
from chautari.store.seal import BrokenSeal, Sealer
from chautari.store.tables import server
from chautari.store.uptime import Uptime

_SEAL_TEXT: Final = b"chautari"


class TakenUp(NamedTuple):
    """epoch: a random name of this database; last_alive: when it was last served, None on a first start; uptime: what
    is known of how long the service has been alive.

    The row `pulse` tells when that was. A SQLite file is noted here too, by the writer with what it commits, up to its
    close.
    """

    epoch: str
    last_alive: Micros | None
    uptime: Uptime


_KEYS: Final = {"created", "epoch", "last_alive", "seal"}
"""The rows that `take_up` sees to."""


def is_new(connection: Connection) -> bool:
    """Whether `take_up` would have to add what a new database lacks."""
    return not set(connection.execute(select(server.c.key)).scalars()) >= _KEYS


def take_up(connection: Connection, sealer: Sealer, now: Micros) -> TakenUp:
    """Reads how a database was left, and fills in what a new one lacks.

    Malformed `WRONG_SEAL_KEY` where its secrets are sealed with another key.
    """
    known = {row.key: row.value for row in connection.execute(select(server))}
    fresh = {
        "created": str(now),
        "epoch": secrets.token_hex(8),
        "last_alive": str(now),
        "seal": sealer.seal("server", "seal", _SEAL_TEXT).hex(),
    }
    missing = [{"key": key, "value": value} for key, value in fresh.items() if key not in known]
    if missing:
        connection.execute(insert(server), missing)
    check_seal(sealer, known.get("seal", fresh["seal"]))
    pulse, outages = uptime.read(connection, now)
    last_alive = max(int(known["last_alive"]), pulse) if "last_alive" in known else None
    return TakenUp(known.get("epoch", fresh["epoch"]), last_alive, Uptime(pulse, outages))


def renew_epoch(connection: Connection) -> str:
    """Gives a database another epoch."""
    epoch = secrets.token_hex(8)
    connection.execute(update(server).where(server.c.key == "epoch").values(value=epoch))
    return epoch


def check_seal_of(connection: Connection, sealer: Sealer) -> None:
    """The same, of the database of a connection."""
    check_seal(sealer, connection.execute(select(server.c.value).where(server.c.key == "seal")).scalar() or "")


def check_seal(sealer: Sealer, sealed: str) -> None:
    """Malformed `WRONG_SEAL_KEY` where the seal of a database is not of this key."""
    try:
        sealer.open("server", "seal", bytes.fromhex(sealed))
    except BrokenSeal:
        raise Malformed(
            "WRONG_SEAL_KEY", "the secrets in this database are sealed with another key: give the one it was made with"
        ) from None


def check(connection: Connection) -> None:
    """Reads something."""
    connection.execute(select(server.c.value).limit(1)).all()
