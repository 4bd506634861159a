"""What is known of spaces too large for memory: how many passages hold each of the common terms, and what is indexed.

The indexes themselves are made when a space needs them, each for one space alone (`large_spaces.py`).
"""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TABLES = """
create table large_spaces (
    space_id text collate "C" not null,
    generation bigint not null,
    counted bigint not null,
    average double precision not null,
    model text collate "C",
    primary key (space_id)
);

create table large_space_terms (
    space_id text collate "C" not null,
    term text collate "C" not null,
    holders bigint not null,
    primary key (space_id, term)
);
"""


def upgrade() -> None:
    op.get_bind().exec_driver_sql(TABLES)


def downgrade() -> None:
    raise NotImplementedError("Souvenir's schema goes forward only; restore a backup to go back")
