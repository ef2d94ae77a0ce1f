"""Orders to destroy opening keys."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0045_names_of_models")]
    operations = [
        migrations.CreateModel(
            name="SpentOpeningKey",
            fields=[
                (
                    "revision",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="spent_opening_key",
                        serialize=False,
                        to="surveys.revision",
                    ),
                ),
                ("since", models.DateTimeField()),
                ("is_gone", models.BooleanField(default=False)),
            ],
        ),
    ]
