"""What every call passes, whatever its transport: authenticate, limit, validate, deadline, the error boundary, metrics,
one line in the log. A front hands in a `Call` and a `Method`, and gets the answer or `Failed`.
"""

import asyncio
import secrets
from asyncio import AbstractEventLoop, CancelledError, Task, current_task, get_running_loop
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from math import inf
from random import random
from time import perf_counter
from typing import Any, Final, Protocol, TypeVar

import structlog
from google.protobuf.message import Message

from chautari.app.accounts import Accounts
from chautari.app.caller import Caller
from chautari.errors import ChautariError, Unavailable
from chautari.wire import errors
from chautari.wire.admission import Admission, check_leave
from chautari.wire.errors import Failed
from chautari.wire.limits import Limits
from chautari.wire.log import trace_of
from chautari.wire.methods import Answer, Method, Quota
from chautari.wire.metrics import Metrics
from chautari.wire.readers import Write
from chautari.wire.sending import Sending
from chautari.wire.validation import check_rules

R_co = TypeVar("R_co", covariant=True)
R = TypeVar("R")

_SLOW_CALL_SECONDS: Final = 1.0
_WATCHDOG_SECONDS: Final = 0.25
_MOST_WAITING: Final = 1000
"""So many calls at most wait for their refusal, lest they take the place of others."""
_TOLD_SECONDS: Final = 10.0
"""So often a line says how many calls were over a limit; a line for each would cost more than the refusal."""

_log = structlog.get_logger("chautari.calls")


class Call(Protocol[R_co]):
    """One call as its transport knows it."""

    def header(self, name: str) -> str:
        """A header by its name in small letters, all its lines with commas between them; empty where there is none."""

    def address(self) -> str:
        """Where the call comes from, without a port."""

    def seconds_left(self) -> float | None:
        """How long the caller will wait, where the transport does not see to that itself."""

    def request(self, kind: type[Message]) -> Message:
        """The request; Malformed where it cannot be read, Exhausted where it is too large."""

    def reply(self, method: Method, answer: Message | bytes) -> R_co:
        """The answer in the form of the transport."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long things may take, in seconds. call: one that is no stream; write: one message to a slow reader.

    refusal: how long a call over a limit waits for its refusal at least; it waits up to twice as long.
    """

    call: float = 10.0
    write: float = 10.0
    refusal: float = 0.0


class Pipeline:
    """The pipeline of one process. `start` it in the loop it runs in; `drain`, wait for `idle`, then `stop` it."""

    def __init__(
        self, accounts: Accounts, limits: Limits, metrics: Metrics, *, timing: Timing, logged: float = 1.0
    ) -> None:
        """logged: the share of ordinary calls that get a line in the log; those that fail or take long always do."""
        self._limits = limits
        self._admission = Admission(accounts, limits)
        self._metrics = metrics
        self._timing = timing
        self._logged = logged
        self._draining = False
        self._over_limit = 0
        self._waiting = 0
        self._running = 0
        self._due: dict[Task[Any], float] = {}
        self._idle = asyncio.Event()
        self._sending = Sending(timing.write, self._fault)
        self._watchdog: Task[None] | None = None
        self._loop: AbstractEventLoop | None = None
        accounts.on_revoked(self._sending.revoke)

    def start(self) -> None:
        """Begins to look after calls that take too long, and slow readers."""
        self._loop = get_running_loop()
        self._watchdog = self._loop.create_task(self._watch())

    def drain(self) -> None:
        """Refuses new calls; those that run go on."""
        self._draining = True

    async def idle(self, seconds: float) -> bool:
        """Waits until no call runs; False where some still do after so long."""
        if self._running:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._idle.wait()
        return not self._running

    async def stop(self) -> None:
        """Looks after nothing more."""
        if self._watchdog is not None:
            self._watchdog.cancel()
            await asyncio.gather(self._watchdog, return_exceptions=True)

    async def unary(self, method: Method, call: Call[R]) -> R:
        """Answers a call that is no stream, or raises Failed."""
        answer = method.answer
        assert answer is not None
        started = perf_counter()
        task = current_task(self._loop)
        assert task is not None
        limit = min(self._timing.call, call.seconds_left() or self._timing.call)
        self._due[task] = started + limit
        self._running += 1
        caller: Caller | None = None
        outcome = "OK"
        try:
            try:
                caller = None if self._draining else self._admission.recall(method, call)
                if caller is None:
                    caller = await self._admit(method, call)
                check_leave(method, caller)
                request = call.request(method.request)
                if method.is_plain is None or not method.is_plain(request):
                    check_rules(request)
            except ChautariError as error:
                if method.at_door is not None:
                    await method.at_door(caller, method.path, error.reason)
                raise
            if method.quota is None:
                return call.reply(method, await answer(caller, request))
            return call.reply(method, await self._within(method.quota(request), call, answer, caller, request))
        except ChautariError as error:
            outcome = error.reason
            if outcome == "TOO_MANY_REQUESTS":
                await self._keep_waiting()
            raise errors.failed(error) from None
        except CancelledError:
            outcome = "CANCELLED"
            if perf_counter() - started < limit:
                raise
            task.uncancel()
            late = errors.deadline_passed()
            outcome = late.reason
            raise late from None
        except Exception as error:
            outcome = "FAULT"
            raise self._fault(method, error) from None
        finally:
            del self._due[task]
            self._leave()
            seconds = perf_counter() - started
            self._metrics.ended(method.path, outcome, seconds)
            self._note(method, call, caller, outcome, seconds)

    async def stream(self, method: Method, call: Call[Any], write: Write) -> None:
        """Sends a stream to its end; raises Failed where it does not end well."""
        started = perf_counter()
        self._running += 1
        caller: Caller | None = None
        outcome = "OK"
        gauge = self._metrics.streams(method.path)
        gauge.inc()
        try:
            caller = await self._admit(method, call)
            check_leave(method, caller)
            request = call.request(method.request)
            check_rules(request)
            assert method.open is not None
            with self._limits.stream(caller.account):
                feed = method.open(caller, request)
                with self._limits.watcher(feed.match_id) if feed.spectates else nullcontext():
                    await self._sending.send(method, caller, feed, write, getattr(call, "giving", None))
        except Failed as failure:
            outcome = failure.reason
            raise
        except ChautariError as error:
            outcome = error.reason
            raise errors.failed(error) from None
        except CancelledError:
            outcome = "CANCELLED"
            raise
        except Exception as error:
            outcome = "FAULT"
            raise self._fault(method, error) from None
        finally:
            self._leave()
            gauge.dec()
            self._metrics.counted(method.path, outcome)
            self._note(method, call, caller, outcome, perf_counter() - started, stream=True)

    async def _keep_waiting(self) -> None:
        """Lets a call over a limit wait: a connection has so many calls at once, and cannot send others meanwhile.

        What came at once is let go one by one, or others would wait for a hundred refusals, and for the hundred calls
        that follow them.
        """
        if not self._timing.refusal or self._waiting >= _MOST_WAITING or self._draining:
            return
        self._waiting += 1
        try:
            await asyncio.sleep(self._timing.refusal * (1.0 + random()))
        finally:
            self._waiting -= 1

    def _leave(self) -> None:
        self._running -= 1
        if self._draining and not self._running:
            self._idle.set()

    # Within ───────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _admit(self, method: Method, call: Call[Any]) -> Caller:
        """Who calls."""
        if self._draining:
            raise Unavailable("DRAINING", "the server is about to stop: call again in a moment")
        return await self._admission.admit(method, call)

    async def _within(
        self, quota: Quota | None, call: Call[Any], answer: Answer, caller: Caller, request: Message
    ) -> Message | bytes:
        """Answers a call that uses up a quota."""
        if quota is None:
            return await answer(caller, request)
        if quota is Quota.TOKEN:
            return await self._admission.count_wrong(call, answer(caller, request))
        buckets, key = self._admission.quota(quota, call, caller, request)
        buckets.take(key)
        failure: ChautariError | None = None
        try:
            return await answer(caller, request)
        except ChautariError as error:
            failure = error
            raise
        finally:
            self._admission.settle(quota, buckets, key, failure)

    async def _watch(self) -> None:
        """Ends what takes too long. A look now and then costs less than a timer for each call and each message."""
        told = perf_counter()
        while True:
            await asyncio.sleep(min(_WATCHDOG_SECONDS, self._timing.write / 4, self._timing.call / 4))
            now = perf_counter()
            if self._over_limit and now > told + _TOLD_SECONDS:
                _log.warning("calls over a limit", refused=self._over_limit, seconds=round(now - told))
                told, self._over_limit = now, 0
            for task in [task for task, due in self._due.items() if now > due]:
                self._due[task] = inf
                task.cancel()
            self._sending.look(now)

    def _fault(self, method: Method, error: Exception) -> Failed:
        incident = secrets.token_hex(8)
        _log.error("fault", method=method.path, incident=incident, exc_info=error)
        return errors.fault(incident)

    def _note(
        self, method: Method, call: Call[Any], caller: Caller | None, outcome: str, seconds: float, *,
        stream: bool = False,
    ) -> None:  # fmt: skip
        """One line in the log, without anything of what was asked or answered."""
        slow = not stream and seconds > _SLOW_CALL_SECONDS
        if outcome == "TOO_MANY_REQUESTS" and not slow:
            self._over_limit += 1
            return
        if not slow and (self._logged <= 0 or (self._logged < 1 and random() >= self._logged)):
            return
        log = _log.warning if slow else _log.info
        log(
            "stream" if stream else "call",
            method=method.path,
            outcome=outcome,
            ms=round(seconds * 1000, 2),
            account=caller.account_id if caller else None,
            **trace_of(call.header("traceparent")),
        )
