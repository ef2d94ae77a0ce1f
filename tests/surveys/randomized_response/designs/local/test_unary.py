import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.randomized_response.designs import OUE, SUE, THE, IntegerUnary
from tests.randomized_response.designs.local.bits import decode, encode, pack, unpack
from tests.randomized_response.designs.local.unary import best_threshold
from tests.randomized_response.errors import DesignError, SamplingError
from tests.surveys.randomized_response.designs.local.laws import (
    assert_drawn_from,
    exact_largest_ratio,
    exact_law,
    expected_counts,
)

PROTOCOLS = [SUE, OUE, THE]
SMALL_FORMS = [
    IntegerUnary(2, 2, 1, 4),
    IntegerUnary(3, 3, 1, 5),
    IntegerUnary(3, 1, 4, 5),
    IntegerUnary(4, 2, 1, 4),
]


def bits_of(code: str, options: int) -> list[bool]:
    return unpack(decode([code], options), options)[0].tolist()


@pytest.mark.parametrize("form", SMALL_FORMS, ids=str)
def test_epsilon_is_the_largest_ratio_over_all_reports_and_all_pairs_of_options(form) -> None:
    laws = [
        exact_law(form.code_from_words, level, form.denominator, form.options)
        for level in range(form.options)
    ]
    assert exact_largest_ratio(laws) == form.largest_ratio
    assert form.epsilon == pytest.approx(math.log(form.largest_ratio), abs=1e-15)


@pytest.mark.parametrize("form", SMALL_FORMS, ids=str)
def test_a_report_supports_the_true_option_with_p_and_another_one_with_q(form) -> None:
    for level in range(form.options):
        law = exact_law(form.code_from_words, level, form.denominator, form.options)
        expected = [form.support.if_other] * form.options
        expected[level] = form.support.if_true
        assert expected_counts(law, lambda code: bits_of(code, form.options)) == expected


@pytest.mark.parametrize("form", SMALL_FORMS, ids=str)
def test_the_vectorised_draw_has_the_law_of_the_draw_from_words(form) -> None:
    law = exact_law(form.code_from_words, 1, form.denominator, form.options)
    drawn = form.draw(np.full(40_000, 1), np.random.default_rng(20))
    assert_drawn_from(encode(drawn, form.options), law)


@given(st.integers(2, 300), st.floats(0.01, 20), st.sampled_from(PROTOCOLS))
def test_no_protocol_spends_more_than_the_epsilon_asked_for(options, epsilon, protocol) -> None:
    stated = 1 + Fraction(math.expm1(epsilon))
    built = protocol.from_epsilon(options, epsilon)
    assert built.largest_ratio <= stated
    assert built.integer_form.largest_ratio <= built.largest_ratio
    assert built.integer_form.denominator <= 2**32


@given(st.floats(0.01, 12), st.sampled_from([SUE, OUE]))
def test_rounding_to_integers_costs_next_to_nothing(epsilon, protocol) -> None:
    form = protocol.from_epsilon(5, epsilon).integer_form
    assert form.epsilon == pytest.approx(epsilon, abs=1e-3)
    assert float(form.support.slope) == pytest.approx(
        float(protocol.from_epsilon(5, epsilon).support.slope), abs=1e-9
    )


def test_rational_probabilities_are_drawn_exactly() -> None:
    form = OUE(10, Fraction(1, 6)).integer_form
    assert (form.ones_if_true, form.ones_if_other, form.denominator) == (3, 1, 6)
    assert form.largest_ratio == OUE(10, Fraction(1, 6)).largest_ratio == 5


def test_a_bit_less_likely_for_the_truth_is_rounded_inwards_too() -> None:
    protocol = SUE(4, 0.3)
    assert protocol.integer_form.largest_ratio <= protocol.largest_ratio
    assert protocol.integer_form.support.slope < 0


def test_oue_has_the_published_probabilities() -> None:
    support = OUE.from_epsilon(7, math.log(3)).support
    assert support.if_true == Fraction(1, 2)
    assert float(support.if_other) == pytest.approx(1 / 4, rel=1e-15)


def test_sue_at_2_ln_3_keeps_three_bits_in_four() -> None:
    assert float(SUE.from_epsilon(7, 2 * math.log(3)).p_keep) == pytest.approx(3 / 4, rel=1e-15)
    assert SUE(7, Fraction(3, 4)).largest_ratio == 9


def rare_variance(p: float, q: float) -> float:
    return q * (1 - q) / (p - q) ** 2


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 20.0])
def test_no_threshold_of_a_fine_grid_is_better_than_the_chosen_one(epsilon) -> None:
    chosen = THE(4, epsilon, best_threshold(epsilon)).support
    for threshold in np.linspace(0, 1, 2001):
        p = 1 - math.exp(epsilon / 2 * (threshold - 1)) / 2
        q = math.exp(-epsilon / 2 * threshold) / 2
        assert rare_variance(chosen.if_true, chosen.if_other) <= rare_variance(p, q) * (1 + 1e-12)


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5, 0.77, 1.0])
def test_the_bits_of_the_histogram_have_the_probabilities_of_thresholded_noise(threshold) -> None:
    noise = np.random.default_rng(21).laplace(scale=2 / 1.5, size=400_000)
    support = THE(4, 1.5, threshold).support
    for centre, p in ((1, support.if_true), (0, support.if_other)):
        share = (centre + noise > threshold).mean()
        assert abs(share - p) <= 5 * math.sqrt(p * (1 - p) / len(noise))


def test_the_thresholded_bits_of_noise_at_1_lose_0_896() -> None:
    assert THE.from_epsilon(4, 1.0).epsilon == pytest.approx(0.896, abs=1e-4)


@given(st.floats(0.05, 10))
def test_thresholded_bits_lose_less_than_the_noise_and_oue_beats_them_at_equal_loss(eps) -> None:
    histogram = THE.from_epsilon(4, eps)
    assert histogram.epsilon < eps
    optimal = OUE.from_epsilon(4, histogram.epsilon).support
    ours, theirs = (
        rare_variance(float(s.if_true), float(s.if_other)) for s in (histogram.support, optimal)
    )
    assert theirs <= ours * (1 + 1e-9)


@pytest.mark.parametrize("form", SMALL_FORMS, ids=str)
def test_relabelling_the_options_relabels_the_law_of_the_reports(form) -> None:
    new_name = np.roll(np.arange(form.options), 1)
    for level in range(form.options):
        law, renamed = (
            exact_law(form.code_from_words, v, form.denominator, form.options)
            for v in (level, new_name[level])
        )
        for code, chance in law.items():
            ones = np.array(bits_of(code, form.options))[None, np.argsort(new_name)]
            assert renamed[encode(pack(ones), form.options)[0]] == chance


REFUSED = [
    (lambda: OUE(1, 0.2), "options"),
    (lambda: OUE(3.5, 0.2), "options"),
    (lambda: OUE(3, 0.5), "p_true - p_other"),
    (lambda: OUE(3, 1.5), "p_other"),
    (lambda: OUE(3, math.nan), "p_other"),
    (lambda: SUE(3, 0.5), "p_true - p_other"),
    (lambda: SUE(3, -0.1), "p_keep"),
    (lambda: THE(3, 1.0, 1.2), "threshold"),
    (lambda: THE(3, 1.0, math.nan), "threshold"),
    (lambda: THE(3, 0, 0.6), "epsilon"),
    (lambda: IntegerUnary(3, 1, 1, 4), "p_true - p_other"),
    (lambda: IntegerUnary(3, 5, 1, 4), "p_true"),
    (lambda: IntegerUnary(3, 2, 1, 2**32 + 1), "denominator"),
    (lambda: IntegerUnary(3, 2, 1, 0), "denominator"),
    (lambda: IntegerUnary(3, 1.5, 1, 4), "ones_if_true"),
    *[
        (lambda p=p, e=e: p.from_epsilon(3, e), "epsilon")
        for p in PROTOCOLS
        for e in (0, -1.0, math.nan, math.inf, 1e4, "1", None, True)
    ],
]


@pytest.mark.parametrize(("build", "argument"), REFUSED)
def test_what_cannot_be_a_protocol_is_refused_and_the_argument_named(build, argument) -> None:
    with pytest.raises(DesignError) as refused:
        build()
    assert refused.value.argument == argument


@pytest.mark.parametrize("levels", [[3], [-1], [0.5], [[0]], 1, ["a"], [math.nan]])
def test_true_levels_that_do_not_exist_are_refused(levels) -> None:
    with pytest.raises(SamplingError):
        OUE.from_epsilon(3, 1.0).draw(levels, np.random.default_rng(1))


def test_nobody_draws_no_reports() -> None:
    assert OUE.from_epsilon(9, 1.0).draw([], np.random.default_rng(1)).shape == (0, 2)


def test_words_that_run_out_or_are_no_words_are_refused() -> None:
    form = OUE.from_epsilon(3, 1.0).integer_form
    for words in ([1, 2], [1, 2, -1], [1, 2, 2**32]):
        with pytest.raises(SamplingError):
            form.code_from_words(0, words)
