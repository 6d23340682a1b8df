"""The tables. The migrations build them; a test finds no drift between the two.

Times are whole microseconds since 1970 UTC. Texts of a closed set are the values of enums in `app.values` and
`app.account_values`. Nothing here is SQLite's alone but the hint `sqlite_with_rowid`, which keeps small rows in the
tree of their primary key.
"""

from typing import Any, Final

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    event,
    text,
)

metadata: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

BY_CODE: Final = Text().with_variant(Text(collation="C"), "postgresql")
"""A text that is sorted by the codes of its characters, whatever the language of the database."""


def _index_some(name: str, *columns: Column[Any], where: ColumnElement[bool], unique: bool = False) -> None:
    """An index of those rows of which this holds."""
    Index(name, *columns, unique=unique, sqlite_where=where, postgresql_where=where)


def _know_requests(table: Table) -> None:
    """No two rows of one account are of the same request; some are of none."""
    account_id, request_id = table.c.account_id, table.c.request_id
    _index_some(f"uq_{table.name}_request", account_id, request_id, where=request_id.is_not(None), unique=True)


account: Final = Table(
    "account",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("display_name", Text, nullable=False),
    Column("language", String(35), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("folded_name", BY_CODE, nullable=False),  # the name without capitals, to be found by
    sqlite_with_rowid=False,
)
Index("ix_account_folded_name", account.c.folded_name, account.c.id)

refresh_token: Final = Table(
    "refresh_token",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column("family", String(64), nullable=False, index=True),
    Column("account_id", ForeignKey("account.id"), nullable=False, index=True),
    Column("expires_at", BigInteger, nullable=False, index=True),
    Column("used_at", BigInteger),
    sqlite_with_rowid=False,
)

api_key: Final = Table(
    "api_key",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("account_id", ForeignKey("account.id"), nullable=False, index=True),
    Column("digest", LargeBinary(32), nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("scopes", String(64), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("last_used_at", BigInteger),
    Column("made_by", String(64)),  # another key
    Column("revoked_at", BigInteger),
    Column("request_id", LargeBinary(16)),
    Column("request_digest", LargeBinary(32)),
)
_know_requests(api_key)

revocation: Final = Table(  # what access tokens and keys must not be taken for any more, for as long as one may live
    "revocation",
    metadata,
    Column("subject", String(64), primary_key=True),  # the family of a sign-in, or the id of a key
    Column("at", BigInteger, nullable=False, index=True),
    sqlite_with_rowid=False,
)

identity: Final = Table(
    "identity",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("account_id", ForeignKey("account.id"), nullable=False, index=True),
    Column("issuer", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("linked_at", BigInteger, nullable=False),
    Column("last_used_at", BigInteger),
    UniqueConstraint("issuer", "subject"),
)

closing: Final = Table(  # accounts that ended: the log of merges and deletions
    "closing",
    metadata,
    Column("account_id", ForeignKey("account.id"), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("survivor", ForeignKey("account.id"), index=True),
    Column("at", BigInteger, nullable=False),
    Column("due_at", BigInteger),
    sqlite_with_rowid=False,
)
_index_some("ix_closing_due_at", closing.c.due_at, where=closing.c.due_at.is_not(None))

spent_attempt: Final = Table(  # attempts to sign in with an identity that were completed
    "spent_attempt",
    metadata,
    Column("digest", LargeBinary(32), primary_key=True),
    Column("again_until", BigInteger, nullable=False),
    Column("kept_until", BigInteger, nullable=False, index=True),
    sqlite_with_rowid=False,
)

signing_key: Final = Table(
    "signing_key",
    metadata,
    Column("kid", String(64), primary_key=True),
    Column("private", LargeBinary, nullable=False),  # sealed
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
)

match: Final = Table(
    "match",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("phase", String(32)),  # None where no act has been written yet since lists tell it
    Column("must", BigInteger, nullable=False),  # the seats whose clocks run, as bits
    Column("shuffles", Integer, nullable=False),
    Column("clocks", LargeBinary),  # how they stand
    Column("due_at", BigInteger),  # in service time
    Column("due_kind", String(16)),
    Column("wake_at", BigInteger),  # after due_at only if claimed or put off; moved seldom, for it has an index
    Column("packed", Boolean(create_constraint=False), nullable=False),
    Column("game", String(32), nullable=False),
    Column("rules_version", Integer, nullable=False),
    Column("privacy", String(16), nullable=False),
    Column("disclosure", String(16), nullable=False),
    Column("start_rule", String(16), nullable=False),
    Column("seating", String(16), nullable=False),
    Column("audience", String(16), nullable=False),
    Column("spectator_delay", BigInteger, nullable=False),
    Column("host", String(64), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("started_at", BigInteger),
    Column("ended_at", BigInteger),
    Column("code", String(16)),
    Column("code_expires_at", BigInteger),
    Column("link", String(64), nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("settings", Text, nullable=False),  # JSON
    Column("clock", Text),  # JSON; None where there is none
    Column("barred", Text),  # JSON; None for nobody
    Column("outcome", Text),  # JSON
    Column("commitment", LargeBinary, nullable=False),
    Column("secret", LargeBinary, nullable=False),  # sealed
    Column("snapshot", LargeBinary),  # the last: lists that leave it out do not read its overflow pages
)
_seating: Final = match.c.state == "seating"
_public: Final = match.c.privacy == "public"
_late: Final = _public & (match.c.spectator_delay > 0) & match.c.ended_at.is_not(None)
_index_some("uq_match_code", match.c.code, where=_seating, unique=True)
_index_some("ix_match_code", match.c.code, where=match.c.code.is_not(None))  # also that of one that has begun
_index_some("ix_match_open", match.c.created_at, match.c.id, where=_seating & _public)
_index_some("ix_match_playing", match.c.created_at, match.c.id, where=(match.c.state == "playing") & _public)
_index_some("ix_match_late", match.c.ended_at, where=_late)  # whose end some do not see yet
Index("ix_match_created_at", match.c.created_at, match.c.id)
_index_some("ix_match_wake_at", match.c.due_kind, match.c.wake_at, where=match.c.wake_at.is_not(None))

chair: Final = Table(
    "chair",
    metadata,
    Column("match_id", ForeignKey("match.id"), primary_key=True),
    Column("number", SmallInteger, primary_key=True, autoincrement=False),
    Column("state", String(16), nullable=False),
    Column("account_id", String(64)),
    Column("display_name", Text, nullable=False),
    Column("contribution", LargeBinary),
    Column("since", Integer, server_default="0", nullable=False),
    sqlite_with_rowid=False,
)

member: Final = Table(  # who sits in a match, has a seat held, or hosts it: sorted as the lists of an account are
    "member",
    metadata,
    Column("account_id", String(64), primary_key=True),
    Column("created_at", BigInteger, primary_key=True, autoincrement=False),  # the match's
    Column("match_id", ForeignKey("match.id"), primary_key=True),
    Column("active", Boolean(create_constraint=False), nullable=False),  # whether the match is not over
    sqlite_with_rowid=False,
)
Index(
    "ix_member_active", member.c.account_id, member.c.active, member.c.created_at, member.c.match_id,
    sqlite_where=text("active = 1"), postgresql_where=text("active"),
)  # fmt: skip

journal: Final = Table(  # an entry is added with its match only: a foreign key would cost each act another look-up
    "journal",
    metadata,
    Column("match_id", String(64), primary_key=True),
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("cause", String(16), nullable=False),
    Column("seat", SmallInteger),
    Column("account_id", String(64)),
    Column("action", Text, nullable=False),
    Column("events", LargeBinary, nullable=False),
    Column("request_id", LargeBinary(16)),
    Column("request_digest", LargeBinary(32)),
    sqlite_with_rowid=False,
)
_know_requests(journal)

packed: Final = Table(
    "packed",
    metadata,
    Column("match_id", ForeignKey("match.id"), primary_key=True),
    Column("entries", Integer, nullable=False),  # how many it holds
    Column("blob", LargeBinary, nullable=False),
)

ban: Final = Table(  # those in force, and those that have run out since the last was added
    "ban",
    metadata,
    Column("account_id", String(64), primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("until", BigInteger),
    Column("reason", Text, nullable=False),
    Column("seats_left", Boolean(create_constraint=False), nullable=False),  # whether its seats are given up
    sqlite_with_rowid=False,
)

audit: Final = Table(
    "audit",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("account_id", String(64)),
    Column("key_id", String(64), nullable=False),
    Column("origin", Text, nullable=False),
    Column("method", String(40), nullable=False),
    Column("target", String(128), nullable=False),
    Column("reason", Text, nullable=False),
    Column("outcome", String(64), nullable=False),
    Column("detail", Text, nullable=False),  # JSON
    Column("request_id", LargeBinary(16)),
    Column("request_digest", LargeBinary(32)),
    Column("seal", LargeBinary(32), nullable=False),
)
_know_requests(audit)
Index("ix_audit_target", audit.c.target, audit.c.number)
Index("ix_audit_account", audit.c.account_id, audit.c.number)
for _verb in ("UPDATE", "DELETE"):  # not even by mistake; the seals are for what is no mistake
    _refusal = DDL(  # type: ignore[no-untyped-call]  # the stubs of SQLAlchemy leave it so
        f"CREATE TRIGGER audit_no_{_verb.lower()} BEFORE {_verb} ON audit "
        "BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END"
    )
    event.listen(audit, "after_create", _refusal.execute_if(dialect="sqlite"))

server: Final = Table(
    "server",
    metadata,
    Column("key", String(32), primary_key=True),
    Column("value", Text, nullable=False),
    sqlite_with_rowid=False,
)

pulse: Final = Table(  # one row: when the service was alive last, and how long it has not been, all together
    "pulse",
    metadata,
    Column("number", SmallInteger, primary_key=True, autoincrement=False),
    Column("last_alive", BigInteger, nullable=False),
    Column("outages", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
