"""Operations of migrations that change frozen tables: a column, and a trigger that refuses.

For a new column Django rebuilds a table on SQLite: it fills a copy, drops the table and renames the
copy. The table's triggers go with it, and a trigger of another table that looks into this one ends
the migration with "error in trigger". ``ALTER TABLE … ADD COLUMN`` rebuilds nothing.

Migrations of all versions run these operations, so the SQL that they write never changes:
``tests/surveys/models/test_frozen_tables.py`` holds it, word for word.
"""

from collections.abc import Mapping
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor as Editor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState as State
from django.db.models import Field

BOTH = ("sqlite", "postgresql")


class AddColumn(Operation):
    """Add a field to a model whose table is frozen; its column keeps the default in the database.

    It is no ``AddField``: a squashed migration would move that into the model's ``CreateModel``,
    whose columns have no default. A field that is unique, indexed or a relation is refused.
    """

    def __init__(self, model_name: str, name: str, field: Field) -> None:
        is_indexed = field.db_index  # type: ignore[attr-defined]
        if field.unique or is_indexed or field.is_relation:
            raise ValueError(f"{name} is unique, indexed or a relation: no plain column")
        self.model_name, self.name, self.field = model_name, name, field

    def state_forwards(self, app_label: str, state: State) -> None:
        state.add_field(app_label, self.model_name.lower(), self.name, self.field, True)

    def database_forwards(
        self, app_label: str, schema_editor: Editor, from_state: State, to_state: State
    ) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        field = model._meta.get_field(self.name)
        _execute(
            schema_editor,
            f"ALTER TABLE {model._meta.db_table} ADD COLUMN {field.column} "
            + _definition(schema_editor, field),
        )

    def database_backwards(
        self, app_label: str, schema_editor: Editor, from_state: State, to_state: State
    ) -> None:
        model = from_state.apps.get_model(app_label, self.model_name)
        column = model._meta.get_field(self.name).column
        _execute(schema_editor, f"ALTER TABLE {model._meta.db_table} DROP COLUMN {column}")

    def describe(self) -> str:
        return f"Add column {self.name} to the frozen table of {self.model_name}"


class WidenColumn(Operation):
    """Let a text be longer. SQLite checks no length, so that its table stays as it is."""

    def __init__(self, model_name: str, name: str, field: Field) -> None:
        self.model_name, self.name, self.field = model_name, name, field

    def state_forwards(self, app_label: str, state: State) -> None:
        state.alter_field(app_label, self.model_name.lower(), self.name, self.field, True)

    def database_forwards(
        self, app_label: str, schema_editor: Editor, from_state: State, to_state: State
    ) -> None:
        if schema_editor.connection.vendor == "sqlite":
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        field = model._meta.get_field(self.name)
        _execute(
            schema_editor,
            f"ALTER TABLE {model._meta.db_table} ALTER COLUMN {field.column} "
            f"TYPE {field.db_type(schema_editor.connection)}",
        )

    # Back to the shorter one, which the database refuses if a text has become longer.
    database_backwards = database_forwards

    def describe(self) -> str:
        return f"Let column {self.name} of the frozen table of {self.model_name} be longer"


class Refuse(Operation):
    """Let the database refuse an ``INSERT``, ``UPDATE`` or ``DELETE`` of rows, by a trigger.

    ``condition`` is SQL over ``OLD`` and ``NEW``; where databases write it in different ways it is
    a mapping from their vendor, and one that is not in there has no such trigger.
    """

    def __init__(
        self, name: str, table: str, event: str, condition: str | Mapping[str, str], message: str
    ) -> None:
        self.name, self.table, self.event, self.message = name, table, event, message
        self.conditions = (
            dict.fromkeys(BOTH, condition) if isinstance(condition, str) else condition
        )

    def state_forwards(self, app_label: str, state: State) -> None:
        """The models of Django know no triggers."""

    def database_forwards(
        self, app_label: str, schema_editor: Editor, from_state: State, to_state: State
    ) -> None:
        vendor = schema_editor.connection.vendor
        trigger = f"CREATE TRIGGER {self.name} BEFORE {self.event} ON {self.table}"
        condition = self.conditions.get(vendor)
        if condition is None:
            return
        if vendor == "sqlite":
            refusal = f"BEGIN SELECT RAISE(ABORT, '{self.message}'); END"
            _execute(schema_editor, f"{trigger} WHEN {condition} {refusal}")
            return
        _execute(
            schema_editor,
            f"CREATE FUNCTION refuse_{self.name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF {condition} THEN RAISE EXCEPTION '{self.message}'"
            " USING ERRCODE = 'integrity_constraint_violation'; END IF;"
            f" RETURN {'OLD' if self.event == 'DELETE' else 'NEW'}; END $$",
        )
        _execute(schema_editor, f"{trigger} FOR EACH ROW EXECUTE FUNCTION refuse_{self.name}()")

    def database_backwards(
        self, app_label: str, schema_editor: Editor, from_state: State, to_state: State
    ) -> None:
        vendor = schema_editor.connection.vendor
        if vendor not in self.conditions:
            return
        if vendor == "sqlite":
            _execute(schema_editor, f"DROP TRIGGER {self.name}")
        else:
            _execute(schema_editor, f"DROP TRIGGER {self.name} ON {self.table}")
            _execute(schema_editor, f"DROP FUNCTION refuse_{self.name}()")

    def describe(self) -> str:
        return f"Refuse {self.event} of rows of {self.table}: {self.message}"


def _definition(schema_editor: Editor, field: Field) -> str:
    """What stands after the column's name; without parameters, which SQLite refuses in a schema."""
    connection = schema_editor.connection
    default = schema_editor.effective_default(field)
    parts = [str(field.db_type(connection))]
    if default is not None:
        parts.append(f"DEFAULT {_literal(default)}")
    if not field.null:
        parts.append("NOT NULL")
    if check := field.db_check(connection):
        parts.append(f"CHECK ({check})")
    return " ".join(parts)


def _literal(default: Any) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, int):
        return str(default)
    if isinstance(default, str):
        return "'{}'".format(default.replace("'", "''"))
    raise TypeError(f"no default {default!r} of a column: give text, a whole number or a truth")


def _execute(schema_editor: Editor, statement: str) -> None:
    # None, not no parameters: a percent sign in a condition would be taken for a placeholder.
    schema_editor.execute(statement, params=None)
