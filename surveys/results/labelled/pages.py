"""The view of syntax files: what a statistics program runs to read and label the file of codes."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from surveys.models.queries import is_erased, questionnaire_of, revision_of
from surveys.results.labelled.syntax import LANGUAGES
from surveys.results.labelled.variables import described
from surveys.staff.access import StaffRequest, survey_with
from surveys.web.downloads import file_name
from surveys.web.responses import attached


@login_required
@require_safe
def syntax(request: StaffRequest, survey_id: UUID, language: str) -> HttpResponse:
    """The syntax for the file of codes that has the same address and query; it has no answers."""
    survey = survey_with(request, survey_id)
    revision = revision_of(survey)
    if revision is None or is_erased(survey, timezone.now().date()):
        raise Http404
    questions = list(described(questionnaire_of(revision)))
    if not questions:  # of texts alone there is no such file
        raise Http404
    path = file_name(survey.title, "responses.csv")
    is_debiased = request.GET.get("columns") != "reports"
    lines = LANGUAGES[language].lines(questions, path, is_debiased)
    headers = attached(file_name(survey.title, f"syntax.{language}"))
    return HttpResponse("".join(lines), content_type="text/plain; charset=utf-8", headers=headers)
