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
    "“{survey}” is a draft of yours. Change its questions as you like. Its checklist says what "
    "is left: who asks, and the last day. Its answers would be deleted in a year."
)
# The five pages that matter, in the order in which an author meets them.
TOUR = (
    (
        gettext_lazy("Questions"),
        gettext_lazy("lists what you ask, with what a report reveals and what is still missing."),
    ),
    (
        gettext_lazy("Preview"),
        gettext_lazy("shows exactly what people will see. Answer it yourself, with both devices."),
    ),
    (
        gettext_lazy("Checklist"),
        gettext_lazy("says what is left to do, and what to look at again. It leads to the launch."),
    ),
    (
        gettext_lazy("Invitations"),
        gettext_lazy("makes codes for those whom you ask, or gives you the link for all."),
    ),
    (
        gettext_lazy("Dashboard"),
        gettext_lazy("estimates how many said what, with margins, once answers are opened."),
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
