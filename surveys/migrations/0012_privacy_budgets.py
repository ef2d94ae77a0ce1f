"""Budgets of reports, frozen at launch; what internal reports took; adaptive display of ratings."""

import uuid
from decimal import Decimal

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn, Refuse

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


def refusals():
    for event, rows in ROWS.items():
        condition = " OR ".join(LAUNCHED.format(row=row) for row in rows)
        yield Refuse(f"privacy_budget_{event.lower()}", TABLE, event, condition, MESSAGE)
    yield Refuse(
        "privacy_budget_is_not_replaced", TABLE, "INSERT", {"sqlite": REPLACED}, MESSAGE
    )


class Migration(migrations.Migration):
    dependencies = [("surveys", "0011_long_lists")]

    operations = [
        AddColumn(
            "question",
            "adaptive",
            models.BooleanField(
                default=False,
                help_text=(
                    "Ratings only: items are drawn by their chance to be the best "
                    "(Thompson sampling) and not evenly. Only for open ratings, and from "
                    "an epsilon of 2 for each item."
                ),
                verbose_name="show promising items more often",
            ),
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
        *refusals(),
    ]
