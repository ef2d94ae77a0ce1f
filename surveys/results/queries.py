"""ItemCounts: a survey's rows read: codes of one question counted; ratings, marks, texts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, F, Sum
from django.db.models.functions import Substr

from surveys.models import (
    RatingCount,
    Revision,
)
from surveys.models.queries import opened_comments, opened_responses, questionnaire_of
from surveys.questionnaire.kinds.levels import Level
from surveys.questionnaire.kinds.long_list import ListQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.questionnaire.kinds.several.parts import PartsQuestion


@dataclass(frozen=True)
class ItemCounts:
    """How often each code of one question was reported, on both paths together."""

    item: Question
    by_code: Counter[str]
    written: int = 0  # how many texts there are to a free text, or ratings to a rating
    marks: tuple[int, ...] = ()  # how many reports mark each option, for a long list
    # How often each part was sent at each level, (parts, levels), of a question with parts.
    parts: tuple[tuple[int, ...], ...] = ()
    is_hidden: bool = False  # no one reads these answers: they are released in tables alone

    def of_levels(self, levels: Sequence[Level]) -> tuple[int, ...]:
        """Counts in the order of these levels."""
        return tuple(self.by_code[level.code] for level in levels)


def response_count(revision: Revision) -> int:
    """How many submissions were counted."""
    return opened_responses(revision.pk).count()


def item_counts(revision: Revision) -> Iterator[ItemCounts]:
    """Counts of every question, each by one grouped query over the fixed-width answers."""
    for number in range(1, len(questionnaire_of(revision).items) + 1):
        yield _counted(revision, number)


def _counted(revision: Revision, number: int) -> ItemCounts:
    questionnaire = questionnaire_of(revision)
    item, place = questionnaire.offsets[number - 1]
    if item in questionnaire.hidden:
        return ItemCounts(item, Counter(), is_hidden=True)
    return COUNTS(item, revision, number, place)


def _codes(item: Question, revision: Revision, number: int, place: int) -> ItemCounts:
    rows = (
        opened_responses(revision.pk)
        .values(code=Substr(F("answers"), place + 1, item.width))
        .annotate(count=Count("pk"))
        .values_list("code", "count")
    )
    return ItemCounts(item, Counter(dict(rows)))


def _written(item: Question, revision: Revision, number: int, place: int) -> ItemCounts:
    written = opened_comments(revision.pk).filter(question=number).count()
    return ItemCounts(item, Counter(), written)


def _ratings(item: Question, revision: Revision, number: int, place: int) -> ItemCounts:
    rated = RatingCount.objects.filter(revision=revision, question=UUID(item.id))
    return ItemCounts(item, Counter(), rated.aggregate(all=Sum("count"))["all"] or 0)


def _marks(item: ListQuestion, revision: Revision, number: int, place: int) -> ItemCounts:
    """Hardly any two reports of a long list are alike, so they are counted as they come."""
    found: Counter[str] = Counter()
    code = Substr(F("answers"), place + 1, item.width)
    rows = opened_responses(revision.pk).values_list(code, flat=True)

    def asked() -> Iterator[str]:
        for row in rows.iterator(2000):
            code = str(row)
            found["asked" if item.was_asked(code) else code] += 1
            if item.was_asked(code):
                yield code

    marks = item.marks.support(asked())
    return ItemCounts(item, found, marks=tuple(marks.tolist()))


def _parts(item: PartsQuestion, revision: Revision, number: int, place: int) -> ItemCounts:
    """With the slots that are sent, codes differ as much as those of a long list."""
    found: Counter[str] = Counter()
    counts = [[0] * len(item.levels) for _ in item.parts]
    code = Substr(F("answers"), place + 1, item.width)
    for row in opened_responses(revision.pk).values_list(code, flat=True).iterator(2000):
        found["asked" if item.was_asked(row) else row] += 1
        for part, level in item.slot_levels(row):
            counts[part - 1][level] += 1
    return ItemCounts(item, found, parts=tuple(map(tuple, counts)))


def _nothing(item: Question, revision: Revision, number: int, place: int) -> ItemCounts:
    return ItemCounts(item, Counter())


COUNTS: Table[[Revision, int, int], ItemCounts] = Table.mostly(
    _codes,
    long_list=_marks,
    text=_written,
    rating=_ratings,
    information=_nothing,
    consent=_nothing,
    ticks=_parts,
    matrix=_parts,
    ranking=_parts,
    ranked_pair=_parts,
)


def reported_rows(revision: Revision) -> Iterator[tuple[str, ...]]:
    """Every response as its codes, in the order of their random keys.

    Without texts, and without questions that no one reads.
    """
    questionnaire = questionnaire_of(revision)
    hidden = questionnaire.hidden
    offsets = questionnaire.offsets
    places = [(item, at) for item, at in offsets if item.width and item not in hidden]
    rows = opened_responses(revision.pk).order_by("pk")
    for answers in rows.values_list("answers", flat=True).iterator(2000):
        yield tuple(answers[at : at + item.width] for item, at in places)


def texts(revision: Revision) -> Iterator[tuple[int, str]]:
    """Every text as (number of its question, text), in the order of their random keys."""
    rows = opened_comments(revision.pk).order_by("pk")
    return rows.values_list("question", "text").iterator(2000)


def question_counts(revision: Revision, number: int) -> ItemCounts | None:
    """Counts of one question, numbered from 1; None if there is no such question."""
    places = questionnaire_of(revision).offsets
    if not 1 <= number <= len(places):
        return None
    return _counted(revision, number)
