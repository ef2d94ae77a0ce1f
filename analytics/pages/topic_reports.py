"""A finished report on texts: what its page shows, its pictures and its files."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.core.signing import BadSignature, TimestampSigner
from django.http import Http404, JsonResponse, StreamingHttpResponse

from analytics import services
from analytics.kinds.documents import DocumentError, TopicReport
from analytics.models import Report
from analytics.pages import exports, pictures
from analytics.pages.answers.reports import found_result
from analytics.pages.forms import NamesForm
from analytics.pages.rows import example_keys, found_by, report_page, topic_names
from analytics.queries import (
    ability_to_ask,
    names_of,
    texts_named,
)
from analytics.reports.words import ADJACENCY_WORDS
from surveys.models import Survey
from surveys.staff.access import StaffRequest, may
from surveys.web.downloads import file_name, table_csv
from surveys.web.drawing.figures import Figure
from surveys.web.responses import csv_download, json_download
from surveys.wording.language.messages import said_by, translated

SEEN_FOR = 3600  # seconds in which a page's own pictures are not a look of their own
_signer = TimestampSigner(salt="analytics.seen")


def topics_shown(request: StaffRequest, asked: Report) -> dict[str, Any]:
    """What a finished report on texts says, or why it cannot be shown."""
    may_name = may(request.user, asked.revision.survey, ability_to_ask(asked.kind))
    try:
        result = services.open_report(report=asked, by=request.user)
    except DocumentError as problem:
        return {"problem": said_by(problem)}
    if result is None:
        return {}
    names = names_of(asked)
    texts = texts_named(asked.revision, example_keys(result))
    shown: dict[str, Any] = {"shown": report_page(result, names, texts)}
    if result.adjacency:
        shown["adjacency"] = translated(ADJACENCY_WORDS[result.adjacency])
    if not result.is_private:
        shown["seen"] = urlencode({"seen": _signer.sign(_sight(request, asked))})
    if may_name and result.topics:
        shown["names_form"] = names_form(None, result, names)
    return shown


def names_form(data: Any, result: TopicReport, names: Sequence[str] = ()) -> NamesForm:
    found = found_by(result.kind)
    return NamesForm(data, topics=len(result.topics), names=names, found=found)


def _sight(request: StaffRequest, asked: Report) -> str:
    return f"{request.user.pk}/{asked.pk}"


def was_seen(request: StaffRequest, asked: Report) -> bool:
    """Whether the address comes from a page whose own look is written down."""
    try:
        signed = _signer.unsign(request.GET.get("seen", ""), max_age=SEEN_FOR)
    except BadSignature:
        return False
    return signed == _sight(request, asked)


def opened(request: StaffRequest, asked: Report) -> TopicReport:
    """A report's result, looked at. Raises Http404 if there is none that can be shown."""
    try:
        result = services.open_report(report=asked, by=request.user)
    except DocumentError as problem:
        raise Http404 from problem
    if result is None:
        raise Http404
    return result


def topics_of(asked: Report) -> TopicReport:
    """A report's result, for work on it. Raises Http404 if there is none that can be read."""
    topics: TopicReport = found_result(asked)
    return topics


def topics_picture(asked: Report, name: str) -> Figure:
    result = topics_of(asked)
    found = pictures.picture_named(result, topic_names(result, names_of(asked)), name)
    if found is None:
        raise Http404
    return found


def topics_csv(
    request: StaffRequest, survey: Survey, asked: Report, about: dict[str, Any]
) -> StreamingHttpResponse:
    result = topics_of(asked)
    services.record_download(report=asked, file="csv", by=request.user)
    rows = exports.report_rows(result, names_of(asked), about)
    return csv_download(table_csv(rows), file_name(survey.title, "topics.csv"))


def topics_json(
    request: StaffRequest, survey: Survey, asked: Report, about: dict[str, Any]
) -> JsonResponse:
    result = topics_of(asked)
    services.record_download(report=asked, file="json", by=request.user)
    document = exports.report_document(result, names_of(asked), about)
    return json_download(document, file_name(survey.title, "topics.json"))
