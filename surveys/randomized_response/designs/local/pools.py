"""Fast local hashing and the count-mean sketch: all people share a pool of hash functions.

Each report names a function of the pool and says, at random, where the answer falls by it. Counts
are kept for each function and bucket, so that reports are read once, and an option takes a look at
each function: in all n + (functions) k steps, where functions of each person take n k.

The price: options that the pool puts together too often stay together, however many people answer.
Let c be the chance that two options share a bucket by a random function, f_u the frequencies and
C_u the share of the pool's functions by which u falls where v does. Then the expected estimate is

    f_v + (1 - f_v) D,    D = (sum over u != v of f_u C_u / (1 - f_v) - c) / (1 - c),

as p - q = (p - p') (1 - c) for the chances p and p' to support v where u falls there and where not.
The mean over F functions of numbers in [0, 1] with the mean c has the variance c (1 - c) / F at
most, which it has where all others chose the same option, and is more than t off with a chance of
at most 2 exp(-F KL) (Hoeffding 1963, theorem 1). Estimates and intervals of this package hold that
part; the peers leave it out. Source: Cormode, Maddock and Maple (2021), "Frequency estimation under
local differential privacy", FLH; Apple's Differential Privacy Team (2017), "Learning with privacy
at scale", CMS.
"""

import hashlib
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...checks import Probability, checked_between, checked_options, store_probabilities
from ...errors import DesignError, ReportError
from ..categorical import checked_epsilon, odds_within
from .bits import byte_width, count_ones
from .hashing import LARGEST_BUCKETS, PRIME, best_buckets, collision_probability
from .levels import keep_or_replace
from .protocol import (
    Array,
    FrequencyProtocol,
    Levels,
    SharedPool,
    Support,
    SupportCounts,
    checked_levels,
    checked_reports,
    ratio,
)
from .unary import IntegerUnary, integer_unary

LARGEST_POOL = 2**16
_LARGEST_SEED = 2**63 - 1


class PooledHashing(FrequencyProtocol):
    """``functions`` h(v) = ((a v + b) mod P) mod g, made of the public number ``seed``.

    a and b are 8 bytes each of SHA-256 of "seed function", modulo P: the same on every machine, and
    uniform but for 2^-38.
    """

    buckets: int
    functions: int
    seed: int

    def __post_init__(self) -> None:
        options = checked_options(self.options)
        if options > PRIME:
            raise DesignError("options", options, f"the hash has room for {PRIME} options")
        limits = {
            "buckets": (2, LARGEST_BUCKETS),
            "functions": (1, LARGEST_POOL),
            "seed": (0, _LARGEST_SEED),
        }
        object.__setattr__(self, "options", options)
        for name, (least, most) in limits.items():
            remedy = f"give a whole number from {least} to {most}"
            number = checked_between(name, getattr(self, name), least, most, remedy)
            object.__setattr__(self, name, number)

    @property
    def shared_pool(self) -> SharedPool:
        return SharedPool(collision_probability(self.buckets), self.functions)

    @cached_property
    def _factors(self) -> NDArray[np.int64]:
        """a and b of each function, shape (2, functions)."""
        digests = (
            hashlib.sha256(f"{self.seed} {j}".encode()).digest() for j in range(self.functions)
        )
        pairs = [(int.from_bytes(d[:8]) % PRIME, int.from_bytes(d[8:16]) % PRIME) for d in digests]
        return np.array(pairs, dtype=np.int64).T

    def _hashed(self, functions: Array, levels: Array) -> NDArray[np.int64]:
        """Buckets of levels by functions, arrays that go together."""
        a, b = self._factors[:, functions]
        return np.asarray((a * levels + b) % PRIME % self.buckets)

    def _counted(self, table: NDArray[np.int64]) -> SupportCounts:
        """The entries of a table (functions, buckets) at each option's bucket, summed."""
        counts = np.zeros(self.options, dtype=np.int64)
        options = np.arange(self.options)
        for j in range(self.functions):
            counts += table[j, self._hashed(np.array(j), options)]
        return counts

    def _checked_functions(self, column: Array) -> NDArray[np.int64]:
        wrong = np.flatnonzero((column < 0) | (column >= self.functions))
        if len(wrong):
            remedy = f"functions are numbered 0 to {self.functions - 1}"
            raise ReportError(f"reports[{wrong[0]}]", int(column[wrong[0]]), remedy)
        return column.astype(np.int64)


@dataclass(frozen=True)
class FLH(PooledHashing):
    """Fast local hashing: OLH with functions of a pool. Reports are rows [function, bucket].

    p = e^eps / (e^eps + g - 1). Raises DesignError. Source: Cormode, Maddock and Maple (2021).
    """

    name: ClassVar[str] = "Fast local hashing"
    options: int = field()
    buckets: int
    p_truth: Probability
    functions: int
    seed: int

    def __post_init__(self) -> None:
        super().__post_init__()
        store_probabilities(self, "p_truth")
        _ = self.support

    @classmethod
    def from_epsilon(cls, options: int, epsilon: float, functions: int, seed: int) -> Self:
        """With the number of buckets that has the smallest variance in OLH."""
        odds = odds_within(epsilon)
        size = best_buckets(odds)
        return cls(options, size, odds / (odds + size - 1), functions, seed)

    @property
    def support(self) -> Support:
        p, same = self.p_truth, collision_probability(self.buckets)
        return Support(p, p * same + (1 - p) * (1 - same) / (self.buckets - 1))

    @property
    def likelihood_ratio(self) -> Fraction | None:
        p = Fraction(self.p_truth)
        return ratio(p * (self.buckets - 1), 1 - p)

    def draw(self, true_levels: Levels, rng: np.random.Generator) -> Array:
        """Rows [function, bucket] for each person: integer array of shape (people, 2)."""
        levels = checked_levels(true_levels, self.options)
        functions = rng.integers(0, self.functions, size=len(levels))
        hashed = self._hashed(functions, levels)
        reported = keep_or_replace(hashed, self.buckets, self.p_truth, rng)
        return np.stack([functions, reported], axis=1)

    def aggregate(self, reports: Array) -> SupportCounts:
        functions, reported = self._checked(reports)
        cells = functions * self.buckets + reported
        table = np.bincount(cells, minlength=self.functions * self.buckets)
        return self._counted(table.reshape(self.functions, self.buckets))

    def supports(self, reports: Array) -> NDArray[np.bool_]:
        functions, reported = self._checked(reports)
        hashed = self._hashed(functions[:, None], np.arange(self.options))
        return np.asarray(hashed == reported[:, None])

    def _checked(self, reports: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        rows = checked_reports(reports, 2)
        wrong = np.flatnonzero((rows[:, 1] < 0) | (rows[:, 1] >= self.buckets))
        if len(wrong):
            remedy = f"buckets are numbered 0 to {self.buckets - 1}"
            raise ReportError(f"reports[{wrong[0]}]", rows[wrong[0]].tolist(), remedy)
        return self._checked_functions(rows[:, 0]), rows[:, 1].astype(np.int64)


@dataclass(frozen=True)
class CountMeanSketch(PooledHashing):
    """Count-mean sketch: the bucket as bits, each kept with ``p_keep``, by a function of a pool.

    Reports are rows [function, bytes of the bits]: 16-bit numbers of shape (people, 1 + ceil(g /
    8)), g = ``buckets``. p = p_keep = e^(eps/2) / (1 + e^(eps/2)), q = 1 - p + c (2 p - 1).
    Raises DesignError. Source: Apple's Differential Privacy Team (2017), algorithms CMS.
    """

    name: ClassVar[str] = "Count-mean sketch"
    options: int = field()
    buckets: int
    p_keep: Probability
    functions: int
    seed: int

    def __post_init__(self) -> None:
        super().__post_init__()
        store_probabilities(self, "p_keep")
        _ = self.support

    @classmethod
    def from_epsilon(
        cls, options: int, epsilon: float, buckets: int, functions: int, seed: int
    ) -> Self:
        """The square root of e^epsilon is rounded down, so epsilon is kept."""
        root = odds_within(checked_epsilon(epsilon) / 2)
        return cls(options, buckets, root / (1 + root), functions, seed)

    @property
    def support(self) -> Support:
        p, same = self.p_keep, collision_probability(self.buckets)
        return Support(p, 1 - p + same * (2 * p - 1))

    @property
    def likelihood_ratio(self) -> Fraction | None:
        # Between two options in different buckets, whose bits are 1 and 0.
        return Support(self.p_keep, 1 - self.p_keep).odds_ratio

    def draw(self, true_levels: Levels, rng: np.random.Generator) -> Array:
        """Rows [function, bytes] for each person, shape (people, 1 + ceil(buckets / 8))."""
        levels = checked_levels(true_levels, self.options)
        functions = rng.integers(0, self.functions, size=len(levels))
        bits = self._bits.draw(self._hashed(functions, levels), rng)
        return np.column_stack([functions, bits]).astype(np.uint16)

    def aggregate(self, reports: Array) -> SupportCounts:
        functions, packed = self._checked(reports)
        order = np.argsort(functions, kind="stable")
        starts = np.searchsorted(functions[order], np.arange(self.functions + 1))
        parts = (packed[order[low:high]] for low, high in pairwise(starts))
        return self._counted(np.stack([count_ones(part, self.buckets) for part in parts]))

    def supports(self, reports: Array) -> NDArray[np.bool_]:
        functions, packed = self._checked(reports)
        buckets = self._hashed(functions[:, None], np.arange(self.options))
        bits = np.take_along_axis(packed, buckets // 8, axis=1) >> (buckets % 8) & 1
        return np.asarray(bits == 1)

    @cached_property
    def _bits(self) -> IntegerUnary:
        return integer_unary(self.buckets, Support(self.p_keep, 1 - self.p_keep))

    def _checked(self, reports: Array) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        rows = checked_reports(reports, 1 + byte_width(self.buckets))
        wrong = np.flatnonzero(((rows[:, 1:] < 0) | (rows[:, 1:] > 255)).any(axis=1))
        if len(wrong):
            raise ReportError(f"reports[{wrong[0]}]", rows[wrong[0]].tolist(), "give bytes")
        packed = rows[:, 1:].astype(np.uint8)
        count_ones(packed, self.buckets)  # no bit past the last bucket
        return self._checked_functions(rows[:, 0]), packed
