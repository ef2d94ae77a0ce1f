"""A question's page in the admin: where its buttons lead."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.options import IS_POPUP_VAR
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse

from surveys.models import Question


class QuestionPage(admin.ModelAdmin):
    """Questions belong to a survey, so every button leads back to it and not to a list of all."""

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


def _wants_another(request: HttpRequest) -> bool:
    return "_addanother" in request.POST and IS_POPUP_VAR not in request.POST


def _next_page(question: Question) -> HttpResponseRedirect:
    """A new question's form, with the same survey chosen."""
    return redirect(f"{reverse('admin:surveys_question_add')}?survey={question.survey_id}")


def _survey_page(question: Question) -> HttpResponseRedirect:
    return redirect("admin:surveys_survey_change", question.survey_id)
