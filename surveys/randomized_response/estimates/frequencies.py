"""FrequencyEstimate: frequencies of many options, from counts of a protocol's supporting reports.

f = (c/n - q) / (p - q) for every option on its own: unbiased, never clipped, and the estimates
need not sum to 1. Source: Wang, Blocki, Li and Jha (2017), equations 4 and 5. To present them,
use ``projections`` or, from the reports themselves, ``maximum_likelihood_frequencies``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import scipy

from ..checks import (
    LARGEST_TOTAL,
    Counts,
    FloatArray,
    checked_between,
    checked_index,
    checked_level,
    checked_positive_number,
    read_only,
    require_kind,
)
from ..columns import checked_floats
from ..designs.channel import Channel
from ..designs.local.protocol import Array, FrequencyProtocol, SharedPool, Support
from ..errors import CountsError, DesignError, EstimationError
from ..intervals.intervals import EXACT, Interval, Method, interval_method, joint_intervals
from ..intervals.printed import numbers_of, options_report, people
from ..labels import in_order_of_levels
from ..messages import sentence, together
from ..roots import find_root
from .likelihood import maximise_mixture, maximum_likelihood

# Different reports times options that the likelihood may hold in memory: 160 MB of floats.
LARGEST_TABLE = 20_000_000
POOLED = sentence(
    "Shared hash functions may merge options by chance. The interval takes this into account "
    "for every number of answers n."
)


@dataclass(frozen=True)
class FrequencyEstimate:
    """Estimated frequencies of all options, from ``n`` reports and their support counts.

    ``pool``: of a protocol whose people share hash functions; variances hold at most what it adds.
    """

    support: Support
    counts: tuple[int, ...]
    n: int
    pool: SharedPool | None = None

    def __str__(self) -> str:
        p, q = self.support.floats
        title = f"Supported if true {p:.6g}, if another {q:.6g}{people(self.n)}"
        return options_report(title, numbers_of(self.frequencies), self.frequencies, self)

    @cached_property
    def frequencies(self) -> FloatArray:
        """Shape (options,): (c/n - q) / (p - q); entries may lie outside [0, 1]."""
        return read_only((self._shares - float(self.support.if_other)) / float(self.support.slope))

    @property
    def variances(self) -> FloatArray | None:
        """Unbiased for the total variance: s (1 - s) / ((n - 1)(p - q)^2), shape (options,).

        s = c/n. Includes that the n people are a sample. None when n = 1.
        """
        if self.n == 1:
            return None
        spread = self._shares * (1 - self._shares) / (self.n - 1)
        return np.asarray(spread / float(self.support.slope) ** 2 + self._pooled)

    @property
    def conditional_variances(self) -> FloatArray:
        """Unbiased for the variance given the true answers of these n people: shape (options,).

        (q (1 - q) + (s - q)(1 - p - q)) / (n (p - q)^2), never negative.
        """
        p, q = self.support.floats
        spread = q * (1 - q) + (self._shares - q) * (1 - p - q)
        return np.asarray(np.maximum(spread, 0.0) / (self.n * (p - q) ** 2) + self._pooled)

    @property
    def standard_errors(self) -> FloatArray | None:
        """Square roots of the total variances; None when n = 1."""
        return None if self.variances is None else np.sqrt(self.variances)

    def interval(self, option: int, level: float = 0.95, method: Method | None = None) -> Interval:
        """A binomial interval for the share of supporting reports, mapped to the frequency.

        It keeps its guarantee, because the support count of one option is binomial. ``method`` None
        is "clopper-pearson". Raises EstimationError.
        """
        index = checked_index("option", option, len(self.counts))
        binomial = interval_method(method or EXACT).binomial
        slope, confidence = float(self.support.slope), checked_level(level)
        # Half of what may fail is the pool's part.
        each = confidence if self.pool is None else (1 + confidence) / 2
        interval = binomial(self.counts[index], self.n, each).mapped(
            -float(self.support.if_other) / slope, 1 / slope
        )
        return interval if self.pool is None else _with_pool(interval, self.pool, confidence)

    def intervals(
        self, level: float = 0.95, method: Method | None = None, *, simultaneous: bool = False
    ) -> tuple[Interval, ...]:
        """One interval per option; simultaneous ones hold together (Bonferroni) and say so."""
        options = range(len(self.counts))
        if not simultaneous:
            return tuple(self.interval(option, level, method) for option in options)
        interval = partial(self.interval, method=method)
        return joint_intervals(interval, len(options), checked_level(level))

    @cached_property
    def _shares(self) -> FloatArray:
        return np.array(self.counts, dtype=float) / self.n

    @property
    def _pooled(self) -> FloatArray | float:
        return _pool_variance(self.pool, np.clip(self.frequencies, 0.0, 1.0))


def _pool_variance(pool: SharedPool | None, frequencies: FloatArray) -> FloatArray | float:
    """The largest variance of (1 - f) D: of where the options fall by the shared functions."""
    return 0.0 if pool is None else (1 - frequencies) ** 2 * pool.variance


def _with_pool(interval: Interval, pool: SharedPool, level: float) -> Interval:
    """All f with f + (1 - f) D in the interval, for the D of all pools but a part (1 - level) / 2.

    D = (X - c) / (1 - c) for a mean X of F numbers in [0, 1], of the mean c: X beyond x has a
    chance of at most exp(-F KL(x, c)) on each side. f = (i - D) / (1 - D).
    """
    c, bound = float(pool.collision), math.log(4 / (1 - level)) / pool.functions

    def excess(x: float) -> float:
        return float(scipy.special.rel_entr(x, c) + scipy.special.rel_entr(1 - x, 1 - c)) - bound

    least = find_root(excess, 0.0, c, xtol=1e-12) if excess(0.0) > 0 else 0.0
    # At 1 the estimate would say nothing; no bound is left there.
    most = find_root(excess, c, 1.0, xtol=1e-12) if excess(1.0) > 0 else 1 - 1e-9
    ends = [
        (end - d) / (1 - d)
        for end in (interval.low, interval.high)
        for d in ((least - c) / (1 - c), (most - c) / (1 - c))
    ]
    note = together(interval.note, POOLED)
    return Interval(min(ends), max(ends), level, interval.method, note)


def estimate_frequencies(protocol: FrequencyProtocol, counts: Counts, n: int) -> FrequencyEstimate:
    """Estimate from one support count per option (``protocol.aggregate``) and n reports.

    Raises CountsError: counts outside 0 to n, or with a total that no n reports can have.

    >>> from randomized_response.designs import SUE
    >>> from randomized_response.estimates import estimate_frequencies
    >>> print(estimate_frequencies(SUE(3, 0.75), [520, 350, 380], 1000))
    Supported if true 0.75, if another 0.25, n = 1000
    share  estimate  std. error  low 0.95  high 0.95           method
    0          0.54   0.0316133   0.47703   0.602734  clopper-pearson
    1           0.2   0.0301813  0.140832    0.26094  clopper-pearson
    2          0.26   0.0307139  0.199614   0.321804  clopper-pearson
    """
    _require_protocol(protocol)
    remedy = "give the number of reports, from 1 to 2^53"
    size = checked_between("n", n, 1, LARGEST_TOTAL, remedy, CountsError)
    checked = _checked_counts(counts, protocol.options, size)
    if protocol.supported is not None and sum(checked) != protocol.supported * size:
        remedy = f"{size} reports support {protocol.supported * size} options in all"
        raise CountsError("counts", checked, remedy)
    return FrequencyEstimate(protocol.support, checked, size, protocol.shared_pool)


def conditional_frequency_variance(
    protocol: FrequencyProtocol, frequencies: Sequence[float] | FloatArray, n: int
) -> FloatArray:
    """Variance given the true answers: (f p (1 - p) + (1 - f) q (1 - q)) / (n (p - q)^2).

    ``frequencies``: true ones in [0, 1], any shape, among the n people. Wang et al. (2017),
    equation 5. Raises EstimationError.

    >>> from randomized_response.designs import SUE
    >>> from randomized_response.estimates import conditional_frequency_variance
    >>> conditional_frequency_variance(SUE(3, 0.75), [0.5, 0.3, 0.2], 1000).round(6).tolist()
    [0.00075, 0.00075, 0.00075]
    """
    _require_protocol(protocol)
    p, q = protocol.support.floats
    true = _checked_frequencies(frequencies)
    spread = true * p * (1 - p) + (1 - true) * q * (1 - q)
    own = spread / (checked_positive_number("n", n) * (p - q) ** 2)
    return np.asarray(own + _pool_variance(protocol.shared_pool, true))


def total_frequency_variance(
    protocol: FrequencyProtocol, frequencies: Sequence[float] | FloatArray, n: int
) -> FloatArray:
    """Variance when the n people are themselves a sample: s (1 - s) / (n (p - q)^2).

    s = q + f (p - q). It exceeds the conditional one by f (1 - f) / n. Raises EstimationError.

    >>> from randomized_response.designs import SUE
    >>> from randomized_response.estimates import total_frequency_variance
    >>> total_frequency_variance(SUE(3, 0.75), [0.5, 0.3, 0.2], 1000).round(6).tolist()
    [0.001, 0.00096, 0.00091]
    """
    _require_protocol(protocol)
    p, q = protocol.support.floats
    true = _checked_frequencies(frequencies)
    shares = q + true * (p - q)
    own = shares * (1 - shares) / (checked_positive_number("n", n) * (p - q) ** 2)
    return np.asarray(own + _pool_variance(protocol.shared_pool, true))


def maximum_likelihood_frequencies(protocol: FrequencyProtocol, reports: Array) -> FloatArray:
    """The distribution of shape (options,) that makes the reports most probable.

    P(report | v) is, up to a factor per report, e^eps for supported options v and 1 for others;
    a whole report says more than the separate counts of its bits. EM and Newton, see
    ``likelihood``. Biased, as every estimate on the simplex. Raises ReportError, CountsError for
    no reports, DesignError without a finite epsilon, EstimationError above ``LARGEST_TABLE``.

    >>> import numpy as np
    >>> from randomized_response.designs import GRR
    >>> from randomized_response.estimates import maximum_likelihood_frequencies
    >>> reports = np.repeat([0, 1, 2], [500, 300, 200])
    >>> maximum_likelihood_frequencies(GRR(3, 0.5), reports).round(4).tolist()
    [0.875, 0.125, 0.0]
    """
    _require_protocol(protocol)
    if hasattr(reports, "__len__") and len(reports) == 0:
        raise CountsError("reports", 0, "there are no answers yet: collect at least one")
    if protocol.supported == 1:
        channel = Channel.k_ary(protocol.options, protocol.support.if_true)
        return maximum_likelihood(channel, protocol.aggregate(reports)).shares
    rows, times = np.unique(protocol.supports(reports), axis=0, return_counts=True)
    if rows.size > LARGEST_TABLE:
        remedy = f"at most {LARGEST_TABLE} different reports times options; project the estimate"
        raise EstimationError("reports", rows.shape, remedy)
    ratio = protocol.likelihood_ratio
    if ratio is None:
        remedy = "the likelihood needs one finite ratio for all reports: estimate from the counts"
        raise DesignError("likelihood_ratio", None, remedy)
    return maximise_mixture(np.where(rows, float(ratio), 1.0), times / times.sum())


def _require_protocol(protocol: object) -> None:
    remedy = "give a protocol for many options, such as OUE or GRR; of designs the shares follow"
    require_kind("protocol", protocol, FrequencyProtocol, remedy, DesignError)


def _checked_counts(counts: Counts, options: int, n: int) -> tuple[int, ...]:
    counts = in_order_of_levels("counts", counts, options)
    if isinstance(counts, str) or not hasattr(counts, "__len__") or len(counts) != options:
        raise CountsError("counts", counts, f"give {options} counts, one per option")
    remedy = f"give a count from 0 to n = {n}"
    return tuple(
        checked_between(f"counts[{i}]", count, 0, n, remedy, CountsError)
        for i, count in enumerate(counts)
    )


def _checked_frequencies(frequencies: Sequence[float] | FloatArray) -> FloatArray:
    values = checked_floats("frequencies", frequencies, EstimationError)
    if not ((values >= 0) & (values <= 1)).all():
        raise EstimationError("frequencies", frequencies, "give numbers from 0 to 1")
    return values
