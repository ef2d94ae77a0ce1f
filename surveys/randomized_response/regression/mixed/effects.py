"""ClusterEffects: how coefficients differ between the clusters of one grouping, as estimated."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ...checks import FloatArray
from ...errors import RegressionError
from ...printing import Cell, known, table
from ..covariates import INTERCEPT, Columns, columns_of
from ..predictions import Predictions
from ..results import FittedModel
from .clusters import Grouping

# Each more is another dimension of an integral, and as many covariances.
MOST_SLOPES = 3
# Of the largest singular value of L: a smaller one is a variance of 0.
_SINGULAR = 1e-4


@dataclass(frozen=True)
class ClusteredModel(FittedModel):
    """A model whose coefficients are those in the middle of the clusters."""

    def get_prediction(
        self, covariates: ArrayLike | None = None, level: float = 0.95
    ) -> Predictions:
        """Predictions where all effects of clusters are 0: in the middle, and not on average.

        Else as that of other models. Raises RegressionError and EstimationError.
        """
        where = "Probability of a true yes in the middle of the clusters"
        return replace(super().get_prediction(covariates, level), quantity=where)


@dataclass(frozen=True)
class ClusterEffects:
    """Effects of ``grouping``: the intercept, then the covariates whose coefficients differ.

    ``covariance`` (d, d) between clusters; ``sd_errors`` (d,) are NaN where it is singular, that
    is, where some combination of the effects has no variance between clusters. ``values``
    (clusters, d): the most probable effects of each of ``clusters``.
    """

    grouping: str
    names: tuple[str, ...]
    covariance: FloatArray
    sd_errors: FloatArray
    clusters: tuple[object, ...]
    values: FloatArray

    @property
    def sds(self) -> FloatArray:
        """Standard deviations between clusters: (d,)."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def correlations(self) -> FloatArray:
        """Between clusters: (d, d); NaN where a variance is 0."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.covariance / np.outer(self.sds, self.sds))

    @property
    def is_singular(self) -> bool:
        """Whether some combination of the effects has no variance between clusters."""
        return bool(np.isnan(self.sd_errors).any())

    @property
    def parameter_count(self) -> int:
        """Variances and covariances."""
        return len(self.names) * (len(self.names) + 1) // 2

    def __str__(self) -> str:
        """One line per effect, with its correlations to those above it."""
        head = (f"{self.grouping}: {len(self.clusters)}", "sd", "std. error", *self.names[:-1])
        return table(head, map(self._row, range(len(self.names))))

    def _row(self, i: int) -> tuple[Cell, ...]:
        correlations = [known(r) for r in self.correlations[i, :i]]
        blank = [None] * (len(self.names) - 1 - i)
        return (self.names[i], self.sds[i], known(self.sd_errors[i]), *correlations, *blank)


def effect_columns(columns: Columns, slopes: Sequence[str], argument: str = "slopes") -> Columns:
    """The ones, and the columns of the slopes. Raises RegressionError."""
    names = columns.names[1:]
    remedy = f"give a list of different names of these columns: {', '.join(names) or 'none'}"
    if isinstance(slopes, str) or not hasattr(slopes, "__len__"):
        raise RegressionError(argument, slopes, remedy)
    slopes = tuple(slopes)
    for i, name in enumerate(slopes):
        if name not in names or name in slopes[:i]:
            raise RegressionError(f"{argument}[{i}]", name, remedy)
    if len(slopes) > MOST_SLOPES:
        remedy = f"let at most {MOST_SLOPES} coefficients differ between clusters"
        raise RegressionError(argument, f"{len(slopes)} names", remedy)
    chosen = [0, *(columns.names.index(name) for name in slopes)]
    return columns_of(columns.values[:, chosen], (INTERCEPT, *slopes))


def estimated_effects(
    grouping: Grouping, root: FloatArray, covariance: FloatArray, modes: FloatArray
) -> ClusterEffects:
    """From L, the covariance of its entries, and the standardised effects (clusters, d)."""
    # By L alone, whose entries are logits per standard deviation, and not by units of columns.
    truncated, is_singular = _truncated(root)
    spread = grouping.effects.transform @ truncated
    slopes = _sd_slopes(grouping, spread)
    errors = np.sqrt(np.einsum("ij,jk,ik->i", slopes, covariance, slopes))
    return ClusterEffects(
        grouping.name,
        grouping.effects.names,
        spread @ spread.T,
        np.full(len(spread), np.nan) if is_singular else errors,
        grouping.clusters.labels,
        modes @ spread.T,
    )


def _truncated(root: FloatArray) -> tuple[FloatArray, bool]:
    """L without the directions that have no variance, and whether there are some."""
    left, sizes, right = np.linalg.svd(root)
    is_nothing = sizes < _SINGULAR * max(float(sizes[0]), 1.0)
    return (left * np.where(is_nothing, 0.0, sizes)) @ right, bool(is_nothing.any())


def _sd_slopes(grouping: Grouping, spread: FloatArray) -> FloatArray:
    """Of the standard deviations by the entries of L: (d, entries).

    With T the transform of the effects and S = T L, the standard deviation of effect i is the
    length of row i of S; its slope by an entry (a, b) of L is T[i, a] S[i, b] / length.
    """
    rows, columns = grouping.triangle
    lengths = np.linalg.norm(spread, axis=1)[:, None]
    slopes = grouping.effects.transform[:, rows] * spread[:, columns]
    return np.asarray(slopes / np.where(lengths > 0, lengths, 1.0))
