"""Folders whose files can be found, what became of each file, and the jobs that index them."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

TABLES = """
create table sources (
    space_id text collate "C" not null,
    source_id text collate "C" not null,
    root text not null,
    include text[] not null,
    exclude text[] not null,
    watch boolean not null,
    created_at timestamptz not null,
    primary key (space_id, source_id)
);

-- of a digest, since a path may be longer than an index takes
create unique index sources_by_root on sources (space_id, md5(root));

create table source_files (
    space_id text collate "C" not null,
    source_id text collate "C" not null,
    path text collate "C" not null,
    size bigint not null,
    changed_ns bigint not null,
    digest text collate "C",
    status text collate "C" not null,
    format text,
    error text,
    indexed_at timestamptz not null,
    passage_ids bigint[] not null,
    primary key (space_id, source_id, path),
    foreign key (space_id, source_id) references sources on delete cascade,
    check (status in ('indexed', 'skipped', 'failed'))
);

create table source_jobs (
    space_id text collate "C" not null,
    source_id text collate "C" not null,
    job_id text collate "C" not null,
    state text collate "C" not null,
    whole boolean not null,
    paths text[],
    tally jsonb not null,
    queued_at timestamptz not null,
    started_at timestamptz,
    finished_at timestamptz,
    error text,
    primary key (space_id, source_id, job_id),
    foreign key (space_id, source_id) references sources on delete cascade,
    check (state in ('queued', 'running', 'paused', 'done', 'cancelled', 'failed'))
);
"""


def upgrade() -> None:
    op.get_bind().exec_driver_sql(TABLES)


def downgrade() -> None:
    raise NotImplementedError("Souvenir's schema goes forward only; restore a backup to go back")
