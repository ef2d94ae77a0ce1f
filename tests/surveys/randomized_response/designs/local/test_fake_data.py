import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.randomized_response.designs import RSFDGRR
from tests.randomized_response.errors import DesignError, ReportError, SamplingError
from tests.surveys.randomized_response.designs.local.laws import (
    exact_largest_ratio,
    law_over_every_draw,
)

# (protocol, combinations of its draws: attribute, then per attribute keep, step and fake)
SMALL = [
    (RSFDGRR((2, 2), Fraction(3)), 2 * (4 * 1 * 2) ** 2),
    (RSFDGRR((2, 3), Fraction(3)), 2 * (4 * 1 * 2) * (5 * 2 * 3)),
    (RSFDGRR((3,), Fraction(3)), 1 * (5 * 2 * 3)),
]


def laws_of(protocol: RSFDGRR, combinations: int) -> dict[tuple[int, ...], dict]:
    people = product(*(range(k) for k in protocol.options))
    return {x: law_over_every_draw(protocol.draw, x, combinations) for x in people}


@pytest.mark.parametrize(("protocol", "combinations"), SMALL, ids=str)
def test_between_any_two_people_the_loss_is_the_odds_themselves(protocol, combinations) -> None:
    laws = list(laws_of(protocol, combinations).values())
    assert exact_largest_ratio(laws) == protocol.largest_ratio == protocol.odds


@pytest.mark.parametrize(("protocol", "combinations"), SMALL, ids=str)
def test_between_people_who_differ_in_one_attribute_it_is_the_smaller_loss(
    protocol, combinations
) -> None:
    laws = laws_of(protocol, combinations)
    neighbours = [
        exact_largest_ratio([laws[x], laws[y]])
        for x, y in product(laws, repeat=2)
        if sum(a != b for a, b in zip(x, y, strict=True)) == 1
    ]
    assert max(neighbours) == protocol.attribute_ratio


@pytest.mark.parametrize(("protocol", "combinations"), SMALL, ids=str)
def test_each_attribute_is_reported_by_its_k_ary_channel(protocol, combinations) -> None:
    for x, law in laws_of(protocol, combinations).items():
        for j, k in enumerate(protocol.options):
            matrix = protocol.attribute(j).design.channel.rows
            for y in range(k):
                assert sum(p for r, p in law.items() if r[j] == y) == matrix[y][x[j]]


@given(st.integers(1, 6), st.integers(2, 20), st.floats(0.05, 6))
def test_equally_many_options_have_the_published_amplified_epsilon(d, k, epsilon) -> None:
    protocol = RSFDGRR.from_attribute_epsilon((k,) * d, epsilon)
    amplified = math.log(d * math.expm1(epsilon) + 1)
    assert protocol.epsilon == pytest.approx(amplified, rel=1e-12)
    assert protocol.attribute_ratio <= 1 + Fraction(math.expm1(epsilon))
    assert protocol.attribute_epsilon == pytest.approx(epsilon, rel=1e-12)


@given(st.lists(st.integers(2, 30), min_size=2, max_size=5), st.floats(0.05, 4))
def test_unequal_attributes_keep_the_stated_epsilon_too(options, epsilon) -> None:
    protocol = RSFDGRR.from_attribute_epsilon(tuple(options), epsilon)
    assert protocol.attribute_ratio <= 1 + Fraction(math.expm1(epsilon))
    assert protocol.attribute_epsilon == pytest.approx(epsilon, abs=1e-9)


def test_the_published_amplification_breaks_its_promise_for_unequal_attributes() -> None:
    amplified = RSFDGRR((2, 20), 1 + 2 * Fraction(math.expm1(1.0)))
    assert amplified.attribute_epsilon == pytest.approx(1.2242, abs=1e-4)


def test_three_equal_attributes_at_a_stated_1_reveal_up_to_1_82_about_the_person() -> None:
    protocol = RSFDGRR.from_attribute_epsilon((4, 4, 4), 1.0)
    assert protocol.epsilon == pytest.approx(1.8172, abs=1e-4)


def test_a_bound_for_the_whole_person_has_no_amplification() -> None:
    protocol = RSFDGRR.from_person_epsilon((4, 4, 4), 1.0)
    assert protocol.epsilon == pytest.approx(1.0, rel=1e-14)
    assert protocol.attribute_epsilon < 0.5


def test_counts_are_kept_apart_for_every_attribute() -> None:
    protocol = RSFDGRR((2, 3), 3)
    counts = protocol.aggregate(np.array([[0, 2], [1, 2], [1, 0]]))
    assert [c.tolist() for c in counts] == [[1, 2], [1, 0, 2]]


@pytest.mark.parametrize("reports", [[[0, 3]], [[2, 0]], [[-1, 0]], [[0]], [0, 1], [[0.5, 1.0]]])
def test_what_is_no_report_is_refused(reports) -> None:
    with pytest.raises(ReportError):
        RSFDGRR((2, 3), 3).aggregate(np.array(reports))


@pytest.mark.parametrize("people", [[[0, 3]], [[0, -1]], [[0]], [0, 1], [[0.5, 1.0]]])
def test_people_who_cannot_exist_are_refused(people) -> None:
    with pytest.raises(SamplingError):
        RSFDGRR((2, 3), 3).draw(np.array(people), np.random.default_rng(1))


@pytest.mark.parametrize(
    ("build", "argument"),
    [
        (lambda: RSFDGRR((), 3), "options"),
        (lambda: RSFDGRR(4, 3), "options"),
        (lambda: RSFDGRR((2, 1), 3), "options"),
        (lambda: RSFDGRR((2, 2), 1), "odds"),
        (lambda: RSFDGRR((2, 2), math.nan), "odds"),
        (lambda: RSFDGRR.from_attribute_epsilon((2, 3), 0), "epsilon"),
        (lambda: RSFDGRR.from_person_epsilon((2, 3), -1), "epsilon"),
    ],
)
def test_what_cannot_be_a_protocol_is_refused_and_the_argument_named(build, argument) -> None:
    with pytest.raises(DesignError) as refused:
        build()
    assert refused.value.argument == argument
