"""PromisedBudget: what respondents are promised about reports and tables, frozen at launch."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

TEXTS, ALL = "text", "all"


@dataclass(frozen=True)
class PromisedBudget:
    """(epsilon, delta)-differential privacy of everything published about the survey's ``source``.

    Both are decimals as they are written, such as "4" and "0.000001". ``adjacency`` says what a
    report hides: one respondent more or fewer, or one respondent's answers replaced by others.
    ``source`` is what the budget pays for: reports on free texts alone, as every budget before
    there were tables, or those and table releases. Source: Dwork and Roth (2014), definition 2.4.
    """

    epsilon: str
    delta: str
    adjacency: str = "add_or_remove_one"
    source: str = TEXTS

    @property
    def pays_for_tables(self) -> bool:
        """Whether respondents were promised that it limits table releases too."""
        return self.source == ALL

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
