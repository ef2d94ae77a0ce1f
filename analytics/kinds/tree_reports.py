"""TreeReport: which answers go with one answer, as a document; its settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analytics.comparison.answers import TreeAnswers
from analytics.comparison.trees.growth import GrownTree, Growth, Node, grow
from analytics.comparison.trees.leaves import LeafShare, cross_validate, leaf_shares, rules_of
from analytics.kinds.documents import StoredReport
from analytics.kinds.settings import (
    LARGEST_SEED,
    OTHER_QUESTIONS,
    PlainSettings,
    SettingsError,
    Watch,
)
from surveys.randomized_response.messages import figure, sentence
from surveys.results.disclosure import LEAST_CELL, LEAST_GROUP

VERSION = 1
ALPHAS = (0.01, 0.05, 0.1)
LEAST_LEAF = LEAST_GROUP
MOST_LEAF = 100_000
DEEPEST = 6
LEVEL = 0.95


@dataclass(frozen=True)
class TreeSettings(PlainSettings):
    """What is explained: the question (numbered from 1), by all others or by those in ``by``.

    ``least`` is the smallest branch, ``alpha`` the level of the stop, ``deepest`` the most
    questions on a path, ``use_ratio`` ranks by gain ratio. ``seed`` parts people into folds.
    Raises SettingsError.
    """

    remedy = sentence("these are not settings for a tree")

    question: int
    by: tuple[int, ...]
    alpha: float = 0.05
    least: int = 20
    deepest: int = 4
    use_ratio: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.by or self.question in self.by:
            raise SettingsError("by", self.by, OTHER_QUESTIONS)
        if self.alpha not in ALPHAS:
            raise SettingsError("alpha", self.alpha, sentence("give 0.01, 0.05 or 0.1"))
        if not LEAST_LEAF <= self.least <= MOST_LEAF:
            remedy = sentence(
                "give a number of people from {fewest} to {most}",
                fewest=LEAST_LEAF,
                most=figure(MOST_LEAF),
            )
            raise SettingsError("least", self.least, remedy)
        if not 1 <= self.deepest <= DEEPEST:
            raise SettingsError(
                "deepest",
                self.deepest,
                sentence("allow 1 to {most} questions per path", most=DEEPEST),
            )
        if not 0 <= self.seed <= LARGEST_SEED:
            raise SettingsError("seed", self.seed, sentence("give a whole number of at least 0"))

    @property
    def growth(self) -> Growth:
        """How the tree grows."""
        chosen = (self.alpha, self.least, self.deepest, self.use_ratio)
        return Growth(*chosen, least_apart=LEAST_GROUP, least_cell=LEAST_CELL)


@dataclass(frozen=True)
class Branch:
    """A node: the ``answer`` that leads to it, its size and shares; what is asked there, if any."""

    answer: str
    size: float
    shares: tuple[LeafShare, ...]
    question: str = ""
    gain: float = 0.0
    p_value: float | None = None
    branches: "tuple[Branch, ...]" = ()


@dataclass(frozen=True)
class TreeReport(StoredReport):
    """One report. ``sentences`` are the leaves in words; ``accuracy`` is for unseen people.

    ``baseline`` is the accuracy of always naming the most frequent answer.
    """

    kind: str
    question: str
    people: int
    left_out: int
    root: Branch
    sentences: tuple[str, ...]
    accuracy: float
    accuracy_error: float
    baseline: float
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    version: int = field(default=VERSION)


def report_tree(
    answers: TreeAnswers, settings: TreeSettings, notes: tuple[str, ...], watch: Watch
) -> TreeReport:
    """Grow a tree, read its leaves and measure its accuracy. Raises TreeError."""
    watch.reach(sentence("Growing the tree"), 0.0)
    tree = grow(answers, settings.growth)
    accuracy = cross_validate(
        answers,
        settings.growth,
        np.random.default_rng(settings.seed),
        watch=lambda fraction: watch.reach(sentence("Testing the tree on other people"), fraction),
    )
    return TreeReport(
        "tree",
        answers.label.name,
        tree.root.people,
        tree.left_out,
        _branch(tree, tree.root, ""),
        tuple(rule.sentence for rule in rules_of(tree, LEVEL)),
        accuracy.share,
        accuracy.standard_error,
        accuracy.baseline,
        settings.to_data(),
        notes,
    )


def _branch(tree: GrownTree, node: Node, answer: str) -> Branch:
    shares = leaf_shares(node, tree.answers.label, LEVEL)
    if node.feature is None:
        return Branch(answer, node.size, shares)
    question = tree.answers.features[node.feature]
    below = tuple(
        _branch(tree, branch, question.levels[code]) for code, branch in node.branches.items()
    )
    return Branch(answer, node.size, shares, question.name, node.gain, node.p_value, below)
