"""The languages of a survey, frozen at launch, and the translations of its drafts.

SQLite would rebuild the table of surveys for a new column, and lose its triggers: the columns are
added with the statement that both databases know.
"""

import django.db.models.deletion
import uuid

from django.db import migrations, models

import surveys.models.language_fields

NAME = "survey_languages_are_frozen"
MESSAGE = "what a launched survey promised never changes"
CONDITION = (
    "OLD.state <> 'draft' AND (NEW.language <> OLD.language OR NEW.also_in <> OLD.also_in)"
)


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(
            f"CREATE TRIGGER {NAME} BEFORE UPDATE ON surveys_survey WHEN {CONDITION}"
            f" BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
        )
        return
    schema_editor.execute(
        f"CREATE FUNCTION refuse_{NAME}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF {CONDITION} THEN RAISE EXCEPTION '{MESSAGE}'"
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
    dependencies = [("surveys", "0033_random_order"), ("surveys", "0034_count_answers")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE surveys_survey ADD COLUMN language varchar(2)"
                    " DEFAULT 'en' NOT NULL",
                    "ALTER TABLE surveys_survey DROP COLUMN language",
                ),
                migrations.RunSQL(
                    "ALTER TABLE surveys_survey ADD COLUMN also_in varchar(60)"
                    " DEFAULT '' NOT NULL",
                    "ALTER TABLE surveys_survey DROP COLUMN also_in",
                ),
            ],
            state_operations=[
                migrations.AddField(
                    "survey",
                    "language",
                    models.CharField(
                        "your language",
                        max_length=2,
                        default="en",
                        choices=surveys.models.language_fields.choices,
                        help_text="The language in which you write this survey. Frozen at launch.",
                    ),
                ),
                migrations.AddField(
                    "survey",
                    "also_in",
                    surveys.models.language_fields.LanguagesField(
                        "also in",
                        max_length=60,
                        blank=True,
                        default="",
                        help_text=(
                            "Respondents choose among these languages and yours. Translate your "
                            "words on the page “Translations”. Frozen at launch."
                        ),
                    ),
                ),
            ],
        ),
        migrations.RunPython(create, drop),
        migrations.CreateModel(
            name="Translation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("language", models.CharField(max_length=2)),
                ("digest", models.CharField(max_length=64)),
                ("text", models.TextField(max_length=4000)),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="translations",
                        to="surveys.survey",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("survey", "language", "digest"), name="one_translation_per_text"
                    )
                ]
            },
        ),
    ]
