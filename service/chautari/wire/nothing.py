"""The hidden call that does nothing, which benchmarks compare with; served where `CHAUTARI_MEASURED` says so."""

import time
from functools import lru_cache
from typing import Final

PATH: Final = "/chautari.bench.Nothing/Do"
"""Of the method, over gRPC and HTTP alike. It passes no pipeline."""
_MOST_BYTES: Final = 65_535
_MOST_MICROS: Final = 1_000_000
_SIZE_BYTES: Final = 4
_WAIT_BYTES: Final = 4
_LATE_SECONDS: Final = 100e-6
"""A sleep may end so much late; that rest is waited for awake."""


def asking_for(size: int, wait: float, request: bytes) -> bytes:
    """A request as long as this one, to be answered with so many bytes, after so many seconds.

    size: at most 65 535; wait: at most 1. More is answered as if it were so much.
    """
    micros = round(wait * 1e6).to_bytes(_WAIT_BYTES, "big")
    return size.to_bytes(_SIZE_BYTES, "big") + micros + request[_SIZE_BYTES + _WAIT_BYTES :]


def answer(request: bytes) -> bytes:
    """What such a request asks for. The process does nothing else while it waits, as while it waits for a disk."""
    size = min(int.from_bytes(request[:_SIZE_BYTES], "big"), _MOST_BYTES)
    micros = min(int.from_bytes(request[_SIZE_BYTES : _SIZE_BYTES + _WAIT_BYTES], "big"), _MOST_MICROS)
    if micros:
        _wait(micros * 1e-6)
    return _zeros(size)


def _wait(seconds: float) -> None:
    end = time.perf_counter() + seconds
    if seconds > _LATE_SECONDS:
        time.sleep(seconds - _LATE_SECONDS)
    while time.perf_counter() < end:
        pass


@lru_cache(maxsize=1024)
def _zeros(size: int) -> bytes:
    return bytes(size)
