"""How long the service has been alive: the database's time less all outages, in which due times are counted.

One row says when anything was alive last and how long all outages were together. Whoever finds that nothing was for
more than a few seconds adds that time in the same statement, so that it is added once. No due time has to be touched,
and no cached match is wrong: a clock that ran when the service went away has as much time left when it is back.
"""

from typing import Final

from sqlalchemy import BigInteger, ColumnElement, Connection, case, insert, literal, select, update

from chautari.app.values import SECOND, Micros
from chautari.store.clock import Clock
from chautari.store.tables import pulse

LONGEST_BREATH: Final[Micros] = 5 * SECOND
"""A gap of at most this is none: the service was busy, not away."""


class Uptime:
    """What a process knows of it: when it noted last that the service is alive, and all outages."""

    def __init__(self, last_alive: Micros, outages: Micros) -> None:
        self._last_alive = last_alive
        self.outages = outages

    def note(self, last_alive: Micros, outages: Micros) -> None:
        """The row says so now."""
        self._last_alive, self.outages = last_alive, outages

    def service_time(self, now: Micros) -> Micros:
        """Now, less the outages. Where this process has not been able to note that it is alive, it stands still: the
        time since then may turn out to be an outage."""
        return min(now, self._last_alive + LONGEST_BREATH) - self.outages

    def outage(self, now: Micros) -> Micros:
        """How long an outage that ends now was, 0 where there was none."""
        gap = now - self._last_alive
        return gap if gap > LONGEST_BREATH else 0

    def is_out(self, now: Micros) -> bool:
        """Whether there is an outage that has not been credited."""
        return self.outage(now) > 0


class Timed:
    """A store, as far as it tells the time."""

    def __init__(self, clock: Clock, alive: Uptime) -> None:
        self._clock = clock
        self._uptime = alive

    def clock(self) -> Micros:
        """See `app.ports`."""
        return self._clock.now()

    def service_time(self) -> Micros:
        """See `app.ports`."""
        return self._uptime.service_time(self._clock.now())

    @property
    def outages(self) -> Micros:
        """See `app.ports`."""
        return self._uptime.outages


def read(connection: Connection, now: Micros) -> tuple[Micros, Micros]:
    """When anything was alive last, and all outages; a new database begins to live now."""
    row = connection.execute(select(pulse.c.last_alive, pulse.c.outages)).first()
    if row is None:
        connection.execute(insert(pulse).values(number=1, last_alive=now, outages=0))
        return now, 0
    return row.last_alive, row.outages


def beat(connection: Connection, now: ColumnElement[int]) -> tuple[Micros, Micros]:
    """Notes that the service is alive, and credits an outage if there was one; gives what `read` gives."""
    gap = now - pulse.c.last_alive
    changed = (
        update(pulse)
        .values(
            outages=pulse.c.outages + case((gap > LONGEST_BREATH, gap), else_=0),
            last_alive=case((gap > 0, now), else_=pulse.c.last_alive),
        )
        .returning(pulse.c.last_alive, pulse.c.outages)
    )
    row = connection.execute(changed).one()
    return row.last_alive, row.outages


def service_time(connection: Connection, now: Micros) -> Micros | None:
    """Now, less the outages, as the row says; None in an outage that has not been credited."""
    row = connection.execute(select(pulse.c.last_alive, pulse.c.outages)).first()
    if row is None or now - row.last_alive > LONGEST_BREATH:
        return None
    time: Micros = now - row.outages
    return time


def given(now: Micros) -> ColumnElement[int]:
    """A time that this process gives, in a statement."""
    return literal(now, BigInteger)
