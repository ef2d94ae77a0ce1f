"""Arms: the groups into which chance puts people; frozen at launch.

SQLite would rebuild the tables for new columns, and lose their triggers: the columns are added with
the statement that both databases know.
"""

from django.db import migrations, models

NAME = "survey_arms_are_frozen"
MESSAGE = "what a launched survey promised never changes"
CONDITION = "OLD.state <> 'draft' AND NEW.arms <> OLD.arms"
COLUMNS = (("survey", "text"), ("question", "varchar(500)"))


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
    dependencies = [("surveys", "0036_other_texts")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    f"ALTER TABLE surveys_{table} ADD COLUMN arms {kind} DEFAULT '' NOT NULL",
                    f"ALTER TABLE surveys_{table} DROP COLUMN arms",
                )
                for table, kind in COLUMNS
            ],
            state_operations=[
                migrations.AddField(
                    "survey",
                    "arms",
                    models.TextField(
                        max_length=1000,
                        blank=True,
                        default="",
                        help_text="To compare ways of asking: one arm on each line, as “Asked directly: 1”, the number being "
                        "its weight. Chance puts each person into one of them, after Start, and "
                        "questions say which arms they are for. Respondents read the names, and "
                        "what each arm is asked. Empty: all people are asked the same. Frozen at "
                        "launch.",
                    ),
                ),
                migrations.AddField(
                    "question",
                    "arms",
                    models.CharField(
                        "asked in arms",
                        max_length=500,
                        blank=True,
                        default="",
                        help_text="Only where the survey has arms: the names of those that are asked this question, with "
                        "| between them. Empty: all of them. Two questions with the same words and "
                        "answers, asked in different arms, are compared.",
                    ),
                ),
            ],
        ),
        migrations.RunPython(create, drop),
    ]
