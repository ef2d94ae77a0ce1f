"""Answers, questions and sections in an order that each respondent's page draws."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn

FIELDS = (
    (
        "random_options",
        models.BooleanField(
            "answers in random order",
            default=False,
            help_text="Each respondent's page draws the order of the options or rows; “prefer not "
            "to say” stays last. Without the script they stand as you wrote them.",
        ),
    ),
    (
        "random_screens",
        models.BooleanField(
            "questions of the section in random order",
            default=False,
            help_text="For the first question of a section. What is on one screen stays together.",
        ),
    ),
    (
        "random_section",
        models.BooleanField(
            "section in random order",
            default=False,
            help_text="For the first question of a section: it changes places with the other "
            "sections that have this mark.",
        ),
    ),
)


class Migration(migrations.Migration):
    dependencies = [("surveys", "0032_rankings")]

    operations = [AddColumn("question", name, field) for name, field in FIELDS]
