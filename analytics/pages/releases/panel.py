"""The panel "Released tables", for surveys that show direct answers in no other way."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from analytics.kinds.documents import DocumentError
from analytics.queries import newest_opening, result_of, schedule_of
from analytics.reports.release_page import table_blocks
from surveys.models import Survey
from surveys.reports.documents import Block, Heading
from surveys.results.panels import Panel

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from analytics.kinds.tables.released import TableRelease


def context(user: "User", survey: Survey) -> dict[str, Any]:
    """The tables of the newest opening; nothing for surveys that show their answers."""
    if not survey.released_together:
        return {}
    report = schedule_of(survey)
    opening = newest_opening(report) if report else None
    if report is None or opening is None:
        return {"report": report}
    try:
        release = result_of(report)
    except DocumentError:
        return {"report": report}  # its own page says why
    if release is None:
        return {"report": report}
    return {"report": report, "blocks": tuple(_blocks(release)), "on": opening.at}


def _blocks(release: "TableRelease") -> Iterator[Block]:
    for number, (title, blocks) in enumerate(table_blocks(release), start=1):
        yield Heading(title, f"released-{number}")
        yield from blocks


RELEASED = Panel("released tables", "analytics/releases/_panel.html", context)
