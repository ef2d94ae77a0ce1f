"""TreeAnswers: the features and the label of a tree, as codes, each direct or through a channel."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analytics.comparison.checks import FloatArray, IntArray, TreeError
from surveys.randomized_response.designs import DesignLike, channel_of, scores_of

MISSING = -1
# A tree's tables have a cell for each level and class; more levels tell people apart by name.
MOST_LEVELS = 20_000


@dataclass(frozen=True)
class TreeQuestion:
    """What was asked: a name, its true levels, and the design of its reports (None: direct)."""

    name: str
    levels: tuple[str, ...]
    design: DesignLike | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.levels) <= MOST_LEVELS:
            remedy = f"give 1 to {MOST_LEVELS:,} levels"
            raise TreeError(self.name, f"{len(self.levels)} levels", remedy)
        if self.design is not None and self.scores.shape != (len(self.levels),) * 2:
            remedy = f"its design needs {len(self.levels)} true and as many reported levels"
            raise TreeError(self.name, self.scores.shape, remedy)

    @property
    def is_direct(self) -> bool:
        """Whether its answers are as people gave them."""
        return self.design is None

    @cached_property
    def scores(self) -> FloatArray:
        """What undoes its channel: shape (levels, levels), row = true, column = reported."""
        return np.eye(len(self.levels)) if self.design is None else scores_of(self.design)

    @cached_property
    def channel(self) -> FloatArray:
        """P(reported | true): shape (levels, levels), row = reported."""
        return np.eye(len(self.levels)) if self.design is None else channel_of(self.design).matrix


@dataclass(frozen=True, eq=False)
class TreeAnswers:
    """One row a person: ``codes`` (people, features) and ``labels`` (people,), codes of levels.

    ``MISSING`` stands for a feature that was not answered; rows with one grow no tree. Raises
    TreeError for other codes, or shapes that do not agree.
    """

    features: tuple[TreeQuestion, ...]
    label: TreeQuestion
    codes: IntArray
    labels: IntArray

    def __post_init__(self) -> None:
        codes = np.asarray(self.codes, dtype=np.int64)
        labels = np.asarray(self.labels, dtype=np.int64)
        shape = (len(labels), len(self.features))
        if not self.features or not len(labels) or codes.shape != shape:
            remedy = "give one row a person and one column a feature, at least one of each"
            raise TreeError("codes", codes.shape, remedy)
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "labels", labels)
        for position, question in enumerate(self.features):
            _check_codes(question, codes[:, position], MISSING)
        _check_codes(self.label, labels, 0)

    @property
    def people(self) -> int:
        """The number of rows."""
        return len(self.labels)

    @cached_property
    def is_complete(self) -> np.ndarray:
        """Which rows miss no feature, shape (people,)."""
        complete: np.ndarray = (self.codes != MISSING).all(axis=1)
        return complete

    def rows(self, chosen: np.ndarray) -> "TreeAnswers":
        """Some rows: indices, or a truth value for each. Raises TreeError if none is left."""
        return TreeAnswers(self.features, self.label, self.codes[chosen], self.labels[chosen])


def answers_of(
    columns: Sequence[Sequence[str]],
    labels: Sequence[str],
    names: Sequence[str] = (),
    missing: str = "?",
) -> TreeAnswers:
    """Return direct answers from words, one list a feature; levels are sorted. Raises TreeError."""
    if not columns:
        raise TreeError("columns", 0, "give at least one feature")
    called = names or [f"feature {position + 1}" for position in range(len(columns))]
    if {len(column) for column in columns} != {len(labels)} or len(called) != len(columns):
        raise TreeError("columns", [len(c) for c in columns], f"give {len(labels)} answers each")
    features, codes = [], []
    for name, column in zip(called, columns, strict=True):
        levels = tuple(sorted({value for value in column if value != missing}))
        features.append(TreeQuestion(name, levels or (missing,)))
        codes.append(codes_of(column, levels))
    classes = tuple(sorted(set(labels)))
    table = np.stack(codes, axis=1)
    return TreeAnswers(
        tuple(features), TreeQuestion("label", classes), table, codes_of(labels, classes)
    )


def codes_of(values: Sequence[str], levels: Sequence[str]) -> IntArray:
    """Return the codes of words; MISSING where a word is no level."""
    known = {level: code for code, level in enumerate(levels)}
    return np.array([known.get(value, MISSING) for value in values], dtype=np.int64)


def _check_codes(question: TreeQuestion, codes: IntArray, least: int) -> None:
    if (codes < least).any() or (codes >= len(question.levels)).any():
        remedy = f"give codes from 0 to {len(question.levels) - 1}"
        raise TreeError(question.name, "an unknown code", remedy)
