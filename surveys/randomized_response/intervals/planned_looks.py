"""PlannedLooks: the level at which each of a planned number of looks reads its interval.

Intervals for one look miss more often the more often one looks. Looks whose moments were fixed
beforehand share the chance c to miss: after a share t of the planned time the chance that any look
so far missed is to be c f(t), at most (Lan and DeMets 1983). With Z_j = (estimate - truth) / s.e.
after n_j answers, which for many answers is normal with correlation sqrt(n_i / n_j), look j has the
bound b_j at which

    P(|Z_1| < b_1, ..., |Z_(j-1)| < b_(j-1), |Z_j| >= b_j) = c (f(t_j) - f(t_(j-1))),

and reads its interval for one look at the level 1 - 2 Phi(-b_j), which holds what that look does
not reject (repeated confidence intervals, Jennison and Turnbull 1989). The probabilities are found
by integrating over the sum of the answers, look by look (Armitage, McPherson and Rowe 1969).

f(t) = .95 t^1.5 for t <= 1. The power family is Kim and DeMets' (1987); of its powers this one has,
for 4 to 52 looks at even distances, narrower intervals at each of them than the sequence of the
plan, and at the last 1.11 to 1.21 times those for one look, for which the sequence has 1.55.
Keeping a twentieth is ours: looks that come after the planned time, as one may be moved, find half
of it, then a sixth, a twelfth and so on: 1/(j (j + 1)) sums to 1.

Looks may be left out or put off, and when they come may depend on how many answered, not on what
they answered. The level holds as far as that for one look does, and as the sums are normal.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Self

import numpy as np
import scipy

from ..checks import FloatArray, checked_level, checked_number, checked_positive_number
from ..errors import EstimationError
from ..roots import find_root

POWER = 1.5
# Part of the chance to miss that is kept for looks after the planned time.
KEPT = 0.05
# Steps smaller than this part of all answers count as so large. That makes looks less dependent
# than they are, which widens; the nodes below lie close enough for it.
LEAST_STEP = 1e-3
NODES = 200
FARTHEST = 40.0  # standard errors: no chance that a float can hold lies beyond


@dataclass(frozen=True)
class PlannedLooks:
    """Looks so far: ``times``, ascending, as shares of the planned time, and ``sizes`` in answers.

    Raises EstimationError.

    >>> from randomized_response.intervals import PlannedLooks
    >>> round(PlannedLooks.even(5).level(0.95), 4)
    0.972
    >>> round(PlannedLooks((0.2, 0.4), (200, 400)).level(0.95), 4)
    0.991
    """

    times: tuple[float, ...]
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.times or len(self.times) != len(self.sizes):
            raise EstimationError("sizes", self.sizes, "give one size for each time, at least one")
        for time in self.times:
            if checked_number("times", time, EstimationError) <= 0:
                raise EstimationError("times", time, "give shares of the planned time above 0")
        for size in self.sizes:
            checked_positive_number("sizes", size, EstimationError)
        if any(later <= time for time, later in zip(self.times, self.times[1:], strict=False)):
            raise EstimationError("times", self.times, "give each look a later time than the last")
        if any(later < size for size, later in zip(self.sizes, self.sizes[1:], strict=False)):
            raise EstimationError("sizes", self.sizes, "give sizes that do not fall")

    @classmethod
    def even(cls, looks: int) -> Self:
        """All of so many looks, at even distances in time and in answers."""
        numbers = range(1, checked_positive_number("looks", looks, EstimationError) + 1)
        return cls(tuple(number / looks for number in numbers), tuple(numbers))

    def level(self, level: float) -> float:
        """At which the last look reads its interval, for all to hold together at ``level``."""
        spent = _spent(self.times)
        chance = 1 - checked_level(level)
        bounds = look_bounds(tuple(chance * part for part in spent), self.sizes)
        return 1 - 2 * float(scipy.special.ndtr(-bounds[-1]))


def _spent(times: tuple[float, ...]) -> list[float]:
    """What part of the chance to miss is spent after each look."""
    spent, later = [], 0
    for time in times:
        later += time > 1
        spent.append((1 - KEPT) * min(time, 1.0) ** POWER + KEPT * later / (later + 1))
    return spent


@lru_cache(maxsize=256)
def look_bounds(spent: tuple[float, ...], sizes: tuple[float, ...]) -> tuple[float, ...]:
    """The bounds b_j, in standard errors, of looks after ``sizes`` answers.

    ``spent``: the chance that any look so far missed, ascending, below 1.

    >>> import numpy as np
    >>> from randomized_response.intervals.planned_looks import look_bounds
    >>> times = np.arange(1, 6) / 5
    >>> as_pocock = 0.05 * np.log(1 + (np.e - 1) * times)  # Lan and DeMets (1983)
    >>> [round(bound, 3) for bound in look_bounds(tuple(as_pocock), tuple(times))]
    [2.438, 2.427, 2.41, 2.397, 2.386]
    """
    nodes, weights = (np.array([0.0]), np.array([1.0]))
    bounds, before, last = [], 0.0, 0.0
    for chance, size in zip(spent, sizes, strict=True):
        walk = _Walk(nodes, weights, max(1 - last / size, LEAST_STEP))
        bound = walk.bound(chance - before)
        nodes, weights = walk.inside(bound)
        bounds.append(bound)
        before, last = chance, size
    return tuple(bounds)


@dataclass(frozen=True)
class _Walk:
    """From |Z| at one look, with its ``masses`` at ``nodes``, to the next.

    ``new`` is the part of the next look's answers that came since.
    """

    nodes: FloatArray
    masses: FloatArray
    new: float

    def bound(self, chance: float) -> float:
        """The b at which |Z| >= b has this chance, among what no look before has left."""

        def excess(bound: float) -> float:
            ends = np.array([self._standard(sign * self.nodes, bound) for sign in (1, -1)])
            return float(self.masses @ scipy.special.ndtr(-ends).sum(axis=0)) - chance

        return find_root(excess, 0.0, FARTHEST, xtol=1e-12)

    def inside(self, bound: float) -> tuple[FloatArray, FloatArray]:
        """Nodes between 0 and the bound, and the masses of |Z| there."""
        places, weights = _rule()
        nodes = (places + 1) / 2 * bound
        ends = np.array([self._standard(sign * self.nodes, nodes[:, None]) for sign in (1, -1)])
        density = np.exp(-(ends**2) / 2).sum(axis=0) / np.sqrt(2 * np.pi * self.new)
        masses: FloatArray = density @ self.masses * weights / 2 * bound
        return nodes, masses

    def _standard(self, before: FloatArray, now: float | FloatArray) -> FloatArray:
        """How far ``now`` lies from what is expected of ``before``, in standard deviations."""
        return np.asarray((now - np.sqrt(1 - self.new) * before) / np.sqrt(self.new))


@cache
def _rule() -> tuple[FloatArray, FloatArray]:
    """Gauss and Legendre's nodes and weights for [-1, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights
