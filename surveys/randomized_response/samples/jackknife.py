"""Jackknife: the variance of a total from leaving out a person or cluster at a time, by a formula.

With unit totals u_j of stratum h (m_h units) and J_j the total without unit j, the others enlarged
by m_h / (m_h - 1), the published variance is (1 - f_h)(m_h - 1)/m_h times the sum of
(J_j - mean)^2, f_h the mean inclusion probability. As J_j - mean = -(u_j - mean u) m_h / (m_h - 1),
that is (1 - f_h) m_h / (m_h - 1) times the sum of (u_j - mean u)^2: no loop over replicates.

The finite-population factor 1 - f_h also shrinks what the device adds, which is not smaller because
many people were asked. ``randomization_variance``, the sum of V_R / pi, puts it back: with equal
probabilities the sum of both parts is the Horvitz-Thompson variance, and unbiased.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..calls import checked_call
from ..designs.transform import TransformedReports
from .linearised import sampling_units
from .totals import SampleEstimate, expanded_total, inclusion_of


@checked_call
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
    for people, units in people_of_strata(reports.n, strata, clusters):
        totals = np.bincount(units, weights=expanded[people])
        m = len(totals)
        spread = float(((totals - totals.mean()) ** 2).sum())
        variance += (1 - float(pi[people].mean())) * m / (m - 1) * spread
        degrees += m - 1
    return expanded_total(reports, pi, variance, degrees)


def people_of_strata(
    n: int, strata: ArrayLike | None, clusters: ArrayLike | None
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """(indices of its people, their unit numbers from 0) for every stratum."""
    units = sampling_units(n, strata, clusters)
    for stratum in range(len(units.sizes)):
        people = np.flatnonzero(units.strata[units.numbers] == stratum)
        yield people, np.unique(units.numbers[people], return_inverse=True)[1]
