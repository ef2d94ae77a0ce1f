"""Earthmover distance of clouds of weighted points: exact where that is quick, else sliced.

Exact distances come from a linear program (HiGHS) or, for clouds of equally many equal points, from
an assignment. Larger clouds get the *sliced* distance, the mean W1 over directions (Rabin et al.
2012): another distance, under its own name, never larger than the exact one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analytics.comparison.checks import (
    ComparisonError,
    FloatArray,
    checked_costs,
    checked_points,
    checked_weights,
)
from analytics.comparison.transport import line_distance
from surveys.randomized_response.messages import figure, sentence

MOST_ASSIGNED = 1_000
# Pairs of points up to which a linear program takes a few seconds.
MOST_PAIRS = 60_000
DIRECTIONS = 500
# Flows of small linear programs that are solved together.
TOGETHER = 2_000
# A matrix of distances is read by people who round it: so much of the largest may be missing.
METRIC_TOLERANCE = 1e-9


class Metric(StrEnum):
    """The distance of two points: straight (Euclid), or along the axes (Manhattan)."""

    EUCLIDEAN = "euclidean"
    MANHATTAN = "manhattan"


class DistanceMethod(Enum):
    """How a distance was found; ``SLICED`` is a distance of its own."""

    LINE = sentence("exact, on a line")
    LINEAR_PROGRAM = sentence("exact, by linear program")
    ASSIGNMENT = sentence("exact, by assignment")
    SLICED = sentence("sliced distance")


@dataclass(frozen=True, eq=False)
class CloudDistance:
    """``value`` in the unit of the ground metric, the ``method``, and the ``plan`` if it is exact.

    ``plan`` (points of x, points of y) sums to 1. ``standard_error`` is that of sliced distances,
    over their directions.
    """

    value: float
    method: DistanceMethod
    plan: FloatArray | None = None
    standard_error: float = 0.0


def cloud_distance(
    x: ArrayLike,
    y: ArrayLike,
    wx: ArrayLike | None = None,
    wy: ArrayLike | None = None,
    *,
    metric: Metric = Metric.EUCLIDEAN,
    rng: np.random.Generator | None = None,
    is_sliced: bool | None = None,
) -> CloudDistance:
    """Return W1 of two clouds, shapes (n, d) and (m, d); the method follows from their sizes.

    Weights are at least 0 and normalised here; repeated points keep their mass. ``rng`` draws the
    directions of a sliced distance. ``is_sliced`` demands a sliced or an exact distance, so that
    parts of clouds are measured as the whole is. Raises ComparisonError.
    """
    first, second = checked_points("x", x), checked_points("y", y)
    if first.shape[1] != second.shape[1]:
        shapes = f"{first.shape[1]} and {second.shape[1]} dimensions"
        raise ComparisonError("y", shapes, "give points with the same questions in both clouds")
    if first.shape[1] == 1:
        return CloudDistance(line_distance(first[:, 0], second[:, 0], wx, wy), DistanceMethod.LINE)
    weights = checked_weights("wx", wx, len(first)), checked_weights("wy", wy, len(second))
    if is_sliced is None:
        is_quick = len(first) * len(second) <= MOST_PAIRS
        is_sliced = not (is_quick or _is_assignable(*weights))
    if not is_sliced:
        return transport(ground_costs(first, second, metric), *weights)
    if metric is not Metric.EUCLIDEAN:
        pairs = f"{len(first):,} by {len(second):,} points"
        remedy = sentence(
            "choose the Euclidean metric, because groups of this size can be compared only with "
            "the sliced distance, which needs the Euclidean metric"
        )
        raise ComparisonError("metric", pairs, remedy)
    return sliced_distance(first, second, *weights, rng=rng, directions=DIRECTIONS)


def has_exact_distance(n: int, m: int) -> bool:
    """Whether clouds of so many equal points have an exact distance, or a sliced one only."""
    return n == m <= MOST_ASSIGNED or n * m <= MOST_PAIRS


def transport(
    costs: ArrayLike, wx: ArrayLike | None = None, wy: ArrayLike | None = None
) -> CloudDistance:
    """Return the cheapest way to move masses ``wx`` onto ``wy`` at ``costs`` (n, m): exact.

    Minimise sum costs * plan where rows of the plan sum to ``wx`` and columns to ``wy``: the
    second sum runs over the points of x (a widely read tutorial prints it over those of y).
    Raises ComparisonError.
    """
    table = checked_costs(costs)
    rows = checked_weights("wx", wx, table.shape[0])
    columns = checked_weights("wy", wy, table.shape[1])
    if _is_assignable(rows, columns):
        plan = _assigned(table)
        return CloudDistance(float((table * plan).sum()), DistanceMethod.ASSIGNMENT, plan)
    if table.size > MOST_PAIRS:
        remedy = f"an exact distance takes at most {MOST_PAIRS:,} pairs of points"
        raise ComparisonError("costs", table.shape, remedy)
    plan = _programmed(table, rows, columns)
    return CloudDistance(float((table * plan).sum()), DistanceMethod.LINEAR_PROGRAM, plan)


def sliced_distance(
    x: ArrayLike,
    y: ArrayLike,
    wx: ArrayLike | None = None,
    wy: ArrayLike | None = None,
    *,
    rng: np.random.Generator | None = None,
    directions: int = DIRECTIONS,
) -> CloudDistance:
    """Return the mean W1 of two clouds along random directions, uniform on the sphere.

    Raises ComparisonError.
    """
    first, second = checked_points("x", x), checked_points("y", y)
    if directions < 2:
        raise ComparisonError("directions", directions, "look along at least 2 directions")
    drawn = (rng or np.random.default_rng(0)).standard_normal((first.shape[1], directions))
    drawn /= np.linalg.norm(drawn, axis=0)
    # One direction after the other: all of them together do not fit memory for a million people.
    values = np.array([line_distance(first @ way, second @ way, wx, wy) for way in drawn.T])
    error = float(values.std(ddof=1) / np.sqrt(directions))
    return CloudDistance(float(values.mean()), DistanceMethod.SLICED, None, error)


def ground_costs(x: FloatArray, y: FloatArray, metric: Metric = Metric.EUCLIDEAN) -> FloatArray:
    """Return the distances of all pairs of points, shape (n, m)."""
    # SciPy's spatial takes a tenth of a second to load; only clouds need it.
    from scipy.spatial.distance import cdist

    name: Any = "cityblock" if metric is Metric.MANHATTAN else "euclidean"
    costs: FloatArray = cdist(x, y, name)
    return costs


def checked_metric(matrix: ArrayLike) -> FloatArray:
    """Return a matrix of distances between the points of one scale, if it is a metric.

    It must be square and symmetric, 0 on the diagonal alone, and no detour may be shorter than the
    direct way. Raises ComparisonError with the first points that break a rule.
    """
    table = checked_costs(matrix)
    if table.shape[0] != table.shape[1]:
        raise ComparisonError("metric", table.shape, "give a square table, one row a level")
    slack = METRIC_TOLERANCE * float(table.max())
    rules = (
        (
            np.abs(table - table.T) > slack,
            sentence("the distance must be equal in both directions"),
        ),
        (
            np.diag(np.diag(table)) > slack,
            sentence("the distance of an answer to itself must be 0"),
        ),
        (
            (table <= slack) & ~np.eye(len(table), dtype=bool),
            sentence("two different answers must have a distance above 0"),
        ),
    )
    for broken, remedy in rules:
        _check_rule(table, broken, remedy)
    for middle in range(len(table)):
        detour = table[:, [middle]] + table[[middle], :]
        remedy = sentence(
            "reduce this distance or increase other distances. In a metric, the direct distance "
            "is never longer than the way over answer {level}",
            level=middle + 1,
        )
        _check_rule(table, table > detour + slack, remedy)
    return table


def metric_distance(difference: ArrayLike, metric: ArrayLike) -> float:
    """Return W1 of a signed difference of two laws, summing to 0, under a ground metric (k, k).

    What one law has more is moved to where the other has more; by the triangle inequality nothing
    else need move. So a randomized difference needs no projection. Raises ComparisonError.
    """
    table = checked_metric(metric)
    moved = np.asarray(difference, dtype=np.float64)
    if moved.shape != (len(table),) or not np.isfinite(moved).all() or abs(moved.sum()) > 1e-6:
        remedy = f"give {len(table)} finite numbers that sum to 0"
        raise ComparisonError("difference", moved.tolist(), remedy)
    return moved_cost(moved, table)


def moved_cost(difference: FloatArray, metric: FloatArray) -> float:
    """Return the same for a difference and a metric that are checked."""
    return float(moved_costs(difference[None], metric)[0])


def moved_costs(differences: FloatArray, metric: FloatArray) -> FloatArray:
    """Return the same for many differences, shape (differences, points).

    They share one linear program, each with flows of its own: of small ones the overhead of a
    program is nearly all of its time.
    """
    moves = [_Move.of(row, metric) for row in differences]
    values = np.zeros(len(moves))
    batch: list[int] = []
    for position in range(len(moves)):
        batch.append(position)
        is_last = position == len(moves) - 1
        if is_last or sum(moves[x].costs.size for x in batch) >= TOGETHER:
            values[batch] = _costs([moves[x] for x in batch])
            batch = []
    return values


@dataclass(frozen=True, eq=False)
class _Move:
    """What moves in a difference: its mass, the shares that leave and arrive, their distances."""

    mass: float
    leaving: FloatArray
    arriving: FloatArray
    costs: FloatArray

    @classmethod
    def of(cls, difference: FloatArray, metric: FloatArray) -> "_Move":
        source, target = np.flatnonzero(difference > 0), np.flatnonzero(difference < 0)
        if not source.size or not target.size:
            return cls(0.0, np.zeros(0), np.zeros(0), np.zeros((0, 0)))
        leaving, arriving = difference[source], -difference[target]
        costs = metric[np.ix_(source, target)]
        return cls(float(leaving.sum()), leaving / leaving.sum(), arriving / arriving.sum(), costs)


def _costs(moves: Sequence[_Move]) -> FloatArray:
    """The costs of moves that share one linear program."""
    moving = [move for move in moves if move.mass]
    if not moving:
        return np.zeros(len(moves))
    flows = _flows(
        np.concatenate([move.costs.ravel() for move in moving]),
        _sums_of([move.costs.shape for move in moving]),
        np.concatenate([np.concatenate([m.leaving, m.arriving])[:-1] for m in moving]),
    )
    ends = np.cumsum([move.costs.size for move in moving])[:-1]
    parts = zip(np.split(flows, ends), moving, strict=True)
    costs = iter([m.mass * float(part @ m.costs.ravel()) for part, m in parts])
    return np.array([next(costs) if move.mass else 0.0 for move in moves])


def _check_rule(table: FloatArray, broken: np.ndarray, remedy: str) -> None:
    if broken.any():
        row, column = map(int, np.argwhere(broken)[0])
        about = sentence(
            "the distance between answers {one} and {other} ({apart})",
            one=row + 1,
            other=column + 1,
            apart=figure(table[row, column], "g"),
        )
        raise ComparisonError("metric", about, remedy)


def _is_assignable(wx: FloatArray, wy: FloatArray) -> bool:
    """Whether both clouds have equally many equal points, few enough for an assignment."""
    size = len(wx)
    is_small = len(wy) == size <= MOST_ASSIGNED
    return is_small and bool(np.ptp(wx) < 1e-15 and np.ptp(wy) < 1e-15)


def _assigned(costs: FloatArray) -> FloatArray:
    """By Jonker and Volgenant's algorithm: some optimal plan moves whole points (Birkhoff)."""
    from scipy.optimize import linear_sum_assignment

    plan = np.zeros_like(costs)
    plan[linear_sum_assignment(costs)] = 1.0 / len(costs)
    return plan


def _programmed(costs: FloatArray, wx: FloatArray, wy: FloatArray) -> FloatArray:
    flows = _flows(costs.ravel(), _sums_of([costs.shape]), np.concatenate([wx, wy])[:-1])
    return flows.reshape(costs.shape)


def _sums_of(shapes: Sequence[tuple[int, ...]]) -> Any:
    """The equations of plans (n, m), one after the other.

    One a point; the last of each plan follows from its others.
    """
    rows, columns = [], []
    equations = flows = 0
    for n, m in shapes:
        flow = np.arange(n * m)
        leaving, arriving = flow // m, flow % m
        is_kept = arriving < m - 1
        rows += [equations + leaving, equations + n + arriving[is_kept]]
        columns += [flows + flow, flows + flow[is_kept]]
        equations, flows = equations + n + m - 1, flows + n * m
    places = np.concatenate(rows), np.concatenate(columns)
    ones = np.ones(len(places[0]))
    return scipy.sparse.csr_array((ones, places), shape=(equations, flows))


def _flows(costs: FloatArray, sums: Any, masses: FloatArray) -> FloatArray:
    """The cheapest flows of at least 0 with these sums, by HiGHS."""
    from scipy.optimize import linprog

    scale = float(costs.max()) or 1.0
    # Presolving finds nothing to leave out of such equations, and takes a quarter of the time.
    program = linprog(costs / scale, A_eq=sums, b_eq=masses, options={"presolve": False})
    if program.x is None:
        raise ComparisonError("costs", program.message, "the linear program found no plan")
    flows: FloatArray = np.maximum(program.x, 0.0)
    return flows
