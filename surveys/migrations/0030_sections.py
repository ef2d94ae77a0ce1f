"""Sections of questions, and several questions on a screen."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn


class Migration(migrations.Migration):
    dependencies = [("surveys", "0029_dates")]

    operations = [
        AddColumn(
            "question",
            "section",
            models.CharField(
                "a section begins here",
                max_length=200,
                blank=True,
                default="",
                help_text="The title of the section. Empty: the question goes on with the "
                "section of the one before.",
            ),
        ),
        AddColumn(
            "question",
            "section_text",
            models.CharField(
                "text of the section",
                max_length=500,
                blank=True,
                default="",
                help_text="A sentence or two, shown below the title on the first screen of "
                "the section.",
            ),
        ),
        AddColumn(
            "question",
            "same_screen",
            models.BooleanField(
                "on the screen of the question before",
                default=False,
                help_text="Respondents usually see one question a screen.",
            ),
        ),
    ]
