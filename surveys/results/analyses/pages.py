"""Views of every analysis: its page, its charts, its table as CSV and JSON."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from surveys.counts.joint import BeingCounted
from surveys.reports.documents import Picture
from surveys.results.analyses.forms import AnalysisForm
from surveys.results.analyses.registry import ANALYSES
from surveys.results.queries import revision_with_answers
from surveys.staff.access import StaffRequest, survey_with
from surveys.staff.audit.services import record_download
from surveys.staff.figures import source_of, survey_figure
from surveys.web.downloads import file_name, table_csv
from surveys.web.responses import csv_download, json_download
from surveys.wording.language.messages import looked_up

if TYPE_CHECKING:
    from surveys.models import Revision, Survey

ACCEPTED = 202  # the answer is being worked out


def when_counted(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """While a worker counts the questions that are asked about, a page says how far it is."""

    @wraps(view)
    def answer(request: StaffRequest, survey_id: UUID, **words: Any) -> HttpResponseBase:
        try:
            return view(request, survey_id, **words)
        except BeingCounted as reason:
            context = {
                "survey": survey_with(request, survey_id),
                "counted": reason.counted,
                "total": reason.total,
                "problem": looked_up(reason.problem) if reason.problem else "",
                "address": request.get_full_path(),
            }
            template = "surveys/results/analyses/counting.html"
            return render(request, template, context, status=ACCEPTED)

    return answer


@login_required
@require_safe
@when_counted
def page(request: StaffRequest, survey_id: UUID, kind: str) -> HttpResponse:
    """The form of an analysis and, once it is filled in, what it says."""
    survey, analysis = survey_with(request, survey_id), ANALYSES[kind]
    form, result = _made(request, survey, kind)
    blocks = analysis.show(result, source_of(survey)).blocks if result else ()
    context = {
        "survey": survey,
        "kind": analysis,
        "heading": str(analysis.heading).format(survey=survey.title),
        "form": form,
        "query": form.permalink,
        "blocks": blocks,
    }
    return render(request, "surveys/results/analyses/page.html", context)


@login_required
@require_safe
@when_counted
def picture(
    request: StaffRequest, survey_id: UUID, kind: str, number: int | None = None
) -> HttpResponse:
    """A chart of an analysis, by its number where there are several."""
    survey = survey_with(request, survey_id)
    _, result = _asked(request, survey, kind)
    document = ANALYSES[kind].show(result, source_of(survey))
    for chart in document.all_of(Picture):
        if chart.number == number:
            return survey_figure(request, survey, chart.figure)
    raise Http404


@login_required
@require_safe
@when_counted
def table(request: StaffRequest, survey_id: UUID, kind: str) -> StreamingHttpResponse:
    """An analysis as a table, with its method in every row."""
    survey, analysis = survey_with(request, survey_id), ANALYSES[kind]
    _, result = _asked(request, survey, kind)
    rows = analysis.show(result, source_of(survey)).table.file_rows()
    record_download(analysis.download, survey=survey, by=request.user)
    return csv_download(table_csv(rows), file_name(survey.title, f"{kind}.csv"))


@login_required
@require_safe
@when_counted
def document(request: StaffRequest, survey_id: UUID, kind: str) -> JsonResponse:
    """The same rows with what was asked, how to read them, and what was left out."""
    survey, analysis = survey_with(request, survey_id), ANALYSES[kind]
    _, result = _asked(request, survey, kind)
    content = analysis.content(result, source_of(survey))
    record_download(analysis.download, survey=survey, by=request.user)
    return json_download(content, file_name(survey.title, f"{kind}.json"))


def _launched(survey: "Survey") -> "Revision":
    """What was launched, while its answers are there. Raises Http404."""
    revision = revision_with_answers(survey)
    if revision is None:
        raise Http404
    return revision


def _made(request: StaffRequest, survey: "Survey", kind: str) -> tuple[AnalysisForm, Any]:
    """The form with its result, None without one; what statistics refuses is said in the form."""
    return ANALYSES[kind].made(_launched(survey), request.GET)


def _asked(request: StaffRequest, survey: "Survey", kind: str) -> tuple[AnalysisForm, Any]:
    """The same where there is a result. Raises Http404."""
    form, result = _made(request, survey, kind)
    if result is None:
        raise Http404
    return form, result
