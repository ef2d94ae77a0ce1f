"""Reports have the same bits whatever number of threads a machine gives to linear algebra."""

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from surveys.randomized_response.threads import on_one_thread
from tests.analytics.topics.private.test_nmf import report


def threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_linear_algebra_runs_on_one_thread_and_gets_its_threads_back() -> None:
    with threadpool_limits(limits=2, user_api="blas"):
        before = threads()
        assert on_one_thread(threads)() == {1}
        assert threads() == before


def test_threads_come_back_after_an_error() -> None:
    def fail() -> None:
        raise ValueError("told")

    with threadpool_limits(limits=2, user_api="blas"):
        before = threads()
        with pytest.raises(ValueError, match="told"):
            on_one_thread(fail)()
        assert threads() == before


def test_the_bytes_do_not_depend_on_the_number_of_threads() -> None:
    found = []
    for count in (1, 2):
        with threadpool_limits(limits=count, user_api="blas"):
            found.append(report())
    assert found[0].loadings.tobytes() == found[1].loadings.tobytes()
    assert found[0].sizes.tobytes() == found[1].sizes.tobytes()
