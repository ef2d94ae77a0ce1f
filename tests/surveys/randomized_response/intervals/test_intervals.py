import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, norm, sem

from tests.randomized_response.designs import (
    Channel,
    ChannelMatrix,
    Direct,
    ForcedResponse,
    KAry,
    TwoCoins,
    Warner,
    scores_of,
)
from tests.randomized_response.errors import CountsError, EstimationError
from tests.randomized_response.estimates import estimate_distribution, estimate_prevalence
from tests.randomized_response.intervals import INTERVAL_METHODS, Interval
from tests.randomized_response.intervals.intervals import chebyshev, clopper_pearson, wilson
from tests.surveys.randomized_response.enumeration import (
    all_counts,
    option_coverage,
    prevalence_coverage,
    ratio_coverage,
)
from tests.surveys.randomized_response.strategies import binary_designs, counts_for

METHODS = list(INTERVAL_METHODS)
GUARANTEED = [name for name, method in INTERVAL_METHODS.items() if method.guaranteed]
UNEVEN = ChannelMatrix(
    Channel.from_matrix([[0.6, 0.1, 0.2], [0.3, 0.7, 0.2], [0.1, 0.2, 0.6]]),
)

# Two coins, nominal 95 %, by n and true share; printed in docs/statistics.md.
COVERAGE = {
    (20, 0.0): {"wald": 0.8949, "wilson": 0.9348, "clopper-pearson": 0.9618, "chebyshev": 1.0},
    (50, 0.0): {"wald": 0.9408, "wilson": 0.9519, "clopper-pearson": 0.9667, "chebyshev": 1.0},
    (100, 0.0): {"wald": 0.9459, "wilson": 0.9513, "clopper-pearson": 0.9625, "chebyshev": 1.0},
    (20, 0.1): {"wald": 0.9474, "wilson": 0.9752, "clopper-pearson": 0.9752, "chebyshev": 1.0},
    (100, 0.1): {"wald": 0.9502, "wilson": 0.9372, "clopper-pearson": 0.9625, "chebyshev": 1.0},
    (20, 0.5): {"wald": 0.9586, "wilson": 0.9586, "clopper-pearson": 0.9586, "chebyshev": 1.0},
    (100, 0.5): {"wald": 0.9431, "wilson": 0.9431, "clopper-pearson": 0.9648, "chebyshev": 1.0},
}


@pytest.mark.parametrize(("n", "share"), COVERAGE)
def test_the_coverage_table_of_the_documentation_is_measured(n, share) -> None:
    for method, printed in COVERAGE[n, share].items():
        measured, _ = prevalence_coverage(TwoCoins(2), n, share, method)
        assert measured == pytest.approx(printed, abs=5.1e-5)


def test_chebyshev_is_two_thirds_wider_for_20_people_and_2_2_times_as_wide_for_1000() -> None:
    for n, ratio in ((20, 1.66), (100, 2.05), (1000, 2.23)):
        _, guaranteed = prevalence_coverage(TwoCoins(2), n, 0.0, "chebyshev")
        _, exact = prevalence_coverage(TwoCoins(2), n, 0.0, "clopper-pearson")
        assert guaranteed / exact == pytest.approx(ratio, abs=0.01)
    assert math.sqrt(1 / 0.05) / norm.ppf(0.975) == pytest.approx(2.28, abs=0.005)


@pytest.mark.parametrize("method", GUARANTEED)
@pytest.mark.parametrize("n", [1, 2, 7, 30])
def test_a_guaranteed_interval_covers_at_least_as_often_as_it_says(method, n) -> None:
    designs = [TwoCoins(2), Warner(Fraction(1, 5)), ForcedResponse(Fraction(1, 3), 0), Direct(2)]
    for design in designs:
        for share in np.linspace(0, 1, 21):
            for level in (0.8, 0.95):
                covered, _ = prevalence_coverage(design, n, float(share), method, level)
                assert covered >= level - 1e-9


@pytest.mark.parametrize("method", GUARANTEED)
@pytest.mark.parametrize("design", [TwoCoins(3), UNEVEN, Direct(3)], ids=lambda d: d.label)
@pytest.mark.parametrize("shares", [[0.2, 0.3, 0.5], [0.0, 1.0, 0.0], [0.9, 0.05, 0.05]])
def test_guaranteed_intervals_of_options_cover_alone_and_together(design, shares, method) -> None:
    assert min(option_coverage(design, 12, shares, method)) >= 0.95 - 1e-9


@pytest.mark.parametrize("design", [TwoCoins(3), UNEVEN, Direct(3)], ids=lambda d: d.label)
@pytest.mark.parametrize("shares", [[0.2, 0.3, 0.5], [0.0, 0.5, 0.5], [0.01, 0.01, 0.98]])
def test_the_interval_of_a_share_among_the_answered_covers(design, shares) -> None:
    assert ratio_coverage(design, 15, shares, "clopper-pearson") >= 0.95 - 1e-9


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 10, 1000])
def test_an_interval_never_has_zero_width_even_when_all_answers_agree(method, n) -> None:
    for design in (TwoCoins(2), Direct(2), Warner(Fraction(1, 4))):
        for counts in ([n, 0], [0, n]):
            assert estimate_prevalence(design, counts).interval(0.95, method).width > 0
    for design in (TwoCoins(3), UNEVEN, Direct(3)):
        for counts in ([n, 0, 0], [0, 0, n]):
            intervals = estimate_distribution(design, counts).intervals(method=method)
            assert all(i.width > 0 for i in intervals)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 6])
def test_no_ratio_has_an_interval_of_zero_width_either(method, n) -> None:
    for design in (TwoCoins(3), UNEVEN, Direct(3)):
        for counts in all_counts(n, 3):
            interval = estimate_distribution(design, counts).ratio(1, (0, 1), 0.95, method).interval
            assert interval.width > 1e-6


def test_wald_without_spread_says_that_another_interval_is_shown() -> None:
    for counts in ([0, 9], [1, 0]):
        interval = estimate_prevalence(TwoCoins(2), counts).interval(method="wald")
        assert interval.method == "clopper-pearson"
        assert "undefined" in interval.note
    normal = estimate_prevalence(TwoCoins(2), [5, 5]).interval(method="wald")
    assert (normal.method, normal.note) == ("wald", "")


def test_clopper_pearson_and_wilson_agree_with_an_independent_implementation() -> None:
    for x, n, level in ((0, 5, 0.95), (3, 10, 0.9), (10, 10, 0.99), (457, 1000, 0.95)):
        for method, name in ((clopper_pearson, "exact"), (wilson, "wilson")):
            peer = binomtest(x, n).proportion_ci(level, method=name)
            ours = method(x, n, level)
            assert (ours.low, ours.high) == pytest.approx((peer.low, peer.high), abs=1e-12)


@pytest.mark.parametrize(("x", "n"), [(20143, 21142), (999, 21142)])
def test_clopper_pearson_is_right_where_the_library_s_inverse_is_not(x, n) -> None:
    # SciPy 1.17 gives 0.8746 for the lower end at 20143 of 21142; it is 0.9498.
    interval = clopper_pearson(x, n)
    assert binom.sf(x - 1, n, interval.low) == pytest.approx(0.025, rel=1e-6)
    assert binom.cdf(x, n, interval.high) == pytest.approx(0.025, rel=1e-6)
    assert interval.width == pytest.approx(wilson(x, n).width, rel=0.01)


@given(st.integers(1, 10**6), st.floats(0, 1), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_the_ends_of_clopper_pearson_leave_exactly_half_of_the_rest_in_each_tail(
    n, part, level
) -> None:
    x = round(part * n)
    interval = clopper_pearson(x, n, level)
    tail = pytest.approx((1 - level) / 2, rel=1e-5)
    assert x == 0 or binom.sf(x - 1, n, interval.low) == tail
    assert x == n or binom.cdf(x, n, interval.high) == tail


@given(st.integers(1, 500), st.data())
def test_the_ends_of_wilson_and_chebyshev_solve_their_quadratic(n, data) -> None:
    x = data.draw(st.integers(0, n))
    for interval, squared in (
        (wilson(x, n, 0.9), norm.ppf(0.95) ** 2),
        (chebyshev(x, n, 0.9), 1 / 0.1),
    ):
        for end in (interval.low, interval.high):
            assert (x / n - end) ** 2 == pytest.approx(squared * end * (1 - end) / n, abs=1e-9)


def test_wald_is_the_estimate_and_its_standard_error() -> None:
    estimate = estimate_prevalence(TwoCoins(2), [60, 40])
    interval = estimate.interval(0.95, "wald")
    half = norm.ppf(0.975) * estimate.standard_error
    assert (interval.low, interval.high) == pytest.approx((0.3 - half, 0.3 + half))
    uneven = estimate_distribution(UNEVEN, [30, 50, 20])
    for option in range(3):
        half = norm.ppf(0.975) * uneven.standard_errors[option]
        interval = uneven.interval(option, 0.95, "wald")
        assert interval.high == pytest.approx(uneven.shares[option] + half)
        assert interval.low == pytest.approx(uneven.shares[option] - half)


@given(binary_designs(), counts_for(2, largest=200))
def test_an_interval_is_the_binomial_one_mapped_with_swapped_ends_if_the_slope_is_negative(
    design, counts
) -> None:
    no, yes = (float(p) for p in design.channel.rows[1])
    ends = [(end - no) / (yes - no) for end in _ends(clopper_pearson(counts[1], sum(counts)))]
    mapped = estimate_prevalence(design, counts).interval()
    assert _ends(mapped) == pytest.approx(sorted(ends), rel=1e-6, abs=1e-6)


@given(binary_designs(), counts_for(2, largest=200), st.sampled_from(METHODS))
def test_every_interval_contains_the_estimate_in_the_middle_of_the_possible_range(
    design, counts, method
) -> None:
    estimate = estimate_prevalence(design, counts)
    interval = estimate.interval(0.9, method)
    assert interval.low - 1e-6 <= estimate.prevalence <= interval.high + 1e-6


@given(counts_for(3, largest=60), st.sampled_from(METHODS), st.sampled_from([TwoCoins(3), UNEVEN]))
def test_a_higher_level_gives_a_wider_interval(counts, method, design) -> None:
    estimate = estimate_distribution(design, counts)
    for option in range(3):
        narrow, wide = (estimate.interval(option, level, method) for level in (0.8, 0.99))
        assert wide.low <= narrow.low + 1e-12
        assert narrow.high <= wide.high + 1e-12


def test_nothing_is_clipped_until_it_is_displayed() -> None:
    stored = estimate_prevalence(TwoCoins(2), [70, 30]).interval()
    assert stored.low < 0 < stored.high
    shown = stored.clipped()
    assert (shown.low, shown.high) == (0, stored.high)
    assert shown.note == ""


def test_an_interval_outside_the_possible_range_says_so_on_display() -> None:
    shown = estimate_prevalence(TwoCoins(2), [1000, 0]).interval().clipped()
    assert (shown.low, shown.high) == (0, 0)
    assert "improbable" in shown.note


def test_simultaneous_intervals_state_their_correction_and_are_wider() -> None:
    estimate = estimate_distribution(TwoCoins(3), [30, 40, 30])
    single, wide = estimate.intervals(0.95), estimate.intervals(0.95, simultaneous=True)
    for one, together in zip(single, wide, strict=True):
        assert (
            "for each of the 3 intervals, and 95% for all of them together (Bonferroni)"
            in together.note
        )
        assert together.width > one.width
        assert together.level == pytest.approx(1 - 0.05 / 3)


def test_yes_and_no_mirror_each_other_and_need_no_correction() -> None:
    estimate = estimate_distribution(TwoCoins(2), [60, 40])
    for method in METHODS:
        no, yes = estimate.intervals(0.95, method, simultaneous=True)
        assert (no.low, no.high) == pytest.approx((1 - yes.high, 1 - yes.low))
        assert estimate.intervals(0.95, method) == (no, yes)


def test_other_channels_get_the_guaranteed_box_and_say_so() -> None:
    estimate = estimate_distribution(UNEVEN, [30, 50, 20])
    box = estimate.interval(0, method="clopper-pearson")
    assert "box" in box.note
    assert "range of the scores" in estimate.interval(0, method="chebyshev").note
    assert box.width < 2.2 * estimate.interval(0, method="wald").width


def test_the_default_is_exact_for_one_proportion_and_else_the_score_method() -> None:
    assert estimate_prevalence(TwoCoins(2), [60, 40]).interval().method == "clopper-pearson"
    assert estimate_distribution(TwoCoins(3), [30, 50, 20]).interval(0).method == "clopper-pearson"
    uneven = estimate_distribution(UNEVEN, [30, 50, 20])
    assert uneven.interval(0) == uneven.interval(0, method="score")
    assert uneven.interval(0).width < 1.1 * uneven.interval(0, method="wald").width


def test_the_ratio_among_the_answered_is_the_ratio_of_the_estimates() -> None:
    estimate = estimate_distribution(TwoCoins(3), [300, 400, 300])
    ratio = estimate.ratio(1, (0, 1))
    assert ratio.value == pytest.approx(estimate.shares[1] / (1 - estimate.shares[2]))
    assert ratio.interval.low < ratio.value < ratio.interval.high
    assert 0 <= ratio.interval.low < ratio.interval.high <= 1


def test_the_standard_error_of_a_ratio_is_the_spread_of_simulated_ratios() -> None:
    rng = np.random.default_rng(5)
    reports = TwoCoins(3).channel.matrix @ [0.5, 0.4, 0.1]
    drawn = [estimate_distribution(TwoCoins(3), c) for c in rng.multinomial(4000, reports, 2000)]
    ratios = [d.ratio(1, (0, 1), method="wald") for d in drawn]
    spread = np.std([r.value for r in ratios])
    assert np.mean([r.standard_error for r in ratios]) == pytest.approx(spread, rel=0.08)
    true = 4 / 9
    covered = np.mean([r.interval.contains(true) for r in ratios])
    assert abs(covered - 0.95) < 5 * math.sqrt(0.95 * 0.05 / 2000)


def test_a_ratio_whose_denominator_may_be_zero_can_be_anything_and_says_so() -> None:
    few = estimate_distribution(TwoCoins(3), [2, 2, 9])
    for method in METHODS:
        interval = few.ratio(1, (0, 1), method=method).interval
        assert (interval.low, interval.high) == (0, 1)
        assert interval.note


def test_a_ratio_of_estimates_at_or_below_zero_has_no_value() -> None:
    ratio = estimate_distribution(TwoCoins(3), [1, 1, 98]).ratio(1, (0, 1))
    assert ratio.value is None
    assert ratio.standard_error is None
    assert (ratio.interval.low, ratio.interval.high) == (0, 1)


def test_a_ratio_over_several_options_and_from_one_answer() -> None:
    estimate = estimate_distribution(KAry(4, 0.9), [50, 30, 15, 5])
    ratio = estimate.ratio(0, (0, 1, 2))
    assert ratio.value == pytest.approx(estimate.shares[0] / estimate.shares[:3].sum())
    assert ratio.interval.contains(ratio.value)
    one = estimate_distribution(Direct(3), [0, 1, 0]).ratio(1, (0, 1), method="wald")
    assert (one.value, one.standard_error) == (1, None)
    assert "undefined" in one.interval.note


@pytest.mark.parametrize("method", METHODS)
def test_several_options_are_compared_together_as_if_they_were_one(method) -> None:
    estimate = estimate_distribution(KAry(4, 0.9), [400, 300, 200, 100])
    two = estimate.ratio((2, 3), (1, 2, 3), method=method)
    assert two.value == pytest.approx(estimate.shares[2:].sum() / estimate.shares[1:].sum())
    assert two.interval.contains(two.value)
    assert estimate.ratio((2,), (1, 2, 3), method=method) == estimate.ratio(
        2, (1, 2, 3), method=method
    )
    rest = estimate.ratio(1, (1, 2, 3), method=method)
    assert two.value == pytest.approx(1 - rest.value)
    assert two.interval.low == pytest.approx(1 - rest.interval.high, abs=1e-6)
    assert two.interval.high == pytest.approx(1 - rest.interval.low, abs=1e-6)


@pytest.mark.parametrize("design", [Direct(4), KAry(4, 0.9), KAry(4, 0.5)], ids=str)
def test_the_error_of_a_ratio_of_several_options_is_that_of_its_linearised_scores(design) -> None:
    """Taylor: r = N / D of means errs as the mean of (N_i - r D_i) / D, one score a person."""
    counts = [400, 300, 200, 100]
    scores = np.repeat(scores_of(design), counts, axis=1)
    top, bottom = scores[2:].sum(axis=0), scores[1:].sum(axis=0)
    value = top.mean() / bottom.mean()
    found = estimate_distribution(design, counts).ratio((2, 3), (1, 2, 3))
    assert found.value == pytest.approx(value)
    assert found.standard_error == pytest.approx(sem((top - value * bottom) / bottom.mean()))


def test_a_ratio_to_a_share_of_0_is_undefined_however_it_is_rounded() -> None:
    """400 of 1,000 reports are option 0, as if all had it: all others' share is 0, or 1e-16."""
    found = estimate_distribution(KAry(4, 0.4), [400, 300, 200, 100]).ratio((2, 3), (1, 2, 3))
    assert (found.value, found.standard_error) == (None, None)


@pytest.mark.parametrize("numerator", [(), (0, 1), (1, 2), (0, 3), (1, 4)])
def test_several_options_leave_another_one_to_compare_with(numerator) -> None:
    with pytest.raises(EstimationError):
        estimate_distribution(KAry(4, 0.9), [4, 3, 2, 1]).ratio(numerator, (1, 2))


@pytest.mark.parametrize("denominators", [(0, 2), (1,), (1, 1), (1, 3), ()])
def test_a_ratio_needs_its_numerator_and_another_option_below(denominators) -> None:
    with pytest.raises(EstimationError):
        estimate_distribution(TwoCoins(3), [1, 2, 3]).ratio(1, denominators)


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, math.nan, "0.95", True, None])
def test_a_level_that_is_no_probability_is_refused(level) -> None:
    estimate = estimate_distribution(TwoCoins(3), [1, 2, 3])
    for ask in (
        lambda: estimate.interval(0, level),
        lambda: estimate.intervals(level, simultaneous=True),
        lambda: estimate.ratio(1, (0, 1), level),
        lambda: INTERVAL_METHODS["clopper-pearson"].binomial(1, 2, level),
    ):
        with pytest.raises(EstimationError, match="level"):
            ask()


@pytest.mark.parametrize("method", ["exact", "", 3])
def test_an_unknown_method_is_refused_with_the_list_of_known_ones(method) -> None:
    with pytest.raises(EstimationError, match="clopper-pearson, wilson, wald, chebyshev"):
        estimate_prevalence(TwoCoins(2), [1, 2]).interval(0.95, method)


@pytest.mark.parametrize(("x", "n"), [(3, 2), (-1, 2), (0, 0), (0.5, 2), (1, math.nan)])
def test_a_proportion_of_impossible_counts_is_refused(x, n) -> None:
    for method in ("clopper-pearson", "wilson", "wald", "chebyshev", "score"):
        with pytest.raises(CountsError):
            INTERVAL_METHODS[method].binomial(x, n)


def test_an_interval_is_a_plain_value() -> None:
    interval = Interval(0.1, 0.4, 0.95, "wilson")
    assert interval == Interval(0.1, 0.4, 0.95, "wilson", "")
    assert interval.width == pytest.approx(0.3)
    assert interval.contains(0.1)
    assert not interval.contains(0.41)


def _ends(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high
