"""Situation: how people report, and the number to estimate; its normal (Wald) interval."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from surveys.randomized_response.checks import FloatArray

QUANTILE = float(scipy.special.ndtri(0.975))
Counts = tuple[int, ...]
# Shares of the kinds of report, (rows, kinds), to the estimates, (rows,), and how each kind of
# report moves them, (rows, kinds).
Statistic = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True)
class Situation:
    """``blocks``: of each group of people the chances of its kinds of report; ``truth``."""

    blocks: tuple[FloatArray, ...]
    truth: float

    @property
    def is_binary(self) -> bool:
        """Whether one count decides."""
        return len(self.blocks) == 1 and len(self.blocks[0]) == 2

    @property
    def chances(self) -> FloatArray:
        """Of all kinds of report, one block after the other: (kinds,)."""
        return np.concatenate(self.blocks)

    def sizes(self, n: int) -> list[int]:
        """How many of n people each group has: as many as the others, or one more."""
        groups = len(self.blocks)
        return [n // groups + (place < n % groups) for place in range(groups)]

    def drawn(self, sizes: list[int], runs: int, rng: np.random.Generator) -> np.ndarray:
        """Counts of all kinds of report, (runs, kinds)."""
        pairs = zip(sizes, self.blocks, strict=True)
        return np.hstack([rng.multinomial(size, block, runs) for size, block in pairs])

    def enumerated(self, n: int, least: float) -> tuple[np.ndarray, FloatArray]:
        """All counts with a chance of at least that, (rows, 2), and these chances."""
        ones = np.arange(n + 1)
        chances = scipy.stats.binom.pmf(ones, n, self.blocks[0][1])
        kept = ones[chances >= least]
        return np.column_stack([n - kept, kept]), chances[kept]

    def standard_error(self, n: int, statistic: Statistic) -> float:
        """Of the estimate from n people, at the truth."""
        shares = self.chances[None, :]
        return float(self._error(shares, statistic(shares)[1], self.sizes(n))[0])

    def wald(self, counts: np.ndarray, statistic: Statistic) -> tuple[FloatArray, FloatArray]:
        """Estimates and half the widths of the normal interval, (rows,) each."""
        sizes = [int(part[0].sum()) for part in self._parts(counts)]
        shares = np.hstack(
            [part / max(size, 1) for part, size in zip(self._parts(counts), sizes, strict=True)]
        )
        with np.errstate(all="ignore"):
            values, influence = statistic(shares)
            error = self._error(shares, influence, [max(size - 1, 1) for size in sizes])
        return values, QUANTILE * error

    def wald_covers(self, counts: np.ndarray, statistic: Statistic) -> FloatArray:
        """Whether the normal interval has the truth; one without a width never does: (rows,)."""
        values, halves = self.wald(counts, statistic)
        return (np.abs(values - self.truth) <= halves) & (halves > 0)

    def _error(self, shares: FloatArray, influence: FloatArray, sizes: list[int]) -> FloatArray:
        parts = zip(self._parts(shares * influence**2), sizes, strict=True)
        return np.sqrt(sum(part.sum(axis=1) / size for part, size in parts))

    def _parts(self, table: FloatArray) -> list[FloatArray]:
        ends = np.cumsum([len(block) for block in self.blocks])[:-1]
        return np.split(table, ends, axis=1)


def mean_of(scores: FloatArray, kinds: slice = slice(None)) -> Statistic:
    """The mean score of one block, whose kinds of report these are."""

    def statistic(shares: FloatArray) -> tuple[FloatArray, FloatArray]:
        values = shares[:, kinds] @ scores
        influence = np.zeros_like(shares)
        influence[:, kinds] = scores - values[:, None]
        return values, influence

    return statistic


def ratio_of(top: FloatArray, bottom: FloatArray) -> Statistic:
    """The mean of one score over that of another."""

    def statistic(shares: FloatArray) -> tuple[FloatArray, FloatArray]:
        below = shares @ bottom
        values = np.where(below > 0, shares @ top / below, np.nan)
        return values, (top - values[:, None] * bottom) / below[:, None]

    return statistic


def sum_of(*parts: tuple[float, Statistic]) -> Statistic:
    """Several estimates, each times its factor."""

    def statistic(shares: FloatArray) -> tuple[FloatArray, FloatArray]:
        found = [(factor, *part(shares)) for factor, part in parts]
        values = sum(factor * value for factor, value, _ in found)
        return values, sum(factor * influence for factor, _, influence in found)

    return statistic
