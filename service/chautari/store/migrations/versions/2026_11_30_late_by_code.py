"""The code of a match is kept when it starts, so that who comes late by it is told so; it is found by an index.

No code is unique there: the next match may have it, which `uq_match_code` sees to. The acts of a match change neither
the code nor what the index is of, so they do not write it.
"""

import sqlalchemy as sa
from alembic import op

revision = "2026_11_30_late_by_code"
down_revision = "2026_11_30_watched"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the index. Matches that have started before have no code any more."""
    where = sa.text("code IS NOT NULL")
    op.create_index("ix_match_code", "match", ["code"], unique=False, sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    """Removes it, and the codes of matches that have started, which the program before would show."""
    op.drop_index("ix_match_code", "match")
    op.execute("UPDATE match SET code = NULL, code_expires_at = NULL WHERE state <> 'seating'")
