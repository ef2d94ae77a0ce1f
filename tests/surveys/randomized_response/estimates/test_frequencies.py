import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binom

from tests.randomized_response.designs import (
    BLH,
    GRR,
    LGRR,
    LOSUE,
    LOUE,
    LSOUE,
    LSUE,
    OLH,
    OUE,
    PROTOCOLS,
    RSFDGRR,
    SUE,
    THE,
    HadamardResponse,
    SubsetSelection,
    Support,
)
from tests.randomized_response.designs.local.bits import pack
from tests.randomized_response.errors import (
    CountsError,
    DesignError,
    EstimationError,
    ReportError,
)
from tests.randomized_response.estimates import (
    conditional_frequency_variance,
    estimate_distribution,
    estimate_frequencies,
    maximum_likelihood,
    maximum_likelihood_frequencies,
    total_frequency_variance,
)
from tests.surveys.randomized_response.designs.local.laws import assert_means, assert_variances

K = 6
EXAMPLES = {
    "grr": GRR.from_epsilon(K, 1.2),
    "sue": SUE.from_epsilon(K, 1.2),
    "oue": OUE.from_epsilon(K, 1.2),
    "the": THE.from_epsilon(K, 1.2),
    "blh": BLH.from_epsilon(K, 1.2),
    "olh": OLH.from_epsilon(K, 1.2),
    "subset_selection": SubsetSelection.from_epsilon(K, 1.2, 2),
    "hadamard_response": HadamardResponse.from_epsilon(K, 1.2),
    "l_grr": LGRR.from_epsilons(K, 1.2, 3.0),
    "l_sue": LSUE.from_epsilons(K, 1.2, 3.0),
    "l_oue": LOUE.from_epsilons(K, 1.2, 3.0),
    "l_osue": LOSUE.from_epsilons(K, 1.2, 3.0),
    "l_soue": LSOUE.from_epsilons(K, 1.2, 3.0),
}
every_protocol = pytest.mark.parametrize("protocol", EXAMPLES.values(), ids=EXAMPLES.keys())
PEOPLE, SURVEYS = 25, 2000  # a bias of a ninth of one survey's standard error is found
TRUE = np.array([0] * 12 + [1] * 7 + [2] * 5 + [3])
SHARES = np.bincount(TRUE, minlength=K) / PEOPLE


def estimates(protocol, true_levels: np.ndarray, rng) -> np.ndarray:
    """Estimated frequencies of SURVEYS surveys of PEOPLE people each."""
    supports = protocol.supports(protocol.draw(true_levels, rng))
    counts = supports.reshape(SURVEYS, PEOPLE, K).sum(axis=1)
    return np.array([estimate_frequencies(protocol, c, PEOPLE).frequencies for c in counts])


def test_every_protocol_has_an_example_here() -> None:
    assert {name: type(protocol) for name, protocol in EXAMPLES.items()} == PROTOCOLS


@every_protocol
def test_the_estimate_is_unbiased_with_the_variance_given_the_true_answers(protocol) -> None:
    found = estimates(protocol, np.tile(TRUE, SURVEYS), np.random.default_rng(60))
    variances = conditional_frequency_variance(protocol, SHARES, PEOPLE)
    assert_means(found, SHARES, variances)
    assert_variances(found, variances)


@every_protocol
def test_when_the_people_are_a_sample_the_variance_is_the_total_one(protocol) -> None:
    rng = np.random.default_rng(61)
    found = estimates(protocol, rng.choice(K, size=SURVEYS * PEOPLE, p=SHARES), rng)
    variances = total_frequency_variance(protocol, SHARES, PEOPLE)
    assert_means(found, SHARES, variances)
    assert_variances(found, variances)


@every_protocol
def test_sampling_people_adds_the_variance_of_a_share(protocol) -> None:
    total = total_frequency_variance(protocol, SHARES, PEOPLE)
    given_truth = conditional_frequency_variance(protocol, SHARES, PEOPLE)
    assert total - given_truth == pytest.approx(SHARES * (1 - SHARES) / PEOPLE, abs=1e-12)


@every_protocol
def test_both_variance_estimates_are_right_on_average_over_every_possible_count(protocol) -> None:
    p, q, n, carriers = float(protocol.support.if_true), float(protocol.support.if_other), 12, 5
    unconstrained = OUE(2, Fraction(1, 4))
    sampled = binom.pmf(range(n + 1), n, q + (p - q) * carriers / n)
    fixed = np.convolve(
        binom.pmf(range(carriers + 1), carriers, p),
        binom.pmf(range(n - carriers + 1), n - carriers, q),
    )
    every = [estimate_of(protocol.support, unconstrained, c, n) for c in range(n + 1)]
    total = sum(chance * e.variances[0] for chance, e in zip(sampled, every, strict=True))
    given_truth = sum(
        chance * e.conditional_variances[0] for chance, e in zip(fixed, every, strict=True)
    )
    share = [carriers / n]
    assert total == pytest.approx(total_frequency_variance(protocol, share, n)[0])
    assert given_truth == pytest.approx(conditional_frequency_variance(protocol, share, n)[0])


def estimate_of(support: Support, shape, count: int, n: int):
    """An estimate of one option's frequency; only the support probabilities matter."""
    return type(estimate_frequencies(shape, [0, 0], n))(support, (count,), n)


@every_protocol
@pytest.mark.parametrize("share", [0.0, 0.07, 0.5, 1.0])
def test_the_default_interval_covers_at_least_its_level_by_exact_enumeration(
    protocol, share
) -> None:
    n, support = 30, protocol.support
    chance = float(support.if_other) + share * float(support.slope)
    covered = sum(
        binom.pmf(c, n, chance)
        for c in range(n + 1)
        if estimate_of(support, OUE(2, Fraction(1, 4)), c, n).interval(0).contains(share)
    )
    assert covered >= 0.95


def test_simultaneous_intervals_are_wider_and_say_so() -> None:
    estimate = estimate_frequencies(EXAMPLES["oue"], [40, 30, 20, 20, 20, 20], 100)
    single, together = estimate.intervals(), estimate.intervals(simultaneous=True)
    assert all(w.low < s.low and s.high < w.high for s, w in zip(single, together, strict=True))
    assert all(
        "for each of the 6 intervals, and 95% for all of them together (Bonferroni)" in w.note
        for w in together
    )
    assert single[2] == estimate.interval(2)
    assert together[0].low == estimate.interval(0, 1 - 0.05 / 6).low


@pytest.mark.parametrize("method", ["clopper-pearson", "wilson", "wald", "chebyshev"])
def test_an_interval_contains_its_estimate_whichever_way_the_bits_point(method) -> None:
    for protocol in (SUE(3, 0.8), SUE(3, 0.2)):
        estimate = estimate_frequencies(protocol, [30, 50, 60], 100)
        for option, interval in enumerate(estimate.intervals(0.9, method)):
            assert interval.low < estimate.frequencies[option] < interval.high


@given(st.lists(st.integers(0, 50), min_size=2, max_size=7).filter(any), st.floats(0.1, 6))
@example([0, 3, 4], 1.0)
def test_k_ary_frequencies_are_those_of_the_design(counts, epsilon) -> None:
    protocol = GRR.from_epsilon(len(counts), epsilon)
    n = sum(counts)
    frequencies = estimate_frequencies(protocol, counts, n)
    design = estimate_distribution(protocol.design, counts)
    assert frequencies.frequencies == pytest.approx(design.shares, abs=1e-9)
    if n > 1:
        assert frequencies.standard_errors == pytest.approx(design.standard_errors, abs=1e-9)


@given(st.permutations(range(K)), st.lists(st.integers(0, 30), min_size=K, max_size=K))
def test_relabelling_the_options_relabels_everything_estimated(order, counts) -> None:
    counts = np.array(counts)
    plain, renamed = (
        estimate_frequencies(EXAMPLES["sue"], c, 30) for c in (counts, counts[list(order)])
    )
    assert (renamed.frequencies == plain.frequencies[list(order)]).all()
    assert (renamed.standard_errors == plain.standard_errors[list(order)]).all()


def test_the_estimate_is_not_clipped() -> None:
    frequencies = estimate_frequencies(OUE(2, Fraction(1, 4)), [0, 100], 100).frequencies
    assert frequencies.tolist() == [-1.0, 3.0]


def test_one_report_has_no_standard_error_but_a_variance_given_its_truth() -> None:
    estimate = estimate_frequencies(OUE(2, Fraction(1, 4)), [0, 1], 1)
    assert estimate.variances is None
    assert estimate.standard_errors is None
    assert (estimate.conditional_variances > 0).all()
    assert estimate.interval(0).width > 0


def test_the_attributes_of_sampling_with_fake_data_are_estimated_without_bias() -> None:
    design = RSFDGRR.from_attribute_epsilon((2, 3), 1.0)
    people = np.tile([[0, 2], [1, 2], [1, 0], [0, 1], [0, 2]], (SURVEYS * 5, 1))
    reports = design.draw(people, np.random.default_rng(62)).reshape(SURVEYS, PEOPLE, 2)
    for j, shares in enumerate(([0.6, 0.4], [0.2, 0.2, 0.6])):
        protocol = design.attribute(j)
        found = np.array(
            [
                estimate_frequencies(protocol, design.aggregate(r)[j], PEOPLE).frequencies
                for r in reports
            ]
        )
        variances = conditional_frequency_variance(protocol, shares, PEOPLE)
        assert_means(found, shares, variances)
        assert_variances(found, variances)


PRINTED = {
    4: [1.60, 3.92, 3.68, 4.81, 4.68, 3.69, 1.60],
    20: [7.02, 3.92, 3.68, 4.81, 4.68, 3.69, 3.22],
    100: [34.11, 3.92, 3.68, 4.81, 4.68, 3.69, 3.59],
}


@pytest.mark.parametrize("options", PRINTED)
def test_the_documented_table_of_variances_is_computed(options) -> None:
    protocols = [GRR, SUE, OUE, THE, BLH, OLH, SubsetSelection]
    found = [
        float(total_frequency_variance(p.from_epsilon(options, 1.0), [0.0], 1)[0])
        for p in protocols
    ]
    assert found == pytest.approx(PRINTED[options], abs=0.00501)


# Maximum likelihood


def log_likelihood(protocol, reports, shares) -> float:
    """Sum of ln P(report), up to a constant that no shares change."""
    odds = float(protocol.likelihood_ratio)
    return float(np.log(np.where(protocol.supports(reports), odds, 1.0) @ shares).sum())


@every_protocol
def test_no_distribution_of_a_grid_makes_the_reports_more_probable(protocol) -> None:
    reports = protocol.draw(TRUE.repeat(4), np.random.default_rng(63))
    found = maximum_likelihood_frequencies(protocol, reports)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    best = log_likelihood(protocol, reports, found)
    parts = (p for p in product(range(9), repeat=K - 1) if sum(p) <= 8)
    for part in list(parts)[::3]:
        shares = np.array([*part, 8 - sum(part)]) / 8
        assert log_likelihood(protocol, reports, shares) <= best + 1e-9


@given(st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any))
def test_k_ary_likelihood_is_that_of_the_design(counts) -> None:
    protocol = GRR.from_epsilon(3, 0.8)
    reports = np.arange(3).repeat(counts)
    design = maximum_likelihood(protocol.design, counts).shares
    assert maximum_likelihood_frequencies(protocol, reports) == pytest.approx(design, abs=1e-9)


def test_whole_reports_say_more_than_their_counts() -> None:
    protocol = SubsetSelection.from_epsilon(4, 1.0, 2)
    pairs = pack(np.array([[1, 1, 0, 0], [0, 0, 1, 1]] * 20, dtype=np.bool_))
    mixed = pack(np.array([[1, 0, 1, 0], [0, 1, 0, 1]] * 20, dtype=np.bool_))
    assert protocol.aggregate(pairs).tolist() == protocol.aggregate(mixed).tolist()
    likelihoods = [log_likelihood(protocol, pairs, s) for s in ([0.5, 0.5, 0, 0], [0.5, 0, 0.5, 0])]
    assert likelihoods[0] < likelihoods[1]


def test_no_reports_have_no_likelihood() -> None:
    with pytest.raises(CountsError):
        maximum_likelihood_frequencies(EXAMPLES["oue"], np.zeros((0, 1), dtype=np.uint8))


def test_reports_that_are_none_have_no_likelihood() -> None:
    with pytest.raises(ReportError):
        maximum_likelihood_frequencies(EXAMPLES["oue"], np.array([[255]], dtype=np.uint8))


def test_a_likelihood_without_protection_is_refused() -> None:
    protocol = OUE(3, 0)
    with pytest.raises(DesignError, match="one finite ratio for all reports"):
        maximum_likelihood_frequencies(protocol, protocol.draw([0, 1], np.random.default_rng(1)))


# Refusals


@pytest.mark.parametrize(
    ("counts", "n", "argument"),
    [
        ([1, 2], 10, "counts"),
        ([1] * 7, 10, "counts"),
        ("123456", 10, "counts"),
        (None, 10, "counts"),
        ([1, 2, 3, 4, 5, 11], 10, "counts[5]"),
        ([1, 2, 3, 4, 5, -1], 10, "counts[5]"),
        ([1, 2, 3, 4, 5, 0.5], 10, "counts[5]"),
        ([1, 2, 3, 4, 5, math.nan], 10, "counts[5]"),
        ([1, 2, 3, 4, 5, True], 10, "counts[5]"),
        ([1, 2, 3, 4, 5, "6"], 10, "counts[5]"),
        ([0] * 6, 0, "n"),
        ([0] * 6, -3, "n"),
        ([0] * 6, 2.5, "n"),
        ([0] * 6, math.inf, "n"),
        ([0] * 6, 2**53 + 1, "n"),
    ],
)
def test_counts_that_no_reports_have_are_refused_and_named(counts, n, argument) -> None:
    with pytest.raises(CountsError) as refused:
        estimate_frequencies(EXAMPLES["oue"], counts, n)
    assert refused.value.argument == argument


@pytest.mark.parametrize("name", ["grr", "l_grr", "subset_selection"])
def test_a_total_that_the_reports_cannot_have_is_refused(name) -> None:
    with pytest.raises(CountsError, match="in all"):
        estimate_frequencies(EXAMPLES[name], [1, 1, 1, 1, 1, 0], 6)


@pytest.mark.parametrize("frequencies", [[1.2], [-0.1], [math.nan], ["a"], [None], math.inf])
@pytest.mark.parametrize("formula", [conditional_frequency_variance, total_frequency_variance])
def test_frequencies_that_cannot_be_true_have_no_variance(formula, frequencies) -> None:
    with pytest.raises(EstimationError):
        formula(EXAMPLES["oue"], frequencies, 10)
    with pytest.raises(EstimationError):
        formula(EXAMPLES["oue"], [0.1], 0)
