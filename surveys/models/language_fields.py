"""LanguagesField: several languages in one column, chosen by ticking them; the choice of one."""

from typing import Any

from django import forms
from django.conf import settings
from django.db import models


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
