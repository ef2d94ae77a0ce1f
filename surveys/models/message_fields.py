"""Columns that hold messages: a page says them in its own language, whenever they were stored."""

import json
from typing import Any

from django.db import models

from surveys.randomized_response.messages import read, written


class MessageField(models.TextField[str, str]):
    """One message, as JSON; text without a pattern stays as it is."""

    def get_prep_value(self, value: Any) -> Any:
        known = written(value)
        return json.dumps(known, ensure_ascii=False) if isinstance(known, dict) else value

    def from_db_value(self, value: str | None, *_: object) -> str | None:
        return read(json.loads(value)) if value and value.startswith('{"message') else value

    # In migrations a text: they read what is stored, and need no class that may be gone.
    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.TextField", args, kwargs


class DocumentField(models.JSONField):
    """A document with messages in it, at any depth."""

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        return super().get_db_prep_value(written(value), connection, prepared)

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return read(super().from_db_value(value, expression, connection))

    # In migrations plain JSON, for the same reason.
    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs
