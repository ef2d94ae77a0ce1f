import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.randomized_response.designs import RSFDGRR, RSFDUE, FakeBits
from tests.randomized_response.designs.local.bits import unpack
from tests.randomized_response.errors import DesignError, ReportError, SamplingError
from tests.randomized_response.estimates import (
    conditional_frequency_variance,
    estimate_frequencies,
    maximum_likelihood_frequencies,
)
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


BITS = (Fraction(1, 2), Fraction(1, 4))
UNARY = [RSFDUE(k, *BITS, fake) for k in ((2, 2), (2, 3), (3,)) for fake in FakeBits]


@cache
def unary_laws(protocol: RSFDUE) -> dict[tuple[int, ...], dict]:
    """The exact law of all bits of each person, from what each attribute and each fake draws."""

    def bits(options: int, true: int | None) -> dict[tuple[int, ...], Fraction]:
        ones = [protocol.p_true if v == true else protocol.p_other for v in range(options)]
        return {
            y: math.prod(p if bit else 1 - p for p, bit in zip(ones, y, strict=True))
            for y in product((0, 1), repeat=options)
        }

    def fakes(options: int) -> dict[tuple[int, ...], Fraction]:
        if protocol.fake == FakeBits.ZERO:
            return bits(options, None)
        each = [bits(options, v) for v in range(options)]
        return {y: sum(law[y] for law in each) / options for y in each[0]}

    sizes, laws = protocol.options, {}
    for person in product(*map(range, sizes)):
        law = {}
        for report in product(*(product((0, 1), repeat=k) for k in sizes)):
            law[report] = sum(
                math.prod(
                    (bits(k, person[i]) if i == sampled else fakes(k))[report[i]]
                    for i, k in enumerate(sizes)
                )
                for sampled in range(len(sizes))
            ) / len(sizes)
        laws[person] = law
    return laws


@pytest.mark.parametrize("protocol", UNARY, ids=str)
def test_the_losses_of_bits_are_exactly_those_of_their_law(protocol) -> None:
    laws = unary_laws(protocol)
    neighbours = [
        exact_largest_ratio([laws[x], laws[y]])
        for x, y in product(laws, repeat=2)
        if sum(a != b for a, b in zip(x, y, strict=True)) == 1
    ]
    assert exact_largest_ratio(list(laws.values())) == protocol.largest_ratio == 3
    assert max(neighbours) == protocol.attribute_ratio


@pytest.mark.parametrize("protocol", UNARY, ids=str)
def test_the_bits_of_an_attribute_have_the_stated_support_and_loss(protocol) -> None:
    laws = unary_laws(protocol)
    for j, k in enumerate(protocol.options):
        attribute, alone = protocol.attribute(j), {}
        for person, law in laws.items():
            for v in range(k):
                p, q = attribute.support.fractions
                seen = sum(p for report, p in law.items() if report[j][v])
                assert seen == (p if v == person[j] else q)
            alone[person[j]] = {
                y: sum(p for report, p in law.items() if report[j] == y)
                for y in product((0, 1), repeat=k)
            }
        assert exact_largest_ratio(list(alone.values())) == attribute.largest_ratio


def test_drawn_bits_follow_the_law() -> None:
    """Each report of a person as often as it should be, within five standard errors."""
    for protocol in UNARY[2:4]:
        reports = protocol.draw(np.tile([1, 2], (20_000, 1)), np.random.default_rng(50))
        parts = [unpack(p, k) for p, k in zip(protocol.parts(reports), (2, 3), strict=True)]
        rows = np.hstack(parts)
        for report, chance in unary_laws(protocol)[1, 2].items():
            seen = (rows == np.concatenate(report)).all(axis=1).sum()
            p = float(chance)
            assert abs(seen - 20_000 * p) <= 5 * math.sqrt(20_000 * p * (1 - p))


@pytest.mark.parametrize("fake", FakeBits)
def test_frequencies_of_each_attribute_are_estimated_from_its_ones(fake) -> None:
    protocol, rng = RSFDUE.from_person_epsilon((3, 10), 3.0, fake), np.random.default_rng(51)
    shares = np.array([0.6, 0.3, 0.1])
    levels = np.column_stack([rng.choice(3, 20_000, p=shares), rng.integers(0, 10, 20_000)])
    reports = protocol.draw(levels, rng)
    attribute = protocol.attribute(0)
    estimate = estimate_frequencies(attribute, protocol.aggregate(reports)[0], 20_000)
    true = np.bincount(levels[:, 0]) / 20_000
    spread = conditional_frequency_variance(attribute, true, 20_000)
    assert (np.abs(estimate.frequencies - true) <= 5 * np.sqrt(spread)).all()
    if fake == FakeBits.ZERO:
        likely = maximum_likelihood_frequencies(attribute, protocol.parts(reports)[0])
        assert likely == pytest.approx(true, abs=0.06)
    else:
        with pytest.raises(DesignError, match="estimate from the counts"):
            maximum_likelihood_frequencies(attribute, protocol.parts(reports)[0])


@given(st.integers(1, 6), st.integers(2, 20), st.floats(0.05, 6))
def test_fake_bits_of_no_option_have_the_published_amplified_epsilon(d, k, epsilon) -> None:
    protocol = RSFDUE.from_attribute_epsilon((k,) * d, epsilon)
    assert protocol.epsilon == pytest.approx(math.log(d * math.expm1(epsilon) + 1), rel=1e-12)
    assert protocol.attribute_ratio <= 1 + Fraction(math.expm1(epsilon))
    assert protocol.attribute_epsilon == pytest.approx(epsilon, rel=1e-12)


@settings(max_examples=10)
@given(st.lists(st.integers(2, 30), min_size=1, max_size=5), st.floats(0.05, 4))
def test_random_fake_bits_keep_the_stated_epsilon_too(options, epsilon) -> None:
    protocol = RSFDUE.from_attribute_epsilon(tuple(options), epsilon, FakeBits.RANDOM)
    assert protocol.attribute_ratio <= 1 + Fraction(math.expm1(epsilon))
    assert protocol.attribute_epsilon == pytest.approx(epsilon, abs=1e-9)


def test_the_published_amplification_breaks_its_promise_for_random_fake_bits() -> None:
    odds = 1 + 2 * Fraction(math.expm1(1.0))
    protocol = RSFDUE((10, 10), Fraction(1, 2), 1 / (odds + 1), FakeBits.RANDOM)
    assert protocol.attribute_epsilon == pytest.approx(1.2774, abs=1e-4)


@pytest.mark.parametrize(
    ("build", "argument"),
    [
        (lambda: RSFDUE((), *BITS), "options"),
        (lambda: RSFDUE((2, 1), *BITS), "options"),
        (lambda: RSFDUE((2, 2), 0.25, 0.5), "p_other"),
        (lambda: RSFDUE((2, 2), 0.5, 0), "p_other"),
        (lambda: RSFDUE((2, 2), *BITS, "zero"), "fake"),
        (lambda: RSFDUE.from_attribute_epsilon((2, 2), 0), "epsilon"),
    ],
)
def test_bits_that_cannot_be_a_protocol_are_refused(build, argument) -> None:
    with pytest.raises(DesignError) as refused:
        build()
    assert refused.value.argument == argument


@pytest.mark.parametrize("reports", [[[0, 8]], [[4, 0]], [[0]]])
def test_what_is_no_report_of_bits_is_refused(reports) -> None:
    with pytest.raises(ReportError):
        RSFDUE((2, 3), *BITS).aggregate(np.array(reports, dtype=np.uint8))
