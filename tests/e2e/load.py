"""Tables at which programs play match after match, for tests that stop, kill and start the server meanwhile."""

import asyncio
import random
from dataclasses import dataclass, field

from chautari_client import Client
from tests.e2e.programs import SHORT, Program


@dataclass
class Load:
    """Tables at which match after match is played until `done`, and the programs of all those matches, of one kind."""

    programs: list[Program] = field(default_factory=list)
    kind: type[Program] = Program
    done: bool = False

    @property
    def acknowledged(self) -> int:
        """How many acts have been acknowledged so far."""
        return sum(len(program.done) for program in self.programs)

    async def reach(self, more: int) -> None:
        """Waits until so many more acts have been acknowledged."""
        wanted = self.acknowledged + more
        while self.acknowledged < wanted:  # noqa: ASYNC110  # a sum over programs has no event of its own
            await asyncio.sleep(0.005)

    async def play(self, game: str, clients: list[Client], seed: int) -> None:
        """One table: another match after each that ends."""
        number = 0
        while not self.done:
            match = await clients[0].create_match(game, SHORT[game], seats=[0])
            for client in clients[1:]:
                await client.join(code=match.code)
            programs = [
                self.kind(client, match.name, seat, random.Random(f"{seed} {number} {seat}"))
                for seat, client in enumerate(clients)
            ]
            self.programs += programs
            await asyncio.gather(*(program.play() for program in programs))
            number += 1
