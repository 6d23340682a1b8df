"""Identities of providers that are linked to accounts, and the attempts to sign in with them that were completed."""

import sqlalchemy as sa
from alembic import op

revision = "2026_11_30_where"
down_revision = "2026_11_30_watching"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "identity",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.String(length=64), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("linked_at", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_identity")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_identity_issuer")),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_identity_account_id")),
    )
    op.create_index("ix_identity_account_id", "identity", ["account_id"], unique=False)
    op.create_table(
        "spent_attempt",
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("again_until", sa.BigInteger(), nullable=False),
        sa.Column("kept_until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_spent_attempt")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_spent_attempt_kept_until", "spent_attempt", ["kept_until"], unique=False)


def downgrade() -> None:
    """Removes the tables: nobody is linked to anything, and accounts are guests again."""
    op.execute("UPDATE account SET kind = 'guest' WHERE kind = 'linked'")
    op.drop_table("spent_attempt")
    op.drop_table("identity")
