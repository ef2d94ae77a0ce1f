"""SearchForm and ReadingForm: search surveys; choose the interval and level of the results."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from surveys.randomized_response.intervals import PlannedLooks
from surveys.results.reading import methods_for
from surveys.web.forms import LEVELS, CountField, QuestionForm


class SearchForm(forms.Form):
    """Search among the surveys' titles."""

    q = forms.CharField(label=gettext_lazy("Search titles"), max_length=200, required=False)


class ReadingForm(QuestionForm):
    """How to read a dashboard."""

    method = forms.ChoiceField(label=gettext_lazy("Interval"))
    level = forms.ChoiceField(label=gettext_lazy("Level"), choices=LEVELS)
    false_reports = CountField(
        label=gettext_lazy("Assumed false answers (empty: 1 in 100)"), least=0, required=False
    )

    def __init__(self, asked: Mapping[str, Any], *, looks: PlannedLooks | None) -> None:
        """``looks``: the survey's openings, if planned; else no interval is offered for them."""
        super().__init__(asked)
        method: Any = self.fields["method"]
        method.choices = methods_for(looks)
