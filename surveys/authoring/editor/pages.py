"""EditorPages: pages of a survey in the admin that copy it, and list its questions."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods

from surveys.authoring.editor.copies import copy_survey
from surveys.models import Survey
from surveys.staff.admin import REFUSALS, RefusalsAdmin, by_whom

COPIED = (
    "“{}” is a draft of yours: the same questions and promises, without days, answers, members and "
    "invitations. Give it a title that respondents may read."
)


class EditorPages(RefusalsAdmin):
    """What an author does to a whole survey and to its questions together."""

    def get_urls(self) -> list[URLPattern]:
        # A page that is left by a login comes back by GET.
        by_form = require_http_methods(["GET", "HEAD", "POST"])
        view = self.admin_site.admin_view
        own = [
            path("<uuid:survey_id>/copy/", view(by_form(self.copy)), name="surveys_survey_copy"),
        ]
        return own + super().get_urls()

    def copy(self, request: HttpRequest, survey_id: UUID) -> HttpResponse:
        """Copy the survey by POST, and lead to the copy."""
        survey = self._edited(request, survey_id)
        if request.method != "POST":
            return redirect("admin:surveys_survey_change", survey.pk)
        try:
            copy = copy_survey(survey=survey, by=by_whom(request))
        except REFUSALS as problem:
            self.message_user(request, str(problem), messages.ERROR)
            return redirect("admin:surveys_survey_changelist")
        self.message_user(request, COPIED.format(copy))
        return redirect("admin:surveys_survey_change", copy.pk)

    def _edited(self, request: HttpRequest, survey_id: UUID) -> Survey:
        """The survey, for who may edit it. Raises Http404 or PermissionDenied."""
        survey: Survey = self.get_object(request, str(survey_id))
        if not self.has_change_permission(request, survey):
            raise PermissionDenied
        return survey
