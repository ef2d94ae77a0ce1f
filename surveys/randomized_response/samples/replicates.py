"""Replicate weights: a statistic computed for many samples that might have been drawn instead.

Its variance is the sum over replicates r of factor_r (t_r - t)^2. Jackknife, balanced repeated
replication and bootstrap differ in weights and factors alone: Wolter (2007), chapters 3 to 5.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ..calls import checked_call
from ..checks import FloatArray, checked_between, checked_float, require_generator
from ..columns import (
    checked_column,
    checked_floats,
    checked_matrix,
    refuse_where,
    require_aligned,
    require_moderate,
)
from ..errors import WeightsError
from ..labels import first_index, index_of
from ..printing import report
from .jackknife import people_of_strata
from .linearised import sampling_units

Statistic = Callable[[FloatArray], ArrayLike]
ESTIMATE, MEAN = "estimate", "mean"
# More would be no better, and a table of so many rows no longer fits.
_MOST_REPLICATES = 100_000


@dataclass(frozen=True, eq=False)
class ReplicateWeights:
    """``weights``: shape (replicates, n). ``factors``: shape (replicates,).

    The variance of a statistic t(weights) is the sum over replicates of factor (t_r - t)^2, with t
    from the full weights: jackknife, balanced repeated replication and bootstrap all have this
    form. ``around``: "mean" takes the mean of the t_r in place of t, as some publishers ask, over
    replicates whose factor is above 0. ``index``: the labels of the n people, where the weights
    had any. ``may_be_negative``: after linear calibration. Raises WeightsError.
    """

    weights: FloatArray
    factors: FloatArray
    around: str = ESTIMATE
    index: Any | None = field(default=None, repr=False)
    may_be_negative: bool = field(default=False, repr=False)

    def __str__(self) -> str:
        replicates, n = self.weights.shape
        head = ("replicates", "n", "smallest factor", "largest factor")
        row = (str(replicates), n, self.factors.min(), self.factors.max())
        return report("Replicate weights", head, [row])

    def __post_init__(self) -> None:
        if self.index is None:  # a table has one column per person
            object.__setattr__(self, "index", index_of(getattr(self.weights, "T", None)))
        weights = np.asarray(self.weights)
        if not self.may_be_negative:
            weights = checked_matrix("replicate weights", self.weights)
        require_moderate("replicate weights", weights, WeightsError)
        object.__setattr__(self, "weights", weights)
        shape = (len(weights),)
        factors = checked_floats("factors", self.factors, WeightsError)
        if factors.shape != shape or not (np.isfinite(factors) & (factors >= 0)).all():
            remedy = f"give {len(weights)} finite factors of at least 0, one per replicate"
            raise WeightsError("factors", factors.tolist(), remedy)
        if not factors.any():
            raise WeightsError("factors", factors.tolist(), "give at least one factor above 0")
        require_moderate("factors", factors, WeightsError)
        object.__setattr__(self, "factors", factors)
        if not isinstance(self.around, str) or self.around not in (ESTIMATE, MEAN):
            remedy = f"choose {ESTIMATE} or {MEAN}"
            raise WeightsError("around", self.around, remedy)

    def covariance(self, statistic: Statistic, weights: ArrayLike) -> FloatArray:
        """Covariance matrix of the values of ``statistic``, computed for every set of weights.

        Two answers of one person, or one answer to two questions, keep their covariance. Raises
        WeightsError for weights of other people.
        """
        require_aligned(WeightsError, replicates=self, weights=weights)
        people = checked_column("weights", weights, WeightsError, self.weights.shape[1])
        full = np.atleast_1d(np.asarray(statistic(people), dtype=float))
        values = np.array([np.atleast_1d(np.asarray(statistic(w), float)) for w in self.weights])
        centre = values[self.factors > 0].mean(axis=0) if self.around == MEAN else full
        deviations = values - centre
        return np.asarray(deviations.T @ (deviations * self.factors[:, None]))


@checked_call
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
    base = _base(weights, strata, clusters)
    rows: list[FloatArray] = []
    factors: list[float] = []
    for people, units in people_of_strata(len(base), strata, clusters):
        m = int(units.max()) + 1
        for unit in range(m):
            row = base.copy()
            row[people] *= np.where(units == unit, 0.0, m / (m - 1))
            rows.append(row)
        factors += [(m - 1) / m] * m
    return ReplicateWeights(
        np.array(rows), np.array(factors), index=first_index((weights, strata, clusters))
    )


@checked_call
def balanced_replicates(
    weights: ArrayLike,
    *,
    strata: ArrayLike,
    clusters: ArrayLike | None = None,
    fay: float = 0.0,
) -> ReplicateWeights:
    """Half samples of strata with two units each, as many as balance them all out.

    ``weights``: shape (n,), at least 0. In each replicate one unit of a stratum counts 2 - ``fay``
    times and the other ``fay`` times, 0 <= fay < 1, by a row of a Hadamard matrix; factors are
    1 / (R (1 - fay)^2). Of a total, R replicates give what all half samples would. Raises
    WeightsError. Sources: McCarthy (1969); Judkins (1990) for Fay's method.

    >>> from randomized_response.samples import balanced_replicates
    >>> balanced_replicates([10, 20, 5, 5], strata=[1, 1, 2, 2]).weights.tolist()
    [[20.0, 0.0, 10.0, 0.0], [0.0, 40.0, 10.0, 0.0], [20.0, 0.0, 0.0, 10.0], [0.0, 40.0, 0.0, 10.0]]
    """
    base = _base(weights, strata, clusters)
    part = checked_float("fay", fay, WeightsError)
    if not 0 <= part < 1:
        raise WeightsError("fay", fay, "give a number from 0, below 1")
    units = sampling_units(len(base), strata, clusters)
    if (units.sizes != 2).any():
        remedy = "balanced replicates need two units in each stratum: use jackknife_replicates"
        raise WeightsError("strata", int(units.sizes.max()), remedy)
    count = 1 << len(units.sizes).bit_length()  # a power of two above the number of strata
    signs = scipy.linalg.hadamard(count)[:, 1 : len(units.sizes) + 1]
    is_first = np.zeros(len(units.strata), dtype=bool)
    is_first[np.unique(units.strata, return_index=True)[1]] = True
    chosen = (signs[:, units.strata] > 0) == is_first
    times = np.where(chosen, 2 - part, part)[:, units.numbers]
    factors = np.full(count, 1 / (count * (1 - part) ** 2))
    return ReplicateWeights(times * base, factors, index=first_index((weights, strata, clusters)))


@checked_call
def bootstrap_replicates(
    weights: ArrayLike,
    rng: np.random.Generator,
    *,
    strata: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    replicates: int = 200,
) -> ReplicateWeights:
    """In each replicate m - 1 units of each stratum of m, drawn with replacement.

    ``weights``: shape (n,), at least 0; a unit that was drawn t times counts t m / (m - 1) times,
    and factors are 1 / ``replicates``. Raises WeightsError. Source: Rao, Wu and Yue (1992).

    >>> import numpy as np
    >>> from randomized_response.samples import bootstrap_replicates
    >>> print(bootstrap_replicates([10, 10, 20], np.random.default_rng(4)))
    Replicate weights
    replicates  n  smallest factor  largest factor
    200         3            0.005           0.005
    """
    require_generator(rng)
    base = _base(weights, strata, clusters)
    remedy = f"give a whole number from 2 to {_MOST_REPLICATES}"
    count = checked_between("replicates", replicates, 2, _MOST_REPLICATES, remedy, WeightsError)
    units = sampling_units(len(base), strata, clusters)
    times = np.empty((count, len(units.strata)))
    for stratum, m in enumerate(units.sizes.tolist()):
        drawn = rng.multinomial(m - 1, np.full(m, 1 / m), size=count)
        times[:, units.strata == stratum] = drawn * (m / (m - 1))
    factors = np.full(count, 1 / count)
    index = first_index((weights, strata, clusters))
    return ReplicateWeights(times[:, units.numbers] * base, factors, index=index)


def _base(weights: ArrayLike, strata: ArrayLike | None, clusters: ArrayLike | None) -> FloatArray:
    """Weights of at least 0 whose columns go together, (n,). Raises WeightsError."""
    require_aligned(WeightsError, weights=weights, strata=strata, clusters=clusters)
    base = checked_column("weights", weights, WeightsError)
    refuse_where("weights", base, base < 0, "a weight is 0 or more", WeightsError)
    require_moderate("weights", base, WeightsError)
    return base
