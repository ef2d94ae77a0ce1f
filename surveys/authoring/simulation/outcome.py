"""SimulatedOutcome: what is estimated of simulated people, beside what is true of them, as rows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from surveys.authoring.simulation.people import Simulated
from surveys.authoring.simulation.rows import Cells, Row, share_rows
from surveys.counts.cells import cells_of
from surveys.kinds.levels.promise import LevelQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table, in_folders, standing_on
from surveys.randomized_response.estimates import (
    estimate_distribution,
)


@dataclass(frozen=True)
class Compared:
    """One question: of how many people, and a row for each answer."""

    number: int
    item: Question
    n: int
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class SimulatedOutcome:
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


def outcome_of(questionnaire: Questionnaire, simulated: Simulated) -> SimulatedOutcome:
    """Estimates from the counted rows, with 95 % intervals."""
    cells: dict[int, dict[str, int]] = {}
    for (number, cell), count in cells_of(questionnaire, simulated.rows).items():
        cells.setdefault(number, {})[cell] = count
    questions = []
    for number, truths in simulated.truths.items():
        item = questionnaire.items[number - 1]
        rows = tuple(ROWS(item, truths, cells.get(number, {}))) if len(truths) else ()
        if rows:
            questions.append(Compared(number, item, len(truths), rows))
    compared = {question.number for question in questions}
    left_out = (
        number
        for number, item in enumerate(questionnaire.items, start=1)
        if item.is_randomized and number not in compared
    )
    return SimulatedOutcome(len(simulated.rows), tuple(questions), tuple(left_out))


def _levels(item: LevelQuestion, truths: np.ndarray, cells: Cells) -> Iterator[Row]:
    counts = tuple(cells.get(level.code, 0) for level in item.reported_levels)
    if sum(counts):
        labels = {index: item.levels[index].text for index in item.display}
        yield from share_rows(estimate_distribution(item.channel, counts), labels, truths)


def _none(item: Question, truths: np.ndarray, cells: Cells) -> Iterator[Row]:
    return iter(())


ROWS: Table[[np.ndarray, Cells], Iterator[Row]] = Table.mostly(
    _none, **{**standing_on(LevelQuestion, _levels), "picked": _none, **in_folders("draft", "ROWS")}
)
