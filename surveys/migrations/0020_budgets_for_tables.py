"""A survey has one budget, for reports on texts alone or for tables of answers too.

Budgets that were set before are for texts alone, and stay so. SQLite would rebuild the table for a
new default, and lose its triggers: defaults are the program's alone, so the database is left as it
is.
"""

from decimal import Decimal

import django.core.validators
from django.db import migrations, models

SOURCES = [("all", "Free texts and tables of answers"), ("text", "Free texts alone")]
ADJACENCIES = [
    ("add_or_remove_one", "One respondent more or fewer"),
    ("replace_one", "One respondent's answers replaced by other answers"),
]


class Migration(migrations.Migration):
    dependencies = [("surveys", "0019_codes_and_the_door")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="privacybudget",
                    name="adjacency",
                    field=models.CharField(
                        choices=ADJACENCIES,
                        default="add_or_remove_one",
                        max_length=17,
                        verbose_name="what reports hide",
                    ),
                ),
                migrations.AlterField(
                    model_name="privacybudget",
                    name="epsilon",
                    field=models.DecimalField(
                        decimal_places=4,
                        default=Decimal(4),
                        help_text=(
                            "All reports and tables together may change the odds of any guess "
                            "about one respondent by at most e to this power. Frozen at launch, "
                            "and told to respondents."
                        ),
                        max_digits=6,
                        validators=[
                            django.core.validators.MinValueValidator(Decimal("0.01")),
                            django.core.validators.MaxValueValidator(Decimal(20)),
                        ],
                    ),
                ),
                migrations.AlterField(
                    model_name="privacybudget",
                    name="source",
                    field=models.CharField(
                        choices=SOURCES,
                        default="all",
                        help_text="Tables can be released only if the budget is for them too.",
                        max_length=10,
                        verbose_name="reports on",
                    ),
                ),
            ]
        ),
        migrations.AddConstraint(
            model_name="privacybudget",
            constraint=models.UniqueConstraint(
                models.F("survey"),
                name="one_budget_per_survey",
                violation_error_message="A survey has one budget.",
            ),
        ),
    ]
