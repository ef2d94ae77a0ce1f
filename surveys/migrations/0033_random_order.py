"""Answers, questions and sections in an order that each respondent's page draws.

The columns are added by ALTER TABLE: Django would rebuild the table on SQLite, and its triggers
would be gone.
"""

from django.db import migrations, models

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

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    f"ALTER TABLE surveys_question ADD COLUMN {name} bool DEFAULT false NOT NULL",
                    f"ALTER TABLE surveys_question DROP COLUMN {name}",
                )
                for name, _ in FIELDS
            ],
            state_operations=[
                migrations.AddField("question", name, field) for name, field in FIELDS
            ],
        )
    ]
