"""NamedValues: an array of one number per coefficient that also answers to their names."""

from typing import Any

import numpy as np

from ..checks import FloatArray
from ..errors import RegressionError


class NamedValues(np.ndarray[Any, np.dtype[np.float64]]):
    """Numbers (p,) by position as any array has them, and by name: ``params["age"]``.

    What is computed or cut from it is known by position alone.

    >>> from randomized_response.regression.named_values import NamedValues
    >>> values = NamedValues.of([0.5, 2.0], ("intercept", "age"))
    >>> float(values["age"]), float(values[0])
    (2.0, 0.5)
    """

    names: tuple[str, ...]

    @classmethod
    def of(cls, values: Any, names: tuple[str, ...]) -> "NamedValues":
        """``values`` (p,), one per name."""
        named = np.array(values, dtype=np.float64).view(cls)
        named.names = names
        named.setflags(write=False)
        return named

    def __array_finalize__(self, parent: object) -> None:
        self.names = ()

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return np.asarray(self)[key]
        if key not in self.names:
            remedy = f"choose one of {', '.join(self.names)}" if self.names else "give a position"
            raise RegressionError("name", key, remedy)
        return np.asarray(self)[self.names.index(key)]

    def __reduce__(self) -> Any:
        return NamedValues.of, (np.asarray(self), self.names)


def named(values: FloatArray, names: tuple[str, ...]) -> FloatArray:
    """The same numbers with their names."""
    return NamedValues.of(values, names)
