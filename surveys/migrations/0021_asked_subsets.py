"""How many of its protected questions a survey asks each person; frozen at launch.

The column has no default, so that SQLite does not rebuild the table and drop its triggers.
"""

import django.core.validators
from django.db import migrations, models

NAME = "survey_subset_is_frozen"
MESSAGE = "what a launched survey promised never changes"
# Null is an answer too: it asks everything.
DIFFERS = {"sqlite": "NEW.asked IS NOT OLD.asked", "postgresql": "NEW.asked IS DISTINCT FROM OLD.asked"}


def create(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    condition = f"OLD.state <> 'draft' AND {DIFFERS[vendor]}"
    if vendor == "sqlite":
        schema_editor.execute(
            f"CREATE TRIGGER {NAME} BEFORE UPDATE ON surveys_survey WHEN {condition}"
            f" BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
        )
        return
    schema_editor.execute(
        f"CREATE FUNCTION refuse_{NAME}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF {condition} THEN RAISE EXCEPTION '{MESSAGE}'"
        f" USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$"
    )
    schema_editor.execute(
        f"CREATE TRIGGER {NAME} BEFORE UPDATE ON surveys_survey"
        f" FOR EACH ROW EXECUTE FUNCTION refuse_{NAME}()"
    )


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"DROP TRIGGER {NAME}")
        return
    schema_editor.execute(f"DROP TRIGGER {NAME} ON surveys_survey")
    schema_editor.execute(f"DROP FUNCTION refuse_{NAME}()")


class Migration(migrations.Migration):
    dependencies = [("surveys", "0020_budgets_for_tables")]

    operations = [
        migrations.AddField(
            "survey",
            "asked",
            models.PositiveSmallIntegerField(
                blank=True,
                help_text="Ask each person so many of the protected questions, drawn by chance, and all that are not protected. A person’s answers then tell less, and each question gets fewer of them. Empty: all. Frozen at launch.",
                null=True,
                validators=[django.core.validators.MinValueValidator(1)],
                verbose_name="protected questions asked of each person",
            ),
        ),
        migrations.RunPython(create, drop),
    ]
