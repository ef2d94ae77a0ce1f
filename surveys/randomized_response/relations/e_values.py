"""Which of several e-values are called, so that few of those that are called are false."""

from collections.abc import Sequence

import numpy as np

from ..checks import checked_level
from ..columns import checked_floats
from ..errors import EstimationError


def e_benjamini_hochberg(evidence: Sequence[float], level: float = 0.95) -> tuple[bool, ...]:
    """Whether each of m e-values is called: of those that are, at most 1 - level are false.

    That is on average over surveys (the false discovery rate), however they depend on each other.
    With the k-th largest called where it is at least m / (k (1 - level)), all above the last of
    these are.
    An e-value is not negative and at most 1 on average if nothing is there; those of
    ``evidence_of_difference`` are so at every look, and a survey may be stopped at any. If nothing
    is there at all, anything is called, ever, with at most the probability 1 - level.

    Source: Wang and Ramdas (2022), after Benjamini and Hochberg (1995). ``evidence`` has shape
    (m,). Raises EstimationError.

    >>> from randomized_response.relations import e_benjamini_hochberg
    >>> e_benjamini_hochberg([80.0, 35.0, 1.2, 0.1])
    (True, False, False, False)
    >>> e_benjamini_hochberg([80.0, 45.0, 1.2, 0.1])
    (True, True, False, False)
    """
    failure = 1 - checked_level(level)
    values = checked_floats("evidence", evidence, EstimationError)
    if values.ndim != 1 or not np.all(values >= 0):  # not a number is refused too
        raise EstimationError("evidence", evidence, "give one number of 0 or more for each pair")
    m = len(values)
    ranks = np.arange(1, m + 1)
    kept = np.flatnonzero(np.sort(values)[::-1] >= m / (ranks * failure))
    called = int(kept[-1]) + 1 if len(kept) else 0
    return tuple(bool(is_called) for is_called in values >= m / (max(called, 1) * failure))
