import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import betaln

from tests.randomized_response.designs import (
    Channel,
    ChannelMatrix,
    Direct,
    ForcedResponse,
    TwoCoins,
    Warner,
)
from tests.randomized_response.errors import CountsError, EstimationError
from tests.randomized_response.estimates import (
    confidence_sequence_for_difference,
    estimate_distribution,
    estimate_prevalence,
)
from tests.randomized_response.intervals.intervals import (
    BETTING,
    INTERVAL_METHODS,
    clopper_pearson,
    confidence_sequence,
    least_mean,
)
from tests.randomized_response.intervals.martingales import ConfidenceSequence
from tests.surveys.randomized_response.estimates.peeking import (
    chance_of_ever_missing,
    clopper_pearson_misses,
    sequence_misses,
    wald_misses,
)

METHOD = "confidence-sequence"
FLAT = ConfidenceSequence()
UNEVEN = ChannelMatrix(
    Channel.from_matrix([[0.6, 0.1, 0.2], [0.3, 0.7, 0.2], [0.1, 0.2, 0.6]]),
)


# One proportion.


@given(st.integers(0, 400), st.floats(0, 1), st.sampled_from([0.5, 0.95, 0.999999]))
@example(289, 0.99609375, 0.999999)
def test_the_ends_are_where_the_evidence_reaches_one_in_the_failure_probability(
    n, part, level
) -> None:
    ones = round(part * n)
    interval = confidence_sequence(ones, n, level)
    for end, count in ((interval.low, ones), (interval.high, n - ones)):
        evidence = betaln(ones + 1, n - ones + 1)
        if count:
            evidence -= ones * math.log(end) if ones else 0
            evidence -= (n - ones) * math.log1p(-end) if n > ones else 0
            # Near 1 the next double is far in terms of evidence.
            step = math.ulp(end) * ((ones / end if ones else 0) + (n - ones) / (1 - end))
            assert evidence == pytest.approx(-math.log1p(-level), rel=1e-7, abs=1e-9 + 2 * step)
        else:
            assert end in (0, 1)


@pytest.mark.parametrize("n", [1, 7, 1000, 10**9])
def test_when_all_answers_agree_the_ends_have_a_closed_form(n) -> None:
    # M = 1 / ((n + 1) (1 - l)^n) reaches 20 at 1 - l = (20 (n + 1))^(-1/n).
    below = math.exp(-math.log(20 * (n + 1)) / n)
    none, every = confidence_sequence(0, n), confidence_sequence(n, n)
    assert (none.low, every.high) == (0, 1)
    assert none.high == pytest.approx(-math.expm1(-math.log(20 * (n + 1)) / n), rel=1e-7)
    assert every.low == pytest.approx(below, rel=1e-12)


def test_without_answers_every_proportion_is_possible() -> None:
    nothing = confidence_sequence(0, 0)
    assert (nothing.low, nothing.high, nothing.method) == (0, 1, METHOD)


@given(st.integers(0, 300), st.floats(0, 1))
def test_swapping_ones_and_zeros_mirrors_the_interval(n, part) -> None:
    ones = round(part * n)
    interval, mirrored = confidence_sequence(ones, n), confidence_sequence(n - ones, n)
    assert interval.low == pytest.approx(1 - mirrored.high, abs=1e-12)
    assert interval.high == pytest.approx(1 - mirrored.low, abs=1e-12)


@pytest.mark.parametrize("ones", [1, 250_000_000, 500_000_000, 999_999_000])
def test_a_billion_answers_give_the_exact_ends(ones) -> None:
    n = 10**9
    interval = confidence_sequence(ones, n)
    for end in (interval.low, interval.high):
        evidence = _log_evidence_in_many_digits(ones, n, end)
        assert end == 1 or evidence == pytest.approx(math.log(20), abs=1e-5)


def _log_evidence_in_many_digits(ones: int, n: int, proportion: float) -> float:
    """ln(S! (n-S)! / (n+1)!) - S ln l - (n-S) ln(1-l) in 60 digits."""

    def log_factorial(k: int) -> Decimal:
        if k < 2:
            return Decimal(0)
        x = Decimal(k)
        series = 1 / (12 * x) - 1 / (360 * x**3) + 1 / (1260 * x**5)
        half_log_two_pi = Decimal("0.918938533204672741780329736405617639861397473637783")
        return (x + Decimal("0.5")) * x.ln() - x + half_log_two_pi + series

    with localcontext() as context:
        context.prec = 60
        share = Decimal(proportion)
        evidence = log_factorial(ones) + log_factorial(n - ones) - log_factorial(n + 1)
        return float(evidence - ones * share.ln() - (n - ones) * (1 - share).ln())


@given(st.integers(1, 10**6), st.floats(0, 1))
def test_the_smallest_evidence_is_the_evidence_against_the_observed_share(n, part) -> None:
    ones = round(part * n)
    direct = betaln(ones + 1, n - ones + 1)
    if 0 < ones < n:
        direct -= ones * math.log(ones / n) + (n - ones) * math.log1p(-ones / n)
    assert FLAT.log_evidence(ones, n, ones / n) == pytest.approx(direct, abs=1e-8)


@pytest.mark.parametrize("proportion", [0.02, 0.25, 0.5])
def test_the_evidence_against_the_truth_is_1_on_average_whatever_came_before(proportion) -> None:
    for n in (0, 1, 5, 40):
        for ones in range(n + 1):
            now = math.exp(FLAT.log_evidence(ones, n, proportion)) if n else 1.0
            one = math.exp(FLAT.log_evidence(ones + 1, n + 1, proportion))
            zero = math.exp(FLAT.log_evidence(ones, n + 1, proportion))
            assert proportion * one + (1 - proportion) * zero == pytest.approx(now, rel=1e-11)


# Coverage at all looks together, by exact enumeration.


@given(st.integers(1, 60), st.data())
def test_the_enumeration_asks_what_the_intervals_answer(n, data) -> None:
    ones = data.draw(st.integers(0, n))
    proportion = data.draw(st.sampled_from([0.011, 0.26, 0.501, 0.77]))
    estimate = estimate_prevalence(Direct(2), [n - ones, ones])
    for method, misses in (
        (METHOD, sequence_misses),
        ("clopper-pearson", clopper_pearson_misses),
        ("wald", wald_misses),
    ):
        covers = estimate.interval(0.95, method).contains(proportion)
        assert misses(ones, n, proportion) is not covers


@pytest.mark.parametrize(
    "proportion", [0.25, *(pytest.param(p, marks=pytest.mark.audit) for p in (0.01, 0.5, 0.9))]
)
def test_looking_after_every_one_of_100000_answers_misleads_in_at_most_5_percent(
    proportion,
) -> None:
    ever = chance_of_ever_missing(sequence_misses, proportion, range(1, 10**5 + 1))[10**5]
    assert 0.01 < ever <= 0.05


def test_looking_at_batch_ends_only_misleads_less_often() -> None:
    every = chance_of_ever_missing(sequence_misses, 0.25, range(1, 1001))[1000]
    batches = chance_of_ever_missing(sequence_misses, 0.25, range(20, 1001, 20))[1000]
    assert batches <= every


# Two coins, one person in ten a true yes, 100 answers a day: P(report yes) = 0.3.
# By day: the chance that some daily interval so far missed. Printed in docs/peeking.md.
PEEKING = {
    "clopper-pearson": {1: 0.0375, 5: 0.1230, 10: 0.1713, 30: 0.2574, 100: 0.3515},
    "wald": {1: 0.0498, 5: 0.1459, 10: 0.1972, 30: 0.2846, 100: 0.3773},
    METHOD: {1: 0.0009, 5: 0.0031, 10: 0.0039, 30: 0.0051, 100: 0.0060},
}
MISSES = {
    "clopper-pearson": clopper_pearson_misses,
    "wald": wald_misses,
    METHOD: sequence_misses,
}


@pytest.mark.parametrize("method", PEEKING)
def test_the_table_of_the_page_on_peeking_is_computed(method) -> None:
    days = chance_of_ever_missing(MISSES[method], 0.3, range(100, 10_001, 100))
    for day, printed in PEEKING[method].items():
        assert days[100 * day] == pytest.approx(printed, abs=5.1e-5)


def test_fixed_n_intervals_watched_answer_by_answer_miss_most_of_the_time() -> None:
    after = range(1, 10_001)
    assert chance_of_ever_missing(clopper_pearson_misses, 0.3, after)[10_000] > 0.5
    assert chance_of_ever_missing(wald_misses, 0.3, after)[10_000] > 0.65
    assert chance_of_ever_missing(sequence_misses, 0.3, after)[10_000] < 0.042


# Width and mapping.


@pytest.mark.parametrize("comparisons", [1, 2, 5, 20])
def test_at_10000_answers_it_is_at_most_twice_as_wide_as_clopper_pearson(comparisons) -> None:
    level = 1 - 0.05 / comparisons
    for ones in range(2500, 7501, 50):
        ratio = confidence_sequence(ones, 10_000, level).width
        ratio /= clopper_pearson(ones, 10_000, level).width
        assert 1.5 < ratio <= 2


def test_an_estimate_maps_the_sequence_to_the_prevalence() -> None:
    mapped = estimate_prevalence(Warner(Fraction(1, 4)), [30, 70]).interval(0.9, METHOD)
    plain = confidence_sequence(70, 100, 0.9)
    # a = -1/2, b = 3/4: the ends are swapped.
    assert (mapped.low, mapped.high) == pytest.approx(
        ((plain.high - 0.75) / -0.5, (plain.low - 0.75) / -0.5)
    )
    assert mapped.method == METHOD


def test_k_options_are_covered_together_by_the_union_and_say_so() -> None:
    estimate = estimate_distribution(TwoCoins(3), [30, 40, 30])
    wide = estimate.intervals(0.95, METHOD, simultaneous=True)
    plain = confidence_sequence(40, 100, 1 - 0.05 / 3)
    assert wide[1].high == pytest.approx((plain.high - 1 / 6) / 0.5)
    assert (
        "for each of the 3 intervals, and 95% for all of them together (Bonferroni)" in wide[1].note
    )


def test_any_other_channel_gets_bets_which_are_narrower_than_a_box_over_all_reports() -> None:
    interval = estimate_distribution(UNEVEN, [300, 500, 200]).interval(0, 0.95, METHOD)
    parts = [confidence_sequence(c, 1000, 1 - 0.05 / 3) for c in (300, 500, 200)]
    lows, highs = np.array([p.low for p in parts]), np.array([p.high for p in parts])
    scores = UNEVEN.channel.inverse[0]
    box = least_mean(scores, lows, highs), -least_mean(-scores, lows, highs)
    assert box[0] < interval.low < interval.high < box[1]
    assert (interval.method, interval.note) == (METHOD, BETTING)


@pytest.mark.parametrize(("ones", "n"), [(3, 2), (-1, 2), (0, -1), (0.5, 2), (1, math.nan)])
def test_impossible_counts_are_refused(ones, n) -> None:
    with pytest.raises(CountsError):
        INTERVAL_METHODS[METHOD].binomial(ones, n)


# Differences between groups.


def _log_evidence(first, second, one: float, other: float) -> float:
    first_log, second_log = (
        FLAT.log_evidence(e.counts[1], e.n, proportion)
        for e, proportion in ((first, one), (second, other))
    )
    parts = [first_log + second_log + math.log(0.5), first_log - math.log(4)]
    return float(np.logaddexp.reduce([*parts, second_log - math.log(4)]))


COUNTS = st.tuples(st.integers(0, 60), st.integers(0, 60)).filter(lambda c: sum(c) > 0)
DESIGNS = st.sampled_from(
    [TwoCoins(2), Direct(2), Warner(Fraction(1, 5)), ForcedResponse(Fraction(1, 3), Fraction(1, 6))]
)


@given(COUNTS, COUNTS, DESIGNS, DESIGNS, st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_every_pair_of_proportions_that_is_not_ruled_out_has_its_difference_in_the_interval(
    first, second, design, other_design, one, other
) -> None:
    a, b = estimate_prevalence(design, first), estimate_prevalence(other_design, second)
    interval = confidence_sequence_for_difference(a, b)
    if _log_evidence(a, b, one, other) < math.log(20):
        assert interval.low - 1e-7 <= _share(a, one) - _share(b, other) <= interval.high + 1e-7


def _share(estimate, proportion: float) -> float:
    no, yes = (float(p) for p in estimate.channel.rows[1])
    return (proportion - no) / (yes - no)


@pytest.mark.parametrize(
    ("first", "second"),
    [([600, 400], [500, 500]), ([6, 14], [5000, 5000]), ([50, 1], [3, 40]), ([9, 9], [9, 9])],
)
def test_the_interval_of_a_difference_is_no_wider_than_the_pairs_demand(first, second) -> None:
    a, b = estimate_prevalence(TwoCoins(2), first), estimate_prevalence(Direct(2), second)
    interval = confidence_sequence_for_difference(a, b)
    for sign, end in ((1, interval.high), (-1, interval.low)):
        found = minimize(
            lambda x, sign=sign: -sign * (_share(a, x[0]) - _share(b, x[1])),
            [a.counts[1] / a.n, b.counts[1] / b.n],
            bounds=[(1e-9, 1 - 1e-9)] * 2,
            constraints={"type": "ineq", "fun": lambda x: math.log(20) - _log_evidence(a, b, *x)},
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 500},
        )
        assert found.success
        assert -sign * found.fun == pytest.approx(end, abs=1e-4)


def test_the_evidence_about_two_groups_is_1_on_average_whichever_group_answers_next() -> None:
    design = Direct(2)
    for first, second in (([3, 4], [1, 1]), ([0, 9], [5, 2])):
        a, b = estimate_prevalence(design, first), estimate_prevalence(design, second)
        now = math.exp(_log_evidence(a, b, 0.3, 0.6))
        one = estimate_prevalence(design, [first[0], first[1] + 1])
        zero = estimate_prevalence(design, [first[0] + 1, first[1]])
        after = 0.3 * math.exp(_log_evidence(one, b, 0.3, 0.6))
        after += 0.7 * math.exp(_log_evidence(zero, b, 0.3, 0.6))
        assert after == pytest.approx(now, rel=1e-11)


def test_a_difference_is_narrower_than_the_union_for_similar_groups_and_never_much_wider() -> None:
    for counts, other, largest in (
        ([600, 400], [500, 500], 0.87),
        ([6000, 4000], [500, 500], 0.97),
        ([6, 4], [5000, 5000], 1.05),
        ([1, 0], [50_000, 50_000], 1.05),
    ):
        a, b = estimate_prevalence(TwoCoins(2), counts), estimate_prevalence(TwoCoins(2), other)
        union = sum(e.interval(0.975, METHOD).width for e in (a, b))
        assert confidence_sequence_for_difference(a, b).width <= largest * union


def test_swapping_the_groups_changes_the_sign_of_the_difference() -> None:
    a, b = estimate_prevalence(TwoCoins(2), [60, 40]), estimate_prevalence(Direct(2), [5, 9])
    forth, back = confidence_sequence_for_difference(a, b), confidence_sequence_for_difference(b, a)
    assert (forth.low, forth.high) == pytest.approx((-back.high, -back.low))


def test_differences_of_options_work_for_every_channel() -> None:
    a = estimate_distribution(TwoCoins(3), [30, 40, 30])
    b = estimate_distribution(TwoCoins(3), [300, 400, 300])
    assert "martingales" in confidence_sequence_for_difference(a, b, option=2).note
    c = estimate_distribution(UNEVEN, [30, 40, 30])
    interval = confidence_sequence_for_difference(a, c, option=0, level=0.9)
    one, other = a.interval(0, 0.95, METHOD), c.interval(0, 0.95, METHOD)
    assert interval.width < 1.05 * (one.width + other.width)
    assert interval.low < a.shares[0] - c.shares[0] < interval.high


def test_a_difference_of_nonsense_is_refused() -> None:
    a = estimate_prevalence(TwoCoins(2), [60, 40])
    for bad in (None, [60, 40], 0.3):
        with pytest.raises(EstimationError, match="first"):
            confidence_sequence_for_difference(bad, a)
        with pytest.raises(EstimationError, match="second"):
            confidence_sequence_for_difference(a, bad)
    with pytest.raises(EstimationError, match="option"):
        confidence_sequence_for_difference(a, a, option=2)
    with pytest.raises(EstimationError, match="level"):
        confidence_sequence_for_difference(a, a, level=1)
