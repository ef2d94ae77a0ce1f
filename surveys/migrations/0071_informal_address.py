"""How respondents are addressed in German and French, as their survey chooses."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn, Refuse


class Migration(migrations.Migration):
    dependencies = [("surveys", "0070_marked_up")]

    operations = [
        AddColumn(
            "survey",
            "informal",
            models.BooleanField(
                "informal address",
                default=False,
                help_text="German pages say “du” and French ones “tu”, not “Sie” and “vous”. "
                "Write your own words likewise. Other languages stay as they are. Frozen at "
                "launch.",
            ),
        ),
        Refuse(
            "survey_address_is_frozen",
            "surveys_survey",
            "UPDATE",
            "OLD.state <> 'draft' AND NEW.informal <> OLD.informal",
            "what a launched survey promised never changes",
        ),
    ]
