"""Accounts that ended: merged into another, or deleted. It is a log, and says what is still to be done with matches."""

import sqlalchemy as sa
from alembic import op

revision = "2026_11_30_who_left"
down_revision = "2026_11_30_operators"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "closing",
        sa.Column("account_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("survivor", sa.String(length=64), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_closing")),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_closing_account_id")),
        sa.ForeignKeyConstraint(["survivor"], ["account.id"], name=op.f("fk_closing_survivor")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_closing_survivor", "closing", ["survivor"], unique=False)
    op.create_index(
        "ix_closing_due_at",
        "closing",
        ["due_at"],
        unique=False,
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )


def downgrade() -> None:
    """Removes the table: what was merged or deleted is an account of nobody's, which its id alone leads to."""
    op.execute("UPDATE account SET kind = 'guest' WHERE kind IN ('merged', 'deleted')")
    op.drop_table("closing")
