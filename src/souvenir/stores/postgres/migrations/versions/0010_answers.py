"""Until when an answer in progress counts as being written: a process that was killed no longer puts it off."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.get_bind().exec_driver_sql("alter table messages add column alive_until timestamptz")


def downgrade() -> None:
    raise NotImplementedError("Souvenir's schema goes forward only; restore a backup to go back")
