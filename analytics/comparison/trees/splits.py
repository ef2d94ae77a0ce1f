"""What splitting on a feature tells about the label: debiased tables, gains, tests.

A node holds people with weights. Where the features on its path are direct, a weight is 1 or 0;
where one was randomized, each person belongs to each branch with the weight that undoes its
channel, so that sums over people are unbiased for the true branch.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics.comparison.answers import TreeAnswers
from analytics.comparison.checks import FloatArray, IntArray, TreeError
from surveys.randomized_response.designs import DesignLike, scores_of

# Cells of a table up to which the weighted test is computed: it inverts a matrix of that order.
MOST_CELLS = 1_000
# Sizes and masses below this are rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class NodePeople:
    """The people of a node: indices of their rows, and weights; None stands for all 1."""

    rows: IntArray
    weights: FloatArray | None = None

    @property
    def size(self) -> float:
        """How many people the node stands for: an estimate where features were randomized."""
        return float(len(self.rows) if self.weights is None else max(self.weights.sum(), 0.0))


def debias_counts(counts: ArrayLike, design: DesignLike | None) -> FloatArray:
    """Return counts of true levels from reported ones: undone, not below 0, with the same total.

    Raises TreeError for negative counts and DesignError for a channel that cannot be undone.
    """
    reported = np.asarray(counts, dtype=np.float64)
    if reported.ndim != 1 or not np.isfinite(reported).all() or (reported < 0).any():
        raise TreeError("counts", reported.tolist(), "give one count of at least 0 for each level")
    undone = reported if design is None else scores_of(design) @ reported
    return rescaled(undone, reported.sum())


def rescaled(counts: FloatArray, totals: ArrayLike) -> FloatArray:
    """Return counts (..., classes) without negative ones, scaled to totals (...)."""
    positive = np.maximum(counts, 0.0)
    sums = positive.sum(axis=-1, keepdims=True)
    wanted = np.asarray(totals, dtype=np.float64)[..., None]
    scaled: FloatArray = np.divide(positive * wanted, sums, where=sums > 0, out=0 * positive)
    return scaled


def entropy_bits(counts: FloatArray) -> FloatArray:
    """Return the entropy in bits of counts (..., classes); 0 where there are none."""
    sums = counts.sum(axis=-1, keepdims=True)
    shares = np.divide(counts, sums, where=sums > 0, out=np.zeros_like(counts))
    logs = np.log2(shares, where=shares > 0, out=np.zeros_like(shares))
    entropy: FloatArray = -(shares * logs).sum(axis=-1)
    return entropy


class SplitTables:
    """The reported tables feature × label of any node, counted for all features at once."""

    def __init__(self, answers: TreeAnswers) -> None:
        self.answers = answers
        self.classes = len(answers.label.levels)
        sizes = [len(question.levels) for question in answers.features]
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        # A cell's number: level of all features in a row, then class.
        levels = answers.codes + self.starts[:-1]
        self._cells = levels * self.classes + answers.labels[:, None]

    def of(self, people: NodePeople, power: int = 1) -> FloatArray:
        """Sums of weights (to a power) of all features' levels: shape (all levels, classes)."""
        cells = self._cells[people.rows]
        size = int(self.starts[-1]) * self.classes
        weights = None
        if people.weights is not None:
            weights = np.repeat(people.weights**power, cells.shape[1])
        counted = np.bincount(cells.ravel(), weights, minlength=size).astype(np.float64)
        return np.asarray(counted.reshape(-1, self.classes), dtype=np.float64)

    def block(self, table: FloatArray, feature: int) -> FloatArray:
        """The rows of one feature."""
        return table[int(self.starts[feature]) : int(self.starts[feature + 1])]

    def debiased(self, reported: FloatArray) -> FloatArray:
        """Counts of true levels and classes: undone, no class below 0, scaled to the branch."""
        table = reported @ self.answers.label.scores.T
        for position, question in enumerate(self.answers.features):
            if not question.is_direct:
                block = self.block(table, position)
                block[:] = question.scores @ block
        sizes = np.maximum(table.sum(axis=1), 0.0)
        return rescaled(table, sizes)

    def gains(self, debiased: FloatArray, node: FloatArray, ratio: bool = False) -> FloatArray:
        """Each feature's gain in bits, H - sum |S_v| / |S| H_v, or its gain ratio (Quinlan 1993).

        ``node`` are the debiased class counts of the node. (A widely read tutorial's code leaves
        out the weights.)
        """
        sizes = debiased.sum(axis=1)
        starts = self.starts[:-1]
        totals = np.add.reduceat(sizes, starts)
        weighted = np.add.reduceat(sizes * entropy_bits(debiased), starts)
        left = np.divide(weighted, totals, where=totals > 0, out=np.zeros_like(totals))
        gains = np.where(totals > 0, entropy_bits(node) - left, 0.0)
        if not ratio:
            return gains
        splits = np.array([entropy_bits(self.block(sizes, f)) for f in range(len(starts))])
        ratios: FloatArray = np.divide(
            gains, splits, where=splits > ROUNDING, out=np.zeros_like(gains)
        )
        return ratios


def chi_square_p(table: ArrayLike) -> float:
    """Return Pearson's p-value of independence of a table of counts, without correction.

    Empty rows and columns are dropped; 1 where fewer than two of either are left. On reported
    counts: independence survives the channel.
    """
    from scipy.special import chdtrc

    counts = np.asarray(table, dtype=np.float64)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if min(counts.shape) < 2:
        return 1.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    statistic = ((counts - expected) ** 2 / expected).sum()
    return float(chdtrc((counts.shape[0] - 1) * (counts.shape[1] - 1), statistic))


def weighted_p(sums: FloatArray, squares: FloatArray) -> float:
    """Return Wald's p-value of independence of a table of sums of weights.

    ``squares`` are the sums of their squares, the covariance of the cells: d = t - t_i. t_.j / t..
    is 0 in expectation under independence, and homogeneous of degree 1, so that J diag(squares) J'
    is its covariance (delta method). 1 where the table is too large or too small to be tested.
    """
    from scipy.special import chdtrc

    used = squares.sum(axis=1) > 0, squares.sum(axis=0) > 0
    table, spread = sums[used[0]][:, used[1]], squares[used[0]][:, used[1]]
    total = table.sum()
    if min(table.shape, default=0) < 2 or table.size > MOST_CELLS or total <= ROUNDING:
        return 1.0
    rows, columns = table.sum(axis=1) / total, table.sum(axis=0) / total
    gaps = (table - total * np.outer(rows, columns)).ravel()
    r, c = table.shape
    unit = np.eye(r * c)
    of_row = np.kron(np.kron(np.eye(r), np.ones((1, c))), columns[:, None])
    of_column = np.tile(np.kron(rows[:, None], np.eye(c)), (1, r))
    slopes = unit - of_row - of_column + np.outer(np.outer(rows, columns).ravel(), np.ones(r * c))
    covariance = (slopes * spread.ravel()) @ slopes.T
    statistic = gaps @ np.linalg.pinv(covariance, rcond=1e-9, hermitian=True) @ gaps
    return float(chdtrc((r - 1) * (c - 1), max(float(statistic), 0.0)))
