"""Trees split where reported answers depend on each other, and stop where they do not."""

import numpy as np
import pytest

from analytics.comparison.answers import MISSING, TreeAnswers, TreeQuestion, answers_of
from analytics.comparison.checks import TreeError
from analytics.comparison.trees.growth import Growth, grow
from analytics.comparison.trees.splits import chi_square_p, debias_counts, weighted_p
from surveys.randomized_response.designs import KAry, Warner

YES_NO = ("no", "yes")
EVERYTHING = Growth(alpha=None)


def features(count: int, design=None) -> tuple[TreeQuestion, ...]:
    return tuple(TreeQuestion(f"q{place}", YES_NO, design) for place in range(count))


def drawn(people: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Five answers, and a label that follows the second one nine times in ten."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (people, 5))
    labels = np.where(rng.random(people) < 0.9, codes[:, 1], 1 - codes[:, 1])
    return codes, labels


def randomized(codes: np.ndarray, seed: int = 2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.where(rng.random(codes.shape) < 0.75, codes, 1 - codes)


def test_the_feature_that_goes_with_the_label_is_the_first_and_only_question():
    codes, labels = drawn(400)
    tree = grow(TreeAnswers(features(5), TreeQuestion("label", YES_NO), codes, labels))
    assert (tree.root.feature, tree.nodes) == (1, 3)
    assert tree.root.p_value < 0.001


def test_randomized_labels_lead_to_the_same_question_with_honest_shares():
    codes, labels = drawn(2_000)
    label = TreeQuestion("label", YES_NO, Warner(0.75))
    tree = grow(TreeAnswers(features(5), label, codes, randomized(labels)))
    assert (tree.root.feature, tree.nodes) == (1, 3)
    shares = [leaf.counts[code] / leaf.size for code, leaf in tree.root.branches.items()]
    assert shares == pytest.approx([0.9, 0.9], abs=0.06)


def test_randomized_features_are_undone_too():
    codes, labels = drawn(4_000)
    reported = randomized(codes)
    tree = grow(
        TreeAnswers(features(5, Warner(0.75)), TreeQuestion("label", YES_NO), reported, labels)
    )
    assert (tree.root.feature, tree.nodes) == (1, 3)
    shares = [leaf.counts[code] / leaf.size for code, leaf in tree.root.branches.items()]
    assert shares == pytest.approx([0.9, 0.9], abs=0.05)


def test_below_a_randomized_feature_what_only_goes_with_it_is_no_split():
    """q0 and q1 both follow a hidden trait; given the true q0, the label tells nothing of q1."""
    rng = np.random.default_rng(3)
    trait = rng.integers(0, 2, 5_000)
    second = np.where(rng.random(5_000) < 0.9, trait, 1 - trait)
    codes = randomized(np.stack([trait, second], axis=1))
    tree = grow(TreeAnswers(features(2, Warner(0.75)), TreeQuestion("label", YES_NO), codes, trait))
    assert tree.root.feature == 0
    assert all(branch.is_leaf for branch in tree.root.branches.values())


def test_a_leaf_that_is_pure_or_has_no_feature_left_is_not_split():
    answers = answers_of([["a", "a", "b", "b"]], ["x", "x", "y", "x"])
    tree = grow(answers, EVERYTHING)
    assert [leaf.counts.tolist() for leaf in tree.root.branches.values()] == [[2, 0], [1, 1]]
    assert tree.nodes == 3


def test_equal_gains_go_to_the_first_feature():
    column = ["a", "a", "b", "b"]
    tree = grow(answers_of([column, column], ["x", "x", "y", "y"]), EVERYTHING)
    assert tree.root.feature == 0


def test_gain_ratio_prefers_few_branches():
    names = [str(number) for number in range(8)]
    halves = ["a"] * 4 + ["b"] * 4
    labels = ["x"] * 3 + ["y"] * 5
    answers = answers_of([names, halves], labels)
    assert grow(answers, EVERYTHING).root.feature == 0
    assert grow(answers, Growth(alpha=None, use_ratio=True)).root.feature == 1


def test_no_branch_is_smaller_than_asked():
    codes, labels = drawn(200)
    codes[:, 1] = 0
    codes[:4, 1] = labels[:4] = 1
    labels[4:] = 0
    answers = TreeAnswers(features(5), TreeQuestion("label", YES_NO), codes, labels)
    assert grow(answers).root.feature == 1
    assert grow(answers, Growth(least=5)).nodes == 1


def test_a_missing_or_unseen_answer_searches_every_branch():
    tree = grow(answers_of([["a", "a", "b"]], ["x", "x", "y"]), EVERYTHING)
    assert tree.votes([[0], [1], [MISSING], [7]]).tolist() == [[2, 0], [0, 1], [2, 1], [2, 1]]


def test_rows_that_miss_an_answer_grow_no_branch_and_are_counted():
    tree = grow(answers_of([["a", "?", "b"]], ["x", "x", "y"]), EVERYTHING)
    assert (tree.left_out, tree.root.size) == (1, 2)


def test_a_randomized_report_counts_in_proportion_to_its_chance():
    codes, labels = drawn(3_000)
    label = TreeQuestion("label", YES_NO)
    answers = TreeAnswers(features(5, Warner(0.75)), label, randomized(codes), labels)
    tree = grow(answers, Growth(deepest=1))
    no, yes = (tree.root.branches[level].counts for level in (0, 1))
    votes = tree.votes([[0, 1, 0, 0, 0]])[0]
    assert votes == pytest.approx(0.25 * no + 0.75 * yes)


def test_labels_that_are_all_equal_give_one_leaf():
    codes, _ = drawn(50)
    tree = grow(
        TreeAnswers(features(5), TreeQuestion("label", YES_NO), codes, np.ones(50, dtype=int))
    )
    assert (tree.nodes, tree.root.counts.tolist()) == (1, [0, 50])


def test_a_feature_with_ten_thousand_levels_does_not_split_by_name():
    people = 10_000
    names = TreeQuestion("name", tuple(map(str, range(people))))
    codes, labels = drawn(people)
    codes = np.column_stack([np.arange(people), codes])
    answers = TreeAnswers((names, *features(5)), TreeQuestion("label", YES_NO), codes, labels)
    assert grow(answers, Growth(least=10)).root.feature == 2


@pytest.mark.parametrize("wrong", [{"alpha": 0}, {"alpha": 1.5}, {"least": 0}, {"deepest": -1}])
def test_settings_that_mean_nothing_are_refused(wrong):
    with pytest.raises(TreeError):
        Growth(**wrong)


def test_answers_that_grow_no_tree_are_refused():
    label = TreeQuestion("label", YES_NO)
    with pytest.raises(TreeError, match="at least one of each"):
        TreeAnswers(features(1), label, np.zeros((0, 1)), np.zeros(0))
    with pytest.raises(TreeError, match="codes from 0 to 1"):
        TreeAnswers(features(1), label, np.array([[2]]), np.array([0]))
    with pytest.raises(TreeError, match="codes from 0 to 1"):
        TreeAnswers(features(1), label, np.array([[1]]), np.array([MISSING]))
    with pytest.raises(TreeError, match="at least one of each"):
        grow(answers_of([["?", "?"]], ["x", "y"]))
    with pytest.raises(TreeError, match="20,000 levels"):
        TreeQuestion("name", tuple(map(str, range(20_001))))
    with pytest.raises(TreeError, match="at least one feature"):
        answers_of([], [])
    with pytest.raises(TreeError, match="3 true and as many"):
        TreeQuestion("q", ("a", "b", "c"), KAry.from_epsilon(2, 1))


def test_counts_are_undone_without_negative_ones_and_keep_their_total():
    assert debias_counts([20, 80], Warner(0.75)).tolist() == [0, 100]
    assert debias_counts([20, 80], None).tolist() == [20, 80]
    assert debias_counts([0, 0], Warner(0.75)).tolist() == [0, 0]
    with pytest.raises(TreeError, match="at least 0"):
        debias_counts([-1, 2], None)


def test_a_table_with_one_row_tells_nothing():
    assert chi_square_p([[3, 4], [0, 0]]) == 1
    assert chi_square_p([[30, 4], [4, 30]]) < 1e-9


def test_with_weights_of_1_the_weighted_test_is_close_to_pearsons():
    table = np.array([[60.0, 40, 50], [45, 55, 60]])
    assert weighted_p(table, table) == pytest.approx(chi_square_p(table), abs=0.01)
