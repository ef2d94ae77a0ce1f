"""Openings: answers stay sealed until one; the path leaves the rows; closing needs notice.

SQLite would rebuild the table of surveys for a new column, and lose its triggers: columns are added
and dropped with statements that both databases know.
"""

import uuid

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Count, Q
from django.utils import timezone

COLUMNS = {
    "surveys_survey": (
        "opening varchar(5) DEFAULT '' NOT NULL",
        "opening_days smallint DEFAULT 7 NOT NULL",
        "opening_hour smallint DEFAULT 3 NOT NULL",
        "below_k varchar(7) DEFAULT 'open' NOT NULL",
    ),
    "surveys_response": ("opening integer DEFAULT 0 NOT NULL",),
    "surveys_comment": ("opening integer DEFAULT 0 NOT NULL",),
}
FROZEN = ("opening", "opening_days", "opening_hour", "below_k")
NOTICE = "(CASE OLD.opening WHEN 'every' THEN OLD.opening_days ELSE 7 END)"
EARLIEST = {
    "sqlite": f"date('now', '+' || {NOTICE} || ' days')",
    "postgresql": f"(now() AT TIME ZONE 'UTC')::date + {NOTICE}::integer",
}
SEALED = "OLD.opening IN ('close', 'every') AND OLD.state = 'open'"
WAITS = " OR ".join(
    f"EXISTS (SELECT 1 FROM {table} w JOIN surveys_revision r ON r.id = w.revision_id"
    " WHERE r.survey_id = OLD.id)"
    for table in ("surveys_waiting", "surveys_sealed")
)

BEGUN = (
    "EXISTS (SELECT 1 FROM surveys_openings o JOIN surveys_revision r ON r.id = o.revision_id"
    " WHERE r.survey_id = OLD.id AND o.round > o.done + 1)"
)


def triggers(vendor):
    """(name, condition, message) of each, before an update of a survey."""
    yield (
        "survey_openings_are_frozen",
        "OLD.state <> 'draft' AND ("
        + " OR ".join(f"NEW.{name} <> OLD.{name}" for name in FROZEN)
        + ")",
        "what a launched survey promised never changes",
    )
    yield (
        "survey_last_day_needs_notice",
        f"{SEALED} AND OLD.close_on IS NOT NULL AND (NEW.close_on IS NULL OR"
        f" (NEW.close_on < OLD.close_on AND NEW.close_on < {EARLIEST[vendor]}))",
        "the last day of this survey moves earlier only with notice",
    )
    yield (
        "survey_closes_by_opening",
        f"{SEALED} AND NEW.state = 'closed' AND ({WAITS}) AND NOT {BEGUN}",
        "a survey closes with an opening, or after what waits was destroyed",
    )


def create(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for name, condition, message in triggers(vendor):
        if vendor == "sqlite":
            schema_editor.execute(
                f"CREATE TRIGGER {name} BEFORE UPDATE ON surveys_survey WHEN {condition}"
                f" BEGIN SELECT RAISE(ABORT, '{message}'); END"
            )
            continue
        schema_editor.execute(
            f"CREATE FUNCTION refuse_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF {condition} THEN RAISE EXCEPTION '{message}'"
            f" USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$"
        )
        schema_editor.execute(
            f"CREATE TRIGGER {name} BEFORE UPDATE ON surveys_survey"
            f" FOR EACH ROW EXECUTE FUNCTION refuse_{name}()"
        )


def drop(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for name, *_ in triggers(vendor):
        if vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {name}")
        else:
            schema_editor.execute(f"DROP TRIGGER {name} ON surveys_survey")
            schema_editor.execute(f"DROP FUNCTION refuse_{name}()")


def add_columns(apps, schema_editor):
    for table, columns in COLUMNS.items():
        for column in columns:
            schema_editor.execute(f"ALTER TABLE {table} ADD COLUMN {column}")


def drop_columns(apps, schema_editor):
    for table, columns in COLUMNS.items():
        for column in columns:
            schema_editor.execute(f"ALTER TABLE {table} DROP COLUMN {column.split()[0]}")


def count_paths(apps, schema_editor):
    """A row for each launched survey; how many used their own coin stays known as a total."""
    openings = apps.get_model("surveys", "Openings").objects
    revisions = apps.get_model("surveys", "Revision").objects
    own = Count("responses", filter=Q(responses__own_coin=True))
    for key, count in revisions.annotate(own=own).values_list("pk", "own"):
        openings.create(revision_id=key, since=timezone.now().date(), own_coin=count)


def drop_path(apps, schema_editor):
    schema_editor.execute("ALTER TABLE surveys_response DROP COLUMN own_coin")


def add_path(apps, schema_editor):
    schema_editor.execute(
        "ALTER TABLE surveys_response ADD COLUMN own_coin bool DEFAULT false NOT NULL"
    )


class Migration(migrations.Migration):
    dependencies = [("surveys", "0013_reminders")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(add_columns, drop_columns)],
            state_operations=[
                migrations.AddField(
                    model_name="comment",
                    name="opening",
                    field=models.PositiveIntegerField(default=0, editable=False),
                ),
                migrations.AddField(
                    model_name="response",
                    name="opening",
                    field=models.PositiveIntegerField(default=0, editable=False),
                ),
                migrations.AddField(
                    model_name="survey",
                    name="below_k",
                    field=models.CharField(
                        choices=[
                            ("open", "Open them together"),
                            ("destroy", "Destroy them unread"),
                        ],
                        default="open",
                        help_text="Respondents read what you choose here before they answer. Frozen at launch.",
                        max_length=7,
                        verbose_name="if fewer come than are stored together",
                    ),
                ),
                migrations.AddField(
                    model_name="survey",
                    name="opening",
                    field=models.CharField(
                        blank=True,
                        choices=[
                            ("close", "At the close: everything together, after the last day"),
                            (
                                "every",
                                "Every N days: about half each time, everything at the close",
                            ),
                            (
                                "live",
                                "Live: every full batch at once (demonstrations, teaching, polls)",
                            ),
                        ],
                        help_text="At the close, you see no results before the survey has ended; in return, sending many answers does not single out one person. Every N days, you see results on the way, but a person who hands out the link one by one can find out whose answers are whose. Live, a person who sends enough answers around another’s sees what that other person sent; not possible with invitations. Empty: at the close with invitations, otherwise every 7 days. Frozen at launch.",
                        max_length=5,
                        verbose_name="answers are opened",
                    ),
                ),
                migrations.AddField(
                    model_name="survey",
                    name="opening_days",
                    field=models.PositiveSmallIntegerField(
                        default=7,
                        help_text="For “every N days” only: N, from 1 to 28.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(28),
                        ],
                        verbose_name="days between openings",
                    ),
                ),
                migrations.AddField(
                    model_name="survey",
                    name="opening_hour",
                    field=models.PositiveSmallIntegerField(
                        default=3,
                        help_text="In UTC, from 0 to 23. Answers are opened at this hour or later, never earlier.",
                        validators=[django.core.validators.MaxValueValidator(23)],
                        verbose_name="hour of an opening",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Openings",
            fields=[
                (
                    "revision",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="openings",
                        serialize=False,
                        to="surveys.revision",
                    ),
                ),
                ("round", models.PositiveIntegerField(default=1)),
                ("done", models.PositiveIntegerField(default=0)),
                ("since", models.DateField()),
                ("done_on", models.DateField(null=True)),
                ("left", models.PositiveIntegerField(default=0)),
                ("keep", models.PositiveIntegerField(default=0)),
                ("others", models.PositiveIntegerField(null=True)),
                ("withhold", models.PositiveIntegerField(default=0)),
                ("own_coin", models.PositiveIntegerField(default=0)),
                ("withheld", models.PositiveIntegerField(default=0)),
                ("destroyed", models.PositiveIntegerField(default=0)),
                ("at_least", models.PositiveIntegerField(default=0)),
                ("counted_on", models.DateField(null=True)),
                ("recovery", models.BinaryField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Sealed",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("round", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(choices=[("row", "Row"), ("text", "Text")], max_length=4),
                ),
                ("content", models.BinaryField()),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sealed",
                        to="surveys.revision",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["revision", "kind", "round"], name="surveys_sea_revisio_fa962a_idx"
                    )
                ],
            },
        ),
        migrations.RunPython(count_paths, migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(drop_path, add_path)],
            state_operations=[
                migrations.RemoveField(
                    model_name="response",
                    name="own_coin",
                ),
            ],
        ),
        migrations.RunPython(create, drop),
    ]
