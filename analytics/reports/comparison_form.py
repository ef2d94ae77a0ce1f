"""GroupsForm: which question is compared, between which groups or surveys."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from analytics.comparison.checks import ComparisonError
from analytics.comparison.clouds import checked_metric
from analytics.kinds.comparisons import (
    LEVELS,
    ComparisonSettings,
)
from analytics.kinds.settings import SettingsError
from analytics.reports.asking import OFF, AskForm, choose, question_words, refuse
from analytics.sources.survey_scales import TELLS_GROUPS, has_scale, needs_metric
from surveys.models import Survey
from surveys.questionnaire.kinds.question import Question
from surveys.web.forms import read_parts, refuse_thousands
from surveys.wording.language.messages import said_by

if TYPE_CHECKING:
    pass

SURVEYS = "surveys"
LONGEST_METRIC = 20_000


class GroupsForm(AskForm):
    """Which question, between which groups. ``can_ask``: there is something to compare."""

    question = forms.ChoiceField(
        label=gettext_lazy("Question to compare"),
        help_text=gettext_lazy(
            "Choose a question whose answers have an order. If the answers have no order, enter "
            "the distances between the answers yourself."
        ),
    )
    by = forms.ChoiceField(
        label=gettext_lazy("Form groups by"),
        help_text=gettext_lazy("Choose another question, or choose to compare surveys."),
    )
    surveys = forms.MultipleChoiceField(
        label=gettext_lazy("Other surveys or waves"),
        required=False,
        help_text=gettext_lazy(
            "Only if you compare surveys. Choose surveys that ask the same question."
        ),
        widget=forms.SelectMultiple(attrs={"size": 4}),
    )
    metric = forms.CharField(
        label=gettext_lazy("Distances between the answers"),
        required=False,
        max_length=LONGEST_METRIC,
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off"}),
        help_text=gettext_lazy(
            "Only for answers without an order. Write one row of numbers for each answer: the "
            "distances of this answer to all answers."
        ),
    )
    level = forms.ChoiceField(
        label=gettext_lazy("Confidence level"),
        choices=[(str(level), f"{100 * level:.0f} %") for level in LEVELS],
        initial="0.95",
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        min_value=0,
        initial=0,
        widget=OFF,
        help_text=gettext_lazy("With the same seed and the same answers, the report is the same."),
    )

    def __init__(
        self, data: Any, items: Sequence[tuple[int, Question]], others: Sequence[Survey]
    ) -> None:
        super().__init__(data)
        scaled = [(n, item) for n, item in items if has_scale(item) or needs_metric(item)]
        self.unordered = {n for n, item in scaled if needs_metric(item)}
        groups = [(n, item) for n, item in items if TELLS_GROUPS(item)]
        choices = [(str(n), question_words(n, item) + _hidden_words(item)) for n, item in groups]
        if others:
            choices.append((SURVEYS, gettext("This survey and others")))
        choose(self, "question", [(str(n), question_words(n, item)) for n, item in scaled])
        choose(self, "by", choices)
        # Not the question itself, which is no comparison.
        others_first = (str(n) for n, _ in groups if not scaled or n != scaled[0][0])
        self.fields["by"].initial = next(others_first, None)
        is_pair = any(number != n for number, _ in scaled for n, _ in groups)
        self.can_ask = is_pair or bool(scaled and others)
        choose(self, "surveys", [(str(survey.pk), survey.title) for survey in others])
        if not others:
            del self.fields["surveys"]
        if not self.unordered:
            del self.fields["metric"]

    def clean_metric(self) -> tuple[tuple[float, ...], ...]:
        """A table of numbers: the rules of a metric are checked with the answers."""
        rows = [read_parts(line) for line in self.cleaned_data["metric"].splitlines()]
        refuse_thousands(cell for row in rows for cell in row)
        try:
            return tuple(tuple(float(cell) for cell in row) for row in rows if row)
        except ValueError:
            raise forms.ValidationError(
                gettext("Write a row of numbers for each answer.")
            ) from None

    def clean(self) -> dict[str, Any]:
        """The settings, or what is wrong with them."""
        values = self.cleaned_data
        if not {"question", "by", "level", "seed"} <= set(values):
            return values
        is_between = values["by"] == SURVEYS
        metric = values.get("metric", ()) if int(values["question"]) in self.unordered else ()
        if int(values["question"]) in self.unordered:
            self._check_metric(metric, is_between)
        try:
            values["settings"] = ComparisonSettings(
                int(values["question"]),
                None if is_between else int(values["by"]),
                tuple(values.get("surveys", ())) if is_between else (),
                float(values["level"]),
                seed=values["seed"],
                metric=metric,
            )
        except SettingsError as problem:
            refuse(self, problem)
        return values

    def _check_metric(self, metric: tuple[tuple[float, ...], ...], is_between: bool) -> None:
        if is_between:
            self.add_error(
                "by",
                gettext(
                    "Answers without an order can be compared only within one survey. Choose a "
                    "question that forms the groups."
                ),
            )
        try:
            checked_metric(metric)
        except ComparisonError as problem:
            self.add_error("metric", said_by(problem))


def _hidden_words(item: Question) -> str:
    return gettext(" (randomized: sizes are estimates)") if item.is_randomized else ""
