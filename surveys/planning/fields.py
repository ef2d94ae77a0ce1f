"""Form fields of the planner."""

import re
from typing import Any

from django import forms

from surveys.web.fields import MOST_LEVELS, FractionField, checked_failure, strictly_inside


class ProbabilityField(FractionField):
    """A probability, strictly within (0, 1)."""

    def clean(self, value: Any) -> Any:
        return strictly_inside(super().clean(value))


class FailureField(ProbabilityField):
    """A probability of being wrong, far enough from 0 to compute with."""

    def clean(self, value: Any) -> Any:
        return checked_failure(super().clean(value))


class LevelsField(forms.CharField):
    """How many answers one question has."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=12, **kwargs)
        self.widget.attrs.update({"inputmode": "numeric", "autocomplete": "off"})

    def clean(self, value: Any) -> Any:
        written = super().clean(value)
        if not re.fullmatch("[0-9]{1,12}", written) or not 2 <= int(written) <= MOST_LEVELS:
            raise forms.ValidationError(
                f"Write a whole number from 2 to {MOST_LEVELS}; one answer asks nothing."
            )
        return int(written)
