"""A question's admin page: where its buttons lead next, and which unused fields it leaves out."""

import json
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.options import IS_POPUP_VAR
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse

from surveys.authoring.question_fields import TABLE, hidden_fields
from surveys.models import Question


class QuestionPage(admin.ModelAdmin):
    """Questions belong to a survey, so every button leads back to it and not to a list of all.

    Every field is part of the form, so that a value that is not used now is kept; the page shows
    those that the question's kind and design use.
    """

    class Media:
        js = (forms.Script("surveys/authoring/question-fields.js", defer=True),)

    def response_post_save_add(self, request: HttpRequest, obj: Question) -> HttpResponseRedirect:
        return _survey_page(obj)

    def response_post_save_change(
        self, request: HttpRequest, obj: Question
    ) -> HttpResponseRedirect:
        return _survey_page(obj)

    def response_add(
        self, request: HttpRequest, obj: Question, post_url_continue: str | None = None
    ) -> HttpResponse:
        reply = super().response_add(request, obj, post_url_continue)
        return _next_page(obj) if _wants_another(request) else reply

    def response_change(self, request: HttpRequest, obj: Question) -> HttpResponse:
        reply = super().response_change(request, obj)
        return _next_page(obj) if _wants_another(request) else reply

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        question = self.get_object(request, object_id)  # read before it is gone
        reply = super().delete_view(request, object_id, extra_context)
        is_deleted = reply.status_code == 302
        return _survey_page(question) if is_deleted and question else reply

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        form = context["adminform"].form
        kept = _kept_fields(form, context["inline_admin_formsets"])
        unused = hidden_fields(_chosen(form, "kind"), _chosen(form, "design")) - kept
        context |= {
            "unused": " ".join(sorted(unused)),
            "kept": " ".join(sorted(kept)),
            "used_by": json.dumps(TABLE),
        }
        return super().render_change_form(request, context, *args, **kwargs)


def _kept_fields(form: forms.ModelForm[Question], inlines: list[Any]) -> set[str]:
    """Fields to show with every design: those with an error, and a mark that stops a launch."""
    kept = set(form.errors)
    if any(inline.formset.total_error_count() for inline in inlines):
        kept.add("options")
    if form.instance.adaptive:
        kept.add("adaptive")
    return kept


def _chosen(form: forms.ModelForm[Question], name: str) -> str:
    """What the form's field has now; a page that is only read has no field."""
    value = form[name].value() if name in form.fields else getattr(form.instance, name)
    return str(value)


def _wants_another(request: HttpRequest) -> bool:
    return "_addanother" in request.POST and IS_POPUP_VAR not in request.POST


def _next_page(question: Question) -> HttpResponseRedirect:
    """A new question's form, with the same survey chosen."""
    return redirect(f"{reverse('admin:surveys_question_add')}?survey={question.survey_id}")


def _survey_page(question: Question) -> HttpResponseRedirect:
    return redirect("admin:surveys_survey_change", question.survey_id)
