"""API keys, embedding models, and the job queue's tables.

Every table of ours is led by `space_id`; what belongs to the whole installation lives in the space `global`.
"""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = """
create table api_keys (
    space_id text not null,
    key_id text not null,
    secret_hash bytea not null,
    name text not null,
    user_id text,
    orgs text[] not null,
    projects text[] not null,
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    primary key (space_id, key_id)
);

create table embedding_models (
    space_id text not null,
    model text not null,
    dimension integer not null check (dimension between 1 and 16000),
    created_at timestamptz not null,
    primary key (space_id, model)
);

create table job_keys (
    space_id text not null,
    key text not null,
    job_id bigint,
    created_at timestamptz not null,
    primary key (space_id, key)
);

create table job_errors (
    space_id text not null,
    job_id bigint not null,
    error text not null,
    failed_at timestamptz not null,
    primary key (space_id, job_id)
);
"""


def upgrade() -> None:
    # a copy of what procrastinate 3.10 ships, so that this revision stays what it is when the library moves on
    queue = Path(__file__).parents[1] / "procrastinate_3_10.sql"
    for statements in (TABLES, queue.read_text(encoding="utf-8")):
        op.get_bind().exec_driver_sql(statements.replace("%", "%%"))


def downgrade() -> None:
    raise NotImplementedError("Souvenir's schema goes forward only; restore a backup to go back")
