"""What a tree says: the leaves as plain sentences with shares and intervals; its accuracy.

Accuracy is measured on people whom the tree has not seen, and corrected for randomized labels:
a prediction c and a report r score S[c, r], where S undoes the channel, so that the mean score is
unbiased for the share of true labels that were foretold.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy

from analytics.comparison.answers import TreeAnswers, TreeQuestion
from analytics.comparison.checks import FloatArray, TreeError
from analytics.comparison.trees.growth import GrownTree, Growth, Node, grow
from surveys.randomized_response.designs import Direct
from surveys.randomized_response.estimates import estimate_distribution
from surveys.randomized_response.messages import sentence

FOLDS = 5
Watch = Callable[[float], None]


@dataclass(frozen=True)
class LeafShare:
    """The estimated share of one class in a leaf, and its interval; estimates are not clipped."""

    level: str
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class LeafRule:
    """A leaf: what people on its path answered, how many they are, and their shares."""

    conditions: tuple[tuple[str, str], ...]
    size: float
    people: int
    shares: tuple[LeafShare, ...]

    @property
    def sentence(self) -> str:
        """The rule as an if-then sentence."""
        path = " and ".join(f"“{name}” is “{level}”" for name, level in self.conditions)
        largest = max(self.shares, key=lambda level: level.share)
        share = min(max(largest.share, 0.0), 1.0)
        low, high = (100 * min(max(end, 0.0), 1.0) for end in (largest.low, largest.high))
        words = (
            f"{100 * share:.0f} % answer “{largest.level}” "
            f"({low:.0f} to {high:.0f} %, about {self.size:,.0f} people)."
        )
        return f"If {path}, then {words}" if path else f"Of all people, {words}"


@dataclass(frozen=True)
class Accuracy:
    """``share`` of true labels foretold for unseen people, its standard error, over ``people``.

    ``baseline`` is the same for the tree without questions: the most frequent class for all.
    """

    share: float
    standard_error: float
    baseline: float
    people: int


def rules_of(tree: GrownTree, level: float = 0.95) -> list[LeafRule]:
    """Return every leaf, from left to right. Intervals hold for leaves fixed beforehand."""
    return list(_rules(tree, tree.root, (), level))


def cross_validate(
    answers: TreeAnswers,
    growth: Growth,
    rng: np.random.Generator,
    *,
    folds: int = FOLDS,
    watch: Watch = lambda fraction: None,
) -> Accuracy:
    """Grow trees on all folds but one and score them on that one. Raises TreeError."""
    complete = answers.rows(answers.is_complete)
    if not 2 <= folds <= complete.people:
        remedy = sentence(
            "choose {fewest} to {most} parts (folds), each with at least one person",
            fewest=2,
            most=complete.people,
        )
        raise TreeError("folds", folds, remedy)
    fold = rng.permutation(complete.people) % folds
    scores, plain = np.empty(complete.people), np.empty(complete.people)
    undone = complete.label.scores
    for number in range(folds):
        watch(number / folds)
        is_held_out, grown = fold == number, grow(complete.rows(fold != number), growth)
        predicted = grown.predict(complete.codes[is_held_out])
        scores[is_held_out] = undone[predicted, complete.labels[is_held_out]]
        plain[is_held_out] = undone[int(np.argmax(grown.root.counts)), complete.labels[is_held_out]]
    error = float(scores.std(ddof=1) / np.sqrt(complete.people))
    return Accuracy(float(scores.mean()), error, float(plain.mean()), complete.people)


def _rules(
    tree: GrownTree, node: Node, conditions: tuple[tuple[str, str], ...], level: float
) -> Iterator[LeafRule]:
    if node.feature is None:
        shares = leaf_shares(node, tree.answers.label, level)
        yield LeafRule(conditions, node.size, node.people, shares)
        return
    question = tree.answers.features[node.feature]
    for code, branch in node.branches.items():
        yield from _rules(
            tree, branch, (*conditions, (question.name, question.levels[code])), level
        )


def leaf_shares(node: Node, label: TreeQuestion, level: float) -> tuple[LeafShare, ...]:
    """Return the unbiased shares of a node's classes with their intervals.

    By Clopper and Pearson, mapped, where each person counts once; else by Wald with the weights.
    """
    if np.array_equal(node.reported, node.squares):
        # A label with one level has no channel: its share is 1.
        if len(label.levels) == 1:
            return (LeafShare(label.levels[0], 1.0, 1.0, 1.0),)
        design = label.design or Direct(len(label.levels))
        estimate = estimate_distribution(design, node.reported.astype(np.int64))
        ends = estimate.intervals(level)
        return tuple(
            LeafShare(name, float(share), end.low, end.high)
            for name, share, end in zip(label.levels, estimate.shares, ends, strict=True)
        )
    total = node.reported.sum()
    shares = label.scores @ node.reported / total
    reach = float(scipy.special.ndtri((1 + level) / 2)) * _deviations(
        label.scores, shares, node, total
    )
    return tuple(
        LeafShare(name, float(s), max(0.0, float(s - r)), min(1.0, float(s + r)))
        for name, s, r in zip(label.levels, shares, reach, strict=True)
    )


def _deviations(scores: FloatArray, shares: FloatArray, node: Node, total: float) -> FloatArray:
    """Of ratios of sums: each report's score less the share, times its weight."""
    variances = ((scores - shares[:, None]) ** 2) @ node.squares / total**2
    deviations: FloatArray = np.sqrt(variances)
    return deviations
