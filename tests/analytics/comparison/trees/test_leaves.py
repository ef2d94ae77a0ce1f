"""Leaves in words with intervals; accuracy for unseen people, corrected for randomized labels."""

import numpy as np
import pytest

from analytics.comparison.answers import TreeAnswers, TreeQuestion
from analytics.comparison.checks import TreeError
from analytics.comparison.trees.growth import Growth, grow
from analytics.comparison.trees.leaves import cross_validate, rules_of
from surveys.randomized_response.designs import Warner
from tests.analytics.comparison.trees.test_growth import YES_NO, drawn, features, randomized


def test_a_leaf_is_a_sentence_with_its_share_interval_and_size():
    codes, labels = drawn(400)
    rules = rules_of(grow(TreeAnswers(features(5), TreeQuestion("label", YES_NO), codes, labels)))
    assert [rule.conditions for rule in rules] == [(("q1", "no"),), (("q1", "yes"),)]
    assert sum(rule.size for rule in rules) == 400
    first = rules[0].shares[0]
    assert first.low < first.share < first.high
    expected = f"If “q1” is “no”, then {100 * first.share:.0f} % answer “no” ("
    assert rules[0].sentence.startswith(expected)


def test_a_tree_without_questions_is_one_sentence():
    codes, labels = drawn(40)
    tree = grow(
        TreeAnswers(features(5), TreeQuestion("label", YES_NO), codes, labels), Growth(deepest=0)
    )
    assert rules_of(tree)[0].sentence.startswith("Of all people, ")


@pytest.mark.parametrize("is_feature_randomized", [False, True])
def test_intervals_of_randomized_leaves_hold_the_true_shares(is_feature_randomized):
    codes, labels = drawn(4_000)
    design = Warner(0.75) if is_feature_randomized else None
    label = TreeQuestion("label", YES_NO, Warner(0.75))
    reported = randomized(codes) if is_feature_randomized else codes
    answers = TreeAnswers(features(5, design), label, reported, randomized(labels, 7))
    for rule in rules_of(grow(answers), level=0.999):
        wanted = 0.9 if rule.conditions[0][1] == "yes" else 0.1
        assert rule.shares[1].low <= wanted <= rule.shares[1].high


def test_accuracy_is_that_for_true_labels_though_only_reports_are_known():
    codes, labels = drawn(4_000)
    label = TreeQuestion("label", YES_NO, Warner(0.75))
    answers = TreeAnswers(features(5), label, codes, randomized(labels))
    found = cross_validate(answers, Growth(), np.random.default_rng(1))
    assert abs(found.share - 0.9) < 4 * found.standard_error
    assert abs(found.baseline - 0.5) < 0.1
    assert found.people == 4_000


def test_too_few_people_for_the_folds_are_refused():
    codes, labels = drawn(3)
    answers = TreeAnswers(features(5), TreeQuestion("label", YES_NO), codes, labels)
    with pytest.raises(TreeError, match="choose 2 to 3 parts \(folds\)"):
        cross_validate(answers, Growth(), np.random.default_rng(1))
