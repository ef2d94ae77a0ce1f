"""Sections of questions, and several questions on a screen.

The columns are added by ALTER TABLE: Django would rebuild the table on SQLite, and its triggers
would be gone.
"""

from django.db import migrations, models

COLUMNS = (
    ("section", "varchar(200) DEFAULT '' NOT NULL"),
    ("section_text", "varchar(500) DEFAULT '' NOT NULL"),
    ("same_screen", "bool DEFAULT false NOT NULL"),
)


class Migration(migrations.Migration):
    dependencies = [("surveys", "0029_dates")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    f"ALTER TABLE surveys_question ADD COLUMN {name} {definition}",
                    f"ALTER TABLE surveys_question DROP COLUMN {name}",
                )
                for name, definition in COLUMNS
            ],
            state_operations=[
                migrations.AddField(
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
                migrations.AddField(
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
                migrations.AddField(
                    "question",
                    "same_screen",
                    models.BooleanField(
                        "on the screen of the question before",
                        default=False,
                        help_text="Respondents usually see one question a screen.",
                    ),
                ),
            ],
        )
    ]
