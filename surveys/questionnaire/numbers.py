"""A number as a question asks for it and as it is sent."""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property


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
