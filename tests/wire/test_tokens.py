"""Tokens that do not hold: damaged, of others, run out, sent twice. Each is refused with its reason, at little cost."""

import asyncio
import time
from typing import Any

import grpc
import pytest
from joserfc import jwt

from chautari.app.keys import PREFIX, NewKey, new_key
from chautari.app.scopes import Scope
from chautari.app.values import SECOND
from chautari.v1 import accounts_pb2, server_pb2
from tests.wire.forger import Forger, encoded_bytes
from tests.wire.served import Caller, Code, Refused, serving

ME = accounts_pb2.GetAccountRequest(name="accounts/me")
UNLIMITED = {"anonymous_per_second": 0, "wrong_tokens_per_minute": 0, "calls_per_second": 0}


async def reason_of(caller: Caller, token: str) -> str:
    """The reason with which a call with this token is refused; who calls with it where anybody may is answered."""
    caller.token = token
    refused = await caller.refused("Accounts/GetAccount", ME)
    assert refused.code is Code.UNAUTHENTICATED, (token, refused.reason)
    assert token not in str(refused.status) or len(token) < 4, "what was shown is not told again"
    return refused.reason


@pytest.mark.parametrize(
    "forgeries",
    [
        Forger.damaged,
        Forger.of_another_algorithm,
        Forger.of_another_key,
        Forger.of_other_headers,
        Forger.of_other_claims,
    ],
)
async def test_forged_token_is_refused_as_such(forgeries: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chautari.app.tokens._LOOK_SECONDS", 0.0)
    async with serving(**UNLIMITED) as served:
        guest, caller = await served.guest(), served.caller()
        forger = Forger(served, guest.token)
        for forgery in forgeries(forger):
            assert await reason_of(caller, forgery) == "TOKEN_INVALID", forgery
        await caller.call("Server/GetServerInfo", server_pb2.GetServerInfoRequest())
        caller.token = guest.token
        await caller.call("Accounts/GetAccount", ME)


async def test_token_that_has_run_out_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(**UNLIMITED) as served:
        guest, caller = await served.guest(), served.caller()
        forger = Forger(served, guest.token)
        for exp in (0, -1, 1.5, int(time.time()) - 1, True):
            assert await reason_of(caller, forger.signed({**forger.claims, "exp": exp})) == "TOKEN_EXPIRED"
        expires = forger.claims["exp"]
        for _ in range(3):
            monkeypatch.setattr(served.app.store, "clock", lambda: expires * SECOND)
            assert await reason_of(caller, guest.token) == "TOKEN_EXPIRED"
            monkeypatch.setattr(served.app.store, "clock", lambda: expires * SECOND - 1)
            await guest.call("Accounts/GetAccount", ME)


async def test_keys_that_are_damaged_or_made_up() -> None:
    async with serving(**UNLIMITED) as served:
        guest, caller = await served.guest(), served.caller()
        account = guest.account.removeprefix("accounts/")
        made = await served.app.keys.issue(account, NewKey("It", frozenset({Scope.READ})))
        find, asked = served.app.store.find_key, 0

        async def find_key(digest: bytes) -> Any:
            nonlocal asked
            asked += 1
            return await find(digest)

        served.app.store.find_key = find_key  # type: ignore[method-assign]
        key = made.secret
        for place in range(len(PREFIX), len(key)):
            assert await reason_of(caller, key[:place] + ("0" if key[place] != "0" else "1") + key[place + 1 :]) == (
                "TOKEN_INVALID"
            )
        for wrong in (
            PREFIX, key[:-1], key + "0", key[1:], key.swapcase(), key.upper(), PREFIX + key, key * 30,
            f"{PREFIX}{'A' * 49}", key.replace("_", "-"), f"{key},{key}", f"{PREFIX}..",
        ):  # fmt: skip
            assert await reason_of(caller, wrong) == "TOKEN_INVALID"
        assert asked == 0, "the checksum already tells that there is no such key"
        assert await reason_of(caller, new_key()) == "TOKEN_INVALID"
        assert asked == 1
        caller.token = key
        await caller.call("Accounts/GetAccount", ME)


async def test_refresh_tokens_that_are_damaged() -> None:
    async with serving(**UNLIMITED) as served:
        signed_in = await served.app.accounts.create_guest("", "en")
        caller, good = served.caller(), signed_in.tokens.refresh
        for wrong in (good[:-1], good + "A", good.swapcase(), "x", signed_in.tokens.access, f"{good} ", "A" * 512):
            refused = await caller.refused(
                "Accounts/RefreshToken", accounts_pb2.RefreshTokenRequest(refresh_token=wrong)
            )
            assert refused.reason in ("TOKEN_INVALID", "REQUEST_INVALID")
        await caller.call("Accounts/RefreshToken", accounts_pb2.RefreshTokenRequest(refresh_token=good))


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("", "TOKEN_MISSING"), ("Bearer", "TOKEN_MISSING"), ("Bearer  ", "TOKEN_MISSING"), ("{}", "TOKEN_MISSING"),
        ("Basic {}", "TOKEN_MISSING"), ("Bearer{}", "TOKEN_MISSING"), ("Token {}", "TOKEN_MISSING"),
        ("Bearer {},", "TOKEN_INVALID"), ("Bearer {} {}", "TOKEN_INVALID"), ("Bearer Bearer {}", "TOKEN_INVALID"),
        ("Bearer \"{}\"", "TOKEN_INVALID"), ("Bearer {}", "OK"), ("bearer  {}", "OK"), ("BEARER {}", "OK"),
    ],
)  # fmt: skip
async def test_header_that_is_written_otherwise(header: str, reason: str) -> None:
    async with serving(http=True, **UNLIMITED) as served:
        guest = await served.guest()
        value = header.replace("{}", guest.token)
        answer = await served.over_http().ask("GET", "/v1/accounts/me", authorization=value)
        assert (answer.status, answer.reason if answer.status != 200 else "OK") == (
            200 if reason == "OK" else 401,
            reason,
        )
        caller = served.caller()
        caller.headers["authorization"] = value
        if reason == "OK":
            await caller.call("Accounts/GetAccount", ME)
        else:
            assert (await caller.refused("Accounts/GetAccount", ME)).reason == reason


async def test_two_headers_are_no_token_whichever_comes_first() -> None:
    async with serving(http=True, **UNLIMITED) as served:
        guest, other = await served.guest(), await served.guest()
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = guest.channel.unary_unary(
            "/chautari.v1.Accounts/GetAccount"
        )
        for pair in ((guest.token, other.token), (guest.token, "x"), ("x", guest.token), (guest.token, guest.token)):
            metadata = [("authorization", f"Bearer {token}") for token in pair]
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call(ME.SerializeToString(), metadata=metadata)
            assert Refused.of(caught.value).reason == "TOKEN_INVALID"
            http = served.over_http()
            reader, writer = await http.open()
            lines = [f"authorization: Bearer {token}" for token in pair]
            writer.write("\r\n".join(["GET /v1/accounts/me HTTP/1.1", "host: x", *lines, "", ""]).encode())
            answer = await http.answer()
            assert (answer.status, answer.reason) == (401, "TOKEN_INVALID")
            del reader


async def test_who_only_tries_tokens_is_refused_before_they_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("chautari.wire.limits.monotonic", lambda: now)
    async with serving(wrong_tokens_per_minute=5, calls_per_second=0) as served:
        guest, caller = await served.guest(), served.caller()
        forger = Forger(served, guest.token)
        checked = 0
        decode = jwt.decode

        def counted(*args: Any, **options: Any) -> Any:
            nonlocal checked
            checked += 1
            return decode(*args, **options)

        monkeypatch.setattr("chautari.app.tokens.jwt.decode", counted)
        await guest.call("Accounts/GetAccount", ME)
        assert checked == 1
        forged = forger.under(forger.header, encoded_bytes(b"\x01" * 64))
        for number in range(20):
            caller.token = forged
            refused = await caller.refused("Accounts/GetAccount", ME)
            assert refused.reason == ("TOKEN_INVALID" if number < 5 else "TOO_MANY_REQUESTS")
        assert (refused.code, refused.wait) == (Code.RESOURCE_EXHAUSTED, 12)
        assert checked == 6
        await guest.call("Accounts/GetAccount", ME)  # who is known here is let in all the same
        now += 12
        for _ in range(10):  # and one that holds does not count
            caller.token = forger.signed({**forger.claims, "exp": forger.claims["exp"] + 1 + _})
            await caller.call("Accounts/GetAccount", ME)
        assert await reason_of(caller, forged) == "TOKEN_INVALID"


async def test_keys_that_are_unknown_are_looked_for_together() -> None:
    async with serving(**UNLIMITED) as served:
        guest, caller = await served.guest(), served.caller()
        forger = Forger(served, guest.token)
        read, asked = served.app.store.signing_keys, 0

        async def signing_keys() -> Any:
            nonlocal asked
            asked += 1
            return await read()

        served.app.store.signing_keys = signing_keys  # type: ignore[method-assign]
        forged = [forger.under({**forger.header, "kid": f"k{number}"}) for number in range(50)]
        reasons = await asyncio.gather(*(reason_of(caller, token) for token in forged))
        assert set(reasons) == {"TOKEN_INVALID"}
        assert 0 < asked < len(forged) / 4


async def test_large_tokens_cost_no_more_than_small_ones() -> None:
    async with serving(http=True, **UNLIMITED) as served:
        guest = await served.guest()
        forger = Forger(served, guest.token)
        http = served.over_http()
        async with asyncio.timeout(60):
            for size in (2049, 8_000, 30_000, 1_000_000):
                answer = await http.ask("GET", "/v1/accounts/me", authorization=f"Bearer {forger.head}.{'A' * size}.A")
                assert answer.status in (401, 431), answer.status
                await http.close()
            answer = await http.ask("GET", "/v1/accounts/me", authorization=f"Bearer {guest.token}")
        assert answer.status == 200
