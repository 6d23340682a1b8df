"""`chautari admin`: what operators do, at a server with a key, or on the database where it lies."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Protocol

import typer

from chautari.cli.admin_tables import accounts_table, audit_table, keys_table, matches_table, show_match
from chautari.cli.admin_where import KEY, Chosen, Where, command
from chautari.cli.db import told

_MOST_A_PAGE: Final = 200
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class NewKey:
    """An API key to be made. account: whose, else a new one of this name; expire_time: RFC 3339, empty for never."""

    scopes: tuple[str, ...]
    title: str
    account: str = ""
    name: str = ""
    expire_time: str = ""
    reason: str = ""


class Face(Protocol):
    """The methods of operators, with plain data in and out, by the names of their protos."""

    @property
    def call(self) -> Callable[[str, Mapping[str, Any]], Mapping[str, Any]]:
        """Calls a method of `Operate` by its name."""

    def create_key(self, new: NewKey) -> Mapping[str, Any]:
        """Makes an API key: `api_key` and `secret`."""


Open = Callable[[Where], AbstractContextManager[Face]]

AsJson = Annotated[bool, typer.Option("--json", help="JSON in place of a table.")]
Limit = Annotated[int, typer.Option(min=1, help="How many to list at most.")]
Reason = Annotated[str, typer.Option(help="Why, for the audit log.", show_default=False)]
Account = Annotated[str, typer.Argument(help="An account, accounts/… or its id.", show_default=False)]
Match = Annotated[str, typer.Argument(help="A match, matches/… or its id.", show_default=False)]


def make_app(operate: Open) -> typer.Typer:
    """The commands, over what opens the methods of operators."""
    app = typer.Typer(
        help=(
            "Run the service: find, look, end matches, ban, change keys, read the audit log. With --server over the "
            f"API, by a key with the scope operate in {KEY} or --key-file; else on the database here, also while the "
            "service runs; only ending a match then needs --server."
        ),
        no_args_is_help=True,
    )
    keys = typer.Typer(help="The keys that sign access tokens.", no_args_is_help=True)
    key = typer.Typer(help="API keys.", no_args_is_help=True)
    app.add_typer(keys, name="keys")
    app.add_typer(key, name="key")
    chosen = Chosen()
    app.callback()(chosen.before)

    @contextmanager
    def face() -> Iterator[Face]:
        with told(), operate(chosen.where()) as opened:
            yield opened

    @command(app, "accounts", chosen)
    def accounts(
        name: Annotated[str, typer.Option(help="What the name begins with.")] = "",
        account: Annotated[str, typer.Option("--id", help="This account.")] = "",
        banned: Annotated[bool, typer.Option("--banned", help="Only those that are banned.")] = False,
        limit: Limit = 50, as_json: AsJson = False,
    ) -> None:  # fmt: skip
        """Find accounts, by name."""
        asked = _set(name_prefix=name, account=_named("accounts", account), banned=banned)
        with face() as opened:
            _list(opened, "FindAccounts", "accounts", asked, limit, as_json, accounts_table)

    @command(app, "matches", chosen)
    def matches(
        match: Annotated[str, typer.Option("--id", help="This match.")] = "",
        code: Annotated[str, typer.Option(help="With this code to join by.")] = "",
        account: Annotated[str, typer.Option(help="Of this account.")] = "",
        state: Annotated[str, typer.Option(help="seating, playing, finished or aborted.")] = "",
        game: Annotated[str, typer.Option(help="Of this game, such as bluff.")] = "",
        failing: Annotated[bool, typer.Option("--failing", help="Only those where what is due fails.")] = False,
        limit: Limit = 50, as_json: AsJson = False,
    ) -> None:  # fmt: skip
        """Find matches, the latest created first."""
        asked = _set(
            match=_named("matches", match), code=code, account=_named("accounts", account),
            state=f"MATCH_STATE_{state.upper()}" if state else "", game=_named("games", game), failing=failing,
        )  # fmt: skip
        with face() as opened:
            _list(opened, "FindMatches", "matches", asked, limit, as_json, matches_table)

    @command(app, "show", chosen)
    def show(
        match: Match,
        reveal: Annotated[bool, typer.Option("--reveal", help="Every card and fact; that wants a reason.")] = False,
        reason: Reason = "", as_json: AsJson = False,
    ) -> None:  # fmt: skip
        """Show a match as an onlooker sees it, and what lies behind."""
        with face() as opened:
            found = opened.call(
                "InspectMatch", _set(match=_named("matches", match), reveal=reveal, reason=reason)
            )  # fmt: skip
            _say(found, as_json, show_match)

    @command(app, "end", chosen)
    def end(
        match: Match,
        reason: Reason,
        as_it_stands: Annotated[
            bool, typer.Option("--as-it-stands", help="Place the seats by the score; else there is no result.")
        ] = False,
        note: Annotated[str, typer.Option(help="What the players are told.")] = "",
        as_json: AsJson = False,
    ) -> None:
        """End a match. On the database here only while the service does not run."""
        ending = "ENDING_AS_IT_STANDS" if as_it_stands else "ENDING_ABORT"
        with face() as opened:
            ended = opened.call(
                "EndMatch", _set(match=_named("matches", match), ending=ending, reason=reason, note=note)
            )
            _say(ended, as_json, lambda found: typer.echo(f"{found['name']} is ended: {found['state']}."))

    @command(app, "ban", chosen)
    def ban(
        account: Account,
        reason: Reason,
        until: Annotated[str, typer.Option(help="2026-12-31, or a time with it; else for good.")] = "",
        duration: Annotated[str, typer.Option("--for", help="For so long: 30m, 12h, 7d, 4w.")] = "",
        as_json: AsJson = False,
    ) -> None:
        """Ban an account: it is signed out, its streams end, and its seats are played by the rules."""
        with face() as opened:
            end_time = _moment(until, duration)
            made = opened.call(
                "BanAccount", _set(account=_named("accounts", account), end_time=end_time, reason=reason)
            )
            _say(made, as_json, lambda found: typer.echo(_banned(found)))

    @command(app, "lift", chosen)
    def lift(account: Account, reason: Reason, as_json: AsJson = False) -> None:
        """Lift a ban."""
        with face() as opened:
            lifted = opened.call("LiftBan", _set(account=_named("accounts", account), reason=reason))
            _say(lifted, as_json, lambda _: typer.echo("The ban is lifted."))

    @command(app, "audit", chosen)
    def audit(
        account: Annotated[str, typer.Option(help="By this account.")] = "",
        target: Annotated[str, typer.Option(help="Of this, such as matches/….")] = "",
        method: Annotated[str, typer.Option(help="By this method, such as BanAccount.")] = "",
        verify: Annotated[bool, typer.Option("--check", help="Check every seal of the log.")] = False,
        limit: Limit = 50, as_json: AsJson = False,
    ) -> None:  # fmt: skip
        """List the audit log, the latest entry first; or check that nobody has changed it."""
        with face() as opened:
            if verify:
                found = opened.call("CheckAudit", {})
                _say(found, as_json, lambda found: typer.echo(_sealed(found)))
                raise typer.Exit(1 if found.get("broken") else 0)
            asked = _set(account=_named("accounts", account), target=target, method=method)
            _list(opened, "ListAudit", "entries", asked, limit, as_json, audit_table)

    @command(keys, "list", chosen)
    def list_keys(as_json: AsJson = False) -> None:
        """List the keys that sign access tokens."""
        with face() as opened:
            _say(opened.call("ListSigningKeys", {}), as_json, keys_table)

    @command(keys, "rotate", chosen)
    def rotate(reason: Reason, as_json: AsJson = False) -> None:
        """Make a new key that signs from now on. Tokens of older keys hold until they expire."""
        with face() as opened:
            _say(opened.call("RotateSigningKeys", {"reason": reason}), as_json, keys_table)

    @command(keys, "revoke", chosen)
    def revoke(
        kid: Annotated[str, typer.Argument(help="The id of the key.", show_default=False)],
        reason: Reason, as_json: AsJson = False,
    ) -> None:  # fmt: skip
        """Revoke a key at once, and every token that it signed."""
        with face() as opened:
            _say(opened.call("RevokeSigningKey", {"kid": kid, "reason": reason}), as_json, keys_table)

    @command(key, "create", chosen)
    def create(
        scope: Annotated[list[str], typer.Option(help="read, play, bot, organise, operate, reveal.")],
        title: Annotated[str, typer.Option(help="What the key is for.")] = "Operator",
        account: Annotated[str, typer.Option(help="Whose key; else a new account's.")] = "",
        name: Annotated[str, typer.Option(help="The name of the new account.")] = "",
        expires: Annotated[str, typer.Option(help="When it expires, or in how long: 90d; else never.")] = "",
        reason: Reason = "made at the console", as_json: AsJson = False,
    ) -> None:  # fmt: skip
        """Make an API key, on the database here of any account: the first operator's. Its secret is shown once."""
        with face() as opened:
            ends = _moment("", expires) if re.fullmatch(r"\d+[mhdw]", expires) else _moment(expires, "")
            made = opened.create_key(NewKey(tuple(scope), title, account.rpartition("/")[2], name, ends, reason))
            _say(made, as_json, lambda found: typer.echo(_made(found)))

    return app


def _set(**fields: Any) -> dict[str, Any]:
    """The fields that are set."""
    return {name: value for name, value in fields.items() if value}


def _named(kind: str, given: str) -> str:
    """The name of a resource that may be given by its id."""
    return given if not given or "/" in given else f"{kind}/{given}"


def _moment(until: str, duration: str) -> str:
    """When something ends, in the form of RFC 3339; empty where neither is given. ValueError."""
    if duration:
        found = re.fullmatch(r"(\d{1,6})([mhdw])", duration)
        if found is None or until:
            raise ValueError("a duration is a number with m, h, d or w behind it, and stands alone")
        return (datetime.now(UTC) + timedelta(**{_UNITS[found[2]]: int(found[1])})).isoformat().replace("+00:00", "Z")
    if not until:
        return ""
    moment = datetime.fromisoformat(until)
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _list(
    face: Face, method: str, field: str, asked: Mapping[str, Any], limit: int, as_json: bool,
    table: Callable[[list[Any]], None],
) -> None:  # fmt: skip
    """Lists what a method finds, page by page."""
    found: list[Any] = []
    token = ""
    while len(found) < limit:
        page = face.call(method, {**asked, **_set(page_size=min(limit - len(found), _MOST_A_PAGE), page_token=token)})
        found += page.get(field, [])
        token = page.get("next_page_token", "")
        if not token:
            break
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    table(found)
    if token:
        typer.echo(f"There are more than these {len(found)}: raise --limit.", err=True)


def _say(found: Mapping[str, Any], as_json: bool, say: Callable[[Any], None]) -> None:
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
    else:
        say(found)


def _banned(ban: Mapping[str, Any]) -> str:
    return f"{ban['account']} is banned {'until ' + ban['end_time'] if 'end_time' in ban else 'for good'}."


def _sealed(checked: Mapping[str, Any]) -> str:
    entries, broken = checked.get("entries", 0), checked.get("broken", 0)
    return f"wrong: entry {broken} is changed, or missing." if broken else f"All {entries} entries hold."


def _made(made: Mapping[str, Any]) -> str:
    return (
        f"{made['secret']}\n\n"
        f"This is the secret of {made['api_key']['name']}: it is shown once. Set {KEY} to it, or keep it in a file."
    )
