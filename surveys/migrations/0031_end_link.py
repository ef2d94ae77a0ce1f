"""A link on a survey's last page; frozen at launch."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn, Refuse

MESSAGE = "what a launched survey promised never changes"
CONDITION = "OLD.state <> 'draft' AND NEW.end_link <> OLD.end_link"


class Migration(migrations.Migration):
    dependencies = [("surveys", "0030_sections")]

    operations = [
        AddColumn(
            "survey",
            "end_link",
            models.CharField(
                "link on the last page",
                max_length=300,
                blank=True,
                default="",
                help_text="An address that respondents may open after they sent, such as "
                "one with help. It is the same for all and says nothing of them. Frozen at "
                "launch.",
            ),
        ),
        Refuse("survey_end_link_is_frozen", "surveys_survey", "UPDATE", CONDITION, MESSAGE),
    ]
