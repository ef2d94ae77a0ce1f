"""Private trees: what is charged, what one person can move, who is found, and what is learnt."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analytics.comparison.answers import TreeAnswers, TreeQuestion
from analytics.comparison.checks import TreeError
from analytics.comparison.trees.private import (
    PrivateGrowth,
    grow_privately,
    labels_at,
    noisy_p_value,
    tables_at,
)
from analytics.privacy.accounting import Adjacency
from analytics.privacy.errors import NoiseError
from analytics.privacy.mechanisms import SeededNoise, VettedNoise
from analytics.privacy.membership import audit_membership
from surveys.randomized_response.designs import TwoCoins

FEATURES = tuple(TreeQuestion(f"q{place}", ("a", "b", "c")[: 2 + place % 2]) for place in range(4))
LABEL = TreeQuestion("label", ("no", "yes"))


@pytest.fixture
def rng():
    return np.random.default_rng(20261122)


def people(rng, number):
    """The label follows the second feature, then the first."""
    codes = np.column_stack([rng.integers(0, len(q.levels), number) for q in FEATURES])
    likely = np.choose(codes[:, 1], [0.1, 0.5 + 0.35 * codes[:, 0], 0.9])
    return TreeAnswers(FEATURES, LABEL, codes, (rng.random(number) < likely).astype(int))


def joined(answers, codes, label):
    return TreeAnswers(
        FEATURES,
        LABEL,
        np.vstack([answers.codes, [codes]]),
        np.append(answers.labels, label),
    )


def test_the_tree_finds_what_the_label_goes_with():
    rng = np.random.default_rng(3)
    answers = people(rng, 4_000)
    tree = grow_privately(answers, 1.0, SeededNoise(rng))
    assert tree.root.feature == 1
    assert tree.root.branches[1].feature == 0
    for leaf in tree.root.leaves():
        exact = labels_at(answers, [leaf.path])
        assert np.abs(leaf.counts - exact).max() < 6 * tree.leaf_noise
    assert sum(leaf.counts.sum() for leaf in tree.root.leaves()) == pytest.approx(4_000, abs=50)


def test_labels_that_go_with_nothing_are_hardly_ever_split():
    rng, splits = np.random.default_rng(4), 0
    for _ in range(100):
        answers = people(rng, 400)
        unrelated = TreeAnswers(FEATURES, LABEL, answers.codes, rng.integers(0, 2, 400))
        splits += grow_privately(unrelated, 1.0, SeededNoise(rng)).root.feature is not None
    assert splits <= 12


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("depth", [1, 3, 8])
def test_the_charge_is_at_most_what_was_asked(adjacency, depth, rng):
    tree = grow_privately(
        people(rng, 3_000), 0.7, SeededNoise(rng), PrivateGrowth(depth), adjacency
    )
    assert 0.3 < tree.mu <= 0.7
    if len(tree.stages) == min(depth, 4) + 1:
        assert tree.mu > 0.7 * 0.999


@given(st.integers(0, 2**32), st.sampled_from(list(Adjacency)))
def test_no_neighbour_moves_the_stages_further_than_was_charged(seed, adjacency):
    rng = np.random.default_rng(seed)
    answers = people(rng, 60)
    tree = grow_privately(answers, 5.0, SeededNoise(rng), adjacency=adjacency)
    here, there = (
        joined(answers, [rng.integers(len(q.levels)) for q in FEATURES], rng.integers(2))
        for _ in range(2)
    )
    other = there if adjacency is Adjacency.REPLACE else answers
    squared = 0.0
    for stage in tree.stages:
        count = labels_at if stage is tree.stages[-1] else tables_at
        moved = count(here, stage.paths) - count(other, stage.paths)
        squared += float((moved**2).sum()) / stage.release.noise_sd**2
    assert squared**0.5 <= tree.mu


def scores(factor, adjacency, runs=1_200):
    """The log likelihood ratio of a canary, which knows every stage's structure, in each run."""
    rng = np.random.default_rng(11)
    others = people(rng, 300)
    within = joined(others, [0, 0, 0, 0], 1)
    without = joined(others, [1, 2, 1, 2], 0) if adjacency is Adjacency.REPLACE else others

    class Narrower:
        is_private = False
        noise = SeededNoise(rng)

        def added_to(self, values, lattice_sd):
            return self.noise.added_to(values, lattice_sd / factor)

    found = []
    for data in (within, without):
        found.append([])
        for _ in range(runs):
            tree = grow_privately(data, 1.0, Narrower(), adjacency=adjacency)
            assert tree.mu <= 1.0
            total = 0.0
            for stage in tree.stages:
                count = labels_at if stage is tree.stages[-1] else tables_at
                first, second = count(within, stage.paths), count(without, stage.paths)
                moved = (first - second).astype(float)
                middle = (first + second) / 2
                apart = stage.release.estimate - middle
                total += float(apart @ moved) / stage.release.noise_sd**2
            found[-1].append(total)
    return found


@pytest.mark.audit
@pytest.mark.parametrize("adjacency", Adjacency)
def test_a_person_is_not_found_better_than_is_stated_and_is_when_the_noise_is_halved(adjacency):
    honest = audit_membership(*scores(1.0, adjacency))
    assert 0.3 < honest.mu <= 1.0
    assert audit_membership(*scores(2.0, adjacency)).contradicts(1.0)


@pytest.mark.parametrize(
    ("margins", "people", "sd"),
    [
        (([0.3, 0.7], [0.2, 0.5, 0.3]), 600, 8.0),
        (([0.9, 0.1], [0.9, 0.1]), 300, 10.0),
        (([0.8, 0.1, 0.05, 0.03, 0.02], [0.9, 0.1]), 1_000, 10.0),
        (([0.85, 0.1, 0.05], [0.95, 0.05]), 1_000, 8.0),
    ],
    ids=str,
)
def test_the_test_of_noisy_tables_keeps_its_level_on_uneven_margins(margins, people, sd):
    """With noise in every cell and nothing to find; without its variance it would be far off."""
    rng, runs = np.random.default_rng(5), 2_000
    shape = tuple(map(len, margins))
    exact = rng.multinomial(people, np.outer(*margins).ravel(), runs)
    tables = (exact + rng.normal(0, sd, exact.shape)).reshape(-1, *shape)
    found = np.array([noisy_p_value(table, sd**2) for table in tables])
    assert (found < 0.05).mean() <= 0.05 + 5 * (0.05 * 0.95 / runs) ** 0.5
    naive = np.array([noisy_p_value(table, 0.0) for table in tables[:400]])
    assert (naive < 0.05).mean() > 0.1


@pytest.mark.parametrize("shape", [(2, 2), (5, 2), (3, 4)])
def test_without_noise_the_test_is_pearsons(shape, rng):
    table = rng.integers(5, 60, shape).astype(float)
    pearson = stats.chi2_contingency(table, correction=False).pvalue
    assert noisy_p_value(table, 0.0) == pytest.approx(pearson, rel=1e-9)


@pytest.mark.parametrize("shape", [(2, 2), (5, 2), (3, 4)])
@pytest.mark.parametrize("variance", [0.0, 3.0, 400.0])
def test_with_noise_the_test_is_walds_written_out(shape, variance, rng):
    """The whole covariance of the table less its fit, people's and noise's, as one matrix."""
    table = rng.integers(5, 60, shape).astype(float)
    people = table.sum()
    rows, columns = table.sum(axis=1) / people, table.sum(axis=0) / people
    parts = [(np.diag(p) - np.outer(p, p), np.eye(len(p)) - p[:, None]) for p in (rows, columns)]
    covariance = people * np.kron(parts[0][0], parts[1][0]) + variance * np.kron(
        parts[0][1] @ parts[0][1].T, parts[1][1] @ parts[1][1].T
    )
    apart = (table - people * np.outer(rows, columns)).ravel()
    wald = apart @ np.linalg.pinv(covariance, rcond=1e-10, hermitian=True) @ apart
    freedom = (shape[0] - 1) * (shape[1] - 1)
    assert noisy_p_value(table, variance) == pytest.approx(stats.chi2.sf(wald, freedom), rel=1e-7)


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_only_vetted_noise_makes_a_private_tree(rng):
    assert grow_privately(people(rng, 50), 1.0, VettedNoise()).is_private
    assert not grow_privately(people(rng, 50), 1.0, SeededNoise(rng)).is_private


def randomized():
    label = TreeQuestion("label", ("no", "yes"), TwoCoins(2))
    return TreeAnswers((FEATURES[0],), label, [[0]], [1])


REFUSED = {
    "a randomized label": lambda: grow_privately(randomized(), 1.0, VettedNoise()),
    "a missing answer": lambda: grow_privately(
        TreeAnswers((FEATURES[0],), LABEL, [[-1]], [1]), 1.0, VettedNoise()
    ),
    "no depth": lambda: PrivateGrowth(0),
    "a level of 1": lambda: PrivateGrowth(alpha=1.0),
    "nothing for the leaves": lambda: PrivateGrowth(leaf_share=0.0),
    "tables without people": lambda: grow_privately(
        TreeAnswers(
            (TreeQuestion("q", tuple(map(str, range(1000)))),) * 3, LABEL, [[0, 0, 0]], [1]
        ),
        1.0,
        VettedNoise(),
        PrivateGrowth(3),
    ),
    "no mu": lambda: grow_privately(people(np.random.default_rng(1), 9), 0.0, VettedNoise()),
    "a mu that is no number": lambda: grow_privately(
        people(np.random.default_rng(1), 9), float("nan"), VettedNoise()
    ),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_grown_is_refused(ask):
    with pytest.raises((TreeError, NoiseError), match="cannot be used"):
        ask()
