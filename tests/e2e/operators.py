"""Operators at the command line, in this process: a process for each command would take seconds."""

import asyncio
import json
from typing import Any, Final

from typer.testing import CliRunner, Result

from chautari import main
from chautari.cli.app import make_app

KEY: Final = "CHAUTARI_API_KEY"


class Operator:
    """`chautari admin` and `chautari db` as a person runs them."""

    def __init__(self, address: str, database: str, **environment: str) -> None:
        self._address = address
        self._database = database
        self._environment = environment
        self.key = ""

    async def run(self, *arguments: str) -> Result:
        """Runs the command."""
        environment = {"COLUMNS": "200", KEY: self.key, **self._environment}
        app = make_app(main.tied())
        return await asyncio.to_thread(CliRunner().invoke, app, arguments, env=environment)

    async def on_database(self, *arguments: str) -> Result:
        """Runs `chautari db` on the database of the server."""
        return await self.run("db", *arguments, "--database", self._database)

    async def here(self, *arguments: str, status: int = 0) -> Any:
        """On the database; JSON out."""
        return await self._json("admin", "--database", self._database, *arguments, status=status)

    async def there(self, *arguments: str, status: int = 0) -> Any:
        """Over the API; JSON out."""
        return await self._json("admin", "--server", self._address, *arguments, status=status)

    async def _json(self, *arguments: str, status: int) -> Any:
        ran = await self.run(*arguments, "--json")
        assert ran.exit_code == status, (arguments, ran.stdout, ran.stderr, ran.exception)
        return json.loads(ran.stdout) if ran.stdout else ran.stderr
