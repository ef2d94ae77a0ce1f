"""Surveys whose direct answers come to light as released tables alone; frozen at launch.

The columns have no default, so that SQLite does not rebuild the table and drop its triggers.
"""

import django.core.validators
from django.db import migrations, models

from surveys.models.frozen_tables import Refuse

MESSAGE = "what a launched survey promised never changes"
COLUMNS = ("released_together", "release_share")
# Null is an answer too: direct answers are shown as they are given.
DIFFERS = {"sqlite": "IS NOT", "postgresql": "IS DISTINCT FROM"}
CONDITIONS = {
    vendor: "OLD.state <> 'draft' AND ("
    + " OR ".join(f"NEW.{name} {differs} OLD.{name}" for name in COLUMNS)
    + ")"
    for vendor, differs in DIFFERS.items()
}


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
        Refuse("survey_releases_are_frozen", "surveys_survey", "UPDATE", CONDITIONS, MESSAGE),
    ]
