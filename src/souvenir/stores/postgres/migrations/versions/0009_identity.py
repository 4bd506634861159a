"""An index of who users are: every turn asks.

One of all categories would be taken by the planner only where it knows how much a space holds, and it seldom does.
"""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

INDEX = """
create index memories_of_identity on memories (space_id, memory_id)
 where category = 'identity' and superseded_at is null and deleted_at is null
"""


def upgrade() -> None:
    op.get_bind().exec_driver_sql(INDEX)


def downgrade() -> None:
    raise NotImplementedError("Souvenir's schema goes forward only; restore a backup to go back")
