"""A random intercept takes a third of the processor time at most, and estimates the same."""

import pytest

from benchmarks.random_intercept import AIM, SAME, compare


@pytest.mark.audit
@pytest.mark.parametrize("seed", [1, 2])
def test_it_is_three_times_as_fast_as_differences_of_the_likelihood(seed):
    found = compare(people=12_000, clusters=200, seed=seed)
    assert found.ratio <= AIM
    assert found.difference <= SAME
