"""Exact power of tests of one or two samples: each count of reports with its binomial probability.

It checks the normal approximation of ``power`` and shows the level that a test really has. Reports
of one option are Bernoulli(l) with l = a share + b, so the count is binomial.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from ..checks import FloatArray
from ..errors import PlanError
from ..messages import sentence
from ..printing import report
from .power import (
    Question,
    checked_alternative,
    checked_share,
    checked_size,
    inside,
    report_line,
    variance_times_n,
)

TESTS = ("binomial", "normal")
LARGEST_TABLE = 25_000_000


@dataclass(frozen=True)
class ExactPower:
    """``power`` under the alternative and ``size`` under the hypothesis: both exact.

    The hypothesis is rejected at ``lower`` and fewer or ``upper`` and more reports; -1 and n + 1
    mean never. ``guaranteed``: whether the size never exceeds the significance.
    """

    power: float
    size: float
    n: int
    lower: int
    upper: int
    test: str

    @property
    def guaranteed(self) -> bool:
        return self.test == "binomial"

    def __str__(self) -> str:
        """The power as a table, and what its columns mean below it."""
        head = ("n", "lower", "upper", "size", "power")
        row = (self.n, self.lower, self.upper, self.size, self.power)
        word = "never exceeds" if self.guaranteed else "may exceed"
        notes = (
            "Rejected at lower and fewer reports, and at upper and more.",
            f"The size {word} the significance.",
        )
        return report(f"Exact power of the {self.test} test", head, [row], notes)


def exact_power(
    design: Question,
    *,
    share: float,
    null_share: float,
    n: int,
    test: str = "binomial",
    significance: float = 0.05,
    alternative: str = "two-sided",
    option: int = 1,
) -> ExactPower:
    """Power and size of a test that a share is ``null_share``, by summing over all counts.

    ``test``: "binomial" rejects where a tail probability under the hypothesis is at most the
    significance (half of it on each side when two-sided; Clopper and Pearson 1934), "normal" where
    the estimate is more than z standard errors away, as ``power_one_sample`` assumes. Arguments as
    there. Raises PlanError also where no single report decides (Kuk with several draws).

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.planning import exact_power
    >>> print(exact_power(Warner(0.75), share=0.3, null_share=0.1, n=200))
    Exact power of the binomial test
    n    lower  upper       size     power
    200     47     74  0.0449539  0.825772
    Rejected at lower and fewer reports, and at upper and more.
    The size never exceeds the significance.
    """
    slope, intercept = _line(design, option)
    true, null = checked_share("share", share), checked_share("null_share", null_share)
    size, sides = checked_size("n", n), _sides(alternative)
    each = inside("significance", significance) / sides
    chance, null_chance = (min(max(slope * s + intercept, 0.0), 1.0) for s in (true, null))
    lower, upper = _region(_checked_test(test), size, null_chance, each)
    if sides == 1:
        lower, upper = (lower, size + 1) if slope * (true - null) < 0 else (-1, upper)
    power, level = (_outside(size, p, lower, upper) for p in (chance, null_chance))
    return ExactPower(power, level, size, lower, upper, test)


def exact_power_two_samples(
    design: Question,
    *,
    share: float,
    other_share: float,
    n: int,
    other_n: int | None = None,
    significance: float = 0.05,
    alternative: str = "two-sided",
    option: int = 1,
) -> float:
    """Exact power of the normal test of ``power_two_samples`` (both null shares ``other_share``).

    Sums over all pairs of counts, so n and other_n may have at most 25 million pairs. Raises
    PlanError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.planning import exact_power_two_samples
    >>> round(exact_power_two_samples(Warner(0.75), share=0.3, other_share=0.1, n=200), 4)
    0.6045
    """
    # SciPy's stats takes a third of a second to load, and few plans compare two samples exactly.
    from scipy.stats import binom

    slope, intercept = _line(design, option)
    shares = checked_share("share", share), checked_share("other_share", other_share)
    first = checked_size("n", n)
    second = first if other_n is None else checked_size("other_n", other_n)
    if (first + 1) * (second + 1) > LARGEST_TABLE:
        raise PlanError("n", n, "too many pairs of counts: use power_two_samples")
    sides = _sides(alternative)
    each = inside("significance", significance) / sides
    error = math.sqrt(variance_times_n(design, shares[1], option) * (1 / first + 1 / second))
    laws = [
        binom.pmf(np.arange(size + 1), size, slope * s + intercept)
        for size, s in zip((first, second), shares, strict=True)
    ]
    difference = (
        np.subtract.outer(np.arange(first + 1) / first, np.arange(second + 1) / second) / slope
    )
    return _mass_beyond(difference, laws, -float(scipy.special.ndtri(each)) * error, shares, sides)


def _mass_beyond(
    difference: FloatArray,
    laws: list[FloatArray],
    threshold: float,
    shares: tuple[float, float],
    sides: int,
) -> float:
    towards = math.copysign(1.0, shares[0] - shares[1])
    rejected = difference * towards > threshold
    if sides == 2:
        rejected |= difference * towards < -threshold
    return float(laws[0] @ rejected @ laws[1])


def _region(test: str, n: int, null_chance: float, each: float) -> tuple[int, int]:
    """The largest low and the smallest high count that reject, each side by itself."""
    if test == "binomial":
        return _last_low(n, null_chance, each), n - _last_low(n, 1 - null_chance, each)
    reach = -float(scipy.special.ndtri(each)) * math.sqrt(n * null_chance * (1 - null_chance))
    centre = n * null_chance
    return math.ceil(centre - reach) - 1, math.floor(centre + reach) + 1


def _last_low(n: int, chance: float, tail: float) -> int:
    """Largest x with P(X <= x) <= tail; -1 if there is none. Halving: P rises with x."""
    low, high = -1, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high) if scipy.special.bdtr(middle, n, chance) <= tail else (low, middle)
        )
    return low


def _outside(n: int, chance: float, lower: int, upper: int) -> float:
    below = float(scipy.special.bdtr(lower, n, chance)) if lower >= 0 else 0.0
    if upper <= 0:
        return 1.0
    above = float(scipy.special.bdtrc(upper - 1, n, chance)) if upper <= n else 0.0
    return min(1.0, below + above)


def _line(design: Question, option: int) -> tuple[float, float]:
    line = report_line(design, option)
    if line is None:
        remedy = sentence("reports of this option are not a share + b: use power_one_sample")
        raise PlanError("design", getattr(design, "label", design), remedy)
    return line


def _sides(alternative: str) -> int:
    return 2 if checked_alternative(alternative) == "two-sided" else 1


def _checked_test(test: object) -> str:
    if not isinstance(test, str) or test not in TESTS:
        raise PlanError("test", test, f"choose one of {', '.join(TESTS)}")
    return test
