"""Chats, their messages, and secrets of the installation.

Ids sort by their bytes whatever the database's locale, as cursors and ULIDs need it.
"""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TABLES = """
create table chats (
    space_id text collate "C" not null,
    chat_id text collate "C" not null,
    title text not null,
    last_message text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    message_count integer not null,
    last_message_id text collate "C" not null,
    summary text not null default '',
    summarized_until text collate "C",
    primary key (space_id, chat_id)
);

create index chats_by_activity on chats (space_id, updated_at desc, chat_id desc);

create table messages (
    space_id text collate "C" not null,
    chat_id text collate "C" not null,
    message_id text collate "C" not null,
    role text not null,
    content text not null,
    created_at timestamptz not null,
    status text not null,
    tool_calls jsonb not null,
    partial_tool_calls jsonb not null,
    error text,
    memories jsonb not null,
    primary key (space_id, chat_id, message_id),
    foreign key (space_id, chat_id) references chats on delete cascade
);

create table secrets (
    space_id text collate "C" not null,
    name text collate "C" not null,
    value bytea not null,
    primary key (space_id, name)
);
"""


def upgrade() -> None:
    op.get_bind().exec_driver_sql(TABLES)


def downgrade() -> None:
    raise NotImplementedError("Souvenir's schema goes forward only; restore a backup to go back")
