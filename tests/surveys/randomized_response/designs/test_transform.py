"""Transformed reports: unbiased for the true value, with an unbiased randomization variance."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.randomized_response.designs import (
    AnsweredTwice,
    ChannelTransform,
    Christofides,
    Devore,
    Horvitz,
    HorvitzTwice,
    Kuk,
    MangatSinghSingh,
    MangatSinghSinghTwice,
    MangatTwoStageTwice,
    MangatTwoStageUnrelated,
    SinghJoarder,
    SoberanisCruz,
    UnrelatedQuestion,
    UnrelatedQuestionTwice,
    transform_reports,
)
from tests.randomized_response.errors import CountsError, DesignError, EstimationError
from tests.surveys.randomized_response.designs.test_designs import EXAMPLES

TWICE = [
    HorvitzTwice(0.6, 0.25),
    HorvitzTwice(Fraction(1, 3), Fraction(1)),
    MangatSinghSinghTwice(0.6, 0.8),
    MangatTwoStageTwice(0.5, 0.6, 0.3),
    MangatTwoStageTwice(1, 0, 1),
]


@pytest.mark.parametrize("design", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_every_design_of_the_registry_gives_unbiased_values_and_variances(design) -> None:
    levels, matrix = design.channel.reported_levels, design.channel.matrix
    for option in range(design.options):
        reports = transform_reports(design, range(levels), option)
        truth = (np.arange(design.options) == option) * 1.0
        assert reports.values @ matrix == pytest.approx(truth, abs=1e-9)
        variance = reports.values**2 @ matrix - truth
        assert reports.variances @ matrix == pytest.approx(variance, abs=1e-9)


def test_utilities_other_than_zero_and_one_are_estimated_without_bias_too() -> None:
    design, utilities = EXAMPLES["k_ary"], np.array([-10.0, -3.0, 0.5, 4.0])
    reports = ChannelTransform(design, tuple(utilities)).transform(range(4))
    matrix = design.channel.matrix
    assert reports.values @ matrix == pytest.approx(utilities)
    assert reports.variances @ matrix == pytest.approx(reports.values**2 @ matrix - utilities**2)


def test_with_two_reports_the_variance_estimate_is_r_times_r_minus_one() -> None:
    reports = transform_reports(EXAMPLES["warner"], [0, 1])
    assert reports.variances == pytest.approx(reports.values * (reports.values - 1))


def test_kuks_variance_is_linear_in_the_number_of_red_cards_and_no_red_card_is_an_answer() -> None:
    reports = transform_reports(Kuk(0.6, 0.2, 12), range(13))
    # p2 (1 - p2) / (k d^2) + (1 - p1 - p2) / (k d) r, d = p1 - p2.
    assert reports.variances == pytest.approx(1 / 12 + reports.values / 24)
    assert reports.values[0] == pytest.approx(-0.5)


def test_christofides_cards_add_the_same_variance_to_everybody() -> None:
    deck = Christofides((0.1, 0.2, 0.3, 0.2, 0.2))
    reports = transform_reports(deck, range(5))
    assert reports.variances == pytest.approx(np.full(5, 1.56 / 0.16))


def outcomes(design: AnsweredTwice, y: int, x: int) -> dict[tuple[int, int], float]:
    """P(first, second answer | sensitive trait y, other trait x), from what the device says."""
    p = [float(design.p_sensitive_1), float(design.p_sensitive_2)]
    if isinstance(design, MangatSinghSinghTwice):
        yes = [1.0 if y else (1 - q) * x for q in p]
    elif isinstance(design, MangatTwoStageTwice):
        t = float(design.p_truth_first)
        yes = [t * y + (1 - t) * (q * y + (1 - q) * x) for q in p]
    else:
        yes = [q * y + (1 - q) * x for q in p]
    first, second = ([1 - q, q] for q in yes)
    return {(i, j): first[i] * second[j] for i, j in product((0, 1), repeat=2)}


@pytest.mark.parametrize("design", TWICE, ids=lambda d: f"{d.name} {d.p_sensitive_1}")
@pytest.mark.parametrize(("y", "x"), list(product((0, 1), repeat=2)))
def test_two_answers_are_unbiased_whoever_has_the_other_trait(design, y, x) -> None:
    law = outcomes(design, y, x)
    reports = design.transform(list(law))
    chance = np.array(list(law.values()))
    assert chance @ reports.values == pytest.approx(y)
    assert chance @ reports.variances == pytest.approx(chance @ (reports.values - y) ** 2)


def test_horvitz_twice_is_the_transformed_view_of_the_unrelated_question_twice() -> None:
    pairs = list(product((0, 1), repeat=2))
    ours = HorvitzTwice(0.6, 0.25).transform(pairs)
    channel = ChannelTransform(UnrelatedQuestionTwice(0.6, 0.25), (0, 0, 1, 1)).transform(range(4))
    assert ours.values == pytest.approx(channel.values)
    assert ours.variances == pytest.approx(channel.variances)


def test_devices_with_other_names_have_the_channel_they_are_documented_to_have() -> None:
    third, half = Fraction(1, 3), Fraction(1, 2)
    assert Horvitz is UnrelatedQuestion
    assert SoberanisCruz is UnrelatedQuestion
    assert Devore(third).channel == UnrelatedQuestion(third, 1).channel
    assert MangatTwoStageUnrelated(0, third, half).channel == UnrelatedQuestion(third, half).channel
    assert MangatTwoStageUnrelated(third, half, 1).channel == Devore(Fraction(2, 3)).channel
    assert MangatSinghSingh(third, 1).channel == Devore(third).channel


def test_singh_joarder_is_warners_device_used_again_by_carriers_told_to_say_no() -> None:
    p = Fraction(3, 5)
    # Carrier: yes at once, or no and then yes. Everybody else: yes when asked the reverse.
    assert SinghJoarder(p).channel.rows[1] == (1 - p, p + (1 - p) * p)


@pytest.mark.parametrize(
    "build",
    [
        lambda: Devore(0),
        lambda: Devore(1.1),
        lambda: SinghJoarder((3 - 5**0.5) / 2),
        lambda: MangatSinghSingh(0, 1),
        lambda: MangatTwoStageUnrelated(0, 0, 0.5),
        lambda: Christofides((0.25, 0.5, 0.25)),
        lambda: Christofides((0.5, 0.6)),
        lambda: Christofides((1,)),
        lambda: Christofides("1"),
        lambda: Christofides((0.5, float("nan"))),
        lambda: HorvitzTwice(0.4, 0.4),
        lambda: MangatTwoStageTwice(2, 0.4, 0.3),
        lambda: MangatSinghSinghTwice(None, 0.3),
    ],
)
def test_a_device_whose_reports_say_nothing_or_that_cannot_be_is_refused(build) -> None:
    with pytest.raises(DesignError) as refusal:
        build()
    assert refusal.value.remedy


@pytest.mark.parametrize("reports", [[0, 1], [[0, 1, 0]], [[0, 2]], [[0, None]], [["0", "1"]], 3])
def test_two_answers_that_are_no_pairs_of_zero_and_one_are_refused(reports) -> None:
    with pytest.raises(CountsError, match="reports"):
        HorvitzTwice(0.6, 0.25).transform(reports)


def test_an_option_or_report_that_does_not_exist_is_refused() -> None:
    with pytest.raises(EstimationError, match="option"):
        transform_reports(EXAMPLES["warner"], [0, 1], option=2)
    with pytest.raises(CountsError, match=r"reports\[1\]"):
        transform_reports(EXAMPLES["warner"], [0, 2])
