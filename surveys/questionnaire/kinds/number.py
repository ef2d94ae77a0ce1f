"""NumberQuestion and NumberRange: a number's bounds, width, decimal places, code and pattern."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Self

from surveys.questionnaire.kinds.question import Question, common_fields, document_of, refusal_of


@dataclass(frozen=True)
class NumberRange:
    """A bounded decimal number, sent with leading zeros so that every value is equally wide."""

    minimum: str
    maximum: str
    decimal_places: int

    @cached_property
    def width(self) -> int:
        return max(len(f"{Decimal(bound):.{self.decimal_places}f}") for bound in self.bounds)

    @property
    def bounds(self) -> tuple[str, str]:
        return self.minimum, self.maximum

    @cached_property
    def declined(self) -> str:
        return "-" * self.width

    @cached_property
    def pattern(self) -> str:
        """A regular expression of the canonical form, without the bounds."""
        fraction = rf"\.[0-9]{{{self.decimal_places}}}" if self.decimal_places else ""
        whole = self.width - (self.decimal_places + 1 if self.decimal_places else 0)
        signed = rf"|-[0-9]{{{whole - 1}}}" if Decimal(self.minimum) < 0 and whole > 1 else ""
        return rf"(?:[0-9]{{{whole}}}{signed}){fraction}"

    def encode(self, value: Decimal) -> str:
        """The canonical code of a value on the grid."""
        return f"{value + 0:0{self.width}.{self.decimal_places}f}"  # + 0: minus zero is zero

    def accepts(self, code: str) -> bool:
        """Whether a code is canonical and inside the bounds."""
        if not re.fullmatch(self.pattern, code):
            return False
        value = Decimal(code)
        inside = Decimal(self.minimum) <= value <= Decimal(self.maximum)
        return inside and self.encode(value) == code


@dataclass(frozen=True, kw_only=True)
class NumberQuestion(Question):
    """A number, asked directly on both paths."""

    number: NumberRange

    @cached_property
    def width(self) -> int:
        return self.number.width

    @property
    def widest_labels(self) -> tuple[str, ...]:
        return (self.label(self.number.declined), "0" * self.width)

    def was_asked(self, code: str) -> bool:
        """Always; a declined number of two digits looks like the mark of who was not asked."""
        return True

    def read(self, values: Sequence[str], *, own_coin: bool) -> str:
        (code,) = values
        is_declined = not self.required and code == self.number.declined
        if not is_declined and not self.number.accepts(code):
            raise refusal_of(code)
        return code

    def is_declined(self, code: str) -> bool:
        """Whether a code says that the respondent would rather not answer."""
        return code == self.number.declined

    def label(self, code: str) -> str:
        return "Prefer not to say" if self.is_declined(code) else str(Decimal(code))

    def to_document(self) -> dict[str, Any]:
        return document_of(self, number=asdict(self.number))

    @classmethod
    def reads(cls, entry: Mapping[str, Any]) -> bool:
        return bool(entry.get("number"))

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(**common_fields(entry), number=NumberRange(**entry["number"]))
