"""The first tables: accounts and how they sign in, matches, their chairs and journals, and the server itself."""

import sqlalchemy as sa
from alembic import op

revision = "2026_11_29_first"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "account",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("language", sa.String(length=35), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "journal",
        sa.Column("match_id", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("cause", sa.String(length=16), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=True),
        sa.Column("account_id", sa.String(length=64), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("events", sa.LargeBinary(), nullable=False),
        sa.Column("request_id", sa.LargeBinary(length=16), nullable=True),
        sa.Column("request_digest", sa.LargeBinary(length=32), nullable=True),
        sa.PrimaryKeyConstraint("match_id", "revision", name=op.f("pk_journal")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "uq_journal_request",
        "journal",
        ["account_id", "request_id"],
        unique=True,
        sqlite_where=sa.text("request_id IS NOT NULL"),
        postgresql_where=sa.text("request_id IS NOT NULL"),
    )

    op.create_table(
        "match",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("must", sa.BigInteger(), nullable=False),
        sa.Column("shuffles", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("due_kind", sa.String(length=16), nullable=True),
        sa.Column("packed", sa.Boolean(), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("privacy", sa.String(length=16), nullable=False),
        sa.Column("disclosure", sa.String(length=16), nullable=False),
        sa.Column("start_rule", sa.String(length=16), nullable=False),
        sa.Column("host", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("code", sa.String(length=16), nullable=True),
        sa.Column("code_expires_at", sa.BigInteger(), nullable=True),
        sa.Column("link", sa.String(length=64), nullable=False),
        sa.Column("rematch", sa.String(length=64), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("commitment", sa.LargeBinary(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("snapshot", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_match")),
        sa.UniqueConstraint("link", name=op.f("uq_match_link")),
    )
    op.create_index(
        "ix_match_due_at",
        "match",
        ["due_at"],
        unique=False,
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(
        "ix_match_open",
        "match",
        ["created_at", "id"],
        unique=False,
        sqlite_where=sa.text("state = 'seating' AND privacy = 'public'"),
        postgresql_where=sa.text("state = 'seating' AND privacy = 'public'"),
    )
    op.create_index(
        "uq_match_code",
        "match",
        ["code"],
        unique=True,
        sqlite_where=sa.text("state = 'seating'"),
        postgresql_where=sa.text("state = 'seating'"),
    )

    op.create_table(
        "server",
        sa.Column("key", sa.String(length=32), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_server")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "signing_key",
        sa.Column("kid", sa.String(length=64), nullable=False),
        sa.Column("private", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kid", name=op.f("pk_signing_key")),
    )
    op.create_table(
        "chair",
        sa.Column("match_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("account_id", sa.String(length=64), nullable=True),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("contribution", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_chair_match_id")),
        sa.PrimaryKeyConstraint("match_id", "number", name=op.f("pk_chair")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "member",
        sa.Column("account_id", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("match_id", sa.String(length=64), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_member_match_id")),
        sa.PrimaryKeyConstraint("account_id", "created_at", "match_id", name=op.f("pk_member")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_member_active",
        "member",
        ["account_id", "active", "created_at", "match_id"],
        unique=False,
        sqlite_where=sa.text("active = 1"),
        postgresql_where=sa.text("active"),
    )

    op.create_table(
        "packed",
        sa.Column("match_id", sa.String(length=64), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("blob", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_packed_match_id")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_packed")),
    )
    op.create_table(
        "refresh_token",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("family", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.String(length=64), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_refresh_token_account_id")),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_refresh_token")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_refresh_token_account_id", "refresh_token", ["account_id"], unique=False)
    op.create_index("ix_refresh_token_expires_at", "refresh_token", ["expires_at"], unique=False)
    op.create_index("ix_refresh_token_family", "refresh_token", ["family"], unique=False)


def downgrade() -> None:
    """Removes the tables and all that is in them."""

    op.drop_table("refresh_token")
    op.drop_table("packed")

    op.drop_table("member")
    op.drop_table("chair")
    op.drop_table("signing_key")
    op.drop_table("server")

    op.drop_table("match")

    op.drop_table("journal")
    op.drop_table("account")
