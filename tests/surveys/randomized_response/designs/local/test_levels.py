import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.randomized_response.designs import GRR, KAry, Warner
from tests.randomized_response.errors import DesignError, ReportError
from tests.surveys.randomized_response.designs.local.laws import law_over_every_draw

# (protocol, combinations of its draws: denominator of p times k - 1)
SMALL = [
    (GRR(2, Fraction(3, 4)), 4),
    (GRR(3, Fraction(1, 2)), 4),
    (GRR(4, Fraction(1, 5)), 15),
    (GRR(5, Fraction(2, 3)), 12),
]


@pytest.mark.parametrize(("protocol", "combinations"), SMALL, ids=str)
def test_reports_are_drawn_with_exactly_the_probabilities_of_the_k_ary_channel(
    protocol, combinations
) -> None:
    for level in range(protocol.options):
        law = law_over_every_draw(protocol.draw, level, combinations)
        column = [row[level] for row in protocol.design.channel.rows]
        assert [law[(y,)] for y in range(protocol.options)] == column


@given(st.integers(2, 50), st.floats(0.01, 20))
def test_it_is_the_k_ary_design_with_its_epsilon_and_support(options, epsilon) -> None:
    protocol = GRR.from_epsilon(options, epsilon)
    assert protocol.design == KAry.from_epsilon(options, epsilon)
    assert protocol.epsilon == protocol.design.epsilon
    assert protocol.largest_ratio <= 1 + Fraction(math.expm1(epsilon))


def test_two_options_at_ln_3_are_two_fair_coins() -> None:
    assert GRR(2, Fraction(3, 4)).design.channel == Warner(Fraction(3, 4)).channel
    assert GRR(2, Fraction(3, 4)).epsilon == pytest.approx(math.log(3), abs=1e-15)


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int16, np.uint64])
def test_reports_of_any_integer_type_are_counted(dtype) -> None:
    reports = np.array([0, 4, 4, 2, 0, 4], dtype=dtype)
    protocol = GRR.from_epsilon(5, 1.0)
    assert protocol.aggregate(reports).tolist() == [2, 0, 1, 0, 3]
    assert protocol.supports(reports).sum(axis=0).tolist() == [2, 0, 1, 0, 3]
    assert protocol.aggregate(reports[::2]).tolist() == [2, 0, 0, 0, 1]
    assert protocol.aggregate([]).tolist() == [0] * 5


@pytest.mark.parametrize("people", [300_000, 300_001])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_many_reports_are_counted_as_few_are(people, step) -> None:
    protocol = GRR.from_epsilon(200, 1.0)
    levels = np.random.default_rng(41).integers(0, 200, size=people * abs(step))
    reports = protocol.draw(levels, np.random.default_rng(42))[::step]
    assert reports.dtype == np.uint8
    assert len(reports) == people
    counts = protocol.aggregate(reports)
    assert counts.tolist() == [int((reports == v).sum()) for v in range(200)]


@pytest.mark.parametrize(
    "reports",
    [
        [0, 5],
        [0, -1],
        [0, 10**18],
        np.array([2**64 - 1], dtype=np.uint64),
        [0.0, 1.0],
        [[0], [1]],
        ["0"],
        [True],
        3,
    ],
)
def test_what_is_no_report_is_refused(reports) -> None:
    with pytest.raises(ReportError):
        GRR.from_epsilon(5, 1.0).aggregate(reports)


@pytest.mark.parametrize(
    "build",
    [
        lambda: GRR(1, 0.5),
        lambda: GRR(3, Fraction(1, 3)),
        lambda: GRR(3, math.nan),
        lambda: GRR.from_epsilon(3, 0),
    ],
)
def test_what_cannot_be_a_design_cannot_be_a_protocol(build) -> None:
    with pytest.raises(DesignError):
        build()
