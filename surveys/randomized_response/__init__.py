"""Randomized response: designs, draws, estimates, intervals and plans. Needs numpy and SciPy alone.

Everything stands in a namespace: ``designs``, ``drawing``, ``estimates``, ``intervals``,
``relations``, ``samples``, ``planning``, ``regression``, ``totals`` and ``files``; refusals in
``errors``. A namespace is loaded when it is asked for first: ``designs`` and ``drawing`` need no
SciPy, whose import takes longer than most draws.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import (
        designs,
        drawing,
        errors,
        estimates,
        files,
        intervals,
        planning,
        regression,
        relations,
        samples,
        totals,
    )

__version__ = "0.1.0"
__all__ = [
    "designs",
    "drawing",
    "errors",
    "estimates",
    "files",
    "intervals",
    "planning",
    "regression",
    "relations",
    "samples",
    "totals",
]


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f".{name}", __name__)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
