"""Which answers go with this one: decision trees (ID3) on direct or randomized answers.

A split needs a chi-square test on the reported table, with Bonferroni over the features left. The
stop buys accuracy, undoing the channel buys honest shares in the leaves. A tree describes groups;
it is never a prediction for one respondent. Source: Quinlan (1986); Kass (1980) for the stop.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analytics.comparison.answers import TreeAnswers
from analytics.comparison.checks import FloatArray, IntArray, TreeError
from analytics.comparison.trees.splits import (
    ROUNDING,
    NodePeople,
    SplitTables,
    chi_square_p,
    rescaled,
    weighted_p,
)


@dataclass(frozen=True)
class Growth:
    """How a tree grows. ``alpha`` is the level of the stop; None grows until nothing is left.

    ``least`` is the smallest size of a branch, ``deepest`` the most questions on a path.
    ``use_ratio`` ranks features by gain ratio instead of gain. No split has a branch of fewer than
    ``least_apart`` people, nor leaves so few with the same answer outside of it; where the label is
    direct neither has 1 to ``least_cell`` - 1 people of one class. Raises TreeError.
    """

    alpha: float | None = 0.05
    least: int = 1
    deepest: int | None = None
    use_ratio: bool = False
    least_apart: int = 0
    least_cell: int = 0

    def __post_init__(self) -> None:
        if self.alpha is not None and not 0 < self.alpha < 1:
            raise TreeError("alpha", self.alpha, "give a level between 0 and 1, such as 0.05")
        if self.least < 1:
            raise TreeError("least", self.least, "a branch holds at least 1 person")
        if self.deepest is not None and self.deepest < 0:
            raise TreeError("deepest", self.deepest, "give a depth of at least 0")


@dataclass(frozen=True, eq=False)
class Node:
    """``counts`` are debiased class counts that sum to ``size``; ``reported`` sums of weights.

    ``squares`` are the sums of squared weights by reported class, ``people`` how many rows stand
    behind it. An inner node has the index of its ``feature``, its gain, the corrected p-value of
    the test (None without one), and ``branches`` by the feature's true level.
    """

    counts: FloatArray
    reported: FloatArray
    squares: FloatArray
    people: int
    feature: int | None = None
    gain: float = 0.0
    p_value: float | None = None
    branches: dict[int, "Node"] = field(default_factory=dict)

    @property
    def size(self) -> float:
        """How many people it stands for."""
        return float(self.counts.sum())

    @property
    def is_leaf(self) -> bool:
        """Whether nothing is asked here."""
        return self.feature is None

    def nodes(self) -> Iterator["Node"]:
        """This node and all below it."""
        yield self
        for branch in self.branches.values():
            yield from branch.nodes()


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A grown tree and the questions that it was grown on. ``left_out`` rows missed an answer."""

    answers: TreeAnswers
    growth: Growth
    root: Node
    left_out: int

    @property
    def nodes(self) -> int:
        """How many nodes it has, leaves included."""
        return sum(1 for _ in self.root.nodes())

    def votes(self, codes: Any) -> FloatArray:
        """Return class counts of the leaves that fit each row of codes: (rows, classes).

        A missing or unseen answer searches every branch and adds up their counts; a randomized
        one searches every branch in proportion to the chance of its report.
        """
        rows = np.asarray(codes, dtype=np.int64)
        if rows.ndim != 2 or rows.shape[1] != len(self.answers.features):
            remedy = f"give one column for each of {len(self.answers.features)} features"
            raise TreeError("codes", rows.shape, remedy)
        votes = np.zeros((len(rows), len(self.answers.label.levels)))
        self._add(self.root, rows, np.arange(len(rows)), np.ones(len(rows)), votes)
        return votes

    def predict(self, codes: Any) -> IntArray:
        """Return the class with the most votes for each row; the first of equal ones."""
        classes: IntArray = np.argmax(np.round(self.votes(codes), 9), axis=1)
        return classes

    def _add(
        self, node: Node, codes: IntArray, rows: IntArray, chances: FloatArray, votes: FloatArray
    ) -> None:
        if node.feature is None:
            votes[rows] += chances[:, None] * node.counts
            return
        channel = self.answers.features[node.feature].channel
        reports = codes[rows, node.feature]
        is_known = (reports >= 0) & (reports < len(channel))
        if self.answers.features[node.feature].is_direct:
            is_known &= np.isin(reports, list(node.branches))
        for level, branch in node.branches.items():
            fits = np.where(is_known, channel[np.where(is_known, reports, 0), level], 1.0)
            kept = fits > 0
            if kept.any():
                self._add(branch, codes, rows[kept], chances[kept] * fits[kept], votes)


def grow(answers: TreeAnswers, growth: Growth | None = None) -> GrownTree:
    """Grow a tree on the rows that miss no answer. Raises TreeError where there is none."""
    chosen = growth or Growth()
    complete = answers.rows(answers.is_complete)
    tables = SplitTables(complete)
    everyone = NodePeople(np.arange(complete.people))
    available = tuple(range(len(answers.features)))
    root = _grown(tables, chosen, everyone, available, 0)
    return GrownTree(complete, chosen, root, answers.people - complete.people)


def _grown(
    tables: SplitTables, growth: Growth, people: NodePeople, available: tuple[int, ...], depth: int
) -> Node:
    node = _leaf(tables, people)
    is_pure = (node.counts > ROUNDING).sum() <= 1
    if is_pure or not available or depth == growth.deepest:
        return node
    split = _best_split(tables, growth, people, available, node)
    if split is None:
        return node
    feature, gain, p_value = split
    left = tuple(f for f in available if f != feature)
    branches = {
        level: _grown(tables, growth, part, left, depth + 1)
        for level, part in _parts(tables, people, feature)
    }
    return Node(
        node.counts,
        node.reported,
        node.squares,
        node.people,
        feature,
        gain,
        p_value,
        branches,
    )


def _leaf(tables: SplitTables, people: NodePeople) -> Node:
    labels = tables.answers.labels[people.rows]
    sums, squares = (
        np.bincount(labels, _powers(people, power), minlength=tables.classes).astype(np.float64)
        for power in (1, 2)
    )
    counts = rescaled(tables.answers.label.scores @ sums, people.size)
    return Node(counts, sums, squares, len(people.rows))


def _powers(people: NodePeople, power: int) -> FloatArray | None:
    return None if people.weights is None else people.weights**power


def _best_split(
    tables: SplitTables, growth: Growth, people: NodePeople, available: tuple[int, ...], node: Node
) -> tuple[int, float, float | None] | None:
    """The feature of the largest gain that passes; ties go to the lowest index."""
    reported = tables.of(people)
    debiased = tables.debiased(reported.copy())
    gains = tables.gains(debiased, node.counts)
    ranks = tables.gains(debiased, node.counts, ratio=True) if growth.use_ratio else gains
    for feature in sorted(available, key=lambda f: (-round(float(ranks[f]), 12), f)):
        sizes = tables.block(debiased, feature).sum(axis=1)
        filled = sizes[sizes > ROUNDING]
        if len(filled) < 2 or filled.min() < growth.least:
            continue
        if _tells_of_few(tables, growth, people, feature):
            continue
        if growth.alpha is None:
            return feature, float(gains[feature]), None
        p_value = _tested(tables, people, reported, feature) * len(available)
        if p_value <= growth.alpha:
            return feature, float(gains[feature]), p_value
    return None


def _tells_of_few(tables: SplitTables, growth: Growth, people: NodePeople, feature: int) -> bool:
    """Whether a branch, or the others with its answer, are too few where all of this is direct."""
    if people.weights is not None or not tables.answers.features[feature].is_direct:
        return False
    branches = tables.block(tables.of(people), feature)
    everyone = NodePeople(np.arange(tables.answers.people))
    counts = np.concatenate([branches, tables.block(tables.of(everyone), feature) - branches])
    sizes = counts.sum(axis=1)
    few = (sizes > 0) & (sizes < growth.least_apart)
    cells = counts if tables.answers.label.is_direct else np.zeros(1)
    return bool(few.any() or ((cells > 0) & (cells < growth.least_cell)).any())


def _tested(tables: SplitTables, people: NodePeople, reported: FloatArray, feature: int) -> float:
    table = tables.block(reported, feature)
    if people.weights is None:
        return chi_square_p(table)
    return weighted_p(table, tables.block(tables.of(people, power=2), feature))


def _parts(
    tables: SplitTables, people: NodePeople, feature: int
) -> Iterator[tuple[int, NodePeople]]:
    """The branches of a split by true level, without empty ones."""
    question = tables.answers.features[feature]
    reports = tables.answers.codes[people.rows, feature]
    for level in range(len(question.levels)):
        if question.is_direct:
            chosen = reports == level
            weights = None if people.weights is None else people.weights[chosen]
            part = NodePeople(people.rows[chosen], weights)
        else:
            before = 1.0 if people.weights is None else people.weights
            part = NodePeople(people.rows, before * question.scores[level, reports])
        if part.size > ROUNDING:
            yield level, part
