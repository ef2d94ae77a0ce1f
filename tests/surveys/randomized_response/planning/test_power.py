import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm

from tests.randomized_response.designs import (
    Channel,
    ChannelMatrix,
    Direct,
    ForcedResponse,
    KAry,
    TwoCoins,
    Warner,
)
from tests.randomized_response.designs.cards import Kuk
from tests.randomized_response.designs.channel import affine_row
from tests.randomized_response.designs.local.unary import OUE
from tests.randomized_response.errors import PlanError
from tests.randomized_response.estimates import estimate_prevalence
from tests.randomized_response.planning import (
    power_one_sample,
    power_two_samples,
    sample_size_one_sample,
    sample_size_two_samples,
)
from tests.randomized_response.planning.exact_power import exact_power, exact_power_two_samples
from tests.surveys.randomized_response.strategies import binary_designs

SIXTHS = ForcedResponse(Fraction(1, 6), Fraction(1, 6))
UNEVEN = ChannelMatrix(
    Channel.from_matrix([[0.6, 0.1, 0.2], [0.3, 0.7, 0.2], [0.1, 0.2, 0.6]]),
)


def test_the_published_example_is_reproduced() -> None:
    # Forced response 1/6, 1/6; 200 people; 20 % against 0; one-sided at 1 %. docs/statistics.md.
    found = power_one_sample(
        SIXTHS, share=0.2, null_share=0, n=200, significance=0.01, alternative="one-sided"
    )
    assert found.power == pytest.approx(0.9868872, abs=5e-8)


def test_without_randomizing_it_is_the_textbook_power_of_a_proportion() -> None:
    found = power_one_sample(Direct(2), share=0.6, null_share=0.5, n=100)
    z = norm.ppf(0.975) * math.sqrt(0.25 / 100)
    error = math.sqrt(0.24 / 100)
    textbook = norm.sf((z - 0.1) / error) + norm.cdf((-z - 0.1) / error)
    assert found.power == pytest.approx(textbook, rel=1e-12)
    assert (found.n, found.other_n, found.alternative) == (100, None, "two-sided")
    assert found.standard_error == pytest.approx(error)


def test_the_sample_size_a_known_peer_gets_wrong() -> None:
    # It answers 539, where the power is 0.790.
    question = {"share": 0.25, "null_share": 0.15, "alternative": "one-sided"}
    plan = sample_size_one_sample(Warner(Fraction(3, 4)), power=0.8, method="normal", **question)
    assert plan.n == 555
    assert not plan.is_exact
    assert power_one_sample(Warner(Fraction(3, 4)), n=539, **question).power < 0.795


SHARES = st.floats(0, 1)


@given(binary_designs(), SHARES, SHARES, st.sampled_from(["one-sided", "two-sided"]))
def test_the_normal_n_reaches_the_power_and_one_less_does_not(
    design, share, null, alternative
) -> None:
    if abs(share - null) < 0.02 or abs(float(affine_row(design.channel, 1)[0])) < 0.05:
        return
    question = {"share": share, "null_share": null, "alternative": alternative}
    plan = sample_size_one_sample(design, power=0.9, method="normal", **question)
    assert plan.power >= 0.9
    assert plan == power_one_sample(design, n=plan.n, **question)
    if plan.n > 1:
        assert power_one_sample(design, n=plan.n - 1, **question).power < 0.9


@given(binary_designs(), SHARES, SHARES, st.integers(1, 10**6))
def test_power_rises_with_n_and_with_the_significance(design, share, null, n) -> None:
    question = {"share": share, "null_share": null}
    now = power_one_sample(design, n=n, **question).power
    assert 0 <= now <= 1
    assert power_one_sample(design, n=2 * n, **question).power >= now - 1e-12 or share == null
    assert power_one_sample(design, n=n, significance=0.2, **question).power >= now - 1e-12


def test_equal_shares_are_detected_as_often_as_the_level_says() -> None:
    for alternative in ("one-sided", "two-sided"):
        same = power_one_sample(
            SIXTHS, share=0.3, null_share=0.3, n=50, significance=0.1, alternative=alternative
        )
        assert same.power == pytest.approx(0.1)


def test_a_yes_no_question_may_be_asked_from_either_side() -> None:
    yes = power_one_sample(SIXTHS, share=0.2, null_share=0.1, n=300)
    no = power_one_sample(SIXTHS, share=0.8, null_share=0.9, n=300, option=0)
    assert no.power == pytest.approx(yes.power, rel=1e-12)


def test_the_same_channel_has_the_same_power_under_every_name() -> None:
    designs = (Warner(0.75), TwoCoins(2), KAry.from_epsilon(2, math.log(3)), Kuk(0.75, 0.25, 1))
    powers = [power_one_sample(d, share=0.3, null_share=0.2, n=500).power for d in designs]
    assert powers == pytest.approx([powers[0]] * len(powers), rel=1e-12)


def test_two_draws_from_a_deck_use_the_variance_of_the_mean_of_the_cards() -> None:
    # Per person, with k = 2 cards: Var = (E[p(1-p)]/k + pi(1-pi)(p1-p2)^2) / (p1-p2)^2.
    found = power_one_sample(Kuk(0.75, 0.25, 2), share=0.3, null_share=0.2, n=500)
    expected = (0.1875 / 2 + 0.3 * 0.7 * 0.25) / 0.25 / 500
    assert found.standard_error**2 == pytest.approx(expected, rel=1e-9)


def test_an_option_of_a_local_protocol_is_a_report_with_two_chances() -> None:
    protocol = OUE.from_epsilon(10, 1.0)
    found = power_one_sample(protocol, share=0.1, null_share=0.0, n=2000, option=3)
    q = 1 / (math.e + 1)
    assert found.null_standard_error == pytest.approx(
        math.sqrt(q * (1 - q) / 2000) / (0.5 - q), rel=1e-6
    )


def test_a_design_without_noise_at_the_edges_is_certain() -> None:
    sure = power_one_sample(Direct(2), share=1, null_share=0, n=1)
    assert (sure.power, sure.null_standard_error, sure.standard_error) == (1, 0, 0)
    never = power_one_sample(Direct(2), share=0, null_share=0, n=5)
    assert never.power == 0


# Two groups of people.


def test_two_groups_share_the_variance() -> None:
    found = power_two_samples(SIXTHS, share=0.3, other_share=0.2, n=1500, alternative="one-sided")
    assert found.power == pytest.approx(0.988687531868524, abs=1e-12)
    uneven = power_two_samples(SIXTHS, share=0.3, other_share=0.2, n=1500, other_n=3000)
    variances = [(2 * p / 3 + 1 / 6) * (5 / 6 - 2 * p / 3) * 9 / 4 for p in (0.3, 0.2)]
    assert uneven.standard_error == pytest.approx(
        math.sqrt(variances[0] / 1500 + variances[1] / 3000)
    )


def test_groups_may_have_different_designs() -> None:
    mixed = power_two_samples(
        SIXTHS, other_design=Direct(2), share=0.3, other_share=0.2, n=400, other_n=100
    )
    variance = (2 * 0.3 / 3 + 1 / 6) * (5 / 6 - 2 * 0.3 / 3) * 9 / 4 / 400 + 0.16 / 100
    assert mixed.standard_error == pytest.approx(math.sqrt(variance))


@pytest.mark.parametrize("ratio", [0.3, 1, 2.5])
def test_two_groups_by_the_normal_n_reach_the_power_and_one_person_less_does_not(ratio) -> None:
    question = {"share": 0.3, "other_share": 0.2}
    plan = sample_size_two_samples(SIXTHS, ratio=ratio, power=0.9, method="normal", **question)
    assert plan.other_n == math.ceil(ratio * plan.n)
    assert plan.power >= 0.9
    fewer = plan.n - 1
    less = power_two_samples(SIXTHS, n=fewer, other_n=math.ceil(ratio * fewer), **question)
    assert less.power < 0.9


def test_a_difference_other_than_zero_may_be_the_hypothesis() -> None:
    shifted = power_two_samples(
        SIXTHS, share=0.4, other_share=0.2, null_shares=(0.3, 0.2), n=800, alternative="one-sided"
    )
    assert shifted.difference == pytest.approx(0.1)


# The approximation against every possible count.


@pytest.mark.parametrize("alternative", ["one-sided", "two-sided"])
def test_exact_power_is_the_sum_over_all_counts_that_reject(alternative) -> None:
    n, null = 60, 0.25 + 0.5 * 0.2
    level = 0.05 if alternative == "one-sided" else 0.025
    found = exact_power(TwoCoins(2), share=0.6, null_share=0.2, n=n, alternative=alternative)
    counts = np.arange(n + 1)
    rejected = binom.sf(counts - 1, n, null) <= level
    if alternative == "two-sided":
        rejected |= binom.cdf(counts, n, null) <= level
    assert found.power == pytest.approx(binom.pmf(counts, n, 0.55) @ rejected, rel=1e-10)
    assert found.size == pytest.approx(binom.pmf(counts, n, null) @ rejected, rel=1e-10)
    assert found.size <= 0.05
    assert found.guaranteed


def test_the_binomial_test_rejects_what_the_clopper_pearson_interval_excludes() -> None:
    n = 80
    found = exact_power(SIXTHS, share=0.5, null_share=0.2, n=n)
    for ones in range(n + 1):
        covers = estimate_prevalence(SIXTHS, [n - ones, ones]).interval().contains(0.2)
        assert covers is (found.lower < ones < found.upper)


@pytest.mark.parametrize("design", [Warner(0.2), SIXTHS, TwoCoins(2), Direct(2)])
def test_the_normal_power_is_close_to_the_exact_power_of_the_same_test(design) -> None:
    for n in (300, 1000):
        for alternative in ("one-sided", "two-sided"):
            question = {"share": 0.42, "null_share": 0.3, "n": n, "alternative": alternative}
            exact = exact_power(design, test="normal", **question)
            assert power_one_sample(design, **question).power == pytest.approx(
                exact.power, abs=0.02
            )
            assert not exact.guaranteed


def test_a_negative_slope_rejects_on_the_other_side() -> None:
    up = exact_power(Warner(0.8), share=0.5, null_share=0.2, n=50, alternative="one-sided")
    down = exact_power(Warner(0.2), share=0.5, null_share=0.2, n=50, alternative="one-sided")
    assert down.power == pytest.approx(up.power, rel=1e-12)
    assert (up.lower, down.upper) == (-1, 51)


def test_exact_power_of_two_groups_is_close_to_the_normal_one() -> None:
    for alternative in ("one-sided", "two-sided"):
        question = {"share": 0.45, "other_share": 0.25, "n": 300, "other_n": 400}
        exact = exact_power_two_samples(SIXTHS, alternative=alternative, **question)
        normal = power_two_samples(SIXTHS, alternative=alternative, **question)
        assert normal.power == pytest.approx(exact, abs=0.01)


def test_few_people_can_never_reject() -> None:
    found = exact_power(TwoCoins(2), share=1, null_share=0.5, n=2)
    assert (found.power, found.size, found.lower, found.upper) == (0, 0, -1, 3)


# Nonsense.


@pytest.mark.parametrize(
    ("wrong", "argument"),
    [
        ({"share": -0.1}, "share"),
        ({"share": math.nan}, "share"),
        ({"share": "0.2"}, "share"),
        ({"null_share": 1.01}, "null_share"),
        ({"n": 0}, "n"),
        ({"n": 2.5}, "n"),
        ({"n": 10**10}, "n"),
        ({"n": None}, "n"),
        ({"significance": 0}, "significance"),
        ({"significance": 1}, "significance"),
        ({"alternative": "both"}, "alternative"),
        ({"alternative": None}, "alternative"),
    ],
)
def test_nonsense_is_refused_by_name(wrong, argument) -> None:
    question = {"share": 0.3, "null_share": 0.2, "n": 100, **wrong}
    for ask in (power_one_sample, exact_power):
        with pytest.raises(PlanError) as refused:
            ask(SIXTHS, **question)
        assert refused.value.argument == argument


@pytest.mark.parametrize("power", [0, 1, -1, math.nan, "0.8"])
def test_a_power_that_is_no_probability_is_refused(power) -> None:
    with pytest.raises(PlanError, match="power"):
        sample_size_one_sample(SIXTHS, share=0.2, null_share=0.1, power=power)


def test_equal_shares_need_no_finite_sample_and_a_tiny_difference_too_many_people() -> None:
    with pytest.raises(PlanError, match="there is no difference to detect"):
        sample_size_one_sample(SIXTHS, share=0.2, null_share=0.2)
    with pytest.raises(PlanError, match=r"10\^9"):
        sample_size_one_sample(SIXTHS, share=0.2, null_share=0.2 + 1e-6)


def test_where_the_other_shares_matter_the_design_is_refused() -> None:
    with pytest.raises(PlanError, match="all other shares"):
        power_one_sample(UNEVEN, share=0.2, null_share=0.1, n=100)
    with pytest.raises(PlanError, match="is not a linear function of its true share"):
        exact_power(Kuk(0.75, 0.25, 2), share=0.2, null_share=0.1, n=100)
    with pytest.raises(PlanError, match="too many counts"):
        exact_power_two_samples(SIXTHS, share=0.2, other_share=0.1, n=10**7)


@pytest.mark.parametrize(
    "wrong", [{"null_shares": 0.2}, {"null_shares": (0.1,)}, {"ratio": 0}, {"ratio": math.inf}]
)
def test_nonsense_about_two_groups_is_refused(wrong) -> None:
    with pytest.raises(PlanError):
        sample_size_two_samples(SIXTHS, **{"share": 0.3, "other_share": 0.2, **wrong})
    with pytest.raises(PlanError, match="choose one of binomial, normal"):
        exact_power(SIXTHS, share=0.3, null_share=0.2, n=50, test="exact")
