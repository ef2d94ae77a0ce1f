"""A migration adds columns and triggers to frozen tables, and their other triggers stay."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.apps import apps
from django.db import DatabaseError, OperationalError, connection, models, transaction
from django.db.migrations import AddField, Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from surveys.authoring.services import launch
from surveys.models.frozen_tables import AddColumn, Refuse, WidenColumn
from surveys.operations.checks import database
from tests.factories import add_question, make_survey

TABLE, MESSAGE = "surveys_survey", "the colour of a launched survey never changes"
COLOUR = AddColumn("Survey", "colour", models.CharField(max_length=7, default="it's"))
FROZEN = Refuse(
    "survey_colour_is_frozen",
    TABLE,
    "UPDATE",
    "OLD.state <> 'draft' AND NEW.colour <> OLD.colour",
    MESSAGE,
)
ALONE = Refuse("survey_stays_alone", TABLE, "DELETE", {"sqlite": "1 % 2 = 0"}, MESSAGE)


def migration(*operations: Operation) -> Migration:
    made = Migration("9999_colours", "surveys")
    made.operations = list(operations)
    return made


def statements(*operations: Operation) -> list[str]:
    """What the operations would execute, forwards and then backwards."""
    state, made = ProjectState.from_apps(apps), migration(*operations)
    with connection.schema_editor(collect_sql=True) as editor:
        made.apply(state.clone(), editor)
        made.unapply(state, editor)
    return [line for line in editor.collected_sql if not line.startswith("--")]


def schema() -> set[tuple[str, ...]]:
    """All triggers, and the columns of surveys."""
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, TABLE)
    names = {(str(column.name), str(column.default)) for column in columns}
    return names | {(name,) for name in database.triggers()}


@pytest.fixture
def migrated(transactional_db: None) -> Iterator[None]:
    """Surveys have a colour while a test runs."""
    before, made = schema(), migration(COLOUR, FROZEN)
    with connection.schema_editor() as editor:
        made.apply(ProjectState.from_apps(apps), editor)
    assert before < schema()
    yield
    with connection.schema_editor() as editor:
        made.unapply(ProjectState.from_apps(apps), editor)
    assert schema() == before


def paint(colour: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE {TABLE} SET colour = %s", [colour])


def colours() -> list[tuple[str]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT colour FROM {TABLE}")
        return cursor.fetchall()


@pytest.mark.both_databases
def test_a_frozen_table_gets_a_column_that_is_frozen_too(migrated, owner):
    survey = make_survey(owner)
    add_question(survey)
    assert colours() == [("it's",)]
    paint("red")
    launch(survey=survey, by=owner)
    with pytest.raises(DatabaseError, match=MESSAGE):
        paint("blue")
    assert colours() == [("red",)]


@pytest.mark.both_databases
def test_all_triggers_stay_when_a_column_is_added(migrated):
    assert database.expected_triggers() <= database.triggers()


@pytest.mark.django_db(transaction=True)
@pytest.mark.one_database
def test_the_operation_of_django_breaks_the_triggers_of_sqlite():
    made = migration(AddField("survey", "colour", models.CharField(max_length=7, default="")))
    with (
        pytest.raises(OperationalError, match="error in trigger"),
        connection.schema_editor() as editor,
    ):
        made.apply(ProjectState.from_apps(apps), editor)


WRITTEN = {
    "sqlite": [
        "ALTER TABLE surveys_survey ADD COLUMN colour varchar(7) DEFAULT 'it''s' NOT NULL;",
        "CREATE TRIGGER survey_colour_is_frozen BEFORE UPDATE ON surveys_survey"
        " WHEN OLD.state <> 'draft' AND NEW.colour <> OLD.colour"
        f" BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END;",
        "CREATE TRIGGER survey_stays_alone BEFORE DELETE ON surveys_survey WHEN 1 % 2 = 0"
        f" BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END;",
        "DROP TRIGGER survey_stays_alone;",
        "DROP TRIGGER survey_colour_is_frozen;",
        "ALTER TABLE surveys_survey DROP COLUMN colour;",
    ],
    "postgresql": [
        "ALTER TABLE surveys_survey ADD COLUMN colour varchar(7) DEFAULT 'it''s' NOT NULL;",
        "CREATE FUNCTION refuse_survey_colour_is_frozen() RETURNS trigger LANGUAGE plpgsql"
        " AS $$ BEGIN IF OLD.state <> 'draft' AND NEW.colour <> OLD.colour"
        f" THEN RAISE EXCEPTION '{MESSAGE}'"
        " USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;",
        "CREATE TRIGGER survey_colour_is_frozen BEFORE UPDATE ON surveys_survey"
        " FOR EACH ROW EXECUTE FUNCTION refuse_survey_colour_is_frozen();",
        "DROP TRIGGER survey_colour_is_frozen ON surveys_survey;",
        "DROP FUNCTION refuse_survey_colour_is_frozen();",
        "ALTER TABLE surveys_survey DROP COLUMN colour;",
    ],
}
DEFINITIONS = [
    (models.BooleanField(default=False), "bool DEFAULT false NOT NULL"),
    (models.TextField(default="", max_length=9), "text DEFAULT '' NOT NULL"),
    (models.IntegerField(default=3), "integer DEFAULT 3 NOT NULL"),
    (models.IntegerField(null=True), "integer"),
    (
        models.PositiveSmallIntegerField(default=3),
        'smallint unsigned DEFAULT 3 NOT NULL CHECK ("colour" >= 0)',
    ),
]
OF_POSTGRESQL = {"bool ": "boolean ", "smallint unsigned": "smallint"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_what_migrations_wrote_once_they_write_for_ever():
    assert statements(COLOUR, FROZEN, ALONE) == WRITTEN[connection.vendor]


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
@pytest.mark.parametrize(("field", "definition"), DEFINITIONS)
def test_a_column_follows_from_its_field(field, definition):
    if connection.vendor == "postgresql":
        for sqlite, postgresql in OF_POSTGRESQL.items():
            definition = definition.replace(sqlite, postgresql)
    add, _ = statements(AddColumn("survey", "colour", field))
    assert add == f"ALTER TABLE surveys_survey ADD COLUMN colour {definition};"


@pytest.mark.parametrize(
    "field",
    [
        models.CharField(max_length=7, unique=True),
        models.CharField(max_length=7, db_index=True),
        models.ForeignKey("surveys.Catalogue", models.PROTECT),
    ],
)
def test_a_field_that_needs_more_than_a_column_is_refused(field):
    with pytest.raises(ValueError, match="no plain column"):
        AddColumn("survey", "colour", field)


@pytest.mark.django_db(transaction=True)
def test_a_default_that_has_no_plain_words_in_sql_is_refused():
    field = models.DecimalField(max_digits=3, decimal_places=1, default=Decimal("0.5"))
    with pytest.raises((TypeError, AssertionError)):
        statements(AddColumn("survey", "colour", field))


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_a_text_becomes_longer_where_the_database_checks_its_length():
    title = models.CharField(max_length=900)
    wider, back = (
        ("ALTER TABLE surveys_survey ALTER COLUMN title TYPE varchar(900);",),
        ("ALTER TABLE surveys_survey ALTER COLUMN title TYPE varchar(200);",),
    )
    expected = [] if connection.vendor == "sqlite" else [*wider, *back]
    assert statements(WidenColumn("survey", "title", title)) == expected
