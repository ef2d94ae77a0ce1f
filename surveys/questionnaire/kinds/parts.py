"""SlottedQuestion and PartsQuestion: several answers, each through the channel on its own."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from surveys.kinds.levels.promise import CODE_WIDTH, Level, ThroughChannel, level_fields, weights_of
from surveys.questionnaire.kinds.question import NOT_ASKED_LABEL, field_name, refusal_of
from surveys.questionnaire.refusals import Malformed
from surveys.randomized_response.drawing import DieSubset


@dataclass(frozen=True)
class SlotCode:
    """How slots are written: a number from 1 to ``size``, as wide for all, and a level's code."""

    size: int
    number_width: int

    @cached_property
    def width(self) -> int:
        """Characters of one slot."""
        return self.number_width + CODE_WIDTH

    @property
    def not_asked(self) -> str:
        """What stands in a slot for a respondent who was not asked."""
        return "-" * self.width

    def of_number(self, number: int) -> str:
        """A number as it is sent."""
        return f"{number:0{self.number_width}d}"

    def is_number(self, code: str) -> bool:
        """Whether this is a number as it is sent."""
        return code.isascii() and code.isdigit() and 1 <= int(code) <= self.size

    def slots_in(self, code: str) -> tuple[str, ...]:
        """What was sent, slot by slot."""
        return tuple(code[at : at + self.width] for at in range(0, len(code), self.width))

    def levels_in(self, code: str) -> list[tuple[int, int]]:
        """(number, place of the level) of each slot; none if it was not asked."""
        slots = [slot for slot in self.slots_in(code) if slot != self.not_asked]
        return [(int(slot[:-CODE_WIDTH]), int(slot[-CODE_WIDTH:])) for slot in slots]


@dataclass(frozen=True, kw_only=True)
class SlottedQuestion(ThroughChannel):
    """One level for each of several things, which are numbered from 1."""

    letter: ClassVar[str] = "s"  # of the fields, as in q003s01

    @property
    @abstractmethod
    def slots(self) -> int:
        """How many answers one respondent sends."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many things there are, of which the slots answer some or all."""

    @cached_property
    def slot_code(self) -> SlotCode:
        """How what is sent of one thing is written."""
        return SlotCode(self.size, len(str(self.size)))

    @cached_property
    def epsilon(self) -> float:
        """The slots are drawn one by one, so their epsilons add up."""
        return self.slots * super().epsilon

    @property
    def differing(self) -> int:
        """In how many slots two people's answers can differ at most."""
        return self.slots

    @cached_property
    def width(self) -> int:
        return self.slots * self.slot_code.width

    @cached_property
    def not_asked(self) -> str:
        return "-" * self.width

    @property
    def fields_not_asked(self) -> tuple[str, ...]:
        return (self.slot_code.not_asked,) * self.slots

    @property
    def shown_reports(self) -> tuple[Level, ...]:
        """The output alphabet of a slot in the order shown."""
        return self.shown_levels

    def fields(self, index: int) -> list[str]:
        return self.slot_names(field_name(index))

    def slot_names(self, start: str) -> list[str]:
        """A name for each slot, all of which begin in this way."""
        return [f"{start}{self.letter}{slot + 1:02d}" for slot in range(self.slots)]

    def read(self, values: Sequence[str], *, own_coin: bool) -> str:
        """Slots are kept in the order of their numbers: the order shown would mark a submission."""
        if {len(slot) for slot in values} != {self.slot_code.width}:
            raise Malformed
        code = "".join(sorted(values))
        if own_coin and not self.is_offered_with_own_coin:
            is_accepted = code == self.not_asked
        else:
            is_accepted = self._accepts(self.slot_code.slots_in(code))
        if not is_accepted:
            raise refusal_of(code)
        return code

    def _accepts(self, slots: Sequence[str]) -> bool:
        """Whether each slot is a level of another thing."""
        numbers = {slot[:-CODE_WIDTH] for slot in slots}
        levels = {level.code for level in self.levels}
        return (
            len(numbers) == self.slots
            and all(map(self.slot_code.is_number, numbers))
            and all(slot[-CODE_WIDTH:] in levels for slot in slots)
        )

    def label(self, code: str) -> str:
        labels = [
            f"{number}: {self.levels[level].text}"
            for number, level in self.slot_code.levels_in(code)
        ]
        return "; ".join(labels) or NOT_ASKED_LABEL


MOST_WITH_OWN_COIN = 6  # parts, each with flips of its own


def part_fields(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What a question on parts reads from a launched document, but for the words of its parts."""
    weights = weights_of(entry, "weights")
    return {**level_fields(entry), "weights": weights, "sent": entry["sent"]}


def part_texts(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of the parts in a launched document."""
    return tuple(part["text"] for part in entry["parts"])


def part_values(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """What files call the parts in a launched document; nothing where none says it."""
    values = tuple(part.get("value", "") for part in entry["parts"])
    return values if any(values) else ()


@dataclass(frozen=True, kw_only=True)
class PartsQuestion(SlottedQuestion):
    """One level for each of several ``parts``, of which ``sent`` are sent.

    Which parts are sent is drawn evenly and independently of the answers, so that it tells nothing
    of them: a person who knows the draw knows reports of the drawn parts alone. ``values`` are what
    files call the parts, each empty where its author chose none; nothing where none was chosen.
    """

    parts: tuple[str, ...]
    sent: int
    values: tuple[str, ...] = ()

    @property
    def slots(self) -> int:
        return self.sent

    def value_of(self, number: int) -> str:
        """What files call the part with this number, from 1; empty for its number."""
        return self.values[number - 1] if self.values else ""

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
        labels = [
            f"{self.parts[number - 1]}: {self.levels[level].text}"
            for number, level in self.slot_code.levels_in(code)
        ]
        return "; ".join(labels) or NOT_ASKED_LABEL

    def to_document(self) -> dict[str, Any]:
        values = self.values or ("",) * self.size
        parts = [
            {"text": part, **({"value": value} if value else {})}
            for part, value in zip(self.parts, values, strict=True)
        ]
        return {**super().to_document(), "parts": parts, "sent": self.sent}
