"""Budgets of reports, frozen at launch; what internal reports took; adaptive display of ratings.

SQLite would rebuild the table of questions for a new column, and lose its triggers: the column is
added with the statement that both databases know.
"""

import uuid
from decimal import Decimal

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

TABLE = "surveys_privacybudget"
MESSAGE = "the privacy budget of a launched survey never changes"
LAUNCHED = (
    "COALESCE((SELECT state FROM surveys_survey WHERE id = {row}.survey_id), 'draft') <> 'draft'"
)
ROWS = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}
# SQLite's REPLACE deletes the row that is in the way without asking a DELETE trigger.
REPLACED = (
    f"EXISTS (SELECT 1 FROM {TABLE} b JOIN surveys_survey s ON s.id = b.survey_id"
    " WHERE b.id = NEW.id AND s.state <> 'draft')"
)


def add_column(apps, schema_editor):
    schema_editor.execute(
        "ALTER TABLE surveys_question ADD COLUMN adaptive bool DEFAULT false NOT NULL"
    )


def drop_column(apps, schema_editor):
    schema_editor.execute("ALTER TABLE surveys_question DROP COLUMN adaptive")


def triggers():
    """(name, event, condition) of each."""
    for event, rows in ROWS.items():
        condition = " OR ".join(LAUNCHED.format(row=row) for row in rows)
        yield f"privacy_budget_{event.lower()}", event, condition


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name, event, condition in triggers():
            schema_editor.execute(_sqlite(name, event, condition))
        schema_editor.execute(_sqlite("privacy_budget_is_not_replaced", "INSERT", REPLACED))
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
        schema_editor.execute("DROP TRIGGER privacy_budget_is_not_replaced")
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
    dependencies = [("surveys", "0011_long_lists")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(add_column, drop_column)],
            state_operations=[
                migrations.AddField(
                    model_name="question",
                    name="adaptive",
                    field=models.BooleanField(
                        default=False,
                        help_text=(
                            "Ratings only: items are drawn by their chance to be the best "
                            "(Thompson sampling) and not evenly. Only for open ratings, and from "
                            "an epsilon of 2 for each item."
                        ),
                        verbose_name="show promising items more often",
                    ),
                )
            ],
        ),
        migrations.CreateModel(
            name="Extract",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("document", models.JSONField()),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="extracts",
                        to="surveys.revision",
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="PrivacyBudget",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[("text", "Free texts")],
                        default="text",
                        max_length=10,
                        verbose_name="reports on",
                    ),
                ),
                (
                    "epsilon",
                    models.DecimalField(
                        decimal_places=4,
                        default=Decimal(4),
                        help_text=(
                            "All reports together may change the odds of any guess about one "
                            "respondent by at most e to this power. Frozen at launch, and told to "
                            "respondents."
                        ),
                        max_digits=6,
                        validators=[
                            django.core.validators.MinValueValidator(Decimal("0.01")),
                            django.core.validators.MaxValueValidator(Decimal(20)),
                        ],
                    ),
                ),
                (
                    "delta",
                    models.DecimalField(
                        decimal_places=12,
                        default=Decimal("0.000001"),
                        help_text=(
                            "The chance with which that may fail. Reports are refused unless it "
                            "is below one in the number of respondents."
                        ),
                        max_digits=13,
                        validators=[
                            django.core.validators.MinValueValidator(Decimal("0.000000000001")),
                            django.core.validators.MaxValueValidator(Decimal("0.01")),
                        ],
                    ),
                ),
                (
                    "adjacency",
                    models.CharField(
                        choices=[
                            ("add_or_remove_one", "One respondent more or fewer"),
                            (
                                "replace_one",
                                "One respondent's texts replaced by other texts",
                            ),
                        ],
                        default="add_or_remove_one",
                        max_length=17,
                        verbose_name="what reports hide",
                    ),
                ),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="budgets",
                        to="surveys.survey",
                    ),
                ),
            ],
            options={"ordering": ["source"]},
        ),
        migrations.AddConstraint(
            model_name="privacybudget",
            constraint=models.UniqueConstraint(
                fields=("survey", "source"),
                name="one_budget_per_source",
                violation_error_message="A survey has one budget for each kind of data.",
            ),
        ),
        migrations.RunPython(create, drop),
    ]
