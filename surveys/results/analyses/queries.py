"""JointAnswers: reads of several questions together: how often each combination came."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Generic, TypeVar

from surveys.counts import joint
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import NumberQuestion, RoundedQuestion
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import of_kind
from surveys.questionnaire.plans.readings import planned_answers

Grouping = LevelQuestion | NumberQuestion  # what a question can be broken down by
Outcome = LevelQuestion | NumberQuestion | RoundedQuestion  # what others can explain
Asked = TypeVar("Asked", bound=Question, covariant=True)


@dataclass(frozen=True)
class JointAnswers(Generic[Asked]):
    """How often each combination of codes of these questions was reported."""

    numbers: tuple[int, ...]
    item: Asked
    by: tuple[Grouping, ...]
    by_codes: Counter[tuple[str, ...]]
    as_of: str = ""  # of which answers, in words, where these are counts that were kept
    planned: int | None = None  # answers to the question that is broken down, at launch

    @property
    def items(self) -> tuple[Asked | Grouping, ...]:
        """All questions, the one that is broken down first."""
        return (self.item, *self.by)

    @property
    def n(self) -> int:
        return self.by_codes.total()

    @cached_property
    def hidden(self) -> tuple[int, ...]:
        """The places of the groupings that are known of no respondent: the randomized ones."""
        return tuple(x for x, item in enumerate(self.items) if x and item.is_randomized)

    @property
    def hidden_questions(self) -> list[LevelQuestion]:
        """Those groupings; only questions with levels are randomized."""
        return [item for _, item in of_kind(LevelQuestion, self.by) if item.is_randomized]

    @property
    def planned_in_group(self) -> int | None:
        """Answers planned in each group, as if all groups were to be of one size.

        Of hidden groups all people together tell. What the groups are is known before the first
        answer, which a sequence needs; how large they are is not.
        """
        if self.planned is None:
            return None
        known = (item for _, item in of_kind(LevelQuestion, self.by) if not item.is_randomized)
        return max(1, self.planned // prod(len(item.levels) for item in known))

    def group_name(self, index: int, answer: str) -> str:
        """An answer as the name of a group; with its question's number if there are two."""
        return answer if len(self.items) < 3 else f"{self.numbers[index]}. {answer}"


CrossCounts = JointAnswers[LevelQuestion]
OutcomeCounts = JointAnswers[Outcome]


def cross_counts(revision: Revision, numbers: Sequence[int]) -> CrossCounts:
    """Counted by one grouped query, or kept, of a large survey; questions are numbered from 1.

    Raises IndexError for a question that does not exist, ValueError for one that cannot be
    grouped by: a free text, for example, is kept apart from all other answers, and no one reads
    those that come to light as released tables alone. Raises joint.BeingCounted.
    """
    leveled = dict(of_kind(LevelQuestion, questionnaire_of(revision).row.variables))
    return _joint(revision, numbers, leveled)


def outcome_counts(revision: Revision, numbers: Sequence[int]) -> OutcomeCounts:
    """The same of a first question that may be a number. Raises what ``cross_counts`` does."""
    variables = questionnaire_of(revision).row.variables
    offered: dict[int, Outcome] = dict(of_kind(LevelQuestion, variables))
    offered |= dict(of_kind(NumberQuestion, variables))
    offered |= dict(of_kind(RoundedQuestion, variables))
    return _joint(revision, numbers, offered)


def _joint(
    revision: Revision, numbers: Sequence[int], offered: Mapping[int, Asked]
) -> JointAnswers[Asked]:
    """``offered``: what the first question may be."""
    questionnaire = questionnaire_of(revision)
    variables = questionnaire.row.variables
    groupings: dict[int, Grouping] = dict(of_kind(LevelQuestion, variables))
    groupings |= dict(of_kind(NumberQuestion, variables))
    first, *by = numbers
    for number in numbers:
        if not 1 <= number <= len(variables):
            raise IndexError(number)
    for number, known in [(first, offered), *((number, groupings) for number in by)]:
        if number not in known or variables[number - 1] in questionnaire.row.hidden:
            raise ValueError(number)
    kept = joint.counts_of(revision.pk, numbers)
    item, others = offered[first], tuple(groupings[number] for number in by)
    planned = planned_answers(questionnaire, item)
    return JointAnswers(tuple(numbers), item, others, kept.by_codes, kept.as_of, planned)
