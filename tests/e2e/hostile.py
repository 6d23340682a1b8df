"""A hostile client as a process of its own: `python -m tests.e2e.hostile ADDRESS TOKEN RATE` calls so often a second.

It goes on until its standard input ends, whatever it is told; then it prints how many calls it made, and how many were
answered.
"""

import asyncio
import sys
import threading

import grpc

from chautari.v1 import accounts_pb2

_BURST_SECONDS = 0.02


async def call_all_the_time(address: str, token: str, rate: float, stop: threading.Event) -> tuple[int, int]:
    """Calls in small bursts; returns how many calls were made, and how many answered."""
    request = accounts_pb2.GetAccountRequest(name="accounts/me").SerializeToString()
    metadata = (("authorization", f"Bearer {token}"),)
    made = answered = 0
    loop = asyncio.get_running_loop()
    async with grpc.aio.insecure_channel(address) as channel:
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/chautari.v1.Accounts/GetAccount")

        async def once() -> None:
            nonlocal answered
            try:
                await call(request, metadata=metadata, timeout=10)
                answered += 1
            except grpc.aio.AioRpcError:
                pass

        start, running = loop.time(), set[asyncio.Task[None]]()
        while not stop.is_set():
            while made < (loop.time() - start) * rate and len(running) < 200:
                task = loop.create_task(once())
                running.add(task)
                task.add_done_callback(running.discard)
                made += 1
            await asyncio.sleep(_BURST_SECONDS)
        await asyncio.gather(*running)
    return made, answered


def _main(address: str, token: str, rate: str) -> None:
    stop = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        stop.set()

    threading.Thread(target=wait, daemon=True).start()
    print(*asyncio.run(call_all_the_time(address, token, float(rate), stop)))


if __name__ == "__main__":
    _main(*sys.argv[1:])
