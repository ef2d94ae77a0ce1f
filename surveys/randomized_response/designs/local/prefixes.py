"""PrefixHashing: items out of far more than can be counted, by prefixes of growing length.

An item is a number of ``bits`` binary digits: a text, a place, an address. Each person draws one of
the ``lengths`` and reports that many first digits of the item by local hashing, with the length
itself. Only prefixes that came often are extended, so that few of the 2^bits items are looked at;
see ``estimates.local.heavy_hitters``.

A prefix is cut into pieces of 25 digits, w_1, w_2, ..., and hashed to

    h(w) = ((a_1 w_1 + a_2 w_2 + ... + b) mod P) mod g,   P as in ``hashing``.

Two prefixes of one length differ in some piece by less than P, so that their sums are independent
and uniform below P, as in ``hashing``, and share a bucket with the same exact probability.
Source: Wang, Li and Jha (2019), "Locally differentially private heavy hitter identification", PEM.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...checks import (
    Probability,
    checked_between,
    checked_entries,
    require_generator,
    store_probabilities,
)
from ...errors import DesignError, ReportError
from ..categorical import odds_within
from ..channel import ExactLoss
from .hashing import LARGEST_BUCKETS, PRIME, best_buckets, collision_probability
from .levels import keep_or_replace
from .protocol import Array, Levels, Support, at_least_one, checked_levels, checked_reports, ratio

# Items are signed 64-bit numbers.
MOST_BITS = 62
_PIECE = 25
# Pairs of a report and a candidate that are compared at once.
_BLOCK = 1 << 22


@dataclass(frozen=True)
class PrefixHashing(ExactLoss):
    """``lengths``: of prefixes, ascending, the last one that of items; ``buckets`` g of the hash.

    Reports are rows [number of the length, a_1, ..., b, y]: y is the bucket of the prefix with
    ``p_truth``, else another. Raises DesignError.
    """

    name: ClassVar[str] = "Prefix hashing"
    lengths: tuple[int, ...]
    buckets: int = field()
    p_truth: Probability

    def __post_init__(self) -> None:
        remedy = f"give growing numbers of digits from 1 to {MOST_BITS}"
        entries = checked_entries("lengths", self.lengths, remedy, DesignError)
        lengths = tuple(checked_between("lengths", n, 1, MOST_BITS, remedy) for n in entries)
        if not lengths or list(lengths) != sorted(set(lengths)):
            raise DesignError("lengths", lengths, remedy)
        object.__setattr__(self, "lengths", lengths)
        remedy = f"give a number from 2 to {LARGEST_BUCKETS}"
        buckets = checked_between("buckets", self.buckets, 2, LARGEST_BUCKETS, remedy)
        object.__setattr__(self, "buckets", buckets)
        store_probabilities(self, "p_truth")
        _ = self.support

    @classmethod
    def from_epsilon(cls, bits: int, epsilon: float, first: int = 8, step: int = 4) -> Self:
        """Prefixes of ``first`` digits, then ``step`` more each time; the best number of buckets.

        Longer steps leave more people to each length, and more candidates to be looked at.
        """
        last = checked_between("bits", bits, 1, MOST_BITS, f"give 1 to {MOST_BITS} digits")
        remedy = "give a number of digits from 1 to 20"
        start, further = (
            checked_between(name, digits, 1, 20, remedy)
            for name, digits in (("first", first), ("step", step))
        )
        odds = odds_within(epsilon)
        size = best_buckets(odds)
        lengths = (*range(start, last, further), last)
        return cls(lengths, size, odds / (odds + size - 1))

    @property
    def bits(self) -> int:
        """Binary digits of an item."""
        return self.lengths[-1]

    @cached_property
    def support(self) -> Support:
        """Of a prefix by the report of a person who drew its length."""
        p, same = self.p_truth, collision_probability(self.buckets)
        return Support(p, p * same + (1 - p) * (1 - same) / (self.buckets - 1))

    @property
    def largest_ratio(self) -> Fraction | None:
        p = Fraction(self.p_truth)
        return at_least_one(ratio(p * (self.buckets - 1), 1 - p))

    @property
    def pieces(self) -> int:
        """How many pieces an item has, each with a factor in the report."""
        return -(-self.bits // _PIECE)

    def draw(self, true_levels: Levels, rng: np.random.Generator) -> NDArray[np.int64]:
        """One report for each item: shape (people, 3 + pieces). Raises SamplingError."""
        require_generator(rng)
        values = checked_levels(true_levels, 2**self.bits)
        drawn = rng.integers(0, len(self.lengths), size=len(values))
        prefixes = values >> (self.bits - np.array(self.lengths))[drawn]
        factors = [rng.integers(0, PRIME, size=len(values)) for _ in range(self.pieces + 1)]
        hashed = self._hashed(factors, prefixes)
        reported = keep_or_replace(hashed, self.buckets, self.p_truth, rng)
        return np.column_stack([drawn, *factors, reported]).astype(np.int64)

    def counted(self, reports: Array, number: int, prefixes: Array) -> tuple[int, Array]:
        """How many people drew a length, and how many of them support each prefix of it.

        ``number`` of the length, from 0; ``prefixes`` whole numbers of shape (candidates,). Raises
        ReportError.
        """
        rows = self._checked(reports)
        rows = rows[rows[:, 0] == number]
        counts = np.zeros(len(prefixes), dtype=np.int64)
        size = max(1, _BLOCK // max(1, len(prefixes)))
        for start in range(0, len(rows), size):
            block = rows[start : start + size]
            hashed = self._hashed(list(block.T[1:-1, :, None]), prefixes)
            counts += (hashed == block[:, -1:]).sum(axis=0)
        return len(rows), counts

    def _hashed(self, factors: list[Array], prefixes: Array) -> NDArray[np.int64]:
        """Buckets by factors [a_1, ..., b], arrays that go together with the prefixes."""
        total = factors[-1]
        for number, factor in enumerate(factors[:-1]):
            piece = prefixes >> (_PIECE * number) & (2**_PIECE - 1)
            total = (total + factor * piece) % PRIME
        return np.asarray(total % self.buckets, dtype=np.int64)

    def _checked(self, reports: Array) -> NDArray[np.int64]:
        rows = checked_reports(reports, 3 + self.pieces)
        limits = np.array([len(self.lengths), *[PRIME] * (self.pieces + 1), self.buckets])
        wrong = np.flatnonzero(((rows < 0) | (rows >= limits)).any(axis=1))
        if len(wrong):
            remedy = f"its entries are whole numbers from 0 and below {limits.tolist()}"
            raise ReportError(f"reports[{wrong[0]}]", rows[wrong[0]].tolist(), remedy)
        return rows.astype(np.int64)
