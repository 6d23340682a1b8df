"""How `chautari admin` shows what it finds: as tables, with nothing in them that a terminal would obey."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chautari.app.signs import printable

Found = Mapping[str, Any]

_COPIED: Final = ("Account", "Match", "Key", "Target")
"""What people copy from here: it stays on one line, however narrow the terminal."""


def accounts_table(found: Sequence[Found]) -> None:
    """Accounts, one a row."""
    table = _table("Account", "Name", "Kind", "Made", "Matches", "Banned until")
    for file in found:
        account, ban = file["account"], file.get("ban")
        until = "" if ban is None else ban.get("end_time", "for good")
        kind = account.get("kind", "").removeprefix("ACCOUNT_KIND_").lower()
        made = account.get("create_time", "")
        _add(table, account["name"], account.get("display_name", ""), kind, made, file.get("active_matches", 0), until)
    _print(table)


def matches_table(found: Sequence[Found]) -> None:
    """Matches, one a row."""
    table = _table("Match", "Game", "State", "Made", "Revision", "Seats", "Title")
    for match in found:
        names = [seat.get("display_name") or "·" for seat in match.get("seats", [])]
        state = match["state"].removeprefix("MATCH_STATE_").lower()
        game = match["game"].removeprefix("games/")
        made, title = match.get("create_time", ""), match.get("title", "")
        _add(table, match["name"], game, state, made, match["revision"], ", ".join(names), title)
    _print(table)


def keys_table(found: Found) -> None:
    """Signing keys, one a row."""
    table = _table("Key", "Made", "Accepted until", "Signs")
    for key in found.get("keys", []):
        _add(table, key["kid"], key["create_time"], key["expire_time"], "yes" if key.get("signs") else "")
    _print(table)


def audit_table(found: Sequence[Found]) -> None:
    """Entries of the audit log, one a row."""
    table = _table("No", "When", "Who", "Method", "Target", "Outcome", "Reason", "More")
    for entry in found:
        who = entry.get("account") or entry.get("origin", "")
        more = ", ".join(f"{name} {value}" for name, value in sorted(entry.get("detail", {}).items()))
        _add(
            table, entry["number"], entry["time"], who, entry["method"], entry.get("target", ""), entry["outcome"],
            entry.get("reason", ""), more,
        )  # fmt: skip
    _print(table)


def show_match(found: Found) -> None:
    """A match: what it is, how the table lies, its latest entries, and with a reveal what is hidden."""
    match, view = found["match"], found.get("view", {})
    matches_table([match])
    table = _table("Zone", "Cards", "Faces")
    hidden = {zone["zone"]: zone.get("cards", []) for zone in found.get("zones", [])}
    for zone in view.get("zones", []):
        _add(
            table, zone["name"], zone.get("count", 0), " ".join(hidden.get(zone["name"], zone.get("cards", [])))
        )  # fmt: skip
    _print(table)
    facts = found.get("facts") or view.get("facts", {})
    lines = [f"{name}: {value}" for name, value in sorted(facts.items())]
    if "due_time" in found:
        lines.append(f"due at {found['due_time']}: {found['due_kind']}")
    if "retry_time" in found:
        lines.append(f"which failed, and is tried again at {found['retry_time']}")
    for entry in found.get("recent", []):
        cause = entry["cause"].removeprefix("CAUSE_").lower()
        seat = f" {entry['seat']}" if "seat" in entry else ""
        lines.append(f"{entry['revision']} {entry['time']} {cause}{seat} {entry.get('action', '')}".rstrip())
    for line in lines:
        _print(Text(printable(line)))


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold", no_wrap=heading in _COPIED)
    return table


def _add(table: Table, *cells: Any) -> None:
    table.add_row(*(Text(printable(str(cell))) for cell in cells))


def _print(shown: Any) -> None:
    Console().print(shown)
