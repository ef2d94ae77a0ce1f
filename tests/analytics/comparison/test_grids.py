"""Clouds of randomized answers: the joint law on a grid is undone question by question."""

import numpy as np
import pytest

from analytics.comparison.checks import ComparisonError
from analytics.comparison.clouds import Metric, ground_costs, metric_distance
from analytics.comparison.grids import Axis, Grid, GridClouds, compare_grids
from analytics.comparison.groups import Scale
from surveys.randomized_response.designs import KAry, TwoCoins
from surveys.randomized_response.relations import joint_channel

STEPS = Scale(np.arange(3.0))
NOISY = KAry.from_epsilon(3, 1.5)
GRID = Grid((Axis(STEPS, NOISY), Axis(Scale(np.array([0.0, 10.0])), TwoCoins(2))))
FIRST = np.array([[0.2, 0.1], [0.2, 0.1], [0.1, 0.3]])
SECOND = np.array([[0.1, 0.3], [0.1, 0.1], [0.3, 0.1]])


def expected(n: int, law: np.ndarray) -> np.ndarray:
    return np.rint(n * NOISY.channel.matrix @ law @ TwoCoins(2).channel.matrix.T).astype(int)


def rng() -> np.random.Generator:
    return np.random.default_rng(4)


def test_expected_reports_give_the_true_joint_law():
    counts = expected(10**9, FIRST)
    assert GRID.laws(counts / counts.sum()) == pytest.approx(FIRST.ravel(), abs=1e-7)


def test_it_is_the_inverse_of_the_channel_of_all_questions():
    reports = np.arange(1.0, 7).reshape(3, 2) / 21
    whole = joint_channel(NOISY, TwoCoins(2)).inverse @ reports.ravel()
    assert GRID.laws(reports) == pytest.approx(whole)


def test_who_declines_one_question_has_no_place_on_the_grid():
    declining = Axis(Scale(np.arange(2.0), declined=2), TwoCoins(3))
    grid = Grid((declining, Axis(STEPS)))
    law = np.array([[0.1, 0.2, 0.1], [0.2, 0.1, 0.1], [0.0, 0.0, 0.2]])
    found = grid.laws(TwoCoins(3).channel.matrix @ law)
    assert found == pytest.approx(law[:2].ravel() / 0.8)


def test_the_distance_is_that_of_the_true_laws_under_the_metric_of_the_grid():
    clouds = GridClouds(GRID, {"a": expected(10**8, FIRST), "b": expected(10**8, SECOND)})
    points = GRID.points / [1, 10]
    for metric in Metric:
        (pair,) = compare_grids(clouds, (1, 10), metric, rng(), draws=19)
        costs = ground_costs(points, points, metric)
        true = metric_distance((FIRST - SECOND).ravel(), costs)
        assert pair.distance == pytest.approx(true, abs=1e-4)
        assert pair.low < true < pair.high
        assert pair.method == "exact, on a grid of 6 combinations of answers"


def test_groups_that_do_not_differ_have_0_in_their_interval():
    clouds = GridClouds(GRID, {"a": expected(500, FIRST), "b": expected(500, FIRST)})
    (pair,) = compare_grids(clouds, (1, 10), Metric.EUCLIDEAN, rng(), draws=39)
    assert pair.distance == pytest.approx(0, abs=1e-9)
    assert (pair.low, pair.p_value) == (0, 1)
    assert pair.high > 0.1


@pytest.mark.parametrize(("design", "questions"), [(None, 6), (TwoCoins(2), 5)])
def test_a_group_of_few_people_a_combination_has_0_in_its_interval(design, questions):
    yes_no = Axis(Scale(np.arange(2.0)))
    grid = Grid((Axis(yes_no.scale, design), *[yes_no] * (questions - 1)))
    draw, law = np.random.default_rng(2), np.full(2**questions, 0.5**questions)
    tables = {n: draw.multinomial(n, law).reshape(grid.reported) for n in (10, 500)}
    clouds = GridClouds(grid, {"few": tables[10], "many": tables[500]})
    (pair,) = compare_grids(clouds, [1] * questions, Metric.EUCLIDEAN, rng(), draws=39)
    assert (pair.low, pair.p_value > 0.05) == (0, True)


def test_means_are_worked_back_too():
    clouds = GridClouds(GRID, {"a": expected(10**8, FIRST), "b": expected(10**8, FIRST)})
    assert clouds.means[0] == pytest.approx([1.1, 5.0], abs=1e-4)


def test_a_direct_question_has_its_spread_as_unit_and_a_randomized_one_half_its_range():
    declining = Axis(Scale(np.array([0.0, 6.0]), declined=2))
    grid = Grid((Axis(STEPS, NOISY), declining, Axis(STEPS)))
    table = np.zeros((3, 3, 3), dtype=int)
    table[0, 0, 0], table[1, 1, 0], table[2, 2, 0] = 30, 10, 60
    # Of those who answered 3/4 say 0 and 1/4 say 6; all gave the same third answer.
    assert GridClouds(grid, {"a": table}).units == pytest.approx([1, 6 * np.sqrt(3) / 4, 1])


def test_the_unit_of_a_rare_randomized_answer_does_not_change_with_chance():
    grid = Grid((Axis(Scale(np.arange(2.0)), TwoCoins(2)), Axis(STEPS)))
    reports = np.outer(TwoCoins(2).channel.matrix @ [0.98, 0.02], [0.2, 0.3, 0.5]).ravel()
    draw = np.random.default_rng(1)
    tables = [draw.multinomial(300, reports).reshape(2, 3) for _ in range(8)]
    assert {GridClouds(grid, {"a": table}).units[0] for table in tables} == {0.5}


def test_a_grid_of_too_many_combinations_is_refused_with_the_size_that_fits():
    wide = Axis(Scale(np.arange(21.0)))
    with pytest.raises(
        ComparisonError,
        match=r"3 × 5 × 21 = 315 combinations.* at most 250 combinations of answers",
    ):
        Grid((Axis(STEPS, NOISY), Axis(Scale(np.arange(5.0))), wide))


def test_groups_that_declined_and_one_group_alone_are_refused():
    declining = Grid((Axis(Scale(np.arange(2.0), declined=2)), Axis(STEPS)))
    gone = np.array([[0, 0, 0], [0, 0, 0], [5, 5, 5]])
    with pytest.raises(
        ComparisonError,
        match="almost all people in this group preferred not to answer one of these questions",
    ):
        GridClouds(declining, {"a": gone})
    clouds = GridClouds(GRID, {"a": expected(500, FIRST)})
    with pytest.raises(ComparisonError, match="two groups"):
        compare_grids(clouds, (1, 1), Metric.EUCLIDEAN, rng())
