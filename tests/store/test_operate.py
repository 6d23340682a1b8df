"""What every store promises operators, asked of each; and of SQLite, that a log that was tampered with shows it."""

import sqlite3
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import Engine, event

from chautari.app.account_values import SigningKey
from chautari.app.audit import AuditCheck, AuditQuestion, Note, NoteSeen
from chautari.app.bans import Ban
from chautari.app.ports import Overtaken, Store
from chautari.app.searches import AccountQuestion, MatchQuestion
from chautari.app.values import LEAST_PUT_OFF, SECOND, Cause, DueKind, MatchState
from chautari.store import SqliteStore
from tests.store.conftest import KEY, SetClock
from tests.store.made import following, make_account, make_entry, make_request, make_token, new_id
from tests.store.test_port import OVER, add

NOW = 1_790_000_000 * SECOND


def made_note(**changed: object) -> Note:
    """A note of an operator."""
    note = Note(
        account_id="op", key_id="key", origin="10.0.0.1", method="BanAccount", target="accounts/x", reason="spam"
    )
    return msgspec.structs.replace(note, **changed)


# ── The log ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_log_counts_its_entries_and_lists_the_latest_first(store: Store, clock: SetClock) -> None:
    assert await store.last_note() == 0
    assert await store.check_notes() == AuditCheck(0, 0)
    first = await store.note(made_note(detail={"until": "never", "नाम": "सीता"}))
    clock.pass_seconds(5)
    second = await store.note(made_note(account_id=None, method="EndMatch", target="matches/m", outcome="MATCH_OVER"))
    third = await store.note(made_note(method="LiftBan"))
    assert [entry.number for entry in (first, second, third)] == [1, 2, 3]
    assert (second.at, second.note.outcome) == (NOW + 5 * SECOND, "MATCH_OVER")
    assert await store.last_note() == 3
    assert await store.notes(AuditQuestion(), None, 10) == [third, second, first]
    assert await store.notes(AuditQuestion(), 3, 1) == [second]
    assert await store.notes(AuditQuestion(account_id="op"), None, 10) == [third, first]
    assert await store.notes(AuditQuestion(target="accounts/x", method="LiftBan"), None, 10) == [third]
    assert await store.notes(AuditQuestion(account_id="sita"), None, 10) == []
    assert await store.check_notes() == AuditCheck(3, 0)


async def test_a_request_is_noted_once_for_each_operator(store: Store) -> None:
    request = make_request()
    done = await store.note(made_note(request=request))
    assert await store.find_note("op", request) == done
    assert await store.find_note("other", request) is None
    with pytest.raises(NoteSeen) as seen:
        await store.ban(Ban("x", NOW, None, "spam"), made_note(request=request))
    assert seen.value.entry == done
    assert (await store.bans(), await store.last_note()) == ([], 1)
    await store.note(made_note(account_id="other", request=request))


async def test_a_change_of_a_match_is_noted_with_it_or_not_at_all(store: Store) -> None:
    match = await add(store, "sita", "hari")
    over = following(match, **OVER)
    request = make_request()
    with pytest.raises(Overtaken):
        await store.commit(following(over), make_entry(following(over)), audit=made_note(request=request))
    assert await store.last_note() == 0
    await store.commit(over, make_entry(over, cause=Cause.OPERATOR), audit=made_note(request=request))
    assert [entry.note.request for entry in await store.notes(AuditQuestion(), None, 9)] == [request]
    again = following(over)
    with pytest.raises(NoteSeen):
        await store.commit(again, make_entry(again), audit=made_note(request=request))
    found = await store.find_match(match.id)
    assert found is not None
    assert (found.revision, found.state) == (2, MatchState.FINISHED)
    assert await store.standings("sita", 5) == []


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE audit SET reason = 'none' WHERE number = 2",
        "UPDATE audit SET at = at + 1 WHERE number = 2",
        "UPDATE audit SET account_id = NULL WHERE number = 2",
        'UPDATE audit SET detail = \'{"until":"1"}\' WHERE number = 2',
        "UPDATE audit SET seal = randomblob(32) WHERE number = 2",
        "DELETE FROM audit WHERE number = 2",
        "DELETE FROM audit WHERE number = 2; UPDATE audit SET number = 2 WHERE number = 3",
        "UPDATE audit SET number = 9 WHERE number = 2; UPDATE audit SET number = 2 WHERE number = 3",
    ],
)
async def test_a_log_that_was_tampered_with_shows_it(database: Path, tampering: str) -> None:
    store = SqliteStore.open(database, KEY)
    for reason in ("first", "second", "third"):
        await store.note(made_note(reason=reason))
    await store.close()
    outside = sqlite3.connect(database)
    with pytest.raises(sqlite3.IntegrityError, match="only added to"):
        outside.executescript(tampering)
    outside.rollback()
    outside.executescript(f"DROP TRIGGER audit_no_update; DROP TRIGGER audit_no_delete; {tampering}")
    outside.close()
    store = SqliteStore.open(database, KEY)
    assert (await store.check_notes()).broken == 2
    await store.close()


async def test_entries_cut_off_at_the_end_are_missed(database: Path) -> None:
    store = SqliteStore.open(database, KEY)
    for reason in ("first", "second"):
        await store.note(made_note(reason=reason))
    await store.close()
    outside = sqlite3.connect(database)
    outside.executescript("DROP TRIGGER audit_no_delete; DELETE FROM audit WHERE number = 2")
    outside.close()
    store = SqliteStore.open(database, KEY)
    assert await store.check_notes() == AuditCheck(1, 2)
    await store.close()


# ── Bans ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_ban_holds_until_it_is_over_or_lifted(store: Store, clock: SetClock) -> None:
    forever, short = Ban("b", NOW, None, "spam"), Ban("a", NOW, NOW + 60 * SECOND, "रिस")
    for ban in (forever, short):
        await store.ban(ban, made_note(target=f"accounts/{ban.account_id}"))
    assert await store.bans() == [short, forever]
    await store.seats_left(msgspec.structs.replace(forever, at=NOW - 1))
    assert await store.bans() == [short, forever]
    await store.seats_left(forever)
    assert (await store.bans())[1].seats_left
    clock.pass_seconds(60)
    assert [ban.account_id for ban in await store.bans()] == ["b"]
    assert await store.lift_ban("a", made_note()) is None, "it is over"
    lifted = await store.lift_ban("b", made_note(method="LiftBan"))
    assert lifted is not None
    assert (await store.bans(), await store.lift_ban("b", made_note()), await store.last_note()) == ([], None, 3)


async def test_a_ban_takes_the_place_of_another_and_begins_with_its_entry(store: Store, clock: SetClock) -> None:
    await store.ban(Ban("a", NOW, None, "spam"), made_note())
    await store.seats_left(Ban("a", NOW, None, "spam"))
    clock.pass_seconds(5)
    entry = await store.ban(Ban("a", NOW + 4 * SECOND, NOW + 10 * SECOND, "shorter"), made_note())
    assert entry.at == clock()
    assert await store.bans() == [Ban("a", entry.at, NOW + 10 * SECOND, "shorter")]


# ── Keys ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_keys_are_rotated_and_revoked(store: Store, clock: SetClock) -> None:
    old, new, next_one = (
        SigningKey(kid=kid, private="{}", created_at=NOW + at, expires_at=NOW + 3600 * SECOND)
        for at, kid in enumerate(("old", "new", "next"))
    )
    await store.add_signing_key(old)
    entry = await store.change_keys(made_note(method="RotateKeys"), new=new, older_until=NOW + 900 * SECOND)
    assert entry is not None
    assert [(key.kid, key.expires_at) for key in await store.signing_keys()] == [
        ("new", NOW + 3600 * SECOND), ("old", NOW + 900 * SECOND)
    ]  # fmt: skip
    assert await store.change_keys(made_note(), new=next_one, revoked="nothing") is None
    await store.change_keys(made_note(), new=next_one, revoked="new")
    assert [key.kid for key in await store.signing_keys()] == ["next", "old"]
    await store.change_keys(made_note(), new=None, revoked="old")
    clock.pass_seconds(900)
    assert [key.kid for key in await store.signing_keys()] == ["next"]
    assert await store.last_note() == 3


# ── What is found ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_accounts_are_found_by_id_name_and_ban(store: Store) -> None:
    names = ("Sita", "sitara", "सीता", "ÉMILE", "émilie", "Hari")
    made = {name: msgspec.structs.replace(make_account(), display_name=name) for name in names}
    for account in made.values():
        await store.add_account(account, make_token(account.id))

    async def found(**question: object) -> list[str]:
        return [row.account.display_name for row in await store.search_accounts(AccountQuestion(**question), None, 50)]  # type: ignore[arg-type]

    assert await found() == ["Hari", "Sita", "sitara", "ÉMILE", "émilie", "सीता"]
    assert await found(name_prefix="SIT") == ["Sita", "sitara"]
    assert await found(name_prefix="Émi") == ["ÉMILE", "émilie"]
    assert await found(name_prefix="सी") == ["सीता"]
    assert await found(name_prefix="%") == await found(account_id="nobody") == []
    assert await found(account_id=made["Hari"].id) == ["Hari"]
    await store.ban(Ban(made["sitara"].id, NOW, None, "spam"), made_note())
    assert await found(banned=True) == ["sitara"]
    assert await found(banned=True, name_prefix="h") == []
    await store.save_account(msgspec.structs.replace(made["Hari"], display_name="Zed"))
    assert await found(name_prefix="z") == ["Zed"]
    await add(store, made["Hari"].id, None)
    [row] = await store.search_accounts(AccountQuestion(account_id=made["Hari"].id), None, 5)
    assert (row.ban, row.active_matches) == (None, 1)


async def test_accounts_of_one_name_are_all_found_page_by_page(store: Store) -> None:
    ids = sorted(new_id() for _ in range(7))
    for account_id in ids:
        await store.add_account(make_account(account_id), make_token(account_id))
    found: list[str] = []
    after = None
    while True:
        rows = await store.search_accounts(AccountQuestion(name_prefix="सी"), after, 3)
        if not rows:
            break
        found += [row.account.id for row in rows]
        after = (rows[-1].account.display_name.casefold(), rows[-1].account.id)
    assert found == ids


async def test_matches_are_found_by_id_code_member_state_and_game(store: Store) -> None:
    first = await add(store, "sita", None, code="K7M2QX", created_at=1)
    second = await add(store, "hari", "sita", created_at=2, game="bluff")
    third = await add(store, "hari", "gita", created_at=2)
    over = following(third, **OVER)
    await store.commit(over, make_entry(over))
    later = sorted([second.id, third.id], reverse=True)

    async def found(**question: object) -> list[str]:
        return [match.id for match in await store.search_matches(MatchQuestion(**question), None, 50)]  # type: ignore[arg-type]

    assert await found() == [*later, first.id]
    assert await found(match_id=second.id) == await found(game="bluff") == [second.id]
    assert await found(code="K7M2QX") == [first.id]
    assert await found(account_id="sita") == [second.id, first.id]
    assert await found(account_id="hari", state=MatchState.SEATING) == [second.id]
    assert await found(state=MatchState.FINISHED) == [third.id]
    assert await found(code="NOBODY") == await found(account_id="nobody") == []
    [only] = await store.search_matches(MatchQuestion(account_id="sita"), (2, second.id), 5)
    assert (only.id, only.secret, only.snapshot) == (first.id, b"", None)
    assert [match.id for match in await store.search_matches(MatchQuestion(), (2, later[0]), 5)] == [later[1], first.id]
    late = await add(store, "ram", created_at=0, due_kind=DueKind.CLOCK, due_at=1, wake_at=1 + LEAST_PUT_OFF)
    await add(store, "ram", created_at=0, due_kind=DueKind.CLOCK, due_at=1, wake_at=LEAST_PUT_OFF)
    assert await found(failing=True) == [late.id]
    for cursor, behind in (((1, ""), [late.id]), ((0, late.id), [])):
        assert [one.id for one in await store.search_matches(MatchQuestion(failing=True), cursor, 5)] == behind


def test_a_seal_binds_every_field_of_a_note() -> None:
    from chautari.app.audit import FIRST, seal

    request = make_request()
    base = made_note(request=request, detail={"a": "b"})
    others: dict[str, object] = {
        "account_id": None, "key_id": "k", "origin": "o", "method": "m", "target": "t", "reason": "r",
        "outcome": "x", "detail": {}, "request": None,
    }  # fmt: skip
    changed = [base, *(msgspec.structs.replace(base, **{field: value}) for field, value in others.items())]
    assert set(Note.__struct_fields__) == set(others)
    seals = {seal(sha256(b"k").digest(), FIRST, 1, 5, note) for note in changed}
    assert len(seals) == len(changed)


async def test_what_operators_find_is_read_from_an_index_in_its_order(database: Path) -> None:
    """A page costs the same however many accounts and matches there are."""
    store = SqliteStore.open(database, KEY)
    asked: list[tuple[str, tuple[object, ...]]] = []

    def remember(_1: object, _2: object, statement: str, values: tuple[object, ...], *_: object) -> None:
        if statement.startswith("SELECT"):
            asked.append((statement, values))

    event.listen(Engine, "before_cursor_execute", remember)
    await store.search_accounts(AccountQuestion(name_prefix="si"), ("sita", "x"), 5)
    await store.search_accounts(AccountQuestion(), None, 5)
    await store.search_matches(MatchQuestion(state=MatchState.PLAYING), (5, "x"), 5)
    await store.search_matches(MatchQuestion(account_id="sita"), (5, "x"), 5)
    await store.notes(AuditQuestion(target="matches/m"), 7, 5)
    await store.notes(AuditQuestion(), 7, 5)
    await store.search_matches(MatchQuestion(failing=True), (5, "x"), 5)
    event.remove(Engine, "before_cursor_execute", remember)
    await store.close()
    planner = sqlite3.connect(database)
    plans = [[row[3] for row in planner.execute(f"EXPLAIN QUERY PLAN {asks}", values)] for asks, values in asked]
    planner.close()
    assert [plan[0].split(" (")[0] for plan in plans] == [
        "SEARCH account USING INDEX ix_account_folded_name",
        "SCAN account USING INDEX ix_account_folded_name",
        "SEARCH match USING INDEX ix_match_created_at",
        "SEARCH member USING PRIMARY KEY",
        "SEARCH audit USING INDEX ix_audit_target",
        "SEARCH audit USING INTEGER PRIMARY KEY",
        "SCAN match USING INDEX ix_match_wake_at",  # sorted afterwards: those of which something is due are few
    ]
    assert not [line for plan in plans[:-1] for line in plan if "TEMP B-TREE" in line]
