"""TextBudget: what respondents are promised about reports on their texts, frozen at launch."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction


@dataclass(frozen=True)
class TextBudget:
    """(epsilon, delta)-differential privacy of all published reports on texts together.

    Both are decimals as they are written, such as "4" and "0.000001". ``adjacency`` says what a
    report hides: one respondent more or fewer, or one respondent's texts replaced by others.
    Source: Dwork and Roth (2014), definition 2.4.
    """

    epsilon: str
    delta: str
    adjacency: str = "add_or_remove_one"

    @property
    def nats(self) -> float:
        """Epsilon as a number."""
        return float(self.epsilon)

    @property
    def one_in(self) -> int:
        """The chance of failure is at most one in so many; delta is above 0 and at most 1."""
        return int(1 / Fraction(self.delta))

    def may_publish_somebody(self, respondents: int) -> bool:
        """Whether delta would allow publishing one of so many respondents' texts whole."""
        return Fraction(self.delta) * respondents >= 1


def as_written(amount: Decimal) -> str:
    """A decimal without zeros at its end and without an exponent."""
    return f"{amount.normalize():f}"
