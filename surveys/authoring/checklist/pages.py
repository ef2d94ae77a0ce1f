"""ChecklistPages: the page of a draft's checklist in the admin, which leads to its launch."""

from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils.translation import gettext

from surveys.authoring.checklist.checks import checks_of
from surveys.authoring.checklist.places import placed_checks
from surveys.authoring.drafts import draft_questionnaire
from surveys.authoring.simulation.forms import SimulationForm
from surveys.models import Survey
from surveys.staff.access import may
from surveys.staff.admin import RefusalsAdmin, by_whom
from surveys.staff.roles import Ability


class ChecklistPages(RefusalsAdmin):
    """What an author reads before a launch."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.checklist)
        own = path("<uuid:survey_id>/checklist/", view, name="surveys_survey_checklist")
        return [own, *super().get_urls()]

    def checklist(self, request: HttpRequest, survey_id: UUID) -> HttpResponse:
        """All points, and the way on to the launch once nothing is missing."""
        survey: Survey = self.get_object(request, str(survey_id))
        if not self.has_change_permission(request, survey):
            raise PermissionDenied
        if survey.state != Survey.State.DRAFT:
            return redirect("admin:surveys_survey_change", survey.pk)
        checks = checks_of(survey)
        is_ready = not any(check.is_missing for check in checks)
        form = _simulation(survey, request.GET) if is_ready else None
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": gettext("Before the launch of “{survey}”").format(survey=survey),
            "survey": survey,
            "checks": list(placed_checks(survey, checks)),
            "doubts": sum(check.is_doubt for check in checks),
            "is_ready": is_ready,
            "form": form,
            "outcome": form.outcome() if form and form.is_valid() else None,
            "may_rule": may(by_whom(request), survey, Ability.RULE),
        }
        return render(request, "admin/surveys/survey/checklist.html", context)


def _simulation(survey: Survey, query: QueryDict) -> SimulationForm:
    return SimulationForm(query, questionnaire=draft_questionnaire(survey))
