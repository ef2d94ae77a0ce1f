"""The panel "Who answers differently?" on a survey's dashboard: the newest comparison."""

from typing import TYPE_CHECKING, Any

from analytics.kinds.comparisons import ComparisonReport
from analytics.kinds.documents import DocumentError
from analytics.pages.answers.rows import comparison_page
from analytics.pages.answers.stored import said_comparison
from analytics.queries import answer_report_of, latest_comparison
from surveys.models import Survey
from surveys.results.panels import Panel

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def context(user: "User", survey: Survey) -> dict[str, Any]:
    """The newest comparison with its page in words, if there is one that can be read."""
    newest = latest_comparison(survey, user)
    if newest is None:
        return {}
    try:
        result = answer_report_of(newest)
    except DocumentError:
        return {}  # its own page says why
    if not isinstance(result, ComparisonReport):
        return {}
    return {"newest": newest, "shown": comparison_page(said_comparison(result))}


PANEL = Panel("comparisons", "analytics/_panel.html", context)
