"""Draw reports from a channel with random words, word for word as a browser does.

A 32-bit word is accepted if it is below the largest multiple of the denominator D that fits in
2^32; then ``u = word % D`` is exactly uniform on [0, D) and the report is the first level whose
cumulative weight exceeds u. See docs/statistics.md for the proof.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import checked_between, require_generator, require_kind
from ..columns import checked_column
from ..designs.channel import IntegerChannel
from ..designs.design import DesignLike, integer_channel_of
from ..designs.words import WORDS, acceptance_bound, checked_word
from ..errors import SamplingError


def draw_from_words(design: DesignLike, true_level: int, words: Iterable[int]) -> tuple[int, int]:
    """(reported level, number of words used) for a stream of uniform 32-bit words.

    Raises SamplingError if a word is outside [0, 2^32), the level is unknown, or the words run out;
    DesignError for what is no design.

    >>> from randomized_response.designs import TwoCoins
    >>> from randomized_response.drawing import draw_from_words
    >>> draw_from_words(TwoCoins(2), true_level=1, words=[8, 3])
    (0, 1)
    """
    channel = integer_channel_of(design)
    weights = channel.weights[_checked_level(channel, true_level)]
    bound = acceptance_bound(channel.denominator)
    used = 0
    require_kind("words", words, Iterable, "give 32-bit words, one after the other", SamplingError)
    for used, word in enumerate(words, start=1):
        if checked_word(word) < bound:
            rest = word % channel.denominator
            return next(y for y, total in enumerate(accumulate(weights)) if total > rest), used
    raise SamplingError("words", used, "every word was rejected: supply more random words")


def draw_reports(
    design: DesignLike,
    true_levels: Sequence[int] | NDArray[Any],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """One report for each true level: integer array of the shape (n,).

    Raises SamplingError, and DesignError for what is no design.

    >>> import numpy as np
    >>> from randomized_response.designs import Warner
    >>> from randomized_response.drawing import draw_reports
    >>> draw_reports(Warner(0.75), [0, 0, 0, 0, 1, 1, 1, 1], np.random.default_rng(1)).tolist()
    [0, 0, 1, 1, 0, 0, 1, 1]
    """
    channel = integer_channel_of(design)
    is_empty = hasattr(true_levels, "__len__") and len(true_levels) == 0
    levels = checked_column("true_levels", [0] if is_empty else true_levels, SamplingError)
    levels = levels[: 0 if is_empty else None]
    for level in np.unique(levels):
        _checked_level(channel, float(level))
    require_generator(rng)
    cumulative = np.cumsum(np.array(channel.weights, dtype=np.uint64), axis=1)
    thresholds = _uniform(channel.denominator, len(levels), rng)
    reached = thresholds[:, None] >= cumulative[levels.astype(np.int64)]
    return np.asarray(reached.sum(axis=1), dtype=np.int64)


def _uniform(denominator: int, size: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    bound = acceptance_bound(denominator)
    words = rng.integers(0, WORDS, size=size, dtype=np.uint64)
    # Fewer than half of the words are thrown away: some rounds are enough.
    while (rejected := words >= bound).any():
        words[rejected] = rng.integers(0, WORDS, size=int(rejected.sum()), dtype=np.uint64)
    return words % np.uint64(denominator)


def _checked_level(channel: IntegerChannel, true_level: float) -> int:
    last = len(channel.weights) - 1
    remedy = f"levels are numbered 0 to {last}"
    return checked_between("true_level", true_level, 0, last, remedy, SamplingError)
