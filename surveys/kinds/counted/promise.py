"""CountedQuestion: a direct question with levels, of which only a locked answer leaves the page."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from surveys.kinds.levels.promise import Level, LevelQuestion, levels_of
from surveys.kinds.silent.promise import UnsentQuestion
from surveys.questionnaire.kinds.question import (
    COMMON,
    InRules,
    Question,
    common_document,
    common_fields,
)
from surveys.questionnaire.messages import message


@dataclass(frozen=True, kw_only=True)
class CountedQuestion(UnsentQuestion):
    """A yes or no, a choice or a scale that is counted in a ``table``, from 1, while it is locked.

    It has no field and no place in a row, and no rule reads it: the page locks a person's answers
    to all questions of a table together. ``levels`` are in the order of their codes, ``display`` is
    the order shown.
    """

    levels: tuple[Level, ...]
    display: tuple[int, ...]
    table: int

    @property
    def choices(self) -> tuple[Level, ...]:
        """What a person chooses from in the page, in the order shown."""
        return tuple(self.levels[index] for index in self.display)

    @property
    def columns(self) -> tuple[str, ...]:
        """The codes of its answers, in the order in which they count in the table."""
        return tuple(level.code for level in self.levels)

    @cached_property
    def is_offered_with_own_coin(self) -> bool:
        """Only the page's script can lock an answer."""
        return False

    @cached_property
    def in_rules(self) -> "CountedInRules":
        return CountedInRules(self)

    def label(self, code: str) -> str:
        return message("(locked, in table {table})", table=self.table)

    def to_document(self) -> dict[str, Any]:
        return {
            **common_document(self),
            "levels": [level.to_document() for level in self.levels],
            "display": list(self.display),
            "table": self.table,
        }

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(
            **common_fields(entry),
            levels=levels_of(entry, "levels"),
            display=tuple(entry["display"]),
            table=entry["table"],
        )


@dataclass(frozen=True, eq=False)
class CountedInRules(InRules[CountedQuestion]):
    """No rule reads an answer that the server cannot; the page alone can quote it."""

    @property
    def is_quotable(self) -> bool:
        return True


def counted_as(item: LevelQuestion, table: int) -> CountedQuestion:
    """A direct question as it is where its answers are counted in this table."""
    kept = (*COMMON, "rule", "quoting", "known_yes", "name")
    common = {name: getattr(item, name) for name in kept}
    return CountedQuestion(**common, levels=item.levels, display=item.display, table=table)


def sends_something(item: Question) -> bool:
    """Whether anything of an answer leaves the page: in its own field, or locked with others."""
    return item.is_sent or isinstance(item, CountedQuestion)
