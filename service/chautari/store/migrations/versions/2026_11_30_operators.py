"""What operators need: the audit log, bans, and the indexes by which they find accounts and matches.

The log is only added to: triggers refuse the rest. Names are folded here, since SQLite does not know capitals beyond
those of English.
"""

import sqlalchemy as sa
from alembic import op

revision = "2026_11_30_operators"
down_revision = "2026_11_30_where"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables, and folds the names that are there."""
    op.create_table(
        "ban",
        sa.Column("account_id", sa.String(length=64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("seats_left", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_ban")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "audit",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("account_id", sa.String(length=64), nullable=True),
        sa.Column("key_id", sa.String(length=64), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("method", sa.String(length=40), nullable=False),
        sa.Column("target", sa.String(length=128), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("outcome", sa.String(length=64), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("request_id", sa.LargeBinary(length=16), nullable=True),
        sa.Column("request_digest", sa.LargeBinary(length=32), nullable=True),
        sa.Column("seal", sa.LargeBinary(length=32), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_audit")),
    )
    op.create_index(
        "uq_audit_request",
        "audit",
        ["account_id", "request_id"],
        unique=True,
        sqlite_where=sa.text("request_id IS NOT NULL"),
        postgresql_where=sa.text("request_id IS NOT NULL"),
    )
    op.create_index("ix_audit_target", "audit", ["target", "number"])
    op.create_index("ix_audit_account", "audit", ["account_id", "number"])
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_no_{verb.lower()} BEFORE {verb} ON audit "
                "BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END"
            )
    else:
        op.execute(
            "CREATE FUNCTION audit_only_grows() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the audit log is only added to'; END $$"
        )
        op.execute(
            "CREATE TRIGGER audit_only_grows BEFORE UPDATE OR DELETE ON audit "
            "FOR EACH ROW EXECUTE FUNCTION audit_only_grows()"
        )
    op.create_index("ix_match_created_at", "match", ["created_at", "id"])

    with op.batch_alter_table("account") as batch:
        by_code = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
        batch.add_column(sa.Column("folded_name", by_code, nullable=False, server_default=""))
    account = sa.table("account", sa.column("id"), sa.column("display_name"), sa.column("folded_name"))
    connection = op.get_bind()
    names = connection.execute(sa.select(account.c.id, account.c.display_name)).all()
    if names:
        connection.execute(
            sa.update(account).where(account.c.id == sa.bindparam("of")).values(folded_name=sa.bindparam("folded")),
            [{"of": row.id, "folded": row.display_name.casefold()} for row in names],
        )
    with op.batch_alter_table("account") as batch:
        batch.alter_column("folded_name", server_default=None)
    op.create_index("ix_account_folded_name", "account", ["folded_name", "id"])


def downgrade() -> None:
    """Drops them: bans and the log are lost."""
    op.drop_index("ix_account_folded_name", table_name="account")
    with op.batch_alter_table("account") as batch:
        batch.drop_column("folded_name")
    op.drop_index("ix_match_created_at", table_name="match")
    op.drop_table("audit")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION audit_only_grows()")
    op.drop_table("ban")
    op.execute("DELETE FROM server WHERE key = 'audit'")
