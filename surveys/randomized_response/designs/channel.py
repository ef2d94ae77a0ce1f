"""Channel: a matrix from true answers to reports; IntegerChannel: weights over a denominator."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np

from ..checks import (
    FloatArray,
    Probability,
    checked_between,
    checked_entries,
    checked_options,
    checked_probability,
    read_only,
)
from ..errors import DesignError
from .shared_entries import SharedEntries

# A browser draws 32-bit words, so no denominator can be larger.
LARGEST_DENOMINATOR = 2**32
# Floats that should sum to 1 miss it by their rounding.
_SUM_TOLERANCE = 1e-12
# Below this, the inverse of a matrix of floats is little more than their rounding.
_SMALLEST_RELATIVE_SINGULAR_VALUE = 1e-12
NOT_INVERTIBLE = "two true distributions give the same reports: use probabilities further apart"


class ExactLoss(ABC):
    """What has an exact largest ratio of the chances of one report, and so an exact epsilon."""

    @property
    @abstractmethod
    def largest_ratio(self) -> Fraction | None:
        """e^epsilon as an exact rational; None stands for infinity."""

    @property
    def epsilon(self) -> float:
        """Pure local privacy loss: max over reports of ln(max / min over true levels)."""
        return log_of_ratio(self.largest_ratio)


@dataclass(frozen=True)
class Channel(ExactLoss):
    """``rows[reported][true]`` = probability of reporting a level when another is true.

    Columns sum to 1 (exactly for Fractions, within 1e-12 for floats). A channel need not be
    square or invertible; a design must be. Raises DesignError.
    """

    rows: tuple[tuple[Probability, ...], ...]

    def __post_init__(self) -> None:
        table = _table("channel", self.rows)
        _check_shape(table)
        entries = SharedEntries.of(table).checked(
            lambda y, x, p: checked_probability(f"channel[{y}][{x}]", p)
        )
        object.__setattr__(self, "rows", entries.rows())
        object.__setattr__(self, "_entries", entries)
        for x, column in entries.transposed.different_rows():
            _check_column(x, column, [row[x] for row in self.rows])

    @classmethod
    def binary(cls, *, yes_if_true: Probability, yes_if_false: Probability) -> Self:
        """The two by two channel; index 0 is no, index 1 is yes."""
        true = checked_probability("yes_if_true", yes_if_true)
        false = checked_probability("yes_if_false", yes_if_false)
        return cls(((1 - false, 1 - true), (false, true)))

    @classmethod
    def from_matrix(cls, matrix: Iterable[Iterable[Probability]]) -> Self:
        """From any nested sequence or array, rows reported, columns true."""
        return cls(_table("channel", matrix))

    @classmethod
    def from_weights(cls, weights: Sequence[Sequence[int]], denominator: int) -> Self:
        """From integers ``weights[true][reported]`` that sum to the denominator per true level."""
        # Often two weights stand in all places: each is made a fraction, and checked, once.
        shares = {w: Fraction(int(w), denominator) for column in weights for w in column}
        columns = [[shares[w] for w in column] for column in weights]
        return cls(tuple(zip(*columns, strict=True)))

    @classmethod
    def mixture(cls, forced: Sequence[Probability]) -> Self:
        """Report level y with probability ``forced[y]``, otherwise the truth."""
        truth = 1 - sum(forced)
        return cls(
            tuple(
                tuple(p + truth if x == y else p for x in range(len(forced)))
                for y, p in enumerate(forced)
            )
        )

    @classmethod
    def k_ary(cls, options: int, p_truth: Probability) -> Self:
        """Report the truth with probability ``p_truth``, each other level equally often."""
        levels = checked_options(options)
        truth = checked_probability("p_truth", p_truth)
        other = (1 - truth) / (levels - 1)
        rows = ((*[other] * y, truth, *[other] * (levels - 1 - y)) for y in range(levels))
        return cls(tuple(rows))

    @cached_property
    def reported_levels(self) -> int:
        return len(self.rows)

    @cached_property
    def true_levels(self) -> int:
        return len(self.rows[0])

    @cached_property
    def is_exact(self) -> bool:
        """Whether every entry is a Fraction."""
        return all(isinstance(p, Fraction) for p in _entries_of(self).values)

    @cached_property
    def matrix(self) -> FloatArray:
        """Float array of shape (reported levels, true levels), read only."""
        return read_only(_entries_of(self).matrix)

    @cached_property
    def inverse(self) -> FloatArray:
        """Float array of shape (levels, levels). Raises DesignError if it does not exist."""
        if self.reported_levels != self.true_levels:
            remedy = "as many reported as true levels are needed to solve for the true shares"
            raise DesignError("channel", self.matrix.shape, remedy)
        return read_only(_inverted(self.matrix))

    @cached_property
    def scores(self) -> FloatArray:
        """Shape (true levels, reported levels): the inverse, or the best left inverse.

        With more reported than true levels: the best linear unbiased scores for uniform answers,
        (Q' D^-1 Q)^-1 Q' D^-1 with D the reports' probabilities d then (generalised least squares,
        Aitken 1936). A report has the covariance D - d d'; of scores L with L Q = I the second part
        is L d d' L' = u u' for uniform shares u and every such L, so that D alone decides. Raises
        DesignError if two distributions of the truth give the same reports.
        """
        if self.reported_levels <= self.true_levels:
            return self.inverse
        seen = self.matrix.mean(axis=1, keepdims=True)
        weighted = np.divide(self.matrix, seen, out=np.zeros_like(self.matrix), where=seen > 0)
        information = weighted.T @ self.matrix
        _check_invertible(information)
        return read_only(np.linalg.solve(information, weighted.T).astype(np.float64))

    @cached_property
    def largest_ratio(self) -> Fraction | None:
        return _largest_ratio_of(_exact_entries(self))

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the rows say all that their entries do."""
        return {name: value for name, value in self.__dict__.items() if name != "_entries"}

    def integer_weights(self, max_denominator: int = LARGEST_DENOMINATOR) -> "IntegerChannel":
        """Integers a browser can draw from, never less private than this channel.

        Exact when all entries are Fractions with a common denominator within
        ``max_denominator`` (at most 2^32); otherwise rounded, see docs/statistics.md.
        """
        largest = checked_denominator(max_denominator)
        columns = _exact_entries(self).transposed
        denominator = math.lcm(*(p.denominator for p in columns.values))
        if self.is_exact and denominator <= largest:
            weights = columns.holding([int(p * denominator) for p in columns.values])
            return IntegerChannel(weights.rows(), denominator)
        return _rounded(columns, largest)


@dataclass(frozen=True)
class IntegerChannel(ExactLoss):
    """``weights[true][reported]`` over one denominator of at most 2^32: what a question stores."""

    weights: tuple[tuple[int, ...], ...]
    denominator: int

    def __post_init__(self) -> None:
        denominator = checked_denominator(self.denominator)
        remedy = "weights are 0 or more"
        table = _table("weights", self.weights)
        _check_shape(table)
        weights = (
            SharedEntries.of(table)
            .checked(lambda _, __, w: checked_between("weight", w, 0, math.inf, remedy))
            .rows()
        )
        object.__setattr__(self, "denominator", denominator)
        object.__setattr__(self, "weights", weights)
        for x, column in enumerate(weights):
            if sum(column) != denominator:
                raise DesignError(f"weights[{x}]", column, f"must sum to {denominator}")

    @cached_property
    def channel(self) -> Channel:
        """The same probabilities as exact Fractions."""
        return Channel.from_weights(self.weights, self.denominator)

    @cached_property
    def largest_ratio(self) -> Fraction | None:
        return largest_ratio(list(zip(*self.weights, strict=True)))

    @cached_property
    def exact_scores(self) -> tuple[tuple[Fraction, ...], ...]:
        """``Channel.scores`` as fractions: ``exact_scores[true][reported]``.

        With W the weights (true by reported), R the diagonal of the reports' sums of weights and d
        the denominator they are d (W R^-1 W')^-1 W R^-1: what ``Channel.scores`` computes, for a
        square channel its inverse. Raises DesignError as it does.

        >>> from randomized_response.designs import IntegerChannel
        >>> scores = IntegerChannel(((3, 1), (1, 3)), 4).exact_scores
        >>> [[str(score) for score in row] for row in scores]
        [['3/2', '-1/2'], ['-1/2', '3/2']]
        """
        reports = list(zip(*self.weights, strict=True))
        sums = list(map(sum, reports))
        # Times a common multiple of the sums: whole numbers are inverted faster than fractions.
        common = math.lcm(*filter(None, sums))
        shares = [common // r if r else 0 for r in sums]
        shared = [[w * s for w, s in zip(row, shares, strict=True)] for row in self.weights]
        adjugate, determinant = _inverted_exactly(
            [[_dot(left, right) for right in self.weights] for left in shared]
        )
        scale = self.denominator * common
        return tuple(
            tuple(
                Fraction(scale * _dot(row, report), determinant * r) if r else Fraction()
                for report, r in zip(reports, sums, strict=True)
            )
            for row in adjugate
        )


def _entries_of(channel: Channel) -> SharedEntries[Probability]:
    """Those of its rows; of a channel that was pickled they are made anew."""
    entries: SharedEntries[Probability] | None = channel.__dict__.get("_entries")
    if entries is None:
        entries = SharedEntries.of(channel.rows)
        object.__setattr__(channel, "_entries", entries)
    return entries


def _exact_entries(channel: Channel) -> SharedEntries[Fraction]:
    """A float is the fraction that it stands for."""
    entries = _entries_of(channel)
    return entries.holding([Fraction(p) for p in entries.values])


def affine_row(channel: Channel, level: int) -> tuple[Probability, Probability] | None:
    """(a, b) with P(report level) = a * share + b, or None if the row has no such form.

    None as well where reports and answers are different things, so that none has its own.
    """
    row = channel.rows[level]
    others = [p for x, p in enumerate(row) if x != level]
    tolerance = 0.0 if channel.is_exact else _SUM_TOLERANCE
    if channel.reported_levels != channel.true_levels or max(others) - min(others) > tolerance:
        return None
    return row[level] - others[0], others[0]


def one_answer_channel(channel: Channel, level: int) -> Channel | None:
    """The yes/no design of "this answer or another"; None where the others are mixed unevenly.

    Merging the others leaves P(report level) = a * share + b wherever the channel's row is constant
    off its diagonal, which it is for all designs but custom matrices.
    """
    line = affine_row(channel, level)
    if line is None:
        return None
    slope, base = line
    return Channel.binary(yes_if_true=slope + base, yes_if_false=base)


def largest_ratio(rows: Sequence[Sequence[Fraction | int]]) -> Fraction | None:
    """Largest max/min over the rows, exactly; None if a zero meets a positive entry."""
    ratios = [Fraction(1)]
    for row in rows:
        if min(row) == 0 and max(row) > 0:
            return None
        if max(row) > 0:
            ratios.append(Fraction(max(row)) / Fraction(min(row)))
    return max(ratios)


def log_of_ratio(ratio: Fraction | None) -> float:
    """ln(ratio) for a ratio of at least 1, accurate near 1 and beyond the range of a float."""
    if ratio is None:
        return math.inf
    if ratio < 2:
        return math.log1p(float(ratio - 1))
    return math.log(ratio.numerator) - math.log(ratio.denominator)


def _check_shape(rows: Sequence[Sequence[Probability]]) -> None:
    lengths = {len(row) for row in rows}
    if len(rows) < 2 or len(lengths) != 1 or min(lengths) < 2:
        shape = f"{len(rows)} rows of lengths {sorted(lengths)}"
        raise DesignError("channel", shape, "give a rectangular table of 2 or more levels each way")


def _table(argument: str, rows: object) -> tuple[tuple[Any, ...], ...]:
    """The rows of a nested sequence or an array. Raises DesignError for what is flat."""
    remedy = "give a table: one row of probabilities for each report"
    table = checked_entries(argument, rows, remedy, DesignError)
    return tuple(checked_entries(argument, row, remedy, DesignError) for row in table)


def _check_column(
    x: int, entries: Sequence[tuple[Probability, int]], column: Sequence[Probability]
) -> None:
    """``entries`` are the different ones of the column, each with how often it stands there."""
    if all(isinstance(p, Fraction) for p, _ in entries):
        # Each sum of two fractions takes a common divisor: those that are the same are multiplied.
        valid = sum(times * p for p, times in entries) == 1
    else:
        valid = abs(math.fsum(column) - 1) <= _SUM_TOLERANCE
    if not valid:
        shown = [str(p) for p in column]
        raise DesignError(f"channel column {x}", shown, "its probabilities must sum to 1")


def _inverted(matrix: FloatArray) -> FloatArray:
    """The inverse of a square matrix. Raises DesignError if it is singular up to rounding.

    The product of both Frobenius norms is at least the ratio of the extreme singular values:
    where it is small, these need not be computed, which costs many times what the inverse does.
    """
    try:
        inverse: FloatArray = np.linalg.inv(matrix).astype(np.float64)
    except np.linalg.LinAlgError:
        inverse = np.full_like(matrix, np.inf)
    condition = float(np.linalg.norm(matrix) * np.linalg.norm(inverse))
    # Negated, so that a condition that is no number is looked at too.
    if not condition * _SMALLEST_RELATIVE_SINGULAR_VALUE <= 1:
        _check_invertible(matrix)
    return inverse


def _dot(first: Sequence[int], second: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(first, second, strict=True))


def _inverted_exactly(matrix: Sequence[Sequence[int]]) -> tuple[list[list[int]], int]:
    """The inverse of whole numbers, times a whole number, and that number (Bareiss 1968).

    Raises DesignError if there is none.
    """
    size = len(matrix)
    unit = [[int(n == m) for m in range(size)] for n in range(size)]
    rows = [[*left, *right] for left, right in zip(matrix, unit, strict=True)]
    divisor = 1
    for n in range(size):
        pivot = next((m for m in range(n, size) if rows[m][n]), None)
        if pivot is None:
            raise DesignError("channel", [list(row) for row in matrix], NOT_INVERTIBLE)
        rows[n], rows[pivot] = rows[pivot], rows[n]
        first, top = rows[n], rows[n][n]
        for m in range(size):
            if m != n:
                pairs, own = zip(rows[m], first, strict=True), rows[m][n]
                # Every quotient is a minor of the whole matrix, so that none has a remainder.
                rows[m] = [(top * value - own * other) // divisor for value, other in pairs]
        divisor = top
    return [row[size:] for row in rows], divisor


def _check_invertible(matrix: FloatArray) -> None:
    singular = np.linalg.svd(matrix, compute_uv=False)
    if not singular[-1] >= _SMALLEST_RELATIVE_SINGULAR_VALUE * singular[0]:
        raise DesignError("channel", matrix.tolist(), NOT_INVERTIBLE)


def checked_denominator(value: object) -> int:
    """A denominator that 32-bit words can be drawn from. Raises DesignError."""
    remedy = "give a whole number from 1 to 2^32"
    return checked_between("denominator", value, 1, LARGEST_DENOMINATOR, remedy)


def _rounded(columns: SharedEntries[Fraction], denominator: int) -> IntegerChannel:
    """Round, then mix towards uniform until the exact epsilon is within the stated one.

    With all the weight on uniform every column is the same, whose ratio is 1: the loop ends.
    """
    stated = _largest_ratio_of(columns.transposed)
    mixing, uniform = Fraction(0), Fraction(1, columns.positions.shape[1])
    while True:
        kept, added = 1 - mixing, mixing * uniform
        mixed = columns.holding([kept * p + added for p in columns.values])
        candidate = IntegerChannel(_rounded_columns(mixed, denominator), denominator)
        ratio = candidate.largest_ratio
        if stated is None or (ratio is not None and ratio <= stated):
            return candidate
        # Doubling from 2^-32 reaches 1 after 32 rounds.
        mixing = min(Fraction(1), max(2 * mixing, Fraction(1, denominator)))


def _rounded_columns(
    columns: SharedEntries[Fraction], denominator: int
) -> tuple[tuple[int, ...], ...]:
    """All entries but the largest are rounded up, so equal small entries stay equal."""
    up = np.array([math.ceil(p * denominator) for p in columns.values])
    weights, largest = up[columns.positions], columns.largest_in_rows()
    rows = np.arange(len(weights))
    weights[rows, largest] += denominator - weights.sum(axis=1)
    if weights[rows, largest].min() < 0:
        raise DesignError("max_denominator", denominator, "too small for this many levels")
    values, positions = np.unique(weights, return_inverse=True)
    return SharedEntries(values.tolist(), positions.reshape(weights.shape)).rows()


def _largest_ratio_of(rows: SharedEntries[Fraction]) -> Fraction | None:
    return largest_ratio([[value for value, _ in row] for _, row in rows.different_rows()])
