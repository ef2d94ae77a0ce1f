"""The questionnaire that a respondent is promised: what is asked, and through which channel.

A frozen value, equal to the JSON document of a launched revision. Everything that answers, checks
or counts reads it from here; nothing reads the editable questions after launch.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from functools import cached_property
from typing import Any, Self

from surveys.questionnaire.kinds import CODE_WIDTH, Item, Level, SecondQuestion
from surveys.questionnaire.long_lists import Marking
from surveys.questionnaire.numbers import NumberRange
from surveys.questionnaire.ratings import RatedItems
from surveys.questionnaire.text_budgets import TextBudget


@dataclass(frozen=True)
class Questionnaire:
    """A whole survey as one respondent meets it."""

    title: str
    introduction: str
    organisation: str
    contact: str
    minutes: int
    items: tuple[Item, ...]
    invitation_only: bool = False
    batch_size: int = 20
    delete_on: str | None = None
    text_budget: TextBudget | None = None

    @cached_property
    def slots(self) -> tuple[tuple[str, ...], ...]:
        """The form fields of every question."""
        return tuple(tuple(slot_names(index, item)) for index, item in enumerate(self.items))

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Read a revision's JSON document; those of earlier versions have no ``text_budget``."""
        fields = dict(document)
        fields["items"] = tuple(_item(entry) for entry in fields["items"])
        if fields.get("text_budget"):
            fields["text_budget"] = TextBudget(**fields["text_budget"])
        return cls(**fields)

    def to_document(self) -> dict[str, Any]:
        """The JSON document that a revision stores."""
        return asdict(self)

    @property
    def randomized(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.is_randomized)

    @property
    def drawn(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.is_drawn)

    @property
    def direct(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if not item.is_randomized)

    @property
    def texts(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.is_text)

    @property
    def deleted_by(self) -> date | None:
        """The day on which all answers are deleted, as it was promised."""
        return date.fromisoformat(self.delete_on) if self.delete_on else None

    @property
    def total_epsilon(self) -> float:
        """Sum of the epsilons of one respondent's randomized questions, in nats."""
        return math.fsum(item.epsilon for item in self.randomized)

    def offsets(self) -> Iterator[tuple[Item, int]]:
        """Each question with the place (from 0) of its code in a stored row of answers."""
        place = 0
        for item in self.items:
            yield item, place
            place += item.width


def field_name(index: int) -> str:
    """The form field of the question at this index: equally wide for all questions."""
    return f"q{index + 1:03d}"


def slot_names(index: int, item: Item) -> list[str]:
    """The form fields of the question at this index: of a rating, one for each item shown."""
    name = field_name(index)
    if not item.is_rating:
        return [name]
    return [f"{name}i{slot + 1:02d}" for slot in range(item.slots)]


def level_code(index: int) -> str:
    """The code that is sent for the level at this index."""
    return f"{index:0{CODE_WIDTH}d}"


def _item(entry: Mapping[str, Any]) -> Item:
    """Documents of earlier versions know no ``reports``, ``second``, ``pairs`` and later fields."""
    fields = dict(entry)
    for name in {"levels", "reports"} & set(fields):
        fields[name] = tuple(Level(**level) for level in fields[name])
    fields["display"] = tuple(fields["display"])
    for name in {"weights", "pairs"} & set(fields):
        fields[name] = tuple(tuple(column) for column in fields[name])
    fields["number"] = NumberRange(**fields["number"]) if fields["number"] else None
    if fields.get("second"):
        fields["second"] = SecondQuestion(**fields["second"])
    if fields.get("rated"):
        fields["rated"] = RatedItems(**fields["rated"])
    if fields.get("marking"):
        fields["marking"] = Marking(**fields["marking"])
    return Item(**fields)
