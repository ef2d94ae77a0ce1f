"""Maximise a log likelihood in a Box: Fisher scoring, line search, Newton steps at the end.

The likelihood of randomized reports is not concave, so a Newton step may point downhill; the
expected information never does. Fisher scoring therefore goes first, and the observed
information takes over near the maximum, where it converges quadratically. Each step is shortened
until the exact likelihood grows (Armijo's rule). Source: Osborne (1992), Fisher's method of
scoring; Nocedal and Wright (2006), section 3.1.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import numpy as np

from ..checks import FloatArray
from ..errors import ConvergenceError

# Squared length, in standard errors, of a step after which nothing is left to gain.
_CONVERGED = 1e-12
# From a step of one standard error on, Newton's are tried.
_NEAR = 1.0
# Part of the promised gain that a step must bring (Nocedal and Wright 2006, section 3.1).
_SUFFICIENT = 1e-4
_SHORTEST_STEP = 1e-9
# Of the log likelihood: what adding up its terms may lose.
_ROUNDING = 1e-12
_LARGEST_ITERATIONS = 200
# Information below this part of what there was at the start: the likelihood has become flat.
_FLAT = 1e-8


class Curved(Protocol):
    """What is needed for a step of Newton's method."""

    @property
    def score(self) -> FloatArray: ...
    @property
    def observed(self) -> FloatArray: ...


class Point(Curved, Protocol):
    """A parameter vector (q,) with what the likelihood says there."""

    @property
    def parameters(self) -> FloatArray: ...
    @property
    def log_likelihood(self) -> float: ...
    @property
    def expected(self) -> FloatArray: ...


P = TypeVar("P", bound=Point)


class Weighted(Protocol):
    """Data of people, who may count for more or less than one."""

    def weighted(self, values: FloatArray) -> FloatArray: ...


class ByPerson(ABC):
    """A point whose log likelihood adds up over people."""

    data: Weighted

    @property
    @abstractmethod
    def person_scores(self) -> FloatArray:
        """Unweighted, (q, n)."""

    @property
    def score(self) -> FloatArray:
        """(q,)"""
        return np.asarray(self.data.weighted(self.person_scores).sum(axis=1))


class Flat(Exception):
    """The likelihood is flat along ``direction`` (q,) at ``parameters`` (q,)."""

    def __init__(self, direction: FloatArray, parameters: FloatArray) -> None:
        super().__init__("flat likelihood")
        self.direction = direction
        self.parameters = parameters


class Unsettled(Exception):
    """No maximum within the iterations; ``score`` (q,) is what was left of the slope."""

    def __init__(self, score: FloatArray) -> None:
        super().__init__("no convergence")
        self.score = score

    def refusal(self, names: Sequence[str], remedy: str) -> ConvergenceError:
        """For the column whose coefficient has the steepest slope left."""
        steepest = int(np.argmax(np.abs(self.score[: len(names)])))
        return ConvergenceError(f"column {names[steepest]}", "no maximum", remedy)


@dataclass(frozen=True)
class Box:
    """Bounds (q,) of the parameters; infinite where there are none."""

    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, unbounded: int, lower: Sequence[float] = (), upper: Sequence[float] = ()) -> Self:
        """So many parameters without bounds, and then those with some."""
        infinite = np.full(unbounded, np.inf)
        return cls(np.append(-infinite, lower), np.append(infinite, upper))

    def free(self, point: Point) -> FloatArray:
        """Which parameters (q, boolean) are not pressed against a bound by the likelihood."""
        low = (point.parameters <= self.lower) & (point.score < 0)
        return np.asarray(~(low | ((point.parameters >= self.upper) & (point.score > 0))))

    def longest(self, parameters: FloatArray, step: FloatArray) -> FloatArray:
        """Where the step ends when each parameter stops at its bound."""
        return np.asarray(np.clip(parameters + step, self.lower, self.upper))


def part_within(longest: float, move: float) -> float:
    """The part of a step, up to all of it, that moves no further than ``longest``."""
    return min(1.0, longest / move) if move > 0 else 1.0


def step_uphill(point: Curved, flat: float) -> tuple[FloatArray, float]:
    """Newton's step (q,), and its squared length in standard errors.

    Uphill where the observed information is not positive (Nocedal and Wright 2006, section 3.4);
    none in directions whose information is below ``flat`` of the largest.
    """
    values, vectors = np.linalg.eigh(point.observed)
    sizes = np.abs(values)
    is_flat = sizes < flat * sizes.max()
    along = np.where(is_flat, 0.0, vectors.T @ point.score / np.where(is_flat, 1.0, sizes))
    step = vectors @ along
    return step, float(step @ point.score)


def maximise(
    at: Callable[[FloatArray], P],
    start: FloatArray,
    box: Box,
    longest: Callable[[P, FloatArray], float],
) -> tuple[P, int]:
    """The maximum and the iterations. ``longest`` says which part (0, 1] of a step is safe.

    Raises Flat where the information vanishes, Unsettled when no maximum is reached.
    """
    point = at(start)
    information = _Information(point)
    gain = np.inf
    for iteration in range(1, _LARGEST_ITERATIONS + 1):
        step = information.step(point, box.free(point), newton=gain < _NEAR)
        gain = float(step @ point.score)
        if gain < _CONVERGED:
            # So small a step that rounding decides whether it leads uphill: it is taken.
            moved = at(box.longest(point.parameters, step))
            lost = point.log_likelihood - moved.log_likelihood
            is_rounding = lost <= _ROUNDING * abs(point.log_likelihood)
            return moved if is_rounding else point, iteration
        advanced = _advanced(at, point, step * longest(point, step), box)
        if advanced is None:
            break
        point = advanced
    raise Unsettled(point.score)


def highest_maximum(
    at: Callable[[FloatArray], Point],
    climb: Callable[[FloatArray], tuple[P, int]],
    starts: Iterable[FloatArray],
) -> tuple[P, int]:
    """The highest of the maxima to which ``climb`` leads from the starts, and its iterations.

    Raises Flat where the likelihood is higher still far out, Unsettled where no start leads to one.
    """
    ends = [_end(climb, start) for start in starts]
    maxima = [end for end in ends if isinstance(end, tuple)]
    best = max(maxima, key=lambda end: end[0].log_likelihood, default=None)
    for flat in (end for end in ends if isinstance(end, Flat)):
        if best is None or at(flat.parameters).log_likelihood > best[0].log_likelihood:
            raise flat
    if best is None:
        raise next(end for end in ends if isinstance(end, Unsettled))
    return best


def _end(
    climb: Callable[[FloatArray], tuple[P, int]], start: FloatArray
) -> tuple[P, int] | Flat | Unsettled:
    """Where the way up from a start ends: at a maximum, far out, or nowhere."""
    try:
        return climb(start)
    except (Flat, Unsettled) as failure:
        return failure


class _Information:
    """Steps from the information, watched for becoming flat."""

    def __init__(self, start: Point) -> None:
        self.least = float(np.linalg.eigvalsh(start.expected)[0])

    def step(self, point: Point, free: FloatArray, *, newton: bool) -> FloatArray:
        """The scoring step of the free parameters: (q,)."""
        if newton:
            step = self._solved(point, point.observed, free)
            if step is not None:
                return step
        # Where the observed information is not positive, the expected one still leads uphill.
        step = self._solved(point, point.expected, free)
        if step is None:
            raise Flat(np.linalg.eigh(point.expected)[1][:, 0], point.parameters)
        return step

    def _solved(self, point: Point, matrix: FloatArray, free: FloatArray) -> FloatArray | None:
        used = np.flatnonzero(free)
        step = np.zeros_like(point.parameters)
        if len(used) == 0:
            return step
        values, vectors = np.linalg.eigh(matrix[np.ix_(used, used)])
        if not values[0] > _FLAT * self.least:
            return None
        step[used] = vectors @ ((vectors.T @ point.score[used]) / values)
        return step


def _advanced(at: Callable[[FloatArray], P], point: P, step: FloatArray, box: Box) -> P | None:
    """The first point of the shrinking steps whose likelihood has grown enough.

    What rounding alone can take away counts as grown: of millions of answers it is more than the
    last steps gain, and whether they are refused for it would depend on the processor.
    """
    part, rounding = 1.0, _ROUNDING * abs(point.log_likelihood)
    while part > _SHORTEST_STEP:
        moved = at(box.longest(point.parameters, part * step))
        promised = float((moved.parameters - point.parameters) @ point.score)
        if moved.log_likelihood >= point.log_likelihood + _SUFFICIENT * promised - rounding:
            return moved
        part /= 2
    return None
