"""PartsQuestion: all parts of a question are answered; chance draws which ones are sent."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from surveys.questionnaire.kinds.levels import CODE_WIDTH, level_fields, weights_of
from surveys.questionnaire.kinds.question import NOT_ASKED_LABEL
from surveys.questionnaire.kinds.several.slots import SlotCode, SlottedQuestion
from surveys.randomized_response.drawing import DieSubset

MOST_WITH_OWN_COIN = 6  # parts, each with flips of its own


def part_fields(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What a question on parts reads from a launched document, but for the words of its parts."""
    weights = weights_of(entry, "weights")
    return {**level_fields(entry), "weights": weights, "sent": entry["sent"]}


def part_texts(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of the parts in a launched document."""
    return tuple(part["text"] for part in entry["parts"])


@dataclass(frozen=True, kw_only=True)
class PartsQuestion(SlottedQuestion):
    """One level for each of several ``parts``, of which ``sent`` are sent.

    Which parts are sent is drawn evenly and independently of the answers, so that it tells nothing
    of them: a person who knows the draw knows reports of the drawn parts alone.
    """

    parts: tuple[str, ...]
    sent: int

    @property
    def slots(self) -> int:
        return self.sent

    @property
    def share_sent(self) -> Fraction:
        """Of how many people a part is sent."""
        return Fraction(self.sent, self.size)

    @property
    def size(self) -> int:
        return len(self.parts)

    @cached_property
    def slot_code(self) -> SlotCode:
        return SlotCode(self.size, CODE_WIDTH)

    @property
    @abstractmethod
    def differing(self) -> int:
        """In how many of the drawn parts two people's answers can differ at most."""

    @cached_property
    def epsilon(self) -> float:
        """Parts in which two people agree are reported alike, and tell nothing between them."""
        return self.differing * self.channel.epsilon if self.is_randomized else super().epsilon

    @property
    def draws_parts(self) -> bool:
        return self.sent < self.size

    @cached_property
    def die(self) -> DieSubset | None:
        """How a person draws the one part that is sent; None where another number is."""
        return DieSubset(self.size, 1) if self.sent == 1 < self.size else None

    @cached_property
    def is_offered_with_own_coin(self) -> bool:
        """With a die for one part and a coin for its answer, or a coin for each of few parts."""
        if not self.is_drawn:
            return True
        is_few = not self.draws_parts and self.size <= MOST_WITH_OWN_COIN
        return self.recipe is not None and (is_few or self.die is not None)

    def label(self, code: str) -> str:
        found = [
            f"{self.parts[number - 1]}: {self.levels[level].text}"
            for number, level in self.slot_code.levels_in(code)
        ]
        return "; ".join(found) or NOT_ASKED_LABEL

    def to_document(self) -> dict[str, Any]:
        parts = [{"text": part} for part in self.parts]
        return {**super().to_document(), "parts": parts, "sent": self.sent}
