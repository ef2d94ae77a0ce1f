"""One thread for linear algebra: small products are slower on many, and their waiting costs more.

BLAS divides a product among its threads, which wait by spinning: on a machine with other work a
fit of a thousand answers then takes several times its processor time. Rounding depends on the
division as well, so one thread gives the same bits everywhere.
"""

import sys
from collections.abc import Callable
from functools import cache, wraps
from importlib.util import find_spec
from typing import Any, ParamSpec, TypeVar

from .calls import require_arguments

P = ParamSpec("P")
T = TypeVar("T")


def on_one_thread(function: Callable[P, T]) -> Callable[P, T]:
    """The same function, its linear algebra on one thread where threadpoolctl is installed."""

    @wraps(function)
    def limited(*args: P.args, **kwargs: P.kwargs) -> T:
        require_arguments(function, args, kwargs)
        controller = _controller("scipy.linalg" in sys.modules)
        if controller is None:
            return function(*args, **kwargs)
        with controller.limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return limited


@cache
def _controller(with_scipy: bool) -> Any:
    """Of the libraries loaded by now, for looking takes time: SciPy brings one of its own."""
    del with_scipy
    if find_spec("threadpoolctl") is None:
        return None
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
