import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.randomized_response.designs import IntegerSubset, KAry, SubsetSelection
from tests.randomized_response.designs.local.bits import decode, encode, pack, unpack
from tests.randomized_response.errors import DesignError, ReportError
from tests.surveys.randomized_response.designs.local.laws import (
    assert_drawn_from,
    exact_largest_ratio,
    exact_law,
    expected_counts,
)

# (form, radix of the words: a multiple of all bounds in use, words that always suffice)
SMALL = [
    (IntegerSubset(2, 1, 3, 4), 4, 2),
    (IntegerSubset(3, 1, 2, 4), 4, 2),
    (IntegerSubset(3, 2, 3, 4), 4, 3),
    (IntegerSubset(4, 2, 2, 3), 6, 3),
    (IntegerSubset(4, 2, 1, 3), 6, 3),
    (IntegerSubset(4, 3, 5, 6), 6, 4),
]


def laws_of(form: IntegerSubset, radix: int, words: int) -> list[dict[str, Fraction]]:
    return [exact_law(form.code_from_words, v, radix, words) for v in range(form.options)]


def bits_of(code: str, options: int) -> list[bool]:
    return unpack(decode([code], options), options)[0].tolist()


@pytest.mark.parametrize(("form", "radix", "words"), SMALL)
def test_epsilon_is_the_largest_ratio_over_all_reports_and_pairs(form, radix, words) -> None:
    assert exact_largest_ratio(laws_of(form, radix, words)) == form.largest_ratio
    assert form.epsilon == pytest.approx(math.log(form.largest_ratio), abs=1e-15)


@pytest.mark.parametrize(("form", "radix", "words"), SMALL)
def test_the_true_option_is_in_with_p_and_every_other_one_with_q(form, radix, words) -> None:
    for level, law in enumerate(laws_of(form, radix, words)):
        expected = [form.support.if_other] * form.options
        expected[level] = form.support.if_true
        assert expected_counts(law, lambda code: bits_of(code, form.options)) == expected


@pytest.mark.parametrize(("form", "radix", "words"), SMALL)
def test_every_report_has_exactly_the_stated_number_of_options(form, radix, words) -> None:
    codes = set().union(*laws_of(form, radix, words))
    assert {sum(bits_of(code, form.options)) for code in codes} == {form.subset_size}
    assert len(codes) == math.comb(form.options, form.subset_size)


@pytest.mark.parametrize(("form", "radix", "words"), SMALL)
def test_the_vectorised_draw_has_the_law_of_the_draw_from_words(form, radix, words) -> None:
    law = exact_law(form.code_from_words, 1, radix, words)
    drawn = form.draw(np.full(40_000, 1), np.random.default_rng(30))
    assert_drawn_from(encode(drawn, form.options), law)


@given(st.integers(2, 200), st.floats(0.01, 12), st.data())
def test_epsilon_and_q_are_the_published_ones_and_never_above(options, epsilon, data) -> None:
    w = data.draw(st.integers(1, options - 1))
    protocol = SubsetSelection.from_epsilon(options, epsilon, w)
    e, k = math.exp(epsilon), options
    assert float(protocol.p_truth) == pytest.approx(w * e / (w * e + k - w), rel=1e-12)
    q = ((w - 1) * w * e + (k - w) * w) / ((k - 1) * (w * e + k - w))
    assert float(protocol.support.if_other) == pytest.approx(q, rel=1e-12)
    assert protocol.largest_ratio <= 1 + Fraction(math.expm1(epsilon))
    assert protocol.integer_form.largest_ratio <= protocol.largest_ratio


def test_subsets_of_one_option_are_k_ary_randomized_response() -> None:
    protocol = SubsetSelection(5, 1, Fraction(1, 2))
    no, yes = protocol.support.if_other, protocol.support.if_true
    assert KAry(5, Fraction(1, 2)).channel.rows[0][:2] == (yes, no)
    assert protocol.epsilon == KAry(5, Fraction(1, 2)).epsilon


@given(st.integers(2, 60), st.floats(0.05, 8))
def test_no_other_subset_size_has_a_smaller_variance(options, epsilon) -> None:
    def variance(size: int) -> float:
        support = SubsetSelection.from_epsilon(options, epsilon, size).support
        p, q = float(support.if_true), float(support.if_other)
        return (p * (1 - p) + (options - 1) * q * (1 - q)) / (p - q) ** 2

    chosen = SubsetSelection.from_epsilon(options, epsilon).subset_size
    best = min(variance(size) for size in range(1, options))
    assert variance(chosen) <= best * (1 + 1e-9)


def test_a_report_of_another_size_is_refused_even_when_the_total_fits() -> None:
    protocol = SubsetSelection.from_epsilon(5, 1.0, 2)
    wrong = pack(np.array([[1, 1, 1, 0, 0], [1, 0, 0, 0, 0]], dtype=np.bool_))
    for method in (protocol.aggregate, protocol.supports):
        with pytest.raises(ReportError, match=r"reports\[0\]"):
            method(wrong)


def test_no_reports_support_nothing() -> None:
    protocol = SubsetSelection.from_epsilon(5, 1.0, 2)
    assert protocol.aggregate(protocol.draw([], np.random.default_rng(1))).tolist() == [0] * 5


@pytest.mark.parametrize(
    ("build", "argument"),
    [
        (lambda: SubsetSelection(1, 1, 0.7), "options"),
        (lambda: SubsetSelection(4, 0, 0.7), "subset_size"),
        (lambda: SubsetSelection(4, 4, 0.7), "subset_size"),
        (lambda: SubsetSelection(4, 1.5, 0.7), "subset_size"),
        (lambda: SubsetSelection(4, 2, Fraction(1, 2)), "p_true - p_other"),
        (lambda: SubsetSelection(4, 2, 1.1), "p_truth"),
        (lambda: SubsetSelection.from_epsilon(4, 0), "epsilon"),
        (lambda: SubsetSelection.from_epsilon(4, math.nan), "epsilon"),
        (lambda: SubsetSelection.from_epsilon(4, 1.0, 9), "subset_size"),
        (lambda: IntegerSubset(4, 2, 5, 4), "p_truth"),
        (lambda: IntegerSubset(4, 2, 3, 2**33), "denominator"),
        (lambda: IntegerSubset(4, 2, 2.5, 4), "truth_weight"),
    ],
)
def test_what_cannot_be_a_protocol_is_refused_and_the_argument_named(build, argument) -> None:
    with pytest.raises(DesignError) as refused:
        build()
    assert refused.value.argument == argument
