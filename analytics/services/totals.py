"""Totals of randomized questions in a release: which may be published, once; their counts."""

from collections.abc import Sequence
from uuid import UUID

from analytics.kinds.settings import SettingsError
from analytics.kinds.tables.settings import TableSettings
from analytics.kinds.tables.totals import ReleasedTotals, has_totals, totals_of
from analytics.models import Report
from analytics.queries import PENDING, TABLES
from surveys.kinds.levels.promise import LevelQuestion
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.models.refusals import NotPossible
from surveys.questionnaire.document import may_publish_totals
from surveys.questionnaire.kinds.registry import of_kind
from surveys.randomized_response.messages import sentence
from surveys.results.queries import question_counts

HIDDEN_NUMBER = sentence(
    "No totals of randomized questions can be published, because such totals show exactly how "
    "many people answered. Respondents of this survey were promised that one person more or fewer "
    "cannot be noticed."
)
NOT_TOLD = sentence(
    "Totals of protected answers are not published, because this survey did not inform its "
    "respondents that such totals may be published."
)
ONCE = sentence(
    "Totals of randomized questions are published only once for a survey. Otherwise a reader "
    "could subtract one publication from the other. The few people who answered between the two "
    "publications would then be hidden only among each other."
)


def publishable(revision: Revision) -> list[tuple[int, LevelQuestion]]:
    """The questions whose reports can be counted in a release, with their numbers."""
    items = questionnaire_of(revision).items
    return [(number, item) for number, item in of_kind(LevelQuestion, items) if has_totals(item)]


def why_no_totals(revision: Revision, besides: UUID | None = None) -> str:
    """Why no totals can be published; "" if they can. ``besides`` is the release that asks."""
    promised = questionnaire_of(revision)
    if promised.budget is None or promised.budget.adjacency != "replace_one":
        return HIDDEN_NUMBER
    if not may_publish_totals(promised):
        return NOT_TOLD
    others = Report.objects.filter(revision=revision, kind=TABLES)
    if besides is not None:
        others = others.exclude(pk=besides)
    standing = others.filter(state__in=(*PENDING, Report.State.DONE))
    earlier = standing.values_list("settings", flat=True)
    return ONCE if any(settings.get("totals") for settings in earlier) else ""


def require_totals(
    revision: Revision, settings: TableSettings, besides: UUID | None = None
) -> None:
    """Raises SettingsError (no such question), NotPossible (not told, published before)."""
    if not settings.totals:
        return
    if reason := why_no_totals(revision, besides):
        raise NotPossible(reason)
    can = {number for number, _ in publishable(revision)}
    if wrong := set(settings.totals) - can:
        remedy = sentence(
            "choose randomized questions with answers to choose from. The design of the "
            "question must not use a second question, and no rule may decide who is asked"
        )
        raise SettingsError("totals", sorted(wrong), remedy)


def count_totals(revision: Revision, numbers: Sequence[int]) -> ReleasedTotals | None:
    """Count the reports of these questions; None for none. Costs the ledger nothing."""
    if not numbers:
        return None
    items = dict(publishable(revision))
    totals = []
    for number in numbers:
        counts = question_counts(revision, number)
        if counts is None:  # require_totals has seen to it
            raise SettingsError("totals", number, sentence("this question does not exist"))
        totals.append(totals_of(items[number], counts.of_levels(items[number].reported_levels)))
    return ReleasedTotals.of(totals)
