"""The log: lines on standard error, JSON for programs or text for people. A log that nobody reads blocks nobody."""

import logging
import os
import re
import select
import sys
from collections.abc import MutableMapping
from typing import Any, Final

import msgspec
import structlog
from structlog.typing import Processor

_LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_TRACEPARENT: Final = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?").fullmatch
_PIPE_BYTES: Final = 4096
"""A pipe that takes anything takes so many bytes without blocking."""


def configure(level: str, form: str) -> None:
    """Sets the log up for this process. form: `json`, `text`, or `auto` for text in a terminal."""
    text = form == "text" or (form == "auto" and sys.stderr.isatty())
    processors: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if text:
        processors += [
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            ),
            _encode,
        ]
    else:
        processors += [structlog.processors.format_exc_info, _to_json]
    line = Line(sys.stderr.fileno())
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        logger_factory=lambda *_: line,
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=max(_LEVELS[level], logging.WARNING), handlers=[_Forward()], force=True)


def trace_of(header: str) -> dict[str, str]:
    """The trace that a `traceparent` (W3C Trace Context) names, for a line of the log; nothing where it names none."""
    found = _TRACEPARENT(header)
    if found is None or found[1] == "ff" or not int(found[2], 16) or not int(found[3], 16):
        return {}
    return {"trace": found[2], "span": found[3]}


class Line:
    """Writes lines to a file descriptor. One that would block is dropped; the next that gets through tells of it."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._poll = select.poll() if hasattr(select, "poll") else None
        if self._poll is not None:
            self._poll.register(target, select.POLLOUT)
        self._dropped = 0

    def msg(self, line: bytes) -> None:
        """Writes one line."""
        if self._poll is not None and not self._poll.poll(0):
            self._dropped += 1
            return
        if self._dropped:
            line = b"%d lines were dropped: nobody read them\n%b" % (self._dropped, line)
            self._dropped = 0
        try:
            for start in range(0, len(line), _PIPE_BYTES):
                os.write(self._target, line[start : start + _PIPE_BYTES])
        except OSError:
            self._dropped += 1

    debug = info = warning = error = critical = exception = msg


class _Forward(logging.Handler):
    """What libraries say through the standard library's log goes the same way."""

    def emit(self, record: logging.LogRecord) -> None:
        """Passes a record on."""
        log = structlog.get_logger(record.name)
        log.log(record.levelno, record.getMessage(), logger=record.name, exc_info=record.exc_info)


def _to_json(_logger: object, _name: str, event: MutableMapping[str, Any]) -> bytes:
    return msgspec.json.encode(event, enc_hook=repr) + b"\n"


def _encode(_logger: object, _name: str, event: Any) -> bytes:
    return str(event).encode(errors="replace") + b"\n"
