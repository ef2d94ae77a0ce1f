"""What tables are made of: random keys, columns of languages, named texts, messages."""

import json
import uuid
from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.db import models

from surveys.randomized_response.messages import read, written


class RandomKeyModel(models.Model):
    """Rows are named by random numbers, which say nothing about when they were made."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)

    class Meta:
        abstract = True


def choices() -> list[tuple[str, str]]:
    """The languages of respondents' pages: code and name."""
    return list(settings.LANGUAGES)


class TickedLanguages(forms.MultipleChoiceField):
    """Ticks for the languages; their codes with spaces between, in the order of the settings."""

    widget = forms.CheckboxSelectMultiple

    def prepare_value(self, value: Any) -> Any:
        return value.split() if isinstance(value, str) else value

    def clean(self, value: Any) -> str:
        return " ".join(super().clean(value))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)


class LanguagesField(models.CharField[str, str]):
    """Codes of languages with spaces between."""

    def formfield(self, **kwargs: Any) -> TickedLanguages:
        return TickedLanguages(
            choices=choices,
            required=not self.blank,
            label=str(self.verbose_name).capitalize(),
            help_text=self.help_text,
        )


class NamedTextsField(models.TextField[Mapping[str, str], dict[str, str]]):
    """Texts by name, as JSON with sorted names; an empty text where there are none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "default": dict, "blank": True})

    def get_prep_value(self, value: Any) -> str:
        texts = self.to_python(value)
        return json.dumps(texts, ensure_ascii=False, sort_keys=True) if texts else ""

    def from_db_value(self, value: str | None, *_: object) -> dict[str, str]:
        return self.to_python(value)

    def to_python(self, value: Any) -> dict[str, str]:
        """Of what is stored or serialized, too."""
        texts = json.loads(value) if isinstance(value, str) and value else value
        return dict(texts or {})

    def value_to_string(self, obj: models.Model) -> str:
        return self.get_prep_value(self.value_from_object(obj))

    # In migrations a text, whose default a database can keep.
    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.TextField", args, {**kwargs, "default": ""}


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
