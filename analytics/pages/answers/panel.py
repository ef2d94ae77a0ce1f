"""The panel "Who answers differently?" on a survey's dashboard: the newest comparison."""

from typing import TYPE_CHECKING, Any

from analytics.kinds.documents import DocumentError
from analytics.queries import latest_comparison, result_of
from analytics.reports.registry import ANSWER_KINDS
from surveys.models import Survey
from surveys.results.panels import Panel

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def context(user: "User", survey: Survey) -> dict[str, Any]:
    """The newest comparison with what it says, if there is one that can be read."""
    newest = latest_comparison(survey, user)
    if newest is None:
        return {}
    try:
        result = result_of(newest)
    except DocumentError:
        return {}  # its own page says why
    if result is None:
        return {}
    shown = ANSWER_KINDS[newest.kind].show(result)
    return {"newest": newest, "question": result.question, "shown": shown}


PANEL = Panel("comparisons", "analytics/_panel.html", context)
