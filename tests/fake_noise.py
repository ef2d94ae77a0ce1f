"""The one fake of noise: the same numbers in every run, whatever is drawn before."""

import hashlib
from collections import Counter
from collections.abc import Callable

import numpy as np

from analytics.privacy.mechanisms import SeededNoise

Draw = Callable[[tuple[int, ...]], np.ndarray]


class FakeNoise:
    """Noise of the right law, whose numbers depend on its size and shape and on nothing else.

    A second draw of the same size and shape is another one. So code that is moved, or that draws
    in another order, adds the same numbers. With ``draw``, a function from a shape to integers,
    these are added: ``FakeNoise(np.zeros)`` is no noise. Passes for private: nobody is in a test.
    """

    is_private = True

    def __init__(self, draw: Draw | None = None, *, seed: int = 1) -> None:
        self._draw, self._seed = draw, seed
        self._drawn: Counter[str] = Counter()

    def added_to(self, values: np.ndarray, lattice_sd: float) -> np.ndarray:
        """``values`` and discrete Gaussian noise, int64."""
        if self._draw is not None:
            return values + self._draw(values.shape).astype(np.int64)
        return self._source("gauss", values, lattice_sd).added_to(values, lattice_sd)

    def laplace_added_to(self, values: np.ndarray, scale: float) -> np.ndarray:
        """``values`` and discrete Laplace noise, int64."""
        if self._draw is not None:
            return values + self._draw(values.shape).astype(np.int64)
        return self._source("laplace", values, scale).laplace_added_to(values, scale)

    def _source(self, law: str, values: np.ndarray, size: float) -> SeededNoise:
        # Nine digits: the size is computed, and its last digits differ between processors.
        about = f"{self._seed} {law} {size:.9g} {values.shape}"
        self._drawn[about] += 1
        digest = hashlib.sha256(f"{about} {self._drawn[about]}".encode()).digest()
        return SeededNoise(np.random.default_rng(int.from_bytes(digest[:16], "big")))
