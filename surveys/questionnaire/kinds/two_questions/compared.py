"""ComparedQuestion: the respondent compares two questions (crosswise); no device draws."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Self

from surveys.questionnaire.kinds.levels import (
    Level,
    LevelQuestion,
    level_code,
    level_fields,
    levels_of,
    weights_of,
)
from surveys.questionnaire.kinds.two_questions.second import SecondQuestion, second_of
from surveys.questionnaire.messages import message
from surveys.randomized_response.drawing import Recipe

COMPARISONS = (
    Level(level_code(0), message("Different answers")),
    Level(level_code(1), message("The same answer to both")),
)


@dataclass(frozen=True, kw_only=True)
class ComparedQuestion(LevelQuestion):
    """The respondent says only whether the two answers are the same (crosswise).

    ``reports`` are what can be said. What hides a respondent is that no other person knows the
    second answer, so the answer is sent as it is given, on both paths.
    """

    reports: tuple[Level, ...]
    second: SecondQuestion

    @cached_property
    def is_drawn(self) -> bool:
        return False

    @cached_property
    def reported_levels(self) -> tuple[Level, ...]:
        return self.reports

    @cached_property
    def recipe(self) -> Recipe | None:
        return None

    def to_document(self) -> dict[str, Any]:
        reports = [asdict(level) for level in self.reports]
        return {**super().to_document(), "reports": reports, "second": asdict(self.second)}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(
            **level_fields(entry),
            weights=weights_of(entry, "weights"),
            reports=levels_of(entry, "reports"),
            second=second_of(entry),
        )
