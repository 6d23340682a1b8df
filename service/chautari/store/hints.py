"""Hints between replicas that a match has a new revision: gathered over a few milliseconds, and never part of an act.

What carries them is a line: PostgreSQL's LISTEN and NOTIFY, or NATS. While it is down hints are lost, which costs
watchers elsewhere a moment and nothing else: they look at the store by themselves.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Final, Protocol

import structlog

from chautari.app.ports import Listener

_GATHER_SECONDS: Final = 0.003
_AGAIN_SECONDS: Final = (0.1, 0.5, 1.0)
"""Before the first tries to have the line back; then the last of them each time."""
_ASK_SECONDS: Final = 5.0
"""A line that was silent for so long is asked whether it is still there: a network may end without a word."""
_DIAL_SECONDS: Final = 10.0
_SEND_SECONDS: Final = 5.0
_LARGEST: Final = 7000
"""A payload of NOTIFY has fewer than 8 000 bytes."""
_MOST_WAITING: Final = 10_000

_log: Final = structlog.get_logger(__name__)

Hear = Callable[[str], None]
"""Is told each payload that comes, also one's own."""


class Line(Protocol):
    """What carries payloads from each replica to all others."""

    lost: asyncio.Event
    """Set where it has ended."""

    async def send(self, payload: str) -> None:
        """Sends one; raises where it cannot."""

    async def ask(self) -> None:
        """Raises where nobody is at the other end."""

    async def close(self) -> None:
        """Ends it."""


Dial = Callable[[Hear], Awaitable[Line]]
"""Opens a line; raises where it cannot."""


class HintBus:
    """Hints over a line, which is opened again whenever it is lost. `start` it in the loop that it serves."""

    def __init__(self, dial: Dial, name: str) -> None:
        """name: what the line is called in the log."""
        self._dial = dial
        self._name = name
        self._me = secrets.token_hex(4)
        self._listeners: list[Listener] = []
        self._waiting: dict[str, int] = {}
        self._some = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._down = 0

    def publish(self, match_id: str, revision: int) -> None:
        """Tells the other replicas in a few milliseconds; this one knows, for it made the change."""
        if len(self._waiting) < _MOST_WAITING or match_id in self._waiting:
            self._waiting[match_id] = revision
            self._some.set()

    def subscribe(self, listener: Listener) -> None:
        """Calls the listener with each hint."""
        self._listeners.append(listener)

    def start(self) -> None:
        """Begins to listen and to send."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """Listens and sends no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            try:
                await self._pass_on()
            except Exception as error:
                if not self._down:
                    _log.warning("hints are slow until they can be sent again", by=self._name, error=_told(error))
                await asyncio.sleep(_AGAIN_SECONDS[min(self._down, len(_AGAIN_SECONDS) - 1)])
                self._down += 1

    async def _pass_on(self) -> None:
        async with asyncio.timeout(_DIAL_SECONDS):
            line = await self._dial(self._hear)
        try:
            if self._down:
                _log.info("hints are quick again", by=self._name)
                self._down = 0
            while True:
                if await self._wait(line.lost):
                    await asyncio.sleep(_GATHER_SECONDS)
                    self._some.clear()
                    waiting, self._waiting = self._waiting, {}
                    async with asyncio.timeout(_SEND_SECONDS):
                        for payload in self._payloads(waiting.items()):
                            await line.send(payload)
                else:
                    async with asyncio.timeout(_SEND_SECONDS):
                        await line.ask()
        finally:
            with suppress(Exception):
                await line.close()

    async def _wait(self, lost: asyncio.Event) -> bool:
        """Whether something is to be sent before the line has been silent for long; ConnectionError: it is lost."""
        waits = [asyncio.ensure_future(event.wait()) for event in (self._some, lost)]
        try:
            await asyncio.wait(waits, timeout=_ASK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        if lost.is_set():
            raise ConnectionError
        return self._some.is_set()

    def _payloads(self, hints: Iterable[tuple[str, int]]) -> list[str]:
        """Who sends, then each match with its revision, in as few texts as there must be."""
        payloads = [self._me]
        for match_id, revision in hints:
            hint = f" {match_id}:{revision}"
            if len(payloads[-1]) + len(hint) > _LARGEST:
                payloads.append(self._me)
            payloads[-1] += hint
        return payloads

    def _hear(self, payload: str) -> None:
        sender, *hints = payload.split(" ")
        if sender == self._me:
            return
        for hint in hints:
            match_id, _, revision = hint.rpartition(":")
            if match_id and revision.isascii() and revision.isdecimal() and len(revision) < 10:
                for listener in self._listeners:
                    listener(match_id, int(revision))


class NoHints:
    """No hints at all: each replica looks at the store by itself, once a second."""

    def publish(self, match_id: str, revision: int) -> None:
        """Tells nobody."""

    def subscribe(self, listener: Listener) -> None:
        """Calls nobody."""

    def start(self) -> None:
        """Does nothing."""

    async def close(self) -> None:
        """Does nothing."""


def _told(error: Exception) -> str:
    """The kind of an error, without its words: they may tell passwords."""
    return type(error).__name__
