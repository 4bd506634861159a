"""Memories with their versions, what happened to them, open conflicts, keys of what has been formed, and spend.

A memory stands while it is neither superseded nor deleted, expired or not: a space has one that stands of a sentence
and of a lineage. `content_key` is what texts of one sentence share, `folded` the text as lists look for words in it.
"""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

TABLES = """
create table memories (
    space_id text collate "C" not null,
    memory_id text collate "C" not null,
    lineage text collate "C" not null,
    version integer not null,
    content text not null,
    folded text not null,
    content_key bytea not null,
    category text not null,
    importance integer not null,
    confidence double precision not null,
    reasoning text not null,
    lifetime text not null,
    path text not null,
    said_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    expires_at timestamptz,
    origin jsonb,
    verified boolean not null,
    superseded_by text collate "C",
    superseded_at timestamptz,
    deleted_at timestamptz,
    passage_id bigint not null,
    ups integer not null,
    downs integer not null,
    uses integer not null,
    used_at timestamptz,
    primary key (space_id, memory_id),
    unique (space_id, lineage, version),
    unique (space_id, passage_id),
    check ((superseded_by is null) = (superseded_at is null)),
    check (superseded_at is null or deleted_at is null)
);

-- counting those that are active reads this index alone
create unique index memories_standing on memories (space_id, content_key) include (expires_at)
    where superseded_at is null and deleted_at is null;
create unique index memories_heads on memories (space_id, lineage)
    where superseded_at is null and deleted_at is null;
create index memories_by_end on memories (space_id, least(expires_at, superseded_at, deleted_at))
    where least(expires_at, superseded_at, deleted_at) is not null;

create table memory_audit (
    space_id text collate "C" not null,
    number bigint generated always as identity,
    event text collate "C" not null,
    memory_id text collate "C" not null,
    other text collate "C",
    old_text text,
    new_text text,
    reason text not null,
    done_by text not null,
    at timestamptz not null,
    primary key (space_id, number)
);

create index memory_audit_by_memory on memory_audit (space_id, memory_id);
create index memory_audit_by_other on memory_audit (space_id, other) where other is not null;
create index memory_audit_by_event on memory_audit (space_id, event);
create index memory_audit_of_none on memory_audit (space_id, at) where memory_id = '';

create table memory_conflicts (
    space_id text collate "C" not null,
    conflict_id text collate "C" not null,
    older text collate "C" not null,
    newer text collate "C" not null,
    reason text not null,
    opened_at timestamptz not null,
    primary key (space_id, conflict_id),
    unique (space_id, older, newer)
);

create index memory_conflicts_by_newer on memory_conflicts (space_id, newer);

create table memory_keys (
    space_id text collate "C" not null,
    key text collate "C" not null,
    at timestamptz not null,
    primary key (space_id, key)
);

create table spend (
    space_id text collate "C" not null,
    day date not null,
    purpose text collate "C" not null,
    tokens bigint not null,
    primary key (space_id, day, purpose)
);
"""


def upgrade() -> None:
    op.get_bind().exec_driver_sql(TABLES)


def downgrade() -> None:
    raise NotImplementedError("Souvenir's schema goes forward only; restore a backup to go back")
