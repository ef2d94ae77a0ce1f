"""Views of exports: ask for a file, see how far it is, take it away, in parts if need be."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from surveys.models.queries import is_erased, questionnaire_of, revision_of
from surveys.models.refusals import NotPossible
from surveys.results.columns import FileColumns
from surveys.results.taking.formats import FORMATS
from surveys.results.taking.queries import DIRECT, exports_of
from surveys.results.taking.replies import file_reply
from surveys.results.taking.rows import export_rows
from surveys.results.taking.services import ask
from surveys.results.taking.tasks import write_later
from surveys.staff.access import StaffRequest, post_only, survey_with
from surveys.staff.roles import Ability


@login_required
@require_safe
def overview(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """The files that this person asked for, and what else may be asked for."""
    survey = survey_with(request, survey_id)
    revision = revision_of(survey)
    if revision is None or is_erased(survey, timezone.now().date()):
        raise Http404
    rows = export_rows(FORMATS, exports_of(request.user, survey))
    context = {"survey": survey, "rows": rows, "direct": DIRECT}
    columns = FileColumns(questionnaire_of(revision))
    context |= {"has_reports": columns.has_reports, "has_columns": bool(columns.asked)}
    return render(request, "surveys/results/taking.html", context)


@login_required
@post_only("surveys:exports", "survey_id", ability=Ability.READ)
def ask_for(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Have one of the files written."""
    survey = survey_with(request, survey_id)
    if revision_of(survey) is None:
        raise Http404
    try:
        ask(survey, request.POST.get("kind", ""), by=request.user, later=write_later)
    except NotPossible as refusal:
        messages.error(request, str(refusal))
    return redirect("surveys:exports", survey.pk)


@login_required
@require_safe
def take(request: StaffRequest, survey_id: UUID, key: UUID) -> HttpResponseBase:
    """The file, or the part of it that a browser still misses.

    Whose role was taken away gets nothing, and neither does who did not ask for it.
    """
    survey = survey_with(request, survey_id)
    if is_erased(survey, timezone.now().date()):
        raise Http404
    export = get_object_or_404(exports_of(request.user, survey), pk=key)
    return file_reply(request, survey, export, by=request.user)
