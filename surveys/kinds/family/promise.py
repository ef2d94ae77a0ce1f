"""FamilyQuestion and FollowUpQuestion: a question and its follow-ups, sent as one answer.

Each is asked on a screen of its own, in the place where it stands. What is sent is one report of
one channel, whose levels are the ways through all of them: "No", "Yes → No", "Yes → Yes". So one
epsilon covers the whole family, and whether a follow-up was asked is hidden as well as its answer.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from surveys.kinds.levels.promise import (
    Level,
    LevelInRules,
    LevelQuestion,
    level_fields,
    levels_of,
    weights_of,
)
from surveys.kinds.silent.promise import UnsentQuestion
from surveys.questionnaire.kinds.question import InRules, common_document, common_fields
from surveys.questionnaire.logic.rules import Given
from surveys.questionnaire.messages import message

MOST_WAYS = 32  # two coins over more need more people than separate reports do
STEP = " → "

Way = tuple[str, ...]  # the code of the answer to each member, or the mark for not asked


@dataclass(frozen=True, kw_only=True)
class FamilyQuestion(LevelQuestion):
    """The first question of a family; what is sent of the family stands in its field.

    ``answers`` are its own, in the order shown. ``members`` are the numbers of all questions of the
    family, its own first; ``ways`` has the way of each level.
    """

    answers: tuple[Level, ...]
    members: tuple[int, ...]
    ways: tuple[Way, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """What the page reads as the true answer: the codes of all members, one after the other."""
        return tuple(map("".join, self.ways))

    @property
    def choices(self) -> tuple[Level, ...]:
        return self.answers

    @property
    def shown_reports(self) -> tuple[Level, ...]:
        return self.shown_levels

    @cached_property
    def in_rules(self) -> "FamilyInRules":
        return FamilyInRules(self)

    def to_document(self) -> dict[str, Any]:
        return {
            **super().to_document(),
            "answers": [level.to_document() for level in self.answers],
            "members": list(self.members),
            "ways": [list(way) for way in self.ways],
        }

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(
            **level_fields(entry),
            weights=weights_of(entry, "weights"),
            answers=levels_of(entry, "answers"),
            members=tuple(entry["members"]),
            ways=tuple(tuple(way) for way in entry["ways"]),
        )


@dataclass(frozen=True, eq=False)
class FamilyInRules(LevelInRules[FamilyQuestion]):
    """Rules name its own answers, and ways once ``families.in_ways`` put them in terms of these."""

    @property
    def nameable(self) -> Mapping[str, str]:
        return named(self.question.answers)

    def true_given(self, code: str) -> Given | None:
        """Its own answer as rules read it; the codes of ways are other ones."""
        return answer_in(self.question.answers, code)

    def answer_text(self, code: str) -> str:
        return next(level.text for level in self.question.answers if level.code == code)

    @property
    def read_as(self) -> tuple[Given | None, ...]:
        """The ways, as rules read them that ``families.in_ways`` made."""
        return tuple(Given((level.code,)) for level in self.question.levels)

    def told_apart(self, limits: Collection[int]) -> tuple[Given | None, ...]:
        return self.read_as


@dataclass(frozen=True, kw_only=True)
class FollowUpQuestion(UnsentQuestion):
    """A later question of a family: asked by its rule, and sent as part of the family's answer.

    ``family`` is the number of the first question; ``levels`` are in the order shown.
    """

    levels: tuple[Level, ...]
    family: int

    @property
    def choices(self) -> tuple[Level, ...]:
        return self.levels

    def label(self, code: str) -> str:
        return message("(sent with question {number})", number=self.family)

    @cached_property
    def in_rules(self) -> "FollowUpInRules":
        return FollowUpInRules(self)

    def to_document(self) -> dict[str, Any]:
        return {
            **common_document(self),
            "levels": [level.to_document() for level in self.levels],
            "family": self.family,
        }

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        levels = levels_of(entry, "levels")
        return cls(**common_fields(entry), levels=levels, family=entry["family"])


@dataclass(frozen=True, eq=False)
class FollowUpInRules(InRules[FollowUpQuestion]):
    """Rules name its answers in the page alone: it is sent as part of its family."""

    @property
    def readable_in_page(self) -> frozenset[str]:
        return frozenset({"is", "answered"})

    @property
    def nameable(self) -> Mapping[str, str]:
        return named(self.question.levels)

    def true_given(self, code: str) -> Given | None:
        return answer_in(self.question.levels, code)

    def answer_text(self, code: str) -> str:
        return next(level.text for level in self.question.levels if level.code == code)


def named(levels: Iterable[Level]) -> dict[str, str]:
    """The words of each level that a rule can name, by its code."""
    return {level.code: level.text for level in levels if not level.declines}


def answer_in(levels: Collection[Level], code: str) -> Given | None:
    """A chosen level as rules read it; None where it declines, or is none of these."""
    answers = {level.code for level in levels if not level.declines}
    return Given((code,)) if code in answers else None
