"""What operators ask and see, between messages and values."""

from typing import Any, Final

from chautari import engine
from chautari.app.account_values import SigningKey
from chautari.app.audit import AuditEntry, AuditQuestion
from chautari.app.bans import Ban
from chautari.app.caller import Caller
from chautari.app.clocks import shown
from chautari.app.operating import MatchFile
from chautari.app.playing import TableView
from chautari.app.searches import AccountQuestion, AccountRow, MatchQuestion
from chautari.app.stopping import Ending
from chautari.app.values import Match
from chautari.v1 import match_pb2, operate_pb2
from chautari.wire.convert.accounts import account_to_proto
from chautari.wire.convert.matches import STATES, match_to_proto
from chautari.wire.convert.plain import account_name, fill_struct, fill_time, id_of
from chautari.wire.convert.records import fill_entry
from chautari.wire.convert.views import view_to_proto

ENDINGS: Final = {
    operate_pb2.ENDING_ABORT: Ending.ABORT,
    operate_pb2.ENDING_AS_IT_STANDS: Ending.AS_IT_STANDS,
}
_STATES: Final = {number: state for state, number in STATES.items()}
_NOBODY: Final = Caller("")
"""Operators are told what a stranger is, beside what their methods tell: no code and no link."""


def account_question(request: operate_pb2.FindAccountsRequest) -> AccountQuestion:
    """Which accounts to find."""
    return AccountQuestion(
        account_id=id_of(request.account), name_prefix=request.name_prefix.strip(), banned=request.banned
    )


def match_question(request: operate_pb2.FindMatchesRequest) -> MatchQuestion:
    """Which matches to find."""
    return MatchQuestion(
        match_id=id_of(request.match),
        code="".join(request.code.replace("-", "").split()).upper(),
        account_id=id_of(request.account),
        state=_STATES.get(request.state),
        game=id_of(request.game),
        failing=request.failing,
    )


def audit_question(request: operate_pb2.ListAuditRequest) -> AuditQuestion:
    """Which entries of the audit log to list."""
    return AuditQuestion(account_id=id_of(request.account), target=request.target, method=request.method)


def account_file(row: AccountRow) -> operate_pb2.AccountFile:
    """An account as operators see it."""
    message = operate_pb2.AccountFile(
        account=account_to_proto(row.account, own=True), active_matches=row.active_matches
    )  # fmt: skip
    if row.ban is not None:
        message.ban.CopyFrom(ban_to_proto(row.ban))
    return message


def ban_to_proto(ban: Ban) -> operate_pb2.Ban:
    """A ban."""
    message = operate_pb2.Ban(account=account_name(ban.account_id), reason=ban.reason)
    fill_time(message.create_time, ban.at)
    if ban.until is not None:
        fill_time(message.end_time, ban.until)
    return message


def match_for_operators(match: Match) -> match_pb2.Match:
    """A match without code and link."""
    return match_to_proto(match, _NOBODY)


def match_file(file: MatchFile, online: frozenset[str]) -> operate_pb2.InspectMatchResponse:
    """A match as an operator sees it."""
    match = file.match
    table = TableView(
        match=match, seat=None, view=file.view, options=[], online=online, now=file.now,
        clocks=shown(match, file.outages),
    )  # fmt: skip
    message = operate_pb2.InspectMatchResponse(
        match=match_to_proto(match, _NOBODY, online), view=view_to_proto(table), due_kind=match.due_kind or ""
    )
    if match.due_at is not None:
        fill_time(message.due_time, match.due_at + file.outages)
    if match.wake_at is not None and match.is_put_off:
        fill_time(message.retry_time, match.wake_at + file.outages)
    for item in file.recent:
        fill_entry(message.recent.add(), item, whole=file.position is not None)
    if file.position is not None:
        _reveal(message, file.position)
    return message


def _reveal(message: operate_pb2.InspectMatchResponse, position: engine.Position[Any]) -> None:
    for name, cards in position.zones.items():
        message.zones.add(zone=name, cards=[card.text for card in cards])
    facts = position.game.facts_declared
    fill_struct(message.facts, {fact.name: engine.plain(getattr(position.facts, fact.field)) for fact in facts})


def signing_keys(keys: list[SigningKey]) -> operate_pb2.ListSigningKeysResponse:
    """The keys that sign, without what makes them sign."""
    message = operate_pb2.ListSigningKeysResponse()
    for number, key in enumerate(keys):
        file = message.keys.add(kid=key.kid, signs=number == 0)
        fill_time(file.create_time, key.created_at)
        fill_time(file.expire_time, key.expires_at)
    return message


def audit_entry(entry: AuditEntry) -> operate_pb2.AuditEntry:
    """An entry of the audit log."""
    note = entry.note
    message = operate_pb2.AuditEntry(
        number=entry.number, account=account_name(note.account_id), key=note.key_id, origin=note.origin,
        method=note.method, target=note.target, reason=note.reason, outcome=note.outcome, detail=note.detail,
        seal=entry.seal,
    )  # fmt: skip
    fill_time(message.time, entry.at)
    return message
