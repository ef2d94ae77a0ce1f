"""Jackknife: variances from leaving out a person or cluster at a time; replicate weights, strata.

With unit totals u_j of stratum h (m_h units) and J_j the total without unit j, the others enlarged
by m_h / (m_h - 1), the published variance is (1 - f_h)(m_h - 1)/m_h times the sum of
(J_j - mean)^2, f_h the mean inclusion probability. As J_j - mean = -(u_j - mean u) m_h / (m_h - 1),
that is (1 - f_h) m_h / (m_h - 1) times the sum of (u_j - mean u)^2: no loop over replicates.

The finite-population factor 1 - f_h also shrinks what the device adds, which is not smaller because
many people were asked. ``randomization_variance``, the sum of V_R / pi, puts it back: with equal
probabilities the sum of both parts is the Horvitz-Thompson variance, and unbiased.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import FloatArray
from ..columns import (
    checked_column,
    checked_floats,
    checked_matrix,
    refuse_where,
    require_aligned,
)
from ..designs.transform import TransformedReports
from ..errors import WeightsError
from ..labels import index_of
from ..printing import report
from .linearised import sampling_units
from .totals import SampleEstimate, expanded_total, inclusion_of

Statistic = Callable[[FloatArray], ArrayLike]


def estimate_total_by_jackknife(
    reports: TransformedReports,
    inclusion_probabilities: ArrayLike,
    *,
    strata: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> SampleEstimate:
    """Horvitz-Thompson total, its sampling variance by the jackknife.

    ``strata`` and ``clusters``: one label per person, shape (n,); a cluster label counts within its
    stratum. Without clusters every person is a unit. Raises WeightsError, also for a stratum with
    a single unit. Source: Wolter (2007), chapter 4.

    >>> from randomized_response.designs import Warner, transform_reports
    >>> from randomized_response.samples import estimate_total_by_jackknife
    >>> reports = transform_reports(Warner(0.75), [1, 0, 0, 1, 0, 0])
    >>> print(estimate_total_by_jackknife(reports, [0.1] * 6, clusters=[1, 1, 2, 2, 3, 3]))
    Sample, n = 6
    value          estimate  std. error  low 0.95  high 0.95   method
    total or mean        10     20.1246  -76.5892    96.5892  student
    Variance of sampling 360, of randomization 45.
    """
    pi = inclusion_of(reports, inclusion_probabilities, strata=strata, clusters=clusters)
    expanded = reports.values / pi
    variance, degrees = 0.0, 0
    for people, units in _strata(reports.n, strata, clusters):
        totals = np.bincount(units, weights=expanded[people])
        m = len(totals)
        spread = float(((totals - totals.mean()) ** 2).sum())
        variance += (1 - float(pi[people].mean())) * m / (m - 1) * spread
        degrees += m - 1
    return expanded_total(reports, pi, variance, degrees)


@dataclass(frozen=True, eq=False)
class ReplicateWeights:
    """``weights``: shape (replicates, n). ``factors``: shape (replicates,).

    The variance of a statistic t(weights) is the sum over replicates of factor (t_r - t)^2, with t
    from the full weights: jackknife, balanced repeated replication and bootstrap all have this
    form. ``index``: the labels of the n people, where the weights had any. Raises WeightsError.
    """

    weights: FloatArray
    factors: FloatArray
    index: Any | None = field(default=None, repr=False)

    def __str__(self) -> str:
        replicates, n = self.weights.shape
        head = ("replicates", "n", "smallest factor", "largest factor")
        row = (str(replicates), n, self.factors.min(), self.factors.max())
        return report("Replicate weights", head, [row])

    def __post_init__(self) -> None:
        if self.index is None:  # a table has one column per person
            object.__setattr__(self, "index", index_of(getattr(self.weights, "T", None)))
        weights = checked_matrix("replicate weights", self.weights)
        object.__setattr__(self, "weights", weights)
        shape = (len(weights),)
        factors = checked_floats("factors", self.factors, WeightsError)
        if factors.shape != shape or not (np.isfinite(factors) & (factors >= 0)).all():
            remedy = f"give {len(weights)} finite factors of at least 0, one per replicate"
            raise WeightsError("factors", factors.tolist(), remedy)
        object.__setattr__(self, "factors", factors)

    def covariance(self, statistic: Statistic, weights: ArrayLike) -> FloatArray:
        """Covariance matrix of the values of ``statistic``, computed for every set of weights.

        Two answers of one person, or one answer to two questions, keep their covariance. Raises
        WeightsError for weights of other people.
        """
        require_aligned(WeightsError, replicates=self, weights=weights)
        full = np.atleast_1d(np.asarray(statistic(np.asarray(weights, dtype=float)), dtype=float))
        rows = [np.atleast_1d(np.asarray(statistic(w), dtype=float)) - full for w in self.weights]
        deviations = np.array(rows)
        return np.asarray(deviations.T @ (deviations * self.factors[:, None]))


def jackknife_replicates(
    weights: ArrayLike, *, strata: ArrayLike | None = None, clusters: ArrayLike | None = None
) -> ReplicateWeights:
    """One replicate per unit: its weight is 0, the others of its stratum count m/(m - 1) times.

    ``weights``: shape (n,), at least 0; factors are (m - 1)/m, without a finite-population factor.
    Raises WeightsError. Source: Wolter (2007), section 4.5; known as JKn.

    >>> from randomized_response.samples import jackknife_replicates
    >>> replicates = jackknife_replicates([10, 10, 20])
    >>> print(replicates)
    Replicate weights
    replicates  n  smallest factor  largest factor
    3           3         0.666667        0.666667
    >>> replicates.weights.tolist()
    [[0.0, 15.0, 30.0], [15.0, 0.0, 30.0], [15.0, 15.0, 0.0]]
    """
    require_aligned(WeightsError, weights=weights, strata=strata, clusters=clusters)
    base = checked_column("weights", weights, WeightsError)
    refuse_where("weights", base, base < 0, "a weight is 0 or more", WeightsError)
    rows: list[FloatArray] = []
    factors: list[float] = []
    for people, units in _strata(len(base), strata, clusters):
        m = int(units.max()) + 1
        for unit in range(m):
            row = base.copy()
            row[people] *= np.where(units == unit, 0.0, m / (m - 1))
            rows.append(row)
        factors += [(m - 1) / m] * m
    return ReplicateWeights(np.array(rows), np.array(factors), index_of(weights))


def _strata(
    n: int, strata: ArrayLike | None, clusters: ArrayLike | None
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """(indices of its people, their unit numbers from 0) for every stratum."""
    units = sampling_units(n, strata, clusters)
    for stratum in range(len(units.sizes)):
        people = np.flatnonzero(units.strata[units.numbers] == stratum)
        yield people, np.unique(units.numbers[people], return_inverse=True)[1]
