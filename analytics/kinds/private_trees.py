"""PrivateTreeReport: a tree that may be published, as a document with its charges; settings."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from analytics.kinds.documents import StoredReport
from analytics.kinds.registry import PRIVATE_TREE
from analytics.kinds.settings import OTHER_QUESTIONS, PlainSettings, SettingsError
from analytics.privacy.accounting import Adjacency, Cost, total
from surveys.randomized_response.messages import sentence

VERSION = 1
DEEPEST = 4
ALPHAS = (0.01, 0.05, 0.1)
# 95 of 100 intervals of normal noise hold, rounded up.
DEVIATIONS = 1.96
LEAF_SHARE = 0.5


@dataclass(frozen=True)
class PrivateTreeSettings(PlainSettings):
    """What is explained: the question (numbered from 1), by the questions in ``by``.

    At most ``depth`` questions on a path; ``alpha`` is the level of the test. Raises SettingsError.
    """

    remedy = sentence("these are not settings for a private tree")

    question: int
    by: tuple[int, ...]
    depth: int = 2
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if not self.by or self.question in self.by or len(set(self.by)) < len(self.by):
            raise SettingsError("by", self.by, OTHER_QUESTIONS)
        if self.alpha not in ALPHAS:
            raise SettingsError("alpha", self.alpha, sentence("give 0.01, 0.05 or 0.1"))
        if self.depth not in range(1, DEEPEST + 1):
            raise SettingsError(
                "depth",
                self.depth,
                sentence("allow 1 to {most} questions per path", most=DEEPEST),
            )


@dataclass(frozen=True)
class PrivateBranch:
    """A node: the ``answer`` that leads to it; a leaf has noisy ``people`` for each answer.

    ``people`` are unbiased and may lie below 0.
    """

    answer: str
    question: str = ""
    p_value: float | None = None
    people: tuple[float, ...] = ()
    branches: "tuple[PrivateBranch, ...]" = ()


@dataclass(frozen=True)
class PrivateTreeReport(StoredReport):
    """One report. ``noise`` is the standard deviation of every number of people.

    ``charges`` are the mu^2 of each release in terms of ``adjacency``, the leaves last; ``epsilon``
    is that of this report alone at the promised ``delta``.
    """

    question: str
    levels: tuple[str, ...]
    features: tuple[str, ...]
    root: PrivateBranch
    noise: float
    charges: tuple[Decimal, ...]
    adjacency: Adjacency
    epsilon: float
    delta: float
    is_private: bool
    settings: Mapping[str, Any]
    version: int = field(default=VERSION)

    @property
    def cost(self) -> Cost:
        """What was charged, in terms of ``adjacency``."""
        return total(map(Cost, self.charges))

    @property
    def margin(self) -> float:
        """How far off a number of people is at most in 95 of 100 cases."""
        return DEVIATIONS * self.noise

    def to_document(self) -> dict[str, Any]:
        """Plain values for JSON; ``from_document`` reads them."""
        return {"kind": PRIVATE_TREE.name, **super().to_document()}


def leaf_margin(cost: Cost, adjacency: Adjacency) -> float:
    """How far off the leaves' numbers of people will be, in 95 of 100 cases, before any is read.

    In people: 1.96 standard deviations sensitivity / mu of Gaussian noise (Dong, Roth and Su 2022),
    for the leaves' part of the cost; replacing a person moves two cells by 1. What is drawn lies on
    a fine lattice, which the margin of the report counts and this one does not.
    """
    cells = 2 if adjacency is Adjacency.REPLACE else 1
    return DEVIATIONS * math.sqrt(cells) / cost.part(LEAF_SHARE).mu
