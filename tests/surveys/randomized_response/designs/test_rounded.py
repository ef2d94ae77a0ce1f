"""Numbers that are rounded by chance to a few points: exact odds, epsilon and unbiased means."""

from fractions import Fraction
from math import exp

import pytest

from tests.randomized_response.designs import RoundedNumber
from tests.randomized_response.drawing import draw_from_words
from tests.randomized_response.errors import DesignError

GOLDEN = RoundedNumber(101, 3, Fraction(1, 2))


def test_a_hundred_and_one_numbers_and_three_points_have_these_weights_and_scores():
    stored = GOLDEN.channel.integer_weights()
    assert stored.denominator == 300
    assert stored.weights[1] == (197, 53, 50)
    assert GOLDEN.scores == (Fraction(-1, 2), Fraction(1, 2), Fraction(3, 2))
    assert stored.largest_ratio == 4


def test_words_send_these_points():
    stored = GOLDEN.channel.integer_weights()
    assert [draw_from_words(stored, 1, [word])[0] for word in (0, 199, 250)] == [0, 1, 2]


@pytest.mark.parametrize(
    "design",
    [GOLDEN, RoundedNumber(2, 2, Fraction(1, 3)), RoundedNumber(7, 5, Fraction(1, 9))],
    ids=str,
)
def test_the_mean_score_of_every_answer_is_that_answer(design):
    """Exactly: sum over reports of score times probability is x / (points - 1)."""
    for answer in range(design.points):
        column = [row[answer] for row in design.channel.rows]
        mean = sum(p * score for p, score in zip(column, design.scores, strict=True))
        assert mean == Fraction(answer, design.points - 1)
        assert sum(column) == 1


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 0.999, 1, 2, 2.999, 3, 5])
def test_what_is_drawn_reveals_at_most_the_stated_epsilon_and_hardly_less(epsilon):
    design = RoundedNumber.from_epsilon(101, epsilon)
    assert design.rungs == (2 if epsilon < 1 else 3 if epsilon < 3 else 5)
    stored = design.channel.integer_weights()
    assert epsilon - 0.05 * epsilon < stored.epsilon <= epsilon
    assert design.channel.largest_ratio == 1 + design.rungs * design.truth / (1 - design.truth)
    assert float(stored.largest_ratio) <= exp(epsilon)


def mean_variance(design):
    """Of a score, given the answer: a list over the grid."""
    scored = list(zip(design.channel.rows, design.scores, strict=True))
    squares = [sum(row[x] * score**2 for row, score in scored) for x in range(design.points)]
    return [float(square) - (x / (design.points - 1)) ** 2 for x, square in enumerate(squares)]


@pytest.mark.parametrize("truth", [Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)])
def test_two_points_have_the_variance_of_duchi_jordan_and_wainwright(truth):
    """Of two answers +-B for B = (e^epsilon + 1) / (e^epsilon - 1), on a range of 1, not of 2."""
    design = RoundedNumber(11, 2, truth)
    odds = float(design.channel.largest_ratio)
    published = [((odds + 1) / (odds - 1)) ** 2 / 4 - (x / 10 - 0.5) ** 2 for x in range(11)]
    assert mean_variance(design) == pytest.approx(published, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.3, 0.99, 1, 2, 2.99, 3, 4, 5])
def test_another_number_of_rungs_would_gain_at_most_three_tenths(epsilon):
    def spread(rungs):
        kept = (exp(epsilon) - 1) / (exp(epsilon) - 1 + rungs)
        return sum(mean_variance(RoundedNumber(101, rungs, Fraction(kept))))

    chosen = RoundedNumber.from_epsilon(101, epsilon).rungs
    assert spread(chosen) <= 1.3 * min(map(spread, range(2, 11)))


def test_three_points_are_far_less_noisy_than_k_ary_on_the_grid():
    """Range 1, grid 101, epsilon 2: a variance of 0.22 against 23.9 of k-ary response."""
    design = RoundedNumber.from_epsilon(101, 2)
    variances = mean_variance(design)
    assert sum(variances) / 101 == pytest.approx(0.22, abs=0.01)
    assert max(variances) < 0.26


@pytest.mark.parametrize(
    ("points", "rungs", "truth"),
    [(1, 2, "1/2"), (102, 3, "1/2"), (5, 1, "1/2"), (5, 6, "1/2"), (5, 3, "0"), (5, 3, "1")],
)
def test_a_design_that_cannot_be_is_refused(points, rungs, truth):
    with pytest.raises(DesignError):
        RoundedNumber(points, rungs, Fraction(truth))


def test_epsilon_has_to_be_above_0():
    with pytest.raises(DesignError, match="above 0"):
        RoundedNumber.from_epsilon(11, 0)


@pytest.mark.parametrize("epsilon", [1e-5, 50, 1000, 1e300])
def test_an_epsilon_that_rounds_to_no_noise_or_to_nothing_else_is_refused(epsilon):
    with pytest.raises(DesignError, match="between 0 and 1"):
        RoundedNumber.from_epsilon(11, epsilon)


# ---- Special answers, which are no numbers -------------------------------------------------------


@pytest.mark.parametrize("special", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [0.5, 2, 4])
def test_special_answers_cost_no_more_than_the_stated_epsilon(special, epsilon):
    design = RoundedNumber.from_epsilon(101, epsilon, special)
    stored = design.channel.integer_weights()
    assert {len(column) for column in stored.weights} == {design.rungs + special}
    assert len(stored.weights) == 101 + special
    assert design.channel.largest_ratio == 1 + design.reports * design.truth / (1 - design.truth)
    assert 0.95 * epsilon < stored.epsilon <= epsilon


@pytest.mark.parametrize("special", [1, 3])
def test_the_score_is_the_number_and_nothing_where_there_is_none(special):
    """Exactly, and the k-ary scores of the points together are 1 or 0."""
    design = RoundedNumber(11, 3, Fraction(1, 3), special)
    even = (1 - design.truth) / design.reports
    answered = [((at < 3) - 3 * even) / design.truth for at in range(design.reports)]
    for answer in range(11 + special):
        column = [row[answer] for row in design.channel.rows]
        assert sum(column) == 1
        mean, share = (
            sum(p * score for p, score in zip(column, scores, strict=True))
            for scores in (design.scores, answered)
        )
        assert mean == (Fraction(answer, 10) if answer < 11 else 0)
        assert share == (answer < 11)


@pytest.mark.parametrize("special", [-1, 4, True, 1.5])
def test_other_numbers_of_special_answers_are_refused(special):
    with pytest.raises(DesignError):
        RoundedNumber(101, 3, Fraction(1, 2), special)
