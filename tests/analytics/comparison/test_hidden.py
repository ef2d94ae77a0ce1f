"""Groups that are known through a channel: the joint law is undone by the Kronecker product."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.comparison.checks import ComparisonError
from analytics.comparison.groups import KnownGroup, Scale, group_distance
from analytics.comparison.hidden import (
    HiddenGroups,
    clear_groups,
    compare_hidden,
    independence_draws,
)
from analytics.comparison.permutation import null_draws
from surveys.randomized_response.designs import Direct, KAry, TwoCoins
from surveys.randomized_response.relations import joint_channel

STEPS = Scale(np.arange(4.0))
COINS = TwoCoins(2)
FIRST, SECOND = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.1, 0.2, 0.3, 0.4])


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def expected(n: int, *rows: np.ndarray, answers=None, membership=COINS) -> HiddenGroups:
    """The counts of reports that n people with this joint law are expected to send."""
    channel = np.eye(4) if answers is None else answers.channel.matrix
    reported = membership.channel.matrix @ np.stack(rows) @ channel.T
    names = tuple(f"group {place}" for place in range(len(rows)))
    return HiddenGroups(names, np.rint(n * reported), membership, answers)


@given(
    st.floats(0.2, 0.8),
    st.lists(st.integers(1, 9), min_size=8, max_size=8),
    st.sampled_from([None, KAry.from_epsilon(4, 1.5)]),
)
def test_expected_reports_give_the_true_distance_of_both_groups(share, weights, answers):
    laws = np.array(weights, dtype=float).reshape(2, 4)
    laws /= laws.sum(axis=1, keepdims=True)
    groups = expected(10**9, share * laws[0], (1 - share) * laws[1], answers=answers)
    joint = groups.joint(groups.counts / groups.n)
    assert joint == pytest.approx(np.stack([share * laws[0], (1 - share) * laws[1]]), abs=1e-7)


def test_it_is_the_inverse_of_the_joint_channel():
    answers = KAry.from_epsilon(4, 1.0)
    counts = np.arange(1.0, 9).reshape(2, 4)
    groups = HiddenGroups(("no", "yes"), counts, COINS, answers)
    whole = joint_channel(COINS, answers).inverse @ (counts.ravel() / counts.sum())
    assert groups.joint(counts / counts.sum()).ravel() == pytest.approx(whole)


def test_groups_that_answered_directly_are_compared_as_if_they_were_known():
    counts = np.array([[40, 30, 20, 10], [10, 20, 30, 40]])
    hidden = HiddenGroups(("a", "b"), counts, Direct(2))
    found = compare_hidden(hidden, STEPS, rng(), draws=200)
    known = [KnownGroup(name, row) for name, row in zip("ab", counts, strict=True)]
    assert found.pairs[0].distance == pytest.approx(group_distance(*known, STEPS))
    assert found.sizes == (100, 100)
    drawn = independence_draws(hidden, (0, 1), STEPS, 4_000, rng())
    split = null_draws(*known, STEPS, 4_000, rng())
    assert np.quantile(drawn, [0.5, 0.95]) == pytest.approx(
        np.quantile(split, [0.5, 0.95]), rel=0.1
    )


def test_a_clear_difference_is_measured_and_tested_exactly():
    found = compare_hidden(expected(4_000, 0.6 * FIRST, 0.4 * SECOND), STEPS, rng(), draws=400)
    pair = found.pairs[0]
    assert pair.distance == pytest.approx(1, abs=0.01)
    assert 0.5 < pair.low < 1 < pair.high < 1.5
    assert pair.p_value < 0.01
    assert (
        pair.test
        == "400 random pairings: the reported answers that form the groups are paired again, at "
        "random, with the reported answers to compare"
    )
    assert found.sizes == pytest.approx((2_400, 1_600), abs=2)
    assert pair.null_median < pair.detectable < 0.3


def test_randomizing_membership_widens_the_interval():
    known = compare_hidden(
        expected(4_000, 0.5 * FIRST, 0.5 * SECOND, membership=Direct(2)), STEPS, rng(), draws=400
    )
    hidden = compare_hidden(expected(4_000, 0.5 * FIRST, 0.5 * SECOND), STEPS, rng(), draws=400)
    widths = [one.pairs[0].high - one.pairs[0].low for one in (known, hidden)]
    assert widths[1] > 1.5 * widths[0]


def test_groups_that_do_not_differ_have_0_in_their_interval():
    found = compare_hidden(expected(2_000, 0.5 * FIRST, 0.5 * FIRST), STEPS, rng(), draws=400)
    assert (found.pairs[0].low, found.pairs[0].p_value) == (0, 1)


def test_of_more_groups_each_pair_has_a_test_of_its_own():
    three = TwoCoins(3)
    groups = expected(30_000, 0.4 * FIRST, 0.3 * FIRST, 0.3 * SECOND, membership=three)
    found = compare_hidden(groups, STEPS, rng(), draws=400)
    values = {(p.first, p.second): p.p_value for p in found.pairs}
    assert values["group 0", "group 1"] > 0.5
    assert values["group 0", "group 2"] < 0.01
    assert found.pairs[0].test == "the noise of 400 simulated surveys (an approximation)"


def test_many_pairs_are_drawn_so_often_that_they_can_be_told_apart():
    three = TwoCoins(3)
    groups = expected(30_000, 0.4 * FIRST, 0.3 * FIRST, 0.3 * SECOND, membership=three)
    found = compare_hidden(groups, STEPS, rng(), draws=19)
    assert found.pairs[1].corrected <= 0.05


def test_a_group_of_too_few_people_is_left_out():
    three = TwoCoins(3)
    rows = 0.6 * FIRST, 0.38 * SECOND, 0.02 * SECOND
    found = compare_hidden(expected(3_000, *rows, membership=three), STEPS, rng(), draws=200)
    assert found.names == ("group 0", "group 1")


def test_groups_of_too_few_people_are_refused_with_how_many_would_do():
    few = expected(300, 0.9 * FIRST, 0.1 * SECOND)
    with pytest.raises(
        ComparisonError,
        match=r"“group 1”: an estimated 10.. ± 5.. % .* answers from about 7.. people would be "
        "enough",
    ):
        clear_groups(few, STEPS)
    unclear = HiddenGroups(("no", "yes"), [[75, 0, 0, 0], [25, 0, 0, 0]], COINS)
    with pytest.raises(ComparisonError, match=r"a group must have at least 10 people$"):
        clear_groups(unclear, STEPS)


def test_those_who_declined_are_compared_apart():
    scale = Scale(np.arange(3.0), declined=3)
    first, second = np.array([0.3, 0.3, 0.3, 0.1]), np.array([0.1, 0.1, 0.1, 0.7])
    found = compare_hidden(expected(20_000, 0.5 * first, 0.5 * second), scale, rng(), draws=400)
    pair = found.pairs[0]
    assert pair.distance == pytest.approx(0, abs=0.01)
    assert pair.declined.difference == pytest.approx(0.6, abs=0.01)
    assert pair.declined.low < 0.6 < pair.declined.high


def test_ratings_of_hidden_groups_are_paired_person_by_person():
    patterns = np.array([[1, 0, 0, 0], [0.5, 0, 0, 0.5], [0, 0, 0, 1]])
    groups = HiddenGroups(("no", "yes"), [[60, 30, 30], [20, 40, 120]], COINS, None, patterns)
    found = compare_hidden(groups, STEPS, rng(), draws=200)
    assert found.sizes == (90, 210)
    # Reports: lowest 75 and 40, highest 45 and 140 of 300 ratings; the coins' inverse is 3/2, -1/2.
    lowest, highest = np.array([92.5, 22.5]), np.array([-2.5, 187.5])
    assert found.laws[:, 0] == pytest.approx(lowest / [90, 210])
    assert found.laws[:, 3] == pytest.approx(highest / [90, 210])


@pytest.mark.parametrize(
    ("names", "counts", "remedy"),
    [
        (("no", "yes"), [[1, 2, 3, 4]], "2 rows"),
        (("no",), [[1, 2, 3, 4]] * 2, "name 2 groups"),
        (("no", "yes"), [[1, 2, 3, -4]] * 2, "at least 0"),
        (("no", "yes"), [[0, 0, 0, 0]] * 2, "empty"),
    ],
)
def test_tables_that_do_not_fit_the_channel_are_refused(names, counts, remedy):
    with pytest.raises(ComparisonError, match=remedy):
        HiddenGroups(names, counts, COINS)
