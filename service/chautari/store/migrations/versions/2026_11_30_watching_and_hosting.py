"""What spectators and hosts need: who may watch and how late, how seats are given, who is barred, since when one sits.

Lists tell the phase of a match, so its row holds it. `rematch` was never written and goes: the id of a rematch is made
from the match before it. The table of matches is built anew, since the snapshot has to stay its last column. A match
that nobody starts falls due from now on, counted from its last change.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "2026_11_30_watching"
down_revision = "2026_11_30_api_keys"
branch_labels = None
depends_on = None

_CHANGED = ("phase", "seating", "audience", "spectator_delay", "barred", "rematch")
_DAY = 86_400_000_000


def upgrade() -> None:
    """Builds the table of matches anew, and notes since when a seat is taken."""
    _make(
        {
            "phase": "NULL",
            "barred": "NULL",
            "seating": "'rotated'",
            "spectator_delay": "0",
            "audience": "CASE privacy WHEN 'public' THEN 'everyone' ELSE 'members' END",
        }
    )
    changed = '(SELECT max(at) FROM journal WHERE journal.match_id = "match".id)'
    op.execute(
        f"UPDATE \"match\" SET due_kind = 'expire', due_at = COALESCE({changed}, created_at) + {_DAY} "
        "WHERE state = 'seating' AND due_at IS NULL"
    )
    op.add_column("chair", sa.Column("since", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    """Takes it back; what was arranged for spectators is lost."""
    op.drop_column("chair", "since")
    op.execute("UPDATE \"match\" SET due_at = NULL, due_kind = NULL WHERE due_kind = 'expire'")
    _make({"rematch": "NULL"})


def _make(new: dict[str, str]) -> None:
    """Builds the table with the columns that are new, each filled with its expression, and without those of the other
    version."""
    text, number = sa.String(length=16), sa.BigInteger()
    columns: list[sa.Column[Any]] = [
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("phase", sa.String(length=32), nullable=True),
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
        sa.Column("seating", text, nullable=False),
        sa.Column("audience", text, nullable=False),
        sa.Column("spectator_delay", number, nullable=False),
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
        sa.Column("barred", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("commitment", sa.LargeBinary(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("snapshot", sa.LargeBinary(), nullable=True),
    ]
    if op.get_bind().dialect.name == "postgresql":
        _alter({column.name: column for column in columns}, new)
        return
    columns = [column for column in columns if column.name not in _CHANGED or column.name in new]
    names = [column.name for column in columns]
    op.create_table(
        "_match",
        *columns,
        sa.PrimaryKeyConstraint("id", name=op.f("pk_match")),
        sa.UniqueConstraint("link", name=op.f("uq_match_link")),
    )
    values = ", ".join(new.get(name, name) for name in names)
    op.execute(f'INSERT INTO _match ({", ".join(names)}) SELECT {values} FROM "match"')
    op.drop_table("match")
    op.rename_table("_match", "match")
    seating, public = "state = 'seating'", "state = 'seating' AND privacy = 'public'"
    for name, of, unique, where in (
        ("ix_match_due_at", ["due_at"], False, "due_at IS NOT NULL"),
        ("ix_match_open", ["created_at", "id"], False, public),
        ("uq_match_code", ["code"], True, seating),
    ):
        op.create_index(name, "match", of, unique=unique, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def _alter(columns: dict[str, sa.Column[Any]], new: dict[str, str]) -> None:
    """The same where foreign keys hold on to the table, and the order of columns costs nothing."""
    for name in _CHANGED:
        if name not in new:
            op.execute(f'ALTER TABLE "match" DROP COLUMN IF EXISTS {name}')
            continue
        column = columns[name]
        op.add_column("match", sa.Column(name, column.type, nullable=True))
        op.execute(f'UPDATE "match" SET {name} = {new[name]}')
        op.alter_column("match", name, nullable=column.nullable)
