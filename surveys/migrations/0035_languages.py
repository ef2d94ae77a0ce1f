"""The languages of a survey, frozen at launch, and the translations of its drafts."""

import django.db.models.deletion
import uuid

from django.db import migrations, models

import surveys.models.base
from surveys.models.frozen_tables import AddColumn, Refuse

MESSAGE = "what a launched survey promised never changes"
CONDITION = (
    "OLD.state <> 'draft' AND (NEW.language <> OLD.language OR NEW.also_in <> OLD.also_in)"
)


class Migration(migrations.Migration):
    dependencies = [("surveys", "0033_random_order"), ("surveys", "0034_count_answers")]

    operations = [
        AddColumn(
            "survey",
            "language",
            models.CharField(
                "your language",
                max_length=2,
                default="en",
                choices=surveys.models.base.choices,
                help_text="The language in which you write this survey. Frozen at launch.",
            ),
        ),
        AddColumn(
            "survey",
            "also_in",
            surveys.models.base.LanguagesField(
                "also in",
                max_length=60,
                blank=True,
                default="",
                help_text=(
                    "Respondents choose among these languages and yours. Translate your "
                    "words on the page “Translations”. Frozen at launch."
                ),
            ),
        ),
        Refuse("survey_languages_are_frozen", "surveys_survey", "UPDATE", CONDITION, MESSAGE),
        migrations.CreateModel(
            name="Translation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("language", models.CharField(max_length=2)),
                ("digest", models.CharField(max_length=64)),
                ("text", models.TextField(max_length=4000)),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="translations",
                        to="surveys.survey",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("survey", "language", "digest"), name="one_translation_per_text"
                    )
                ]
            },
        ),
    ]
