"""A survey's own words in the place of explanations that promise nothing; frozen at launch."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn, Refuse


class Migration(migrations.Migration):
    dependencies = [("surveys", "0071_informal_address")]

    operations = [
        AddColumn(
            "survey",
            "explanations",
            models.TextField(
                "your explanations",
                blank=True,
                default="",
                help_text="What you write here stands in the place of our sentence; empty, ours "
                "stays. What promises something always stays ours. Frozen at launch.",
            ),
        ),
        Refuse(
            "survey_explanations_are_frozen",
            "surveys_survey",
            "UPDATE",
            "OLD.state <> 'draft' AND NEW.explanations <> OLD.explanations",
            "what a launched survey promised never changes",
        ),
    ]
