"""Sequences that are narrowest at a planned number: martingales, coverage at all looks, width."""

from fractions import Fraction
from math import exp, expm1, inf, log, log1p, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.randomized_response.errors import EstimationError
from tests.randomized_response.intervals.intervals import confidence_sequence, normal_quantile
from tests.randomized_response.intervals.martingales import ConfidenceSequence
from tests.surveys.randomized_response.estimates.peeking import chance_of_ever_missing


def _evidence(ones: int, n: int, proportion: Fraction, planned: int) -> Fraction:
    """Factor by factor: the chance of each answer by the law of the plan, over that tested."""
    worth = Fraction(planned, 10)
    law = {1: worth * proportion, 0: worth * (1 - proportion)}
    chances = {1: proportion, 0: 1 - proportion}
    found = Fraction(1)
    for answer in [1] * ones + [0] * (n - ones):
        found *= law[answer] / sum(law.values()) / chances[answer]
        law[answer] += 1
    return found


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 99), st.integers(1, 10**4))
def test_the_evidence_is_the_mean_likelihood_ratio_of_the_law(ones, zeros, part, planned):
    sequence, proportion = ConfidenceSequence(planned), Fraction(part, 100)
    expected = _evidence(ones, ones + zeros, proportion, planned)
    found = sequence.log_evidence(ones, ones + zeros, float(proportion))
    assert found == pytest.approx(log(expected), rel=1e-9, abs=1e-9)
    of_many = sequence.log_evidences(ones, ones + zeros, np.array([0.0, 1.0, float(proportion)]))
    assert of_many[-1] == pytest.approx(found, rel=1e-12, abs=1e-12)
    assert of_many[:2] == pytest.approx(
        [sequence.log_evidence(ones, ones + zeros, end) for end in (0.0, 1.0)]
    )


@pytest.mark.parametrize("planned", [1, 100, 10**6])
@pytest.mark.parametrize("proportion", [0.02, 0.25, 0.5])
def test_the_evidence_against_the_truth_is_1_on_average_whatever_came_before(proportion, planned):
    sequence = ConfidenceSequence(planned)
    for n in (0, 1, 5, 40):
        for ones in range(n + 1):
            one, zero = (sequence.log_evidence(k, n + 1, proportion) for k in (ones + 1, ones))
            after = proportion * exp(one) + (1 - proportion) * exp(zero)
            assert after == pytest.approx(exp(sequence.log_evidence(ones, n, proportion)), rel=1e-9)


@given(st.integers(0, 300), st.floats(0, 1), st.sampled_from([1, 30, 1000]))
def test_the_ends_are_where_the_evidence_reaches_the_limit(n, part, planned):
    ones, sequence, limit = round(part * n), ConfidenceSequence(planned), log(20)
    low, high = sequence.ends(ones, n, limit)
    assert (low == 0) == (ones < 2)
    assert (high == 1) == (n - ones < 2)
    if low > 0:
        assert sequence.log_evidence(ones, n, low) == pytest.approx(limit, abs=1e-6)
    if high < 1:
        assert sequence.log_evidence(ones, n, high) == pytest.approx(limit, abs=1e-6)
    if n:
        assert low <= ones / n <= high


def test_a_billion_answers_are_no_harder_than_a_thousand():
    """The half-width is that of the normal mixture, to a thousandth; at 10^9 as at 10^6."""
    for n in (10**6, 10**9):
        mixture = sqrt(0.21 * 1.1 * (2 * log(20) + log1p(10)) / n)
        found = confidence_sequence(3 * n // 10, n, 0.95, n)
        assert found.width / 2 == pytest.approx(mixture, rel=1e-3)


def test_no_answers_of_one_kind_can_have_come_from_a_proportion_that_excludes_them():
    assert ConfidenceSequence(100).log_evidence(0, 5, 1.0) == inf


@pytest.mark.parametrize("proportion", [0.02, 0.3, 0.5])
def test_looking_after_every_answer_misleads_in_at_most_5_percent(proportion):
    """By exact enumeration, from the first answer to four times those planned."""
    sequence = ConfidenceSequence(300)

    def misses(ones: int, n: int, tested: float) -> bool:
        return sequence.log_evidence(ones, n, tested) >= log(20)

    chances = chance_of_ever_missing(misses, proportion, range(1, 1201))
    assert chances[1200] <= 0.05
    assert chances[300] > 0.01  # it can miss


@pytest.mark.parametrize("planned", [100, 1000, 6147])
@pytest.mark.parametrize("share", [0.02, 0.2, 0.5])
def test_it_is_narrow_at_the_plan_and_not_much_wider_around_it(planned, share):
    """Against Wald's width: 1.6 at the plan, 1.9 from a fifth of it to four times."""
    for part, most in ((0.2, 1.9), (0.5, 1.9), (1, 1.6), (4, 1.9)):
        n = round(part * planned)
        ones = round(share * n)
        if n < 50 or ones < 10:  # Wald does not cover
            continue
        once = normal_quantile(0.95) * sqrt(ones * (n - ones) / n**3)
        assert confidence_sequence(ones, n, 0.95, planned).width / 2 <= most * once


def test_when_all_answers_agree_the_end_has_a_closed_form():
    """At S = 0 and a law worth one answer, M = (1 - l)^-n times the mean of (1 - q)^n."""
    n, high = 50, confidence_sequence(0, 50, 0.95, 10).high
    law = sum(log1p(-high / (1 + i)) for i in range(n))  # Beta(l, 1 - l): prod (1 - l + i)/(1 + i)
    assert law - n * log1p(-high) == pytest.approx(log(20), abs=1e-9)
    assert -expm1(log1p(-high)) == pytest.approx(high)


def test_a_plan_for_no_one_is_refused():
    for bad in (0, -5, 2.5):
        with pytest.raises(EstimationError, match="planned"):
            ConfidenceSequence(bad)
