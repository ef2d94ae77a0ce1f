"""Real votes: parties are told apart, from true labels and from labels through two coins."""

import numpy as np

from analytics.comparison.answers import TreeAnswers, TreeQuestion
from analytics.comparison.trees.growth import GrownTree, Growth, grow
from surveys.randomized_response.designs import TwoCoins
from tests.oracles.tree import votes

ANSWERS = votes()
TRAIN, TEST = ANSWERS.rows(ANSWERS.is_complete), ANSWERS.rows(~ANSWERS.is_complete)


def accuracy(tree: GrownTree) -> float:
    return float((tree.predict(TEST.codes) == TEST.labels).mean())


def test_clean_labels_foretell_95_percent_of_unseen_parties():
    assert accuracy(grow(TRAIN, Growth(alpha=None))) >= 0.95


def test_over_40_randomizations_at_ln_3_it_is_92_percent_with_at_most_7_nodes():
    rng = np.random.default_rng(40)
    found = []
    for _ in range(40):
        is_flipped = rng.random(TRAIN.people) < 0.25
        labels = np.where(is_flipped, 1 - TRAIN.labels, TRAIN.labels)
        label = TreeQuestion("party", TRAIN.label.levels, TwoCoins(2))
        tree = grow(TreeAnswers(TRAIN.features, label, TRAIN.codes, labels))
        assert tree.nodes <= 7
        found.append(accuracy(tree))
    assert np.mean(found) >= 0.92
