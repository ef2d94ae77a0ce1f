"""PairedQuestion: the browser answers one of two, the share of yes to the second being known."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from surveys.questionnaire.kinds.levels import LevelQuestion, Weights, level_fields, weights_of
from surveys.questionnaire.kinds.two_questions.second import (
    SecondQuestion,
    pair_columns,
    pair_document,
    second_of,
)
from surveys.randomized_response.drawing import Recipe, recipe_for_questions


@dataclass(frozen=True, kw_only=True)
class PairedQuestion(LevelQuestion):
    """The browser has both answers and sends one of them.

    ``pairs[2 * true + second][reported]`` are its weights; ``weights`` follow from them and the
    known share of yes to the second question.
    """

    second: SecondQuestion
    pairs: Weights

    @property
    def columns(self) -> tuple[str, ...]:
        return pair_columns(self.levels)

    @cached_property
    def recipe(self) -> Recipe | None:
        """A person with No to the question and Yes to the second one sends No if it counts."""
        return recipe_for_questions(Fraction(self.pairs[1][0], self.denominator))

    def to_document(self) -> dict[str, Any]:
        return {**super().to_document(), **pair_document(self.second, self.pairs)}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(
            **level_fields(entry),
            weights=weights_of(entry, "weights"),
            second=second_of(entry),
            pairs=weights_of(entry, "pairs"),
        )
