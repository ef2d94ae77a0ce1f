"""Ways around the triggers of 0004 that they did not see.

SQLite's REPLACE deletes the row that is in the way without asking a DELETE trigger. A question or
an option could be moved into a launched survey, and a draft could take a launched survey's key.
"""

from django.db import migrations

STAYS = "this row is there already and never changes"
KEY_MESSAGE = "the key of a survey never changes"
QUESTION_MESSAGE = "the questions of a launched survey never change"

# (name, table, when the row that comes would push another one out); PostgreSQL has no REPLACE.
REPLACEMENTS = (
    (
        "survey_stays",
        "surveys_survey",
        "EXISTS (SELECT 1 FROM surveys_survey WHERE id = NEW.id AND state <> 'draft')",
    ),
    (
        "revision_is_not_replaced",
        "surveys_revision",
        "EXISTS (SELECT 1 FROM surveys_revision WHERE id = NEW.id OR survey_id = NEW.survey_id)",
    ),
    (
        "audit_is_not_replaced",
        "surveys_auditentry",
        "EXISTS (SELECT 1 FROM surveys_auditentry WHERE id = NEW.id)",
    ),
)
# (name, table, condition, message), before an update.
MOVES = (
    ("survey_keeps_its_key", "surveys_survey", "NEW.id <> OLD.id", KEY_MESSAGE),
    (
        "question_is_not_moved",
        "surveys_question",
        "EXISTS (SELECT 1 FROM surveys_survey WHERE id = NEW.survey_id AND state <> 'draft')",
        QUESTION_MESSAGE,
    ),
    (
        "option_is_not_moved",
        "surveys_option",
        "EXISTS (SELECT 1 FROM surveys_survey s JOIN surveys_question q ON q.survey_id = s.id"
        " WHERE q.id = NEW.question_id AND s.state <> 'draft')",
        QUESTION_MESSAGE,
    ),
)


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name, table, condition in REPLACEMENTS:
            schema_editor.execute(_sqlite(name, table, "INSERT", condition, STAYS))
        for name, table, condition, message in MOVES:
            schema_editor.execute(_sqlite(name, table, "UPDATE", condition, message))
        return
    for name, table, condition, message in MOVES:
        schema_editor.execute(
            f"CREATE FUNCTION refuse_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF {condition} THEN RAISE EXCEPTION '{message}'"
            f" USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$"
        )
        schema_editor.execute(
            f"CREATE TRIGGER {name} BEFORE UPDATE ON {table}"
            f" FOR EACH ROW EXECUTE FUNCTION refuse_{name}()"
        )


def drop(apps, schema_editor):
    sqlite = schema_editor.connection.vendor == "sqlite"
    for name, table, *_ in (*REPLACEMENTS, *MOVES) if sqlite else MOVES:
        schema_editor.execute(f"DROP TRIGGER {name}" + ("" if sqlite else f" ON {table}"))
        if not sqlite:
            schema_editor.execute(f"DROP FUNCTION refuse_{name}()")


def _sqlite(name, table, event, condition, message):
    return (
        f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN {condition}"
        f" BEGIN SELECT RAISE(ABORT, '{message}'); END"
    )


class Migration(migrations.Migration):
    dependencies = [("surveys", "0005_mailings")]
    operations = [migrations.RunPython(create, drop)]
