"""API keys, and what was revoked lately: access tokens are checked without asking, so each process has to be told."""

import sqlalchemy as sa
from alembic import op

revision = "2026_11_30_api_keys"
down_revision = "2026_11_29_first"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "api_key",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("scopes", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("made_by", sa.String(length=64), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.Column("request_id", sa.LargeBinary(length=16), nullable=True),
        sa.Column("request_digest", sa.LargeBinary(length=32), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_key")),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_api_key_account_id")),
        sa.UniqueConstraint("digest", name=op.f("uq_api_key_digest")),
    )
    op.create_index("ix_api_key_account_id", "api_key", ["account_id"], unique=False)
    op.create_index(
        "uq_api_key_request",
        "api_key",
        ["account_id", "request_id"],
        unique=True,
        sqlite_where=sa.text("request_id IS NOT NULL"),
        postgresql_where=sa.text("request_id IS NOT NULL"),
    )
    op.create_table(
        "revocation",
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("subject", name=op.f("pk_revocation")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_revocation_at", "revocation", ["at"], unique=False)


def downgrade() -> None:
    """Removes the tables: every key is gone, and access tokens that were revoked hold until they expire."""
    op.drop_table("revocation")
    op.drop_table("api_key")
