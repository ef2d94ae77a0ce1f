"""FirstSteps: a page of the admin with drafts to begin with, and a tour of five pages."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils.translation import gettext, gettext_lazy

from surveys.authoring.editor.pages import list_address
from surveys.authoring.first_steps.services import make_from
from surveys.authoring.first_steps.templates import TEMPLATES
from surveys.staff.admin import RefusalsAdmin, by_whom

MADE = gettext_lazy(
    "“{survey}” was created as your draft. Change the questions as you like. The checklist "
    "shows what is still missing: who asks, and the last day. The draft sets the deletion of "
    "answers to a day in one year."
)
# The five pages that matter, in the order in which an author meets them.
TOUR = (
    (
        gettext_lazy("Questions"),
        gettext_lazy(
            "lists your questions, what a reported answer to each question reveals, and what is "
            "still missing."
        ),
    ),
    (
        gettext_lazy("Preview"),
        gettext_lazy(
            "shows exactly what people will see. Answer your survey yourself twice: once with "
            "the browser's coins and once with your own coin."
        ),
    ),
    (
        gettext_lazy("Checklist"),
        gettext_lazy(
            "shows what is left to do and what to check again. From the checklist, you launch the "
            "survey."
        ),
    ),
    (
        gettext_lazy("Invitations"),
        gettext_lazy(
            "makes codes for the people whom you invite, or gives you the link for all people."
        ),
    ),
    (
        gettext_lazy("Dashboard"),
        gettext_lazy(
            "estimates how many people gave each answer, with margins of error, after answers are "
            "opened."
        ),
    ),
)


class FirstSteps(RefusalsAdmin):
    """Where a person begins who has no survey yet."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.first_steps)
        return [path("first-steps/", view, name="surveys_survey_first_steps"), *super().get_urls()]

    def first_steps(self, request: HttpRequest) -> HttpResponse:
        """Templates and the tour; by POST, a draft of the chosen template."""
        template = TEMPLATES.get(request.POST.get("template", ""))
        if request.method == "POST" and template:
            survey = make_from(template, by=by_whom(request))
            self.message_user(request, MADE.format(survey=survey), messages.SUCCESS)
            return redirect(list_address(survey))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": gettext("First steps"),
            "templates": TEMPLATES.values(),
            "tour": TOUR,
        }
        return render(request, "admin/surveys/survey/first_steps.html", context)
