"""Conditions of a question's rule, frozen at launch."""

import uuid

import django.db.models.deletion
from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn, Refuse

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


def refusals():
    for event, rows in ROWS.items():
        condition = " OR ".join(LAUNCHED.format(row=row) for row in rows)
        yield Refuse(f"condition_{event.lower()}", TABLE, event, condition, MESSAGE)
    yield Refuse("condition_is_not_replaced", TABLE, "INSERT", {"sqlite": REPLACED}, MESSAGE)


class Migration(migrations.Migration):
    dependencies = [("surveys", "0026_released_tables_alone")]

    operations = [
        AddColumn(
            "question",
            "rule_joins",
            models.CharField(
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
        *refusals(),
    ]
