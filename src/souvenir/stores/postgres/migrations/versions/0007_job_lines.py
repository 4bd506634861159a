"""An index for jobs that wait for others of their line: without it, every look at a long line goes over all of it."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

INDEX = """
create index procrastinate_jobs_by_line on procrastinate_jobs (lock, priority desc, id)
 where status in ('todo', 'doing') and lock is not null
"""


def upgrade() -> None:
    op.get_bind().exec_driver_sql(INDEX)


def downgrade() -> None:
    raise NotImplementedError("Souvenir's schema goes forward only; restore a backup to go back")
