"""Fits ask linear algebra for one thread, and give the others back."""

import numpy as np
import pytest
import scipy.linalg  # noqa: F401 - brings threads of its own, before they are counted
from threadpoolctl import threadpool_info, threadpool_limits

from tests.randomized_response.designs import AnchoredCrosswise, KAry, Warner
from tests.randomized_response.estimates import estimate_distribution
from tests.randomized_response.regression import (
    fit_anchored_outcome_model,
    fit_known_shares_model,
    fit_linear_predictor_model,
    fit_logistic_predictor_model,
    fit_mixed_model,
    fit_multinomial_model,
    fit_no_sayer_model,
    fit_outcome_model,
    fit_outcome_posterior,
    fit_random_intercept_model,
    fit_random_slope_model,
    fit_several_predictors_model,
)
from tests.randomized_response.threads import on_one_thread

RNG = np.random.default_rng(1)
REPORTS = RNG.integers(0, 2, 60)
NUMBERS = RNG.normal(size=60)
WARNER, ANCHOR = Warner(0.9), AnchoredCrosswise(0.2, 0.3)


def threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


class Watched:
    """A column that notes how many threads there are when a function looks at it."""

    def __init__(self, values: np.ndarray) -> None:
        self.values, self.seen = values, set[int]()

    def __array__(self, *args, **kwargs) -> np.ndarray:
        self.seen |= threads()
        return np.array(self.values, *args, **kwargs)

    def __len__(self) -> int:
        self.seen |= threads()
        return len(self.values)

    def __iter__(self):
        return iter(self.values.tolist())

    def by_twos(self) -> "Watched":
        self.values = self.values.reshape(-1, 2)
        return self


CALLS = {
    "outcome": lambda column: fit_outcome_model(WARNER, column),
    "multinomial": lambda column: fit_multinomial_model(WARNER, column),
    "linear": lambda column: fit_linear_predictor_model(WARNER, column, NUMBERS),
    "logistic": lambda column: fit_logistic_predictor_model(WARNER, column, NUMBERS > 0),
    "anchor": lambda column: fit_anchored_outcome_model(ANCHOR, column, np.arange(60) % 3 < 2),
    "no-sayers": lambda column: fit_no_sayer_model(WARNER, column.by_twos(), pairs=False),
    "posterior": lambda column: fit_outcome_posterior(WARNER, column, rng=RNG, draws=100),
    "known shares": lambda column: fit_known_shares_model(
        WARNER, column, None, np.arange(60) % 2, {0: 0.5}
    ),
    "several": lambda column: fit_several_predictors_model(
        {"a": (WARNER, column), "b": (WARNER, np.arange(60) % 2)}, NUMBERS
    ),
    "slopes": lambda column: fit_random_slope_model(
        WARNER, column, np.arange(60) % 6, NUMBERS, ["x1"], nodes=3
    ),
    "mixed": lambda column: fit_mixed_model(WARNER, column, {"a": np.arange(60) % 6}),
    "clusters": lambda column: fit_random_intercept_model(WARNER, column, np.arange(60) % 6),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_fit_runs_on_one_thread_and_gives_the_others_back(name) -> None:
    column = Watched(REPORTS)
    with threadpool_limits(limits=2, user_api="blas"):
        before = threads()
        CALLS[name](column)
        assert threads() == before
    assert column.seen == {1}


def test_a_long_list_is_estimated_on_one_thread() -> None:
    counts = Watched(np.arange(1, 4))
    with threadpool_limits(limits=2, user_api="blas"):
        estimate_distribution(KAry(3, 0.5), counts)
    assert counts.seen == {1}


def test_threads_come_back_after_an_error() -> None:
    def fail() -> None:
        raise ValueError("no such answer")

    with threadpool_limits(limits=2, user_api="blas"):
        before = threads()
        with pytest.raises(ValueError, match="no such answer"):
            on_one_thread(fail)()
        assert threads() == before
