"""Correlation of two AnsweredItems; FormatComparison: arms asked directly and randomized.

Correlation: given the truth, the randomization of two items is independent, so the covariance of
unbiased scores is that of the truth; only the variances have to be freed of the device's noise.
For a yes/no item the true variance is pi (1 - pi). Source: Fox and Tracy (1984).
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from ..checks import Counts, FloatArray, checked_counts, checked_level, require_kind
from ..columns import checked_column, checked_levels, require_aligned
from ..designs.categorical import Direct
from ..designs.channel import Channel
from ..designs.design import DesignLike, channel_of, design_label, scores_of
from ..errors import DesignError, EstimationError, SeparationError
from ..intervals.intervals import Interval, normal_quantile
from ..intervals.printed import estimates_report, people
from ..intervals.profiles import chi_squared_tail
from ..labels import index_of
from ..printing import report
from ..regression.results import Coefficients
from ..roots import find_root

TRUNCATED = "The estimate lies outside [-1, 1] and was cut: the answers are too few for it."


@dataclass(frozen=True)
class AnsweredItem:
    """One question's answers: reported levels of a yes/no design, or numbers asked directly.

    ``values`` (n,); ``design`` None for a direct question, whose answers may be any numbers.
    ``index``: the labels of the values, where they were a column of a pandas frame. Raises
    DesignError, CountsError and EstimationError.
    """

    values: FloatArray
    design: DesignLike | None = None
    index: Any | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", index_of(self.values))
        if self.design is None:
            values = checked_column("values", self.values, EstimationError)
        else:
            values = checked_levels("values", self.values, len(self._table)).astype(float)
        object.__setattr__(self, "values", values)
        if values.min() == values.max():
            remedy = "all gave the same answer, so nothing varies with it"
            raise EstimationError("values", float(values[0]), remedy)
        if not self.variance > 0:
            remedy = "an estimated share outside (0, 1) has no variance: collect more answers"
            raise EstimationError("share of yes", float(self.scores.mean()), remedy)

    def __str__(self) -> str:
        title = design_label(self.design or Direct(2))
        row = ("truth", float(self.scores.mean()), self.variance, len(self.values))
        return report(title, ("value", "mean", "variance", "n"), [row])

    @cached_property
    def scores(self) -> FloatArray:
        """Unbiased for each person's true answer: (n,)."""
        if self.design is None:
            return self.values
        return np.asarray(self._table[self.values.astype(np.int64)])

    @cached_property
    def variance(self) -> float:
        """Estimated variance of the truth: pi (1 - pi) for a yes/no item."""
        mean = float(self.scores.mean())
        if self.design is None:
            return float(((self.scores - mean) ** 2).mean())
        return mean * (1 - mean)

    @property
    def variance_influence(self) -> FloatArray:
        """How each person moves the estimated variance, to first order: (n,)."""
        mean = float(self.scores.mean())
        if self.design is None:
            return np.asarray((self.scores - mean) ** 2 - self.variance)
        return np.asarray((1 - 2 * mean) * (self.scores - mean))

    @property
    def _table(self) -> FloatArray:
        """The unbiased score of each reported level for a true yes."""
        channel = channel_of(self.design or Direct(2))
        if channel.true_levels != 2:
            remedy = "correlation needs yes/no questions; see estimate_cross_table for options"
            raise DesignError("design", f"{channel.true_levels} true levels", remedy)
        scores = scores_of(self.design or Direct(2))
        return np.asarray(scores[1], dtype=np.float64)


@dataclass(frozen=True)
class Correlation:
    """Estimated correlation of the true answers, in [-1, 1].

    ``untruncated`` may lie outside. ``standard_error`` belongs to it: the influence of every
    person on covariance and variances, so the device's noise is included. ``p_value`` is that
    of no correlation, from the reports as they are: independence survives the randomizing.
    """

    untruncated: float
    standard_error: float
    p_value: float
    n: int

    def __str__(self) -> str:
        row = ("correlation", self.correlation, self.standard_error, self.interval())
        note = f"p value of no correlation: {self.p_value:.6g}."
        return estimates_report(f"Correlation of two items{people(self.n)}", "value", [row], [note])

    @property
    def correlation(self) -> float:
        return min(max(self.untruncated, -1.0), 1.0)

    def interval(self, level: float = 0.95) -> Interval:
        """Delta-method interval on Fisher's scale; Wald's, and it says so, outside (-1, 1)."""
        quantile = normal_quantile(checked_level(level))
        r, error = self.untruncated, self.standard_error
        if not -1 < r < 1:
            ends = (r - quantile * error, r + quantile * error)
            wide = Interval(*ends, float(level), "wald", TRUNCATED)
            return replace(wide, low=max(wide.low, -1.0), high=min(wide.high, 1.0))
        half = quantile * error / (1 - r * r)
        low, high = (float(np.tanh(np.arctanh(r) + move)) for move in (-half, half))
        return Interval(low, high, float(level), "fisher")


def estimate_correlation(first: AnsweredItem, second: AnsweredItem) -> Correlation:
    """Correlation of two questions answered by the same people, in the same order.

    With one direct item asked of the same people, its noise is 0 and only the other is freed of
    noise. Raises EstimationError for items of different lengths or fewer than three people.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.relations import AnsweredItem, estimate_correlation
    >>> first = AnsweredItem([1, 1, 0, 1, 0, 0] * 50, Warner(0.75))
    >>> second = AnsweredItem([1, 1, 0, 0, 1, 0] * 50, Warner(0.9))
    >>> print(estimate_correlation(first, second))
    Correlation of two items, n = 300
    value        estimate  std. error  low 0.95  high 0.95  method
    correlation  0.833333    0.136083  0.314971   0.968767  fisher
    p value of no correlation: 7.76404e-09.
    """
    for argument, item in (("first", first), ("second", second)):
        require_kind(argument, item, AnsweredItem, "give an AnsweredItem(values, design)")
    require_aligned(EstimationError, first=first, second=second)
    n = len(first.values)
    if len(second.values) != n or n < 3:
        sizes = (n, len(second.values))
        raise EstimationError("items", sizes, "give at least 3 people who answered both")
    a, b = (item.scores - item.scores.mean() for item in (first, second))
    covariance = float((a * b).mean())
    scale = np.sqrt(first.variance * second.variance)
    r = covariance / scale
    noise = first.variance_influence / first.variance + second.variance_influence / second.variance
    influence = (a * b - covariance) / scale - r / 2 * noise
    raw = covariance / np.sqrt(float((a**2).mean() * (b**2).mean()))
    return Correlation(
        float(r),
        float(np.sqrt((influence**2).mean() / n)),
        float(2 * scipy.special.ndtr(-abs(raw) * np.sqrt(n))),
        n,
    )


@dataclass(frozen=True)
class FormatComparison:
    """The same question asked with a randomizing device and directly, of different people.

    ``difference`` = randomized - direct prevalence, both unbiased and not clipped. ``sizes``: how
    many answered each form, where known.

    ``statistic`` is the likelihood ratio against one common prevalence, on 1 degree of freedom;
    where a share is estimated outside (0, 1) its likelihood is taken at the end of the range,
    and ``p_value`` is then only a guide.
    """

    randomized: float
    direct: float
    randomized_standard_error: float
    direct_standard_error: float
    log_likelihood: float
    statistic: float
    p_value: float
    sizes: tuple[int, ...] = ()

    def __str__(self) -> str:
        rows = [
            ("randomized", self.randomized, self.randomized_standard_error, None),
            ("direct", self.direct, self.direct_standard_error, None),
            ("difference", self.difference, self.standard_error, None),
        ]
        note = (
            f"Likelihood ratio of one common share: {self.statistic:.6g} on 1 degree of freedom, "
            f"p = {self.p_value:.6g}."
        )
        title = f"Randomized and direct question{people(*self.sizes)}"
        return estimates_report(title, "share", rows, [note])

    @property
    def difference(self) -> float:
        return self.randomized - self.direct

    @property
    def standard_error(self) -> float:
        """Of the difference."""
        return float(np.hypot(self.randomized_standard_error, self.direct_standard_error))

    def logit_coefficients(self) -> Coefficients:
        """logit(pi) = intercept + format x, with x = 1 for the randomized, -1 for the direct form.

        Raises SeparationError where a share is estimated at 0 or 1 or beyond.
        """
        shares = np.array([self.randomized, self.direct])
        if not ((shares > 0) & (shares < 1)).all():
            remedy = "a share at the end of its range has no logit: use the difference"
            raise SeparationError("shares (randomized, direct)", shares.tolist(), remedy)
        errors = np.array([self.randomized_standard_error, self.direct_standard_error])
        variances = (errors / (shares * (1 - shares))) ** 2
        map_to = np.array([[0.5, 0.5], [0.5, -0.5]])
        return Coefficients(
            ("intercept", "format"),
            map_to @ np.log(shares / (1 - shares)),
            map_to @ np.diag(variances) @ map_to.T,
        )


def compare_with_direct(design: DesignLike, randomized: Counts, direct: Counts) -> FormatComparison:
    """Compare ``[no, yes]`` reports to a randomized question with ``[no, yes]`` direct answers.

    Standard errors are those of maximum likelihood: sqrt(l (1 - l) / n) / |a|, with n where the
    estimates of one question alone have n - 1. Raises DesignError and CountsError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.relations import compare_with_direct
    >>> print(compare_with_direct(Warner(0.75), [600, 400], [850, 150]))
    Randomized and direct question, n = 1000 + 1000
    share       estimate  std. error
    randomized       0.3   0.0309839
    direct          0.15   0.0112916
    difference      0.15   0.0329773
    Likelihood ratio of one common share: 21.3653 on 1 degree of freedom, p = 3.79587e-06.
    """
    channel = channel_of(design)
    if (channel.reported_levels, channel.true_levels) != (2, 2):
        raise DesignError("design", channel.matrix.shape, "give a yes/no design")
    arms = [
        _Arm(channel, randomized, "randomized"),
        _Arm(channel_of(Direct(2)), direct, "direct"),
    ]
    separate = sum(arm.log_likelihood(min(max(arm.share, 0.0), 1.0)) for arm in arms)
    common = _common_share(arms)
    # Rounding alone can make it less than 0.
    lost = max(0.0, 2 * (separate - sum(arm.log_likelihood(common) for arm in arms)))
    return FormatComparison(
        arms[0].share,
        arms[1].share,
        arms[0].standard_error,
        arms[1].standard_error,
        separate,
        lost,
        chi_squared_tail(lost),
        tuple(int(arm.counts.sum()) for arm in arms),
    )


class _Arm:
    """Counts of one form of the question."""

    def __init__(self, channel: Channel, counts: Counts, argument: str) -> None:
        self.counts = np.array(checked_counts(counts, 2, argument), dtype=float)
        self.low = channel.matrix[:, 0]
        self.slope = channel.matrix[:, 1] - channel.matrix[:, 0]
        self.share = float((channel.inverse @ self.counts)[1] / self.counts.sum())

    @property
    def standard_error(self) -> float:
        n, reported = self.counts.sum(), self.counts[1] / self.counts.sum()
        return float(np.sqrt(reported * (1 - reported) / n) / abs(self.slope[1]))

    def log_likelihood(self, share: float) -> float:
        return float(scipy.special.xlogy(self.counts, self.low + self.slope * share).sum())

    def score(self, share: float) -> float:
        used = self.counts > 0
        reported = (self.low + self.slope * share)[used]
        # Where a report has become impossible the slope is huge: it leads back, and divides by no
        # 0.
        return float((self.counts[used] * self.slope[used] / np.maximum(reported, 1e-300)).sum())


def _common_share(arms: list[_Arm]) -> float:
    """The prevalence at which both likelihoods together are largest: their sum is concave."""
    low, high = (sum(arm.score(end) for arm in arms) for end in (0.0, 1.0))
    if low <= 0:
        return 0.0
    if high >= 0:
        return 1.0
    return find_root(lambda share: sum(arm.score(share) for arm in arms), 0.0, 1.0, xtol=1e-14)
