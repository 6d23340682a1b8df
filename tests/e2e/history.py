"""Histories of what clients did to one match at which real time, and whether one order of it all explains them.

A match is a register of revisions. An act that is done makes the next one; a look reads the newest. The history is
linearizable when every operation can be put at one moment between its call and its answer so that each act makes the
next revision and each look reads the one before it. As the journal fixes the order of the acts, and the revision that a
look read fixes between which acts it stands, that holds exactly when no operation that ended before another was called
has a later place; so it can be checked by sorting.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain

NEVER = float("inf")
"""When an operation ended of whose answer nothing is known."""


class Outcome(Enum):
    """What a client knows of its operation."""

    DONE = "done"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Operation:
    """An act or a look as its client saw it. called, ended: seconds by one clock.

    act       the request id of an act, b"" of a look
    outcome   of an act; UNKNOWN: its last try got no answer, and it may be done at any time since
    revision  that the act made or the look read; of a refused act the revision that the refusal told, else None
    seen      what the look showed, which is the same for everybody who reads this revision
    """

    client: int
    called: float
    ended: float
    act: bytes = b""
    outcome: Outcome = Outcome.DONE
    revision: int | None = None
    seen: bytes = b""


@dataclass(frozen=True)
class _Placed:
    """An operation at its place: behind so many revisions, where an act makes the last of them itself."""

    called: float
    ended: float
    place: float
    what: str


def violations(history: Sequence[Operation], journal: Mapping[int, bytes]) -> list[str]:
    """What no single order explains, a line each. journal: the request id of each revision, b"" where there is none."""
    return list(chain(_acts(history, journal), _order(_placed(history, journal)), _looks(history)))


def _acts(history: Iterable[Operation], journal: Mapping[int, bytes]) -> Iterator[str]:
    """Acts that are not in the journal as their clients were told."""
    if [*journal] != list(range(1, len(journal) + 1)):
        yield f"the revisions of the journal are {[*journal]}"
    times = Counter(request for request in journal.values() if request)
    yield from (f"act {request.hex()} is {count} times in the journal" for request, count in times.items() if count > 1)
    acknowledged: dict[int, bytes] = {}
    for operation in history:
        if not operation.act:
            continue
        if operation.outcome is Outcome.REFUSED and times[operation.act]:
            yield f"act {operation.act.hex()} was refused, and is done"
        if operation.outcome is Outcome.DONE:
            assert operation.revision is not None
            if journal.get(operation.revision) != operation.act:
                yield f"act {operation.act.hex()} is not revision {operation.revision}, as was acknowledged"
            if acknowledged.setdefault(operation.revision, operation.act) != operation.act:
                yield f"revision {operation.revision} was acknowledged to two acts"
    known = {operation.act for operation in history}
    yield from (f"act {request.hex()} is nobody's" for request in times if request not in known)


def _placed(history: Iterable[Operation], journal: Mapping[int, bytes]) -> Iterator[_Placed]:
    made = {request: revision for revision, request in journal.items() if request}
    for operation in history:
        who = f"client {operation.client}"
        if operation.act in made:
            revision = made[operation.act]
            ended = operation.ended if operation.outcome is Outcome.DONE else NEVER
            yield _Placed(operation.called, ended, revision, f"the act of {who} that made revision {revision}")
        elif operation.revision is not None and operation.outcome is not Outcome.UNKNOWN:
            read = operation.revision
            what = "refusal" if operation.act else "look"
            yield _Placed(operation.called, operation.ended, read + 0.5, f"the {what} of {who} at revision {read}")
            if read > len(journal):
                yield _Placed(operation.called, NEVER, 0.0, f"revision {read}, which there is not")


def _order(placed: Iterable[_Placed]) -> Iterator[str]:
    """Operations that ended before another was called, and have a later place."""
    by_call = sorted(placed, key=lambda one: one.called)
    by_end = sorted((one for one in by_call if one.ended != NEVER), key=lambda one: one.ended)
    latest: _Placed | None = None
    ended = 0
    for one in by_call:
        while ended < len(by_end) and by_end[ended].ended < one.called:
            if latest is None or by_end[ended].place > latest.place:
                latest = by_end[ended]
            ended += 1
        if latest is not None and latest.place > one.place:
            yield f"{one.what} was called after {latest.what} had ended"


def _looks(history: Iterable[Operation]) -> Iterator[str]:
    """Looks at one revision that showed different things."""
    shown: dict[int, bytes] = {}
    for operation in history:
        if operation.revision is None or not operation.seen:
            continue
        if shown.setdefault(operation.revision, operation.seen) != operation.seen:
            yield f"client {operation.client} was shown another revision {operation.revision} than others"
