"""Exact facts, and for each topic of a chat when it was last changed, said and spoken of.

A fact of no chat has the chat id '', a single one the rank 0. A topic's row stays when its facts are gone, so that what
was said earlier and arrives later does not bring them back.
"""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

TABLES = """
create table facts (
    space_id text collate "C" not null,
    chat_id text collate "C" not null,
    topic_key text collate "C" not null,
    kind text collate "C" not null,
    rank integer not null,
    value text not null,
    source_message_id text collate "C",
    created_at timestamptz not null,
    primary key (space_id, chat_id, topic_key, kind, rank),
    check (kind in ('ranked', 'single')),
    check ((kind = 'single') = (rank = 0) and rank >= 0)
);

create index facts_by_topic on facts (space_id, topic_key);

create table fact_topics (
    space_id text collate "C" not null,
    chat_id text collate "C" not null,
    topic_key text collate "C" not null,
    kind text collate "C" not null,
    revised_at timestamptz,
    revised_by text collate "C" not null,
    said_at timestamptz,
    touched_at timestamptz,
    primary key (space_id, chat_id, topic_key, kind)
);

create index fact_topics_by_touch on fact_topics (space_id, chat_id, touched_at);
create index fact_topics_by_topic on fact_topics (space_id, topic_key, said_at);
"""


def upgrade() -> None:
    op.get_bind().exec_driver_sql(TABLES)


def downgrade() -> None:
    raise NotImplementedError("Souvenir's schema goes forward only; restore a backup to go back")
