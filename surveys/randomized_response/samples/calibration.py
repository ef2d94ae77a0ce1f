"""Calibration: weights moved as little as possible, so that they add up to what is known.

Base weights d become w_i = d_i F(x_i' b), x_i the columns whose totals T over the population are
known, b such that sum of w_i x_i = T: Deville and Sarndal (1992). F(u) = 1 + u is the generalised
regression estimator, exp(u) raking (iterative proportional fitting of margins, Deming and Stephan
1940), and a logistic curve or a cut line keep w / d within bounds. Each F has F(0) = F'(0) = 1, so
that all have the variance of the regression estimator, in which the slope u_i of a statistic is
replaced by its residual u_i - x_i' B, B the least squares of u on x with the weights d, and then
weighted by w (their result 5, with the weights w outside as they advise). These are the numbers of
``calibrate`` of the R package survey; its ``rake`` fits the same weights and takes residuals one
margin after the other, each without weights. With one margin all are ``postStratify``.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ..calls import checked_call
from ..checks import FloatArray, checked_float
from ..columns import checked_column, checked_labels, require_aligned, require_moderate
from ..errors import WeightsError
from .poststratification import checked_sizes
from .replicates import ReplicateWeights
from .survey_samples import Sample, SurveySample, require_sample

LINEAR, RAKING, LOGIT = "linear", "raking", "logit"
_CLOSE = 1e-9  # of a total: margins that publish ten digits agree to that
_ENOUGH = 1e-13  # as close as sums of a thousand floats come
_NEAR_NOTHING = 1e-6  # of what people bring to a total: one below it is judged beside that
_LARGEST_BOUND = 1e6  # its logistic curve still has digits
_MOST_STEPS = 200
_MOST_HALVINGS = 40
# Beside the largest column: two margins with one total have a column too many, exactly.
_DEPENDENT = 1e-9
_DOWNHILL = 1e-4  # of what the slope promises (Armijo 1966)
_LARGEST_EXPONENT = 500.0  # exp of it, times a weight, is a float


@dataclass(frozen=True, eq=False)
class Margin:
    """Known sizes of groups: ``labels`` (n,), the group of each person, and its size by label."""

    labels: ArrayLike
    sizes: Mapping[Any, float]


@dataclass(frozen=True, eq=False)
class KnownTotal:
    """A number whose sum over the population is known: ``values`` (n,) and that sum."""

    values: ArrayLike
    total: float


Known = Margin | KnownTotal


@dataclass(frozen=True)
class Distance:
    """F, its slope, and the integral of F, which is convex; each of u of shape (n,)."""

    gain: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]
    integral: Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Task:
    """The b at which weights reach the totals: the minimum of the convex sum of d G(x'b) - T'b.

    G is the integral of F, so that the gradient is what the weights exceed the totals by. Columns
    are divided by their totals, or by what people bring to those, so that all count alike.
    """

    base: FloatArray
    columns: FloatArray
    totals: FloatArray
    distance: Distance

    @classmethod
    def of(
        cls, base: FloatArray, columns: FloatArray, totals: FloatArray, distance: Distance
    ) -> "Task":
        scale = np.maximum(np.abs(totals), np.abs(columns).T @ base)
        scale = np.where(scale > 0, scale, 1.0)
        return cls(base, columns / scale, totals / scale, distance)

    def height(self, b: FloatArray) -> float:
        return float(self.base @ self.distance.integral(self.columns @ b) - self.totals @ b)

    def weights(self, b: FloatArray) -> FloatArray:
        return np.asarray(self.base * self.distance.gain(self.columns @ b))

    def missing(self, b: FloatArray) -> FloatArray:
        """Minus the gradient."""
        return np.asarray(self.totals - self.weights(b) @ self.columns)

    def step(self, b: FloatArray, missing: FloatArray) -> FloatArray:
        """Newton's, shortened by what is missing: margins overlap, and cut weights do not move."""
        slopes = self.base * self.distance.slope(self.columns @ b)
        curvature = (self.columns * slopes[:, None]).T @ self.columns
        diagonal = np.diag(curvature)
        damping = np.maximum(diagonal, self.base @ self.columns**2) * np.abs(missing).max()
        np.fill_diagonal(curvature, diagonal + damping)
        return np.asarray(np.linalg.lstsq(curvature, missing, rcond=_DEPENDENT**2)[0])


@dataclass(frozen=True, eq=False)
class Projection:
    """Residuals of the least squares on x (n, q) with the weights d (n,)."""

    basis: FloatArray  # orthonormal columns of sqrt(d) x
    roots: FloatArray  # sqrt(d)

    @classmethod
    def of(cls, columns: FloatArray, weights: FloatArray) -> "Projection":
        roots = np.sqrt(weights)
        q, r, _ = scipy.linalg.qr(columns * roots[:, None], mode="economic", pivoting=True)
        sizes = np.abs(np.diag(r))
        rank = int(np.count_nonzero(sizes > _DEPENDENT * sizes[0]))
        return cls(np.asarray(q[:, :rank], dtype=np.float64), roots)

    def __call__(self, slopes: FloatArray) -> FloatArray:
        scaled = slopes * self.roots[:, None]
        explained = self.basis @ (self.basis.T @ scaled)
        # People without a weight have no residual, and no part in any sum.
        roots = np.where(self.roots > 0, self.roots, 1.0)
        return np.asarray((scaled - explained) / roots[:, None])


@checked_call
def rake(sample: Sample, margins: Sequence[Margin]) -> Sample:
    """The sample with weights whose groups have their known sizes, in all margins at once.

    The same as ``calibrate`` by "raking": no weight becomes negative. Raises WeightsError.

    >>> from randomized_response.samples import Margin, rake, survey_sample
    >>> sex, age = ["f", "f", "f", "m", "m"], ["old", "young", "young", "old", "young"]
    >>> margins = [Margin(sex, {"f": 52, "m": 48}), Margin(age, {"old": 40, "young": 60})]
    >>> rake(survey_sample([20] * 5), margins).weights.round(4).tolist()
    [16.6824, 17.6588, 17.6588, 23.3176, 24.6824]
    """
    return calibrate(sample, margins, method=RAKING)


@checked_call
def calibrate(
    sample: Sample,
    known: Sequence[Known],
    *,
    method: str = LINEAR,
    bounds: tuple[float, float] | None = None,
) -> Sample:
    """The sample with weights that add up to everything that is ``known``.

    ``known``: each a ``Margin`` or a ``KnownTotal``; margins of one population have one sum.
    ``method``: "linear" (weights may become negative unless there are ``bounds``), "raking", or
    "logit", which needs them. ``bounds``: the smallest and largest new weight over old one, such as
    (0.3, 3). Each set of replicate weights is calibrated too. A sample is calibrated once, with all
    that is known. Raises WeightsError, also where no weights reach the totals.

    >>> from randomized_response.samples import KnownTotal, Margin, calibrate, survey_sample
    >>> ages = [20, 30, 40, 50]
    >>> known = [Margin([1, 1, 1, 1], {1: 100}), KnownTotal(ages, 3600)]
    >>> calibrate(survey_sample([25] * 4), known).weights.round(2).tolist()
    [22.0, 24.0, 26.0, 28.0]
    """
    require_sample(sample)
    if sample.is_calibrated:
        remedy = "it is calibrated already: give all that is known in one call"
        raise WeightsError("sample", "calibrated", remedy)
    distance = _distance(method, bounds)
    columns, totals = _columns(sample, known)
    size = _size_of(known) if distance is _RAKING else None
    reach = partial(_calibrated, columns=columns, totals=totals, distance=distance, size=size)
    weights = reach(sample.weights)
    if isinstance(sample, SurveySample):
        residuals = Projection.of(columns, sample.weights)
        return replace(sample, weights=weights, residuals=residuals)
    before = sample.replicates
    numbered = enumerate(before.weights)
    rows = np.array([reach(row, which=f" of replicate {number}") for number, row in numbered])
    replicates = ReplicateWeights(
        rows, before.factors, before.around, before.index, may_be_negative=True
    )
    return replace(sample, weights=weights, replicates=replicates, is_calibrated=True)


def _columns(sample: Sample, known: Sequence[Known]) -> tuple[FloatArray, FloatArray]:
    """x, (n, q), and T, (q,)."""
    if isinstance(known, Margin | KnownTotal) or not isinstance(known, Sequence) or not known:
        remedy = "give a list of Margin(labels, sizes) and KnownTotal(values, total)"
        raise WeightsError("known", type(known).__name__, remedy)
    n, parts, sums = len(sample.weights), list[FloatArray](), list[FloatArray]()
    sources = [getattr(one, "labels", getattr(one, "values", None)) for one in known]
    columns = {_name_of(number, column): column for number, column in enumerate(sources)}
    require_aligned(WeightsError, sample=sample, **columns)
    for argument, one in zip(columns, known, strict=True):
        if isinstance(one, Margin):
            part, totals = _margin(argument, one, n)
        elif isinstance(one, KnownTotal):
            part = checked_column(argument, one.values, WeightsError, n)[:, None]
            totals = np.array([checked_float(argument, one.total, WeightsError)])
        else:
            remedy = "give Margin(labels, sizes) or KnownTotal(values, total)"
            raise WeightsError(argument, type(one).__name__, remedy)
        require_moderate(argument, np.append(part, totals), WeightsError)
        parts.append(part)
        sums.append(totals)
    named = zip(columns, known, sums, strict=True)
    _require_one_sum({name: t for name, one, t in named if isinstance(one, Margin)})
    return np.column_stack(parts), np.concatenate(sums)


def _margin(argument: str, margin: Margin, n: int) -> tuple[FloatArray, FloatArray]:
    labels = checked_labels(argument, margin.labels, n)
    sizes = checked_sizes(labels, margin.sizes)
    columns = np.column_stack([labels == label for label in sizes])
    return columns.astype(np.float64), np.array(list(sizes.values()))


def _size_of(known: Sequence[Known]) -> float | None:
    """The number of people that margins say; None where there are totals alone."""
    margins = (one for one in known if isinstance(one, Margin))
    first = next(margins, None)
    return None if first is None else float(sum(first.sizes.values()))


def _name_of(number: int, column: object) -> str:
    """What errors call it: by the name of a pandas column too."""
    name = getattr(column, "name", None)
    return f"known[{number}] ({name})" if isinstance(name, str) else f"known[{number}]"


def _require_one_sum(margins: Mapping[str, FloatArray]) -> None:
    sums = {name: float(margin.sum()) for name, margin in margins.items()}
    first = next(iter(sums), "")
    for name, other in sums.items():
        if abs(other - sums[first]) > _CLOSE * sums[first]:
            remedy = (
                f"the sizes of {first} add up to {sums[first]:.10g}: margins of one population "
                "have one sum"
            )
            raise WeightsError(name, other, remedy)


def _calibrated(
    base: FloatArray,
    columns: FloatArray,
    totals: FloatArray,
    distance: Distance,
    size: float | None,
    which: str = "",
) -> FloatArray:
    """The weights that reach the totals. Raises WeightsError where none do.

    ``size``: what they sum to. Raking does not depend on the sum that weights begin with, and
    shares, whose sum is 1, would be lost in the rounding of weights of a whole population.
    """
    if size is not None:
        base = base * (size / base.sum())
    task, b = Task.of(base, columns, totals, distance), np.zeros(len(totals))
    missing = task.missing(b)
    for _ in range(_MOST_STEPS):
        if np.abs(missing).max() <= _ENOUGH:
            break
        if (moved := _lower(task, b, task.step(b, missing), missing)) is None:
            break
        b, missing = moved
    beside = np.maximum(np.abs(task.totals), _NEAR_NOTHING)
    worst = int(np.argmax(np.abs(missing) / beside))
    if not abs(missing[worst]) <= _CLOSE * beside[worst]:
        reached = float(task.weights(b) @ columns[:, worst])
        remedy = (
            f"no weights reach this total (they end at {reached:.6g}): merge small groups, widen "
            "the bounds, or use another method"
        )
        raise WeightsError(f"a known total{which}", float(totals[worst]), remedy)
    return task.weights(b)


def _lower(
    task: Task, b: FloatArray, step: FloatArray, missing: FloatArray
) -> tuple[FloatArray, FloatArray] | None:
    """The longest of step, step / 2, ... that leads downhill or nearer; None if none does."""
    part, height, descent = 1.0, task.height(b), float(step @ missing)
    for _ in range(_MOST_HALVINGS):
        there = b + part * step
        left = task.missing(there)
        # Near the end heights differ by their rounding alone, and what is missing still shrinks.
        nearer = float(np.abs(left).max()) < float(np.abs(missing).max())
        if nearer or task.height(there) <= height - _DOWNHILL * part * descent:
            return there, left
        part /= 2
    return None


def _distance(method: object, bounds: object) -> Distance:
    if not isinstance(method, str) or method not in (LINEAR, RAKING, LOGIT):
        raise WeightsError("method", method, f"choose one of {LINEAR}, {RAKING}, {LOGIT}")
    if bounds is None:
        if method == LOGIT:
            raise WeightsError("bounds", None, "give the smallest and largest ratio: (0.3, 3)")
        return _LINEAR if method == LINEAR else _RAKING
    if method == RAKING:
        remedy = "raking has no bounds: use method='logit' or 'linear'"
        raise WeightsError("bounds", bounds, remedy)
    low, high = _checked_bounds(bounds)
    return _logistic(low, high) if method == LOGIT else _cut(low, high)


def _exponential(u: FloatArray) -> FloatArray:
    return np.exp(np.minimum(u, _LARGEST_EXPONENT))


_RAKING = Distance(_exponential, _exponential, _exponential)
_LINEAR = Distance(lambda u: 1 + u, np.ones_like, lambda u: u + u**2 / 2)


def _cut(low: float, high: float) -> Distance:
    """Their case 7: 1 + u between the bounds, and the bounds outside."""

    def integral(u: FloatArray) -> FloatArray:
        inside = np.clip(u, low - 1, high - 1)
        return np.asarray(inside + inside**2 / 2 + (u - inside) * (1 + inside))

    return Distance(
        lambda u: np.clip(1 + u, low, high),
        lambda u: ((low < 1 + u) & (1 + u < high)).astype(np.float64),
        integral,
    )


def _logistic(low: float, high: float) -> Distance:
    """Their case 6: F = (L (U - 1) + U (1 - L) e) / (U - 1 + (1 - L) e), e = exp(a u)."""
    a = (high - low) / ((1 - low) * (high - 1))
    start = math.log((1 - low) / (high - 1))

    def share(u: FloatArray) -> FloatArray:
        return np.asarray(scipy.special.expit(start + a * u))

    return Distance(
        lambda u: low + (high - low) * share(u),
        lambda u: a * (high - low) * share(u) * (1 - share(u)),
        lambda u: low * u + (high - low) / a * np.logaddexp(0, start + a * u),
    )


def _checked_bounds(bounds: object) -> tuple[float, float]:
    remedy = "give two numbers around 1, such as (0.3, 3)"
    if not isinstance(bounds, Sequence) or isinstance(bounds, str) or len(bounds) != 2:
        raise WeightsError("bounds", bounds, remedy)
    low, high = (checked_float("bounds", bound, WeightsError) for bound in bounds)
    if not -_LARGEST_BOUND <= low < 1 < high <= _LARGEST_BOUND:
        raise WeightsError("bounds", bounds, remedy)
    return low, high
