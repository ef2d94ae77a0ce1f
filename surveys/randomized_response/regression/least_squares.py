"""LeastSquares: the b that solve sum of w (d y - D b) = 0, where products of columns are unbiased.

Of columns that are known D = d d'. Where a column was reported with noise, its products with itself
are replaced by what is unbiased for those of the true column; nothing of size (n, p, p) is made.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..checks import FloatArray
from ..errors import RegressionError

# Of equations whose columns are on one scale: above it the last digits of a fit are rounding.
_SINGULAR = 1e13


@dataclass(frozen=True, eq=False)
class Products:
    """D of each person, of the columns d = ``rows`` (n, p).

    ``traits``: which columns are unbiased for the indicators of a trait's levels, whose products
    are diag(d) then. ``noise`` (n,): what is unbiased for the variance of the last column.
    """

    rows: FloatArray
    traits: tuple[slice, ...] = ()
    noise: FloatArray | None = None

    def total(self, weights: FloatArray) -> FloatArray:
        """Sum of w D, (p, p)."""
        total = (self.rows * weights[:, None]).T @ self.rows
        for part in self.traits:
            total[part, part] = np.diag(weights @ self.rows[:, part])
        if self.noise is not None:
            total[-1, -1] -= weights @ self.noise
        return np.asarray(total)

    def times(self, b: FloatArray) -> FloatArray:
        """D b of each person, (n, p)."""
        product = self.rows * (self.rows @ b)[:, None]
        for part in self.traits:
            own = self.rows[:, part]
            product[:, part] += own * b[part] - own * (own @ b[part])[:, None]
        if self.noise is not None:
            product[:, -1] -= self.noise * b[-1]
        return np.asarray(product)


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """b as a statistic of the weights w (n,), for columns on one ``scale``.

    ``outcome``: y, (n,). Squares of large numbers beside small ones would leave no digits.
    """

    products: Products
    outcome: FloatArray

    @cached_property
    def scale(self) -> FloatArray:
        """(p,)"""
        return np.asarray(1 / np.sqrt((self.products.rows**2).mean(axis=0)))

    def bread(self, weights: FloatArray) -> FloatArray:
        """The inverse of the sum of w D, (p, p). Raises RegressionError."""
        information = self.products.total(weights / weights.max())
        information = information * np.outer(self.scale, self.scale)
        roots = np.sqrt(np.abs(np.diag(information)))
        if not roots.all() or not np.linalg.cond(information / np.outer(roots, roots)) < _SINGULAR:
            remedy = (
                "with these weights, or those of a replicate, other columns determine one: merge "
                "groups, or leave a column out"
            )
            raise RegressionError("covariates", "redundant", remedy)
        inverse = np.linalg.inv(information) / weights.max()
        return np.asarray(inverse, dtype=np.float64)

    def value(self, weights: FloatArray) -> FloatArray:
        """(p,)"""
        moments = (weights * self.outcome) @ self.products.rows * self.scale
        return np.asarray(self.bread(weights) @ moments)

    def slope(self, weights: FloatArray) -> FloatArray:
        """Of b by the weight of each person, (n, p)."""
        explained = self.products.times(self.value(weights) * self.scale)
        scores = self.products.rows * self.outcome[:, None] - explained
        return np.asarray((scores * self.scale) @ self.bread(weights).T)
