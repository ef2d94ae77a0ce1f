"""A plan tells before anything is spent: the margin of every number, and the best there is."""

import numpy as np
import pytest

from analytics.privacy.accounting import Adjacency
from analytics.privacy.mechanisms import VettedNoise
from analytics.workloads.asks import Ask, ListedWorkload, OneWay, Tables
from analytics.workloads.checks import StrategyError, WorkloadError
from analytics.workloads.multiscale import publish_ranges
from analytics.workloads.plans import NoiseLaw, RangesPlan, mu_of_epsilon, plan
from analytics.workloads.strategies import expected_error, identity, sensitivity
from surveys.randomized_response.errors import StatisticsError


@pytest.mark.parametrize(
    ("workload", "name"),
    [
        (OneWay(Ask.COUNTS, 6), "identity"),
        (OneWay(Ask.TOTAL, 6), "total"),
        (OneWay(Ask.CDF, 6), "optimum"),
        (Tables.of([3, 2], [(0,), (1,)]), "optimum"),
    ],
    ids=str,
)
def test_the_best_candidate_is_chosen_and_its_gap_is_small(workload, name):
    found = plan(workload)
    assert found.name == name
    assert found.gap < 1e-5
    assert sensitivity(found.strategy, 2) == pytest.approx(1)


def test_the_margins_are_those_of_the_total_error():
    found = plan(OneWay(Ask.RANGES, 8))
    errors = found.standard_errors(0.5)
    assert errors.shape == (36,)
    assert (errors**2).mean() ** 0.5 == pytest.approx(found.rms(0.5), rel=1e-3)
    assert found.least_rms(0.5) <= found.rms(0.5)


def test_twice_the_budget_halves_the_margin():
    found = plan(OneWay(Ask.CDF, 5))
    once, twice = found.standard_errors(0.5), found.standard_errors(1.0)
    np.testing.assert_allclose(twice, once / 2, rtol=1e-3)


def test_replacing_takes_more_noise_than_adding():
    workload = OneWay(Ask.CDF, 5)
    replaced = plan(workload, adjacency=Adjacency.REPLACE)
    assert (replaced.standard_errors(1.0) > plan(workload).standard_errors(1.0)).all()
    assert replaced.lower is None
    assert replaced.least_rms(1.0) is None


def test_the_number_of_respondents_alone_needs_no_noise_under_replacing():
    with pytest.raises(WorkloadError, match="publish the exact number at no cost"):
        plan(OneWay(Ask.TOTAL, 5), adjacency=Adjacency.REPLACE)


def test_laplace_noise_is_planned_without_a_bound_and_beats_the_identity():
    workload = OneWay(Ask.RANGES, 24)
    found = plan(workload, NoiseLaw.LAPLACE, rng=np.random.default_rng(1))
    assert found.name == "windows"
    assert found.error < expected_error(workload, identity(24), 1)
    assert found.gap is None
    with pytest.raises(StrategyError, match="plan for Gaussian noise"):
        found.standard_errors(1.0)


def test_pure_epsilon_is_charged_as_the_gaussian_curve_through_its_corner():
    # At epsilon the trade-off curve has its corner at (1 / (1 + e^eps), 1 / (1 + e^eps)).
    assert mu_of_epsilon(np.log(3)) == pytest.approx(2 * 0.6744897501960817)


REFUSED = {
    "too many cells": lambda: plan(OneWay(Ask.RANGES, 50_000)),
    "nothing asked": lambda: plan(ListedWorkload([[0, 0]])),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_planned_is_refused(ask):
    with pytest.raises(WorkloadError, match="cannot be used"):
        ask()


@pytest.mark.parametrize("budget", [0, -1, float("nan"), 1e400])
def test_a_budget_that_is_none_is_refused(budget):
    with pytest.raises(StrategyError, match="cannot be used"):
        plan(OneWay(Ask.COUNTS, 3)).rms(budget)


@pytest.mark.parametrize("ask", [Ask.CDF, Ask.RANGES])
def test_thousands_of_ordered_levels_are_planned_without_a_matrix(ask):
    found = plan(OneWay(ask, 2_049))
    assert isinstance(found, RangesPlan)
    assert 0 < found.gap < 1e-3
    assert found.least_rms(0.5) < found.rms(0.5) < found.least_rms(0.5) * 1.001
    replaced = plan(OneWay(ask, 2_049), adjacency=Adjacency.REPLACE)
    assert replaced.error == pytest.approx(2 * found.error)
    assert (replaced.lower, replaced.gap, replaced.least_rms(1.0)) == (None, None, None)


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_the_margins_of_ranges_are_those_that_a_release_keeps():
    found = plan(OneWay(Ask.RANGES, 1_500))
    firsts, lasts = [0, 700, 1_499], [1_499, 720, 1_499]
    released = publish_ranges(
        found.strategy, [1] * 1_500, firsts, lasts, mu=0.7, noise=VettedNoise()
    )
    np.testing.assert_allclose(found.standard_errors(0.7, firsts, lasts), released.standard_errors)
    with pytest.raises(StrategyError, match="upside down"):
        found.standard_errors(0.7, [5], [4])


LARGE = {
    "too many levels": dict(workload=OneWay(Ask.CDF, 16_385)),
    "Laplace noise": dict(workload=OneWay(Ask.CDF, 2_000), noise=NoiseLaw.LAPLACE),
    "counts": dict(workload=OneWay(Ask.COUNTS, 2_000)),
}


@pytest.mark.parametrize("asked", LARGE.values(), ids=LARGE)
def test_what_cannot_be_planned_for_thousands_of_levels_says_what_could(asked):
    with pytest.raises(WorkloadError, match=r"at most|levels|cells"):
        plan(**asked)


NO_BUDGETS = [0.0, -1.0, float("nan"), float("inf"), 1e400, None, "1"]


@pytest.mark.parametrize("mu", NO_BUDGETS, ids=str)
def test_a_budget_of_nothing_or_no_number_is_refused_by_every_plan(mu):
    small, pure = plan(OneWay(Ask.CDF, 6)), plan(OneWay(Ask.COUNTS, 6), NoiseLaw.LAPLACE)
    for ask in (small.rms, small.least_rms, small.standard_errors, pure.pure_standard_errors):
        with pytest.raises(StatisticsError):
            ask(mu)
    found = plan(OneWay(Ask.CDF, 1_100))
    with pytest.raises(StatisticsError):
        found.least_rms(mu)
    with pytest.raises(StatisticsError):
        found.rms(mu)
    with pytest.raises(StatisticsError):
        found.standard_errors(mu, [0], [9])
