"""ItemCounts: how often each answer to a question came, as it is kept; rows and texts read."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from math import floor, prod
from typing import TypeVar

from django.db.models import F
from django.utils import timezone

from surveys.counts import queries as tallied
from surveys.counts.cells import (
    ASKED,
    JOINT,
    RATED,
    WRITTEN,
    joint_codes,
    mark_cell,
    part_cell,
)
from surveys.counts.looks import planned_look_size
from surveys.kinds.family.promise import FamilyQuestion
from surveys.kinds.levels.promise import Level, LevelQuestion
from surveys.kinds.long_list.promise import ListQuestion
from surveys.models import Openings, Revision, Survey
from surveys.models.queries import (
    is_erased,
    opened_comments,
    opened_responses,
    questionnaire_of,
    read_opened,
    revision_of,
)
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.questionnaire.logic.rules import Given, Rule
from surveys.questionnaire.plans.readings import Plan, planned_answers
from surveys.randomized_response.relations.cross_tables import MOST_JOINT_LEVELS
from surveys.results.progress import opening_looks
from surveys.results.reading import Reading, default_method

READ = 5_000  # rows that are read from the database together


@dataclass(frozen=True)
class JointReports:
    """Reports of a question together with those of the questions that its rule reads.

    ``sources`` are these, by their numbers; ``rule`` reads families as one answer. ``by_codes``
    counts rows by the code of the question, then of each source.
    """

    rule: Rule
    sources: Mapping[int, LevelQuestion]
    by_codes: Counter[tuple[str, ...]]

    def is_estimable(self, item: LevelQuestion) -> bool:
        """Whether there are rows, few enough combinations, and reports that tell who was asked."""
        if not self.tells_who_was_asked(item):
            return False
        return sum(self.counts_of(item, self._combined(item, *self.sources.values()))) > 0

    def tells_who_was_asked(self, item: LevelQuestion) -> bool:
        """Whether there are few enough combinations, and each tells whether it was asked."""
        sources = tuple(self.sources.values())
        if prod(len(source.levels) for source in (item, *sources)) > MOST_JOINT_LEVELS:
            return False
        return all(map(self._is_known, self._combined(*sources)))

    @staticmethod
    def _combined(*items: LevelQuestion) -> Iterator[tuple[int, ...]]:
        """Every combination of levels of these questions."""
        return product(*(range(len(item.levels)) for item in items))

    def asks(self, places: Sequence[int]) -> bool:
        """Whether people are asked whose answers to the sources are these levels."""
        return self.rule.holds(self._given(places))

    def _given(self, places: Sequence[int]) -> dict[int, Given | None]:
        pairs = zip(self.sources.items(), places, strict=True)
        return {number: source.in_rules.read_as[at] for (number, source), at in pairs}

    def _is_known(self, places: Sequence[int]) -> bool:
        """Whether the rule is as true of people who only count as these answers, being hidden."""
        answers = self._given(places)
        hidden = {
            number: None
            for (number, source), at in zip(self.sources.items(), places, strict=True)
            if source.hidden and source.hidden.level == at
        }
        return self.rule.holds(answers) == self.rule.holds({**answers, **hidden})

    def counts_of(self, item: LevelQuestion, combined: Iterable[Sequence[int]]) -> tuple[int, ...]:
        """How often each combination of levels was reported; rows without all of them are out."""
        items = (item, *self.sources.values())
        return tuple(
            self.by_codes[
                tuple(source.levels[at].code for source, at in zip(items, levels, strict=True))
            ]
            for levels in combined
        )


@dataclass(frozen=True)
class ItemCounts:
    """How often each code of one question was reported, on both paths together."""

    item: Question
    by_code: Counter[str]
    written: int = 0  # how many texts there are to a free text, or ratings to a rating
    marks: tuple[int, ...] = ()  # how many reports mark each option, for a long list
    # How often each part was sent at each level, (parts, levels), of a question with parts.
    parts: tuple[tuple[int, ...], ...] = ()
    family: FamilyQuestion | None = None  # whose reports were counted, of one of its questions
    joint: JointReports | None = None  # where other reports tell who was asked
    batch_size: int = 0  # of fewer people nothing is shown
    planned: int | None = None  # answers, at launch
    planned_of_part: int | None = None  # of a question with parts
    is_hidden: bool = False  # no one reads these answers: they are released in tables alone

    def of_levels(self, levels: Sequence[Level]) -> tuple[int, ...]:
        """Counts in the order of these levels."""
        return tuple(self.by_code[level.code] for level in levels)

    def times(self, factor: Fraction) -> "ItemCounts":
        """So many times as many answers in the same proportions, rounded to whole people."""
        joint = self.joint and replace(self.joint, by_codes=_times(self.joint.by_codes, factor))
        return replace(
            self,
            by_code=_times(self.by_code, factor),
            written=round(self.written * factor),
            marks=tuple(round(count * factor) for count in self.marks),
            parts=tuple(_times_each(row, factor) for row in self.parts),
            joint=joint,
        )


Key = TypeVar("Key", bound=Hashable)


def _times(counts: Counter[Key], factor: Fraction) -> Counter[Key]:
    keys = list(counts)
    return Counter(dict(zip(keys, _times_each([counts[key] for key in keys], factor), strict=True)))


def _times_each(counts: Sequence[int], factor: Fraction) -> tuple[int, ...]:
    """By largest remainders, so that their sum is what the rounded sum is (Hamilton's method)."""
    exact = [count * factor for count in counts]
    floors = [floor(value) for value in exact]
    missing = round(sum(counts) * factor) - sum(floors)
    by_remainder = sorted(range(len(floors)), key=lambda index: floors[index] - exact[index])
    for index in by_remainder[:missing]:
        floors[index] += 1
    return tuple(floors)


def revision_with_answers(survey: Survey) -> Revision | None:
    """What was launched, while its answers are there to be read."""
    revision = revision_of(survey)
    if revision is None or is_erased(survey, timezone.now().date()):
        return None
    return revision


def response_count(revision: Revision) -> int:
    """How many submissions were counted."""
    return tallied.total(revision.pk)


def reading_now(survey: Survey, revision: Revision | None, level: float = 0.95) -> Reading:
    """How every page reads a survey now, unless its reader chooses."""
    plan = Plan.of(survey)
    if revision is None:
        return Reading(default_method(plan, 0, None, None, is_open=False), level)
    is_open = survey.state == Survey.State.OPEN or is_being_opened(revision)
    look, looks = planned_look_size(revision.pk), opening_looks(revision)
    method = default_method(plan, response_count(revision), look, looks, is_open=is_open)
    return Reading(method, level, looks=looks)


def is_being_opened(revision: Revision) -> bool:
    """Whether an opening is running, so that the numbers will be others when it is done."""
    return Openings.objects.filter(pk=revision.pk, round__gt=F("done") + 1).exists()


def item_counts(
    revision: Revision, kept: Mapping[int, Counter[str]] | None = None
) -> Iterator[ItemCounts]:
    """Counts of every question, from those that are kept: no response is read.

    ``kept`` are those of the planned look instead of today's.
    """
    questionnaire = questionnaire_of(revision)
    cells = tallied.cells_by_question(revision.pk) if kept is None else kept
    for number in range(1, len(questionnaire.items) + 1):
        counted = questionnaire.numbered.counted_with[number]
        yield _counted(questionnaire, number, cells.get(counted, Counter()))


def _counted(questionnaire: Questionnaire, number: int, cells: Counter[str]) -> ItemCounts:
    """Of a follow-up, the reports of its family are counted."""
    item, numbered = questionnaire.items[number - 1], questionnaire.numbered
    if item in questionnaire.row.hidden:
        return ItemCounts(item, Counter(), is_hidden=True)
    return replace(
        COUNTS(item, cells),
        family=numbered.families.get(numbered.counted_with[number]),
        joint=_joint(questionnaire, number, cells),
        batch_size=questionnaire.batch_size,
        planned=planned_answers(questionnaire, item),
        planned_of_part=planned_answers(questionnaire, item, item.share_sent)
        if isinstance(item, PartsQuestion)
        else None,
    )


def _joint(
    questionnaire: Questionnaire, number: int, cells: Mapping[str, int]
) -> JointReports | None:
    """Where people who are not asked count as an answer, their other reports tell how many."""
    if number not in questionnaire.routes.told_by_others:
        return None
    rule, sources = questionnaire.routes.told_by_others[number]
    return JointReports(rule, sources, joint_codes(cells))


def _codes(item: Question, cells: Counter[str]) -> ItemCounts:
    alone = {cell: count for cell, count in cells.items() if not cell.startswith(JOINT)}
    return ItemCounts(item, Counter(alone))


def _written(item: Question, cells: Counter[str]) -> ItemCounts:
    return ItemCounts(item, Counter(), cells[WRITTEN])


def _marks(item: ListQuestion, cells: Counter[str]) -> ItemCounts:
    marks = tuple(cells[mark_cell(option)] for option in range(item.marks.options))
    return ItemCounts(item, _asked(item, cells), marks=marks)


def _parts(item: PartsQuestion, cells: Counter[str]) -> ItemCounts:
    parts = tuple(
        tuple(cells[part_cell(part, level)] for level in range(len(item.levels)))
        for part in range(1, item.size + 1)
    )
    return ItemCounts(item, _asked(item, cells), parts=parts)


def _asked(item: Question, cells: Counter[str]) -> Counter[str]:
    return Counter({cell: cells[cell] for cell in (ASKED, item.not_asked) if cells[cell]})


def _nothing(item: Question, cells: Counter[str]) -> ItemCounts:
    return ItemCounts(item, Counter())


COUNTS: Table[[Counter[str]], ItemCounts] = Table.mostly(
    _codes,
    long_list=_marks,
    text=_written,
    other=_written,
    rating=lambda item, cells: ItemCounts(item, Counter(), cells[RATED]),
    information=_nothing,
    consent=_nothing,
    counted=_nothing,
    ticks=_parts,
    matrix=_parts,
    ranking=_parts,
    ranked_pair=_parts,
)


def reported_blocks(revision: Revision, size: int) -> Iterator[list[str]]:
    """All rows as they are stored, so many at once, in the order of their random keys.

    Where no one reads an answer, dashes stand.
    """
    rows = opened_responses(revision.pk).order_by("pk")
    left = (answers for (answers,) in read_opened(rows, revision.pk, "answers", at_once=READ))
    while block := list(islice(left, size)):
        yield block


def texts(revision: Revision) -> Iterator[tuple[int, str]]:
    """Every text as (number of its question, text), in the order of their random keys."""
    rows = opened_comments(revision.pk).order_by("pk")
    return read_opened(rows, revision.pk, "question", "text", at_once=2000)


def texts_written(revision: Revision) -> Counter[int]:
    """How many texts there are to each question, by its number; no text is read."""
    return tallied.texts_by_question(revision.pk)


def question_counts(revision: Revision, number: int) -> ItemCounts | None:
    """Counts of one question, numbered from 1; None if there is no such question."""
    questionnaire = questionnaire_of(revision)
    if not 1 <= number <= len(questionnaire.items):
        return None
    counted = questionnaire.numbered.counted_with[number]
    return _counted(questionnaire, number, tallied.cells_of_question(revision.pk, counted))
