"""PickedQuestion: a direct choice from a list that is too long to show one below the other."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from surveys.kinds.levels.promise import LevelInRules, LevelQuestion, level_fields
from surveys.questionnaire.logic.rules import Given

MOST_OPTIONS = 300  # all countries, or the districts of one
CODE_WIDTH = 3  # a hundred and more


@dataclass(frozen=True, kw_only=True)
class PickedQuestion(LevelQuestion):
    """A single choice from up to ``MOST_OPTIONS`` options, sent as it is given.

    It differs from other choices in what a page shows, a list to search in, and in its codes, which
    have three digits. Tables that are released leave it out: most of its cells would be noise.
    """

    @cached_property
    def width(self) -> int:
        return CODE_WIDTH

    @cached_property
    def not_asked(self) -> str:
        return "-" * CODE_WIDTH

    @cached_property
    def in_rules(self) -> "PickedInRules":
        return PickedInRules(self)

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(**level_fields(entry))


@dataclass(frozen=True, eq=False)
class PickedInRules(LevelInRules[PickedQuestion]):
    """Rules name few of the options: all others are one answer to them."""

    def told_apart(self, limits: Collection[int]) -> tuple[Given | None, ...]:
        answers = [level for level in self.question.levels if not level.declines]
        named = [level for level in answers if int(level.code) in limits]
        others = [level for level in answers if level not in named][:1]
        declined = [] if self.question.decline_level is None else [None]
        return (*(Given((level.code,)) for level in (*named, *others)), *declined)


def picked_code(index: int) -> str:
    """The code that is sent for the option at this index."""
    return f"{index:0{CODE_WIDTH}d}"
