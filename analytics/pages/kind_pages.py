"""KindPages: how the pages of reports show each kind."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from django.http import Http404, HttpResponse

from analytics.models import Report
from analytics.pages.answers.reports import (
    answers_csv,
    answers_json,
    answers_looked_at,
    answers_picture,
    answers_shown,
)
from analytics.pages.topic_reports import (
    opened,
    topics_csv,
    topics_json,
    topics_picture,
    topics_shown,
)
from analytics.queries import AT_OPENINGS, TABLES, TREE, newest_opening
from analytics.reports.registry import ANSWER_KINDS
from surveys.models import Survey
from surveys.staff.access import StaffRequest
from surveys.web.drawing.figures import Figure


def _tables_shown(request: StaffRequest, asked: Report) -> dict[str, Any]:
    """Released tables have a page of their own."""
    return {"shown": True, "body": "analytics/releases/_done.html", "released": True}


def _openings_shown(request: StaffRequest, asked: Report) -> dict[str, Any]:
    """From the first opening on there is a page with its tables."""
    is_released = newest_opening(asked) is not None
    return {**_tables_shown(request, asked), "released": is_released}


def _no_picture(asked: Report, name: str) -> Figure:
    raise Http404


def _no_file(
    request: StaffRequest, survey: Survey, asked: Report, about: dict[str, Any]
) -> HttpResponse:
    raise Http404


def _no_look(request: StaffRequest, asked: Report) -> None:
    """A look at what may be published is not written down."""


Taken = Callable[[StaffRequest, Survey, Report, dict[str, Any]], Any]


@dataclass(frozen=True)
class KindPages:
    """How the pages of reports show one kind: what is seen, a picture, files; a look at one."""

    shown: Callable[[StaffRequest, Report], dict[str, Any]]
    picture: Callable[[Report, str], Figure]
    csv: Taken
    json: Taken
    look: Callable[[StaffRequest, Report], object]


OF_TOPICS = KindPages(topics_shown, topics_picture, topics_csv, topics_json, opened)
OF_DOCUMENTS = KindPages(
    answers_shown, answers_picture, answers_csv, answers_json, answers_looked_at
)
OF_TABLES = KindPages(_tables_shown, _no_picture, _no_file, _no_file, _no_look)
AT_EACH_OPENING = replace(OF_TABLES, shown=_openings_shown)
PAGES = {
    **dict.fromkeys(ANSWER_KINDS, OF_DOCUMENTS),
    TABLES: OF_TABLES,
    AT_OPENINGS: AT_EACH_OPENING,
    TREE: OF_DOCUMENTS,
}


def pages_of(asked: Report) -> KindPages:
    return PAGES.get(asked.kind, OF_TOPICS)
