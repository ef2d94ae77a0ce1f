"""RatingQuestion, Slot, RatedItems: some items of a catalogue, each rated at a level of a scale."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Self

from surveys.kinds.levels.promise import level_fields, weights_of
from surveys.questionnaire.kinds.parts import SlottedQuestion
from surveys.questionnaire.kinds.question import Question


@dataclass(frozen=True)
class RatedItems:
    """What a rating question shows: ``shown`` items of a catalogue of ``size``, numbered from 1.

    ``digest`` is ``ratings.catalogue_digest`` of the catalogue, and ``longest_name`` the bytes of
    its longest name as a page writes it. With ``adaptive`` promising items are shown more often,
    by the law in ``display``; otherwise all equally often. ``names_bytes`` is how much room all
    names take in UTF-8; documents from before pages drew items do not say it.
    """

    catalogue: str
    size: int
    digest: str
    shown: int
    longest_name: int
    adaptive: bool = False
    names_bytes: int | None = None

    def to_document(self) -> dict[str, Any]:
        """As launched documents hold it."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Slot:
    """One item as a page shows it: its field, its number as it is sent, and its name."""

    field: str
    number: str
    name: str


@dataclass(frozen=True, kw_only=True)
class RatingQuestion(SlottedQuestion):
    """Several items of a catalogue, each rated on the same scale; a slot for each item shown."""

    letter: ClassVar[str] = "i"
    items: RatedItems

    @property
    def slots(self) -> int:
        """How many items one respondent rates."""
        return self.items.shown

    @property
    def size(self) -> int:
        """How many items the catalogue has."""
        return self.items.size

    def to_document(self) -> dict[str, Any]:
        return {**super().to_document(), "rated": self.items.to_document()}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        rated = RatedItems(**entry["rated"])
        return cls(**level_fields(entry), weights=weights_of(entry, "weights"), items=rated)


def drawn_by_server(item: Question) -> Question:
    """A question as it is where no page draws its items: only a rating differs."""
    if not isinstance(item, RatingQuestion):
        return item
    return replace(item, items=replace(item.items, names_bytes=None))
