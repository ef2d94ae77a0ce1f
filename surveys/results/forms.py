"""Forms of the results' pages."""

from typing import Self

from django import forms
from django.http import QueryDict

from surveys.results.reading import FIXED, INTERVAL_NAMES, Reading
from surveys.web.forms import LEVELS, CountField, QuestionForm


class SearchForm(forms.Form):
    """Search among the surveys' titles."""

    q = forms.CharField(label="Search titles", max_length=200, required=False)


class ReadingForm(QuestionForm):
    """How to read a dashboard; what is missing has its default."""

    method = forms.ChoiceField(label="Interval", choices=list(INTERVAL_NAMES.items()))
    level = forms.ChoiceField(label="Level", choices=LEVELS)
    false_reports = CountField(label="False reports (empty: 1 in 100)", least=0, required=False)

    default_method = FIXED

    @classmethod
    def from_query(cls, query: QueryDict, default_method: str = FIXED) -> Self:
        """Complete a query with the defaults."""
        form = cls({"method": default_method, "level": "95", **query.dict()})
        form.default_method = default_method
        return form

    @property
    def reading(self) -> Reading:
        """What was asked for, or the default while something is wrong."""
        if not self.is_valid():
            return Reading(self.default_method)
        chosen = self.cleaned_data
        return Reading(chosen["method"], int(chosen["level"]) / 100, chosen["false_reports"])
