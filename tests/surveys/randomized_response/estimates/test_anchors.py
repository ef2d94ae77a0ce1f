"""The crosswise question with an anchor: what the correction promises."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import multinomial

from tests.randomized_response.designs import AnchoredCrosswise, Crosswise
from tests.randomized_response.errors import CountsError, DesignError, EstimationError
from tests.randomized_response.estimates import (
    estimate_anchored_crosswise,
    estimate_prevalence,
    estimate_two_groups,
    estimate_weighted_anchored_crosswise,
)
from tests.surveys.randomized_response.enumeration import all_counts

DESIGN = AnchoredCrosswise(Fraction(3, 20), Fraction(1, 10))
N = 2000


def joint_law(prevalence: float, attentive: float) -> np.ndarray:
    """P(report, anchor report) in the order 00, 01, 10, 11 when the same people attend to both."""
    p, q = 0.15, 0.1
    same = prevalence * p + (1 - prevalence) * (1 - p)
    heeded = [(1 - same) * q, (1 - same) * (1 - q), same * q, same * (1 - q)]
    return attentive * np.array(heeded) + (1 - attentive) / 4


def margins(cells) -> tuple[list[int], list[int], int]:
    a, b, c, d = (int(cell) for cell in cells)
    return [a + b, c + d], [a + c, b + d], d


def test_the_estimates_are_the_published_formulas() -> None:
    one = estimate_anchored_crosswise(DESIGN, [700, 1300], [350, 1650])
    attentive = (0.825 - 0.5) / (0.5 - 0.1)
    assert one.value("attentive_share") == pytest.approx(attentive)
    assert one.value("prevalence") == pytest.approx(0.5 + 0.15 / (2 * attentive * (0.15 - 0.5)))


def test_with_full_attention_the_correction_changes_nothing() -> None:
    one = estimate_anchored_crosswise(DESIGN, [700, 1300], [200, 1800])
    assert one.value("attentive_share") == 1
    plain = estimate_prevalence(Crosswise(Fraction(3, 20)), [700, 1300])
    assert one.value("prevalence") == pytest.approx(plain.prevalence, abs=1e-14)


@pytest.mark.parametrize("prevalence", [0.05, 0.3, 0.8])
@pytest.mark.parametrize("attentive", [0.5, 0.9])
def test_the_truth_is_recovered_where_the_plain_estimate_is_drawn_to_a_half(
    prevalence, attentive
) -> None:
    cells = np.round(1e9 * joint_law(prevalence, attentive))
    counts, anchor, _ = margins(cells)
    one = estimate_anchored_crosswise(DESIGN, counts, anchor)
    assert one.value("prevalence") == pytest.approx(prevalence, abs=1e-7)
    assert one.value("attentive_share") == pytest.approx(attentive, abs=1e-7)
    plain = estimate_prevalence(Crosswise(0.15), counts).prevalence
    assert abs(plain - 0.5) < abs(prevalence - 0.5)


def test_the_implied_covariance_is_the_one_of_the_joint_reports() -> None:
    cells = np.round(1e9 * joint_law(0.2, 0.8))
    counts, anchor, both = margins(cells)
    implied = estimate_anchored_crosswise(DESIGN, counts, anchor)
    counted = estimate_anchored_crosswise(DESIGN, counts, anchor, both)
    assert implied.yes_covariance[0][1] == pytest.approx(counted.yes_covariance[0][1], rel=1e-6)
    for name in implied.names:
        assert implied.standard_errors[name] == pytest.approx(
            counted.standard_errors[name], rel=1e-6
        )


def test_forgetting_that_the_same_people_answer_changes_the_standard_error() -> None:
    counts, anchor, both = margins(N * joint_law(0.2, 0.8))
    right = estimate_anchored_crosswise(DESIGN, counts, anchor, both)
    apart = estimate_two_groups(DESIGN, counts, anchor)
    assert right.values == apart.values
    assert right.standard_errors["prevalence"] < 0.98 * apart.standard_errors["prevalence"]


def test_the_standard_error_is_that_of_repeated_surveys() -> None:
    rng, surveys = np.random.default_rng(5), 4000
    law = joint_law(0.2, 0.85)
    found, errors = [], []
    for cells in rng.multinomial(N, law, size=surveys):
        counts, anchor, _ = margins(cells)
        one = estimate_anchored_crosswise(DESIGN, counts, anchor)
        found.append(one.values["prevalence"])
        errors.append(one.standard_errors["prevalence"])
    # A standard deviation from m surveys has relative error 1 / sqrt(2 m): five of them, with
    # 1 % for the curvature that the delta method leaves out (failure probability below 1e-5).
    assert np.std(found) == pytest.approx(np.mean(errors), rel=5 / math.sqrt(2 * surveys) + 0.01)


@pytest.mark.parametrize(("prevalence", "attentive"), [(0.1, 0.9), (0.4, 0.5), (0.0, 1.0)])
def test_the_box_covers_as_often_as_it_says_although_the_reports_depend(
    prevalence, attentive
) -> None:
    law, covered = multinomial(8, joint_law(prevalence, attentive)), 0.0
    for cells in all_counts(8, 4):
        counts, anchor, _ = margins(cells)
        one = estimate_anchored_crosswise(DESIGN, counts, anchor)
        if one.interval("prevalence", 0.9).contains(prevalence):
            covered += law.pmf(cells)
    assert covered >= 0.9


def test_an_anchor_that_shows_no_attention_gives_no_estimate_and_says_why() -> None:
    one = estimate_anchored_crosswise(DESIGN, [90, 110], [98, 102])
    assert (one.interval("prevalence").low, one.interval("prevalence").high) == (0, 1)
    with pytest.raises(EstimationError, match="denominator"):
        one.value("prevalence")
    exactly = estimate_anchored_crosswise(DESIGN, [90, 110], [100, 100])
    assert exactly.values == {"prevalence": None, "attentive_share": 0.0}


def people(cells) -> tuple[np.ndarray, np.ndarray]:
    rows = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], cells, axis=0)
    return rows[:, 0], rows[:, 1]


def test_equal_weights_are_no_weights() -> None:
    cells = [60, 140, 40, 260]
    counts, anchor, both = margins(cells)
    plain = estimate_anchored_crosswise(DESIGN, counts, anchor, both)
    weighted = estimate_weighted_anchored_crosswise(DESIGN, *people(cells), [2.5] * 500)
    assert weighted.prevalence == pytest.approx(plain.values["prevalence"])
    assert weighted.attentive_share == pytest.approx(plain.values["attentive_share"])
    assert weighted.covariance == pytest.approx(plain.covariance)
    assert weighted.effective_n == pytest.approx(500)
    assert weighted.naive_prevalence == pytest.approx(
        estimate_prevalence(Crosswise(0.15), counts).prevalence
    )
    wald = plain.interval("prevalence", method="wald")
    assert (weighted.interval().low, weighted.interval().high) == pytest.approx(
        (wald.low, wald.high)
    )


def test_whole_number_weights_count_people_and_cost_effective_size() -> None:
    cells = [60, 140, 40, 260]
    answers, anchor = people(cells)
    weights = np.where(np.arange(500) % 2, 1, 3)
    weighted = estimate_weighted_anchored_crosswise(DESIGN, answers, anchor, weights)
    repeated = estimate_weighted_anchored_crosswise(
        DESIGN, np.repeat(answers, weights), np.repeat(anchor, weights), np.ones(1000)
    )
    assert weighted.prevalence == pytest.approx(repeated.prevalence)
    assert weighted.effective_n == pytest.approx(1000**2 / 2500)
    assert weighted.standard_error > repeated.standard_error


def test_one_giant_weight_is_refused_because_it_would_look_like_certainty() -> None:
    answers, anchor = people([10, 40, 15, 135])
    weights = np.ones(200)
    weights[-1] = 1e6
    with pytest.raises(CountsError, match="outweighs"):
        estimate_weighted_anchored_crosswise(DESIGN, answers, anchor, weights)


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"weights": [1, 1, 1, 0]}, "weights"),
        ({"weights": [1, 1, 1, -1]}, "weights"),
        ({"weights": [1, 1, 1, math.nan]}, "weights"),
        ({"weights": [1, 1, 1, math.inf]}, "weights"),
        ({"weights": [1, 1, 1]}, "weights"),
        ({"weights": "many"}, "weights"),
        ({"answers": [0, 1, 2, 1]}, "answers"),
        ({"answers": [0, 1, math.nan, 1]}, "answers"),
        ({"answers": [[0, 1], [1, 1]]}, "answers"),
        ({"anchor_answers": [1, 1, 1]}, "anchor_answers"),
    ],
)
def test_columns_that_no_survey_gives_are_refused_by_name(change, argument) -> None:
    columns = {"answers": [0, 1, 1, 1], "anchor_answers": [1, 1, 1, 0], "weights": [1, 1, 1, 1]}
    with pytest.raises(CountsError) as refusal:
        estimate_weighted_anchored_crosswise(DESIGN, **(columns | change))
    assert refusal.value.argument == argument


def test_weighted_people_who_do_not_attend_are_refused() -> None:
    with pytest.raises(EstimationError, match="no one attending"):
        estimate_weighted_anchored_crosswise(DESIGN, [0, 1, 1, 1], [0, 0, 1, 0], [1, 1, 1, 1])


@pytest.mark.parametrize("both", [-1, 4, 0.5, 500])
def test_a_number_of_people_who_said_one_twice_must_fit_the_counts(both) -> None:
    with pytest.raises(CountsError, match="both"):
        estimate_anchored_crosswise(DESIGN, [2, 8], [3, 7], both)


def test_question_and_anchor_are_answered_by_the_same_people() -> None:
    with pytest.raises(CountsError, match="anchor_counts"):
        estimate_anchored_crosswise(DESIGN, [2, 8], [3, 8])
    with pytest.raises(DesignError, match="design"):
        estimate_anchored_crosswise(Crosswise(0.2), [2, 8], [3, 7])


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.2), (0.2, 0.5), (0.2, 1.2), (math.nan, 0.2)])
def test_harmless_items_that_split_people_in_halves_are_refused(p, q) -> None:
    with pytest.raises(DesignError, match="p_"):
        AnchoredCrosswise(p, q)
