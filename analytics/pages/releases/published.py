"""The page and the files of one release, for staff and for outsiders alike.

They show what was released and the words of what respondents were promised, and read nothing else
of the survey: no answer, no count, no name of staff, no other question.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import lru_cache, partial
from typing import TYPE_CHECKING
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext

from analytics.kinds.documents import DocumentError
from analytics.models import Report
from analytics.queries import finished_releases, is_open_to_all, newest_opening, result_of
from analytics.reports.kind import ReportFacts
from analytics.reports.registry import kind_named
from analytics.reports.release_page import ONE_BUDGET, at_openings, citation, method
from surveys.models import Revision, Survey
from surveys.models.queries import questionnaire_of_id
from surveys.models.refusals import NotPossible
from surveys.results.deposit.releases import PublishedFile
from surveys.web.downloads import PARQUET_TYPE, ParquetMissing, file_name, table_csv
from surveys.web.responses import attached, csv_download, json_download, json_file
from surveys.wording.texts import audience_of

if TYPE_CHECKING:
    from analytics.kinds.tables.released import TableRelease
    from analytics.pages.releases.exports import Download


def page(request: HttpRequest, report: Report, survey: Survey | None = None) -> HttpResponse:
    """Every table with its margins, the method, how to quote it, and its files.

    With a survey, for staff who may open its other pages, it leads back to them.
    """
    questionnaire, address = questionnaire_of_id(report.revision_id), _permalink(request, report)
    release, made = _newest(report)
    facts = ReportFacts(finished_at=made, questionnaire=questionnaire, address=address)
    context = {
        "shown": kind_named(report.kind).show(release, facts),
        "questionnaire": questionnaire,
        "made": made,
        "address": address,
        "files": {name: _address(report, name) for name in FILES},
        "is_open": is_open_to_all(report),
        "survey": survey,
    }
    return render(request, "analytics/releases/release.html", context)


def cells_csv(request: HttpRequest, report: Report) -> HttpResponseBase:
    """Every number with its margins."""
    lines = table_csv(_download(request, report).cells())
    return csv_download(lines, _name(report, "release.csv"))


def covariance_csv(request: HttpRequest, report: Report) -> HttpResponseBase:
    """The covariance of every two numbers of a table."""
    lines = table_csv(_download(request, report).covariances())
    return csv_download(lines, _name(report, "covariance.csv"))


def document_json(request: HttpRequest, report: Report) -> HttpResponseBase:
    """Everything as one document."""
    return json_download(_download(request, report).document(), _name(report, "release.json"))


def cells_parquet(request: HttpRequest, report: Report) -> HttpResponseBase:
    """Every number with its margins and covariances, or what is missing for such a file."""
    try:
        content = _download(request, report).parquet()
    except ParquetMissing as problem:
        return HttpResponse(str(problem), content_type="text/plain; charset=utf-8", status=404)
    name = _name(report, "release.parquet")
    return HttpResponse(content, content_type=PARQUET_TYPE, headers=attached(name))


# By the names of their addresses.
FILES: dict[str, Callable[[HttpRequest, Report], HttpResponseBase]] = {
    "csv": cells_csv,
    "covariance": covariance_csv,
    "json": document_json,
    "parquet": cells_parquet,
}


def release_files(revision: Revision) -> Iterator[PublishedFile]:
    """The files of all finished releases of a survey, for its deposit."""
    for number, report in enumerate(finished_releases(revision), start=1):
        for name, words, content in (
            ("release.csv", gettext("release {number}: its tables"), _deposited_cells),
            ("covariance.csv", gettext("release {number}: covariances"), _deposited_covariances),
            ("release.json", gettext("release {number}: whole release"), _deposited_document),
        ):
            yield PublishedFile(
                f"releases/{number}/{name}", words.format(number=number), partial(content, report)
            )


def _deposited_cells(report: Report) -> bytes:
    return "".join(table_csv(_deposited(report).cells())).encode()


def _deposited_covariances(report: Report) -> bytes:
    return "".join(table_csv(_deposited(report).covariances())).encode()


def _deposited_document(report: Report) -> bytes:
    return json_file(_deposited(report).document())


def _deposited(report: Report) -> "Download":
    """Raises NotPossible: a worker has no page on which it could say that there is nothing."""
    try:
        return download_of(report, "")
    except Http404 as problem:
        raise NotPossible(
            gettext("This program cannot read a release of this survey.")
        ) from problem


def _download(request: HttpRequest, report: Report) -> "Download":
    return download_of(report, _permalink(request, report))


def download_of(report: Report, address: str) -> "Download":
    """What the files of a release say; ``address`` is that of its page, empty where none is known.

    Raises Http404.
    """
    from analytics.pages.releases.exports import Download  # loads the noise library

    questionnaire, (release, made) = questionnaire_of_id(report.revision_id), _newest(report)
    about = {
        "title": questionnaire.title,
        "organisation": questionnaire.organisation,
        "released_on": made.date().isoformat() if made else None,
        "address": address,
        "citation": citation(questionnaire, made, address).strip(),
        "audience": audience_of(questionnaire),
    }
    return Download(release, about, (*method(release, ONE_BUDGET), *at_openings(questionnaire)))


def _name(report: Report, ending: str) -> str:
    return file_name(questionnaire_of_id(report.revision_id).title, ending)


def _permalink(request: HttpRequest, report: Report) -> str:
    return request.build_absolute_uri(_address(report))


def _newest(report: Report) -> "tuple[TableRelease, datetime | None]":
    """A finished release, or that of the newest opening, and when it was made. Raises Http404."""
    opening = newest_opening(report)
    release = _release(report.pk, opening.place if opening else 0)
    return release, opening.at if opening else report.finished_at


@lru_cache(maxsize=32)
def _release(report_id: UUID, opening: int) -> "TableRelease":
    """A finished release, which never changes: read once per process. Raises Http404.

    ``opening`` is the place of the newest one, after which tables at openings are others.
    """
    try:
        release = result_of(Report.objects.get(pk=report_id))
    except DocumentError as problem:
        raise Http404 from problem
    if release is None:
        raise Http404
    return release


def _address(report: Report, name: str = "page") -> str:
    """Where the release, or one of its files, is for those who may open it."""
    if is_open_to_all(report):
        return reverse(f"releases:{name}", args=[report.pk])
    own = "release" if name == "page" else f"release-{name}"
    return reverse(f"analytics:{own}", args=[report.revision.survey_id, report.pk])
