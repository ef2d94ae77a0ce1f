"""PostgreSQL keeps samples of what columns hold, for its planner, and outside of their tables.

What people wrote and where they are reached would stay there after it was erased: these columns
are sampled no more.
"""

from django.db import migrations

COLUMNS = (
    ("surveys_comment", "text"),
    ("surveys_response", "answers"),
    ("surveys_waiting", "ciphertext"),
    ("surveys_addressee", "address"),
)


def sample(schema_editor, target):
    if schema_editor.connection.vendor == "postgresql":
        for table, column in COLUMNS:
            schema_editor.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS {target}")


def never(apps, schema_editor):
    sample(schema_editor, 0)


def as_others(apps, schema_editor):
    sample(schema_editor, -1)


class Migration(migrations.Migration):
    dependencies = [("surveys", "0007_spent_batches")]
    operations = [migrations.RunPython(never, as_others)]
