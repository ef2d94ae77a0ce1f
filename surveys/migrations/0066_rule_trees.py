"""Rules of any shape, and rules of sections."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn


class Migration(migrations.Migration):
    dependencies = [("surveys", "0065_values_of_options")]

    operations = [
        AddColumn(
            "question", "rule_shape", models.TextField(blank=True, editable=False, null=True)
        ),
        AddColumn(
            "question", "section_shape", models.TextField(blank=True, editable=False, null=True)
        ),
        AddColumn(
            "condition",
            "leaf",
            models.PositiveSmallIntegerField(blank=True, editable=False, null=True),
        ),
        AddColumn(
            "condition", "of_section", models.BooleanField(blank=True, editable=False, null=True)
        ),
    ]
