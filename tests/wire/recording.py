"""Records a call of every operation from a real server, as the examples of the OpenAPI document.

`uv run poe examples` writes them to where the document takes them from; the tests record them too, and hold them to the
document's schemas.
"""

import asyncio
import json
from asyncio import timeout
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from chautari.app.keys import NewKey
from chautari.app.scopes import Scope
from chautari.wire.http.openapi import recorded
from tests.wire.over_http import Http
from tests.wire.served import Served, serving

FILE: Final = Path(recorded.__file__).with_name(recorded.FILE)
ID: Final = "5f1c6a3e-8f0b-4e43-9a57-0d6f6f0e1c1"
_LONG_TEXT: Final = 240
_LONG_LIST: Final = 2
_LISTS_OF_SEATS: Final = ("seats", "placing", "score", "must", "may", "actions")

Recording = dict[str, dict[str, Any]]


class Recorder:
    """Calls a server over REST and keeps what was said, by `operationId`."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self.calls: Recording = {}
        self.problems: list[dict[str, Any]] = []

    async def call(
        self, name: str, method: str, path: str, data: Any = None, *, token: str = "", **headers: str
    ) -> dict[str, Any]:
        """A call that must be answered."""
        answer = await self._served.over_http(token).rest(method, path, data, **headers)
        assert answer.status == 200, (name, answer.body)
        body: dict[str, Any] = answer.json
        self.calls[name] = ({} if data is None else {"request": data}) | {"response": body}
        return body

    async def refused(self, method: str, path: str, data: Any = None, *, token: str = "", **headers: str) -> None:
        """A call that must be refused."""
        answer = await self._served.over_http(token).rest(method, path, data, **headers)
        assert answer.headers["content-type"] == "application/problem+json"
        self.problems.append(answer.json)

    async def stream(self, name: str, path: str, token: str, count: int) -> None:
        """The first messages of a stream, in both forms."""
        texts: dict[str, str] = {}
        for kind in ("text/event-stream", "application/x-ndjson"):
            connection: Http = self._served.over_http(token)
            await connection.send("GET", path, accept=kind)
            assert (await connection.begin()).headers["content-type"] == kind
            text = ""
            async with timeout(20):
                while text.count('{"') == 0 or _messages(text) < count:
                    text += (await connection.part()).decode()
            await connection.close()
            texts[kind] = text
        lines = [json.loads(line) for line in texts["application/x-ndjson"].splitlines() if line]
        assert self.calls.get(name) is None
        self.calls[name] = {
            "response": lines[0],
            "lines": lines,
            "events": "\n\n".join(texts["text/event-stream"].split("\n\n")[: count + 1]) + "\n\n",
        }


def _messages(text: str) -> int:
    """How many messages of a stream are in a text, in either form."""
    return sum(1 for line in text.split("\n") if line.startswith(('{"', "data: ")))


async def record(served: Served) -> Recorder:
    """Two guests meet, play a little, and part; every method is called."""
    made = Recorder(served)
    guest = await made.call("Accounts_CreateGuest", "POST", "/v1/accounts:createGuest", {"displayName": "Asha"})
    other = await made.call("Accounts_CreateGuest", "POST", "/v1/accounts:createGuest", {"displayName": "Bimal"})
    asha, bimal = guest["tokens"]["accessToken"], other["tokens"]["accessToken"]
    await _games(made)
    await _accounts(made, asha, other["tokens"]["refreshToken"])
    await _keys(made, asha)
    match = await _matches(made, asha, bimal)
    await _play(made, match, asha, bimal)
    await _refusals(made, match, asha)
    await made.call("Accounts_ExportAccount", "GET", "/v1/accounts/me:export", token=asha)
    again = await made.call("Accounts_CreateGuest", "POST", "/v1/accounts:createGuest", {"displayName": "Asha"})
    token = again["tokens"]["accessToken"]
    merged = {"otherAccessToken": asha}
    await made.call("Accounts_MergeAccounts", "POST", "/v1/accounts/me:merge", merged, token=token)
    await made.call("Accounts_DeleteAccount", "DELETE", "/v1/accounts/me", token=token)
    last = await made.call("Accounts_CreateGuest", "POST", "/v1/accounts:createGuest", {"displayName": "Asha"})
    asha = last["tokens"]["accessToken"]
    await made.call("Accounts_SignOut", "POST", "/v1/accounts:signOut", {"everywhere": True}, token=asha)
    await _operate(made, served, other["account"]["name"])
    return made


async def _games(made: Recorder) -> None:
    await made.call("Games_ListGames", "GET", "/v1/games?pageSize=2")
    await made.call("Games_GetGame", "GET", "/v1/games/gulam_chor?language=ne")
    await made.call("Games_GetRules", "GET", "/v1/games/gulam_chor:rules")
    await made.call("Server_GetServerInfo", "GET", "/v1/server")
    await made.call("Server_GetSigningKeys", "GET", "/v1/server/keys")
    await made.call("Server_GetSigningKeys2", "GET", "/.well-known/jwks.json")


async def _accounts(made: Recorder, token: str, refresh: str) -> None:
    await made.call("Accounts_RefreshToken", "POST", "/v1/accounts:refreshToken", {"refreshToken": refresh})
    await made.call("Accounts_GetAccount", "GET", "/v1/accounts/me", token=token)
    change = {"displayName": "Asha G.", "language": "ne"}
    await made.call("Accounts_UpdateAccount", "PATCH", "/v1/accounts/me", change, token=token)


async def _keys(made: Recorder, token: str) -> None:
    wanted = {"apiKey": {"title": "score board", "scopes": ["SCOPE_READ"]}, "requestId": f"{ID}4"}
    key = (await made.call("Keys_CreateApiKey", "POST", "/v1/accounts/me/keys", wanted, token=token))["apiKey"]["name"]
    await made.call("Keys_GetApiKey", "GET", f"/v1/{key}", token=token)
    await made.call("Keys_ListApiKeys", "GET", "/v1/accounts/me/keys", token=token)
    await made.call("Keys_UpdateApiKey", "PATCH", f"/v1/{key}", {"title": "board"}, token=token)
    await made.call("Keys_DeleteApiKey", "DELETE", f"/v1/{key}", token=token)
    await made.call("Identities_ListProviders", "GET", "/v1/providers")
    await made.call("Identities_ListIdentities", "GET", "/v1/accounts/me/identities", token=token)


async def _matches(made: Recorder, asha: str, bimal: str) -> str:
    """Makes the match that is played, and others that are not; gives its name."""
    settings = {"players": 2, "rounds": 2}
    wanted = {
        "game": "games/gulam_chor",
        "settings": settings,
        "seats": [0],
        "title": "Saturday",
        "requestId": f"{ID}1",
    }
    match = await made.call("Matches_CreateMatch", "POST", "/v1/matches", wanted, token=asha)
    name: str = match["name"]
    await made.call("Matches_FindMatch", "POST", "/v1/matches:find", {"code": match["code"]}, token=bimal)
    by_code = {"code": match["code"], "requestId": f"{ID}2"}
    await made.call("Matches_JoinMatch2", "POST", "/v1/matches:join", by_code, token=bimal)
    await made.call("Matches_GetMatch", "GET", f"/v1/{name}", token=asha)
    by_host = {
        "game": "games/gulam_chor",
        "settings": settings,
        "start": "START_RULE_BY_HOST",
        "privacy": "PRIVACY_PUBLIC",
    }
    held = await made.call("Matches_CreateMatch", "POST", "/v1/matches", {**by_host, "seats": [0]}, token=asha)
    await made.call("Matches_JoinMatch", "POST", f"/v1/{held['name']}:join", {"seats": [1]}, token=bimal)
    await made.call("Matches_StartMatch", "POST", f"/v1/{held['name']}:start", {}, token=asha)
    left = await made.call("Matches_CreateMatch", "POST", "/v1/matches", {**by_host, "seats": [0]}, token=asha)
    await made.call("Matches_LeaveMatch", "POST", f"/v1/{left['name']}:leave", {"seats": [0]}, token=asha)
    await _host(made, asha, bimal, by_host)
    await made.call("Matches_ListMatches", "GET", "/v1/matches?which=MATCH_LIST_MINE_ACTIVE", token=asha)
    made.calls["Matches_CreateMatch"] = {"request": wanted, "response": match}
    return name


async def _host(made: Recorder, asha: str, bimal: str, wanted: dict[str, Any]) -> None:
    """What the host of a match does with it before it starts."""
    kept = dict(made.calls)
    match = await made.call("Matches_CreateMatch", "POST", "/v1/matches", {**wanted, "seats": [0]}, token=asha)
    name = match["name"]
    await made.call("Matches_UpdateMatch", "PATCH", f"/v1/{name}", {"title": "Sunday"}, token=asha)
    await made.call("Hosting_RenewCode", "POST", f"/v1/{name}:renewCode", {}, token=asha)
    joined = await made.call("Matches_JoinMatch", "POST", f"/v1/{name}:join", {"seats": [1]}, token=bimal)
    other = {"account": joined["match"]["seats"][1]["account"]}
    await made.call("Hosting_RemoveFromMatch", "POST", f"/v1/{name}:kick", other, token=asha)
    await made.call("Hosting_ReadmitToMatch", "POST", f"/v1/{name}:readmit", other, token=asha)
    await made.call("Matches_JoinMatch", "POST", f"/v1/{name}:join", {"seats": [1]}, token=bimal)
    await made.call("Hosting_TransferHost", "POST", f"/v1/{name}:transferHost", other, token=asha)
    await made.call("Hosting_CloseMatch", "POST", f"/v1/{name}:close", {}, token=bimal)
    made.calls |= kept


async def _play(made: Recorder, match: str, asha: str, bimal: str) -> None:
    view = await made.call("Play_View", "GET", f"/v1/{match}:view?seat=1", token=bimal)
    seat, token = (1, bimal) if view["options"] else (0, asha)
    view = await made.call("Play_View", "GET", f"/v1/{match}:view?seat={seat}", token=token)
    option = view["options"][0]
    act = {"seat": seat, "text": option["actions"][0] if option["actions"] else option["example"]}
    await made.call("Play_Act", "POST", f"/v1/{match}:act", act, token=token, idempotency_key=f"{ID}3")
    await made.stream("Play_Watch", f"/v1/{match}:watch?seat={seat}&afterRevision=1", token, 2)
    await made.stream("Play_WatchMine", "/v1/matches:watchMine", token, 1)
    resigned = await made.call("Matches_ResignMatch", "POST", f"/v1/{match}:resign", {"seat": 1}, token=bimal)
    assert resigned["state"] == "MATCH_STATE_FINISHED"
    await made.call("Matches_RematchMatch", "POST", f"/v1/{match}:rematch", {}, token=asha)
    await made.stream("Play_DownloadRecord", f"/v1/{match}:downloadRecord", asha, 2)
    await made.call("Play_Record", "GET", f"/v1/{match}:record?pageSize=2", token=asha)


async def _operate(made: Recorder, served: Served, account: str) -> None:
    """What an operator does, with a key that the command line would make."""
    operator = await served.app.accounts.create_guest("Hari", "en")
    made_key = await served.app.keys.issue(operator.account.id, NewKey("desk", frozenset({Scope.OPERATE})))
    ask = partial(_ask, made, made_key.secret)
    wanted = {"game": "games/gulam_chor", "settings": {"players": 2}, "seats": [0, 1]}
    guest = await made.call("Accounts_CreateGuest", "POST", "/v1/accounts:createGuest", {"displayName": "Gita"})
    token = guest["tokens"]["accessToken"]
    kept = made.calls["Matches_CreateMatch"]
    match = (await made.call("Matches_CreateMatch", "POST", "/v1/matches", wanted, token=token))["name"]
    made.calls["Matches_CreateMatch"] = kept
    await ask("FindAccounts", "accounts:find", {"account": account})
    await ask("FindMatches", "matches:find", {"match": match})
    await ask("InspectMatch", f"{match}:inspect", {"reason": "a player asks why it waits"})
    await ask("EndMatch", f"{match}:end", {"ending": "ENDING_ABORT", "reason": "asked for by both"})
    await ask("BanAccount", f"{guest['account']['name']}:ban", {"reason": "abuse"})
    await ask("LiftBan", f"{guest['account']['name']}:liftBan", {"reason": "a mistake"})
    keys = await ask("ListSigningKeys", "signingKeys")
    await ask("RotateSigningKeys", "signingKeys:rotate", {"reason": "once a year"})
    old = keys["keys"][0]["kid"]
    await ask("RevokeSigningKey", f"signingKeys/{old}:revoke", {"reason": "it may have leaked"})
    await ask("ListAudit", "audit?pageSize=2")
    await ask("CheckAudit", "audit:check")


async def _ask(made: Recorder, token: str, name: str, path: str, data: Any = None) -> dict[str, Any]:
    method = "GET" if data is None else "POST"
    return await made.call(f"Operate_{name}", method, f"/v1/operate/{path}", data, token=token)


async def _refusals(made: Recorder, match: str, token: str) -> None:
    await made.refused("POST", f"/v1/{match}:act", {"seat": 0, "text": "draw 0"}, token=token)
    await made.refused("GET", f"/v1/{match}:view?seat=1", token=token)
    await made.refused("GET", "/v1/matches")
    await made.refused("POST", "/v1/matches", {"game": "games/gulam_chor", "settings": {"players": "2"}}, token=token)
    await made.refused("POST", "/v1/matches:find", {"code": ""}, token=token)
    await made.refused("GET", "/v1/nothing")
    await made.refused("DELETE", "/v1/matches")


def shortened(value: Any, name: str = "") -> Any:
    """What was recorded, cut to what shows its form: long lists to their beginning, long texts and tokens too."""
    if isinstance(value, Mapping):
        return {key: shortened(each, key) for key, each in value.items()}
    if isinstance(value, list):
        longest = 8 if name in _LISTS_OF_SEATS else _LONG_LIST
        return [shortened(each) for each in value[:longest]]
    if name in ("accessToken", "refreshToken", "secret", "otherAccessToken"):
        return f"{value[:12]}…"
    if isinstance(value, str) and name == "events":
        return "\n".join(shortened(line) for line in value.split("\n"))
    if isinstance(value, str) and len(value) > _LONG_TEXT:
        return f"{value[:_LONG_TEXT]}…"
    return value


def examples(made: Recorder) -> Recording:
    """What is kept of a recording."""
    calls = {
        name: {key: shortened(value, key) for key, value in call.items() if key != "lines"}
        for name, call in sorted(made.calls.items())
    }
    return calls | {"problems": {each["reason"]: each for each in made.problems}}


async def _write() -> None:
    async with serving(http=True, anonymous_per_second=0) as served:
        made = await record(served)
    FILE.write_text(json.dumps(examples(made), indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    asyncio.run(_write())
