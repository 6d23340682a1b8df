"""A TCP proxy between client and server that cuts connections when it is told to, or by chance, or holds all back."""

import asyncio
import random
from contextlib import suppress


class Proxy:
    """Passes bytes on between a port of its own and a server, until it cuts them off."""

    def __init__(
        self, host: str, port: int, *, most_bytes: int | None = None, chance: random.Random | None = None
    ) -> None:
        """most_bytes: what one connection may bring from the server before it is cut; None for all there is.

        chance: for each connection it is some number up to that.
        """
        self._target = (host, port)
        self._most_bytes = most_bytes
        self._chance = chance
        self._pipes: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._asks, self._answers = asyncio.Event(), asyncio.Event()
        self._from_client = False
        self.go_on()
        self.cuts = 0
        self.turns = 0
        """How often the client has spoken after the server: with one connection, the round trips."""
        self.address = ""

    async def __aenter__(self) -> "Proxy":
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_exception: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        await asyncio.gather(*self._pipes, return_exceptions=True)

    def cut(self) -> None:
        """Ends every connection at once, as a lost network does: what was on its way is lost."""
        self.cuts += len(self._pipes)
        for pipe in self._pipes:
            pipe.cancel()

    def hold(self, *, answers: bool = False) -> None:
        """Passes nothing on until `go_on`, and says so to nobody, as a machine that hangs does. answers: only those."""
        self._answers.clear()
        if not answers:
            self._asks.clear()

    def go_on(self) -> None:
        """Passes on what was held back, and what comes."""
        self._asks.set()
        self._answers.set()

    async def cut_by_chance(self, chance: random.Random, most_seconds: float) -> None:
        """Cuts again and again, at moments that nobody can foresee, until it is cancelled."""
        while True:
            await asyncio.sleep(chance.uniform(0.0, most_seconds))
            self.cut()

    def _may_bring(self) -> int | None:
        """So many bytes the next connection may bring."""
        if self._most_bytes is None or self._chance is None:
            return self._most_bytes
        return self._chance.randint(1, self._most_bytes)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._target)
        except OSError:
            writer.close()
            return
        task = asyncio.current_task()
        assert task is not None
        self._pipes.add(task)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._pass_on(reader, far_writer))
                both.create_task(self._pass_on(far_reader, writer, self._most_bytes, back=True))
        except (asyncio.CancelledError, ExceptionGroup) as ending:
            self.cuts += isinstance(ending, ExceptionGroup) and ending.subgroup(_Spent) is not None
        finally:
            self._pipes.discard(task)
            for end in (writer, far_writer):
                with suppress(OSError):
                    end.transport.abort()

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most_bytes: int | None = None, *,
        back: bool = False,
    ) -> None:  # fmt: skip
        """Until either side ends, which ends both. back: from the server."""
        left = most_bytes
        while data := await reader.read(65536 if left is None else min(left, 65536)):
            await (self._answers if back else self._asks).wait()
            self.turns += not back and not self._from_client
            self._from_client = not back
            writer.write(data)
            await writer.drain()
            if left is not None:
                left -= len(data)
                if left == 0:
                    raise _Spent
        raise ConnectionResetError


class _Spent(Exception):
    """A connection has brought as much as it may."""
