"""Forms: compare groups of one survey or several surveys; grow a tree."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.utils.translation import gettext, gettext_lazy

from analytics.comparison.clouds import Metric, checked_metric
from analytics.comparison.errors import ComparisonError
from analytics.kinds.clouds import CloudSettings
from analytics.kinds.comparisons import LEVELS, ComparisonSettings
from analytics.kinds.settings import SettingsError
from analytics.kinds.tree_reports import ALPHAS, DEEPEST, LEAST_LEAF, MOST_LEAF, TreeSettings
from analytics.pages.forms import LONGEST_QUESTION, OnceForm
from analytics.sources.survey_scales import (
    TELLS_GROUPS,
    has_position,
    has_scale,
    needs_metric,
)
from surveys.models import Survey
from surveys.questionnaire.kinds.question import Question
from surveys.web.forms import read_parts, refuse_thousands
from surveys.wording.language.messages import said_by

SURVEYS = "surveys"
LONGEST_METRIC = 20_000
OFF = forms.NumberInput(attrs={"autocomplete": "off"})


class GroupsForm(OnceForm):
    """Which question, between which groups. ``can_ask``: there is something to compare."""

    question = forms.ChoiceField(
        label=gettext_lazy("Whose answers"),
        help_text=gettext_lazy("Answers with an order, or distances of your own."),
    )
    by = forms.ChoiceField(
        label=gettext_lazy("Between"),
        help_text=gettext_lazy("Groups by another question, or surveys."),
    )
    surveys = forms.MultipleChoiceField(
        label=gettext_lazy("Other surveys or waves"),
        required=False,
        help_text=gettext_lazy("Only if you compare surveys: those that ask the same question."),
        widget=forms.SelectMultiple(attrs={"size": 4}),
    )
    metric = forms.CharField(
        label=gettext_lazy("Distances between the answers"),
        required=False,
        max_length=LONGEST_METRIC,
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off"}),
        help_text=gettext_lazy(
            "Only for answers without an order: a row of numbers for each answer."
        ),
    )
    level = forms.ChoiceField(
        label=gettext_lazy("Level of the intervals"),
        choices=[(str(level), f"{100 * level:.0f} %") for level in LEVELS],
        initial="0.95",
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        min_value=0,
        initial=0,
        widget=OFF,
        help_text=gettext_lazy("The same seed gives the same report of the same answers."),
    )

    def __init__(
        self, data: Any = None, *, items: Sequence[tuple[int, Question]], others: Sequence[Survey]
    ) -> None:
        super().__init__(data)
        scaled = [(n, item) for n, item in items if has_scale(item) or needs_metric(item)]
        self.unordered = {n for n, item in scaled if needs_metric(item)}
        groups = [(n, item) for n, item in items if TELLS_GROUPS(item)]
        choices = [(str(n), _words(n, item) + _hidden_words(item)) for n, item in groups]
        if others:
            choices.append((SURVEYS, gettext("This survey and others")))
        _choose(self, "question", [(str(n), _words(n, item)) for n, item in scaled])
        _choose(self, "by", choices)
        # Not the question itself, which is no comparison.
        others_first = (str(n) for n, _ in groups if not scaled or n != scaled[0][0])
        self.fields["by"].initial = next(others_first, None)
        is_pair = any(number != n for number, _ in scaled for n, _ in groups)
        self.can_ask = is_pair or bool(scaled and others)
        _choose(self, "surveys", [(str(one.pk), one.title) for one in others])
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
        given = self.cleaned_data
        if not {"question", "by", "level", "seed"} <= set(given):
            return given
        is_between = given["by"] == SURVEYS
        metric = given.get("metric", ()) if int(given["question"]) in self.unordered else ()
        if int(given["question"]) in self.unordered:
            self._check_metric(metric, is_between)
        try:
            given["settings"] = ComparisonSettings(
                int(given["question"]),
                None if is_between else int(given["by"]),
                tuple(given.get("surveys", ())) if is_between else (),
                float(given["level"]),
                seed=given["seed"],
                metric=metric,
            )
        except SettingsError as problem:
            refuse(self, problem)
        return given

    def _check_metric(self, metric: tuple[tuple[float, ...], ...], is_between: bool) -> None:
        if is_between:
            self.add_error(
                "by", gettext("Answers without an order are compared within one survey.")
            )
        try:
            checked_metric(metric)
        except ComparisonError as problem:
            self.add_error("metric", said_by(problem))


class CloudsForm(OnceForm):
    """Which numbers together, between which groups. ``can_ask``: there are two and a grouping."""

    questions = forms.MultipleChoiceField(
        label=gettext_lazy("Numbers and scales"),
        help_text=gettext_lazy("Two or more; hold Ctrl or Cmd to choose several."),
        widget=forms.SelectMultiple(attrs={"size": 4}),
    )
    by = forms.ChoiceField(
        label=gettext_lazy("Between"),
        help_text=gettext_lazy("Groups by a question asked directly."),
    )
    metric = forms.ChoiceField(
        label=gettext_lazy("Distance of two people"),
        choices=[
            (Metric.EUCLIDEAN.value, gettext_lazy("straight (Euclid)")),
            (Metric.MANHATTAN.value, gettext_lazy("along the axes (Manhattan)")),
        ],
        help_text=gettext_lazy("Each answer is divided by its spread first."),
    )
    seed = forms.IntegerField(label=gettext_lazy("Seed"), min_value=0, initial=0, widget=OFF)

    def __init__(self, data: Any = None, *, items: Sequence[tuple[int, Question]]) -> None:
        super().__init__(data)
        numbers = [(n, item) for n, item in items if has_position(item)]
        groups = [(n, item) for n, item in items if TELLS_GROUPS(item) and not item.is_randomized]
        _choose(self, "questions", [(str(n), _words(n, item)) for n, item in numbers])
        _choose(self, "by", [(str(n), _words(n, item)) for n, item in groups])
        self.can_ask = any(len({n for n, _ in numbers} - {by}) > 1 for by, _ in groups)

    def clean(self) -> dict[str, Any]:
        """The settings, or what is wrong with them."""
        given = self.cleaned_data
        if not {"questions", "by", "metric", "seed"} <= set(given):
            return given
        numbers = tuple(int(n) for n in given["questions"])
        try:
            given["settings"] = CloudSettings(
                numbers, int(given["by"]), given["metric"], given["seed"]
            )
        except SettingsError as problem:
            refuse(self, problem)
        return given


class TreeForm(OnceForm):
    """Which answer, and which others may go with it. ``can_ask``: there are two questions."""

    question = forms.ChoiceField(label=gettext_lazy("Which answers go with"))
    by = forms.MultipleChoiceField(
        label=gettext_lazy("Look among"),
        help_text=gettext_lazy("Hold Ctrl or Cmd to choose several."),
        widget=forms.SelectMultiple(attrs={"size": 6}),
    )
    alpha = forms.ChoiceField(
        label=gettext_lazy("Stop where chance explains it, at level"),
        choices=[(str(alpha), f"{100 * alpha:.0f} %") for alpha in ALPHAS],
        initial="0.05",
        help_text=gettext_lazy("Corrected for all questions that could still be asked."),
    )
    least = forms.IntegerField(
        label=gettext_lazy("Smallest branch, in people"),
        min_value=LEAST_LEAF,
        max_value=MOST_LEAF,
        initial=20,
        widget=OFF,
    )
    deepest = forms.IntegerField(
        label=gettext_lazy("Most questions on a path"),
        min_value=1,
        max_value=DEEPEST,
        initial=4,
        widget=OFF,
    )
    use_ratio = forms.BooleanField(
        label=gettext_lazy("Prefer questions with few answers (gain ratio)"), required=False
    )
    seed = forms.IntegerField(label=gettext_lazy("Seed"), min_value=0, initial=0, widget=OFF)

    def __init__(self, data: Any = None, *, items: Sequence[tuple[int, Question]]) -> None:
        super().__init__(data)
        levels = [(n, item) for n, item in items if TELLS_GROUPS(item)]
        choices = [(str(n), _words(n, item)) for n, item in levels]
        self.can_ask = len(choices) > 1
        for name in ("question", "by"):
            _choose(self, name, choices)

    def clean(self) -> dict[str, Any]:
        """The settings, or what is wrong with them."""
        given = self.cleaned_data
        if not {"question", "by", "alpha", "least", "deepest", "seed"} <= set(given):
            return given
        try:
            given["settings"] = TreeSettings(
                int(given["question"]),
                tuple(int(n) for n in given["by"]),
                float(given["alpha"]),
                given["least"],
                given["deepest"],
                given["use_ratio"],
                given["seed"],
            )
        except SettingsError as problem:
            refuse(self, problem)
        return given


def refuse(form: forms.Form, problem: SettingsError) -> None:
    """Say beside its field what is wrong with the settings, or above the form."""
    form.add_error(problem.argument if problem.argument in form.fields else None, said_by(problem))


def _choose(form: forms.Form, name: str, choices: list[tuple[str, str]]) -> None:
    cast(forms.ChoiceField, form.fields[name]).choices = choices


def _words(number: int, item: Question) -> str:
    text = item.text
    short = text if len(text) <= LONGEST_QUESTION else f"{text[: LONGEST_QUESTION - 1]}…"
    return f"{number}. {short}"


def _hidden_words(item: Question) -> str:
    return gettext(" (randomized: sizes are estimates)") if item.is_randomized else ""
