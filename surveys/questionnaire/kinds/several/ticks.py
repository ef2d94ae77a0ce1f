"""TicksQuestion: a choice of several options, each of them a yes or no."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from surveys.questionnaire.kinds.levels import level_fields, weights_of
from surveys.questionnaire.kinds.several.parts import PartsQuestion
from surveys.questionnaire.refusals import PartlyDeclined, TooManyTicks

MOST_TICKS_OPTIONS = 32
TICKED = 1  # the place of "yes" among the levels


@dataclass(frozen=True, kw_only=True)
class TicksQuestion(PartsQuestion):
    """Options of which a person ticks at most ``most``; level 0 is "no" and level 1 is "yes".

    A person who would rather not answer has the declining level at every option.
    """

    most: int

    @property
    def differing(self) -> int:
        """Two sets of at most c options differ in at most 2c; declining differs in all of them."""
        apart = self.size if self.decline_level is not None else 2 * self.most
        return min(self.sent, apart)

    def read(self, values: Sequence[str], *, own_coin: bool) -> str:
        """Raises TooManyTicks, PartlyDeclined; not of reports, which may be of any options."""
        code = super().read(values, own_coin=own_coin)
        if not self.is_randomized:
            self._require_possible([level for _, level in self.slot_levels(code)])
        return code

    def _require_possible(self, levels: Sequence[int]) -> None:
        ticked = levels.count(TICKED)
        if ticked > self.most:
            raise TooManyTicks(ticked, self.most)
        if self.decline_level in levels and set(levels) != {self.decline_level}:
            raise PartlyDeclined

    def to_document(self) -> dict[str, Any]:
        return {**super().to_document(), "most": self.most}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(
            **level_fields(entry),
            weights=weights_of(entry, "weights"),
            parts=tuple(part["text"] for part in entry["parts"]),
            sent=entry["sent"],
            most=entry["most"],
        )
