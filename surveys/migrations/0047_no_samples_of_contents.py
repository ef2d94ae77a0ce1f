"""No column that holds contents is sampled, and no sample is kept that was taken.

PostgreSQL keeps samples of columns outside of their tables. A target of 0 stops new ones and keeps
the old; a change of the column to the type that it has removes them, and writes no row anew. The
file in which they stood is written anew afterwards, outside of a transaction, as VACUUM wants it.
"""

from django.db import migrations

COLUMNS = {
    "surveys_response": ("answers",),
    "surveys_comment": ("text",),
    "surveys_extract": ("document",),
    "surveys_ratingcount": ("item", "level", "count"),
    "surveys_answercount": ("cell", "count"),
    "surveys_jointcount": ("total", "content", "problem", "counted"),
    "surveys_export": ("total", "written", "size", "problem"),
    "surveys_dailycount": ("at_least",),
    "surveys_waiting": ("ciphertext",),
    "surveys_sealed": ("content",),
    "surveys_submissionkey": ("digest", "content"),
    "surveys_invitation": ("digest",),
    "surveys_mailing": ("subject", "message", "problem"),
    "surveys_addressee": ("address", "problem"),
    "surveys_openings": ("recovery",),
    "django_tasks_database_dbtaskresult": ("traceback",),
}
BEFORE = {  # without samples since 0008_no_samples
    ("surveys_comment", "text"),
    ("surveys_response", "answers"),
    ("surveys_waiting", "ciphertext"),
    ("surveys_addressee", "address"),
}
TYPE = """SELECT format_type(atttypid, atttypmod) FROM pg_attribute
WHERE attrelid = %s::regclass AND attname = %s"""


def named():
    return [(table, column) for table, columns in COLUMNS.items() for column in columns]


def forget(apps, schema_editor):
    """Sample none of them any more, and remove the samples that were taken."""
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        for table, column in named():
            cursor.execute(TYPE, [table, column])
            (same,) = cursor.fetchone()
            cursor.execute(f'ALTER TABLE "{table}" ALTER COLUMN "{column}" SET STATISTICS 0')
            cursor.execute(f'ALTER TABLE "{table}" ALTER COLUMN "{column}" TYPE {same}')


def as_before(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for table, column in named():
            if (table, column) not in BEFORE:
                schema_editor.execute(
                    f'ALTER TABLE "{table}" ALTER COLUMN "{column}" SET STATISTICS -1'
                )


def rewrite(apps, schema_editor):
    """Who does not own the database gets a warning; then the space is used again by and by."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("VACUUM (FULL) pg_statistic")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("surveys", "0046_spent_opening_keys"),
        ("django_tasks_database", "0012_add_separate_exception_fields"),
    ]
    operations = [
        migrations.RunPython(forget, as_before, atomic=True),
        migrations.RunPython(rewrite, migrations.RunPython.noop),
    ]
