"""Whether rows of randomized answers may be published, as respondents read before they answer."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn, Refuse


class Migration(migrations.Migration):
    dependencies = [("surveys", "0067_special_answers")]

    operations = [
        AddColumn(
            "survey",
            "publish_rows",
            models.BooleanField(
                "rows of answers may be published",
                default=False,
                help_text="If every question is randomized, a deposit for an archive may then have "
                "a row for each person, as it was sent. Respondents read so beside their odds. "
                "Without the mark, a deposit never has rows. Frozen at launch.",
            ),
        ),
        Refuse(
            "survey_publishing_is_frozen",
            "surveys_survey",
            "UPDATE",
            "OLD.state <> 'draft' AND NEW.publish_rows <> OLD.publish_rows",
            "what a launched survey promised never changes",
        ),
    ]
