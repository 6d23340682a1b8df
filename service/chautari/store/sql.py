"""What the stores on a database share: functions over an SQLAlchemy connection, run as each of them can."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy import Connection

from chautari.app.values import Micros
from chautari.store import uptime
from chautari.store.clock import Clock
from chautari.store.seal import Sealer
from chautari.store.uptime import Timed, Uptime

T = TypeVar("T")


class OnSql(Timed, ABC):
    """A store on a database."""

    def __init__(self, sealer: Sealer, clock: Clock, alive: Uptime) -> None:
        super().__init__(clock, alive)
        self._sealer = sealer

    async def pulse(self) -> Micros:
        """See `app.ports`."""
        return self._beaten(*await self._write(lambda connection, at: uptime.beat(connection, uptime.given(at))))

    def _beaten(self, last_alive: Micros, outages: Micros) -> Micros:
        """The service is alive, says its row; gives what was added to the outages since this process looked last."""
        outage = outages - self._uptime.outages
        self._uptime.note(last_alive, outages)
        return outage

    @abstractmethod
    async def _write(self, work: Callable[[Connection, Micros], T]) -> T:
        """Runs a function in a transaction of its own, with its time; where it raises, nothing has changed."""

    @abstractmethod
    async def _read(self, work: Callable[[Connection], T]) -> T:
        """Runs a function on one state of the database, that of the last commit."""


@contextmanager
def told_as(translate: Callable[[BaseException], Exception]) -> Iterator[None]:
    """What is raised within is raised as what it is translated to; what needs no translation, as it is."""
    try:
        yield
    except Exception as error:
        translated = translate(error)
        if translated is error:
            raise
        raise translated from error
