"""Operators at a real server: by the command line over the API and on its database, while people play."""

from pathlib import Path
from typing import Any

import grpc
import pytest

from chautari.v1 import accounts_pb2, match_pb2, matches_pb2, play_pb2
from tests.e2e.operators import Operator
from tests.e2e.raw import Raw, Stream
from tests.e2e.server import Server
from tests.wire.served import Refused


async def reason_of(raw: Raw, method: str, request: Any) -> str:
    """The reason for which a call is refused."""
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await raw.send(method, request.SerializeToString())
    return Refused.of(refused.value).reason


async def test_operators_work_at_the_server_and_beside_it(own_server: Server, tmp_path: Path) -> None:
    operator = Operator(own_server.address, str(own_server.database))
    made = await operator.here("key", "create", "--scope", "reveal", "--title", "क", "--name", "Operator")
    assert (await operator.run("admin", "--server", own_server.address, "accounts")).exit_code == 1
    operator.key = made["secret"]
    async with Raw(own_server.address) as sita, Raw(own_server.address) as hari:
        await sita.sign_in("Sita")
        await hari.sign_in("हरि")
        name = await sita.create("bluff", seats=[0], players=2)
        created = match_pb2.Match.FromString(
            await sita.send("Matches/GetMatch", matches_pb2.GetMatchRequest(name=name).SerializeToString())
        )
        join = matches_pb2.JoinMatchRequest(link=created.link, seats=[1])
        await hari.send("Matches/JoinMatch", join.SerializeToString())
        account = created.seats[0].account

        [file] = await operator.there("accounts", "--name", "SITA")
        assert (file["account"]["name"], file["active_matches"]) == (account, 1)
        assert [match["name"] for match in await operator.here("matches", "--account", account)] == [name]
        shown = await operator.there("show", name)
        assert "zones" not in shown
        assert shown["view"]["state"] == "MATCH_STATE_PLAYING"
        revealed = await operator.there("show", name, "--reveal", "--reason", "a claim of cheating")
        assert {zone["zone"] for zone in revealed["zones"]} >= {"hand.0", "hand.1"}

        watch = hari.watch(name)
        assert (await read(watch)).HasField("heartbeat")
        ban = await operator.there("ban", account, "--reason", "spam", "--for", "2h")
        assert ban["end_time"]
        assert await reason_of(sita, "Accounts/GetAccount", accounts_pb2.GetAccountRequest(name="accounts/me")) == (
            "ACCOUNT_BANNED"
        )
        causes = []
        while not (update := await read(watch)).HasField("end"):  # the seat that is left ends a match of two
            causes.append(update.step.cause)
        assert play_pb2.CAUSE_ABANDONED in causes
        await operator.here("lift", account, "--reason", "it was the brother")  # the service hears of it by itself
        while await status(sita) != "OK":
            pass

        other = await hari.create("bluff", seats=[0], players=3)
        watch = hari.watch(other)
        assert (await read(watch)).HasField("heartbeat")
        assert "has this database open" in await operator.here("end", other, "--reason", "x", status=1)
        ended = await operator.there("end", other, "--reason", "maintenance", "--note", "We move at 8. धन्यवाद")
        assert (ended["state"], ended["result"]["note"]) == ("MATCH_STATE_ABORTED", "We move at 8. धन्यवाद")
        step = (await read(watch)).step
        assert step.events[0].match_stopped.note == "We move at 8. धन्यवाद"
        assert (await read(watch)).end.cause == play_pb2.END_CAUSE_MATCH_OVER

        [old] = (await operator.there("keys", "list"))["keys"]
        keys = (await operator.here("keys", "rotate", "--reason", "as every month"))["keys"]
        assert [key["kid"] for key in keys][1:] == [old["kid"]]
        assert await status(hari) == "OK"
        await operator.there("keys", "revoke", old["kid"], "--reason", "stolen")
        assert await status(hari) == "TOKEN_INVALID"

    assert await denied(own_server) == "SCOPE_MISSING"
    log = await operator.here("audit", "--limit", "1000")
    methods = [entry["method"] for entry in reversed(log)]
    assert methods[0] == "CreateApiKey"
    assert {"InspectMatch", "BanAccount", "LiftBan", "EndMatch", "RotateSigningKeys", "RevokeSigningKey"} <= {*methods}
    assert {entry["outcome"] for entry in log if entry["method"] == "BanAccount"} == {"OK", "SCOPE_MISSING"}
    assert await operator.there("audit", "--check") == {"entries": len(log) + 1}
    table = await operator.run("admin", "--server", own_server.address, "audit")
    assert "maintenance" in table.stdout

    backup = tmp_path / "backup.db"
    taken = await operator.on_database("backup", str(backup))
    assert taken.exit_code == 0, taken.stderr
    assert "chautari.key" in taken.stdout
    refused = await operator.on_database("restore", str(backup))
    assert refused.exit_code == 1
    assert "has this database open" in refused.stderr
    checked = await operator.on_database("check")
    assert checked.exit_code == 0, checked.stdout
    own_server.stop()
    assert (await operator.on_database("restore", str(backup))).exit_code == 0
    own_server.start()
    assert (await operator.there("audit", "--check"))["entries"] > len(log)


async def read(stream: Stream) -> play_pb2.Update:
    """The next message of a stream, which must have one."""
    update = await stream.read()
    assert isinstance(update, play_pb2.Update)
    return update


async def status(raw: Raw) -> str:
    """`OK`, or the reason for which the caller is refused."""
    try:
        await raw.send("Accounts/GetAccount", accounts_pb2.GetAccountRequest(name="accounts/me").SerializeToString())
    except grpc.aio.AioRpcError as error:
        return Refused.of(error).reason
    return "OK"


async def denied(server: Server) -> str:
    """The reason for which somebody who is no operator is refused."""
    async with Raw(server.address) as guest:
        await guest.sign_in("Nobody")
        try:
            await guest.send("Operate/BanAccount", b"")
        except grpc.aio.AioRpcError as error:
            return Refused.of(error).reason
    return "OK"
