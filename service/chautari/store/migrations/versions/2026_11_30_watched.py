"""Public matches under way are listed, with a delay also those whose end spectators do not see yet."""

import sqlalchemy as sa
from alembic import op

revision = "2026_11_30_watched"
down_revision = "2026_11_30_clocks"
branch_labels = None
depends_on = None

_INDEXES = (
    ("ix_match_playing", ["created_at", "id"], "state = 'playing' AND privacy = 'public'"),
    ("ix_match_late", ["ended_at"], "privacy = 'public' AND spectator_delay > 0 AND ended_at IS NOT NULL"),
)


def upgrade() -> None:
    """Makes the two indexes."""
    for name, of, where in _INDEXES:
        op.create_index(name, "match", of, unique=False, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def downgrade() -> None:
    """Removes them."""
    for name, _, _ in _INDEXES:
        op.drop_index(name, "match")
