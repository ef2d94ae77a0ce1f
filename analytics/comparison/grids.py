"""Clouds on a grid of levels, and of answers that went through channels: joint laws, compared.

Each question of a person is drawn on its own, so the channel of all of them is a Kronecker product;
it is undone question by question. What comes out is the unbiased joint law of the true answers, on
a grid with a cell for each combination. It may be negative in places: W1 needs its difference only.

The noise of a group of many people a cell comes from surveys drawn anew. Of few people those would
not do: most people stand alone, and who is drawn anew stands exactly where they were. Then two
random halves of the group stand for the noise, as for clouds of people: W1 is a norm of differences
of laws, which are unbiased, so that the argument there holds here too. Our derivation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Literal

import numpy as np

from analytics.comparison.checks import ComparisonError, FloatArray, IntArray, checked_counts
from analytics.comparison.clouds import Metric, ground_costs
from analytics.comparison.groups import LEAST_ANSWERED, Scale, distances_of
from analytics.comparison.people import LEVEL, STRANGERS, CloudComparison, Watch, corrected
from analytics.comparison.permutation import FEW_LEVELS, drawn_p_value, enough_draws
from analytics.comparison.reach import enough_for_quantile, interval_of, reach_of
from surveys.randomized_response.designs import DesignLike, channel_of, scores_of
from surveys.randomized_response.messages import sentence

# Each draw is a linear program between the cells that gain and those that lose: some 50 ms here.
MOST_CELLS = 250
DRAWS = 199
# With fewer people a combination the bootstrap is too narrow: 10 beside 520 people on 128
# combinations never had 0 in their interval where nothing differs.
PEOPLE_A_CELL = 4


@dataclass(frozen=True, eq=False)
class Axis:
    """A question of a grid: the scale of its true levels, and the design of its reports, if any."""

    scale: Scale
    design: DesignLike | None = None

    @property
    def reported(self) -> int:
        """The number of reported levels."""
        if self.design is None:
            return self.scale.levels
        return channel_of(self.design).reported_levels

    @cached_property
    def scores(self) -> FloatArray:
        """What undoes the channel: (true levels that have a place, reported levels)."""
        every = np.eye(self.scale.levels) if self.design is None else scores_of(self.design)
        placed: FloatArray = every[self.scale.placed]
        return placed


@dataclass(frozen=True, eq=False)
class Grid:
    """All combinations of the answers to several questions. Raises ComparisonError above 250."""

    axes: tuple[Axis, ...]

    def __post_init__(self) -> None:
        sizes = [len(axis.scale.positions) for axis in self.axes]
        if prod(sizes) > MOST_CELLS:
            shape = f"{' × '.join(map(str, sizes))} = {prod(sizes):,} combinations"
            remedy = sentence(
                "choose fewer questions, or questions with fewer possible answers, because "
                "randomized answers can be compared on at most {most} combinations of answers",
                most=MOST_CELLS,
            )
            raise ComparisonError("questions", shape, remedy)

    @property
    def is_randomized(self) -> bool:
        """Whether the answers to one of the questions went through a channel."""
        return any(axis.design is not None for axis in self.axes)

    @property
    def reported(self) -> tuple[int, ...]:
        """The shape of a table of reports."""
        return tuple(axis.reported for axis in self.axes)

    @property
    def combinations(self) -> int:
        """How many combinations of true answers there are, declined ones included."""
        return prod(axis.scale.levels for axis in self.axes)

    @cached_property
    def points(self) -> FloatArray:
        """Where the cells are, shape (cells, questions), in the questions' own units."""
        places = np.meshgrid(*(axis.scale.positions for axis in self.axes), indexing="ij")
        return np.stack([places_on_axis.ravel() for places_on_axis in places], axis=1)

    def laws(self, frequencies: FloatArray) -> FloatArray:
        """Unbiased laws (..., cells) of those who answered all questions, from all reports.

        ``frequencies`` have shape (..., *reported). Who declined a question has no place.
        """
        undone = frequencies
        before = frequencies.ndim - len(self.axes)
        for number, axis in enumerate(self.axes):
            turned = np.tensordot(undone, axis.scores, axes=(before + number, 1))
            undone = np.moveaxis(turned, -1, before + number)
        flat = undone.reshape(*frequencies.shape[:before], -1)
        answered = flat.sum(axis=-1, keepdims=True)
        law: FloatArray = flat / np.maximum(answered, LEAST_ANSWERED)
        return law


@dataclass(frozen=True, eq=False)
class GridClouds:
    """Counts of combinations of reports by group, each of the shape ``grid.reported``."""

    grid: Grid
    counts: Mapping[str, IntArray]

    def __post_init__(self) -> None:
        shape = self.grid.reported
        checked = {}
        for name, counts in self.counts.items():
            flat = checked_counts(name, np.ravel(counts), prod(shape))
            checked[name] = flat.reshape(shape)
            law = self.grid.laws(checked[name] / flat.sum())
            if not np.isclose(law.sum(), 1.0, atol=1e-6):
                remedy = sentence(
                    "choose other questions, because almost all people in this group preferred "
                    "not to answer one of these questions"
                )
                raise ComparisonError(name, sentence("no answers"), remedy)
        object.__setattr__(self, "counts", checked)

    @cached_property
    def laws(self) -> FloatArray:
        """The groups' laws, shape (groups, cells)."""
        return np.stack([self.grid.laws(counts / counts.sum()) for counts in self.counts.values()])

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many people each group has, those who declined included."""
        return tuple(int(counts.sum()) for counts in self.counts.values())

    @cached_property
    def together(self) -> IntArray:
        """The counts of all groups."""
        together: IntArray = np.sum(list(self.counts.values()), axis=0)
        return together

    @cached_property
    def means(self) -> FloatArray:
        """Estimated means, shape (groups, questions)."""
        return self.laws @ self.grid.points

    @cached_property
    def units(self) -> FloatArray:
        """What the answers to each question are divided by, shape (questions,).

        The spread (standard deviation) of direct answers over all people. Of randomized ones it
        would be an estimate, of rare answers often near 0 or below it, and distances would grow and
        shrink by chance: there it is half the range, the largest spread that answers can have.
        """
        return np.array([self._unit(axis) for axis in range(len(self.grid.axes))])

    def _unit(self, question: int) -> float:
        axis = self.grid.axes[question]
        places = axis.scale.positions
        if axis.design is not None:
            return float(np.ptp(places)) / 2
        others = tuple(x for x in range(len(self.grid.axes)) if x != question)
        answered = self.together.sum(axis=others)[axis.scale.placed]
        law = answered / answered.sum()
        # A question that all answered alike tells nothing, and divides by nothing.
        return float(np.sqrt(law @ (places - law @ places) ** 2)) or 1.0


def compare_grids(
    clouds: GridClouds,
    units: Sequence[float],
    metric: Metric,
    rng: np.random.Generator,
    watch: Watch = lambda fraction: None,
    *,
    draws: int = DRAWS,
) -> tuple[CloudComparison, ...]:
    """Compare all pairs of groups; distances are in ``units`` of each question.

    The interval is the distance plus or minus a quantile of the W1 of the noise alone, as on a
    line, or of halves where people are few; all pairs hold together. People are split at random,
    with all their reports: exact in level. Raises ComparisonError.
    """
    if len(clouds.counts) < 2:
        raise ComparisonError(
            "groups", len(clouds.counts), sentence("a comparison needs two groups")
        )
    points = clouds.grid.points / np.asarray(units)
    scale = Scale(np.arange(float(len(points))), metric=ground_costs(points, points, metric))
    pairs = list(combinations(clouds.counts, 2))
    level = 1 - (1 - LEVEL) / len(pairs)
    draws = enough_for_quantile(enough_draws(draws, len(pairs)), level)
    compared = []
    for number, (first, second) in enumerate(pairs):
        watch(number / len(pairs))
        compared.append(_pair(clouds, (first, second), scale, level, draws, rng))
    return corrected(compared)


def _pair(
    clouds: GridClouds,
    names: tuple[str, str],
    scale: Scale,
    level: float,
    draws: int,
    rng: np.random.Generator,
) -> CloudComparison:
    grid = clouds.grid
    left, right = (clouds.counts[name] for name in names)
    laws = [grid.laws(counts / counts.sum()) for counts in (left, right)]
    distance = float(distances_of(laws[0] - laws[1], scale))
    errors = [_error(clouds, counts, draws, rng) for counts in (left, right)]
    reach = reach_of(distances_of(errors[0] - errors[1], scale), level)
    null = distances_of(_split(grid, left, right, draws, rng), scale)
    p_value = drawn_p_value(null, distance)
    return CloudComparison(
        *names,
        distance,
        *interval_of(distance, reach, scale.width, differ=p_value <= 1 - level),
        sentence("exact, on a grid of {count} combinations of answers", count=len(scale.positions)),
        0.0,
        float(np.median(null)),
        p_value,
        sentence(
            "{draws} random splits of the people, with all reported answers of a person kept "
            "together",
            draws=draws,
        ),
    )


def _error(
    clouds: GridClouds, counts: IntArray, draws: int, rng: np.random.Generator
) -> FloatArray:
    """How far a group's law is off, or its halves are apart, shape (draws, cells)."""
    if counts.sum() < PEOPLE_A_CELL * clouds.grid.combinations:
        return _halves(clouds, counts, draws, rng)
    return _redrawn(clouds.grid, counts, draws, rng)


def _redrawn(grid: Grid, counts: IntArray, draws: int, rng: np.random.Generator) -> FloatArray:
    """How far a law is off in surveys drawn anew, shape (draws, cells).

    Half a person more for each answer of the longest question is spread over all combinations, so
    that a group that answered alike is not known exactly.
    """
    added = 0.5 * max(counts.shape) / counts.size
    chances = (counts + added) / (counts + added).sum()
    n = int(counts.sum())
    drawn = rng.multinomial(n, chances.ravel(), size=draws).reshape(draws, *counts.shape) / n
    return grid.laws(drawn) - grid.laws(chances)


def _halves(
    clouds: GridClouds, counts: IntArray, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Differences of the laws of random halves of a group, each with a few strangers."""
    everyone = clouds.together.ravel() / clouds.together.sum()
    strangers = rng.multinomial(STRANGERS, everyone, size=(2, draws))
    half = _taken(counts, int(counts.sum()) // 2, draws, rng)
    parts = half + strangers[0], counts.ravel() - half + strangers[1]
    shape = (draws, *counts.shape)
    laws = [
        clouds.grid.laws((part / part.sum(axis=1, keepdims=True)).reshape(shape)) for part in parts
    ]
    difference: FloatArray = laws[0] - laws[1]
    return difference


def _split(
    grid: Grid, first: IntArray, second: IntArray, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Differences of laws of random splits of all people, shape (draws, cells)."""
    pooled, size = first + second, int(first.sum())
    drawn = _taken(pooled, size, draws, rng)
    rest = (pooled.ravel() - drawn) / (pooled.sum() - size)
    shape = (draws, *first.shape)
    return grid.laws((drawn / size).reshape(shape)) - grid.laws(rest.reshape(shape))


def _taken(counts: IntArray, size: int, draws: int, rng: np.random.Generator) -> IntArray:
    """Counts of ``size`` people taken at random, shape (draws, reported cells)."""
    pooled = counts.ravel()
    method: Literal["marginals", "count"] = "marginals" if len(pooled) <= FEW_LEVELS else "count"
    drawn: IntArray = rng.multivariate_hypergeometric(pooled, size, size=draws, method=method)
    return drawn
