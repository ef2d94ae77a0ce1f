"""Power to find a regression slope: simulated surveys are fitted, and finds are counted.

People are drawn with replacement from typical covariates, answer by the assumed coefficients, and
their answers go through the design. What cannot be fitted (separation, collinearity in a small
sample) finds nothing, and is counted. ``expected_slope_power`` is the large-sample value from the
expected information, as a check and as a starting point (Self and Mauritsen, 1988, for the idea).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ..checks import (
    FloatArray,
    checked_index,
    checked_number,
    checked_positive_number,
    require_generator,
)
from ..columns import checked_floats
from ..designs.design import DesignLike, channel_of
from ..errors import PlanError, RegressionError
from ..printing import report
from ..regression.covariates import Columns, columns_from
from ..regression.links import Link, link_named
from ..regression.outcome import fit_outcome_model

MOST_ANSWERS = 10**7  # people times surveys: more would take minutes


@dataclass(frozen=True)
class SlopePower:
    """``power`` over ``surveys`` simulated ones of ``n`` people each, with its standard error.

    ``unfitted`` is how many surveys had no estimate; they count as having found nothing.
    """

    power: float
    standard_error: float
    n: int
    surveys: int
    unfitted: int
    tested: str
    significance: float

    def __str__(self) -> str:
        """The power as a table, under the name of the tested covariate."""
        head = ("n", "surveys", "unfitted", "power", "std. error")
        row = (self.n, self.surveys, self.unfitted, self.power, self.standard_error)
        title = f"Power for the slope of {self.tested}, significance {self.significance:g}"
        return report(title, head, [row])


@dataclass(frozen=True)
class _Population:
    """Typical people, what they would answer, and through what they answer."""

    columns: Columns
    coefficients: FloatArray
    tested: int
    link: Link
    matrix: FloatArray

    @property
    def shares(self) -> FloatArray:
        """P(true yes) of each typical person."""
        return self.link.probability(self.columns.values @ self.coefficients)


def simulate_slope_power(
    design: DesignLike,
    covariates: ArrayLike,
    coefficients: ArrayLike,
    *,
    tested: int,
    n: int,
    surveys: int,
    rng: np.random.Generator,
    names: Sequence[str] | None = None,
    link: str = "logit",
    significance: float = 0.05,
) -> SlopePower:
    """Power of the two-sided Wald test of one slope, by simulation.

    ``covariates`` (m, p): typical people, without a column of ones; ``coefficients`` (1 + p,):
    the intercept and the slopes assumed; ``tested``: which covariate, from 0; ``n`` people in each
    of ``surveys`` surveys (n x surveys at most 10^7). Raises PlanError, RegressionError,
    DesignError.

    >>> import numpy as np
    >>> from randomized_response.designs import Warner
    >>> from randomized_response.planning import simulate_slope_power
    >>> effort = {"n": 150, "surveys": 50, "rng": np.random.default_rng(1)}
    >>> found = simulate_slope_power(Warner(0.9), [[0], [1]], [-1, 1], tested=0, **effort)
    >>> found.power, found.unfitted
    (0.64, 0)
    """
    require_generator(rng)
    people = _population(design, covariates, coefficients, tested, names, link)
    size, repeats = _checked_effort(n, surveys)
    threshold = -float(scipy.special.ndtri(_checked_significance(significance) / 2))
    findings = [_finds(design, people, size, threshold, rng) for _ in range(repeats)]
    power = sum(answer is True for answer in findings) / repeats
    return SlopePower(
        power=power,
        standard_error=math.sqrt(power * (1 - power) / repeats),
        n=size,
        surveys=repeats,
        unfitted=sum(answer is None for answer in findings),
        tested=people.columns.names[people.tested],
        significance=significance,
    )


def expected_slope_power(
    design: DesignLike,
    covariates: ArrayLike,
    coefficients: ArrayLike,
    *,
    tested: int,
    n: int,
    link: str = "logit",
    significance: float = 0.05,
) -> float:
    """Power of the same test when n is large: normal, with the standard error of the information.

    Information of one person: x x' times the sum over reports of (dP/d eta)^2 / P.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.planning import expected_slope_power
    >>> round(expected_slope_power(Warner(0.9), [[0], [1]], [-1, 1], tested=0, n=400), 4)
    0.9549
    """
    people = _population(design, covariates, coefficients, tested, None, link)
    size = checked_positive_number("n", n, PlanError)
    slope = people.link.slope(people.columns.values @ people.coefficients)
    gaps = people.matrix[:, 1] - people.matrix[:, 0]
    reported = people.shares[:, None] * gaps + people.matrix[:, 0]
    weights = slope**2 * np.divide(
        gaps**2, reported, out=np.zeros_like(reported), where=reported > 0
    ).sum(axis=1)
    information = (people.columns.values.T * weights) @ people.columns.values
    variance = np.linalg.inv(information * size / people.columns.n)[people.tested, people.tested]
    shift = float(people.coefficients[people.tested] / math.sqrt(variance))
    threshold = -float(scipy.special.ndtri(_checked_significance(significance) / 2))
    return float(scipy.special.ndtr(shift - threshold) + scipy.special.ndtr(-shift - threshold))


def _population(
    design: DesignLike,
    covariates: ArrayLike,
    coefficients: ArrayLike,
    tested: int,
    names: Sequence[str] | None,
    link: str,
) -> _Population:
    rows: Any = covariates
    n = len(rows) if hasattr(rows, "__len__") else 0
    columns = columns_from(rows, n, names, intercept=True)
    assumed = checked_floats("coefficients", coefficients, PlanError)
    if assumed.shape != (columns.count,) or not np.isfinite(assumed).all():
        remedy = f"give {columns.count} finite numbers: the intercept, then one per covariate"
        raise PlanError("coefficients", coefficients, remedy)
    matrix = channel_of(design).matrix
    if matrix.shape[1] != 2:
        raise PlanError("design", matrix.shape, "slopes are planned for yes/no questions")
    column = 1 + checked_index("tested", tested, columns.count - 1)
    return _Population(columns, assumed, column, link_named(link), matrix)


def _finds(
    design: DesignLike,
    people: _Population,
    n: int,
    threshold: float,
    rng: np.random.Generator,
) -> bool | None:
    """Whether one simulated survey finds the slope; None if it has no estimate."""
    drawn = rng.integers(people.columns.n, size=n)
    true = (rng.random(n) < people.shares[drawn]).astype(np.int64)
    cumulative = np.cumsum(people.matrix, axis=0)[:-1].T[true]
    reports = (rng.random(n)[:, None] >= cumulative).sum(axis=1)
    try:
        model = fit_outcome_model(
            design, reports, people.columns.values[drawn, 1:], link=people.link.name
        )
    except RegressionError:
        return None
    return bool(abs(model.z[people.tested]) > threshold)


def _checked_effort(n: int, surveys: int) -> tuple[int, int]:
    size = checked_positive_number("n", n, PlanError)
    repeats = checked_positive_number("surveys", surveys, PlanError)
    if size * repeats > MOST_ANSWERS:
        remedy = f"n times surveys may be at most {MOST_ANSWERS:,}: simulate fewer surveys"
        raise PlanError("surveys", surveys, remedy)
    return size, repeats


def _checked_significance(significance: float) -> float:
    value = float(checked_number("significance", significance, PlanError))
    if not 0 < value < 1:
        raise PlanError("significance", significance, "give a number such as 0.05")
    return value
