"""A question's admin page: where its buttons lead next, and which fields it shows."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse

from surveys.authoring.draft.kinds import (
    designs_by_kind,
    draft_kind,
    fields_by_design,
    hidden_fields,
)
from surveys.authoring.draft.layout import section_members
from surveys.authoring.drafts import NotReady, item_of
from surveys.authoring.editor.orders import LOSES_RULE
from surveys.authoring.editor.pages import list_address
from surveys.authoring.editor.rows import rules_line
from surveys.authoring.editor.rule_texts import NamedSource, RuleTexts
from surveys.authoring.grouping.groups import fieldsets, has_rows, shown_groups
from surveys.authoring.grouping.questions import GROUPS, RULE, SWITCHED_ON, left_off, needed_fields
from surveys.collecting.scripts import can_count
from surveys.models import Question, Survey
from surveys.staff.access import surveys_for
from surveys.staff.admin import by_whom

# Pages besides the list that lead to a question's form, by what they write into its address.
CAME_FROM = {"survey": "admin:surveys_survey_change"}


class QuestionPage(admin.ModelAdmin):
    """Questions belong to a survey, so every button leads to its list and not to a list of all.

    Every field that the survey uses is part of the form, and the page shows those that the
    question's kind and design use. A field that is left off keeps its stored value.
    """

    class Media:
        js = tuple(
            forms.Script(f"surveys/authoring/{name}.js", defer=True)
            for name in ("question-fields", "question-sketch", "question-answers", "unsaved")
        )

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Those of what the survey uses, and what the question says all the same.

        That can be taken away: launch asks for it by its name. A form that was opened before the
        survey used something does not send its field, and so cannot empty it.
        """
        unused = left_off(_chosen_survey(request, obj), obj)
        if request.method == "POST":
            unused |= SWITCHED_ON.difference(request.POST)
        return [name for name in super().get_fields(request, obj) if name not in unused]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return fieldsets(self.get_fields(request, obj), GROUPS)

    def response_post_save_add(self, request: HttpRequest, obj: Question) -> HttpResponseRedirect:
        return _where_from(request, obj)

    def response_post_save_change(
        self, request: HttpRequest, obj: Question
    ) -> HttpResponseRedirect:
        return _where_from(request, obj)

    def response_add(
        self, request: HttpRequest, obj: Question, post_url_continue: str | None = None
    ) -> HttpResponse:
        reply = super().response_add(request, obj, post_url_continue)
        return _next_page(obj) if _wants_another(request) else reply

    def response_change(self, request: HttpRequest, obj: Question) -> HttpResponse:
        reply = super().response_change(request, obj)
        if "_next" in request.POST and IS_POPUP_VAR not in request.POST:
            return _following_page(request, obj)
        return _next_page(obj) if _wants_another(request) else reply

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        question = self.get_object(request, object_id)  # read before it is gone
        if question is not None and _begins_for_others(question):
            self.message_user(request, LOSES_RULE.format(question=question), messages.ERROR)
            return redirect("admin:surveys_question_change", question.pk)
        context = {**(extra_context or {}), "readers": list(_readers(question)) if question else []}
        reply = super().delete_view(request, object_id, context)
        is_deleted = reply.status_code == 302
        return redirect(list_address(question.survey)) if is_deleted and question else reply

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        form = context["adminform"].form
        kept = _kept_fields(form)
        design = _chosen(form, "design") or Question.Design.DIRECT  # a new one has none yet
        unused = hidden_fields(_chosen(form, "kind"), design) - kept
        context |= {
            **_grouped(request, context, kwargs.get("obj")),
            "unused": " ".join(sorted(unused)),
            "kept": " ".join(sorted(kept)),
            "used_by": json.dumps(fields_by_design()),
            "designs": json.dumps(designs_by_kind()),
            "answers": list(_answers(context["inline_admin_formsets"])),
            "rule_sources": list(_rule_sources(request, form.instance)),
            **_standing(request, form.instance),
        }
        return super().render_change_form(request, context, *args, **kwargs)


def _answers(inlines: Any) -> Iterator[tuple[UUID, tuple[str, ...], str]]:
    """Of each question that a condition of the form may read, the answers that it may name.

    With the design of a protected one: a question that follows it is protected too, or refused.
    """
    sources = {
        source.pk: source
        for inline in inlines
        for row in inline.formset.forms[:1]
        for source in row.fields["source"].queryset.prefetch_related("options")
    }
    for key, source in sources.items():
        try:
            item = item_of(source)
        except NotReady:
            continue
        design = source.design if item.is_randomized else ""
        yield key, tuple(item.in_rules.nameable.values()), design


def _rule_sources(request: HttpRequest, question: Question) -> Iterator[NamedSource]:
    """What rules that are typed may read; nothing where the survey is not known yet."""
    stored = None if question._state.adding else question
    survey = _chosen_survey(request, stored)
    if survey is not None:
        yield from RuleTexts(survey, question).sources()


def _begins_for_others(question: Question) -> bool:
    """Whether it begins a section whose rule other questions have."""
    members = section_members(list(question.survey.questions.all()))
    return bool(question.section_shape and members.get(question.pk))


def _readers(question: Question) -> Iterator[tuple[int, Question, str]]:
    """The questions whose rules read this one: the number of each, and its rule."""
    questions = list(question.survey.questions.prefetch_related("conditions"))
    numbers = {one.pk: number for number, one in enumerate(questions, start=1)}
    for one in questions:
        if any(row.source_id == question.pk for row in one.conditions.all()):
            yield numbers[one.pk], one, rules_line(one, numbers)


def _grouped(request: HttpRequest, context: dict[str, Any], stored: Any) -> dict[str, Any]:
    """The groups of the form, and which fields it has once the survey's page switches them on."""
    page, inlines = context["adminform"], context["inline_admin_formsets"]
    survey = _chosen_survey(request, stored)
    needed = needed_fields(survey, page.form.instance)
    if any(map(has_rows, inlines)):
        needed |= set(RULE.fields)
    unused = left_off(survey, stored)
    return {
        "survey": survey,
        "groups": tuple(shown_groups(page, inlines, GROUPS, needed=needed)),
        "is_without_arms": "arms" in unused,
        "is_without_tables": "counted_table" in unused and can_count(),
    }


def _kept_fields(form: forms.ModelForm[Question]) -> set[str]:
    """Fields to show with every design: those with an error, and a mark that stops a launch."""
    kept = set(form.errors)
    if form.instance.adaptive:
        kept.add("adaptive")
    if form.instance.counted_table:
        kept.add("counted_table")
    return kept


def _chosen(form: forms.ModelForm[Question], name: str) -> str:
    """What the form's field has now; a page that is only read has no field."""
    value = form[name].value() if name in form.fields else getattr(form.instance, name)
    return str(value)


def _wants_another(request: HttpRequest) -> bool:
    return "_addanother" in request.POST and IS_POPUP_VAR not in request.POST


def _next_page(question: Question) -> HttpResponseRedirect:
    """A new question's form, with the same survey chosen.

    After one that its author chose to ask directly the next one begins as such. A device is chosen
    anew each time: it costs precision, and a harmless question would get it unseen.
    """
    design = "&design=direct" if _last_chosen(question) == Question.Design.DIRECT else ""
    return redirect(f"{reverse('admin:surveys_question_add')}?survey={question.survey_id}{design}")


def _last_chosen(question: Question) -> str:
    """The design of the question, or of the last one before it whose kind lets one choose."""
    before = question.survey.questions.filter(position__lte=question.position)
    chosen = (one.design for one in before.reverse() if len(draft_kind(one).designs) > 1)
    return next(chosen, "")


def _where_from(request: HttpRequest, question: Question) -> HttpResponseRedirect:
    """Back to the page that led here: the list, at the question's row, unless the address says."""
    if request.GET.get("from") in CAME_FROM:
        return redirect(CAME_FROM[request.GET["from"]], question.survey_id)
    return redirect(f"{list_address(question.survey)}#question-{question.pk}")


def _following_page(request: HttpRequest, question: Question) -> HttpResponseRedirect:
    """The form of the question after this one; after the last one, where the person came from."""
    following = _following(question)
    if following is None:
        return _where_from(request, question)
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    return redirect(f"{reverse('admin:surveys_question_change', args=[following])}{query}")


def _following(question: Question) -> UUID | None:
    keys = list(question.survey.questions.values_list("pk", flat=True))
    index = keys.index(question.pk) + 1
    return keys[index] if index < len(keys) else None


def _standing(request: HttpRequest, question: Question) -> dict[str, Any]:
    """Which question of which survey this is, and which comes next, as far as that is known."""
    if question._state.adding:
        survey = _survey_of(request, request.GET.get("survey", ""))
        return {"survey": survey, "list_address": list_address(survey)} if survey else {}
    keys = list(question.survey.questions.values_list("pk", flat=True))
    index = keys.index(question.pk)
    return {
        "survey": question.survey,
        "list_address": list_address(question.survey),
        "number": index + 1,
        "count": len(keys),
        "next_question": keys[index + 1] if index + 1 < len(keys) else None,
    }


def _chosen_survey(request: HttpRequest, stored: Question | None) -> Survey | None:
    """The survey of a stored question, or the one that is chosen for a new one so far."""
    if stored is not None:
        return stored.survey
    return _survey_of(request, request.POST.get("survey") or request.GET.get("survey", ""))


def _survey_of(request: HttpRequest, key: str) -> Survey | None:
    return surveys_for(by_whom(request)).filter(pk=key).first() if is_key(key) else None


def is_key(text: str) -> bool:
    """Whether this can be the key of a row."""
    try:
        UUID(text)
    except ValueError:
        return False
    return True
