"""What files call a question, where its author chose that."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn


class Migration(migrations.Migration):
    dependencies = [("surveys", "0061_task_of_counts")]

    operations = [
        AddColumn(
            "question",
            "name",
            models.CharField(blank=True, max_length=24, null=True, verbose_name="name in files"),
        ),
    ]
