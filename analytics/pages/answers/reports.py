"""A finished report that is a document: its page, its pictures and its files."""

from typing import Any

from django.http import Http404, JsonResponse, StreamingHttpResponse

from analytics import services
from analytics.kinds.documents import DocumentError
from analytics.models import Report
from analytics.queries import result_of
from analytics.reports.registry import kind_named
from surveys.models import Survey
from surveys.reports.documents import Document
from surveys.staff.access import StaffRequest
from surveys.web.downloads import file_name, table_csv
from surveys.web.drawing.figures import Figure
from surveys.web.responses import csv_download, json_download
from surveys.wording.language.messages import said_by


def answers_shown(request: StaffRequest, asked: Report) -> dict[str, Any]:
    """What a finished report says, or why it cannot be shown."""
    try:
        result = services.open_report(report=asked, by=request.user)
    except DocumentError as problem:
        return {"problem": said_by(problem)}
    if result is None:
        return {}
    return {"shown": kind_named(asked.kind).show(result), "body": "analytics/_document.html"}


def answers_looked_at(request: StaffRequest, asked: Report) -> None:
    """Write down a look at a picture alone, where looks are written down."""
    services.open_report(report=asked, by=request.user)


def answers_picture(asked: Report, name: str) -> Figure:
    """A picture of this name. Raises Http404."""
    found = _document(asked).figure(name)
    if found is None:
        raise Http404
    return found


def answers_csv(
    request: StaffRequest, survey: Survey, asked: Report, about: dict[str, Any]
) -> StreamingHttpResponse:
    """The report's table, written down in the audit log. Raises Http404."""
    table = _document(asked).table
    services.record_download(report=asked, file="csv", by=request.user)
    name = file_name(survey.title, f"{_name(asked)}.csv")
    return csv_download(table_csv({**row, **about} for row in table.file_rows()), name)


def answers_json(
    request: StaffRequest, survey: Survey, asked: Report, about: dict[str, Any]
) -> JsonResponse:
    """The whole report, written down in the audit log. Raises Http404."""
    result = found_result(asked)
    services.record_download(report=asked, file="json", by=request.user)
    name = file_name(survey.title, f"{_name(asked)}.json")
    how = kind_named(asked.kind).how_to_read
    return json_download({"how_to_read": how, **about, "report": result.to_document()}, name)


def _name(asked: Report) -> str:
    """Of a file."""
    return asked.kind.replace("_", "-")


def found_result(asked: Report) -> Any:
    """The result of a finished report. Raises Http404."""
    try:
        result = result_of(asked)
    except DocumentError as problem:
        raise Http404 from problem
    if result is None:
        raise Http404
    return result


def _document(asked: Report) -> Document:
    return kind_named(asked.kind).show(found_result(asked))
