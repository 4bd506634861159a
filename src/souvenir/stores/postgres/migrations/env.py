"""Alembic's entry: runs the revisions on the connection that `migrate` hands over, in its transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
