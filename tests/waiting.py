"""Waiting for what no event tells of, in tests that must not depend on how fast a machine is."""

import asyncio
from collections.abc import Awaitable, Callable

_MOST_SECONDS = 60.0
"""A bound for what never comes, far beyond what a busy machine needs."""


async def until(holds: Callable[[], bool | Awaitable[bool]]) -> None:
    """Returns as soon as it holds, which may have to be waited for; TimeoutError where it never does."""
    async with asyncio.timeout(_MOST_SECONDS):
        while True:
            found = holds()
            if found if isinstance(found, bool) else await found:
                return
            await asyncio.sleep(0.005)
