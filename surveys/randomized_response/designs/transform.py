"""TransformedReports: every report becomes an unbiased number for its person, with a variance.

A transform turns the report z of person i into r with E(r | true value y) = y, and says what
V = Var(r | y) is estimated to be, without bias. Estimates from complex samples need no more of a
design than this (Raj 1968; Chaudhuri and Christofides 2013, chapter 3).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, checked_index
from ..columns import checked_levels
from ..labels import index_of
from .design import DesignLike, channel_of, scores_of


@dataclass(frozen=True, eq=False)
class TransformedReports:
    """``values``: r, shape (n,). ``variances``: unbiased estimates of Var(r | y), shape (n,).

    The variances are None where the design does not say enough about its scrambling variables.
    ``index``: the labels of the reports, where they were a column of a pandas frame.
    """

    values: FloatArray
    variances: FloatArray | None
    index: Any | None = field(default=None, repr=False)

    @property
    def n(self) -> int:
        return len(self.values)


class Transform(Protocol):
    """What estimates from complex samples ask of a design."""

    def transform(self, reports: ArrayLike) -> TransformedReports:
        """Unbiased values of the reports with estimated randomization variances."""
        ...


@dataclass(frozen=True)
class ChannelTransform:
    """Transform of any channel design: r = sum over true levels x of u_x S[x, z].

    S are the scores of the design and u the ``utilities`` of its true levels, so that r is
    unbiased for the utility of a person's true level. With V_x = Var(r | x), which is known, the
    variance estimate is sum of V_x S[x, z], unbiased for the same reason. For two reports it is
    r (r - 1); for Kuk's cards it is linear in the number of red ones (Kuk 1990).
    """

    design: DesignLike
    utilities: tuple[float, ...]

    def transform(self, reports: ArrayLike) -> TransformedReports:
        """``reports``: levels from 0, shape (n,). Raises CountsError, DesignError."""
        scores, matrix = scores_of(self.design), channel_of(self.design).matrix
        levels = checked_levels("reports", reports, scores.shape[1])
        utilities = np.array(self.utilities)
        values = utilities @ scores
        given_true = values**2 @ matrix - utilities**2
        return TransformedReports(values[levels], (given_true @ scores)[levels], index_of(reports))


def transform_reports(
    design: DesignLike, reports: ArrayLike, option: int = 1
) -> TransformedReports:
    """Transformed reports whose mean is the share of one true level.

    ``reports``: reported levels from 0, shape (n,). Raises CountsError for reports,
    EstimationError for the option, DesignError for a channel that cannot be undone.

    >>> from randomized_response.designs import Warner, transform_reports
    >>> found = transform_reports(Warner(0.75), [0, 1, 1])
    >>> found.values.round(3).tolist(), found.variances.round(3).tolist()
    ([-0.5, 1.5, 1.5], [0.75, 0.75, 0.75])
    """
    options = len(scores_of(design))
    chosen = checked_index("option", option, options)
    utilities = tuple(float(x == chosen) for x in range(options))
    return ChannelTransform(design, utilities).transform(reports)


def transform_by_table(
    table: Sequence[Fraction | float],
    levels: ArrayLike,
    argument: str = "reports",
    index: Any | None = None,
) -> TransformedReports:
    """Values from a table of r per reported level, where the true value is 0 or 1.

    The variance estimate is r (r - 1): E(r^2) - y^2 = E(r^2) - y because y^2 = y.
    """
    column = checked_levels(argument, levels, len(table))
    values = np.array([float(r) for r in table])
    variances = np.array([float(r * (r - 1)) for r in table])
    return TransformedReports(values[column], variances[column], index)
