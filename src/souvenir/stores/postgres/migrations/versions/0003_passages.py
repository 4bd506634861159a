"""Passages with their vectors, what has been removed of them, how far each space has come, and external message ids.

A passage's `added` is the revision that brought it, `revision` the one that changed it last. Vectors have whatever
length their model has; a table of mixed models has mixed lengths.
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TABLES = """
create sequence passage_ids as bigint;

create table passages (
    space_id text collate "C" not null,
    passage_id bigint not null,
    added bigint not null,
    revision bigint not null,
    at timestamptz not null,
    until timestamptz,
    start_char integer not null,
    end_char integer not null,
    words integer not null,
    signs smallint not null,
    kind text collate "C" not null,
    chat_id text collate "C",
    message_id text collate "C",
    role text,
    speaker text,
    tags text[] not null,
    category text,
    origin jsonb not null,
    terms text not null,
    text text not null,
    model text collate "C",
    embedding halfvec,
    primary key (space_id, passage_id),
    check ((model is null) = (embedding is null))
);

-- a long text leaves the row before the vector does, since indexes read vectors and never texts
alter table passages alter column embedding set storage main;

create index passages_by_revision on passages (space_id, revision);
create index passages_by_message on passages (space_id, chat_id, message_id);
create index passages_by_model on passages (space_id, model, passage_id);
create index passages_unembedded on passages (space_id, passage_id) where model is null;

create table passage_spaces (
    space_id text collate "C" not null,
    revision bigint not null,
    passages bigint not null,
    removals_since bigint not null,
    primary key (space_id)
);

create table passage_removals (
    space_id text collate "C" not null,
    revision bigint not null,
    passage_id bigint not null,
    at timestamptz not null,
    primary key (space_id, revision, passage_id)
);

create table external_messages (
    space_id text collate "C" not null,
    chat_id text collate "C" not null,
    external_id text collate "C" not null,
    message_id text collate "C" not null,
    primary key (space_id, chat_id, external_id)
);

create index external_messages_by_message on external_messages (space_id, chat_id, message_id);
"""


def upgrade() -> None:
    op.get_bind().exec_driver_sql(TABLES)


def downgrade() -> None:
    raise NotImplementedError("Souvenir's schema goes forward only; restore a backup to go back")
