"""Whether the texts of a survey have marks of emphasis and lists."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn, Refuse


class Migration(migrations.Migration):
    dependencies = [("surveys", "0069_api_tokens")]

    operations = [
        AddColumn(
            "survey",
            "marked_up",
            models.BooleanField(
                "emphasis and lists in texts",
                default=False,
                help_text="Respondents then see *word* in italics and **word** in bold, or "
                "underlined in a question. In the introduction, in help texts and on pages of "
                "information and consent, lines that begin with “- ” or “1. ” are lists. There are "
                "no links, pictures or other marks. Frozen at launch.",
            ),
        ),
        Refuse(
            "survey_marks_are_frozen",
            "surveys_survey",
            "UPDATE",
            "OLD.state <> 'draft' AND NEW.marked_up <> OLD.marked_up",
            "what a launched survey promised never changes",
        ),
    ]
