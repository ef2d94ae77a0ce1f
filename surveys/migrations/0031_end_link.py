"""A link on a survey's last page; frozen at launch.

SQLite would rebuild the table of surveys for a new column, and lose its triggers: the column is
added with the statement that both databases know.
"""

from django.db import migrations, models

NAME = "survey_end_link_is_frozen"
MESSAGE = "what a launched survey promised never changes"
CONDITION = "OLD.state <> 'draft' AND NEW.end_link <> OLD.end_link"


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
    dependencies = [("surveys", "0030_sections")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE surveys_survey ADD COLUMN end_link varchar(300)"
                    " DEFAULT '' NOT NULL",
                    "ALTER TABLE surveys_survey DROP COLUMN end_link",
                )
            ],
            state_operations=[
                migrations.AddField(
                    "survey",
                    "end_link",
                    models.CharField(
                        "link on the last page",
                        max_length=300,
                        blank=True,
                        default="",
                        help_text="An address that respondents may open after they sent, such as "
                        "one with help. It is the same for all and says nothing of them. Frozen at "
                        "launch.",
                    ),
                )
            ],
        ),
        migrations.RunPython(create, drop),
    ]
