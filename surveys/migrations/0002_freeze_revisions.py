"""A revision never changes: the database itself refuses, whoever asks."""

from django.db import migrations

MESSAGE = "a launched revision never changes"

SQLITE = (
    f"""CREATE TRIGGER revision_is_frozen BEFORE UPDATE ON surveys_revision
    BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END""",
)
POSTGRESQL = (
    f"""CREATE FUNCTION refuse_revision_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION '{MESSAGE}' USING ERRCODE = 'integrity_constraint_violation'; END $$""",
    """CREATE TRIGGER revision_is_frozen BEFORE UPDATE ON surveys_revision
    FOR EACH ROW EXECUTE FUNCTION refuse_revision_change()""",
)


def create(apps, schema_editor):
    statements = SQLITE if schema_editor.connection.vendor == "sqlite" else POSTGRESQL
    for statement in statements:
        schema_editor.execute(statement)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER revision_is_frozen")
    else:
        schema_editor.execute("DROP TRIGGER revision_is_frozen ON surveys_revision")
        schema_editor.execute("DROP FUNCTION refuse_revision_change()")


class Migration(migrations.Migration):
    dependencies = [("surveys", "0001_initial")]
    operations = [migrations.RunPython(create, drop)]
