"""StoredRow: where the code of each answer stands in a stored row, and which parts no one reads."""

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from surveys.kinds.levels.promise import LevelQuestion
from surveys.questionnaire.arms import Arm, arm_question
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.plans.tallies import LockedTable


@dataclass(frozen=True)
class StoredRow:
    """The codes of a person's answers side by side, and then that of the arm, if there are arms.

    Beside it are texts, and a ballot for each of the ``tables``.
    """

    items: tuple[Question, ...]
    arms: tuple[Arm, ...]
    hidden: tuple[Question, ...]  # their answers no one reads
    tables: tuple[LockedTable, ...] = ()

    @cached_property
    def arm_items(self) -> tuple[LevelQuestion, ...]:
        """The arm as an answer that a row has; none where there are no arms."""
        return (arm_question(self.arms),) if self.arms else ()

    @cached_property
    def variables(self) -> tuple[Question, ...]:
        """What a row has a code of, in its order: the questions, and the arm if there are any."""
        return (*self.items, *self.arm_items)

    @cached_property
    def width(self) -> int:
        """Characters of a row."""
        return sum(item.width for item in self.variables)

    @cached_property
    def text_sizes(self) -> tuple[tuple[int, int], ...]:
        """(number, largest size in bytes) of every question whose answer is stored apart."""
        numbered = enumerate(self.variables, start=1)
        return tuple((number, item.text_bytes) for number, item in numbered if item.text_bytes)

    @cached_property
    def is_locked(self) -> bool:
        """Whether the page seals the texts."""
        return any(item.layers for item in self.items)

    @cached_property
    def holds(self) -> tuple[bool, ...]:
        """Of each variable, whether its code stands in the row."""
        return tuple(not item.text_bytes for item in self.variables)

    @cached_property
    def offsets(self) -> tuple[tuple[Question, int], ...]:
        """Each question with the place (from 0) of its code, and then the arm."""
        places = accumulate((item.width for item in self.variables), initial=0)
        return tuple(zip(self.variables, places, strict=False))

    def place_of(self, question: Question) -> int:
        """The place (from 0) of a question's code."""
        return next(offset for item, offset in self.offsets if item is question)

    def without_hidden(self, answers: str) -> str:
        """A row of answers with dashes where no one reads them."""
        return self._dashed(answers, is_hidden=True)

    def hidden_alone(self, answers: str) -> str:
        """A row of answers with dashes everywhere else."""
        return self._dashed(answers, is_hidden=False)

    def _dashed(self, answers: str, *, is_hidden: bool) -> str:
        return "".join(
            "-" * (end - start) if hides is is_hidden else answers[start:end]
            for start, end, hides in self._spans
        )

    @cached_property
    def _spans(self) -> tuple[tuple[int, int, bool], ...]:
        """Where each question's code starts and ends, and whether it is hidden."""
        hidden = self.hidden
        return tuple((offset, offset + item.width, item in hidden) for item, offset in self.offsets)
