"""KnownGroup and Scale: counts of reports, what undoes their channel, and where the levels stand.

W1 only shrinks under randomization: k-ary response multiplies each difference of two laws by p - q,
so that W1(true) = W1(reported) / (p - q). For any other channel the difference is undone first.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analytics.comparison.checks import (
    ComparisonError,
    FloatArray,
    IntArray,
    checked_counts,
    checked_patterns,
    checked_positions,
)
from analytics.comparison.clouds import checked_metric, moved_costs
from analytics.comparison.transport import signed_distance
from surveys.randomized_response.designs import DesignLike, channel_of, scores_of
from surveys.randomized_response.messages import sentence

# Below this share of people who answered, the law of their answers is noise alone.
LEAST_ANSWERED = 0.05


@dataclass(frozen=True, eq=False)
class Scale:
    """Where the true levels of a question stand on a line.

    ``positions`` ascend, one for each level that has a place; ``declined`` is the index of "prefer
    not to say" among the true levels, which has none. ``unit`` is what one step is called.
    ``metric``: distances of the levels (levels, levels), for answers without an order; positions
    then only number them. Raises ComparisonError.
    """

    positions: FloatArray
    declined: int | None = None
    unit: str = "steps"
    metric: FloatArray | None = None

    def __post_init__(self) -> None:
        places = checked_positions(self.positions, np.size(self.positions))
        object.__setattr__(self, "positions", places)
        if len(places) < 2:
            raise ComparisonError("positions", places.tolist(), "a scale has at least 2 levels")
        if self.metric is not None:
            object.__setattr__(self, "metric", checked_metric(self.metric))
            if self.metric.shape[0] != len(places):
                remedy = sentence(
                    "give {count} rows and columns, one for each answer", count=len(places)
                )
                raise ComparisonError("metric", self.metric.shape, remedy)
        if self.declined is not None and not 0 <= self.declined <= len(places):
            raise ComparisonError(
                "declined", self.declined, f"levels are numbered 0 to {len(places)}"
            )

    @property
    def levels(self) -> int:
        """The number of true levels, "prefer not to say" included."""
        return len(self.positions) + (self.declined is not None)

    @property
    def width(self) -> float:
        """The largest distance that two groups can have."""
        if self.metric is not None:
            return float(self.metric.max())
        return float(self.positions[-1] - self.positions[0])

    @cached_property
    def placed(self) -> IntArray:
        """The indices of the levels that have a place."""
        every = np.arange(self.levels)
        return every if self.declined is None else np.delete(every, self.declined)


@dataclass(frozen=True, eq=False)
class KnownGroup:
    """A group's counts of reported levels, and the design by which its people answered.

    ``design`` is None for direct answers. People who rate several items send several reports, which
    depend on each other: then ``patterns`` (patterns, reported levels) are the shares of levels in
    what one person sent, and ``counts`` says how many people sent each pattern. Raises
    ComparisonError for counts that the design cannot give, or an empty group.
    """

    name: str
    counts: IntArray
    design: DesignLike | None = None
    patterns: FloatArray | None = None

    def __post_init__(self) -> None:
        reported = None if self.design is None else channel_of(self.design).reported_levels
        if self.patterns is not None:
            object.__setattr__(self, "patterns", checked_patterns(self.patterns))
            if reported not in (None, self.patterns.shape[1]):
                remedy = f"the design reports {reported} levels: groups need one scale"
                raise ComparisonError("patterns", self.patterns.shape, remedy)
            reported = len(self.patterns)
        object.__setattr__(self, "counts", checked_counts(self.name, self.counts, reported))

    @property
    def n(self) -> int:
        """How many people answered or declined."""
        return int(self.counts.sum())

    @property
    def levels(self) -> int:
        """The number of true levels."""
        if self.design is None:
            return len(self.counts) if self.patterns is None else self.patterns.shape[1]
        return channel_of(self.design).true_levels

    @property
    def frequencies(self) -> FloatArray:
        """The shares of the reported levels."""
        return self.frequencies_of(self.counts)

    def frequencies_of(self, counts: IntArray) -> FloatArray:
        """The same for other counts of as many people or patterns, shape (..., counts)."""
        shares = counts / counts.sum(axis=-1, keepdims=True)
        return np.asarray(shares if self.patterns is None else shares @ self.patterns, np.float64)

    def redrawn(self, draws: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Frequencies of groups drawn anew, shape (draws, reported levels), and their centre.

        People are drawn, each with all their reports. Half a person more stands at each level, but
        two in all (Agresti and Caffo 2000), so that unseen levels are not impossible.
        """
        if self.patterns is None:
            people = self.counts + _added(len(self.counts))
            chances = np.asarray(people / people.sum(), np.float64)
            return rng.multinomial(self.n, chances, size=draws) / self.n, chances
        levels = self.patterns.shape[1]
        patterns = np.concatenate([self.patterns, np.eye(levels)])
        people = np.concatenate([self.counts, np.full(levels, _added(levels))])
        chances = np.asarray(people / people.sum(), np.float64)
        drawn = rng.multinomial(self.n, chances, size=draws) / self.n
        return drawn @ patterns, chances @ patterns

    def shares(self, frequencies: FloatArray) -> FloatArray:
        """Unbiased shares of the true levels, shape (..., levels), from those of the reports."""
        if self.design is None:
            return frequencies
        undone: FloatArray = frequencies @ scores_of(self.design).T
        return undone

    def reports(self, shares: FloatArray) -> FloatArray:
        """The law of reports, shape (reported levels,), of people with these true shares."""
        if self.design is None:
            return shares
        reported: FloatArray = channel_of(self.design).matrix @ shares
        return reported


def _added(levels: int) -> float:
    """Parts of a person added at each level before a group is drawn anew."""
    return max(0.5, 2 / levels)


def laws_of(shares: FloatArray, scale: Scale) -> FloatArray:
    """Return the laws of people who answered: shape (..., placed levels), each summing to 1.

    ``shares`` (..., levels) are of all true levels, and may be negative.
    """
    if scale.declined is None:
        return shares
    answered = 1.0 - shares[..., [scale.declined]]
    laws: FloatArray = shares[..., scale.placed] / np.maximum(answered, LEAST_ANSWERED)
    return laws


def estimated_law(group: KnownGroup, scale: Scale) -> FloatArray:
    """Return the unbiased law of a group's true answers. Raises ComparisonError."""
    if group.levels != scale.levels:
        remedy = (
            f"its question has another scale than {scale.levels} levels: compare like with like"
        )
        raise ComparisonError(group.name, f"{group.levels} levels", remedy)
    shares = group.shares(group.frequencies)
    if scale.declined is not None and 1 - shares[scale.declined] < LEAST_ANSWERED:
        remedy = sentence(
            "almost all people in this group preferred not to say, so compare the shares of "
            "people who preferred not to say"
        )
        raise ComparisonError(group.name, sentence("no answers"), remedy)
    return laws_of(shares, scale)


def group_distance(first: KnownGroup, second: KnownGroup, scale: Scale) -> float:
    """Return the estimated W1 of two groups' true answers, each undone by its own channel.

    Neither clipped nor projected: it may lie above the width of the scale. Raises ComparisonError.
    """
    laws = [estimated_law(group, scale) for group in (first, second)]
    return float(distances_of(laws[0] - laws[1], scale))


def distances_of(differences: FloatArray, scale: Scale) -> FloatArray:
    """Return W1 for differences of two laws, shape (..., levels), on a line or under a metric."""
    if scale.metric is None:
        return signed_distance(differences, scale.positions)
    rows = differences.reshape(-1, differences.shape[-1])
    return moved_costs(rows, scale.metric).reshape(differences.shape[:-1])


def is_k_ary(group: KnownGroup) -> bool:
    """Whether its channel shrinks all differences alike, so that stored counts can be compared."""
    if group.design is None:
        return True
    scores = scores_of(group.design)
    if scores.shape[0] != scores.shape[1]:
        return False
    off = scores[~np.eye(len(scores), dtype=bool)]
    return bool(np.ptp(off) < 1e-9 and np.ptp(np.diag(scores)) < 1e-9)


def are_exchangeable(first: KnownGroup, second: KnownGroup) -> bool:
    """Whether people may change groups if groups do not differ: one channel, as many reports."""
    if not _are_equal(first.patterns, second.patterns):
        return False
    if first.design is None or second.design is None:
        return first.design is second.design
    matrix, other = channel_of(first.design).matrix, channel_of(second.design).matrix
    return matrix.shape == other.shape and bool(np.allclose(matrix, other, rtol=0, atol=1e-12))


def _are_equal(matrix: FloatArray | None, other: FloatArray | None) -> bool:
    if matrix is None or other is None:
        return matrix is other
    return np.array_equal(matrix, other)
