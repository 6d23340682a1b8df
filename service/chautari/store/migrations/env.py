"""Alembic's way in: it runs the migrations on the connection, and in the transaction, that `store/migrate.py` hands it.

The connection comes in `config.attributes`; with a `metadata` beside it, `alembic revision --autogenerate` compares.
"""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=context.config.attributes.get("metadata"),
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
