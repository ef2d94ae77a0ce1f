"""A finished comparison or tree: what its page shows, its pictures and its files."""

from typing import Any

from django.http import Http404, JsonResponse, StreamingHttpResponse

from analytics import services
from analytics.kinds.answers import AnswerReport
from analytics.kinds.clouds import CloudReport
from analytics.kinds.comparisons import ComparisonReport
from analytics.kinds.documents import DocumentError
from analytics.models import Report
from analytics.pages.answers.exports import answer_document, answer_rows
from analytics.pages.answers.pictures import answer_picture
from analytics.pages.answers.rows import clouds_page, comparison_page, tree_page
from analytics.pages.answers.stored import said_clouds, said_comparison, said_tree
from analytics.queries import answer_report_of
from surveys.models import Survey
from surveys.staff.access import StaffRequest
from surveys.web.downloads import file_name, table_csv
from surveys.web.drawing.figures import Figure
from surveys.web.responses import csv_download, json_download
from surveys.wording.language.messages import said_by


def answers_shown(request: StaffRequest, asked: Report) -> dict[str, Any]:
    """What a finished report says, or why it cannot be shown."""
    try:
        result = services.open_answer_report(report=asked, by=request.user)
    except DocumentError as problem:
        return {"problem": said_by(problem)}
    if result is None:
        return {}
    if isinstance(result, ComparisonReport):
        return {
            "shown": comparison_page(said_comparison(result)),
            "body": "analytics/_comparison.html",
        }
    if isinstance(result, CloudReport):
        return {"shown": clouds_page(said_clouds(result)), "body": "analytics/_clouds.html"}
    return {"shown": tree_page(said_tree(result)), "body": "analytics/_tree.html"}


def answers_picture(asked: Report, name: str) -> Figure:
    """A picture of this name. Raises Http404."""
    found = answer_picture(_said(_result(asked)), name)
    if found is None:
        raise Http404
    return found


def answers_csv(
    request: StaffRequest, survey: Survey, asked: Report, about: dict[str, Any]
) -> StreamingHttpResponse:
    """The report as a table, written down in the audit log. Raises Http404."""
    result = _result(asked)
    services.record_download(report=asked, file="csv", by=request.user)
    name = file_name(survey.title, f"{asked.kind}.csv")
    return csv_download(table_csv(answer_rows(result, about)), name)


def answers_json(
    request: StaffRequest, survey: Survey, asked: Report, about: dict[str, Any]
) -> JsonResponse:
    """The whole report, written down in the audit log. Raises Http404."""
    result = _result(asked)
    services.record_download(report=asked, file="json", by=request.user)
    name = file_name(survey.title, f"{asked.kind}.json")
    return json_download(answer_document(result, about), name)


def comparison_of(asked: Report) -> ComparisonReport:
    """A finished comparison. Raises Http404."""
    result = _result(asked)
    if not isinstance(result, ComparisonReport):
        raise Http404
    return said_comparison(result)


def _said(result: AnswerReport) -> AnswerReport:
    if isinstance(result, ComparisonReport):
        return said_comparison(result)
    return said_clouds(result) if isinstance(result, CloudReport) else said_tree(result)


def _result(asked: Report) -> AnswerReport:
    try:
        result = answer_report_of(asked)
    except DocumentError as problem:
        raise Http404 from problem
    if result is None:
        raise Http404
    return result
