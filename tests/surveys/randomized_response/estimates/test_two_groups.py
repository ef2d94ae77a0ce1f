"""Two groups with different probabilities: what the estimates promise."""

import math
import pickle
from dataclasses import fields
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import xlogy
from scipy.stats import binom

from tests.randomized_response.designs import (
    TWO_GROUP_REGISTRY,
    CheaterDetection,
    Mangat,
    StochasticLieDetector,
    SymmetricCheaterDetection,
    TwoGroupDesign,
    UnrelatedQuestion,
    UnrelatedQuestionTwice,
    UnrelatedQuestionTwoGroups,
    Warner,
)
from tests.randomized_response.errors import (
    CountsError,
    DesignError,
    EstimationError,
    StatisticsError,
)
from tests.randomized_response.estimates import (
    TwoGroupEstimate,
    estimate_distribution,
    estimate_prevalence,
    estimate_two_group_means,
    estimate_two_groups,
    expected_standard_errors,
)
from tests.randomized_response.intervals.intervals import clopper_pearson

QUARTER, THREE = Fraction(1, 4), Fraction(3, 4)
EXAMPLES: dict[str, TwoGroupDesign] = {
    "unrelated_question_two_groups": UnrelatedQuestionTwoGroups(Fraction(7, 10), 0.2),
    "stochastic_lie_detector": StochasticLieDetector(Fraction(1, 6), Fraction(5, 6)),
    "cheater_detection": CheaterDetection(QUARTER, THREE),
    "symmetric_cheater_detection": SymmetricCheaterDetection(0.1, 0.3, 0.5, 0.1),
}
TRUTHS = [(0.3, 0.6), (0.1, 0.8), (0.45, 0.5)]
designs = pytest.mark.parametrize("design", EXAMPLES.values(), ids=EXAMPLES.keys())
LIE_DETECTOR = EXAMPLES["stochastic_lie_detector"]
SMALL = (9, 7)


def outcomes(
    design: TwoGroupDesign, truth: tuple[float, float], sizes: tuple[int, int]
) -> list[tuple[TwoGroupEstimate, float]]:
    """All estimates from groups of those sizes, with their probabilities."""
    laws = [
        binom.pmf(np.arange(n + 1), n, p)
        for n, p in zip(sizes, design.yes_probabilities(*truth), strict=True)
    ]
    return [
        (estimate_two_groups(design, [sizes[0] - x, x], [sizes[1] - y, y]), laws[0][x] * laws[1][y])
        for x in range(sizes[0] + 1)
        for y in range(sizes[1] + 1)
    ]


def true_values(design: TwoGroupDesign, truth: tuple[float, float]) -> dict[str, float]:
    names = [share.name for share in design.shares]
    return dict(zip(names, (*truth, 1 - sum(truth)), strict=False))


def linear_names(design: TwoGroupDesign) -> list[str]:
    return [share.name for share in design.shares if not share.is_conditional]


def test_every_registered_two_group_design_has_an_example_here() -> None:
    assert {name: type(design) for name, design in EXAMPLES.items()} == TWO_GROUP_REGISTRY


@designs
def test_a_two_group_design_is_a_frozen_value_with_a_label_and_a_channel_per_group(design) -> None:
    assert pickle.loads(pickle.dumps(design)) == design
    assert design.label.startswith(design.name)
    for group in (1, 2):
        channel = design.channel(group)
        assert channel.true_levels == len(design.kinds)
        assert channel.matrix.sum(axis=0) == pytest.approx(1)
    with pytest.raises(AttributeError):
        design.name = "other"
    with pytest.raises(EstimationError, match="group"):
        design.channel(3)


@designs
@pytest.mark.parametrize("truth", TRUTHS)
def test_shares_of_everybody_are_unbiased_and_so_are_their_variances(design, truth) -> None:
    cases = outcomes(design, truth, SMALL)
    expected = true_values(design, truth)
    for name in linear_names(design):
        mean = sum(p * e.values[name] for e, p in cases)
        variance = sum(p * (e.values[name] - expected[name]) ** 2 for e, p in cases)
        assert mean == pytest.approx(expected[name], abs=1e-12)
        assert sum(p * e.standard_errors[name] ** 2 for e, p in cases) == pytest.approx(variance)


@designs
@pytest.mark.parametrize("truth", TRUTHS)
def test_the_box_covers_all_shares_together_as_often_as_it_says(design, truth) -> None:
    expected = true_values(design, truth)
    together = sum(
        p
        for estimate, p in outcomes(design, truth, SMALL)
        if all(
            estimate.interval(name, 0.9, "clopper-pearson").contains(expected[name])
            for name in estimate.names
        )
    )
    assert together >= 0.9


@designs
@pytest.mark.parametrize("truth", [*TRUTHS, (0.05, 0.2)])
def test_the_default_covers_and_is_hardly_wider_than_walds(design, truth) -> None:
    """The box that was the default covers in every sample, 1.6 times as wide."""
    rng, runs = np.random.default_rng(3), 200
    drawn = [rng.binomial(60, p, runs) for p in design.yes_probabilities(*truth)]
    counts, times = np.unique(drawn, axis=1, return_counts=True)  # many are drawn again
    found = [estimate_two_groups(design, [60 - x, x], [60 - y, y]) for x, y in counts.T.tolist()]
    for name, value in true_values(design, truth).items():
        ours, walds = ([e.interval(name, method=m) for e in found] for m in ("score", "wald"))
        assert ours[0] == found[0].interval(name)
        covered = np.average([interval.contains(value) for interval in ours], weights=times)
        assert covered >= 0.945 - 3 * math.sqrt(0.95 * 0.05 / runs)
        widths = [np.average([one.width for one in way], weights=times) for way in (ours, walds)]
        assert widths[0] <= 1.3 * widths[1]


def test_the_box_spends_half_of_the_failure_probability_on_each_group() -> None:
    """With nobody and everybody forced, group 1 shows the honest yes, group 2 the cheaters."""
    one = estimate_two_groups(CheaterDetection(0, 1), [30, 20], [10, 40])
    first, second = clopper_pearson(20, 50, 0.975), clopper_pearson(40, 50, 0.975)
    honest, cheating, no = (
        one.interval(name, method="clopper-pearson")
        for name in ("honest_yes", "cheating", "honest_no")
    )
    assert (honest.low, honest.high) == pytest.approx((first.low, first.high))
    assert (cheating.low, cheating.high) == pytest.approx((1 - second.high, 1 - second.low))
    assert (no.low, no.high) == pytest.approx((second.low - first.high, second.high - first.low))


def test_the_truthful_share_is_covered_whether_or_not_it_is_identified() -> None:
    covered = identified = 0.0
    # What is left out has a probability below 0.004 in all, and counts as missed.
    likely = [(e, p) for e, p in outcomes(LIE_DETECTOR, (0.5, 0.7), (60, 60)) if p > 1e-6]
    for estimate, p in likely:
        interval = estimate.interval("truthful_share")
        covered += p * interval.contains(0.7)
        identified += p * estimate.is_identified("truthful_share")
    assert covered >= 0.95
    assert 0.5 <= identified <= 0.999


@designs
def test_wald_intervals_cover_about_as_often_as_they_say_in_groups_of_200(design) -> None:
    truth = (0.3, 0.5)
    expected = true_values(design, truth)
    yes = design.yes_probabilities(*truth)
    # All but 1 in 50,000 of what is reported.
    ends = [4.5 * math.sqrt(200 * p * (1 - p)) for p in yes]
    near = [
        [x for x in range(201) if abs(x - 200 * p) <= end] for p, end in zip(yes, ends, strict=True)
    ]
    laws = [binom.pmf(np.arange(201), 200, p) for p in yes]
    covered = dict.fromkeys(linear_names(design), 0.0)
    for x, y in product(*near):
        found = estimate_two_groups(design, [200 - x, x], [200 - y, y])
        for name in covered:
            if found.interval(name, method="wald").contains(expected[name]):
                covered[name] += laws[0][x] * laws[1][y]
    for share in covered.values():
        assert 0.935 <= share <= 0.96


@designs
@pytest.mark.parametrize("truth", TRUTHS)
def test_exact_reports_give_back_the_true_shares(design, truth) -> None:
    yes = design.yes_probabilities(*truth)
    counts = [[10**9 - round(p * 10**9), round(p * 10**9)] for p in yes]
    estimate = estimate_two_groups(design, *counts)
    for name, value in true_values(design, truth).items():
        assert estimate.value(name) == pytest.approx(value, abs=1e-7)
        assert estimate.maximum_likelihood.values[name] == pytest.approx(value, abs=1e-7)
    assert not estimate.maximum_likelihood.at_boundary


@designs
def test_standard_errors_match_those_expected_at_the_truth(design) -> None:
    truth, n = (0.3, 0.6), (10**8, 3 * 10**8)
    yes = design.yes_probabilities(*truth)
    counts = [[size - round(p * size), round(p * size)] for p, size in zip(yes, n, strict=True)]
    estimate = estimate_two_groups(design, *counts)
    expected = expected_standard_errors(design, *truth, *n)
    for name in estimate.names:
        assert estimate.standard_errors[name] == pytest.approx(expected[name], rel=1e-6)
    diagonal = np.sqrt(np.diag(estimate.covariance))
    assert diagonal == pytest.approx([estimate.standard_errors[name] for name in estimate.names])


@designs
def test_exchanging_the_groups_changes_nothing(design) -> None:
    one, two = [31, 42], [55, 27]
    parameters = [getattr(design, field.name) for field in fields(design)]
    half = len(parameters) // 2
    exchanged = type(design)(*parameters[half:], *parameters[:half])
    left, right = estimate_two_groups(design, one, two), estimate_two_groups(exchanged, two, one)
    assert left.values == pytest.approx(right.values)
    assert left.standard_errors == pytest.approx(right.standard_errors)
    for name in left.names:
        assert left.interval(name).low == pytest.approx(right.interval(name).low)


@designs
@given(st.tuples(*[st.integers(0, 15)] * 4).filter(lambda c: c[0] + c[1] and c[2] + c[3]))
def test_maximum_likelihood_is_possible_and_no_possible_population_is_likelier(
    design, counts
) -> None:
    found = estimate_two_groups(design, counts[:2], counts[2:]).maximum_likelihood
    assert all(value is None or -1e-15 <= value <= 1 + 1e-15 for value in found.values.values())
    channels = [design.channel(group).matrix for group in (1, 2)]
    rng = np.random.default_rng(7)
    people = rng.dirichlet([0.3] * len(design.kinds), 300)
    others = sum(
        xlogy(counts[2 * g], people @ m[0]) + xlogy(counts[2 * g + 1], people @ m[1])
        for g, m in enumerate(channels)
    )
    assert others.max() <= found.log_likelihood + 1e-9


@designs
def test_maximum_likelihood_at_the_boundary_satisfies_the_slope_condition_for_every_kind(
    design,
) -> None:
    """At the maximum no kind of person raises the likelihood, and those there are keep it."""
    seen = 0
    for counts in [(3, 9, 9, 3), (9, 3, 3, 9), (12, 1, 12, 1), (1, 12, 1, 12), (2, 7, 8, 3)]:
        estimate = estimate_two_groups(design, counts[:2], counts[2:])
        found = estimate.maximum_likelihood
        seen += found.at_boundary
        first, second = list(found.values.values())[:2]
        yes = design.yes_probabilities(first, 0.0 if second is None else second)
        gain = np.zeros(len(design.kinds))
        for group, chance in enumerate(yes):
            no, ones = counts[2 * group], counts[2 * group + 1]
            matrix = design.channel(group + 1).matrix
            gain += no * matrix[0] / (1 - chance) if no else 0
            gain += ones * matrix[1] / chance if ones else 0
        assert gain.max() <= sum(counts) * (1 + 1e-9)
    assert seen > 0


def test_what_is_on_the_boundary_is_exactly_there() -> None:
    honest = estimate_two_groups(CheaterDetection(QUARTER, THREE), [40, 60], [8, 92])
    assert honest.values["cheating"] < 0
    likely = honest.maximum_likelihood
    assert likely.at_boundary
    assert likely.values["cheating"] == 0
    assert likely.values["honest_yes"] + likely.values["honest_no"] == pytest.approx(1, abs=1e-15)
    liars = estimate_two_groups(LIE_DETECTOR, [17, 83], [84, 16]).maximum_likelihood
    assert liars.values["prevalence"] is not None


def test_without_carriers_the_share_of_truthful_ones_is_not_a_number() -> None:
    nobody = estimate_two_groups(LIE_DETECTOR, [100, 500], [500, 100])
    assert nobody.values == {"prevalence": 0.0, "truthful_share": None}
    assert nobody.standard_errors["truthful_share"] is None
    assert nobody.standard_errors["prevalence"] > 0
    assert nobody.covariance is None
    assert nobody.maximum_likelihood.values == {"prevalence": 0.0, "truthful_share": None}
    for method in ("clopper-pearson", "wald", "wilson", "chebyshev"):
        interval = nobody.interval("truthful_share", method=method)
        assert (interval.low, interval.high) == (0, 1)


@pytest.mark.parametrize("yes", [(500, 100), (495, 105), (505, 95)])
def test_near_prevalence_zero_the_truthful_share_is_refused_with_argument_value_and_remedy(
    yes,
) -> None:
    one = estimate_two_groups(LIE_DETECTOR, [600 - yes[0], yes[0]], [600 - yes[1], yes[1]])
    assert not one.is_identified("truthful_share")
    assert "This share is not identified" in one.interval("truthful_share").note
    assert one.value("prevalence") == pytest.approx((600 - 1.5 * (yes[0] - yes[1])) / 600)
    with pytest.raises(EstimationError, match="ask more people") as refusal:
        one.value("truthful_share")
    assert refusal.value.argument == "truthful_share"


def test_a_negative_prevalence_makes_the_likelihood_find_nobody() -> None:
    likely = estimate_two_groups(LIE_DETECTOR, [50, 550], [550, 50]).maximum_likelihood
    assert likely.at_boundary
    assert likely.values == {"prevalence": 0.0, "truthful_share": None}


@designs
def test_a_group_whose_answers_all_agree_is_no_certainty(design) -> None:
    one = estimate_two_groups(design, [0, 30], [12, 18])
    for name in linear_names(design):
        interval = one.interval(name, method="wald")
        assert "undefined" in interval.note
        assert interval.width == one.interval(name, method="clopper-pearson").width > 0
        assert one.interval(name).width > 0


@designs
def test_one_answer_in_a_group_has_estimates_and_no_standard_errors(design) -> None:
    one = estimate_two_groups(design, [1, 0], [12, 18])
    assert set(one.standard_errors.values()) == {None}
    assert one.covariance is None
    for name in linear_names(design):
        assert math.isfinite(one.values[name])
        assert one.interval(name, method="wald").width > 0


def test_an_honest_lie_detector_is_mangats_design_in_each_group() -> None:
    sixth = Fraction(1, 6)
    yes = LIE_DETECTOR.yes_probabilities(0.3, 1.0)
    for group, p in ((1, sixth), (2, 1 - sixth)):
        assert yes[group - 1] == pytest.approx(Mangat(p).channel.matrix[1] @ [0.7, 0.3])
        columns = LIE_DETECTOR.channel(group).matrix[:, [0, 2]]
        assert columns == pytest.approx(Mangat(p).channel.matrix)


def test_without_a_forced_no_the_symmetric_cheater_detection_is_the_plain_one() -> None:
    plain, symmetric = CheaterDetection(0.2, 0.7), SymmetricCheaterDetection(0.2, 0, 0.7, 0)
    one, two = (estimate_two_groups(d, [30, 20], [12, 38]) for d in (plain, symmetric))
    assert one.values == pytest.approx(two.values)
    assert one.standard_errors == pytest.approx(two.standard_errors)


def test_each_group_of_the_unrelated_question_agrees_with_the_design_with_a_known_share() -> None:
    design = UnrelatedQuestionTwoGroups(Fraction(7, 10), Fraction(1, 5))
    one = estimate_two_groups(design, [260, 140], [290, 210])
    other = one.values["other_prevalence"]
    for p, counts in ((0.7, [260, 140]), (0.2, [290, 210])):
        known = estimate_prevalence(UnrelatedQuestion(p, other), counts)
        assert known.prevalence == pytest.approx(one.values["prevalence"])


def test_two_opposite_groups_of_an_unrelated_question_mirror_each_other() -> None:
    one = estimate_two_groups(UnrelatedQuestionTwoGroups(0.7, 0.3), [60, 40], [30, 70])
    two = estimate_two_groups(UnrelatedQuestionTwoGroups(0.3, 0.7), [60, 40], [30, 70])
    assert one.values["prevalence"] == pytest.approx(two.values["other_prevalence"])
    assert one.standard_errors["prevalence"] == pytest.approx(
        two.standard_errors["other_prevalence"]
    )


def test_the_published_lie_detector_estimate_about_minarets_is_reproduced() -> None:
    design = StochasticLieDetector(Fraction(2, 12), Fraction(10, 12))
    one = estimate_two_groups(design, [564 - 373, 373], [692 - 398, 398])
    assert round(one.value("prevalence"), 4) == 0.8707
    assert round(one.standard_errors["prevalence"], 4) == 0.0411
    assert round(one.value("truthful_share"), 4) == 0.6358
    assert round(one.standard_errors["truthful_share"], 4) == 0.0173


REFUSED_DESIGNS = [
    (lambda: UnrelatedQuestionTwoGroups(0.7, 0.7), "p_sensitive_1, p_sensitive_2"),
    (lambda: UnrelatedQuestionTwoGroups(0.7, 1.7), "p_sensitive_2"),
    (lambda: UnrelatedQuestionTwoGroups(math.nan, 0.7), "p_sensitive_1"),
    (lambda: StochasticLieDetector(THREE, 0.75), "p_noncarrier_no_1, p_noncarrier_no_2"),
    (lambda: StochasticLieDetector(-0.1, 0.75), "p_noncarrier_no_1"),
    (lambda: CheaterDetection(0.2, Fraction(1, 5)), "p_forced_yes_1, p_forced_yes_2"),
    (lambda: CheaterDetection("0.2", 0.5), "p_forced_yes_1"),
    (lambda: SymmetricCheaterDetection(0.6, 0.6, 0.2, 0.1), "p_forced_yes_1 + p_forced_no_1"),
    (
        lambda: SymmetricCheaterDetection(0.2, 0.1, 0.2, 0.1),
        "p_forced_yes_1, p_forced_no_1, p_forced_yes_2, p_forced_no_2",
    ),
    (
        # Different instructions, proportional equations: (1 - no) and yes both halved.
        lambda: SymmetricCheaterDetection(0.4, 0.2, 0.2, 0.6),
        "p_forced_yes_1, p_forced_no_1, p_forced_yes_2, p_forced_no_2",
    ),
]


@pytest.mark.parametrize(("build", "argument"), REFUSED_DESIGNS)
def test_groups_that_would_report_alike_are_refused_at_birth(build, argument) -> None:
    with pytest.raises(DesignError) as refusal:
        build()
    assert refusal.value.argument == argument
    assert refusal.value.remedy


@pytest.mark.parametrize(
    ("counts", "argument"),
    [
        (([0, 0], [1, 2]), "counts_1"),
        (([1, 2], [0, 0]), "counts_2"),
        (([-1, 5], [1, 2]), "counts_1[0]"),
        (([1, 5], [1, 2.5]), "counts_2[1]"),
        (([1, 5], [1, math.nan]), "counts_2[1]"),
        (([1, 5, 2], [1, 2]), "counts_1"),
        (("ab", [1, 2]), "counts_1"),
        ((None, [1, 2]), "counts_1"),
        (([1, 2], [2**53, 1]), "counts_2"),
    ],
)
@designs
def test_counts_that_two_groups_cannot_give_are_refused_by_name(design, counts, argument) -> None:
    with pytest.raises(CountsError) as refusal:
        estimate_two_groups(design, *counts)
    assert refusal.value.argument == argument


def test_questions_that_an_estimate_cannot_answer_are_refused() -> None:
    one = estimate_two_groups(LIE_DETECTOR, [100, 100], [80, 70])
    for ask in (
        lambda: one.value("cheating"),
        lambda: one.interval("prevalence", 1.5),
        lambda: one.interval("prevalence", method="exact"),
        lambda: LIE_DETECTOR.yes_probabilities(1.2, 0.5),
        lambda: EXAMPLES["cheater_detection"].yes_probabilities(0.7, 0.7),
        lambda: expected_standard_errors(LIE_DETECTOR, 0.3, 0.5, 0, 10),
        lambda: estimate_two_groups(Warner(0.7), [1, 2], [1, 2]),
    ):
        with pytest.raises(StatisticsError):
            ask()
    assert expected_standard_errors(LIE_DETECTOR, 0, 0.5, 10, 10)["truthful_share"] is None


def test_means_of_two_quantities_follow_from_the_two_sample_means() -> None:
    design = UnrelatedQuestionTwoGroups(Fraction(7, 10), Fraction(3, 10))
    one, two = np.array([1.0, 4.0, 7.0]), np.array([2.0, 2.0, 5.0, 9.0])
    found = estimate_two_group_means(design, one, two)
    assert 0.7 * found.mean + 0.3 * found.other_mean == pytest.approx(one.mean())
    assert 0.3 * found.mean + 0.7 * found.other_mean == pytest.approx(two.mean())
    variance = (0.7**2 * one.var(ddof=1) / 3 + 0.3**2 * two.var(ddof=1) / 4) / 0.4**2
    assert found.standard_error == pytest.approx(math.sqrt(variance))
    assert found.interval().width == pytest.approx(2 * 1.959964 * found.standard_error, rel=1e-6)
    moved = estimate_two_group_means(design, 10 * one + 3, 10 * two + 3)
    assert (moved.mean, moved.other_mean) == pytest.approx(
        (10 * found.mean + 3, 10 * found.other_mean + 3)
    )


def test_means_of_yes_and_no_are_the_shares_of_the_counts() -> None:
    design = UnrelatedQuestionTwoGroups(0.8, 0.25)
    means = estimate_two_group_means(design, [0] * 30 + [1] * 20, [0] * 18 + [1] * 42)
    shares = estimate_two_groups(design, [30, 20], [18, 42])
    assert means.mean == pytest.approx(shares.values["prevalence"])
    assert means.standard_error == pytest.approx(shares.standard_errors["prevalence"])
    assert means.other_standard_error == pytest.approx(shares.standard_errors["other_prevalence"])


@pytest.mark.parametrize("values", [[], [1, math.nan], [1, math.inf], "abc", [[1, 2]], None, ["x"]])
def test_values_that_are_no_numbers_are_refused(values) -> None:
    with pytest.raises(CountsError, match="values_2"):
        estimate_two_group_means(UnrelatedQuestionTwoGroups(0.8, 0.25), [1, 2], values)


def test_one_value_in_a_group_has_a_mean_and_no_interval() -> None:
    found = estimate_two_group_means(UnrelatedQuestionTwoGroups(0.8, 0.25), [1], [1, 2])
    assert found.standard_error is None
    with pytest.raises(EstimationError, match="spread"):
        found.interval()
    with pytest.raises(DesignError):
        estimate_two_group_means(LIE_DETECTOR, [1, 2], [1, 2])


def test_asked_twice_one_person_gives_both_shares_and_their_overlap() -> None:
    """The marginal score is ((1 - p2) I - (1 - p1) J) / (p1 - p2), as for two groups."""
    p1, p2 = Fraction(3, 5), Fraction(1, 4)
    design = UnrelatedQuestionTwice(p1, p2)
    scores = design.scores[2] + design.scores[3]
    expected = [((1 - p2) * i - (1 - p1) * j) / (p1 - p2) for i in (0, 1) for j in (0, 1)]
    assert scores == pytest.approx([float(score) for score in expected])
    counts = [40, 25, 30, 15]
    shares = estimate_distribution(design, counts).shares
    two = estimate_two_groups(UnrelatedQuestionTwoGroups(p1, p2), [65, 45], [70, 40])
    assert shares[2] + shares[3] == pytest.approx(two.values["prevalence"])
    assert shares[1] + shares[3] == pytest.approx(two.values["other_prevalence"])
    assert design.epsilon == math.inf
