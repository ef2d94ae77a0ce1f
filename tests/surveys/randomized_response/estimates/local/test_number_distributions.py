import numpy as np
import pytest

from tests.randomized_response.designs import GRR, Hybrid, Piecewise, TwoPoint
from tests.randomized_response.errors import DesignError, EstimationError, ReportError
from tests.randomized_response.estimates import estimate_number_distribution

RNG = np.random.default_rng(12)
AGES = np.clip(RNG.normal(45, 15, 15_000), 0, 100)
PROTOCOLS = [each.from_epsilon(0, 100, 2.0) for each in (Piecewise, Hybrid)]


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda p: p.name)
def test_quantiles_of_many_people_are_close_to_the_true_ones(protocol) -> None:
    """Within 5 points; their error is about 1."""
    estimate = estimate_number_distribution(protocol, protocol.draw(AGES, RNG), cells=20)
    for p in (0.25, 0.5, 0.75):
        assert abs(estimate.quantile(p) - float(np.quantile(AGES, p))) < 5
    assert estimate.interval(0.5).contains(float(np.quantile(AGES, 0.5)))


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda p: p.name)
def test_the_interval_of_a_quantile_contains_it_wherever_answers_lie_in_their_cells(
    protocol,
) -> None:
    """Answers at ends of cells and off them. A miss has a chance of at most 1 %."""
    answers = np.tile([0.0, 12.5, 30.0, 50.0, 51.0, 100.0], 100)
    for _ in range(2):
        estimate = estimate_number_distribution(protocol, protocol.draw(answers, RNG), cells=8)
        assert estimate.interval(0.25, level=0.99).contains(12.5)
        assert estimate.interval(0.6, level=0.99).contains(50.0)


def test_a_higher_level_has_a_wider_interval() -> None:
    protocol = PROTOCOLS[0]
    estimate = estimate_number_distribution(protocol, protocol.draw(AGES[:2000], RNG), cells=20)
    narrow, wide = (estimate.interval(0.5, level) for level in (0.1, 0.9999))
    assert wide.low <= narrow.low <= estimate.quantile(0.5) <= narrow.high <= wide.high
    assert narrow.width < wide.width


def test_shares_lie_on_the_simplex_and_quantiles_in_the_range() -> None:
    protocol = PROTOCOLS[1]
    estimate = estimate_number_distribution(protocol, protocol.draw(AGES[:500], RNG), cells=10)
    assert estimate.shares.sum() == pytest.approx(1)
    assert estimate.shares.min() >= 0
    quantiles = [estimate.quantile(p) for p in (1e-9, 0.2, 0.7, 1 - 1e-9)]
    assert quantiles == sorted(quantiles)
    assert 0 <= quantiles[0] < quantiles[-1] <= 100


def test_rounded_reports_of_a_hybrid_are_refused_for_what_was_lost() -> None:
    protocol = PROTOCOLS[1]
    rounded = np.trunc(protocol.draw(AGES[:500], RNG))
    with pytest.raises(ReportError, match="were not rounded"):
        estimate_number_distribution(protocol, rounded)


@pytest.mark.parametrize(
    ("ask", "argument"),
    [
        (lambda: estimate_number_distribution(TwoPoint(0, 1, 2), [0.0]), "protocol"),
        (lambda: estimate_number_distribution(GRR(3, 0.5), [0, 1]), "protocol"),
        (lambda: estimate_number_distribution(PROTOCOLS[0], [1.0], cells=1), "cells"),
        (lambda: estimate_number_distribution(PROTOCOLS[0], [1.0]).quantile(1.0), "p"),
        (lambda: estimate_number_distribution(PROTOCOLS[0], [1.0]).interval("half"), "p"),
    ],
)
def test_what_cannot_be_answered_is_refused_and_the_argument_named(ask, argument) -> None:
    with pytest.raises((DesignError, EstimationError)) as refused:
        ask()
    assert refused.value.argument == argument
