"""RatingQuestion, Slot, RatedItems: some items of a catalogue, each rated at a level of a scale.

What is sent has one slot for each item that is shown, always equally wide: the item's number, then
the code of a level, which goes through the channel on its own.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Self

from surveys.questionnaire.kinds.levels import (
    CODE_WIDTH,
    NOT_ASKED_LABEL,
    ThroughChannel,
    level_fields,
    weights_of,
)
from surveys.questionnaire.kinds.question import field_name, refusal_of
from surveys.questionnaire.refusals import Malformed


@dataclass(frozen=True)
class RatedItems:
    """What a rating question shows: ``shown`` items of a catalogue of ``size``, numbered from 1.

    ``digest`` is ``ratings.catalogue_digest`` of the catalogue, and ``longest_name`` the bytes of
    its longest name as a page writes it. With ``adaptive`` promising items are shown more often,
    by the law in ``display``; otherwise all equally often.
    """

    catalogue: str
    size: int
    digest: str
    shown: int
    longest_name: int
    adaptive: bool = False

    @property
    def number_width(self) -> int:
        """Digits of an item's number, the same for all."""
        return len(str(self.size))

    @cached_property
    def slot_width(self) -> int:
        """Characters of one rating: the item's number and a level."""
        return self.number_width + CODE_WIDTH

    @property
    def slot_not_asked(self) -> str:
        """What stands in a slot for a respondent who was not asked."""
        return "-" * self.slot_width

    def number_code(self, number: int) -> str:
        """An item's number as it is sent."""
        return f"{number:0{self.number_width}d}"

    def holds(self, code: str) -> bool:
        """Whether this is the number of one of the items, as it is sent."""
        return bool(re.fullmatch("[0-9]+", code, re.ASCII)) and 1 <= int(code) <= self.size


@dataclass(frozen=True)
class Slot:
    """One item as a page shows it: its field, its number as it is sent, and its name."""

    field: str
    number: str
    name: str


@dataclass(frozen=True, kw_only=True)
class RatingQuestion(ThroughChannel):
    """Several items of a catalogue, each rated on the same scale; a slot for each item shown."""

    items: RatedItems

    @property
    def slots(self) -> int:
        """How many items one respondent rates."""
        return self.items.shown

    @cached_property
    def epsilon(self) -> float:
        """The slots are drawn one by one, so their epsilons add up."""
        return self.slots * super().epsilon

    @cached_property
    def width(self) -> int:
        return self.slots * self.items.slot_width

    @cached_property
    def not_asked(self) -> str:
        return "-" * self.width

    @property
    def fields_not_asked(self) -> tuple[str, ...]:
        return (self.items.slot_not_asked,) * self.slots

    @cached_property
    def widest_labels(self) -> tuple[str, ...]:
        """Of one rating; each has a row of its own, as has the whole that was not asked."""
        return tuple(level.text for level in self.levels)

    def fields(self, index: int) -> list[str]:
        return [f"{field_name(index)}i{slot + 1:02d}" for slot in range(self.slots)]

    def read(self, values: Sequence[str], *, own_coin: bool) -> str:
        """Ratings are kept in the catalogue's order: the order shown would mark a submission."""
        if {len(slot) for slot in values} != {self.items.slot_width}:
            raise Malformed
        code = "".join(sorted(values))
        if own_coin and not self.is_offered_with_own_coin:
            is_accepted = code == self.not_asked
        else:
            is_accepted = self._accepts(self.slots_of(code))
        if not is_accepted:
            raise refusal_of(code)
        return code

    def _accepts(self, slots: Sequence[str]) -> bool:
        """Whether each slot is a level of another item of the catalogue."""
        numbers = {slot[:-CODE_WIDTH] for slot in slots}
        levels = {level.code for level in self.levels}
        return (
            len(numbers) == self.slots
            and all(map(self.items.holds, numbers))
            and all(slot[-CODE_WIDTH:] in levels for slot in slots)
        )

    def slots_of(self, code: str) -> tuple[str, ...]:
        """What was sent, slot by slot."""
        width = self.items.slot_width
        return tuple(code[at : at + width] for at in range(0, len(code), width))

    def ratings(self, code: str) -> list[tuple[int, int]]:
        """(number of the item, place of the level) of each slot; none if it was not asked."""
        slots = self.slots_of(code) if self.was_asked(code) else ()
        return [(int(slot[:-CODE_WIDTH]), int(slot[-CODE_WIDTH:])) for slot in slots]

    def label(self, code: str) -> str:
        ratings = [f"{number}: {self.levels[level].text}" for number, level in self.ratings(code)]
        return "; ".join(ratings) or NOT_ASKED_LABEL

    def to_document(self) -> dict[str, Any]:
        return {**super().to_document(), "rated": asdict(self.items)}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        rated = RatedItems(**entry["rated"])
        return cls(**level_fields(entry), weights=weights_of(entry, "weights"), items=rated)
