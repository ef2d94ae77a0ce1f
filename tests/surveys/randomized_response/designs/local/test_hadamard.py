import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import hadamard

from tests.randomized_response.designs import HadamardResponse
from tests.randomized_response.errors import DesignError, ReportError
from tests.surveys.randomized_response.designs.local.laws import (
    exact_largest_ratio,
    expected_counts,
    law_over_every_draw,
)

SMALL = [HadamardResponse(k, Fraction(3, 4)) for k in (2, 3, 4, 7)]


@pytest.mark.parametrize("protocol", SMALL, ids=str)
def test_all_draws_give_exactly_the_stated_support_and_epsilon(protocol) -> None:
    combinations = protocol.order * 4
    laws = [law_over_every_draw(protocol.draw, v, combinations) for v in range(protocol.options)]
    assert exact_largest_ratio(laws) == protocol.largest_ratio == 3
    for level, law in enumerate(laws):
        expected = [Fraction(1, 2)] * protocol.options
        expected[level] = Fraction(3, 4)
        supports = lambda report: protocol.supports(np.array(report))[0].tolist()  # noqa: E731
        assert expected_counts(law, supports) == expected


@pytest.mark.parametrize("options", [2, 3, 8, 30])
def test_a_report_supports_the_options_whose_row_of_the_matrix_is_1(options) -> None:
    protocol = HadamardResponse(options, 0.75)
    rows = hadamard(protocol.order)[1 : options + 1]
    columns = np.arange(protocol.order)
    assert np.array_equal(protocol.supports(columns), rows.T == 1)


@given(st.integers(2, 60), st.integers(0, 2**32))
def test_the_fast_transform_counts_what_the_reports_support(options, seed) -> None:
    protocol = HadamardResponse.from_epsilon(options, 1.0)
    columns = np.random.default_rng(seed).integers(0, protocol.order, 200)
    counted = protocol.supports(columns).sum(axis=0)
    assert protocol.aggregate(columns).tolist() == counted.tolist()


@given(st.integers(2, 500), st.floats(0.01, 20))
def test_the_epsilon_asked_for_is_never_exceeded(options, epsilon) -> None:
    protocol = HadamardResponse.from_epsilon(options, epsilon)
    assert protocol.largest_ratio <= 1 + Fraction(math.expm1(epsilon))
    assert protocol.epsilon == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize("reports", [[8], [-1], [0.5], [[0]]])
def test_what_is_no_report_is_refused(reports) -> None:
    with pytest.raises(ReportError):
        HadamardResponse(5, 0.75).aggregate(np.array(reports))


@pytest.mark.parametrize(
    ("build", "argument"),
    [
        (lambda: HadamardResponse(1, 0.75), "options"),
        (lambda: HadamardResponse(2**24, 0.75), "options"),
        (lambda: HadamardResponse(4, 0.5), "p_true - p_other"),
        (lambda: HadamardResponse.from_epsilon(4, 0), "epsilon"),
    ],
)
def test_what_cannot_be_a_protocol_is_refused_and_the_argument_named(build, argument) -> None:
    with pytest.raises(DesignError) as refused:
        build()
    assert refused.value.argument == argument
