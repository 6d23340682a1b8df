"""What is done at the console of the server: to its database, and as an operator, with the service or without it.

Like `main` it ties rooms together; what is heavy is imported by the command that needs it.
"""

import asyncio
import getpass
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from chautari.cli.admin import Face, NewKey
from chautari.cli.admin_where import Where
from chautari.cli.db import DatabaseTies
from chautari.config import Config
from chautari.errors import Malformed

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from chautari.app.noting import Operator
    from chautari.app.operating import Operating
    from chautari.app.ports import Store
    from chautari.app.signing_keys import SigningKeys

T = TypeVar("T")

_SEE_TO_MATCHES: Final = "EndMatch"
"""The one method that writes to matches, which a service may keep in memory."""


# ── The database ──────────────────────────────────────────────────────────────────────────────────────────────────────


def upgrade(database: str | None, revision: str) -> None:
    """Brings the tables up to a revision."""
    from chautari.store import migrate

    config = _config(database)
    if config.is_postgresql:
        _work_on_tables(config, lambda connection: migrate.upgrade_here(connection, revision))
        return
    config.database_path.parent.mkdir(parents=True, exist_ok=True)
    migrate.upgrade(config.database_url, revision)


def downgrade(database: str | None, revision: str) -> None:
    """Takes the tables back to a revision."""
    from chautari.store import migrate

    config = _config(database)
    if config.is_postgresql:
        _work_on_tables(config, lambda connection: migrate.downgrade_here(connection, revision))
        return
    migrate.downgrade(config.database_url, revision)


def current(database: str | None) -> tuple[str | None, str, bool]:
    """The revision that the tables have, the one that this program wants, and whether it knows the first."""
    from chautari.store import migrate

    config = _config(database)
    if config.is_postgresql:
        found = _work_on_tables(config, migrate.current_here)
    else:
        found = migrate.current(config.database_url)
    return found, migrate.head(), found is None or found in migrate.revisions()


def _work_on_tables(config: Config, work: "Callable[[Connection], T]") -> "T":
    """Works on the tables of a PostgreSQL database, alone."""
    from chautari.store.postgres_tables import change_tables

    return asyncio.run(change_tables(config.database, work, pooled=config.pooler))


def back_up(database: str | None, file: Path, overwrite: bool) -> Mapping[str, Any]:
    """Backs the database up; what the backup holds, and where the key is that it needs."""
    import msgspec

    from chautari.store import backup

    config = _sqlite(database)
    made = backup.back_up(config.database_path, file, overwrite=overwrite)
    return {**msgspec.structs.asdict(made), "key": "CHAUTARI_KEY" if config.key else str(config.key_path)}


def restore(database: str | None, file: Path, reason: str) -> Mapping[str, Any]:
    """Restores a backup; what it holds, the new epoch, and where the old file is."""
    import msgspec

    from chautari.app.audit import Note
    from chautari.store import backup

    config = _sqlite(database)
    note = Note(
        account_id=None, origin=_console().origin, method="RestoreDatabase", target="database",
        reason=reason or f"restored from {file.name}", detail={"file": str(file)},
    )  # fmt: skip
    restored = backup.restore(config.database_path, file, _key(config), note)
    return {**msgspec.structs.asdict(restored.backup), "epoch": restored.epoch, "kept": restored.kept}


def renew(database: str | None, reason: str) -> str:
    """Gives the database another epoch, and notes why; returns it."""
    from chautari.store import migrate, postgres_place
    from chautari.store.clock import system_clock
    from chautari.store.seal import Sealer
    from chautari.store.server import check_seal_of

    config = _config(database)
    key, origin = _key(config), _console().origin

    def work(connection: "Connection") -> str:
        check_seal_of(connection, Sealer(key))
        return postgres_place.renew(connection, key, system_clock(), origin=origin, reason=reason)

    if config.is_postgresql:
        return _work_on_tables(config, work)
    renewed: list[str] = []
    migrate.with_lock(config.database_url, lambda connection: renewed.append(work(connection)))
    return renewed[0]


def check(database: str | None, replay: bool, progress: Callable[[int, int], None]) -> Mapping[str, Any]:
    """Checks the database, and with `replay` each journal by playing it again."""
    import msgspec

    from chautari.app.replay import Unreplayed, faults
    from chautari.store import checking

    def judge(match: Any, entries: Any) -> list[str]:
        try:
            return faults(match, entries)
        except Unreplayed as error:
            raise checking.Skipped(str(error)) from error

    config = _sqlite(database)
    found = checking.check(config.database_path, _key(config), judge if replay else None, progress)
    return msgspec.structs.asdict(found)


DATABASE: Final = DatabaseTies(upgrade, downgrade, current, back_up, restore, renew, check)


# ── Operators ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def operate(where: Where) -> Iterator[Face]:
    """The methods of operators, at a server or on the database."""
    if where.server:
        from chautari.wire.operators import There

        there = There(where.server, where.key, tls=where.tls)
        try:
            yield _Remote(there)
        finally:
            there.close()
    else:
        with asyncio.Runner() as runner:
            yield _Local(_config(where.database), runner)


class _Remote:
    """Over the API, by a key."""

    def __init__(self, there: Any) -> None:
        self._there = there
        self.call: Callable[[str, Mapping[str, Any]], Mapping[str, Any]] = there.call

    def create_key(self, new: NewKey) -> Mapping[str, Any]:
        """Makes a key of the same account."""
        if new.account or new.name:
            raise Malformed("REQUEST_INVALID", "a server makes keys for the account of your own key only")
        answer: Mapping[str, Any] = self._there.create_key(list(new.scopes), new.title, new.expire_time)
        return answer


class _Local:
    """On the database, beside the service if it runs; a match is ended only without it."""

    def __init__(self, config: Config, runner: asyncio.Runner) -> None:
        self._config = config
        self._runner = runner

    def call(self, method: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Calls a method of `Operate`."""
        return self._runner.run(self._call(method, fields))

    async def _call(self, method: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        from chautari.app.pages import page_key_of
        from chautari.wire.operators import Here
        from chautari.wire.services.operate import Operate

        store = await self._open(alone=method == _SEE_TO_MATCHES)
        try:
            operating, signing_keys = _use_cases(store, page_key_of(_key(self._config)))
            service = Operate(operating, signing_keys, lambda _match, _caller: frozenset(), lambda _: _console())
            return await Here(service).call(method, fields)
        finally:
            await store.close()

    def create_key(self, new: NewKey) -> Mapping[str, Any]:
        """Makes a key of an account that is there, or of a new one."""
        return self._runner.run(self._create_key(new))

    async def _create_key(self, new: NewKey) -> Mapping[str, Any]:
        from chautari.app.pages import page_key_of
        from chautari.store.console import ConsoleStore
        from chautari.wire.console_keys import create_key

        store = await self._open(alone=False)
        try:
            with store.together() if isinstance(store, ConsoleStore) else nullcontext():
                return await create_key(
                    store, _console(), page_key_of(_key(self._config)), scopes=new.scopes, title=new.title,
                    account=new.account, name=new.name, expire_time=new.expire_time, reason=new.reason,
                )  # fmt: skip
        finally:
            await store.close()

    async def _open(self, *, alone: bool) -> "Store":
        """PostgreSQL is shared by any number of processes: this is one more of them."""
        key = _key(self._config)
        if self._config.is_postgresql:
            from chautari.store.postgres import PostgresStore

            return await PostgresStore.open(self._config.database, key, pooled=self._config.pooler)
        from chautari.store.console import ConsoleStore

        return ConsoleStore.open(self._config.database_path, key, alone=alone)


def _use_cases(store: "Store", page_key: bytes) -> "tuple[Operating, SigningKeys]":
    """Those of operators."""
    from chautari.app.decisions import Decisions
    from chautari.app.live import LiveMatches
    from chautari.app.noting import Noting
    from chautari.app.operating import Operating
    from chautari.app.pages import PageTokens
    from chautari.app.revocations import Revocations
    from chautari.app.service import PACK_AFTER_SECONDS, LocalBus
    from chautari.app.signing_keys import SigningKeys
    from chautari.app.tokens import Signer
    from chautari.app.values import SECOND

    live = LiveMatches(store, LocalBus(), pack_after=PACK_AFTER_SECONDS * SECOND)
    signer = Signer(store, Revocations(store, store.clock, shared=False))
    noting = Noting(store, logs=False)
    operating = Operating(store, live, Decisions(store, live, signer), PageTokens(page_key), noting)
    return operating, SigningKeys(store, signer, noting)


def _console() -> "Operator":
    from chautari.app.noting import Operator

    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user without a name
        user = str(os.getuid())
    return Operator(account_id=None, origin=f"console {user}")


# ── The configuration ─────────────────────────────────────────────────────────────────────────────────────────────────


def _config(database: str | None) -> Config:
    return Config.read(os.environ, database=database)


def _sqlite(database: str | None) -> Config:
    """The same, of a SQLite file; Malformed `BAD_DATABASE_URL`."""
    config = _config(database)
    if config.is_postgresql:
        raise Malformed("BAD_DATABASE_URL", "this is for a SQLite file; PostgreSQL has tools of its own, as pg_dump")
    return config


def _key(config: Config) -> bytes:
    """The key that seals secrets, which must be there; Malformed `BAD_SEAL_KEY`."""
    from chautari.store import read_key

    if config.key:
        return read_key(config.key)
    try:
        return read_key(config.key_path.read_text())
    except FileNotFoundError:
        raise Malformed(
            "BAD_SEAL_KEY", f"there is no key {config.key_path}: put the one of this database there, or name it"
        ) from None
