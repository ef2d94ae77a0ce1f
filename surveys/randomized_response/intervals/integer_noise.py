"""SummedNoise: how far a count is off to which several people each added discrete Gaussian noise.

Source: Canonne, Kamath and Steinke (2020), "The discrete Gaussian for differential privacy": its
variance is at most sigma squared, and its tails are at most those of a normal law. The law of the
sum is worked out by a Fourier transform on a grid of twelve deviations to each side; where that
would be large, the normal law with half a person as continuity correction replaces it.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..checks import FloatArray, checked_number
from ..errors import EstimationError
from ..messages import sentence

REACH = 12  # deviations; beyond them lies less than 10^-31
LARGEST_EXACT = 1_000.0  # deviations of the sum: above, the normal law is off by less than 10^-6


@dataclass(frozen=True)
class SummedNoise:
    """The sum of ``draws`` independent numbers k with probability ~ exp(-k^2 / 2 sigma^2).

    Two people's noise of deviation 4: a count is off by at most 11 with probability .958.

    >>> noise = SummedNoise(4.0, 2)
    >>> noise.half_width(0.95), round(noise.coverage(11), 3)
    (11, 0.958)

    Raises EstimationError for a deviation that is not above 0, or no draws.
    """

    sigma: float
    draws: int

    def __post_init__(self) -> None:
        if not checked_number("sigma", self.sigma, EstimationError) > 0:
            raise EstimationError("sigma", self.sigma, sentence("give a deviation above 0"))
        if self.draws < 1:
            raise EstimationError("draws", self.draws, sentence("give at least one draw"))

    @property
    def sd(self) -> float:
        """The deviation that is stated of the sum: never below its true one.

        >>> SummedNoise(4.0, 4).sd
        8.0
        """
        return self.sigma * math.sqrt(self.draws)

    def coverage(self, half_width: int) -> float:
        """The probability that the sum is at most so far from 0.

        >>> SummedNoise(0.1, 1).coverage(0)
        1.0
        """
        if self.sd > LARGEST_EXACT:
            return math.erf((half_width + 0.5) / self.sd / math.sqrt(2))
        within = _within(self.sigma, self.draws)
        return float(within[min(half_width, len(within) - 1)])

    def half_width(self, level: float) -> int:
        """The least whole number within which the sum is with at least this probability.

        >>> SummedNoise(1.0, 1).half_width(0.95)
        2
        """
        if self.sd <= LARGEST_EXACT:
            return int(np.argmax(_within(self.sigma, self.draws) >= level))
        low, high = 0, math.ceil(REACH * self.sd)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.coverage(middle) >= level else (middle + 1, high)
        return low


@lru_cache(maxsize=256)
def _within(sigma: float, draws: int) -> FloatArray:
    """The probability of at most 0, 1, 2 ... from 0."""
    reach = math.ceil(REACH * sigma * math.sqrt(draws)) + REACH
    size = 1 << (2 * reach + 1).bit_length()
    distances = np.minimum(np.arange(size), size - np.arange(size)).astype(float)
    weights = np.exp(-(distances**2) / (2 * sigma**2))
    law = np.fft.irfft(np.fft.rfft(weights / weights.sum()) ** draws, size)[: reach + 1]
    law = np.maximum(law, 0.0)
    within: FloatArray = np.minimum(np.cumsum(law) + np.cumsum(law) - law[0], 1.0)
    return within
