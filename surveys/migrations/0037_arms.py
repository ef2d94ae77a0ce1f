"""Arms: the groups into which chance puts people; frozen at launch."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn, Refuse

MESSAGE = "what a launched survey promised never changes"
CONDITION = "OLD.state <> 'draft' AND NEW.arms <> OLD.arms"


class Migration(migrations.Migration):
    dependencies = [("surveys", "0036_other_texts")]

    operations = [
        AddColumn(
            "survey",
            "arms",
            models.TextField(
                max_length=1000,
                blank=True,
                default="",
                help_text="To compare ways of asking: one arm on each line, as “Asked directly: 1”, the number being "
                "its weight. Chance puts each person into one of them, after Start, and "
                "questions say which arms they are for. Respondents read the names, and "
                "what each arm is asked. Empty: all people are asked the same. Frozen at "
                "launch.",
            ),
        ),
        AddColumn(
            "question",
            "arms",
            models.CharField(
                "asked in arms",
                max_length=500,
                blank=True,
                default="",
                help_text="Only where the survey has arms: the names of those that are asked this question, with "
                "| between them. Empty: all of them. Two questions with the same words and "
                "answers, asked in different arms, are compared.",
            ),
        ),
        Refuse("survey_arms_are_frozen", "surveys_survey", "UPDATE", CONDITION, MESSAGE),
    ]
