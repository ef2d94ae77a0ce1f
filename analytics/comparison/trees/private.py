"""A decision tree under differential privacy: noisy tables split it, noisy counts are its leaves.

Level by level, every open node has a table of label by level for each feature left on its path. A
respondent is in one node and in one cell of each of its tables, so that all tables of a level move
by an L2 distance of at most sqrt(features left), or sqrt(2) times that if one respondent is
replaced. The leaves' label counts move by 1, or sqrt(2). Each level and the leaves are one release;
everything else looks at releases alone. Levels of features and labels are public: a list of them
made from the answers would tell who gave them. Proof: docs/privacy-proofs.md, section 7b.

A node is split if a test of independence that knows of the noise (``noisy_p_value``) is significant
after Bonferroni's correction over the features left. Answers are direct; a missing one is a level
of its own.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from analytics.comparison.answers import TreeAnswers, TreeQuestion
from analytics.comparison.checks import FloatArray, IntArray, TreeError
from analytics.privacy.accounting import Adjacency
from analytics.privacy.gaussian import compose
from analytics.privacy.mechanisms import Noise, Release, release_sum
from surveys.randomized_response.messages import figure, sentence

# Counts are multiplied by this, so that an irrational sensitivity rounds up by 0.1 % at most.
_GRID = 1_024
_MOST_CELLS = 1_000_000
_MOST_DEPTH = 8
# Without noise, levels that no one gave have no variance and nothing to divide.
_LEAST_VARIANCE = 1e-12
Path = tuple[tuple[int, int], ...]
Count = Callable[[TreeAnswers, Sequence[Path]], IntArray]


@dataclass(frozen=True)
class PrivateGrowth:
    """How many questions deep, the level of the test, and the leaves' share of mu^2. TreeError."""

    depth: int = 2
    alpha: float = 0.05
    leaf_share: float = 0.5

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= _MOST_DEPTH:
            raise TreeError("depth", self.depth, f"give 1 to {_MOST_DEPTH} questions")
        if not 0 < self.alpha < 1:
            raise TreeError("alpha", self.alpha, "give a level between 0 and 1, such as 0.05")
        if not 0 < self.leaf_share < 1:
            raise TreeError("leaf_share", self.leaf_share, "give a share between 0 and 1")


@dataclass(frozen=True, eq=False)
class PrivateNode:
    """``path`` of (feature, level); a leaf has noisy label ``counts``, unbiased, maybe below 0."""

    path: Path
    feature: int | None = None
    p_value: float | None = None
    counts: FloatArray | None = None
    branches: dict[int, "PrivateNode"] = field(default_factory=dict)

    def leaves(self) -> Iterator["PrivateNode"]:
        """All leaves below, or itself."""
        if self.feature is None:
            yield self
        for branch in self.branches.values():
            yield from branch.leaves()


@dataclass(frozen=True, eq=False)
class Stage:
    """The nodes whose tables (or leaf counts, if it is the last stage) one release holds."""

    paths: tuple[Path, ...]
    release: Release


@dataclass(frozen=True, eq=False)
class PrivateTree:
    """The tree, the releases behind it, and what they were charged for ``adjacency``."""

    root: PrivateNode
    stages: tuple[Stage, ...]
    adjacency: Adjacency

    @property
    def mu(self) -> float:
        """Of everything that was released."""
        return compose([stage.release.mu for stage in self.stages])

    @property
    def leaf_noise(self) -> float:
        """The standard deviation of every leaf count."""
        return self.stages[-1].release.noise_sd

    @property
    def is_private(self) -> bool:
        """False for test noise; such a tree must not be stored."""
        return all(stage.release.is_private for stage in self.stages)


def grow_privately(
    answers: TreeAnswers,
    mu: float,
    noise: Noise,
    growth: PrivateGrowth | None = None,
    adjacency: Adjacency = Adjacency.ADD_OR_REMOVE,
) -> PrivateTree:
    """A tree for a charge of at most ``mu``, under the adjacency that is given.

    What later levels would have cost is not spent where nothing is left to split. Raises TreeError
    before anything is drawn, NoiseError for a mu that is none.
    """
    rule = growth or PrivateGrowth()
    _check(answers, rule)
    depth = min(rule.depth, len(answers.features))
    each = mu * math.sqrt((1 - rule.leaf_share) / depth)
    stages, splits = list[Stage](), dict[Path, tuple[int, float]]()
    open_paths: list[Path] = [()]
    leaves: list[Path] = []
    for level in range(depth):
        moved = _moved(len(answers.features) - level, adjacency)
        stage = _released(answers, open_paths, tables_at, moved, each, noise)
        stages.append(stage)
        chosen = _splits(answers, stage, rule.alpha)
        leaves += [path for path in open_paths if path not in chosen]
        open_paths = [
            (*path, (feature, code))
            for path, (feature, _) in chosen.items()
            for code in range(len(answers.features[feature].levels))
        ]
        splits |= chosen
        if not open_paths:
            break
    leaves += open_paths
    last = mu * math.sqrt(rule.leaf_share)
    stages.append(_released(answers, leaves, labels_at, _moved(1, adjacency), last, noise))
    by_leaf = stages[-1].release.estimate.reshape(-1, len(answers.label.levels))
    counted = dict(zip(leaves, by_leaf, strict=True))
    return PrivateTree(_node(answers, (), splits, counted), tuple(stages), adjacency)


def tables_at(answers: TreeAnswers, paths: Sequence[Path]) -> IntArray:
    """The tables of all nodes, level by label, one after the other, flat."""
    classes = len(answers.label.levels)
    parts = []
    for path in paths:
        rows = _at(answers, path)
        for feature in _left(answers, path):
            cells = answers.codes[rows, feature] * classes + answers.labels[rows]
            size = len(answers.features[feature].levels) * classes
            parts.append(np.bincount(cells, minlength=size))
    return np.concatenate(parts).astype(np.int64)


def labels_at(answers: TreeAnswers, paths: Sequence[Path]) -> IntArray:
    """The label counts of all leaves, one after the other, flat."""
    classes = len(answers.label.levels)
    counts = [np.bincount(answers.labels[_at(answers, p)], minlength=classes) for p in paths]
    return np.concatenate(counts).astype(np.int64)


def _released(
    answers: TreeAnswers, paths: Sequence[Path], count: Count, moved: int, mu: float, noise: Noise
) -> Stage:
    scaled = count(answers, paths) * _GRID
    release = release_sum(scaled, sensitivity=moved, mu=mu, noise=noise, unit=_GRID)
    return Stage(tuple(paths), release)


def _moved(tables: int, adjacency: Adjacency) -> int:
    """The L2 distance in 1/1,024 of a person, rounded up: one cell of each table, or two."""
    cells = 2 * tables if adjacency is Adjacency.REPLACE else tables
    squared = _GRID**2 * cells
    root = math.isqrt(squared)
    return root if root * root == squared else root + 1


def _splits(answers: TreeAnswers, stage: Stage, alpha: float) -> dict[Path, tuple[int, float]]:
    """The feature of each node that is split, and its corrected p-value. Reads releases alone."""
    estimate, variance = stage.release.estimate, stage.release.noise_sd**2
    classes, start, chosen = len(answers.label.levels), 0, dict[Path, tuple[int, float]]()
    for path in stage.paths:
        left, tests = _left(answers, path), []
        for feature in left:
            size = len(answers.features[feature].levels) * classes
            table = estimate[start : start + size].reshape(-1, classes)
            tests.append((noisy_p_value(table, variance), feature))
            start += size
        p_value, feature = min(tests)
        corrected = min(1.0, p_value * len(left))
        if corrected < alpha:
            chosen[path] = (feature, corrected)
    return chosen


def noisy_p_value(table: FloatArray, variance: float) -> float:
    """A test of independence of a table whose cells all have noise of this variance.

    With n people and margins q and p, fitted to the table T, T - n q p' is (I - q 1') T (I - 1 p'),
    so that people give it the covariance n (diag q - q q') (x) (diag p - p p') and noise
    variance * (I - q 1')(I - 1 q') (x) (I - p 1')(I - 1 p'). One generalised eigenproblem a side
    makes both diagonal; the squared parts, each divided by its variance, add up to chi-squared with
    (rows - 1)(columns - 1) degrees of freedom. Without noise this is Pearson's test. Independence
    under noise: Gaboardi, Lim, Rogers and Vadhan (2016), who simulate; this Wald form is ours.
    """
    from scipy.special import chdtrc

    if min(table.shape) < 2:
        return 1.0
    everyone = max(float(table.sum()), 1.0)
    shares = [_shares(table.sum(axis=axis)) for axis in (1, 0)]
    apart = (table - everyone * np.outer(*shares))[:-1, :-1]
    (people, rows), (others, columns) = map(_diagonal, shares)
    variances = np.maximum(everyone * np.outer(people, others) + variance, _LEAST_VARIANCE)
    statistic = float(((rows.T @ apart @ columns) ** 2 / variances).sum())
    return float(chdtrc(apart.size, statistic))


def _shares(counts: FloatArray) -> FloatArray:
    """A margin as shares; noise below 0 is cut, and less than one person is no margin."""
    kept = np.maximum(counts, 0)
    return np.asarray(kept / max(float(kept.sum()), 1.0))


def _diagonal(shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What makes one side's two covariances diagonal: that of people, and 1 of noise."""
    from scipy.linalg import eigh

    noise = np.eye(len(shares)) - shares[:, None]
    people = np.diag(shares) - np.outer(shares, shares)
    values, vectors = eigh(people[:-1, :-1], (noise @ noise.T)[:-1, :-1])
    return values, vectors


def _node(
    answers: TreeAnswers,
    path: Path,
    splits: dict[Path, tuple[int, float]],
    counted: dict[Path, FloatArray],
) -> PrivateNode:
    if path not in splits:
        return PrivateNode(path, counts=counted[path])
    feature, p_value = splits[path]
    branches = {
        code: _node(answers, (*path, (feature, code)), splits, counted)
        for code in range(len(answers.features[feature].levels))
    }
    return PrivateNode(path, feature, p_value, None, branches)


def _at(answers: TreeAnswers, path: Path) -> np.ndarray:
    here = np.ones(answers.people, dtype=bool)
    for feature, code in path:
        here &= answers.codes[:, feature] == code
    return here


def _left(answers: TreeAnswers, path: Path) -> list[int]:
    used = {feature for feature, _ in path}
    return [column for column in range(len(answers.features)) if column not in used]


def _check(answers: TreeAnswers, growth: PrivateGrowth) -> None:
    if not all(question.is_direct for question in (*answers.features, answers.label)):
        remedy = "randomized answers are private already: grow the tree that undoes their channel"
        raise TreeError("answers", "a randomized question", remedy)
    if not answers.is_complete.all():
        raise TreeError("codes", "a missing answer", "make a missing answer a level of its own")
    require_growable(answers.features, answers.label, growth)


def require_growable(
    features: Sequence[TreeQuestion], label: TreeQuestion, growth: PrivateGrowth
) -> None:
    """Raises TreeError for tables of too many cells; reads no answer."""
    widest = max(len(question.levels) for question in features)
    cells = sum(len(question.levels) for question in features) * len(label.levels)
    depth = min(growth.depth, len(features))
    if cells * widest ** (depth - 1) > _MOST_CELLS:
        remedy = sentence(
            "allow fewer questions per path, because the tables of the tree can have at most "
            "{most} cells",
            most=figure(_MOST_CELLS),
        )
        raise TreeError("depth", growth.depth, remedy)
