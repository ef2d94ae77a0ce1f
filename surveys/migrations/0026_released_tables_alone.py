"""Surveys whose direct answers come to light as released tables alone; frozen at launch.

The columns have no default, so that SQLite does not rebuild the table and drop its triggers.
"""

import django.core.validators
from django.db import migrations, models

NAME = "survey_releases_are_frozen"
MESSAGE = "what a launched survey promised never changes"
COLUMNS = ("released_together", "release_share")
# Null is an answer too: direct answers are shown as they are given.
DIFFERS = {"sqlite": "NEW.{name} IS NOT OLD.{name}", "postgresql": "NEW.{name} IS DISTINCT FROM OLD.{name}"}


def create(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    changed = " OR ".join(DIFFERS[vendor].format(name=name) for name in COLUMNS)
    condition = f"OLD.state <> 'draft' AND ({changed})"
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
    dependencies = [("surveys", "0025_multiple_choice")]

    operations = [
        migrations.AddField(
            model_name="survey",
            name="release_share",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="For released tables alone: the part of the budget that the tables of all openings together are charged at launch. What is left pays for reports on texts. Empty: all.",
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(100),
                ],
                verbose_name="budget for these tables, in percent",
            ),
        ),
        migrations.AddField(
            model_name="survey",
            name="released_together",
            field=models.PositiveSmallIntegerField(
                blank=True,
                choices=[
                    (None, "As they are given: staff see and count them exactly"),
                    (1, "Released tables alone: each question by itself"),
                    (2, "Released tables alone: also each two questions together"),
                ],
                help_text="With released tables alone, no one, you included, sees or downloads an answer to a question asked directly, or an exact count of them. At each opening you see tables with random numbers added and a margin of error; the last ones are made at the close, and then the answers themselves are destroyed. Needs a budget for tables that hides one respondent’s answers replaced by others, and is not possible live. Frozen at launch.",
                null=True,
                verbose_name="direct answers are shown",
            ),
        ),
        migrations.AlterField(
            model_name="sealed",
            name="kind",
            field=models.CharField(
                choices=[("row", "Row"), ("text", "Text"), ("kept", "Kept")], max_length=4
            ),
        ),
        migrations.RunPython(create, drop),
    ]
