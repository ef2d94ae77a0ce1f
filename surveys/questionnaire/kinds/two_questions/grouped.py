"""GroupedQuestion: two questions in two groups, the share of yes to the second being unknown."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from surveys.questionnaire.kinds.levels import (
    Level,
    Leveled,
    Weights,
    level_fields,
    levels_of,
    weights_of,
)
from surveys.questionnaire.kinds.two_questions.second import (
    SecondQuestion,
    pair_columns,
    pair_document,
    second_of,
)
from surveys.randomized_response.designs import Channel


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
        reports = [asdict(level) for level in self.reports]
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
