"""Tables of answers that are counted while they are locked, and their trustees, of a draft."""

import django.core.validators
import django.db.models.deletion
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0055_vouchers"),
    ]

    operations = [
        migrations.AddField(
            model_name="question",
            name="counted_table",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Only for a question that is asked directly. With a number, from 1, each person's answer is locked in their browser and added up while it is locked; up to three questions with one number are counted together. No rule, comparison, weight, tree or regression can use such a question, and only its totals are ever opened, with noise.",
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(30),
                ],
                verbose_name="counted while locked, in table",
            ),
        ),
        migrations.CreateModel(
            name="TallyTable",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "table",
                    models.PositiveSmallIntegerField(
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(30),
                        ],
                        verbose_name="table",
                    ),
                ),
                (
                    "sigma",
                    models.CharField(
                        help_text="Of what each trustee adds to every cell, in people: a whole number or a fraction, such as 4 or 9/2. More noise costs less of the budget.",
                        max_length=19,
                        verbose_name="standard deviation of the noise",
                    ),
                ),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="locked_tables",
                        to="surveys.survey",
                    ),
                ),
            ],
            options={
                "verbose_name": "table of locked answers",
                "verbose_name_plural": "tables of locked answers",
                "ordering": ["table"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("survey", "table"),
                        name="one_row_per_locked_table",
                        violation_error_message="The noise of this table is there already.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TallyTrustee",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("name", models.CharField(max_length=80, verbose_name="who holds it")),
                ("key", models.CharField(max_length=64, verbose_name="key")),
                ("proof", models.CharField(max_length=128)),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trustees",
                        to="surveys.survey",
                    ),
                ),
            ],
            options={
                "verbose_name": "trustee",
                "verbose_name_plural": "trustees",
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("survey", "position"), name="one_trustee_per_position"
                    ),
                    models.UniqueConstraint(
                        fields=("survey", "key"),
                        name="different_trustees",
                        violation_error_message="This key is there already: each trustee has a key of their own.",
                    ),
                ],
            },
        ),
    ]
