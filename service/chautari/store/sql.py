"""What the stores on a database share: functions over an SQLAlchemy connection, run as each of them can."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy import Connection

from chautari.app.values import Micros
from chautari.store.clock import Clock
from chautari.store.seal import Sealer

T = TypeVar("T")


class OnSql(ABC):
    """A store on a database."""

    def __init__(self, sealer: Sealer, clock: Clock) -> None:
        self._sealer = sealer
        self._clock = clock

    def clock(self) -> Micros:
        """See `app.ports`."""
        return self._clock.now()

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
