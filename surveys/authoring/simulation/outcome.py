"""Outcome: what is estimated from simulated people, beside what is true of them, as rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext

from surveys.authoring.simulation.people import Simulated
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import RoundedQuestion
from surveys.kinds.ticks.promise import TICKED, TicksQuestion
from surveys.kinds.two_questions.promise import GroupedQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table, standing_on
from surveys.randomized_response.designs import UnrelatedQuestionTwoGroups
from surveys.randomized_response.estimates import (
    DistributionEstimate,
    MeanEstimate,
    estimate_distribution,
    estimate_two_groups,
)
from surveys.randomized_response.intervals import Interval
from surveys.tallies.cells import cells_of, part_cell
from surveys.wording.language.numbers import decimal, per_cent

LEVEL, METHOD = 0.95, "clopper-pearson"
Cells = Mapping[str, int]


@dataclass(frozen=True)
class Row:
    """One estimate beside the truth; both are shares, or means in the unit of their question."""

    label: str
    truth: float
    estimate: float
    interval: Interval
    is_share: bool = True

    @property
    def is_covered(self) -> bool:
        """Whether the interval holds the truth."""
        return self.interval.low <= self.truth <= self.interval.high

    @property
    def truth_words(self) -> str:
        return self._words(self.truth)

    @property
    def estimate_words(self) -> str:
        return self._words(self._shown(self.estimate))

    @property
    def low_words(self) -> str:
        return self._words(self._shown(self.interval.low))

    @property
    def high_words(self) -> str:
        return self._words(self._shown(self.interval.high))

    def _shown(self, value: float) -> float:
        """A share between 0 and 1; noise can lead beyond."""
        return min(max(value, 0.0), 1.0) if self.is_share else value

    def _words(self, value: float) -> str:
        return per_cent(value) if self.is_share else decimal(value, 2)


@dataclass(frozen=True)
class Compared:
    """One question: of how many people, and a row for each answer."""

    number: int
    item: Question
    n: int
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Outcome:
    """All questions whose estimates can be compared; ``left_out`` numbers the other protected."""

    people: int
    questions: tuple[Compared, ...]
    left_out: tuple[int, ...]

    @property
    def intervals(self) -> int:
        return sum(len(question.rows) for question in self.questions)

    @property
    def covered(self) -> int:
        """How many intervals hold the truth."""
        return sum(row.is_covered for question in self.questions for row in question.rows)


def outcome_of(questionnaire: Questionnaire, simulated: Simulated) -> Outcome:
    """Estimates from the counted rows, with 95 % intervals."""
    cells: dict[int, dict[str, int]] = {}
    for (number, cell), count in cells_of(questionnaire, simulated.rows).items():
        cells.setdefault(number, {})[cell] = count
    found = []
    for number, truths in simulated.truths.items():
        item = questionnaire.items[number - 1]
        rows = tuple(ROWS(item, truths, cells.get(number, {}))) if len(truths) else ()
        if rows:
            found.append(Compared(number, item, len(truths), rows))
    compared = {question.number for question in found}
    left_out = (
        number
        for number, item in enumerate(questionnaire.items, start=1)
        if item.is_randomized and number not in compared
    )
    return Outcome(len(simulated.rows), tuple(found), tuple(left_out))


def _levels(item: LevelQuestion, truths: np.ndarray, cells: Cells) -> Iterator[Row]:
    counts = tuple(cells.get(level.code, 0) for level in item.reported_levels)
    if sum(counts):
        labels = {place: item.levels[place].text for place in item.display}
        yield from _shares(estimate_distribution(item.channel, counts), labels, truths)


def _ticks(item: TicksQuestion, truths: np.ndarray, cells: Cells) -> Iterator[Row]:
    for part, text in enumerate(item.parts):
        yield from _part(item, part, {TICKED: text}, truths, cells)


def _table(item: PartsQuestion, truths: np.ndarray, cells: Cells) -> Iterator[Row]:
    for part, text in enumerate(item.parts):
        labels = {place: f"{text}: {item.levels[place].text}" for place in item.display}
        yield from _part(item, part, labels, truths, cells)


def _part(
    item: PartsQuestion, part: int, labels: Mapping[int, str], truths: np.ndarray, cells: Cells
) -> Iterator[Row]:
    """Nothing, where no one sent an answer about this part."""
    counts = tuple(cells.get(part_cell(part + 1, level), 0) for level in range(len(item.levels)))
    if sum(counts):
        estimate = estimate_distribution(item.channel, counts)
        yield from _shares(estimate, labels, truths[:, part])


def _shares(
    estimate: DistributionEstimate, labels: Mapping[int, str], truths: np.ndarray
) -> Iterator[Row]:
    intervals = estimate.intervals(LEVEL, METHOD)
    for place, label in labels.items():
        share = float(np.mean(truths == place))
        yield Row(label, share, float(estimate.shares[place]), intervals[place])


def _rounded(item: RoundedQuestion, truths: np.ndarray, cells: Cells) -> Iterator[Row]:
    counts = tuple(cells.get(level.code, 0) for level in item.levels)
    estimate = MeanEstimate(tuple(map(float, item.scores)), counts)
    if estimate.n:
        mean = float(np.mean([float(item.grid[place]) for place in truths.tolist()]))
        yield Row(gettext("Mean"), mean, estimate.mean, estimate.interval(LEVEL), is_share=False)


def _grouped(item: GroupedQuestion, truths: np.ndarray, cells: Cells) -> Iterator[Row]:
    """The share of yes, once both groups have an answer."""
    counts = tuple(cells.get(level.code, 0) for level in item.reports)
    if sum(counts[:2]) and sum(counts[2:]):
        design = UnrelatedQuestionTwoGroups(*item.group_probabilities)
        estimate = estimate_two_groups(design, counts[:2], counts[2:])
        share, interval = estimate.values["prevalence"], estimate.interval("prevalence", LEVEL)
        if share is not None:
            yield Row(item.levels[1].text, float(np.mean(truths == 1)), share, interval)


def _none(item: Question, truths: np.ndarray, cells: Cells) -> Iterator[Row]:
    return iter(())


ROWS: Table[[np.ndarray, Cells], Iterator[Row]] = Table.mostly(
    _none,
    **standing_on(LevelQuestion, _levels),
    grouped=_grouped,
    ticks=_ticks,
    matrix=_table,
    rounded=_rounded,
)
