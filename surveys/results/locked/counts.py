"""OpenedTable: what trustees opened of a locked table, cell by cell and question by question.

Every count has the noise of all trustees in it, and a sum of cells that of each cell. The law of
that noise is known exactly, so that each interval has at least its level.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from surveys.kinds.counted.promise import CountedQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.tallies import LockedTable
from surveys.randomized_response.intervals.integer_noise import SummedNoise

LEVEL = 0.95  # of every interval


@dataclass(frozen=True)
class NoisyCount:
    """How many of ``people`` there are in a cell, or in several; ``count`` may be below 0."""

    count: int
    people: int
    noise: SummedNoise

    @property
    def half_width(self) -> int:
        """With probability ``LEVEL`` or more the count is at most so far off."""
        return self.noise.half_width(LEVEL)

    @property
    def low(self) -> int:
        """There are no fewer people than none, and no more than all: the interval ends there."""
        return min(max(self.count - self.half_width, 0), self.people)

    @property
    def high(self) -> int:
        return max(min(self.count + self.half_width, self.people), 0)

    @property
    def share(self) -> float:
        """Of all whose answers are in the table."""
        return self.count / self.people


@dataclass(frozen=True)
class CountedCell:
    """A count and whom it counts: an answer to each of ``questions``, none for "not asked"."""

    questions: tuple[int, ...]
    answers: tuple[str, ...]
    codes: tuple[str, ...]
    counted: NoisyCount


@dataclass(frozen=True)
class OpenedTable:
    """The counts of a table, in the order of its cells, with what was promised of it.

    ``people`` is how many different ballots there are, ``trustees`` how many added noise.
    """

    table: LockedTable
    items: tuple[CountedQuestion, ...]
    counts: tuple[int, ...]
    people: int
    trustees: int

    @classmethod
    def of(
        cls, questionnaire: Questionnaire, table: LockedTable, counts: Sequence[int], people: int
    ) -> "OpenedTable":
        """What a launched questionnaire says of the table, with what was opened."""
        items = tuple(
            item
            for number in table.questions
            if isinstance(item := questionnaire.items[number - 1], CountedQuestion)
        )
        trustees = len(questionnaire.tally.trustees) if questionnaire.tally else 0
        return cls(table, items, tuple(counts), people, trustees)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many answers each question has."""
        return tuple(len(item.levels) for item in self.items)

    @cached_property
    def cells(self) -> tuple[CountedCell, ...]:
        """Each combination of answers, the last question fastest, then those who were not asked."""
        codes = product(*(item.levels for item in self.items))
        cells = [
            CountedCell(
                self.table.questions,
                tuple(level.text for level in levels),
                tuple(level.code for level in levels),
                self._counted(count, 1),
            )
            for levels, count in zip(codes, self.counts, strict=False)
        ]
        return (*cells, *self._not_asked(self.table.questions))

    def margin(self, question: int) -> tuple[CountedCell, ...]:
        """The answers to one question, summed over those to the others of the table."""
        place = self.table.questions.index(question)
        whole = np.array(self.counts[: int(np.prod(self.sizes))]).reshape(self.sizes)
        others = tuple(axis for axis in range(len(self.sizes)) if axis != place)
        sums = whole.sum(axis=others)
        summed = whole.size // len(sums)
        cells = [
            CountedCell((question,), (level.text,), (level.code,), self._counted(int(sum_), summed))
            for level, sum_ in zip(self.items[place].levels, sums, strict=True)
        ]
        return (*cells, *self._not_asked((question,)))

    def noise(self, cells: int) -> SummedNoise:
        """That of a sum of so many cells."""
        return SummedNoise(float(Fraction(self.table.sigma)), cells * self.trustees)

    def _not_asked(self, questions: tuple[int, ...]) -> list[CountedCell]:
        """Those whom a rule, an arm or their own coin left out; none where all are asked."""
        left = self.counts[int(np.prod(self.sizes)) :]
        return [CountedCell(questions, (), (), self._counted(count, 1)) for count in left]

    def _counted(self, count: int, cells: int) -> NoisyCount:
        return NoisyCount(count, self.people, self.noise(cells))
