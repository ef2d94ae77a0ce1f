"""SecondQuestion: a harmless question that hides a sensitive one; pairs of probabilities."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from surveys.questionnaire.kinds.levels import Level, Weights, written


@dataclass(frozen=True)
class SecondQuestion:
    """A harmless yes/no question that hides a sensitive one: "no" is 0, "yes" is 1.

    ``least`` and ``most`` bound the share of people who would say yes to it, as fractions; they
    are equal where that share is known. The channel's epsilon holds against all people who do not
    know a respondent's own answer to it.
    """

    text: str
    least: str
    most: str

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The ends of what the share of yes can be, each once."""
        return tuple(sorted({Fraction(self.least), Fraction(self.most)}))


def second_of(entry: Mapping[str, Any]) -> SecondQuestion:
    """The second question of a document's question."""
    return SecondQuestion(**entry["second"])


def pair_columns(levels: tuple[Level, ...]) -> tuple[str, ...]:
    """What the page reads where it asks both questions: the two codes, the own answer first."""
    codes = [level.code for level in levels]
    return tuple(map("".join, product(codes, codes)))


def pair_document(second: SecondQuestion, pairs: Weights) -> dict[str, Any]:
    return {"second": asdict(second), "pairs": written(pairs)}
