"""SketchedPage: beside a question's form, what respondents would see of it as it stands there."""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from surveys.authoring.editor.previews import as_far_as_finished
from surveys.collecting.rows import one_question_context
from surveys.models import Option, Question, Survey
from surveys.web.locales import speaking

# What the page's script asks for: the sketch alone, drawn anew.
SKETCH = "_sketch"
TEMPLATE = "admin/surveys/question/sketch.html"


class SketchedPage(admin.ModelAdmin):
    """Nothing that is typed is stored for it, and no lock is held: it is read, and drawn."""

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if request.method == "POST" and SKETCH in request.POST:
            return self._sketch(request, object_id)
        return super().changeform_view(request, object_id, form_url, extra_context)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        form = context["adminform"].form
        if "text" in form.fields:  # a page that is only read has no field
            context |= {"sketch": sketch_context(form)}
        return super().render_change_form(request, context, *args, **kwargs)

    def _sketch(self, request: HttpRequest, object_id: str | None) -> HttpResponse:
        stored = self.get_object(request, object_id) if object_id else None
        is_new = stored is None
        may = self.has_add_permission(request) if is_new else None
        if not (may or self.has_change_permission(request, stored)):
            raise PermissionDenied
        data = request.POST.copy()
        data.pop("as_read", None)  # what another person saved meanwhile is said when it is saved
        form = self.get_form(request, stored, change=not is_new)(data, instance=stored)
        form.is_valid()
        return render(request, TEMPLATE, {"sketch": sketch_context(form)})


def sketch_context(form: forms.ModelForm[Question]) -> dict[str, Any] | None:
    """What the template shows of the question, in its survey's language; None without a survey.

    Where a field has an error, the question is drawn with what was stored.
    """
    survey = _survey_of(form)
    if survey is None:
        return None
    question = copy(form.instance)
    question.pk, question.survey = question.pk or uuid4(), survey  # Django takes a new one's key
    rules = () if question._state.adding else question.conditions.all()
    _give_rows(question, options=_options(form), conditions=rules)
    questions, number = _in_place(survey, question)
    with speaking(survey):
        # One that only some people are asked is hidden until the page has drawn it.
        drafted = replace(as_far_as_finished(survey, questions), asked=None)
        return {**one_question_context(drafted, number), "count": len(questions)}


def _survey_of(form: forms.ModelForm[Question]) -> Survey | None:
    """The survey of a stored question, or the one that is chosen for a new one, if it may be."""
    question = form.instance
    if not question._state.adding:
        return question.survey
    field: Any = form.fields["survey"]
    try:
        survey: Survey = field.clean(form["survey"].value())
    except forms.ValidationError:
        return None
    return survey


def _options(form: forms.ModelForm[Question]) -> Sequence[Option]:
    question = form.instance
    cleaned = getattr(form, "cleaned_data", {})
    typed, alone = cleaned.get("option_lines"), cleaned.get("alone") or ()
    values = getattr(form, "new_values", ())
    if typed is None:
        return [] if question._state.adding else list(question.options.all())
    return [
        Option(question=question, position=n, text=text, value=value, stands_alone=text in alone)
        for n, (text, value) in enumerate(zip(typed, values, strict=True))
    ]


def _in_place(survey: Survey, question: Question) -> tuple[list[Question], int]:
    """The survey's questions, among them this one as it is, and its number; a new one is last."""
    stored = survey.questions.prefetch_related("options", "conditions")
    questions = [question if row.pk == question.pk else row for row in stored]
    if question not in questions:
        questions.append(question)
    return questions, questions.index(question) + 1


def _give_rows(question: Question, **rows: Iterable[Model]) -> None:
    """Let the question have these as if they had been read with it, as Django's prefetch does."""
    cache = vars(question)["_prefetched_objects_cache"] = {}
    for name, given in rows.items():
        queryset: Any = getattr(question, name).get_queryset()
        queryset._result_cache, queryset._prefetch_done = list(given), True
        cache[name] = queryset
