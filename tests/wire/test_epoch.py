"""What watchers see when revisions go backwards: a database that was put back has another epoch."""

import shutil
import sqlite3
from pathlib import Path

import grpc
import pytest

from chautari.v1 import play_pb2
from chautari_client import Client
from tests.wire.served import Caller, Code, Refused, serving


def put_back(database: Path, backup: Path) -> None:
    """Puts the backup in the place of the database, with an epoch of its own."""
    for name in (database.name + "-wal", database.name + "-shm"):
        database.with_name(name).unlink(missing_ok=True)
    shutil.copy(backup, database)
    connection = sqlite3.connect(database)
    connection.execute("UPDATE server SET value = 'restored' WHERE key = 'epoch'")
    connection.commit()
    connection.close()


async def take(caller: Caller, match: str, seat: int) -> play_pb2.ActResponse:
    """The seat takes a card."""
    answer: play_pb2.ActResponse = await caller.call(
        "Play/Act", play_pb2.ActRequest(match=match, seat=seat, text="take")
    )
    return answer


async def test_stream_of_another_epoch_is_refused_also_where_its_revision_exists_again(tmp_path: Path) -> None:
    database, backup = tmp_path / "a.db", tmp_path / "backup.db"
    serve = {"memory": False, "database": str(database)}
    async with serving(**serve) as served:
        host = await served.guest()
        match = await host.create("gulam_chor", seats=(0, 1, 2), players=3)
        view = await host.call("Play/View", play_pb2.ViewRequest(match=match.name, seat=0))
        assert view.epoch
        source, target = sqlite3.connect(database), sqlite3.connect(backup)
        source.backup(target)
        source.close()
        target.close()
        seat = view.turn.must[0]
        acted = await take(host, match.name, seat)
        assert acted.update.epoch == view.epoch
        stream = host.watch(match.name, seat=0, after_revision=1, epoch=view.epoch)
        assert (await stream.read()).epoch == view.epoch
        stream.cancel()
        mine = host.stream("Play/WatchMine", play_pb2.WatchMineRequest())
        assert (await mine.read()).summary.epoch == view.epoch
        mine.cancel()
        token = host.token
    put_back(database, backup)
    async with serving(http=True, **serve) as served:
        host = served.caller()
        host.token = token
        with pytest.raises(grpc.aio.AioRpcError) as beyond:
            await host.watch(match.name, seat=0, after_revision=acted.revision).read()
        assert Refused.of(beyond.value).reason == "BEYOND_HEAD"
        again = await take(host, match.name, seat)
        assert again.revision == acted.revision
        for epoch, reason in ((view.epoch, "EPOCH_CHANGED"), ("nonsense", "EPOCH_CHANGED")):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await host.watch(match.name, seat=0, after_revision=acted.revision, epoch=epoch).read()
            told = Refused.of(refused.value)
            assert (told.code, told.reason, told.info.metadata["epoch"]) == (Code.OUT_OF_RANGE, reason, "restored")
        other = await served.guest()
        with pytest.raises(grpc.aio.AioRpcError) as hidden:
            await other.watch(match.name, epoch=view.epoch).read()
        assert Refused.of(hidden.value).reason == "NO_ACCESS"
        path = f"/v1/{match.name}:watch?seat=0"
        for ident, why in (
            (f"{acted.revision}-{view.epoch}", "EPOCH_CHANGED"), (f"{acted.revision + 9}", "BEYOND_HEAD"),
            (f"{acted.revision}-", "REQUEST_INVALID"), ("1-é", "REQUEST_INVALID"),
        ):  # fmt: skip
            page = served.over_http()
            page.token = token
            answer = await page.rest("GET", path, accept="text/event-stream", last_event_id=ident)
            await page.close()
            assert (answer.status, answer.reason) == (400, why)
        for ident in ("1", "1-restored"):
            page = served.over_http()
            page.token = token
            await page.send("GET", path, accept="text/event-stream", last_event_id=ident)
            assert (await page.begin()).status == 200
            assert b"id: 2-restored\n" in await page.part()
            await page.close()
        stream = host.watch(match.name, seat=0, after_revision=1, epoch="restored")
        assert (await stream.read()).epoch == "restored"
        stream.cancel()


async def test_follower_goes_on_from_where_a_restored_server_is(tmp_path: Path) -> None:
    database, backup = tmp_path / "a.db", tmp_path / "backup.db"
    serve = {"memory": False, "database": str(database)}
    async with serving(**serve) as served:
        port = int(served.address.rpartition(":")[2])
        client = Client.connect(served.address)
        await client.sign_in_as_guest()
        match = await client.create_match("gulam_chor", seats=[0, 1, 2], players=3)
        source, target = sqlite3.connect(database), sqlite3.connect(backup)
        source.backup(target)
        source.close()
        target.close()
        tables = client.follow(match, 0)
        table = await anext(tables)
        await client.act(match, table.view.turn.must[0], "take")
        assert (await anext(tables)).revision == 2
    put_back(database, backup)
    async with serving(**serve, port=port):
        table = await anext(tables)
        assert (table.revision, table.restarts, table.view.epoch) == (1, 1, "restored")
        await client.act(match, table.view.turn.must[0], "take")
        assert (await anext(tables)).revision == 2
        await tables.aclose()
        await client.close()
