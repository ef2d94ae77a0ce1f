"""Catalogues, questions that have their items rated, and how often each level was reported.

The items of a catalogue are frozen once a survey that uses it is launched; the database refuses,
whoever asks.
"""

import uuid
from decimal import Decimal
from importlib import import_module

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

MESSAGE = "the items of a catalogue that respondents were shown never change"
ITEMS = "surveys_catalogueitem"
LAUNCHED = (
    "EXISTS (SELECT 1 FROM surveys_question q JOIN surveys_survey s ON s.id = q.survey_id"
    " WHERE q.catalogue_id = {row}.catalogue_id AND s.state <> 'draft')"
)
ROWS = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}
# SQLite's REPLACE takes the row that is in the way out of its catalogue without asking.
REPLACED = (
    "EXISTS (SELECT 1 FROM surveys_catalogueitem i JOIN surveys_question q"
    " ON q.catalogue_id = i.catalogue_id JOIN surveys_survey s ON s.id = q.survey_id"
    " WHERE i.id = NEW.id AND s.state <> 'draft')"
)

freed = import_module("surveys.migrations.0009_designs_of_two_questions")


def triggers():
    """(name, event, condition, rows) of each."""
    for event, rows in ROWS.items():
        condition = " OR ".join(LAUNCHED.format(row=row) for row in rows)
        yield f"catalogue_item_{event.lower()}", event, condition, rows


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name, event, condition, _ in triggers():
            schema_editor.execute(_sqlite(name, event, condition))
        schema_editor.execute(_sqlite("catalogue_item_is_not_replaced", "INSERT", REPLACED))
        return
    for name, event, condition, rows in triggers():
        # A launch holds the catalogue alone: whoever comes at the same moment waits for it here,
        # and looks afterwards.
        wait = "".join(
            f" PERFORM 1 FROM surveys_catalogue WHERE id = {row}.catalogue_id FOR KEY SHARE;"
            for row in rows
        )
        kept = "OLD" if event == "DELETE" else "NEW"
        schema_editor.execute(
            f"CREATE FUNCTION refuse_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN{wait}"
            f" IF {condition} THEN RAISE EXCEPTION '{MESSAGE}'"
            f" USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN {kept}; END $$"
        )
        schema_editor.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON {ITEMS}"
            f" FOR EACH ROW EXECUTE FUNCTION refuse_{name}()"
        )


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER catalogue_item_is_not_replaced")
    for name, *_ in triggers():
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {name}")
        else:
            schema_editor.execute(f"DROP TRIGGER {name} ON {ITEMS}")
            schema_editor.execute(f"DROP FUNCTION refuse_{name}()")


def _sqlite(name, event, condition):
    return (
        f"CREATE TRIGGER {name} BEFORE {event} ON {ITEMS} WHEN {condition}"
        f" BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
    )


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0009_designs_of_two_questions"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(freed.take_away, freed.make_again),
        migrations.CreateModel(
            name="Catalogue",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="catalogues",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"ordering": ["name", "id"]},
        ),
        migrations.AddConstraint(
            model_name="catalogue",
            constraint=models.UniqueConstraint(
                fields=("owner", "name"),
                name="one_catalogue_per_name",
                violation_error_message="You have a catalogue of this name already.",
            ),
        ),
        migrations.CreateModel(
            name="CatalogueItem",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "number",
                    models.PositiveIntegerField(
                        validators=[django.core.validators.MinValueValidator(1)]
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("starting", models.JSONField(blank=True, default=list)),
                (
                    "catalogue",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="surveys.catalogue",
                    ),
                ),
            ],
            options={"ordering": ["catalogue", "number"]},
        ),
        migrations.AddConstraint(
            model_name="catalogueitem",
            constraint=models.UniqueConstraint(
                fields=("catalogue", "number"),
                name="one_item_per_number",
                violation_error_message="Another item of this catalogue has this number.",
            ),
        ),
        migrations.AddConstraint(
            model_name="catalogueitem",
            constraint=models.UniqueConstraint(
                fields=("catalogue", "name"),
                name="one_item_per_name",
                violation_error_message="Another item of this catalogue has this name.",
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="catalogue",
            field=models.ForeignKey(
                blank=True,
                help_text="Ratings only: the catalogue whose items are rated.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="questions",
                to="surveys.catalogue",
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="shown",
            field=models.PositiveSmallIntegerField(
                default=0,
                help_text=(
                    "Ratings only: how many items each respondent rates, drawn evenly; 0 for "
                    "all, if there are at most 50."
                ),
                validators=[django.core.validators.MaxValueValidator(50)],
                verbose_name="items shown",
            ),
        ),
        migrations.AlterField(
            model_name="question",
            name="epsilon",
            field=models.DecimalField(
                blank=True,
                decimal_places=4,
                help_text=(
                    "k-ary only: the local epsilon, in nats. ln 3 = 1.0986 is two fair coins. A "
                    "rating shares it out equally among the items that a respondent sees."
                ),
                max_digits=6,
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(Decimal("0.01")),
                    django.core.validators.MaxValueValidator(Decimal("5")),
                ],
            ),
        ),
        migrations.AlterField(
            model_name="question",
            name="kind",
            field=models.CharField(
                choices=[
                    ("yes_no", "Yes or no"),
                    ("choice", "Single choice"),
                    ("scale", "Scale (ordered choice)"),
                    ("number", "Number"),
                    ("text", "Free text"),
                    ("rating", "Rating of items"),
                ],
                default="yes_no",
                max_length=6,
            ),
        ),
        migrations.CreateModel(
            name="RatingCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("question", models.UUIDField()),
                ("item", models.PositiveIntegerField()),
                ("level", models.PositiveSmallIntegerField()),
                ("count", models.PositiveBigIntegerField()),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rating_counts",
                        to="surveys.revision",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="ratingcount",
            constraint=models.UniqueConstraint(
                fields=("revision", "question", "item", "level"), name="one_count_per_level"
            ),
        ),
        migrations.RunPython(freed.make_again, freed.take_away),
        migrations.RunPython(create, drop),
    ]
