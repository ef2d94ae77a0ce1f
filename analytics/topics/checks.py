"""TopicsError, and validation: every refusal names the argument, its value and a remedy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surveys.randomized_response.checks import checked_number, checked_whole_number
from surveys.randomized_response.errors import StatisticsError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
MOST_TOPICS = 100
# Pairs of these are a dense matrix: 200 MB, and a noise draw for each of 12 million pairs.
MOST_WORDS_USED = 5_000


class TopicsError(StatisticsError):
    """Topics that these answers, or these settings, cannot give."""


def checked_topics(value: object, most: int = MOST_TOPICS) -> int:
    """A number of topics between 1 and ``most``."""
    number = checked_whole_number("topics", value, TopicsError)
    if not 1 <= number <= most:
        raise TopicsError("topics", value, f"ask for 1 to {most} topics")
    return number


def checked_most_used(value: object) -> int:
    """A number of words whose pairs fit a dense matrix."""
    number = checked_whole_number("most_used", value, TopicsError)
    if not 1 <= number <= MOST_WORDS_USED:
        raise TopicsError("most_used", value, f"use 1 to {MOST_WORDS_USED:,} words")
    return number


def check_length(words: int, most_used: int) -> None:
    """Raises TopicsError for a public vocabulary that is longer than ``most_used``."""
    if words > most_used:
        remedy = f"list at most {most_used:,} words (most_used)"
        raise TopicsError("vocabulary", f"{words:,} words", remedy)


def checked_vectors(vectors: Any) -> sparse.csr_array:
    """Respondents x words: finite, non-negative, with at least one positive entry; CSR float64."""
    matrix = sparse.csr_array(vectors, dtype=np.float64)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise TopicsError("vectors", matrix.shape, "give one row a respondent, one column a word")
    if not np.isfinite(matrix.data).all() or (matrix.data < 0).any():
        raise TopicsError("vectors", matrix.shape, "give finite weights of 0 or more")
    if not (matrix.data > 0).any():
        raise TopicsError("vectors", matrix.shape, "no respondent wrote a word that counts")
    return matrix


def checked_positive(argument: str, value: object) -> float:
    """A finite number above 0."""
    number = float(checked_number(argument, value, TopicsError))
    if number <= 0:
        raise TopicsError(argument, value, "give a number above 0")
    return number
