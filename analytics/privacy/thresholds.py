"""The threshold above which a noisy word count may be published.

A word that only one respondent wrote must not come out. A respondent with t such words adds at most
1/sqrt(t) to each; with noise sigma the chance that any of them is above tau is at most
1 - Phi((tau - 1/sqrt(t)) / sigma)^t, which is delta at

    tau(t) = 1/sqrt(t) + sigma Phi^{-1}((1 - delta)^(1/t)),

and the threshold is the largest over t = 1..L0 (Gopi et al. 2020, Differentially private set union,
theorem 5.1, for continuous noise). On the lattice a published count
is an integer at least half a unit above it (section 5 of docs/privacy-proofs.md).
"""

import math

import numpy as np
import scipy

from analytics.privacy.checks import checked_count, checked_delta, checked_positive
from analytics.privacy.errors import NoiseError

# The proof for the lattice needs the threshold to lie at least sigma + 1 above the count.
_LARGEST_LATTICE_DELTA = 0.01
_MOST_WORDS = 10**6


def weighted_threshold(sigma: float, delta: float, most_words: int, unit: float = 1.0) -> float:
    """tau for continuous noise: max over t <= most_words of unit/sqrt(t) + sigma Phi^{-1}(...).

    ``unit`` is what a respondent with one word adds; ``sigma`` is in the same units. ``most_words``
    is L0, the words kept per respondent, at most a million. Raises NoiseError.
    """
    sd, unit = (
        checked_positive("sigma", sigma, NoiseError),
        checked_positive("unit", unit, NoiseError),
    )
    chance, most = checked_delta("delta", delta, NoiseError), _checked_words(most_words)
    words = np.arange(1, most + 1)
    # 1 - (1 - delta)^(1/t), without the cancellation.
    tails = -np.expm1(math.log1p(-chance) / words)
    return float(np.max(unit / np.sqrt(words) - sd * scipy.special.ndtri(tails)))


def lattice_threshold(lattice_sd: float, delta: float, most_words: int, unit: int) -> int:
    """The count that a word must exceed, in lattice units, with discrete Gaussian noise.

    ``unit`` is what a respondent with one word adds (``quantisation.GRID``); ``delta`` is at most
    0.01. Raises NoiseError.
    """
    if checked_delta("delta", delta, NoiseError) > _LARGEST_LATTICE_DELTA:
        raise NoiseError("delta", delta, "give a threshold delta of at most 0.01")
    return math.ceil(weighted_threshold(lattice_sd, delta, most_words, unit) - 0.5)


def _checked_words(value: object) -> int:
    most = checked_count("most_words", value, NoiseError)
    if most > _MOST_WORDS:
        raise NoiseError("most_words", value, f"keep at most {_MOST_WORDS:,} words per respondent")
    return most
