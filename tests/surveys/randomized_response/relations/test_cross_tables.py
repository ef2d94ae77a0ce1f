"""Joint, conditional and compared shares of two questions."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.randomized_response.designs import Channel, Direct, KAry, TwoCoins, Warner
from tests.randomized_response.errors import CountsError, DesignError, EstimationError
from tests.randomized_response.estimates import estimate_distribution
from tests.randomized_response.relations import (
    difference_of_shares,
    estimate_cross_table,
    joint_channel,
)
from tests.randomized_response.relations.cross_tables import ANY_DIFFERENCE, MOST_JOINT_LEVELS

TRUTH = np.array([[0.36, 0.12, 0.02], [0.24, 0.08, 0.18]])
GUARANTEED = ("clopper-pearson", "chebyshev")


def reports_of(design, grouping, truth, n, rng, runs):
    """Counts of reported pairs: shape (runs, answers, groups)."""
    expected = design.channel.matrix @ truth @ grouping.channel.matrix.T
    return rng.multinomial(n, expected.ravel() / expected.sum(), size=runs).reshape(
        runs, *expected.shape
    )


def conditional(truth, answer, group):
    return truth[answer, group] / truth[:, group].sum()


def test_the_channel_of_a_pair_is_the_kronecker_product_and_stays_exact():
    joint = joint_channel(Warner(Fraction(3, 4)), TwoCoins(3))
    kron = np.kron(Warner(Fraction(3, 4)).channel.matrix, TwoCoins(3).channel.matrix)
    assert joint.is_exact
    assert joint.matrix == pytest.approx(kron)
    assert joint_channel(TwoCoins(2)).matrix == pytest.approx(TwoCoins(2).channel.matrix)


def test_the_epsilons_of_the_questions_of_a_pair_add_up():
    joint = joint_channel(TwoCoins(2), TwoCoins(3))
    assert joint.epsilon == pytest.approx(math.log(3) + math.log(4))


def test_reports_in_their_expected_proportions_give_the_true_joint_shares():
    design, grouping = TwoCoins(2), TwoCoins(3)
    expected = design.channel.matrix @ TRUTH @ grouping.channel.matrix.T
    counts = np.round(expected * 240_000).astype(int)
    table = estimate_cross_table(design, grouping, counts)
    assert table.shares == pytest.approx(TRUTH, abs=1e-4)
    assert table.group_shares == pytest.approx(TRUTH.sum(axis=0), abs=1e-4)
    assert table.conditional(1, 2).value == pytest.approx(0.9, abs=1e-3)
    difference = table.difference(1, 2, 0)
    assert difference.value == pytest.approx(0.9 - 0.4, abs=2e-3)


def test_summing_over_the_groups_gives_the_estimate_of_the_question_alone():
    counts = np.array([[40, 31, 29], [20, 44, 36]])
    table = estimate_cross_table(TwoCoins(2), KAry.from_epsilon(3, 1.5), counts)
    alone = estimate_distribution(TwoCoins(2), counts.sum(axis=1))
    assert table.shares.sum(axis=1) == pytest.approx(alone.shares)


def test_a_group_asked_directly_has_the_estimate_of_its_own_respondents():
    counts = np.array([[70, 31], [20, 44]])
    table = estimate_cross_table(TwoCoins(2), Direct(2), counts)
    for group in range(2):
        alone = estimate_distribution(TwoCoins(2), counts[:, group])
        assert table.conditional(1, group).value == pytest.approx(alone.shares[1])
        # The ratio's error divides by n, the group's own by its size less one.
        size = counts[:, group].sum()
        ratio = table.conditional(1, group).standard_error / alone.standard_errors[1]
        n = counts.sum()
        assert ratio == pytest.approx(math.sqrt((size - 1) / size * n / (n - 1)))


def test_the_order_of_the_groups_only_turns_the_sign_of_a_difference():
    table = estimate_cross_table(TwoCoins(2), TwoCoins(2), [[300, 200], [100, 250]])
    for method in ("clopper-pearson", "wald", "wilson", "chebyshev"):
        there, back = (table.difference(1, *pair, method=method) for pair in ((0, 1), (1, 0)))
        assert there.value == pytest.approx(-back.value)
        assert there.standard_error == pytest.approx(back.standard_error)
        assert there.interval.low == pytest.approx(-back.interval.high)


def test_the_error_of_a_difference_is_the_numeric_gradient_of_its_formula():
    table = estimate_cross_table(TwoCoins(2), TwoCoins(3), [[300, 210, 180], [120, 150, 260]])

    def value(joint):
        shares = joint.reshape(2, 3)
        return shares[1, 2] / shares[:, 2].sum() - shares[1, 0] / shares[:, 0].sum()

    step, joint = 1e-6, table.joint.shares
    moved = [value(joint + step * unit) - value(joint - step * unit) for unit in np.eye(6)]
    gradient = np.array(moved) / (2 * step)
    expected = math.sqrt(gradient @ table.joint.covariance @ gradient)
    assert table.difference(1, 2, 0).standard_error == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    "method", [pytest.param("wald", marks=pytest.mark.audit), "clopper-pearson"]
)
def test_intervals_of_differences_between_randomized_groups_cover_the_truth(method):
    """500 surveys; a fault that no more than 5 sigma of them would show is let through."""
    rng, runs, n = np.random.default_rng(11), 500, 6000
    truth = np.array([[0.5, 0.2], [0.1, 0.2]])
    design = TwoCoins(2)
    value = conditional(truth, 1, 1) - conditional(truth, 1, 0)
    counts = reports_of(design, design, truth, n, rng, runs)
    tables = [estimate_cross_table(design, design, c) for c in counts]
    hits = sum(t.difference(1, 1, 0, 0.9, method).interval.contains(value) for t in tables)
    sigma = math.sqrt(0.9 * 0.1 / runs)
    assert hits / runs >= 0.9 - 5 * sigma
    if method == "wald":
        assert hits / runs <= 0.9 + 5 * sigma


@pytest.mark.parametrize("method", ["clopper-pearson", "wilson", "confidence-sequence"])
def test_two_intervals_that_are_subtracted_share_the_failure_probability(method):
    table = estimate_cross_table(TwoCoins(2), TwoCoins(2), [[900, 600], [400, 500]])
    here, there = (table.conditional(1, g, 0.975, method).interval for g in (1, 0))
    found = table.difference(1, 1, 0, 0.95, method).interval
    assert (found.low, found.high) == (
        pytest.approx(here.low - there.high),
        pytest.approx(here.high - there.low),
    )
    one, other = (estimate_distribution(TwoCoins(2), c) for c in ([50, 50], [80, 40]))
    exact = difference_of_shares(one, other, 1, method="clopper-pearson").interval
    low = one.interval(1, 0.975).low - other.interval(1, 0.975).high
    assert exact.low == pytest.approx(low)


def test_a_group_that_may_be_empty_allows_every_difference():
    table = estimate_cross_table(TwoCoins(2), TwoCoins(2), [[60, 20], [61, 20]])
    assert table.group_shares[1] == pytest.approx(-0.0, abs=0.01)
    interval = table.difference(1, 0, 1, method="wald").interval
    assert (interval.low, interval.high, interval.note) == (-1.0, 1.0, ANY_DIFFERENCE)


def test_one_answer_has_a_difference_but_no_error():
    table = estimate_cross_table(TwoCoins(2), Direct(2), [[1, 0], [0, 0]])
    assert table.difference(1, 0, 1).value is None
    assert table.conditional(1, 0).standard_error is None


class TestGroupsOfDifferentPeople:
    """Two groups that were told apart by a direct question."""

    def groups(self, first, second, design=None):
        used = design or TwoCoins(2)
        return [estimate_distribution(used, counts) for counts in (first, second)]

    def test_the_variances_of_independent_groups_add_up(self):
        one, other = self.groups([50, 50], [80, 40])
        found = difference_of_shares(one, other, 1, method="wald")
        expected = math.hypot(one.standard_errors[1], other.standard_errors[1])
        assert found.value == pytest.approx(0.5 - (1 / 3 - 0.25) / 0.5)
        assert found.standard_error == pytest.approx(expected)
        assert found.interval.width == pytest.approx(2 * 1.959964 * expected, rel=1e-6)

    def test_newcombes_published_interval_is_reproduced_for_direct_answers(self):
        """Newcombe (1998), example (a): 56/70 against 48/80, method 10: 0.0524 to 0.3339."""
        one, other = self.groups([14, 56], [32, 48], Direct(2))
        interval = difference_of_shares(one, other, 1, method="wilson").interval
        assert (round(interval.low, 4), round(interval.high, 4)) == (0.0524, 0.3339)

    @pytest.mark.parametrize("method", GUARANTEED)
    def test_guaranteed_methods_cover_every_pair_of_shares_at_any_size(self, method):
        """Exact enumeration of both counts at n = 6 and 9."""
        from scipy.stats import binom

        sizes, level = (6, 9), 0.9
        design = TwoCoins(2)
        found = {
            (x, y): difference_of_shares(
                *self.groups([sizes[0] - x, x], [sizes[1] - y, y]), 1, level, method
            ).interval
            for x in range(sizes[0] + 1)
            for y in range(sizes[1] + 1)
        }
        if method == "chebyshev":  # approximate by its note: the variances are estimated
            assert all(i.width > 0 for i in found.values())
            return
        for p in (0.0, 0.1, 0.5, 1.0):
            for q in (0.0, 0.3, 0.9):
                rates = [design.channel.matrix[1] @ (1 - s, s) for s in (p, q)]
                covered = sum(
                    binom.pmf(x, sizes[0], rates[0]) * binom.pmf(y, sizes[1], rates[1])
                    for (x, y), i in found.items()
                    if i.contains(p - q)
                )
                assert covered >= level - 1e-12

    @pytest.mark.parametrize("method", ["wald", "chebyshev", "wilson", "clopper-pearson"])
    def test_agreement_never_gives_a_difference_without_width(self, method):
        one, other = self.groups([20, 0], [20, 0])
        assert difference_of_shares(one, other, 1, method=method).interval.width > 0.1

    def test_groups_with_other_options_cannot_be_compared(self):
        one = estimate_distribution(TwoCoins(2), [3, 4])
        other = estimate_distribution(TwoCoins(3), [3, 4, 5])
        with pytest.raises(EstimationError, match="same options"):
            difference_of_shares(one, other, 1)


def test_impossible_tables_are_refused_with_a_remedy():
    with pytest.raises(CountsError, match="2 rows of 3"):
        estimate_cross_table(TwoCoins(2), TwoCoins(3), [[1, 2], [3, 4]])
    with pytest.raises(CountsError, match="2 rows of 3"):
        estimate_cross_table(TwoCoins(2), TwoCoins(3), [[1, 2, 3], [3, 4]])
    with pytest.raises(CountsError, match="0 or more"):
        estimate_cross_table(TwoCoins(2), TwoCoins(2), [[1, -2], [3, 4]])
    with pytest.raises(DesignError, match="at least one design"):
        joint_channel()
    with pytest.raises(DesignError, match=str(MOST_JOINT_LEVELS)):
        joint_channel(TwoCoins(20), TwoCoins(20))
    with pytest.raises(EstimationError, match="numbered 0 to 1"):
        estimate_cross_table(TwoCoins(2), TwoCoins(2), [[1, 2], [3, 4]]).conditional(2, 0)
    assert isinstance(joint_channel(TwoCoins(2)), Channel)
