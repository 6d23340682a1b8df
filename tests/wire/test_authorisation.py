"""Who may call what: every method, for every role, on what is its own and on what is another's; each cell is asserted.

A line of the table is a method of the protos and what it is called on, which belongs to the host or is open to all; a
column is one of the roles of `roles.py`. A method without a line fails the run, and so does a line without a request.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

from google.protobuf.message import Message

from chautari.app.account_values import ApiKey
from chautari.app.values import Match
from chautari.v1 import (
    accounts_pb2,
    games_pb2,
    hosting_pb2,
    identities_pb2,
    keys_pb2,
    match_pb2,
    matches_pb2,
    operate_pb2,
    play_pb2,
    server_pb2,
)
from chautari.wire.methods import Needs, descriptors
from tests.wire.made import methods
from tests.wire.roles import ROLES, World, world

TABLE: Final = """
                                | anon forged past ended other looks seated host read play bot org oper operator
Games.ListGames                 | ok   ok     ok   ok    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Games.GetGame                   | ok   ok     ok   ok    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Games.GetRules                  | ok   ok     ok   ok    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Accounts.CreateGuest            | ok   ok     ok   ok    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Accounts.RefreshToken           | ok   ok     ok   ok    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Accounts.SignOut by a token     | ok   ok     ok   ok    ok    ok    ok     ok   sc   ok   ok  sc  sc   sc
Accounts.SignOut                | ?    ?      ?    ?     ok    ok    ok     ok   sc   si   si  sc  sc   sc
Accounts.GetAccount me          | ?    in     ex   in    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Accounts.GetAccount host        | ?    in     ex   in    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Accounts.UpdateAccount me       | ?    in     ex   in    ok    ok    ok     ok   sc   ok   ok  sc  sc   sc
Accounts.UpdateAccount host     | ?    in     ex   in    me    me    me     ok   sc   ok   ok  sc  sc   sc
Accounts.MergeAccounts host     | ?    in     ex   in    me    me    me     in   sc   si   si  sc  sc   sc
Accounts.ExportAccount me       | ?    in     ex   in    ok    ok    ok     ok   si   si   si  si  si   si
Accounts.ExportAccount host     | ?    in     ex   in    me    me    me     ok   si   si   si  si  si   si
Accounts.DeleteAccount other's  | ?    in     ex   in    me    me    me     me   sc   si   si  sc  sc   sc
Keys.CreateApiKey host          | ?    in     ex   in    me    me    me     ok   sc   ok   ok  ok  ok   me
Keys.GetApiKey host             | ?    in     ex   in    me    me    me     ok   ku   ku   ku  ku  ku   me
Keys.ListApiKeys me             | ?    in     ex   in    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Keys.ListApiKeys host           | ?    in     ex   in    me    me    me     ok   ok   ok   ok  ok  ok   me
Keys.UpdateApiKey host          | ?    in     ex   in    me    me    me     ok   sc   ku   ku  ku  ku   me
Keys.DeleteApiKey host          | ?    in     ex   in    me    me    me     ok   sc   km   km  km  km   me
Identities.ListProviders        | ok   ok     ok   ok    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Identities.BeginIdentity        | pu   pu     pu   pu    pu    pu    pu     pu   sc   pu   pu  sc  sc   sc
Identities.SignInWithIdentity   | ai   ai     ai   ai    ai    ai    ai     ai   sc   ai   ai  sc  sc   sc
Identities.LinkIdentity host    | ?    in     ex   in    me    me    me     ai   sc   si   si  sc  sc   sc
Identities.ListIdentities host  | ?    in     ex   in    me    me    me     ok   ok   ok   ok  ok  ok   me
Identities.UnlinkIdentity host  | ?    in     ex   in    me    me    me     ok   sc   si   si  sc  sc   sc
Matches.CreateMatch             | ?    in     ex   in    ok    ok    ok     ok   sc   ok   ok  sc  sc   sc
Matches.GetMatch private        | ?    in     ex   in    no    ok    ok     ok   ok   ok   ok  ok  ok   no
Matches.GetMatch public         | ?    in     ex   in    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Matches.UpdateMatch private     | ?    in     ex   in    no    no    ho     ok   sc   ok   ok  sc  sc   sc
Matches.ListMatches mine        | ?    in     ex   in    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Matches.ListMatches open        | ?    in     ex   in    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Matches.ListMatches playing     | ?    in     ex   in    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Matches.FindMatch by code       | ?    in     ex   in    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Matches.FindMatch by link       | ?    in     ex   in    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Matches.JoinMatch private       | ?    in     ex   in    no    no    ok     ok   sc   ok   ok  sc  sc   sc
Matches.JoinMatch public        | ?    in     ex   in    ok    ok    ok     ok   sc   ok   ok  sc  sc   sc
Matches.JoinMatch by code       | ?    in     ex   in    ok    ok    ok     ok   sc   ok   ok  sc  sc   sc
Matches.JoinMatch by link       | ?    in     ex   in    ok    ok    ok     ok   sc   ok   ok  sc  sc   sc
Matches.LeaveMatch private      | ?    in     ex   in    no    no    ok     ok   sc   ok   ok  sc  sc   sc
Matches.LeaveMatch host's seat  | ?    in     ex   in    no    no    st     ok   sc   ok   ok  sc  sc   sc
Matches.LeaveMatch public       | ?    in     ex   in    ni    ni    ok     ok   sc   ok   ok  sc  sc   sc
Matches.StartMatch private      | ?    in     ex   in    no    no    ho     ok   sc   ok   ok  sc  sc   sc
Matches.ResignMatch host's seat | ?    in     ex   in    no    no    st     ok   sc   ok   ok  sc  sc   sc
Matches.ResignMatch public      | ?    in     ex   in    st    st    st     ok   sc   ok   ok  sc  sc   sc
Matches.RematchMatch private    | ?    in     ex   in    no    no    ok     ok   sc   ok   ok  sc  sc   sc
Hosting.RemoveFromMatch private | ?    in     ex   in    no    no    ho     ok   sc   ok   ok  sc  sc   sc
Hosting.ReadmitToMatch private  | ?    in     ex   in    no    no    ho     ok   sc   ok   ok  sc  sc   sc
Hosting.TransferHost private    | ?    in     ex   in    no    no    ho     ok   sc   ok   ok  sc  sc   sc
Hosting.CloseMatch private      | ?    in     ex   in    no    no    ho     ok   sc   ok   ok  sc  sc   sc
Hosting.CloseMatch public       | ?    in     ex   in    ho    ho    ho     ok   sc   ok   ok  sc  sc   sc
Hosting.RenewCode private       | ?    in     ex   in    no    no    ho     ok   sc   ok   ok  sc  sc   sc
Play.Act host's seat            | ?    in     ex   in    no    no    st     ok   sc   ok   ok  sc  sc   sc
Play.View private               | ?    in     ex   in    no    ok    ok     ok   ok   ok   ok  ok  ok   no
Play.View host's seat           | ?    in     ex   in    no    st    st     ok   ok   ok   ok  ok  ok   no
Play.View public                | ?    in     ex   in    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Play.Watch private              | ?    in     ex   in    no    ok    ok     ok   ok   ok   ok  ok  ok   no
Play.Watch host's seat          | ?    in     ex   in    no    st    st     ok   ok   ok   ok  ok  ok   no
Play.Watch public               | ?    in     ex   in    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Play.WatchMine                  | ?    in     ex   in    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Play.Record private             | ?    in     ex   in    no    ok    ok     ok   ok   ok   ok  ok  ok   no
Play.Record host's seat         | ?    in     ex   in    no    st    st     ok   ok   ok   ok  ok  ok   no
Play.Record public              | ?    in     ex   in    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Play.DownloadRecord private     | ?    in     ex   in    no    ok    ok     ok   ok   ok   ok  ok  ok   no
Play.DownloadRecord host's seat | ?    in     ex   in    no    st    st     ok   ok   ok   ok  ok  ok   no
Play.DownloadRecord public      | ?    in     ex   in    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Operate.FindAccounts            | ?    in     ex   in    sc    sc    sc     sc   sc   sc   sc  sc  ok   ok
Operate.FindMatches             | ?    in     ex   in    sc    sc    sc     sc   sc   sc   sc  sc  ok   ok
Operate.InspectMatch            | ?    in     ex   in    sc    sc    sc     sc   sc   sc   sc  sc  ok   ok
Operate.InspectMatch reveal     | ?    in     ex   in    sc    sc    sc     sc   sc   sc   sc  sc  sc   sc
Operate.EndMatch                | ?    in     ex   in    sc    sc    sc     sc   sc   sc   sc  sc  ok   ok
Operate.BanAccount              | ?    in     ex   in    sc    sc    sc     sc   sc   sc   sc  sc  ok   ok
Operate.LiftBan                 | ?    in     ex   in    sc    sc    sc     sc   sc   sc   sc  sc  nb   nb
Operate.ListSigningKeys         | ?    in     ex   in    sc    sc    sc     sc   sc   sc   sc  sc  ok   ok
Operate.RotateSigningKeys       | ?    in     ex   in    sc    sc    sc     sc   sc   sc   sc  sc  ok   ok
Operate.RevokeSigningKey        | ?    in     ex   in    sc    sc    sc     sc   sc   sc   sc  sc  sk   sk
Operate.ListAudit               | ?    in     ex   in    sc    sc    sc     sc   sc   sc   sc  sc  ok   ok
Operate.CheckAudit              | ?    in     ex   in    sc    sc    sc     sc   sc   sc   sc  sc  ok   ok
Server.GetServerInfo            | ok   ok     ok   ok    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
Server.GetSigningKeys           | ok   ok     ok   ok    ok    ok    ok     ok   ok   ok   ok  ok  ok   ok
"""
CELLS: Final = {
    "ok": "OK",
    "?": "TOKEN_MISSING",
    "in": "TOKEN_INVALID",
    "ex": "TOKEN_EXPIRED",
    "no": "NO_ACCESS",
    "st": "NOT_SEATED",
    "ho": "NOT_HOST",
    "ni": "NOT_IN_MATCH",
    "me": "NOT_SELF",
    "sc": "SCOPE_MISSING",
    "si": "SIGN_IN_NEEDED",
    "ku": "KEY_UNKNOWN",
    "km": "NOT_MADE_BY_KEY",
    "pu": "PROVIDER_UNKNOWN",
    "ai": "ATTEMPT_INVALID",
    "nb": "NOT_BANNED",
    "sk": "SIGNING_KEY_UNKNOWN",
}
"""What the cells stand for: the reason of the refusal. The last four come from behind the door: this server has no
provider, and whoever is told so was let in."""


class Row(NamedTuple):
    """How a line is called. make: what it is called on, anew for each call; request: of a role, on what was made."""

    make: Callable[[World], Awaitable[Any]]
    request: Callable[[World, str, Any], Message]


def named(kind: Callable[..., Message], **fields: Any) -> Callable[[World, str, Match], Message]:
    """A request with the name of a match in `name`."""
    return lambda _world, _role, made: kind(name=f"matches/{made.id}", **fields)


def about_seated(kind: Callable[..., Message]) -> Callable[[World, str, Match], Message]:
    """A request with the name of a match, and the account that has seat 1 there."""
    return lambda world, _role, made: kind(name=f"matches/{made.id}", account=f"accounts/{world.account('seated')}")


def looks(kind: Callable[..., Message], **fields: Any) -> Callable[[World, str, Match], Message]:
    """A request with the name of a match in `match`, and a spectator's ticket."""
    return lambda world, role, made: kind(match=f"matches/{made.id}", ticket=world.ticket(made, role), **fields)


def plain(request: Message) -> Row:
    """A method that is called on nothing."""
    return Row(World.nothing, lambda _world, _role, _made: request)


def own(world: World) -> str:
    """The name of the host's account."""
    return f"accounts/{world.account('host')}"


def host(kind: Callable[..., Message], field: str) -> Callable[[World, str, Any], Message]:
    """A request that names the account of the host."""
    return lambda world, _role, _made: kind(**{field: own(world)})


def key_name(world: World, made: ApiKey) -> str:
    """The name of a key of the host's."""
    return f"{own(world)}/keys/{made.id}"


def act(world: World, role: str, made: tuple[Match, str]) -> Message:
    """What the host may do."""
    return play_pb2.ActRequest(match=f"matches/{made[0].id}", seat=0, text=made[1])


NEW_KEY: Final = keys_pb2.ApiKey(title="New", scopes=[keys_pb2.SCOPE_READ])
ROWS: Final[dict[str, Row]] = {
    "Games.ListGames": plain(games_pb2.ListGamesRequest()),
    "Games.GetGame": plain(games_pb2.GetGameRequest(name="games/bluff")),
    "Games.GetRules": plain(games_pb2.GetRulesRequest(name="games/bluff")),
    "Accounts.CreateGuest": plain(accounts_pb2.CreateGuestRequest()),
    "Accounts.RefreshToken": Row(
        World.refresh_token, lambda _w, _r, token: accounts_pb2.RefreshTokenRequest(refresh_token=token)
    ),
    "Accounts.SignOut by a token": Row(
        World.refresh_token, lambda _w, _r, token: accounts_pb2.SignOutRequest(refresh_token=token)
    ),
    "Accounts.SignOut": Row(World.anew, lambda _w, _r, _m: accounts_pb2.SignOutRequest()),
    "Accounts.GetAccount me": plain(accounts_pb2.GetAccountRequest(name="accounts/me")),
    "Accounts.GetAccount host": Row(World.nothing, host(accounts_pb2.GetAccountRequest, "name")),
    "Accounts.UpdateAccount me": plain(
        accounts_pb2.UpdateAccountRequest(account=accounts_pb2.Account(name="accounts/me", language="ne"))
    ),
    "Accounts.UpdateAccount host": Row(
        World.nothing,
        lambda w, _r, _m: accounts_pb2.UpdateAccountRequest(account=accounts_pb2.Account(name=own(w), language="hi")),
    ),
    "Accounts.MergeAccounts host": Row(
        World.nothing, lambda w, _r, _m: accounts_pb2.MergeAccountsRequest(name=own(w), other_access_token="t")
    ),
    "Accounts.ExportAccount me": plain(accounts_pb2.ExportAccountRequest(name="accounts/me")),
    "Accounts.ExportAccount host": Row(World.nothing, host(accounts_pb2.ExportAccountRequest, "name")),
    "Accounts.DeleteAccount other's": Row(
        World.guest, lambda _w, _r, guest: accounts_pb2.DeleteAccountRequest(name=guest)
    ),
    "Keys.CreateApiKey host": Row(
        World.api_key,
        lambda w, _r, _m: keys_pb2.CreateApiKeyRequest(parent=own(w), api_key=NEW_KEY),
    ),
    "Keys.GetApiKey host": Row(World.api_key, lambda w, _r, key: keys_pb2.GetApiKeyRequest(name=key_name(w, key))),
    "Keys.ListApiKeys me": plain(keys_pb2.ListApiKeysRequest(parent="accounts/me")),
    "Keys.ListApiKeys host": Row(World.nothing, host(keys_pb2.ListApiKeysRequest, "parent")),
    "Keys.UpdateApiKey host": Row(
        World.api_key,
        lambda w, _r, key: keys_pb2.UpdateApiKeyRequest(api_key=keys_pb2.ApiKey(name=key_name(w, key), title="It")),
    ),
    "Keys.DeleteApiKey host": Row(
        World.api_key, lambda w, _r, key: keys_pb2.DeleteApiKeyRequest(name=key_name(w, key))
    ),
    "Identities.ListProviders": plain(identities_pb2.ListProvidersRequest()),
    "Identities.BeginIdentity": plain(identities_pb2.BeginIdentityRequest(provider="providers/home")),
    "Identities.SignInWithIdentity": plain(identities_pb2.SignInWithIdentityRequest(attempt="a", id_token="t")),
    "Identities.LinkIdentity host": Row(
        World.nothing,
        lambda w, _r, _m: identities_pb2.LinkIdentityRequest(parent=own(w), attempt="a", id_token="t"),
    ),
    "Identities.ListIdentities host": Row(World.nothing, host(identities_pb2.ListIdentitiesRequest, "parent")),
    "Identities.UnlinkIdentity host": Row(
        World.nothing, lambda w, _r, _m: identities_pb2.UnlinkIdentityRequest(name=f"{own(w)}/identities/a")
    ),
    "Matches.CreateMatch": plain(matches_pb2.CreateMatchRequest(game="games/bluff")),
    "Matches.GetMatch private": Row(
        World.playing,
        lambda w, r, m: matches_pb2.GetMatchRequest(name=f"matches/{m.id}", ticket=w.ticket(m, r)),
    ),
    "Matches.GetMatch public": Row(World.public, named(matches_pb2.GetMatchRequest)),
    "Matches.UpdateMatch private": Row(
        World.waiting,
        lambda _w, _r, m: matches_pb2.UpdateMatchRequest(match=match_pb2.Match(name=f"matches/{m.id}", title="Friday")),
    ),
    "Matches.ListMatches mine": plain(matches_pb2.ListMatchesRequest()),
    "Matches.ListMatches open": plain(matches_pb2.ListMatchesRequest(which=matches_pb2.MATCH_LIST_OPEN)),
    "Matches.ListMatches playing": plain(matches_pb2.ListMatchesRequest(which=matches_pb2.MATCH_LIST_PLAYING)),
    "Matches.FindMatch by code": Row(World.waiting, lambda _w, _r, m: matches_pb2.FindMatchRequest(code=m.code)),
    "Matches.FindMatch by link": Row(World.waiting, lambda _w, _r, m: matches_pb2.FindMatchRequest(link=m.link)),
    "Matches.JoinMatch private": Row(World.waiting, named(matches_pb2.JoinMatchRequest, seats=[2])),
    "Matches.JoinMatch public": Row(World.waiting_in_public, named(matches_pb2.JoinMatchRequest, seats=[2])),
    "Matches.JoinMatch by code": Row(
        World.waiting, lambda _w, _r, m: matches_pb2.JoinMatchRequest(code=m.code, seats=[2])
    ),
    "Matches.JoinMatch by link": Row(
        World.waiting, lambda _w, _r, m: matches_pb2.JoinMatchRequest(link=m.link, seats=[2])
    ),
    "Matches.LeaveMatch private": Row(World.waiting, named(matches_pb2.LeaveMatchRequest)),
    "Matches.LeaveMatch host's seat": Row(World.waiting, named(matches_pb2.LeaveMatchRequest, seats=[0])),
    "Matches.LeaveMatch public": Row(World.waiting_in_public, named(matches_pb2.LeaveMatchRequest)),
    "Matches.StartMatch private": Row(World.full, named(matches_pb2.StartMatchRequest)),
    "Matches.ResignMatch host's seat": Row(World.playing, named(matches_pb2.ResignMatchRequest, seat=0)),
    "Matches.ResignMatch public": Row(World.public, named(matches_pb2.ResignMatchRequest, seat=0)),
    "Matches.RematchMatch private": Row(World.over, named(matches_pb2.RematchMatchRequest)),
    "Hosting.RemoveFromMatch private": Row(World.waiting, about_seated(hosting_pb2.RemoveFromMatchRequest)),
    "Hosting.ReadmitToMatch private": Row(World.waiting, about_seated(hosting_pb2.ReadmitToMatchRequest)),
    "Hosting.TransferHost private": Row(World.waiting, about_seated(hosting_pb2.TransferHostRequest)),
    "Hosting.CloseMatch public": Row(World.waiting_in_public, named(hosting_pb2.CloseMatchRequest)),
    "Hosting.CloseMatch private": Row(World.waiting, named(hosting_pb2.CloseMatchRequest)),
    "Hosting.RenewCode private": Row(World.waiting, named(hosting_pb2.RenewCodeRequest)),
    "Play.Act host's seat": Row(World.to_act, act),
    "Play.View private": Row(World.playing, looks(play_pb2.ViewRequest)),
    "Play.View host's seat": Row(World.playing, looks(play_pb2.ViewRequest, seat=0)),
    "Play.View public": Row(World.public, looks(play_pb2.ViewRequest)),
    "Play.Watch private": Row(World.playing, looks(play_pb2.WatchRequest)),
    "Play.Watch host's seat": Row(World.playing, looks(play_pb2.WatchRequest, seat=0)),
    "Play.Watch public": Row(World.public, looks(play_pb2.WatchRequest)),
    "Play.WatchMine": plain(play_pb2.WatchMineRequest()),
    "Play.Record private": Row(World.over, looks(play_pb2.RecordRequest)),
    "Play.Record host's seat": Row(World.playing, looks(play_pb2.RecordRequest, seat=0)),
    "Play.Record public": Row(World.public, looks(play_pb2.RecordRequest)),
    "Play.DownloadRecord private": Row(World.over, looks(play_pb2.DownloadRecordRequest)),
    "Play.DownloadRecord host's seat": Row(World.playing, looks(play_pb2.DownloadRecordRequest, seat=0)),
    "Play.DownloadRecord public": Row(World.public, looks(play_pb2.DownloadRecordRequest)),
    "Operate.FindAccounts": plain(operate_pb2.FindAccountsRequest()),
    "Operate.FindMatches": plain(operate_pb2.FindMatchesRequest()),
    "Operate.InspectMatch": Row(
        World.playing, lambda _w, _r, m: operate_pb2.InspectMatchRequest(match=f"matches/{m.id}")
    ),
    "Operate.InspectMatch reveal": Row(
        World.playing, lambda _w, _r, m: operate_pb2.InspectMatchRequest(match=f"matches/{m.id}", reveal=True)
    ),
    "Operate.EndMatch": Row(
        World.playing,
        lambda _w, _r, m: operate_pb2.EndMatchRequest(
            match=f"matches/{m.id}", ending=operate_pb2.ENDING_ABORT, reason="why"
        ),
    ),
    "Operate.BanAccount": Row(
        World.guest, lambda _w, _r, account: operate_pb2.BanAccountRequest(account=account, reason="why")
    ),
    "Operate.LiftBan": Row(
        World.guest, lambda _w, _r, account: operate_pb2.LiftBanRequest(account=account, reason="why")
    ),
    "Operate.ListSigningKeys": plain(operate_pb2.ListSigningKeysRequest()),
    "Operate.RotateSigningKeys": plain(operate_pb2.RotateSigningKeysRequest(reason="why")),
    "Operate.RevokeSigningKey": plain(operate_pb2.RevokeSigningKeyRequest(kid="none", reason="why")),
    "Operate.ListAudit": plain(operate_pb2.ListAuditRequest()),
    "Operate.CheckAudit": plain(operate_pb2.CheckAuditRequest()),
    "Server.GetServerInfo": plain(server_pb2.GetServerInfoRequest()),
    "Server.GetSigningKeys": plain(server_pb2.GetSigningKeysRequest()),
}


def lines() -> dict[str, list[str]]:
    """The lines of the table: the cells of each, by its name."""
    _, *body = TABLE.strip().splitlines()
    return {name.strip(): cells.split() for name, _, cells in (line.partition("|") for line in body)}


def test_every_method_has_a_line_and_every_line_all_roles() -> None:
    assert TABLE.strip().splitlines()[0].partition("|")[2].split() == [*ROLES]
    declared = {f"{service.name}.{rpc.name}" for service in descriptors() for rpc in service.methods}
    assert {name.partition(" ")[0] for name in lines()} == declared
    assert lines().keys() == ROWS.keys()
    assert {len(cells) for cells in lines().values()} == {len(ROLES)}


async def test_each_role_may_do_what_the_table_says_and_nothing_else() -> None:
    names = {reason: cell for cell, reason in CELLS.items()}
    found: dict[str, list[str]] = {}
    async with world() as at:
        for name, row in ROWS.items():
            method = name.partition(" ")[0].replace(".", "/")
            found[name] = []
            for role in ROLES:
                reason = await at.outcome(role, method, row.request(at, role, await row.make(at)))
                found[name].append(names.get(reason, reason))
    assert found == lines()


async def test_banned_and_deleted_accounts_are_let_in_nowhere() -> None:
    async with world() as at:
        await at.shut_out()
        for name, row in ROWS.items():
            method = name.partition(" ")[0].replace(".", "/")
            anon, ended = (CELLS[lines()[name][ROLES.index(role)]] for role in ("anon", "ended"))
            is_open = methods()[f"/chautari.v1.{method}"].needs is Needs.NOTHING
            for role, expected in (("banned", anon if is_open else "ACCOUNT_BANNED"), ("gone", ended)):
                found = await at.outcome(role, method, row.request(at, role, await row.make(at)))
                assert found == expected, (name, role)
