"""A finished report of any kind: its page, its pictures and its files, from its document."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.core.signing import BadSignature, TimestampSigner
from django.http import Http404, JsonResponse, StreamingHttpResponse

from analytics import services
from analytics.kinds.documents import DocumentError, TopicReport
from analytics.models import Report
from analytics.pages.forms import NamesForm
from analytics.queries import ability_to_ask, names_of, newest_opening, result_of, texts_named
from analytics.reports.kind import Kind, ReportFacts
from analytics.reports.registry import kind_named
from analytics.reports.topics.finds import naming_words
from surveys.models import Survey
from surveys.reports.documents import Document
from surveys.staff.access import StaffRequest, may
from surveys.web.downloads import file_name, table_csv
from surveys.web.drawing.figures import Figure
from surveys.web.responses import csv_download, json_download
from surveys.wording.language.messages import said_by

SEEN_FOR = 3600  # seconds in which a page's own pictures are not a look of their own
_signer = TimestampSigner(salt="analytics.seen")


def shown(request: StaffRequest, asked: Report) -> dict[str, Any]:
    """What the page of a finished report shows, or why it cannot be shown."""
    kind = kind_named(asked.kind)
    if kind.is_of_tables:  # released tables have a page of their own
        is_released = not kind.draws_at_openings or newest_opening(asked) is not None
        return {
            "shown": True,
            "body": "analytics/releases/_done.html",
            "released": is_released,
        }
    try:
        result = services.open_report(report=asked, by=request.user)
    except DocumentError as problem:
        return {"problem": said_by(problem)}
    if result is None:
        return {}
    document = kind.show(result, _facts(asked, with_texts=True))
    # Its pictures come in requests of their own, which this mark keeps from being further looks.
    signs = kind.is_of_texts and not kind.is_open
    seen = urlencode({"seen": _signer.sign(_sight(request, asked))}) if signs else ""
    context = {"shown": document, "body": "analytics/_document.html", "seen": seen}
    may_name = may(request.user, asked.revision.survey, ability_to_ask(asked.kind))
    if kind.is_of_texts and may_name and result.topics:
        context |= naming(None, result, names_of(asked))
    return context


def naming(data: Any, result: TopicReport, names: Sequence[str] = ()) -> dict[str, Any]:
    """The form that names the topics of a report, and its heading."""
    finds = kind_named(result.kind).finds
    form = NamesForm(data, topics=len(result.topics), names=names, finds=finds)
    return {"names_form": form, "naming": naming_words(finds)}


def was_seen(request: StaffRequest, asked: Report) -> bool:
    """Whether the address comes from a page whose own look is written down."""
    try:
        signed = _signer.unsign(request.GET.get("seen", ""), max_age=SEEN_FOR)
    except BadSignature:
        return False
    return signed == _sight(request, asked)


def opened(request: StaffRequest, asked: Report) -> Any:
    """A report's result, looked at. Raises Http404 if there is none that can be shown."""
    try:
        result = services.open_report(report=asked, by=request.user)
    except DocumentError as problem:
        raise Http404 from problem
    if result is None:
        raise Http404
    return result


def result_or_404(asked: Report) -> Any:
    """A report's result, for work on it. Raises Http404 if there is none that can be read."""
    try:
        result = result_of(asked)
    except DocumentError as problem:
        raise Http404 from problem
    if result is None:
        raise Http404
    return result


def picture(asked: Report, name: str) -> Figure:
    """A picture of this name. Raises Http404."""
    figure = _document(asked).figure(name)
    if figure is None:
        raise Http404
    return figure


def csv_file(
    request: StaffRequest, survey: Survey, asked: Report, about: dict[str, Any]
) -> StreamingHttpResponse:
    """The report's table, written down in the audit log. Raises Http404."""
    # Before the entry: a report that cannot be read is not taken away.
    table = _document(asked).table
    services.record_download(report=asked, file="csv", by=request.user)
    rows = ({**row, **about} for row in table.file_rows())
    return csv_download(table_csv(rows), _name(survey, asked, "csv"))


def json_file(
    request: StaffRequest, survey: Survey, asked: Report, about: dict[str, Any]
) -> JsonResponse:
    """The whole report, written down in the audit log. Raises Http404."""
    kind, result = _kind_of_documents(asked), result_or_404(asked)
    services.record_download(report=asked, file="json", by=request.user)
    content = kind.content(result, _facts(asked))
    document = {**kind.about_file(result), **about, "report": content}
    return json_download(document, _name(survey, asked, "json"))


def _sight(request: StaffRequest, asked: Report) -> str:
    return f"{request.user.pk}/{asked.pk}"


def _facts(asked: Report, *, with_texts: bool = False) -> ReportFacts:
    """What is known of a report; only its page shows what respondents wrote."""
    facts = ReportFacts(
        names=names_of(asked) if kind_named(asked.kind).is_of_texts else (),
        finished_at=asked.finished_at,
        code_version=asked.code_version,
    )
    return replace(facts, texts=partial(texts_named, asked.revision)) if with_texts else facts


def _kind_of_documents(asked: Report) -> Kind:
    """The report's kind. Raises Http404 where its result is at an address of its own."""
    kind = kind_named(asked.kind)
    if kind.is_of_tables:
        raise Http404
    return kind


def _document(asked: Report) -> Document:
    return _kind_of_documents(asked).show(result_or_404(asked), _facts(asked))


def _name(survey: Survey, asked: Report, ending: str) -> str:
    """Of a file."""
    name = kind_named(asked.kind).file_name or asked.kind.replace("_", "-")
    return file_name(survey.title, f"{name}.{ending}")
