"""Conditions of a question's rule, frozen at launch.

SQLite would rebuild the table of questions for a new column, and lose its triggers: the column is
added with the statement that both databases know.
"""

import uuid

import django.db.models.deletion
from django.db import migrations, models

TABLE = "surveys_condition"
MESSAGE = "the questions of a launched survey never change"
LAUNCHED = (
    "COALESCE((SELECT s.state FROM surveys_survey s JOIN surveys_question q ON q.survey_id = s.id"
    " WHERE q.id = {row}.question_id), 'draft') <> 'draft'"
)
ROWS = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}
# SQLite's REPLACE deletes the row that is in the way without asking a DELETE trigger.
REPLACED = (
    f"EXISTS (SELECT 1 FROM {TABLE} c JOIN surveys_question q ON q.id = c.question_id"
    " JOIN surveys_survey s ON s.id = q.survey_id WHERE c.id = NEW.id AND s.state <> 'draft')"
)


def add_column(apps, schema_editor):
    schema_editor.execute(
        "ALTER TABLE surveys_question ADD COLUMN rule_joins varchar(3) DEFAULT 'all' NOT NULL"
    )


def drop_column(apps, schema_editor):
    schema_editor.execute("ALTER TABLE surveys_question DROP COLUMN rule_joins")


def triggers():
    """(name, event, condition) of each."""
    for event, rows in ROWS.items():
        condition = " OR ".join(LAUNCHED.format(row=row) for row in rows)
        yield f"condition_{event.lower()}", event, condition


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name, event, condition in triggers():
            schema_editor.execute(_sqlite(name, event, condition))
        schema_editor.execute(_sqlite("condition_is_not_replaced", "INSERT", REPLACED))
        return
    for name, event, condition in triggers():
        kept = "OLD" if event == "DELETE" else "NEW"
        schema_editor.execute(
            f"CREATE FUNCTION refuse_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF {condition} THEN RAISE EXCEPTION '{MESSAGE}'"
            f" USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN {kept}; END $$"
        )
        schema_editor.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON {TABLE}"
            f" FOR EACH ROW EXECUTE FUNCTION refuse_{name}()"
        )


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER condition_is_not_replaced")
    for name, *_ in triggers():
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {name}")
        else:
            schema_editor.execute(f"DROP TRIGGER {name} ON {TABLE}")
            schema_editor.execute(f"DROP FUNCTION refuse_{name}()")


def _sqlite(name, event, condition):
    return (
        f"CREATE TRIGGER {name} BEFORE {event} ON {TABLE} WHEN {condition}"
        f" BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
    )


class Migration(migrations.Migration):
    dependencies = [("surveys", "0026_released_tables_alone")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(add_column, drop_column)],
            state_operations=[
                migrations.AddField(
                    model_name="question",
                    name="rule_joins",
                    field=models.CharField(
                        choices=[
                            ("all", "all conditions hold"),
                            ("any", "at least one condition holds"),
                        ],
                        default="all",
                        help_text=(
                            "For the conditions below. Without conditions the question is asked "
                            "of all."
                        ),
                        max_length=3,
                        verbose_name="asked if",
                    ),
                )
            ],
        ),
        migrations.CreateModel(
            name="Condition",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "comparison",
                    models.CharField(
                        choices=[
                            ("is", "is"),
                            ("is_not", "is not, or is missing"),
                            ("less", "is less than"),
                            ("most", "is at most"),
                            ("more", "is more than"),
                            ("least", "is at least"),
                            ("answered", "was given"),
                            ("missing", "is missing"),
                        ],
                        default="is",
                        max_length=8,
                    ),
                ),
                (
                    "value",
                    models.CharField(
                        blank=True,
                        help_text=(
                            "An answer as it is shown, several with | between them; or a number."
                        ),
                        max_length=1000,
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conditions",
                        to="surveys.question",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="read_by",
                        to="surveys.question",
                        verbose_name="the answer to",
                    ),
                ),
            ],
            options={"ordering": ["source__position", "comparison", "value", "id"]},
        ),
        migrations.RunPython(create, drop),
    ]
