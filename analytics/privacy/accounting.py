"""Cost and Budget: exact decimals of mu squared and delta, rounded, added, split, held to a limit.

Costs are mu^2 of Gaussian differential privacy, which add up exactly, and a delta for thresholds on
words that may be one person's alone. Both are decimals with 24 digits after the point: a cost is
rounded up when it is written down and a limit is rounded down, after which sums and comparisons are
exact. A budget that is short by 10^-24 is short.

The whole is (epsilon, delta)-DP: the Gaussian part at 9/10 of delta, thresholds at 1/10 (theorem 8
in docs/privacy-proofs.md).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from numbers import Rational

from analytics.privacy import gaussian
from analytics.privacy.checks import checked_count, checked_delta, checked_not_negative
from analytics.privacy.errors import BudgetError, BudgetExceeded
from surveys.randomized_response.checks import checked_number
from surveys.randomized_response.messages import sentence

LARGEST_EPSILON = 20
THRESHOLD_SHARE = Fraction(1, 10)
QUANTUM = Decimal("1e-24")
_DIGITS = 80


class Adjacency(StrEnum):
    """What two data sets that must look alike differ in."""

    ADD_OR_REMOVE = "add_or_remove_one"
    REPLACE = "replace_one"


@dataclass(frozen=True)
class Cost:
    """An amount of privacy: mu^2 and a threshold delta, both multiples of 10^-24 and 0 or more.

    Raises BudgetError for anything else.
    """

    mu_squared: Decimal = Decimal(0)
    threshold_delta: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        for name in ("mu_squared", "threshold_delta"):
            object.__setattr__(self, name, _checked_amount(name, getattr(self, name)))

    @classmethod
    def of(cls, mu: float, threshold_delta: float = 0.0) -> "Cost":
        """What a mu-GDP release costs, rounded up (delta: as written). Raises BudgetError."""
        exact = Fraction(checked_not_negative("mu", mu, BudgetError)) ** 2
        checked_not_negative("threshold_delta", threshold_delta, BudgetError)
        delta = _as_written(threshold_delta)
        return cls(_decimal(exact, ROUND_CEILING), _decimal(delta, ROUND_CEILING))

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            _SUM.add(self.mu_squared, other.mu_squared),
            _SUM.add(self.threshold_delta, other.threshold_delta),
        )

    def __le__(self, other: "Cost") -> bool:
        return self.mu_squared <= other.mu_squared and self.threshold_delta <= other.threshold_delta

    def __str__(self) -> str:
        return f"mu^2 {_shown(self.mu_squared)}, threshold delta {_shown(self.threshold_delta)}"

    @property
    def mu(self) -> float:
        """The largest float whose cost is at most this mu^2."""
        exact = Fraction(self.mu_squared)
        mu = math.sqrt(self.mu_squared) * (1 + 1e-15)
        while Fraction(mu) ** 2 > exact:
            mu = math.nextafter(mu, 0.0)
        return mu

    def part(self, share: Fraction | float) -> "Cost":
        """A share of both amounts, rounded down: shares that sum to 1 never cost more than this."""
        part = Fraction(checked_number("share", share, BudgetError))
        if not 0 <= part <= 1:
            raise BudgetError("share", share, "give a share between 0 and 1")
        return Cost(
            _decimal(Fraction(self.mu_squared) * part, ROUND_FLOOR),
            _decimal(Fraction(self.threshold_delta) * part, ROUND_FLOOR),
        )

    def under(self, adjacency: Adjacency) -> "Cost":
        """A cost stated for add-or-remove, under another adjacency.

        Replacing a respondent moves a sum of non-negative unit vectors (and of outer products of
        unit vectors) by at most sqrt(2) instead of 1: mu^2 doubles. The threshold delta stays
        (section 3 and theorem 8).
        """
        if adjacency is Adjacency.ADD_OR_REMOVE:
            return self
        return Cost(_SUM.add(self.mu_squared, self.mu_squared), self.threshold_delta)

    def epsilon(self, delta: float) -> float:
        """The epsilon that this spending amounts to at an overall delta. Raises BudgetError."""
        rest = checked_delta("delta", delta, BudgetError) - float(self.threshold_delta)
        if rest <= 0:
            raise BudgetError("delta", delta, f"thresholds alone took {self.threshold_delta:.3g}")
        return gaussian.epsilon_of(math.sqrt(self.mu_squared) * (1 + 1e-15), rest)


def total(costs: Iterable[Cost]) -> Cost:
    """What several releases cost together: the exact sums."""
    return sum(costs, start=Cost())


def split(cost: Cost, shares: Sequence[Fraction]) -> tuple[Cost, ...]:
    """The cost of a report divided over its steps; shares sum to at most 1. Raises BudgetError."""
    parts = tuple(cost.part(share) for share in shares)
    if sum(Fraction(share) for share in shares) > 1:
        raise BudgetError("shares", tuple(shares), "give shares that sum to at most 1")
    return parts


@dataclass(frozen=True)
class Budget:
    """What may be learned about one respondent from everything that is ever released.

    ``epsilon`` in (0, 20], ``delta`` in (0, 1), ``respondents`` (public) at least 1: a delta of
    1/respondents or more would allow publishing one respondent's text whole, and is refused. Raises
    BudgetError.
    """

    epsilon: float
    delta: float
    respondents: int
    adjacency: Adjacency = Adjacency.ADD_OR_REMOVE

    def __post_init__(self) -> None:
        epsilon = float(checked_number("epsilon", self.epsilon, BudgetError))
        if not 0 < epsilon <= LARGEST_EPSILON:
            raise BudgetError(
                "epsilon", self.epsilon, f"give a number above 0 and at most {LARGEST_EPSILON}"
            )
        checked_delta("delta", self.delta, BudgetError)
        people = checked_count("respondents", self.respondents, BudgetError)
        if _as_written(self.delta) * people >= 1:
            most = f"1/{self.respondents}"
            raise BudgetError(
                "delta",
                self.delta,
                f"give less than {most}: at {most} whole texts of one respondent may be published",
            )
        _checked_adjacency(self.adjacency)

    @cached_property
    def limit(self) -> Cost:
        """All that may be spent, rounded down, in terms of the budget's own adjacency."""
        delta = _as_written(self.delta)
        mu = gaussian.mu_for(self.epsilon, float(delta * (1 - THRESHOLD_SHARE)) * (1 - 1e-15))
        return Cost(
            _decimal(Fraction(mu) ** 2, ROUND_FLOOR),
            _decimal(delta * THRESHOLD_SHARE, ROUND_FLOOR),
        )

    def left(self, spent: Cost) -> Cost:
        """What is left after ``spent``. Raises BudgetError if that is more than the limit."""
        if not spent <= self.limit:
            raise BudgetError("spent", str(spent), f"the limit is {self.limit}")
        return Cost(
            _SUM.subtract(self.limit.mu_squared, spent.mu_squared),
            _SUM.subtract(self.limit.threshold_delta, spent.threshold_delta),
        )

    def charge(self, spent: Cost, cost: Cost) -> Cost:
        """What is spent after a report of ``cost`` (both under the budget's adjacency).

        Raises BudgetExceeded, which names what is left and what the report costs.
        """
        left = self.left(spent)
        if not cost <= left:
            remedy = f"only {left} is left; give the report less, or do not make it"
            raise BudgetExceeded("cost", _Written(str(cost)), remedy)
        return spent + cost


class _Written(str):
    """A text that an error shows without quotation marks."""

    def __repr__(self) -> str:
        return str(self)


_SUM = Context(prec=_DIGITS)


def _checked_amount(argument: str, value: object) -> Decimal:
    if not isinstance(value, Decimal) or not value.is_finite() or value < 0:
        raise BudgetError(argument, value, "give a Decimal of 0 or more")
    if value > 10**12 or Fraction(value) % Fraction(QUANTUM):
        raise BudgetError(argument, value, "give at most 24 digits after the point")
    return value.quantize(QUANTUM, context=_SUM)


def _decimal(exact: Fraction, rounding: str) -> Decimal:
    units = exact / Fraction(QUANTUM)
    rounded = -(-units // 1) if rounding == ROUND_CEILING else units // 1
    return Decimal(int(rounded)).scaleb(-24, context=_SUM)


def _as_written(number: float | Fraction) -> Fraction:
    """1e-6 is a millionth: a tenth of 1e-5 must pay for it, which the nearest doubles decide."""
    return Fraction(number if isinstance(number, Rational) else repr(float(number)))


def _shown(amount: Decimal) -> str:
    """Every digit that counts: an amount that is short by 10^-12 must be seen to be short."""
    return f"{amount.normalize(_SUM):f}"


def _checked_adjacency(value: object) -> None:
    if not isinstance(value, Adjacency):
        raise BudgetError(
            "adjacency", value, sentence("give one of {kinds}", kinds=", ".join(Adjacency))
        )
