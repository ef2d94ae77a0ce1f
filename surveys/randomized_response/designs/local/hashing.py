"""Local hashing (BLH, OLH): options are hashed into few buckets, and the bucket is randomized.

The hash family is public and the same on every machine and in a browser:

    h(v) = ((a v + b) mod P) mod g,  P = 2^26 - 5, a prime,

with a and b uniform on [0, P), drawn per report and sent with it. Carter and Wegman (1979): for
v != u the two values before "mod g" are independent and exactly uniform on [0, P), so

    P(h(v) = h(u)) = c = (r (m + 1)^2 + (g - r) m^2) / P^2,  P = m g + r,

which exceeds 1/g by r (g - r) / (g P^2) < 1e-11 and is used exactly instead of 1/g. As a v + b
stays below 2^53, a browser computes the hash in ordinary numbers without rounding.
Source of the protocols: Bassily and Smith (2015), BLH; Wang, Blocki, Li and Jha (2017),
section 4.4, OLH.
"""

from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...checks import Probability, checked_between, checked_options, store_probabilities
from ...errors import DesignError, ReportError
from ..categorical import odds_within
from .levels import keep_or_replace
from .protocol import (
    Array,
    FrequencyProtocol,
    Levels,
    Support,
    SupportCounts,
    checked_levels,
    checked_reports,
    ratio,
)

PRIME = 2**26 - 5
# More buckets than this do not protect: e^epsilon would be beyond 65,000.
LARGEST_BUCKETS = 2**16
# Reports whose hashes of all options are compared at once.
_BLOCK = 1 << 12


def collision_probability(buckets: int) -> Fraction:
    """P(h(v) = h(u)) for two different options over a random function, exactly."""
    size, larger = divmod(PRIME, buckets)
    pairs = larger * (size + 1) ** 2 + (buckets - larger) * size**2
    return Fraction(pairs, PRIME**2)


class LocalHashing(FrequencyProtocol):
    """Report (a, b, y): y is the bucket of the truth with probability ``p_truth``, else another.

    Reports are rows [a, b, y] of whole numbers. A report supports every option in its bucket.
    """

    p_truth: Probability

    @property
    @abstractmethod
    def bucket_count(self) -> int:
        """The number of buckets g."""

    @property
    def support(self) -> Support:
        p, same = self.p_truth, collision_probability(self.bucket_count)
        other = p * same + (1 - p) * (1 - same) / (self.bucket_count - 1)
        return Support(p, other)

    @property
    def likelihood_ratio(self) -> Fraction | None:
        p = Fraction(self.p_truth)
        return ratio(p * (self.bucket_count - 1), 1 - p)

    def draw(self, true_levels: Levels, rng: np.random.Generator) -> Array:
        """Rows [a, b, y] for each person: integer array of shape (people, 3)."""
        levels = checked_levels(true_levels, self.options)
        a = rng.integers(0, PRIME, size=len(levels))
        b = rng.integers(0, PRIME, size=len(levels))
        hashed = (a * levels + b) % PRIME % self.bucket_count
        reported = keep_or_replace(hashed, self.bucket_count, self.p_truth, rng)
        return np.stack([a, b, reported], axis=1)

    def aggregate(self, reports: Array) -> SupportCounts:
        rows = self._checked(reports)
        counts = np.zeros(self.options, dtype=np.int64)
        for start in range(0, len(rows), _BLOCK):
            counts += self._fits(rows[start : start + _BLOCK]).sum(axis=0)
        return counts

    def supports(self, reports: Array) -> NDArray[np.bool_]:
        return self._fits(self._checked(reports))

    def _fits(self, rows: Array) -> NDArray[np.bool_]:
        a, b, reported = rows.T[:, :, None]
        hashed = (a * np.arange(self.options) + b) % PRIME % self.bucket_count
        fits: NDArray[np.bool_] = hashed == reported
        return fits

    def _checked(self, reports: Array) -> Array:
        rows = checked_reports(reports, 3)
        limits = np.array([PRIME, PRIME, self.bucket_count])
        wrong = np.flatnonzero(((rows < 0) | (rows >= limits)).any(axis=1))
        if len(wrong):
            remedy = f"[a, b, y] are whole numbers from 0 and below {limits.tolist()}"
            raise ReportError(f"reports[{wrong[0]}]", rows[wrong[0]].tolist(), remedy)
        return rows.astype(np.int64)


@dataclass(frozen=True)
class BLH(LocalHashing):
    """Binary local hashing: two buckets, so a report is one bit of information.

    p = e^eps / (e^eps + 1), q = 1/2. Raises DesignError. Source: Bassily and Smith (2015).
    """

    name: ClassVar[str] = "Binary local hashing"
    options: int = field()
    p_truth: Probability

    def __post_init__(self) -> None:
        _validate(self)

    @classmethod
    def from_epsilon(cls, options: int, epsilon: float) -> Self:
        """p_truth as a rational rounded so that epsilon is kept."""
        odds = odds_within(epsilon)
        return cls(options, odds / (odds + 1))

    @property
    def bucket_count(self) -> int:
        return 2


@dataclass(frozen=True)
class OLH(LocalHashing):
    """Optimised local hashing: as many buckets as make the variance smallest, near e^eps + 1.

    p = e^eps / (e^eps + g - 1), q = 1/g. Raises DesignError. Source: Wang et al. (2017), 4.4.
    """

    name: ClassVar[str] = "Optimised local hashing"
    options: int = field()
    buckets: int
    p_truth: Probability

    def __post_init__(self) -> None:
        object.__setattr__(self, "buckets", _checked_buckets(self.buckets))
        _validate(self)

    @classmethod
    def from_epsilon(cls, options: int, epsilon: float, buckets: int | None = None) -> Self:
        """With the given number of buckets, or the one with the smallest variance."""
        odds = odds_within(epsilon)
        size = best_buckets(odds) if buckets is None else _checked_buckets(buckets)
        return cls(options, size, odds / (odds + size - 1))

    @property
    def bucket_count(self) -> int:
        return self.buckets


def best_buckets(odds: Fraction) -> int:
    """The g that minimises q (1 - q) / (p - q)^2 = (e + g - 1)^2 / ((e - 1)^2 (g - 1)), e = odds.

    With t = g - 1 that is e^2 / t + t and a constant: t is one of the whole numbers around e,
    compared exactly. The published round(e) + 1 differs where e lies between sqrt(t (t + 1)) and
    t + 1/2. At most ``LARGEST_BUCKETS``.
    """
    below = isqrt(int(odds**2))
    rest = min((below, below + 1), key=lambda t: odds**2 / t + t)
    return min(rest + 1, LARGEST_BUCKETS)


def _validate(protocol: BLH | OLH) -> None:
    options = checked_options(protocol.options)
    if options > PRIME:
        raise DesignError("options", options, f"the hash tells at most {PRIME} options apart")
    object.__setattr__(protocol, "options", options)
    store_probabilities(protocol, "p_truth")
    _ = protocol.support


def _checked_buckets(value: object) -> int:
    remedy = f"give a number from 2 to {LARGEST_BUCKETS}"
    return checked_between("buckets", value, 2, LARGEST_BUCKETS, remedy)
