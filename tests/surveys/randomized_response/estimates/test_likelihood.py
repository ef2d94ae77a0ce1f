import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import xlogy

from tests.randomized_response.designs import Channel, Direct, ForcedResponse, KAry, TwoCoins
from tests.randomized_response.errors import CountsError, DesignError, EstimationError
from tests.randomized_response.estimates import (
    additive_normalise,
    clip_and_renormalise,
    estimate_distribution,
    maximum_likelihood,
    project_to_simplex,
)
from tests.surveys.randomized_response.strategies import categorical_designs, counts_for


@given(st.data())
def test_no_distribution_on_the_simplex_explains_the_reports_better(data) -> None:
    design = data.draw(categorical_designs())
    counts = np.array(data.draw(counts_for(design.options)))
    shares = maximum_likelihood(design, counts).shares
    assert shares.min() >= 0
    assert shares.sum() == pytest.approx(1, abs=1e-12)
    reported = design.channel.matrix @ shares
    used = counts > 0
    slope = design.channel.matrix[used].T @ (counts[used] / counts.sum() / reported[used]) - 1
    # The conditions of Karush, Kuhn and Tucker; the problem is concave, so they are sufficient.
    assert slope.max() <= 1e-10
    assert np.abs(slope[shares > 1e-9]).max() <= 1e-7


@given(st.data())
def test_inside_the_simplex_it_is_the_unbiased_estimate(data) -> None:
    design = data.draw(categorical_designs())
    counts = data.draw(counts_for(design.options))
    moment = estimate_distribution(design, counts).shares
    if moment.min() >= 0:
        assert maximum_likelihood(design, counts).shares == pytest.approx(moment, abs=1e-10)


@pytest.mark.parametrize(("counts", "expected"), [([100, 10], [1, 0]), ([0, 9], [0, 1])])
def test_for_yes_and_no_it_is_the_clipped_estimate_exactly(counts, expected) -> None:
    assert maximum_likelihood(TwoCoins(2), counts).shares.tolist() == expected


def test_a_share_at_the_boundary_is_exactly_zero() -> None:
    shares = maximum_likelihood(KAry.from_epsilon(5, 1.0), [3, 0, 0, 100, 7]).shares
    assert shares.tolist() == [0, 0, 0, 1, 0]


def test_the_log_likelihood_is_the_one_of_the_counts() -> None:
    counts = np.array([10, 20, 70])
    estimate = maximum_likelihood(TwoCoins(3), counts)
    expected = xlogy(counts, TwoCoins(3).channel.matrix @ estimate.shares).sum()
    assert estimate.log_likelihood == pytest.approx(expected)
    assert maximum_likelihood(Direct(2), [0, 5]).log_likelihood == 0


def test_more_reported_than_true_levels_are_welcome() -> None:
    channel = Channel.from_matrix([[0.6, 0.1], [0.3, 0.3], [0.1, 0.6]])
    shares = maximum_likelihood(channel, [300, 300, 400]).shares
    grid = np.linspace(0, 1, 100_001)
    values = [300, 300, 400] @ np.log(channel.matrix @ np.array([grid, 1 - grid]))
    assert shares[0] == pytest.approx(grid[np.argmax(values)], abs=1e-5)


def test_an_impossible_report_and_an_unidentified_design_are_refused() -> None:
    never = Channel.from_matrix([[0.5, 0.1], [0.5, 0.9], [0, 0]])
    assert maximum_likelihood(never, [5, 5, 0]).shares == pytest.approx([1, 0])
    with pytest.raises(CountsError, match="never produce"):
        maximum_likelihood(never, [5, 5, 1])
    with pytest.raises(DesignError):
        maximum_likelihood(Channel.from_matrix([[0.5, 0.1, 0.3], [0.5, 0.9, 0.7]]), [5, 5])


def test_a_design_with_a_forbidden_report_keeps_its_likelihood_finite() -> None:
    estimate = maximum_likelihood(ForcedResponse(0.25, 0), [0, 10])
    assert estimate.shares.tolist() == [0, 1]
    assert estimate.log_likelihood == 0


shares_strategy = st.lists(st.floats(-2, 3), min_size=2, max_size=8).filter(
    lambda values: max(values) > 1e-3
)


@given(shares_strategy)
def test_projections_land_on_the_simplex(shares) -> None:
    for project in (project_to_simplex, clip_and_renormalise):
        result = project(shares)
        assert result.min() >= 0
        assert result.sum() == pytest.approx(1)
    assert additive_normalise(shares).sum() == pytest.approx(1)


@given(st.data())
def test_no_distribution_is_nearer_than_the_projection(data) -> None:
    shares = np.array(data.draw(shares_strategy))
    weights = data.draw(st.lists(st.floats(0.01, 1), min_size=len(shares), max_size=len(shares)))
    other = np.array(weights) / sum(weights)
    nearest = project_to_simplex(shares)
    assert np.linalg.norm(shares - nearest) <= np.linalg.norm(shares - other) + 1e-9


def test_the_three_ways_differ_and_each_is_the_one_its_name_says() -> None:
    shares = [0.9, 0.3, -0.2]
    assert clip_and_renormalise(shares) == pytest.approx([0.75, 0.25, 0])
    assert project_to_simplex(shares) == pytest.approx([0.8, 0.2, 0])
    assert additive_normalise(shares) == pytest.approx([0.8, 0.2, 0])
    assert additive_normalise([1.5, 0.1, -0.6]) == pytest.approx([1.2, -0.2, 0])


def test_shares_that_are_all_negative_have_a_nearest_distribution_but_nothing_to_rescale() -> None:
    assert project_to_simplex([-0.4, -0.4]) == pytest.approx([0.5, 0.5])
    assert project_to_simplex([-1.0, 0.0, -0.5]) == pytest.approx([0, 0.75, 0.25])
    for rescale in (clip_and_renormalise, additive_normalise):
        with pytest.raises(EstimationError):
            rescale([-1.0, 0.0])


@pytest.mark.parametrize("shares", [[np.nan, 1.0], [np.inf, 0.0], [[1.0]], []])
def test_shares_that_cannot_be_projected_are_refused(shares) -> None:
    for project in (project_to_simplex, clip_and_renormalise, additive_normalise):
        with pytest.raises(EstimationError):
            project(shares)
