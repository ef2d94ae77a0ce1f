"""HistogramEstimate: shares of levels from a sum of histograms with noise of a known variance.

With the sums c of n reports of ``SHE`` the shares c / n are unbiased. Their covariance is that of a
sample, (diag(f) - f f') / n, and v / n for each level, v the variance of the noise. As

    E(c c') / n^2 = f f' + covariance,

(diag(c / n + v) - c c' / n^2) / (n - 1) is unbiased for it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...checks import (
    LARGEST_TOTAL,
    FloatArray,
    checked_between,
    checked_index,
    checked_level,
    require_kind,
)
from ...columns import checked_column, refuse_where
from ...designs.local.histograms import SHE
from ...errors import CountsError, DesignError, EstimationError
from ...intervals.intervals import Interval, normal_quantile
from ...intervals.printed import numbers_of, options_report, people
from ...labels import in_order_of_levels


@dataclass(frozen=True)
class HistogramEstimate:
    """``shares`` (options,) of n people, unbiased and not clipped; ``noise``: variance of a level.

    ``noise`` is that of one report.
    """

    shares: FloatArray
    noise: float
    n: int

    def __str__(self) -> str:
        title = f"Summed histogram{people(self.n)}"
        return options_report(title, numbers_of(self.shares), self.shares, self)

    @property
    def conditional_variance(self) -> float:
        """Of each share, given the answers of these n people: exact."""
        return self.noise / self.n

    @property
    def covariance(self) -> FloatArray:
        """Unbiased, of noise and sampling together: (options, options)."""
        own = np.diag(self.shares + self.noise)
        return np.asarray((own - np.outer(self.shares, self.shares)) / (self.n - 1))

    @property
    def standard_errors(self) -> FloatArray:
        """Square roots of its diagonal, at least those of the noise alone."""
        return np.sqrt(np.maximum(np.diag(self.covariance), self.conditional_variance))

    def interval(self, option: int, level: float = 0.95) -> Interval:
        """Normal interval for the share of one option. Raises EstimationError."""
        index, confidence = checked_index("option", option, len(self.shares)), checked_level(level)
        half = normal_quantile(confidence) * float(self.standard_errors[index])
        share = float(self.shares[index])
        return Interval(share - half, share + half, confidence, "wald")

    def intervals(self, level: float = 0.95) -> tuple[Interval, ...]:
        """One interval per option, each for itself."""
        return tuple(self.interval(option, level) for option in range(len(self.shares)))


def estimate_histogram(protocol: SHE, sums: ArrayLike, n: int) -> HistogramEstimate:
    """Shares from the sum of each level (``protocol.aggregate``) and n reports, at least 2.

    Raises DesignError, CountsError, EstimationError.

    >>> from randomized_response.designs import SHE
    >>> from randomized_response.estimates import estimate_histogram
    >>> print(estimate_histogram(SHE(3, 0.5), [520, 310, 170], 1000))
    Summed histogram, n = 1000
    share  estimate  std. error   low 0.95  high 0.95  method
    0          0.52   0.0652216   0.392168   0.647832    wald
    1          0.31    0.064947   0.182706   0.437294    wald
    2          0.17   0.0643836  0.0438105   0.296189    wald
    """
    require_kind("protocol", protocol, SHE, "give an SHE", DesignError)
    remedy = "give the number of reports, from 2 to 2^53"
    size = checked_between("n", n, 2, LARGEST_TOTAL, remedy, EstimationError)
    ordered = in_order_of_levels("sums", sums, protocol.options)
    column = checked_column("sums", ordered, CountsError, protocol.options)
    refuse_where("sums", column, column != np.rint(column), "give whole numbers", CountsError)
    return HistogramEstimate(column / size, float(protocol.noise_variance), size)
