"""Power of a test of shares, one sample or two, by normal approximation; its smallest sample.

The test compares the unbiased estimate with the hypothesis and divides by the standard error
*under the hypothesis*; the power uses the standard error under the alternative. With difference d,
standard errors s0/sqrt(n) and s1/sqrt(n) and normal quantile z,

    power = Phi((|d| sqrt(n) - z s0) / s1), two-sided plus Phi((-|d| sqrt(n) - z s0) / s1).

It rises with n, so the smallest n is well defined; one peer stops its search at the first n within
0.01 of the wanted power and so comes out too small. Sources: Lachin (1981); Ulrich, Schroeter,
Striegel and Simon (2012) for randomized response. Exact power, and the sample sizes that rest on
it: ``exact_power``.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from ..checks import checked_index, checked_number, checked_positive_number, require_kind
from ..designs.channel import affine_row
from ..designs.design import DesignLike, channel_of, scores_of
from ..designs.local.protocol import FrequencyProtocol
from ..errors import PlanError
from ..messages import sentence
from ..printing import report
from .design_effects import INDEPENDENT, DesignEffects

ALTERNATIVES = ("one-sided", "two-sided")
LARGEST_SAMPLE = 10**9
EXACT_POWER = "Exact: with more people the power never falls below the one wanted."
Question = DesignLike | FrequencyProtocol
Pair = tuple[float, float]


@dataclass(frozen=True)
class PowerAnalysis:
    """The power of one test, with everything it was computed from.

    ``n`` people in all, or in the first group when ``other_n`` is given; ``difference`` is what is
    to be detected; the standard errors are those of the estimated difference under the hypothesis
    and under the alternative. "One-sided" means: towards the alternative. ``is_exact``: the power
    is a sum over all counts, of the binomial test (one sample) or of the normal one (two).
    """

    power: float
    n: int
    other_n: int | None
    difference: float
    null_standard_error: float
    standard_error: float
    significance: float
    alternative: str
    is_exact: bool = False

    def __str__(self) -> str:
        """The power as a table; a standard error is that under the alternative."""
        head = ("n", "other n", "difference", "null std. error", "std. error", "power")
        errors = (self.null_standard_error, self.standard_error)
        row = (self.n, self.other_n, self.difference, *errors, self.power)
        title = f"Power of a {self.alternative} test, significance {self.significance:g}"
        return report(title, head, [row], [EXACT_POWER] if self.is_exact else [])


@dataclass(frozen=True)
class Comparison:
    """A test; each variance in two parts, to be divided by n and by the other group's size."""

    difference: float
    null_variances: tuple[float, float]
    variances: tuple[float, float]
    significance: float
    alternative: str
    ratio: float | None = None

    def at(self, n: int, other_n: int | None = None) -> PowerAnalysis:
        if self.ratio is not None and other_n is None:
            other_n = max(1, math.ceil(self.ratio * n))
        null_error, error = (
            math.sqrt(first / n + (second / other_n if other_n else 0.0))
            for first, second in (self.null_variances, self.variances)
        )
        return PowerAnalysis(
            power=self._power(null_error, error),
            n=n,
            other_n=other_n,
            difference=self.difference,
            null_standard_error=null_error,
            standard_error=error,
            significance=self.significance,
            alternative=self.alternative,
        )

    def _power(self, null_error: float, error: float) -> float:
        sides = 2 if self.alternative == "two-sided" else 1
        threshold = -float(scipy.special.ndtri(self.significance / sides)) * null_error
        near = _beyond(abs(self.difference) - threshold, error)
        far = _beyond(-abs(self.difference) - threshold, error) if sides == 2 else 0.0
        return min(1.0, near + far)

    def smallest(self, power: float) -> PowerAnalysis:
        """The smallest n that reaches the power: doubling, then halving. Raises PlanError."""
        if self.difference == 0:
            remedy = sentence(
                "there is no difference to detect. Choose a share that differs from the hypothesis"
            )
            raise PlanError("share", "the share under the hypothesis", remedy)
        high = 1
        while self.at(high).power < power:
            if high >= LARGEST_SAMPLE:
                remedy = sentence(
                    "the test needs more than 10^9 people. Look for a larger difference"
                )
                raise PlanError("power", power, remedy)
            high = min(2 * high, LARGEST_SAMPLE)
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.at(middle).power >= power else (middle, high)
        return self.at(high)


@dataclass(frozen=True)
class Spread:
    """How the two variances of a difference grow by clusters and unequal weights.

    People of a cluster whom chance puts into both groups have in common what the cluster adds.
    With sd s_1, s_2 of the true answers, excess e = clusters - 1 of the first group of n, and the
    same people being alike in either group, n times the covariance of the shares is e s_1 s_2, so
    that of all the clusters add only e (s_1 - s_2)^2 is left. Derivation: docs/statistics.md, 5e.
    """

    effects: DesignEffects = INDEPENDENT
    in_same_clusters: bool = False

    def of(self, variances: Pair, shares: Pair) -> Pair:
        """n times the variance of each group's share, of independent people before."""
        if not self.in_same_clusters:
            first, second = map(self.effects.on_share, variances, shares)
            return first, second
        deviations = [math.sqrt(share * (1 - share)) for share in shares]
        left = float(self.effects.clusters - 1) * (deviations[0] - deviations[1]) ** 2
        times = float(self.effects.weights)
        return times * (variances[0] + left), times * variances[1]


def power_one_sample(
    design: Question,
    *,
    share: float,
    null_share: float,
    n: int,
    significance: float = 0.05,
    alternative: str = "two-sided",
    option: int = 1,
    effects: DesignEffects = INDEPENDENT,
) -> PowerAnalysis:
    """Power to see that a share is not ``null_share`` when it is ``share``, from n people.

    Shares in [0, 1], ``significance`` in (0, 1); ``alternative`` is "one-sided" (towards
    ``share``) or "two-sided"; ``option`` is the option meant, counted from 0. ``effects``: those of
    clusters and unequal weights on n. Raises PlanError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.planning import power_one_sample
    >>> round(power_one_sample(Warner(0.75), share=0.3, null_share=0.1, n=200).power, 4)
    0.8539
    """
    test = one_sample_test(design, share, null_share, significance, alternative, option, effects)
    return test.at(checked_size("n", n))


def power_two_samples(
    design: Question,
    *,
    share: float,
    other_share: float,
    n: int,
    other_n: int | None = None,
    null_shares: tuple[float, float] | None = None,
    other_design: Question | None = None,
    significance: float = 0.05,
    alternative: str = "two-sided",
    option: int = 1,
    effects: DesignEffects = INDEPENDENT,
    in_same_clusters: bool = False,
) -> PowerAnalysis:
    """Power to see a difference between two groups of ``n`` and ``other_n`` (default n) people.

    ``null_shares``: the groups' shares under the hypothesis, by default both ``other_share``;
    their difference is the one tested. ``other_design``: the second group's, by default the same.
    ``effects``: those on either group, or of people of the same clusters whom chance puts into
    the groups, those on the first: what they share there falls out of the difference. Otherwise as
    ``power_one_sample``. Raises PlanError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.planning import power_two_samples
    >>> round(power_two_samples(Warner(0.75), share=0.3, other_share=0.1, n=200).power, 4)
    0.585
    """
    pair = (design, design if other_design is None else other_design)
    test = two_samples_test(
        pair,
        (share, other_share),
        null_shares,
        significance,
        alternative,
        option,
        spread=Spread(effects, in_same_clusters),
    )
    size = checked_size("n", n)
    return test.at(size, size if other_n is None else checked_size("other_n", other_n))


def inside(argument: str, value: object) -> float:
    """A number strictly between 0 and 1. Raises PlanError."""
    number = float(checked_number(argument, value, PlanError))
    if not 0 < number < 1:
        raise PlanError(argument, value, "give a number between 0 and 1, both excluded")
    return number


def checked_share(argument: str, value: object) -> float:
    """A share from 0 to 1. Raises PlanError."""
    number = float(checked_number(argument, value, PlanError))
    if not 0 <= number <= 1:
        raise PlanError(argument, value, "give a share from 0 to 1")
    return number


def checked_alternative(value: object) -> str:
    """The name of an alternative. Raises PlanError."""
    if not isinstance(value, str) or value not in ALTERNATIVES:
        raise PlanError("alternative", value, f"choose one of {', '.join(ALTERNATIVES)}")
    return value


def checked_size(argument: str, value: object) -> int:
    """A number of people up to 10^9. Raises PlanError."""
    size = checked_positive_number(argument, value, PlanError)
    if size > LARGEST_SAMPLE:
        raise PlanError(argument, value, sentence("give at most 10^9 people"))
    return size


def one_sample_test(
    design: Question,
    share: float,
    null_share: float,
    significance: float,
    alternative: str,
    option: int,
    effects: DesignEffects = INDEPENDENT,
) -> Comparison:
    """The test of one share against a fixed one. Raises PlanError."""
    true, null = checked_share("share", share), checked_share("null_share", null_share)
    _require_effects(effects)
    null_variance, variance = (
        effects.on_share(variance_times_n(design, each, option), each) for each in (null, true)
    )
    return Comparison(
        difference=true - null,
        null_variances=(null_variance, 0.0),
        variances=(variance, 0.0),
        significance=inside("significance", significance),
        alternative=checked_alternative(alternative),
    )


def two_samples_test(
    designs: tuple[Question, Question],
    shares: tuple[float, float],
    null_shares: tuple[float, float] | None,
    significance: float,
    alternative: str,
    option: int,
    ratio: float | None = None,
    spread: Spread = Spread(),
) -> Comparison:
    """The test of the difference of two groups' shares. Raises PlanError."""
    _require_effects(spread.effects)
    first, second = checked_share("share", shares[0]), checked_share("other_share", shares[1])
    null = (second, second) if null_shares is None else checked_pair("null_shares", null_shares)
    return Comparison(
        difference=first - second - (null[0] - null[1]),
        null_variances=spread.of(_variances(designs, null, option), null),
        variances=spread.of(_variances(designs, (first, second), option), (first, second)),
        significance=inside("significance", significance),
        alternative=checked_alternative(alternative),
        ratio=ratio,
    )


def _require_effects(effects: object) -> None:
    require_kind("effects", effects, DesignEffects, "give DesignEffects", PlanError)


def _variances(
    designs: tuple[Question, Question], shares: tuple[float, float], option: int
) -> tuple[float, float]:
    first, second = (
        variance_times_n(d, share, option) for d, share in zip(designs, shares, strict=True)
    )
    return first, second


def checked_pair(argument: str, values: object) -> tuple[float, float]:
    if not isinstance(values, tuple | list) or len(values) != 2:
        raise PlanError(argument, values, "give two shares, one per group")
    return checked_share(argument, values[0]), checked_share(argument, values[1])


def checked_ratio(value: object) -> float:
    ratio = float(checked_number("ratio", value, PlanError))
    if not 1e-6 <= ratio <= 1e6:
        raise PlanError("ratio", value, "give a ratio of group sizes from 0.000001 to 1000000")
    return ratio


def _beyond(distance: float, error: float) -> float:
    """P(estimate beyond the threshold); an estimate without spread is beyond it or is not."""
    if error == 0:
        return float(distance > 0)
    return float(scipy.special.ndtr(distance / error))


def report_line(design: DesignLike | FrequencyProtocol, option: int = 1) -> Pair | None:
    """(a, b) with P(report of the option) = a share + b; None where no report has that form."""
    if isinstance(design, FrequencyProtocol):
        checked_index("option", option, design.options)
        support = design.support
        return float(support.slope), float(support.if_other)
    channel = channel_of(design)
    checked_index("option", option, channel.true_levels)
    if channel.reported_levels != channel.true_levels:
        return None
    line = affine_row(channel, option)
    return None if line is None else (float(line[0]), float(line[1]))


def variance_times_n(
    design: DesignLike | FrequencyProtocol, share: float, option: int = 1
) -> float:
    """n Var of the unbiased estimate: l (1 - l) / a^2 with l = a share + b.

    For other designs with two true levels: the variance of the report's score. Raises PlanError
    where the variance depends on how the rest is spread over more than one other option.
    """
    line = report_line(design, option)
    if line is not None:
        slope, intercept = line
        chance = min(max(slope * share + intercept, 0.0), 1.0)
        return chance * (1 - chance) / slope**2
    return _score_variance(design, share, option)


def _score_variance(design: DesignLike | FrequencyProtocol, share: float, option: int) -> float:
    if isinstance(design, FrequencyProtocol) or channel_of(design).true_levels != 2:
        remedy = "the variance of this option depends on all other shares: use another design"
        raise PlanError("design", getattr(design, "label", design), remedy)
    shares = np.where(np.arange(2) == option, share, 1 - share)
    chances = channel_of(design).matrix @ shares
    scores = scores_of(design)[option]
    mean = float(scores @ chances)
    return float((scores - mean) ** 2 @ chances)
