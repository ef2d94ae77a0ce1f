"""One thread for dense linear algebra: the same bits on machines with any number of processors.

BLAS divides a product among its threads, and rounding depends on the division. Its threads also
wait by spinning, which takes processor time from those who answer a survey at the same moment.
"""

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

P = ParamSpec("P")
T = TypeVar("T")


@cache
def _controller() -> ThreadpoolController:
    """Of the libraries that NumPy and SciPy have loaded by the first call: looking takes time."""
    return ThreadpoolController()


def on_one_thread(function: Callable[P, T]) -> Callable[P, T]:
    """The same function, its linear algebra on one thread."""

    @wraps(function)
    def limited(*args: P.args, **kwargs: P.kwargs) -> T:
        with _controller().limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return limited
