"""Exact power of tests of one or two samples, and the sample sizes that rest on it.

Reports of one option are Bernoulli(l) with l = a share + b, so the count is binomial, and a power
is a sum over counts. It checks the normal approximation of ``power`` and shows the level that a
test really has.

The power is a saw-tooth in n: it rises while the counts that reject stay the same, and falls by
the probability of one count where they move on. So the smallest n that reaches a power is no
answer for a survey that may get some people more. A *sample size* here is the smallest n **from
which on** the power never falls below the one wanted, as the exact sample size for a width is.

It is looked for in a window around the n of the normal approximation. A tooth is phi(z) / sqrt(n v)
high or less, v the variance of a report (of two groups the sum), and the power rises by about
phi(z) (z + z') / (2 n) a person: so teeth reach over some .7 sqrt(n / v) people. The window has
twice as many to each side, and is moved until the last n below the power lies well inside.

A call takes a fifth of a second at most. One sample whose window is too wide for that is planned by
the normal approximation, and says so: for chances of a report from .1 to .9 a tooth is then below
.002. Of two samples every few n are looked at then: their teeth are some sqrt(n) people long, and
between those n the power changes by less than 10^-4.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import NDArray

from ..checks import FloatArray
from ..errors import PlanError
from ..messages import sentence
from ..printing import report
from .design_effects import INDEPENDENT, DesignEffects
from .power import (
    Comparison,
    Pair,
    PowerAnalysis,
    Question,
    Spread,
    checked_alternative,
    checked_pair,
    checked_ratio,
    checked_share,
    checked_size,
    inside,
    one_sample_test,
    report_line,
    two_samples_test,
)

TESTS = ("binomial", "normal")
METHODS = ("exact", "normal")
# Of one group: its counts of reports are summed one after the other.
LARGEST_GROUP = 10**6
# So many sizes are looked at in a tenth of a second: of one sample together, of two one by one.
MOST_SIZES, MOST_PAIRS = 8_000, 200
# In standard errors; what lies beyond has no weight that a float could hold beside 1.
_FARTHEST = 9.0
IntArray = NDArray[np.int64]


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

    Sums over all pairs of counts, for groups of at most 10^6 people. Raises PlanError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.planning import exact_power_two_samples
    >>> round(exact_power_two_samples(Warner(0.75), share=0.3, other_share=0.1, n=200), 4)
    0.6045
    """
    lines = (_line(design, option),) * 2
    shares = checked_share("share", share), checked_share("other_share", other_share)
    first = checked_size("n", n)
    second = first if other_n is None else checked_size("other_n", other_n)
    if max(first, second) > LARGEST_GROUP:
        raise PlanError("n", n, "too many counts: use power_two_samples")
    test = two_samples_test((design, design), shares, None, significance, alternative, option)
    return _TwoCounts(test, lines, shares, 0.0).power(first, second)


def sample_size_one_sample(
    design: Question,
    *,
    share: float,
    null_share: float,
    power: float = 0.8,
    significance: float = 0.05,
    alternative: str = "two-sided",
    option: int = 1,
    method: str = "exact",
    effects: DesignEffects = INDEPENDENT,
) -> PowerAnalysis:
    """The smallest n from which on the power is never below the one wanted.

    ``method`` "exact" is about the binomial test of ``exact_power``; the normal approximation takes
    its place where no single report decides (Kuk with several draws), for many people, and where
    people are in clusters or of unequal weight, whose counts have no law that is known: the result
    says that it is not exact. "normal" is ``power_one_sample``'s smallest n, which other
    programs print. Else as there. Raises PlanError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.planning import sample_size_one_sample
    >>> print(sample_size_one_sample(Warner(0.75), share=0.3, null_share=0.1))
    Power of a two-sided test, significance 0.05
    n    other n  difference  null std. error  std. error     power
    194        –         0.2         0.065802   0.0703452  0.814051
    Exact: with more people the power never falls below the one wanted.
    """
    wanted, name = inside("power", power), _checked_method(method)
    test = one_sample_test(design, share, null_share, significance, alternative, option, effects)
    normal, line = test.smallest(wanted), report_line(design, option)
    if name == "normal" or line is None or not effects.is_none:
        return normal
    null_chance, chance = (_chance(line, value) for value in (null_share, share))

    def powers(sizes: IntArray) -> FloatArray:
        return _binomial_powers(sizes, (null_chance, chance), test)

    width = _width(normal.n, chance * (1 - chance))
    if 2 * width > MOST_SIZES:
        return normal
    n = _settled(powers, wanted, normal.n, width)
    return replace(test.at(n), power=float(powers(np.array([n]))[0]), is_exact=True)


def sample_size_two_samples(
    design: Question,
    *,
    share: float,
    other_share: float,
    null_shares: tuple[float, float] | None = None,
    other_design: Question | None = None,
    power: float = 0.8,
    ratio: float = 1.0,
    significance: float = 0.05,
    alternative: str = "two-sided",
    option: int = 1,
    method: str = "exact",
    effects: DesignEffects = INDEPENDENT,
    in_same_clusters: bool = False,
) -> PowerAnalysis:
    """The smallest n from which on the power is never below the one wanted, in two groups.

    The other group has ceil(ratio n) people. ``method`` "exact" sums over all counts of both groups
    for the test of ``power_two_samples``; "normal" and all else as in ``sample_size_one_sample``
    and there. Raises PlanError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.planning import sample_size_two_samples
    >>> found = sample_size_two_samples(Warner(0.75), share=0.3, other_share=0.1, power=0.9)
    >>> found.n, found.other_n
    (460, 460)
    """
    wanted, name = inside("power", power), _checked_method(method)
    designs = (design, design if other_design is None else other_design)
    shares, times = (share, other_share), checked_ratio(ratio)
    spread = Spread(effects, in_same_clusters)
    test = two_samples_test(
        designs, shares, null_shares, significance, alternative, option, times, spread
    )
    normal = test.smallest(wanted)
    first, second = (report_line(each, option) for each in designs)
    if name == "normal" or first is None or second is None or not effects.is_none:
        return normal
    null = (0.0, 0.0) if null_shares is None else checked_pair("null_shares", null_shares)
    counts = _TwoCounts(test, (first, second), shares, null[0] - null[1])

    def powers(sizes: IntArray) -> FloatArray:
        return np.array([counts.power(n, math.ceil(times * n)) for n in sizes.tolist()])

    if max(normal.n, math.ceil(times * normal.n)) > LARGEST_GROUP:
        return normal
    width = _width(normal.n, sum(p * (1 - p) for p in counts.chances))
    n = _settled(powers, wanted, normal.n, width, step=math.ceil(2 * width / MOST_PAIRS))
    return replace(test.at(n), power=float(powers(np.array([n]))[0]), is_exact=True)


def _settled(
    powers: Callable[[IntArray], FloatArray], wanted: float, guess: int, width: int, step: int = 1
) -> int:
    """The smallest n from which on no power is below the one wanted, to a ``step``.

    ``guess``, ``width``: where to look first, and how far to each side.
    """
    low, high, last = max(1, guess - width), guess + width, 0
    while True:
        below = np.flatnonzero(powers(np.arange(low, high + 1, step)) < wanted)
        if len(below):
            last = max(last, low + step * int(below[-1]))
        if last and last > high - width // 2:  # perhaps not the last one: look further up
            low, high = high + 1, high + width
        elif last:
            return last + step
        elif low == 1:
            return 1
        else:  # all of these are enough: look further down
            low, high = max(1, low - width), low - 1


def _width(n: int, spread: float) -> int:
    """How far around the n of the normal approximation teeth matter, and some more.

    ``spread``: the variance of a report, of two groups the sum.
    """
    return 10 + math.ceil(1.5 * math.sqrt(n / max(spread, 1 / n)))


@dataclass(frozen=True)
class _TwoCounts:
    """The normal test of a difference, as a sum over the counts of both groups.

    ``lines``: (a, b) of each group's reports; ``shares``: those of the alternative.
    """

    test: Comparison
    lines: tuple[Pair, Pair]
    shares: tuple[float, float]
    null_difference: float

    @property
    def chances(self) -> Pair:
        """P(report of the option) in each group."""
        first, second = (_chance(*pair) for pair in zip(self.lines, self.shares, strict=True))
        return first, second

    def power(self, n: int, other_n: int) -> float:
        """The probability that the estimates are further apart than the test allows."""
        sides = _sides(self.test.alternative)
        error = self.test.at(n, other_n).null_standard_error
        reach = -float(scipy.special.ndtri(self.test.significance / sides)) * error
        own, own_law = _estimates(n, self.chances[0], self.lines[0])
        other, other_law = _estimates(other_n, self.chances[1], self.lines[1])
        sums = np.concatenate([[0.0], np.cumsum(other_law)])
        centre = own - self.null_difference
        # The other group's estimate is further below, or further above, than the test allows.
        above = sums[np.searchsorted(other, centre - reach, side="left")]
        below = sums[-1] - sums[np.searchsorted(other, centre + reach, side="right")]
        if sides == 1:
            return float(own_law @ (above if self.test.difference > 0 else below))
        return min(1.0, float(own_law @ (above + below)))


def _estimates(n: int, chance: float, line: Pair) -> tuple[FloatArray, FloatArray]:
    """The estimates of all counts that may come, ascending, and their probabilities."""
    reach = _FARTHEST * math.sqrt(n * chance * (1 - chance)) + _FARTHEST
    middle = n * chance
    counts = np.arange(max(0, math.floor(middle - reach)), min(n, math.ceil(middle + reach)) + 1)
    logs = scipy.special.xlogy(counts, chance) + scipy.special.xlog1py(n - counts, -chance)
    logs -= scipy.special.gammaln(counts + 1) + scipy.special.gammaln(n - counts + 1)
    law = np.exp(logs - logs.max())
    estimates = (counts / n - line[1]) / line[0]
    step = 1 if line[0] > 0 else -1
    return estimates[::step], (law / law.sum())[::step]


def _binomial_powers(sizes: IntArray, chances: Pair, test: Comparison) -> FloatArray:
    """Power of the binomial test at each of several ascending sizes: the same shape."""
    null_chance, chance = chances
    sides = _sides(test.alternative)
    each, power = test.significance / sides, np.zeros(len(sizes))
    if sides == 2 or chance > null_chance:
        upper = sizes - _last_lows(sizes, 1 - null_chance, each)
        power += scipy.special.bdtrc(upper - 1, sizes, chance)
    if sides == 2 or chance < null_chance:
        lower = _last_lows(sizes, null_chance, each)
        power += np.where(lower < 0, 0.0, scipy.special.bdtr(np.maximum(lower, 0), sizes, chance))
    return np.minimum(power, 1.0)


def _chance(line: Pair, share: float) -> float:
    return min(max(line[0] * share + line[1], 0.0), 1.0)


def _region(test: str, n: int, null_chance: float, each: float) -> tuple[int, int]:
    """The largest low and the smallest high count that reject, each side by itself."""
    if test == "binomial":
        low, high = (_last_lows(np.array([n]), p, each)[0] for p in (null_chance, 1 - null_chance))
        return int(low), n - int(high)
    reach = -float(scipy.special.ndtri(each)) * math.sqrt(n * null_chance * (1 - null_chance))
    centre = n * null_chance
    return math.ceil(centre - reach) - 1, math.floor(centre + reach) + 1


def _last_lows(sizes: IntArray, chance: float, tail: float) -> IntArray:
    """Largest x with P(X <= x) <= tail at each of several ascending sizes; -1 if there is none.

    By halving, as P rises with x; x rises with the size, so those of the ends bound all others.
    """
    low, high = np.full(len(sizes), -1), sizes.copy()
    if len(sizes) > 2:
        first, last = _last_lows(sizes[[0, -1]], chance, tail)
        low[:], high = first, np.minimum(sizes, last + 1)
    while (open_ := high - low > 1).any():
        middle = np.where(open_, (low + high) // 2, high)
        enough = scipy.special.bdtr(middle, sizes, chance) <= tail
        low, high = np.where(enough & open_, middle, low), np.where(enough, high, middle)
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
        remedy = sentence(
            "no exact test is possible for this option: the probability that it is reported is "
            "not a linear function of its true share. Use power_one_sample"
        )
        raise PlanError("design", getattr(design, "label", design), remedy)
    return line


def _sides(alternative: str) -> int:
    return 2 if checked_alternative(alternative) == "two-sided" else 1


def _checked_method(method: object) -> str:
    if not isinstance(method, str) or method not in METHODS:
        raise PlanError("method", method, f"choose one of {', '.join(METHODS)}")
    return method


def _checked_test(test: object) -> str:
    if not isinstance(test, str) or test not in TESTS:
        raise PlanError("test", test, f"choose one of {', '.join(TESTS)}")
    return test
