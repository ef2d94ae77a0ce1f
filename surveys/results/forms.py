"""SearchForm and ReadingForm: search surveys; choose the interval and level of the results."""

from django import forms
from django.utils.translation import gettext_lazy

from surveys.results.reading import INTERVAL_NAMES
from surveys.web.forms import LEVELS, CountField, QuestionForm


class SearchForm(forms.Form):
    """Search among the surveys' titles."""

    q = forms.CharField(label=gettext_lazy("Search titles"), max_length=200, required=False)


class ReadingForm(QuestionForm):
    """How to read a dashboard."""

    method = forms.ChoiceField(label=gettext_lazy("Interval"), choices=list(INTERVAL_NAMES.items()))
    level = forms.ChoiceField(label=gettext_lazy("Level"), choices=LEVELS)
    false_reports = CountField(
        label=gettext_lazy("False reports (empty: 1 in 100)"), least=0, required=False
    )
