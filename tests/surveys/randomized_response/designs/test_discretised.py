"""Discretised scrambling: exact channels, exact epsilon, unbiased means."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.randomized_response.designs import (
    DiscretisedScrambling,
    KAry,
    ModularNoise,
    TruncatedGeometricNoise,
)
from tests.randomized_response.drawing import draw_reports
from tests.randomized_response.errors import CountsError, DesignError
from tests.randomized_response.estimates import estimate_grid_mean

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
TRUNCATED = DiscretisedScrambling(0, 2, HALF, TruncatedGeometricNoise(THIRD))
MODULAR = DiscretisedScrambling(
    -1,
    1,
    HALF,
    ModularNoise((HALF, Fraction(1, 5), Fraction(1, 10), Fraction(1, 10), 1 / Fraction(10))),
)
DESIGNS = pytest.mark.parametrize("design", [TRUNCATED, MODULAR], ids=["truncated", "modular"])


@DESIGNS
def test_the_channel_is_exact_and_its_weights_can_be_drawn_by_a_browser_unrounded(design) -> None:
    assert design.channel.is_exact
    weights = design.channel.integer_weights()
    assert weights.channel == design.channel
    assert weights.largest_ratio == design.channel.largest_ratio


@pytest.mark.parametrize("points", [2, 3, 5, 11])
@pytest.mark.parametrize("ratio", [Fraction(1, 10), THIRD, Fraction(19, 20)])
def test_truncated_noise_is_the_cut_off_sum_of_a_two_sided_geometric_number(points, ratio) -> None:
    channel = TruncatedGeometricNoise(ratio).channel(points)
    for x in range(points):
        inside = [(1 - ratio) / (1 + ratio) * ratio ** abs(y - x) for y in range(points)]
        # P(at least j steps up) = ratio^j / (1 + ratio), and the same down.
        inside[0] = ratio**x / (1 + ratio)
        inside[-1] = ratio ** (points - 1 - x) / (1 + ratio)
        assert [row[x] for row in channel.rows] == inside
    assert channel.largest_ratio == (1 / ratio) ** (points - 1)


@pytest.mark.parametrize("ratio", [Fraction(1, 10), THIRD, Fraction(19, 20)])
def test_scores_are_the_reports_with_both_ends_pushed_out_by_a_known_amount(ratio) -> None:
    design = DiscretisedScrambling(3, 8, 1, TruncatedGeometricNoise(ratio))
    push = float(ratio / (1 - ratio))
    assert design.mean_scores == pytest.approx([3 - push, 4, 5, 6, 7, 8 + push])


@DESIGNS
def test_the_mean_is_unbiased_and_its_variance_right_over_all_samples_and_outcomes(design) -> None:
    shares, n = np.array([0.4, 0.3, 0.0, 0.2, 0.1]), 3
    grid = np.array([float(x) for x in design.grid])
    reported = design.channel.matrix @ shares
    values, squares, estimated = 0.0, 0.0, 0.0
    for reports in product(range(5), repeat=n):
        chance = float(np.prod(reported[list(reports)]))
        estimate = estimate_grid_mean(design, np.bincount(reports, minlength=5))
        values += chance * estimate.mean
        squares += chance * estimate.mean**2
        estimated += chance * estimate.standard_error**2
    assert values == pytest.approx(grid @ shares)
    assert squares - values**2 == pytest.approx(design.mean_variance(shares, n)[1])
    assert estimated == pytest.approx(design.mean_variance(shares, n)[1])


@DESIGNS
def test_given_the_answers_the_variance_is_that_of_the_device_alone(design) -> None:
    truth, n = [0, 1, 4], 3
    values, squares = 0.0, 0.0
    for reports in product(range(5), repeat=n):
        matrix = design.channel.matrix
        chance = math.prod(matrix[y, x] for y, x in zip(reports, truth, strict=True))
        mean = estimate_grid_mean(design, np.bincount(reports, minlength=5)).mean
        values, squares = values + chance * mean, squares + chance * mean**2
    shares = np.bincount(truth, minlength=5) / n
    assert squares - values**2 == pytest.approx(design.mean_variance(shares, n)[0])


@DESIGNS
def test_transformed_reports_are_the_scores_with_unbiased_variances(design) -> None:
    reports, grid = design.transform(range(5)), np.array([float(x) for x in design.grid])
    assert reports.values == pytest.approx(design.mean_scores)
    variance = reports.values**2 @ design.channel.matrix - grid**2
    assert reports.variances @ design.channel.matrix == pytest.approx(variance)


def test_k_ary_response_is_one_case_of_modular_noise() -> None:
    k_ary = KAry(4, Fraction(2, 5)).channel
    noise = ModularNoise(tuple(row[0] for row in k_ary.rows))
    assert DiscretisedScrambling(0, 3, 1, noise).channel == k_ary


def test_noise_that_stays_near_the_answer_costs_less_variance_at_equal_epsilon() -> None:
    uniform, k_ary = [1 / 11] * 11, KAry.from_epsilon(11, math.log(9)).channel
    near = DiscretisedScrambling.from_epsilon(0, 10, 1, math.log(9))
    anywhere = DiscretisedScrambling(0, 10, 1, ModularNoise(tuple(row[0] for row in k_ary.rows)))
    assert near.mean_variance(uniform, 1)[1] == pytest.approx(41.7, abs=0.05)
    assert anywhere.mean_variance(uniform, 1)[1] == pytest.approx(56.4, abs=0.05)


def test_modular_epsilon_is_that_of_its_most_and_least_likely_steps() -> None:
    assert MODULAR.epsilon == pytest.approx(math.log(5))


@given(st.integers(2, 25), st.floats(0.05, 12))
@settings(max_examples=30)
def test_the_epsilon_asked_for_is_kept_and_nearly_used_up(points, epsilon) -> None:
    """Short of it by the rounding of the ratio r to 10^-6 alone: k - 1 times ln(1 + 10^-6 / r)."""
    design = DiscretisedScrambling.from_epsilon(0, points - 1, 1, epsilon)
    rounding = (points - 1) * math.log1p(1e-6 * math.exp(epsilon / (points - 1)))
    assert epsilon - rounding - 1e-9 <= design.epsilon <= epsilon
    assert design.channel.integer_weights().epsilon <= epsilon


def test_decimals_are_taken_as_written_and_answers_find_their_grid_point() -> None:
    design = DiscretisedScrambling.from_epsilon(0, 1, 0.1, 2.0)
    assert design.grid == tuple(Fraction(i, 10) for i in range(11))
    assert design.levels_of([0.3, 0.1 + 0.2, 1, 0]).tolist() == [3, 3, 10, 0]


@pytest.mark.parametrize("answer", [0.25, -0.5, 2.5, math.nan, "1", None, 1e300])
def test_an_answer_off_the_grid_is_refused_with_the_grid(answer) -> None:
    with pytest.raises(CountsError, match=r"answers"):
        TRUNCATED.levels_of([0.5, answer])


@DESIGNS
def test_one_report_has_no_standard_error_and_every_interval_has_a_width(design) -> None:
    one = estimate_grid_mean(design, [0, 0, 1, 0, 0])
    assert one.standard_error is None
    for method in ("chebyshev", "wald", "clopper-pearson", "wilson"):
        assert one.interval(method=method).width > 0


@pytest.mark.parametrize(
    "build",
    [
        lambda: DiscretisedScrambling(0, 1, 0, TruncatedGeometricNoise(HALF)),
        lambda: DiscretisedScrambling(0, 1, -1, TruncatedGeometricNoise(HALF)),
        lambda: DiscretisedScrambling(0, 1, 0.3, TruncatedGeometricNoise(HALF)),
        lambda: DiscretisedScrambling(1, 0, HALF, TruncatedGeometricNoise(HALF)),
        lambda: DiscretisedScrambling(0, 0, 1, TruncatedGeometricNoise(HALF)),
        lambda: DiscretisedScrambling(0, 1000, 1, TruncatedGeometricNoise(HALF)),
        lambda: DiscretisedScrambling(0, math.inf, 1, TruncatedGeometricNoise(HALF)),
        lambda: DiscretisedScrambling(0, 1, 1, None),
        lambda: DiscretisedScrambling(0, 2, 1, ModularNoise((HALF, HALF))),
        lambda: DiscretisedScrambling(0, 1, 1, ModularNoise((HALF, HALF))),
        lambda: TruncatedGeometricNoise(0),
        lambda: TruncatedGeometricNoise(1),
        lambda: ModularNoise((Fraction(1), Fraction(0))),
        lambda: ModularNoise((HALF, THIRD)),
        lambda: ModularNoise(HALF),
        lambda: DiscretisedScrambling.from_epsilon(0, 10, 1, 0),
        lambda: DiscretisedScrambling.from_epsilon(0, 10, 1, 1e-7),
        lambda: DiscretisedScrambling.from_epsilon(0, 10, 1, math.nan),
    ],
)
def test_a_grid_or_noise_that_cannot_be_undone_is_refused_with_a_remedy(build) -> None:
    with pytest.raises(DesignError) as refusal:
        build()
    assert refusal.value.remedy


@pytest.mark.audit
@DESIGNS
def test_drawn_reports_give_the_mean_and_its_stated_spread(design) -> None:
    rng, n, repeats = np.random.default_rng(3), 200, 10_000
    shares = np.array([0.4, 0.3, 0.0, 0.2, 0.1])
    people = rng.choice(5, size=n * repeats, p=shares)
    drawn = draw_reports(design.channel.integer_weights(), people, rng)
    means = design.mean_scores[drawn].reshape(repeats, n).mean(axis=1)
    true = float(np.array([float(x) for x in design.grid]) @ shares)
    error = math.sqrt(design.mean_variance(shares, n)[1])
    print(
        f"{design.label}: mean {means.mean():.5f} (true {true}), sd {means.std():.5f} ({error:.5f})"
    )
    # Five standard errors: a failure by chance once in 1.7 million runs.
    assert abs(means.mean() - true) < 5 * error / math.sqrt(repeats)
    assert abs(means.std() / error - 1) < 5 / math.sqrt(2 * repeats)
