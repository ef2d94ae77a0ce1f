"""SamplingUnits, and the linearised covariance of weighted shares: strata, clusters, poststrata.

The weighted share f_y = sum of w over those who reported y, over W = sum of w, is a ratio, so to
first order it varies like the total of z_i = w_i (e_i - f) / W, e_i the unit vector of report i.
Units u of stratum h, m_h of them, are taken as drawn with replacement: with Z_u the sum of z over
the people of u,

    V = sum over h of m_h / (m_h - 1) * sum over u of (Z_u - mean Z)(Z_u - mean Z)'.

Where the weights make groups agree with known sizes, the group totals do not vary, and e_i is
compared with the weighted shares f_g of its own group in place of f. Sources: Woodruff (1971);
Sarndal, Swensson and Wretman (1992), sections 5.6 and 7.6. These are the numbers of ``svymean`` and
``postStratify`` of the R package survey, without finite-population factors.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import FloatArray
from ..columns import checked_labels
from ..errors import WeightsError

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SamplingUnits:
    """``numbers``: the unit of each person, shape (n,). ``strata``: that of each unit, (units,)."""

    numbers: IntArray
    strata: IntArray

    @property
    def sizes(self) -> IntArray:
        """Units in each stratum, shape (strata,), all at least 2."""
        return np.bincount(self.strata)

    @property
    def are_people(self) -> bool:
        """Whether every person is a unit."""
        return len(self.strata) == len(self.numbers)

    @property
    def degrees_of_freedom(self) -> int:
        """Units less strata."""
        return len(self.strata) - len(self.sizes)


def sampling_units(
    n: int, strata: ArrayLike | None = None, clusters: ArrayLike | None = None
) -> SamplingUnits:
    """Units of n people: clusters within their strata, or single people without clusters.

    Raises WeightsError for labels that are missing, and for a stratum with a single unit.
    """
    names, places = np.array([0]), np.zeros(n, dtype=np.int64)
    if strata is not None:
        names, places = np.unique(checked_labels("strata", strata, n), return_inverse=True)
    made = SamplingUnits(np.arange(n), places)
    if clusters is not None:
        labels = np.unique(checked_labels("clusters", clusters, n), return_inverse=True)[1]
        pairs, numbers = np.unique(places * n + labels, return_inverse=True)
        made = SamplingUnits(numbers, pairs // n)
    if (lonely := np.flatnonzero(made.sizes < 2)).size:
        argument = "clusters" if strata is None else f"strata (stratum {names[lonely[0]]})"
        raise WeightsError(argument, 1, "a variance needs two units or more: merge strata")
    return made


def linearised_covariance(
    levels: IntArray, weights: FloatArray, size: int, units: SamplingUnits, groups: IntArray
) -> FloatArray:
    """Covariance of the weighted shares of ``size`` levels, shape (size, size).

    ``levels``, ``weights`` (which sum to 1) and ``groups``: shape (n,); one group if the weights
    are not poststratified. A row Z_u is (weight of each level in u, weight of each group in u)
    times a matrix A, so that sums of squares of the former do, and no row of people is stored.
    """
    means, m = group_shares(levels, weights, size, groups), units.sizes.astype(np.float64)
    columns = np.stack([levels, size + groups])
    width, growth = size + len(means), (m / (m - 1))[units.strata]
    squares = _squares(columns, weights, width, units, growth)
    sums = _table(units.strata[units.numbers], columns, weights, (len(m), width))
    spread = squares - sums.T @ (sums / (m - 1)[:, None])
    to_residuals = np.vstack([np.eye(size), -means])
    return np.asarray(to_residuals.T @ spread @ to_residuals)


def _squares(
    columns: IntArray, weights: FloatArray, width: int, units: SamplingUnits, growth: FloatArray
) -> FloatArray:
    """Sum over units of growth * row' row, for the row of weights by column of each unit."""
    if not units.are_people:
        table = _table(units.numbers, columns, weights, (len(growth), width))
        return np.asarray(table.T @ (growth[:, None] * table))
    squared, (levels, groups) = growth[units.numbers] * weights**2, columns
    cross = np.bincount(levels * width + groups, weights=squared, minlength=width**2)
    both = cross.reshape(width, width)
    return np.asarray(both + both.T + np.diag(both.sum(axis=0) + both.sum(axis=1)))


def _table(
    rows: IntArray, columns: IntArray, weights: FloatArray, shape: tuple[int, int]
) -> FloatArray:
    """Sums of the weights by row and column; every person stands in two columns, shape (2, n)."""
    places = (rows * shape[1] + columns).ravel()
    sums = np.bincount(places, weights=np.tile(weights, 2), minlength=shape[0] * shape[1])
    return np.asarray(sums.reshape(shape))


def group_shares(levels: IntArray, weights: FloatArray, size: int, groups: IntArray) -> FloatArray:
    """Weighted shares of the levels within each group, shape (groups, size)."""
    count = int(groups.max()) + 1
    totals = np.bincount(groups * size + levels, weights=weights, minlength=count * size)
    table = totals.reshape(count, size)
    return np.asarray(table / table.sum(axis=1, keepdims=True))
