"""CDFs and ranges in time O(n): the same optimum as dense algebra, up to a million levels."""

import numpy as np
import pytest

from analytics.workloads.asks import Ask, OneWay
from analytics.workloads.checks import WorkloadError
from analytics.workloads.duals import optimum, singular_value_bound
from analytics.workloads.neighbours import (
    inverse_root,
    optimum_of,
    singular_value_bound_of,
    tridiagonal_of,
)

ORDERED = (Ask.CDF, Ask.RANGES)


@pytest.mark.parametrize("ask", ORDERED)
@pytest.mark.parametrize("levels", [1, 2, 3, 40])
def test_the_optimum_is_that_of_dense_algebra(ask, levels):
    workload = OneWay(ask, levels)
    found, dense = optimum_of(workload), optimum(workload)
    assert found.lower == pytest.approx(dense.lower, rel=2e-6)
    assert found.gap < 1e-6


@pytest.mark.parametrize("ask", ORDERED)
def test_the_tridiagonal_matrix_is_the_inverse_of_the_gram_matrix(ask):
    matrix, constant = tridiagonal_of(OneWay(ask, 6))
    written = np.diag(matrix.main) + np.diag(matrix.beside, 1) + np.diag(matrix.beside, -1)
    np.testing.assert_allclose(constant * np.linalg.inv(written), OneWay(ask, 6).gram())


@pytest.mark.parametrize("ask", ORDERED)
def test_a_sum_of_shifted_inverses_is_the_inverse_root(ask):
    matrix, _ = tridiagonal_of(OneWay(ask, 30))
    written = np.diag(matrix.main) + np.diag(matrix.beside, 1) + np.diag(matrix.beside, -1)
    values, vectors = np.linalg.eigh(written)
    pairs = zip(*inverse_root(matrix, 40), strict=True)
    found = sum(weight * matrix.solve(shift, np.eye(30)) for shift, weight in pairs)
    np.testing.assert_allclose(found, (vectors / np.sqrt(values)) @ vectors.T, rtol=1e-10)


@pytest.mark.parametrize("ask", ORDERED)
def test_the_singular_value_bound_has_a_closed_form(ask):
    workload = OneWay(ask, 25)
    assert singular_value_bound_of(workload) == pytest.approx(singular_value_bound(workload))


def test_all_ranges_of_a_thousand_levels_are_as_published():
    # HDMM's convex solver reaches 6,484,329, in 14 s.
    assert optimum_of(OneWay(Ask.RANGES, 1024)).upper == pytest.approx(6_484_329, rel=1e-5)


def test_all_ranges_of_65536_levels_are_certified():
    found = optimum_of(OneWay(Ask.RANGES, 65_536), 1e-4)
    assert found.gap < 1e-4
    assert found.upper == pytest.approx(6.2082e10, rel=1e-4)


@pytest.mark.parametrize("ask", [Ask.COUNTS, Ask.TOTAL])
@pytest.mark.parametrize("work", [optimum_of, singular_value_bound_of])
def test_other_asks_do_not_have_this_form(ask, work):
    with pytest.raises(WorkloadError, match="only a CDF and ranges"):
        work(OneWay(ask, 5))
