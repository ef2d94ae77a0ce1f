"""What a launched survey promised never changes, and the audit log only grows.

The database itself refuses, whoever asks. Rows that change after launch on purpose: who owns the
survey, its plan, its last day, an earlier day of deletion, and its state, forwards only.
"""

from django.db import migrations

FROZEN = (
    "title",
    "introduction",
    "organisation",
    "contact",
    "minutes",
    "invitation_only",
    "batch_size",
)
SURVEY_MESSAGE = "what a launched survey promised never changes"
QUESTION_MESSAGE = "the questions of a launched survey never change"
REVISION_MESSAGE = "a launched revision is never deleted"
AUDIT_MESSAGE = "the audit log only grows"

PROMISE_BROKEN = (
    "OLD.state <> 'draft' AND ("
    + " OR ".join(f"NEW.{name} <> OLD.{name}" for name in FROZEN)
    + " OR NEW.state = 'draft' OR (OLD.state = 'closed' AND NEW.state <> 'closed')"
    " OR (OLD.delete_on IS NOT NULL AND (NEW.delete_on IS NULL OR NEW.delete_on > OLD.delete_on)))"
)
SURVEY_OF = {
    "surveys_question": "SELECT state FROM surveys_survey WHERE id = {row}.survey_id",
    "surveys_option": (
        "SELECT s.state FROM surveys_survey s JOIN surveys_question q ON q.survey_id = s.id"
        " WHERE q.id = {row}.question_id"
    ),
}


def launched(table, row):
    return f"COALESCE(({SURVEY_OF[table].format(row=row)}), 'draft') <> 'draft'"


def triggers():
    """(name, table, event, condition, message) of each."""
    yield "survey_is_frozen", "surveys_survey", "UPDATE", PROMISE_BROKEN, SURVEY_MESSAGE
    yield "revision_stays", "surveys_revision", "DELETE", "TRUE", REVISION_MESSAGE
    for event in ("UPDATE", "DELETE"):
        yield f"audit_{event.lower()}", "surveys_auditentry", event, "TRUE", AUDIT_MESSAGE
    for table in SURVEY_OF:
        for event, row in (("INSERT", "NEW"), ("UPDATE", "OLD"), ("DELETE", "OLD")):
            name = f"{table.removeprefix('surveys_')}_{event.lower()}"
            yield name, table, event, launched(table, row), QUESTION_MESSAGE


def create(apps, schema_editor):
    for name, table, event, condition, message in triggers():
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(
                f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN {condition}"
                f" BEGIN SELECT RAISE(ABORT, '{message}'); END"
            )
        else:
            kept = "OLD" if event == "DELETE" else "NEW"
            schema_editor.execute(
                f"CREATE FUNCTION refuse_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                f" IF {condition} THEN RAISE EXCEPTION '{message}'"
                f" USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN {kept}; END $$"
            )
            schema_editor.execute(
                f"CREATE TRIGGER {name} BEFORE {event} ON {table}"
                f" FOR EACH ROW EXECUTE FUNCTION refuse_{name}()"
            )


def drop(apps, schema_editor):
    for name, table, *_ in triggers():
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {name}")
        else:
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION refuse_{name}()")


def give_open_surveys_a_spool(apps, schema_editor):
    spools = apps.get_model("surveys", "Spool").objects
    for revision in apps.get_model("surveys", "Revision").objects.filter(survey__state="open"):
        spools.create(survey_id=revision.survey_id, revision=revision)


class Migration(migrations.Migration):
    dependencies = [("surveys", "0003_anonymity")]
    operations = [
        migrations.RunPython(give_open_surveys_a_spool, migrations.RunPython.noop),
        migrations.RunPython(create, drop),
    ]
