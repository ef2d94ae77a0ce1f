"""The panel "Released tables", for surveys that show direct answers in no other way."""

from typing import TYPE_CHECKING, Any

from analytics.kinds.documents import DocumentError
from analytics.pages.releases.rows import table_rows
from analytics.queries import newest_opening, result_of, schedule_of
from surveys.models import Survey
from surveys.results.panels import Panel

if TYPE_CHECKING:
    from django.contrib.auth.models import User


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
    return {"report": report, "tables": table_rows(release), "on": opening.at}


RELEASED = Panel("released tables", "analytics/releases/_panel.html", context)
