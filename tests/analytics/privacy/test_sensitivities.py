"""Attacks on the sensitivities of docs/privacy-proofs.md: a search for neighbouring data sets.

Each statistic is computed by the code that a release uses, on data with and without one respondent
(or with the respondent replaced), for thousands of respondents chosen to hurt: single words, many
equal words, vectors that round up, vectors that are far too long, copies of others. What is found
must stay within the bound, and the bound must not be loose.
"""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest

from analytics.privacy import GRID, quantise, weigh_words

WORDS, TOPICS, TRIES = 12, 4, 400
ROOT_TWO = 2**0.5
Rows = np.ndarray
Case = tuple[Rows, Rows, Rows, Rows]
Statistic = Callable[[Rows, Rows], np.ndarray]


def histogram(rows: Rows, topics: Rows) -> np.ndarray:
    """Each respondent adds floor(grid / sqrt m) to each of their m words."""
    present = rows > 0
    sizes = np.maximum(present.sum(axis=1), 1)
    return (present * weigh_words(sizes)[:, None]).sum(axis=0)


def cooccurrence(rows: Rows, topics: Rows) -> np.ndarray:
    vectors = quantise(rows)
    return vectors.T @ vectors


def topic_gram(rows: Rows, topics: Rows) -> np.ndarray:
    loads = quantise(topics)
    return loads.T @ loads


def cross(rows: Rows, topics: Rows) -> np.ndarray:
    return quantise(rows).T @ quantise(topics)


def topic_sizes(rows: Rows, topics: Rows) -> np.ndarray:
    return np.bincount(topics.argmax(axis=1), minlength=topics.shape[1])


# The statistic, its bound for add-or-remove, for replace, and the unit in lattice steps.
STATISTICS = [
    pytest.param(histogram, 1.0, ROOT_TWO, GRID, id="document frequencies"),
    pytest.param(cooccurrence, 1.0, ROOT_TWO, GRID**2, id="co-occurrence"),
    pytest.param(topic_gram, 1.0, ROOT_TWO, GRID**2, id="topic gram matrix"),
    pytest.param(cross, 1.0, ROOT_TWO, GRID**2, id="words by topics"),
    pytest.param(topic_sizes, 1.0, ROOT_TWO, 1, id="topic sizes"),
]


def respondents(rng: np.random.Generator, width: int) -> Iterator[np.ndarray]:
    """Non-negative vectors that are hard to bound, in an endless mixture."""
    while True:
        kind, vector = rng.integers(6), np.abs(rng.normal(size=width))
        if kind == 0:
            vector = np.eye(width)[rng.integers(width)]
        elif kind == 1:
            vector = (rng.random(width) < rng.random()).astype(float)
        elif kind == 2:  # every entry half a step above a grid point
            vector = (np.floor(vector * GRID / np.linalg.norm(vector)) + 0.5001) / GRID
        elif kind == 3:
            vector = vector * 10.0 ** rng.integers(-3, 300)
        elif kind == 4:
            vector = vector ** rng.integers(1, 8)
        length = np.linalg.norm(vector / max(vector.max(), 1e-300)) * max(vector.max(), 1e-300)
        yield vector / length if rng.random() < 0.5 and length > 0 else vector


@cache
def neighbours(seed: int) -> list[Case]:
    """Words and topic loads of a few respondents, then of those that come and go."""
    return list(_drawn(seed))


def _drawn(seed: int) -> Iterator[Case]:
    rng = np.random.default_rng(seed)
    words, topics = respondents(rng, WORDS), respondents(rng, TOPICS)
    for _ in range(TRIES):
        base = rng.integers(1, 6)
        yield tuple(  # type: ignore[misc]
            np.array([next(source) for _ in range(count)])
            for source, count in ((words, base), (topics, base), (words, 2), (topics, 2))
        )


def distance(first: np.ndarray, second: np.ndarray) -> float:
    """In exact integers up to the square root."""
    return sum(int(x) ** 2 for x in (first - second).ravel()) ** 0.5


def with_one(statistic: Statistic, case: Case, which: int) -> np.ndarray:
    words, topics, more_words, more_topics = case
    return statistic(np.vstack([words, more_words[which]]), np.vstack([topics, more_topics[which]]))


@pytest.mark.parametrize(("statistic", "added", "replaced", "unit"), STATISTICS)
def test_no_respondent_who_joins_moves_a_statistic_further_than_is_charged(
    statistic: Statistic, added: float, replaced: float, unit: int
) -> None:
    moves = [
        distance(with_one(statistic, case, 0), statistic(*case[:2])) / unit
        for case in neighbours(101)
    ]
    assert 0.9 * added <= max(moves) <= added


@pytest.mark.parametrize(("statistic", "added", "replaced", "unit"), STATISTICS)
def test_no_respondent_who_is_replaced_moves_it_further_than_root_two(
    statistic: Statistic, added: float, replaced: float, unit: int
) -> None:
    moves = [
        distance(with_one(statistic, case, 0), with_one(statistic, case, 1)) / unit
        for case in neighbours(202)
    ]
    assert 0.9 * replaced <= max(moves) <= replaced * (1 + 1e-15)


def test_with_signs_a_replaced_cross_product_moves_by_two() -> None:
    """The bound of root two needs non-negative entries; without them it is 2, and attained."""
    v, h = quantise(np.eye(3)[:1]), quantise(np.eye(2)[:1])
    assert distance(v.T @ h, (-v).T @ h) == 2 * GRID**2


def test_the_joint_release_costs_as_much_as_its_shares_of_mu_squared() -> None:
    """[sqrt(a) A, sqrt(1 - a) B] moves by at most 1: the squares of both bounds, weighted."""
    share = 0.05
    moves = []
    for case in neighbours(303):
        parts = [
            distance(with_one(s, case, 0), s(*case[:2])) / GRID**2 for s in (topic_gram, cross)
        ]
        moves.append((share * parts[0] ** 2 + (1 - share) * parts[1] ** 2) ** 0.5)
    assert 0.9 <= max(moves) <= 1


def test_a_sum_over_partitions_is_the_sum_over_everybody() -> None:
    rows = np.random.default_rng(5).random((60, WORDS))
    whole = cooccurrence(rows, rows)
    for parts in (2, 7):
        split = sum(cooccurrence(part, part) for part in np.array_split(rows, parts))
        assert np.array_equal(whole, split)
