"""PlanForm: the fields of a PlanRequest on a page, and what they refuse; SavePlanForm."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

from django import forms
from django.db.models import QuerySet
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy

from surveys.models import Survey
from surveys.planning.plans import PlanReport, in_words, plan_report
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.planning import (
    PLANNED_DESIGNS,
    REQUEST_FIELDS,
    PlanRequest,
    field_of,
)
from surveys.randomized_response.planning.request_fields import (
    OfferedNames,
    RequestError,
    RequestField,
    TypedChances,
    TypedCount,
    TypedField,
    TypedLevels,
    TypedList,
    TypedNumber,
)
from surveys.web.forms import CountField, QuestionForm, read_parts, split_parts
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import parted_lazy

translated_lazy = lazy(translated, str)


class RequestTextField(forms.CharField):
    """A field of a PlanRequest that a person types."""

    def __init__(self, name: str, **kwargs: Any) -> None:
        asked = REQUEST_FIELDS[name]
        assert isinstance(asked, TypedField)  # noqa: S101  counts and names have fields of Django's
        super().__init__(max_length=asked.longest, **kwargs)
        self.name, self.asked = name, asked
        if isinstance(asked, TypedNumber | TypedLevels):
            is_fraction = isinstance(asked, TypedNumber)
            self.widget.attrs["inputmode"] = "decimal" if is_fraction else "numeric"
        self.widget.attrs["autocomplete"] = "off"

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text:
            return None
        if isinstance(self.asked, TypedChances):
            read_parts(text)  # refuses "0,5" where decimals have a comma: it would be read as two
        try:
            return self.asked.read(self.name, text)
        except RequestError as problem:
            raise forms.ValidationError(translated(problem.remedy)) from None


def _page_field(name: str, asked: RequestField) -> forms.Field:
    """A field of a PlanRequest as a page asks it."""
    words: dict[str, Any] = {"label": translated_lazy(asked.label), "required": bool(asked.usual)}
    if asked.help:
        words["help_text"] = translated_lazy(asked.help)
    if asked.usual:
        is_list = isinstance(asked, TypedList)
        words["initial"] = parted_lazy(split_parts(asked.usual)) if is_list else asked.usual
    if isinstance(asked, OfferedNames):
        choices: Any = [(choice, translated_lazy(label)) for choice, label in asked.labels.items()]
        if name == "reading":
            choices = Survey.Reading.choices  # a survey's plan says its reading in the same words
        return forms.TypedChoiceField(choices=choices, coerce=asked.read_name, **words)
    if isinstance(asked, TypedCount) and not isinstance(asked, TypedLevels):
        return CountField(least=asked.least, most=asked.most, **words)
    return RequestTextField(name, **words)


class PlanForm(QuestionForm):
    """The planner's question; the page and the command ask through the same fields."""

    report: PlanReport

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """Complete what was asked with the defaults, so that every address is a whole plan."""
        usual = {name: str(field.initial or "") for name, field in cls.base_fields.items()}
        return cls(usual | {name: text for name, text in query.items() if name in usual})

    @property
    def parameters(self) -> list[forms.BoundField]:
        """The fields that belong to some designs only."""
        names = ("parts", "sent", "levels", "numbers", "p", "other", "forced", "epsilon")
        return [self[name] for name in names]

    @property
    def goals(self) -> list[forms.BoundField]:
        """The fields that every design has."""
        names = ("reading", "openings", "error", "failure", "method", "meaning", "population")
        return [self[name] for name in (*names, "responses", "drawn")]

    @property
    def sampling(self) -> list[forms.BoundField]:
        """The fields about how people come into the survey."""
        names = ("response_rate", "assurance", "cluster_size", "intraclass_correlation")
        return [self[name] for name in (*names, "cluster_variation", "weight_variation", "arms")]

    @property
    def test(self) -> list[forms.BoundField]:
        """The fields about a test of the share."""
        names = ("share", "null_share", "samples", "power", "significance", "alternative")
        return [self[name] for name in names]

    @property
    def sharing(self) -> list[forms.BoundField]:
        """The fields about one epsilon for several questions."""
        return [self[name] for name in ("budget", "answers", "objective")]

    @property
    def samples_people(self) -> bool:
        """Whether something was asked about how people are sampled, or is wrong there."""
        return self._is_used(self.sampling)

    @property
    def tests_a_share(self) -> bool:
        """Whether something was asked about a test, or is wrong there."""
        return self._is_used(self.test)

    @property
    def shares_epsilon(self) -> bool:
        """Whether something was asked about several questions, or is wrong there."""
        return self._is_used(self.sharing)

    @staticmethod
    def _is_used(fields: Iterable[forms.BoundField]) -> bool:
        return any(
            field.errors or str(field.value()) != str(field.initial or "") for field in fields
        )

    def clean(self) -> dict[str, Any]:
        """Answer the question; what statistics refuses is said at the field it is about."""
        self._forget_other_designs()
        if not self.errors:
            try:
                self.report = plan_report(PlanRequest(**self.cleaned_data))
            except StatisticsError as problem:
                field = field_of(self.cleaned_data["design"], problem)
                self.add_error(field, in_words(problem))
        return self.cleaned_data

    def _forget_other_designs(self) -> None:
        """A parameter of another design is not used, so it cannot be wrong."""
        design = PLANNED_DESIGNS.get(self.cleaned_data.get("design", ""))
        for field in self.parameters:
            if design is None or field.name not in design.parameters:
                self.errors.pop(field.name, None)
                self.cleaned_data.pop(field.name, None)


# Made of the request's fields rather than written out: page, command and package cannot differ.
PlanForm.base_fields = {name: _page_field(name, asked) for name, asked in REQUEST_FIELDS.items()}


class SavePlanForm(forms.Form):
    """Make a number of responses a survey's plan, with its reading and its error."""

    survey: Any = forms.ModelChoiceField(
        label=gettext_lazy("Survey"), queryset=None, empty_label=None
    )
    responses = CountField(widget=forms.HiddenInput)
    reading = forms.ChoiceField(choices=Survey.Reading.choices, widget=forms.HiddenInput)
    error = RequestTextField("error", required=False, widget=forms.HiddenInput)
    failure = RequestTextField("failure", widget=forms.HiddenInput)

    def __init__(self, *args: Any, surveys: QuerySet[Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["survey"].queryset = surveys  # type: ignore[attr-defined]
