"""A report as a file of its own: JSON, or HTML without scripts and without anything to fetch."""

import json
from typing import Any

from django.utils.safestring import mark_safe

from analytics.files.reports import FileRequest
from analytics.kinds.documents import TopicReport
from analytics.reports.topics.pictures import pictures_of
from surveys import PROGRAM
from surveys.web.standalone import standalone
from surveys.wording.odds import odds_words

SHOWN_WORDS = 15
STYLE = "analytics/standalone.css"


def as_json(request: FileRequest, report: TopicReport) -> str:
    """Strict JSON: the report, what it was made from, and what it spent."""
    content = {**_about(request), "report": report.to_document()}
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_html(request: FileRequest, report: TopicReport) -> str:
    """One page, with its pictures inside. Everything that comes from texts is escaped."""
    topic = request.kind.finds.capitalize()
    names = [f"{topic} {number}" for number in range(1, len(report.topics) + 1)]
    pictures = {figure.name: figure for figure in pictures_of(report, names)}
    context = {
        **_about(request),
        "kind": request.kind,
        "found": topic,
        "report": report,
        "odds": odds_words(report.epsilon) if report.epsilon is not None else "",
        "topics": list(zip(names, report.topics, strict=True)),
        "shown_words": f":{SHOWN_WORDS}",
        # Drawn by vl-convert, which escapes every text in it.
        "pictures": [(figure, mark_safe(figure.svg())) for figure in pictures.values()],  # noqa: S308
    }
    return standalone("analytics/standalone.html", STYLE, context)


def _about(request: FileRequest) -> dict[str, Any]:
    return {
        "program": PROGRAM,
        "file": request.source.path.name,
        "column": request.source.column,
        "unit": request.source.unit,
        "spending": request.spending,
    }
