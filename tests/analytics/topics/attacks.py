"""The strongest membership attack on a whole report: it knows everything but the noise.

The attacker knows every respondent's bag, the canary's too, and sees every release before it is
summed up in a report. What a canary adds to each release, given the earlier ones, is then known,
and the best test there is (Neyman and Pearson) compares likelihoods. The score is the logarithm of
their ratio for normal noise of the same widths.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from analytics.privacy.mechanisms import SeededNoise
from analytics.privacy.quantisation import GRID
from analytics.text.bags import Bags

T = TypeVar("T")


class Watched:
    """Partitions with or without a canary, and the attacker's view of the noise added to them."""

    is_private = False

    def __init__(
        self, others: Bags, canary: Bags, *, takes_part: bool, seed: int, narrower: float = 1.0
    ) -> None:
        self.others, self.canary, self.takes_part = others, canary, takes_part
        self.narrower = narrower
        self.score, self.moved = 0.0, 0.0
        self._noise = SeededNoise(np.random.default_rng(seed))
        self._expected: deque[np.ndarray] = deque()

    def map(self, function: Callable[[Bags], T]) -> Iterator[T]:
        """What the canary would add is noted whether or not it takes part."""
        everybody, alone = function(self.others), function(self.canary)
        self._expected.extend(additions(everybody, alone))
        yield everybody
        if self.takes_part:
            yield alone

    def added_to(self, values: np.ndarray, lattice_sd: float) -> np.ndarray:
        """Noise ``narrower`` than asked; its place in the likelihoods is added to the score."""
        sd = lattice_sd / self.narrower
        noisy = self._noise.added_to(values, sd)
        added = self._expected.popleft()
        assert added.shape == values.shape
        without = values - added if self.takes_part else values
        midpoint = added.astype(float) / 2
        self.score += float(((noisy - without - midpoint) * added).sum()) / sd**2
        self.moved += float((added.astype(float) ** 2).sum()) / sd**2
        return noisy


def additions(everybody: Any, alone: Any) -> Iterator[np.ndarray]:
    """The canary's part of each block of noise that a statistic will get, in their order."""
    if isinstance(everybody, Counter):
        assert set(alone) <= set(everybody), "the canary's own words are the threshold's affair"
        yield np.array([*(alone[word] for word in sorted(everybody)), 0], dtype=np.int64)
    elif isinstance(everybody, tuple):
        for ours, theirs in zip(everybody, alone, strict=True):
            yield from additions(ours, theirs)
    elif isinstance(everybody, np.ndarray) and everybody.ndim == 1:
        yield alone * GRID
    elif isinstance(everybody, np.ndarray) and np.array_equal(everybody, everybody.T):
        yield alone.diagonal()
        rows, columns = np.triu_indices(len(alone), 1)
        if rows.size:
            yield alone[rows, columns]
    elif isinstance(everybody, np.ndarray):
        yield alone
