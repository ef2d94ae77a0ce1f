"""How many of its protected questions a survey asks each person; frozen at launch.

The column has no default, so that SQLite does not rebuild the table and drop its triggers.
"""

import django.core.validators
from django.db import migrations, models

from surveys.models.frozen_tables import Refuse

MESSAGE = "what a launched survey promised never changes"
# Null is an answer too: it asks everything.
CONDITIONS = {
    "sqlite": "OLD.state <> 'draft' AND NEW.asked IS NOT OLD.asked",
    "postgresql": "OLD.state <> 'draft' AND NEW.asked IS DISTINCT FROM OLD.asked",
}


class Migration(migrations.Migration):
    dependencies = [("surveys", "0020_budgets_for_tables")]

    operations = [
        migrations.AddField(
            "survey",
            "asked",
            models.PositiveSmallIntegerField(
                blank=True,
                help_text="Ask each person so many of the protected questions, drawn by chance, and all that are not protected. A person’s answers then tell less, and each question gets fewer of them. Empty: all. Frozen at launch.",
                null=True,
                validators=[django.core.validators.MinValueValidator(1)],
                verbose_name="protected questions asked of each person",
            ),
        ),
        Refuse("survey_subset_is_frozen", "surveys_survey", "UPDATE", CONDITIONS, MESSAGE),
    ]
