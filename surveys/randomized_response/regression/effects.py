"""Average marginal effects: how much the probability of a true yes changes, on average over people.

Of a number the effect is the mean over people of h'(eta_i) b_j; of a 0/1 column the mean of
h(eta_i with a 1) - h(eta_i with a 0); of a level of a category the same against the reference, its
other levels 0. Means are weighted where people are. Standard errors are by the delta method with
people as they are: Bartus (2005); Williams (2012). These are the numbers of ``get_margeff`` of
statsmodels, which leaves the other levels of a category as they are.
"""

from collections.abc import Iterator

import numpy as np

from ..checks import FloatArray
from .covariates import INTERCEPT, Columns
from .links import Link
from .results import Coefficients


def average_effects(
    model: Coefficients, columns: Columns, link: Link, weights: FloatArray | None
) -> Coefficients:
    """One per column but the intercept; ``weights``: shape (n,), or None where all count once."""
    names = [name for name in columns.names if name != INTERCEPT]
    counts = np.ones(columns.n) if weights is None else weights
    effects = Effects(columns, link, model.coefficients, counts / counts.sum())
    values, slopes = zip(*map(effects.of, names), strict=True) if names else ((), ())
    jacobian = np.array(slopes).reshape(len(names), columns.count)
    return Coefficients(
        tuple(names),
        np.array(values),
        jacobian @ model.covariance @ jacobian.T,
        degrees=model.degrees,
    )


class Effects:
    """Effects of the columns of a model on the mean probability, each with its slope by b."""

    def __init__(
        self, columns: Columns, link: Link, coefficients: FloatArray, weights: FloatArray
    ) -> None:
        self._columns, self._link, self._b, self._weights = columns, link, coefficients, weights
        self._others = dict(_levels(columns))

    def of(self, name: str) -> tuple[float, FloatArray]:
        """The effect, and its derivative by the coefficients, (p,)."""
        column = self._columns.names.index(name)
        rows = self._columns.values
        if name in self._others or np.isin(rows[:, column], (0, 1)).all():
            return self._difference(column, self._others.get(name, [column]))
        eta = rows @ self._b
        slope, curvature = self._link.slope(eta), self._link.curvature(eta)
        derivative = (self._weights * curvature * self._b[column]) @ rows
        derivative[column] += self._weights @ slope
        return float(self._weights @ slope * self._b[column]), derivative

    def _difference(self, column: int, levels: list[int]) -> tuple[float, FloatArray]:
        with_it, without = self._columns.values.copy(), self._columns.values.copy()
        with_it[:, levels], without[:, levels] = 0.0, 0.0
        with_it[:, column] = 1.0
        (high, up), (low, down) = map(self._mean, (with_it, without))
        return high - low, up - down

    def _mean(self, rows: FloatArray) -> tuple[float, FloatArray]:
        eta = rows @ self._b
        mean = float(self._weights @ self._link.probability(eta))
        return mean, np.asarray((self._weights * self._link.slope(eta)) @ rows)


def _levels(columns: Columns) -> Iterator[tuple[str, list[int]]]:
    """Of each level of a category its column and those of the other levels, by their numbers."""
    for factor in columns.factors:
        if factor.levels:
            numbers = [columns.names.index(name) for name in factor.columns]
            yield from ((name, numbers) for name in factor.columns)
