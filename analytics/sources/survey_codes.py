"""The codes of several questions together, as readers may know them: counted by one query."""

from collections import Counter
from collections.abc import Sequence

from django.db.models import Count, F
from django.db.models.functions import Substr

from analytics.comparison.checks import ComparisonError
from surveys.models import Revision
from surveys.models.queries import opened_responses, questionnaire_of
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.questionnaire.sharing import sharing_remedy
from surveys.randomized_response.messages import sentence

RELEASED_ALONE = sentence(
    "the answers to this question are shown only in released tables. Look at the released "
    "tables, or choose a question that is protected by a design"
)


def item_of(revision: Revision, number: int) -> Question:
    """The question of this number, from 1. Raises ComparisonError."""
    questionnaire = questionnaire_of(revision)
    items = questionnaire.items
    if not 1 <= number <= len(items):
        raise ComparisonError(
            "question", number, sentence("questions have the numbers 1 to {most}", most=len(items))
        )
    item = items[number - 1]
    if item in questionnaire.row.hidden:
        raise ComparisonError("question", item.text, RELEASED_ALONE)
    return item


def labels_of(item: Question) -> list[str]:
    """The answers to a question in the order shown; none of a question without levels."""
    return LABELS(item)


LABELS: Table[[], list[str]] = Table.with_levels(
    lambda item: [level.text for level in item.shown_levels], lambda item: []
)


def codes_of(revision: Revision, numbers: Sequence[int]) -> Counter[tuple[str, ...]]:
    """How often each combination of codes was reported: one grouped query.

    Raises ComparisonError if two of the questions share a second question: all who read codes
    together take the reports of one person as independent, given the truths.
    """
    items = questionnaire_of(revision).items
    if remedy := sharing_remedy(items, numbers):
        raise ComparisonError("questions", list(numbers), remedy)
    offsets = questionnaire_of(revision).row.offsets
    chosen = [offsets[number - 1] for number in numbers]
    codes = {
        f"code{order}": Substr(F("answers"), column + 1, item.width)
        for order, (item, column) in enumerate(chosen)
    }
    grouped = opened_responses(revision.pk).values(**codes)
    rows = grouped.annotate(count=Count("pk")).values_list(*codes, "count").iterator()
    # In an order of their own: the seed of a report must give the same result again.
    return Counter(dict(sorted((tuple(row[:-1]), row[-1]) for row in rows)))
