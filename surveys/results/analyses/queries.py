"""CrossCounts: reads of several questions together: how often each combination of reports came."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from surveys.counts import joint
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import NumberQuestion
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.registry import of_kind
from surveys.questionnaire.plans.readings import planned_answers

Grouping = LevelQuestion | NumberQuestion  # what a question can be broken down by


@dataclass(frozen=True)
class CrossCounts:
    """How often each combination of codes of these questions was reported."""

    numbers: tuple[int, ...]
    item: LevelQuestion
    by: tuple[Grouping, ...]
    by_codes: Counter[tuple[str, ...]]
    as_of: str = ""  # of which answers, in words, where these are counts that were kept
    planned: int | None = None  # answers to the question that is broken down, at launch

    @property
    def items(self) -> tuple[Grouping, ...]:
        """All questions, the one that is broken down first."""
        return (self.item, *self.by)

    @property
    def n(self) -> int:
        return self.by_codes.total()

    @property
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


def cross_counts(revision: Revision, numbers: Sequence[int]) -> CrossCounts:
    """Counted by one grouped query, or kept, of a large survey; questions are numbered from 1.

    Raises IndexError for a question that does not exist, ValueError for one that cannot be
    grouped by: a free text, for example, is kept apart from all other answers, and no one reads
    those that come to light as released tables alone. Raises joint.BeingCounted.
    """
    questionnaire = questionnaire_of(revision)
    leveled = dict(of_kind(LevelQuestion, questionnaire.row.variables))
    groupings = leveled | dict(of_kind(NumberQuestion, questionnaire.row.variables))
    for number in numbers:
        if not 1 <= number <= len(questionnaire.row.variables):
            raise IndexError(number)
        if number not in groupings or groupings[number] in questionnaire.row.hidden:
            raise ValueError(number)
    first, *by = numbers
    if first not in leveled:
        raise ValueError(first)
    kept = joint.counts_of(revision.pk, numbers)
    others = tuple(groupings[number] for number in by)
    item = leveled[first]
    planned = planned_answers(questionnaire, item)
    return CrossCounts(tuple(numbers), item, others, kept.by_codes, kept.as_of, planned)
