import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.randomized_response.designs import Hybrid, NumberProtocol, Piecewise, TwoPoint
from tests.randomized_response.errors import DesignError, ReportError, SamplingError
from tests.randomized_response.estimates import worst_number_mean_variance
from tests.surveys.randomized_response.designs.local.laws import assert_means, assert_variances

ROOTS = [Fraction(11, 10), Fraction(2), Fraction(9)]
ANSWERS = [Fraction(-1), Fraction(-1, 3), Fraction(0), Fraction(1)]
EVERY = [
    *(each(-1, 1, s) for each in (TwoPoint, Piecewise) for s in ROOTS),
    *(Hybrid(-1, 1, s, p) for s in ROOTS for p in (0, Fraction(1, 3), 1 - 1 / s, 1)),
]


def piecewise_moment(protocol: Piecewise, v: Fraction, power: int) -> Fraction:
    """E(t^power | v), from the density, exactly."""
    near, far = protocol.densities
    reach = protocol.reach
    start = (reach + 1) / 2 * v - (reach - 1) / 2

    def integral(low: Fraction, high: Fraction) -> Fraction:
        return (high ** (power + 1) - low ** (power + 1)) / (power + 1)

    inside = integral(start, start + reach - 1)
    return far * integral(-reach, reach) + (near - far) * inside


def two_point_moment(protocol: TwoPoint, v: Fraction, power: int) -> Fraction:
    reach = protocol.reach
    upper = Fraction(1, 2) + v / (2 * reach)
    return upper * reach**power + (1 - upper) * (-reach) ** power


def moment(protocol: NumberProtocol, v: Fraction, power: int) -> Fraction:
    if isinstance(protocol, Piecewise):
        return piecewise_moment(protocol, v, power)
    if isinstance(protocol, TwoPoint):
        return two_point_moment(protocol, v, power)
    p = Fraction(protocol.p_piecewise)
    first, second = (moment(each, v, power) for each in (protocol.piecewise, protocol.two_point))
    return p * first + (1 - p) * second


@pytest.mark.parametrize("s", ROOTS)
def test_both_densities_of_piecewise_differ_by_exactly_e_to_the_epsilon(s) -> None:
    protocol = Piecewise(0, 1, s)
    near, far = protocol.densities
    assert near / far == protocol.largest_ratio == s**2


@pytest.mark.parametrize("s", ROOTS)
def test_both_chances_of_two_points_differ_by_exactly_e_to_the_epsilon(s) -> None:
    protocol = TwoPoint(0, 1, s)
    upper, lower = (Fraction(1, 2) + v / (2 * protocol.reach) for v in (1, -1))
    assert upper / lower == (1 - lower) / (1 - upper) == protocol.largest_ratio


@pytest.mark.parametrize("protocol", EVERY, ids=lambda p: f"{p.label} {p.moments[0]}")
def test_no_range_of_reports_is_more_than_e_to_the_epsilon_times_as_likely(protocol) -> None:
    """In cells of reports, and for the two points alone: this bound is reached, not exceeded."""
    reach, odds = float(protocol.reach), float(protocol.largest_ratio)
    atoms = [float(t) + side for t in protocol.atoms for side in (-1e-9, 1e-9)]
    limits = np.unique([*np.linspace(-reach * 1.01, reach * 1.01, 402), *atoms])
    v = np.linspace(-1, 1, 9)
    chances = np.diff(protocol.cumulated(limits[:, None], v[None, :]), axis=0)
    possible = chances[chances.max(axis=1) > 1e-7]
    ratios = possible.max(axis=1) / possible.min(axis=1)
    assert ratios.max() == pytest.approx(odds, rel=1e-6)


@pytest.mark.parametrize("protocol", EVERY, ids=lambda p: f"{p.label} {p.moments[0]}")
def test_a_report_has_exactly_the_stated_mean_and_variance(protocol) -> None:
    factor, shift = protocol.moments
    for v in ANSWERS:
        assert moment(protocol, v, 0) == 1
        assert moment(protocol, v, 1) == v
        assert moment(protocol, v, 2) - v**2 == factor * v**2 + shift


@given(st.floats(0.05, 12))
def test_variances_are_the_published_ones(epsilon) -> None:
    """Wang et al. (2019), equation 3, lemma 1, and equation 8 for the largest one of Hybrid."""
    e, s = math.exp(epsilon), math.exp(epsilon / 2)
    two = ((e + 1) / (e - 1)) ** 2
    piecewise = 4 * s / (3 * (s - 1) ** 2)
    largest = {
        each: worst_number_mean_variance(each.from_epsilon(-1, 1, epsilon), 1)[0]
        for each in (TwoPoint, Piecewise, Hybrid)
    }
    assert largest[TwoPoint] == pytest.approx(two, rel=1e-9)
    assert largest[Piecewise] == pytest.approx(piecewise, rel=1e-9)
    hybrid = (s + 3) / (3 * s * (s - 1)) + (e + 1) ** 2 / (s * (e - 1) ** 2)
    assert largest[Hybrid] == pytest.approx(hybrid if epsilon > 0.611 else two, rel=1e-3)
    assert largest[Hybrid] <= min(two, piecewise) * (1 + 1e-9)


@given(st.floats(0.05, 8), st.floats(0, 1))
def test_no_other_mixture_has_a_smaller_largest_variance(epsilon, p) -> None:
    best = Hybrid.from_epsilon(-1, 1, epsilon)
    other = Hybrid(-1, 1, best.root_odds, p)
    assert worst_number_mean_variance(best, 1)[0] <= worst_number_mean_variance(other, 1)[0] + 1e-12


def test_hybrid_begins_to_mix_at_the_published_epsilon() -> None:
    root = 405 * math.sqrt(241)
    published = math.log((-5 + 2 * np.cbrt(6353 - root) + 2 * np.cbrt(6353 + root)) / 27)
    assert Hybrid.from_epsilon(0, 1, published - 1e-9).p_piecewise == 0
    assert Hybrid.from_epsilon(0, 1, published + 1e-9).p_piecewise > 0


def test_piecewise_is_better_than_two_points_from_an_epsilon_of_1_29_on() -> None:
    for epsilon, is_better in ((1.28, False), (1.30, True)):
        first, second = (
            worst_number_mean_variance(each.from_epsilon(0, 1, epsilon), 1)[0]
            for each in (Piecewise, TwoPoint)
        )
        assert (first < second) == is_better


@given(st.floats(0.01, 20))
def test_the_epsilon_asked_for_is_never_exceeded(epsilon) -> None:
    for each in (TwoPoint, Piecewise, Hybrid):
        protocol = each.from_epsilon(0, 1, epsilon)
        assert protocol.largest_ratio <= 1 + Fraction(math.expm1(epsilon))
        assert protocol.epsilon == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize("make", [TwoPoint, Piecewise, Hybrid])
@pytest.mark.parametrize("answer", [20, 37, 100])
def test_draws_have_the_mean_the_variance_and_the_law_that_are_stated(make, answer) -> None:
    """Within five standard errors."""
    protocol, rng = make.from_epsilon(20, 100, 1.5), np.random.default_rng(answer)
    reports = protocol.draw(np.full(20_000, answer), rng)
    v = (answer - 60) / 40
    factor, shift = map(float, protocol.moments)
    spread = 40**2 * (factor * v**2 + shift)
    assert_means(reports[:, None], [answer], [spread])
    assert_variances(reports[:, None], [spread])
    limits = np.linspace(-float(protocol.reach), float(protocol.reach), 14)[1:-1]
    chances = protocol.cumulated(limits, np.array(v))
    up_to = (reports[:, None] - 60) / 40 <= limits
    assert_means(up_to, chances, chances * (1 - chances) + 1e-12)


@pytest.mark.parametrize("protocol", EVERY, ids=lambda p: f"{p.label} {p.moments[0]}")
def test_reports_up_to_a_limit_become_rarer_as_the_answer_grows(protocol) -> None:
    limits = np.linspace(-float(protocol.reach), float(protocol.reach), 50)[:, None]
    chances = protocol.cumulated(limits, np.linspace(-1, 1, 21)[None, :])
    assert np.diff(chances, axis=1).max() <= 1e-12
    assert np.diff(chances, axis=0).min() >= -1e-12


@pytest.mark.parametrize("make", [Piecewise, Hybrid])
def test_the_variance_of_a_report_is_estimated_without_bias(make) -> None:
    protocol, rng = make.from_epsilon(0, 10, 1.0), np.random.default_rng(5)
    answers = np.repeat([0.0, 2.0, 9.0], 20_000)
    variances = protocol.transform(protocol.draw(answers, rng)).variances.reshape(3, -1)
    factor, shift = map(float, protocol.moments)
    expected = 25 * (factor * np.array([-1, -0.6, 0.8]) ** 2 + shift)
    error = 5 * variances.std(axis=1) / math.sqrt(20_000)
    assert (np.abs(variances.mean(axis=1) - expected) <= error + 1e-9).all()


def test_two_points_say_nothing_about_how_answers_scatter() -> None:
    assert TwoPoint(0, 1, 2).transform([1.0, 0.0]).variances is None
    assert Hybrid.from_epsilon(0, 1, 0.5).transform([1.0, 0.0]).variances is None


def test_reports_that_a_file_rounded_in_their_last_digit_are_taken() -> None:
    protocol = TwoPoint(0, 10, 2)
    top = 5 + 5 * float(protocol.reach)
    assert protocol.transform([top + 1e-9]).values[0] == pytest.approx(top)


def test_a_protocol_says_its_range_and_its_epsilon() -> None:
    assert Piecewise(0, 10, 2).label == "Piecewise (0 to 10, epsilon 1.38629)"


@pytest.mark.parametrize("reports", [[40.0], [-30.0], [math.nan], ["a"], [[1.0]], []])
def test_what_is_no_report_is_refused(reports) -> None:
    with pytest.raises(ReportError):
        Piecewise(0, 10, 2).transform(reports)


@pytest.mark.parametrize("answers", [[10.1], [-0.1], [math.nan], ["a"], [[1.0]], []])
def test_answers_out_of_the_range_are_refused(answers) -> None:
    with pytest.raises(SamplingError):
        Piecewise(0, 10, 2).draw(answers, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("build", "argument"),
    [
        (lambda: Piecewise(10, 0, 2), "high"),
        (lambda: Piecewise(0, 0, 2), "high"),
        (lambda: Piecewise(0, math.inf, 2), "high"),
        (lambda: Piecewise("0", 1, 2), "low"),
        (lambda: Piecewise(-1e60, 1, 2), "low"),
        (lambda: Piecewise(0, 1, 1), "root_odds"),
        (lambda: TwoPoint(0, 1, 0.5), "root_odds"),
        (lambda: Hybrid(0, 1, 2, 1.5), "p_piecewise"),
        (lambda: Hybrid.from_epsilon(0, 1, 0), "epsilon"),
        (lambda: Piecewise.from_epsilon(0, 1, math.inf), "epsilon"),
    ],
)
def test_what_cannot_be_a_protocol_is_refused_and_the_argument_named(build, argument) -> None:
    with pytest.raises(DesignError) as refused:
        build()
    assert refused.value.argument == argument
