"""Draw: which of the protected questions chance asks each person."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.sharing import sharing
from surveys.randomized_response.drawing import DieSubset


@dataclass(frozen=True)
class Draw:
    """``asked`` of the protected ones among ``items`` are asked; all of them if it is None."""

    items: tuple[Question, ...]
    asked: int | None

    @cached_property
    def size(self) -> int:
        """How many protected questions there are."""
        return sum(item.is_randomized for item in self.items)

    @property
    def count(self) -> int:
        """How many protected questions each person is asked."""
        return self.size if self.asked is None else self.asked

    @cached_property
    def die(self) -> DieSubset | None:
        """How a die draws the protected questions that a person is asked; None if all are."""
        return DieSubset(self.size, self.asked) if self.asked else None

    def share_of(self, item: Question) -> Fraction:
        """How many of all people a question is drawn for; 1 if it is for all."""
        is_drawn = self.asked and item.is_randomized
        return Fraction(self.count, self.size) if is_drawn else Fraction(1)

    def may_leave_out(self, item: Question) -> bool:
        """Whether chance decides if a person is asked this question at all."""
        return self.asked is not None and item.is_randomized

    @cached_property
    def shares_second(self) -> bool:
        """Whether a person can be asked two questions that share a second question."""
        pairs = ((self.items[a - 1], self.items[b - 1]) for a, b in sharing(self.items))
        return any(sum(i.is_randomized for i in pair) <= self.count for pair in pairs)
