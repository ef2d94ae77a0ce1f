"""Paired, compared and grouped questions: a harmless second one hides the sensitive one."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, Self

from surveys.kinds.levels.promise import (
    Level,
    Leveled,
    LevelQuestion,
    Weights,
    level_code,
    level_fields,
    levels_of,
    weights_of,
    written,
)
from surveys.questionnaire.messages import message
from surveys.randomized_response.designs import Channel
from surveys.randomized_response.drawing import Recipe, recipe_for_questions


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
        reports = [level.to_document() for level in self.reports]
        return {**super().to_document(), "reports": reports, "second": asdict(self.second)}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(
            **level_fields(entry),
            weights=weights_of(entry, "weights"),
            reports=levels_of(entry, "reports"),
            second=second_of(entry),
        )


@dataclass(frozen=True, kw_only=True)
class GroupedQuestion(Leveled):
    """The browser draws a group, then which of two answers to send; the groups differ in the odds.

    A report names its group: ``reports`` are the levels of group 1, then those of group 2, and
    ``pairs[2 * true + second][reported]`` are the weights. The channel from the question itself
    depends on the share of yes to the second one, which is not known.
    """

    reports: tuple[Level, ...]
    second: SecondQuestion
    pairs: Weights

    @cached_property
    def is_randomized(self) -> bool:
        return True

    @cached_property
    def reported_levels(self) -> tuple[Level, ...]:
        return self.reports

    @property
    def shown_reports(self) -> tuple[Level, ...]:
        """The output alphabet in the order shown."""
        return self.reports

    @property
    def columns(self) -> tuple[str, ...]:
        return pair_columns(self.levels)

    @property
    def group_probabilities(self) -> tuple[Fraction, Fraction]:
        """How often the question itself is the one that counts, in group 1 and in group 2.

        A person with No to it and Yes to the second one sends No exactly then.
        """
        first_no, second_no = self.pairs[1][0], self.pairs[1][2]
        return Fraction(2 * first_no, self.denominator), Fraction(2 * second_no, self.denominator)

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """What the channel can be: one for each end of the unknown share.

        Every entry is linear in that share, so that no ratio of entries is larger in between.
        """
        return tuple(self._averaged(share) for share in self.second.shares)

    def _averaged(self, share: Fraction) -> Channel:
        """P[reported, true] when this share of people says yes to the second question."""
        paired = list(zip(self.pairs[::2], self.pairs[1::2], strict=True))
        columns = [
            [
                ((1 - share) * no + share * yes) / self.denominator
                for no, yes in zip(*pair, strict=True)
            ]
            for pair in paired
        ]
        return Channel(tuple(zip(*columns, strict=True)))

    @cached_property
    def epsilon(self) -> float:
        return max(channel.epsilon for channel in self.channels)

    def to_document(self) -> dict[str, Any]:
        reports = [level.to_document() for level in self.reports]
        pairs = pair_document(self.second, self.pairs)
        return {**super().to_document(), "reports": reports, **pairs}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(
            **level_fields(entry),
            reports=levels_of(entry, "reports"),
            second=second_of(entry),
            pairs=weights_of(entry, "pairs"),
        )
