"""Since which day each version of the program answers."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0051_opening_looks")]

    operations = [
        migrations.CreateModel(
            name="ProgramVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.CharField(max_length=40, unique=True)),
                ("since", models.DateField()),
            ],
        ),
    ]
