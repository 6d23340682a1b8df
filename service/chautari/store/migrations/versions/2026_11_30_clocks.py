"""Clocks: what a match agreed on and how they stand, when it is to be looked at, and how long the service was away.

`due_at` changes with nearly every act of a match that has clocks. `wake_at`, which is never later and seldom moves, has
the index in its place.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "2026_11_30_clocks"
down_revision = "2026_11_30_who_left"
branch_labels = None
depends_on = None

_NEW = ("clock", "clocks", "wake_at")


def upgrade() -> None:
    """Adds columns and the table; what is due is looked at when it is due. Matches under way stay without clocks."""
    _make({"clock": "NULL", "clocks": "NULL", "wake_at": "due_at"})
    op.create_table(
        "pulse",
        sa.Column("number", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("last_alive", sa.BigInteger(), nullable=False),
        sa.Column("outages", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_pulse")),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Removes them: clocks that run stop, and matches go on without."""
    op.execute("UPDATE \"match\" SET due_at = NULL, due_kind = NULL WHERE due_kind = 'clock'")
    op.drop_table("pulse")
    _make({})


def _make(new: dict[str, str]) -> None:
    """Gives the table the columns that are new, each filled with its expression, or takes them away."""
    op.drop_index("ix_match_wake_at" if not new else "ix_match_due_at", table_name="match")
    if op.get_bind().dialect.name == "postgresql":
        _alter(new)
    else:
        _build(new)
    due = ("ix_match_wake_at", ["due_kind", "wake_at"], "wake_at IS NOT NULL")
    name, of, where = due if new else ("ix_match_due_at", ["due_at"], "due_at IS NOT NULL")
    op.create_index(name, "match", of, unique=False, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def _alter(new: dict[str, str]) -> None:
    types: dict[str, sa.types.TypeEngine[Any]] = {
        "clock": sa.Text(),
        "clocks": sa.LargeBinary(),
        "wake_at": sa.BigInteger(),
    }
    for name in _NEW:
        if not new:
            op.drop_column("match", name)
            continue
        op.add_column("match", sa.Column(name, types[name], nullable=True))
        if new[name] != "NULL":
            op.execute(f'UPDATE "match" SET {name} = {new[name]} WHERE {new[name]} IS NOT NULL')


def _build(new: dict[str, str]) -> None:
    """On SQLite the table is built again: its snapshots come last, so that lists do not read their overflow pages."""
    columns: list[sa.Column[Any]] = [
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("phase", sa.String(length=32), nullable=True),
        sa.Column("must", sa.BigInteger(), nullable=False),
        sa.Column("shuffles", sa.Integer(), nullable=False),
        sa.Column("clocks", sa.LargeBinary(), nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("due_kind", sa.String(length=16), nullable=True),
        sa.Column("wake_at", sa.BigInteger(), nullable=True),
        sa.Column("packed", sa.Boolean(), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("privacy", sa.String(length=16), nullable=False),
        sa.Column("disclosure", sa.String(length=16), nullable=False),
        sa.Column("start_rule", sa.String(length=16), nullable=False),
        sa.Column("seating", sa.String(length=16), nullable=False),
        sa.Column("audience", sa.String(length=16), nullable=False),
        sa.Column("spectator_delay", sa.BigInteger(), nullable=False),
        sa.Column("host", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("code", sa.String(length=16), nullable=True),
        sa.Column("code_expires_at", sa.BigInteger(), nullable=True),
        sa.Column("link", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("clock", sa.Text(), nullable=True),
        sa.Column("barred", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("commitment", sa.LargeBinary(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("snapshot", sa.LargeBinary(), nullable=True),
    ]
    columns = [column for column in columns if column.name not in _NEW or new]
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
    for name, of, unique, where in (
        ("ix_match_open", ["created_at", "id"], False, "state = 'seating' AND privacy = 'public'"),
        ("ix_match_created_at", ["created_at", "id"], False, None),
        ("uq_match_code", ["code"], True, "state = 'seating'"),
    ):
        op.create_index(name, "match", of, unique=unique, sqlite_where=None if where is None else sa.text(where))
