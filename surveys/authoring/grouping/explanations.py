"""ExplanationPages: on a survey's page, each explanation that it may replace, beside ours."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language_info, gettext_lazy

from surveys.authoring.draft.explanations import explanation_problem, tidied
from surveys.models import Survey
from surveys.staff.admin_rights import is_draft
from surveys.web.locales import speaking
from surveys.wording.language.explanations import EXPLANATIONS, Explained
from surveys.wording.language.messages import translated

FIELD, READ = "explanations", "own_explanations"
ROWS = "admin/surveys/survey/explanations.html"
NAMED = gettext_lazy("your explanations")


@dataclass(frozen=True)
class ExplanationRow:
    """An explanation with what its author typed; ``ours`` and ``kept`` are in their language."""

    name: str
    explained: Explained
    text: str
    problem: str = ""
    ours: str = ""
    kept: str = ""

    @property
    def values(self) -> str:
        """What the page fills in, as an author has to write it."""
        return ", ".join(f"{{{name}}}" for name in self.explained.values)


class ExplanationInputs(forms.Widget):
    """A field for each explanation, within one field of the form.

    The page gives it the ``survey``, in whose language it shows our words, and the ``problems``.
    """

    use_fieldset = True
    survey: Survey | None = None
    problems: Mapping[str, str] = MappingProxyType({})

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, str]:
        return tidied({each: data.get(f"{name}-{each}", "") for each in EXPLANATIONS})

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return not any(f"{name}-{each}" in data for each in EXPLANATIONS)

    def id_for_label(self, id_: str) -> str:
        """No single field has the label of all."""
        return ""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        language = self.survey.language if self.survey else ""
        direction = "rtl" if language and get_language_info(language)["bidi"] else "ltr"
        rows = list(self._rows(value or {}))
        context = {"rows": rows, "name": name, "language": language, "direction": direction}
        return render_to_string(ROWS, context)

    def _rows(self, texts: Mapping[str, str]) -> Iterator[ExplanationRow]:
        ours = _ours(self.survey) if self.survey else {}
        for name, explained in EXPLANATIONS.items():
            words, kept = ours.get(name, ("", ""))
            problem = self.problems.get(name, "")
            yield ExplanationRow(name, explained, texts.get(name, ""), problem, words, kept)


class ExplanationsField(forms.Field):
    """Texts by the name of the explanation in whose place they stand."""

    widget = ExplanationInputs

    def validate(self, value: Mapping[str, str]) -> None:
        checked = {name: explanation_problem(name, text) for name, text in value.items()}
        problems = [
            forms.ValidationError(f"{_says(name)}: {translated(problem)}", code=name)
            for name, problem in checked.items()
            if problem
        ]
        if problems:
            raise forms.ValidationError(problems)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return (initial or {}) != (data or {})


class ExplanationPages(admin.ModelAdmin):
    """Who cannot change them reads those that the survey has."""

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == FIELD:
            return ExplanationsField(label=NAMED, help_text=db_field.help_text, required=False)
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Survey | None = None) -> Any:
        names = list(super().get_fields(request, obj))
        is_written = obj is None or (is_draft(obj) and self.has_change_permission(request, obj))
        return names if is_written else [READ if name == FIELD else name for name in names]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        form = context["adminform"].form
        if FIELD in form.fields:
            inputs = form.fields[FIELD].widget
            inputs.survey = form.instance
            if form.is_bound:
                problems = form.errors.as_data().get(FIELD, ())
                inputs.problems = {each.code: " ".join(each.messages) for each in problems}
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display(description=NAMED)
    def own_explanations(self, survey: Survey) -> str:
        return "\n".join(f"{_says(name)}: {text}" for name, text in survey.explanations.items())


def _ours(survey: Survey) -> dict[str, tuple[str, str]]:
    """Each of our explanations as the survey says it, with the promise that stays below it."""
    with speaking(survey):
        return {name: (each.words(), each.kept_words()) for name, each in EXPLANATIONS.items()}


def _says(name: str) -> str:
    """What an explanation says, for staff; its name where a later program has none."""
    explained = EXPLANATIONS.get(name)
    return explained.called if explained else name
