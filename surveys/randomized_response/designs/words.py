"""Uniform whole numbers below a bound from 32-bit words, as a browser draws them.

A word at or above the largest multiple of the bound that fits in 2^32 is thrown away; the
remainder of any other one is exactly uniform. See docs/statistics.md for the proof.
"""

from collections.abc import Iterable, Iterator

from ..checks import checked_between
from ..errors import SamplingError

WORDS = 2**32


def acceptance_bound(denominator: int) -> int:
    """Words at or above this bound are thrown away, so that every remainder is equally likely."""
    return WORDS // denominator * denominator


class WordStream:
    """A stream of 32-bit words that counts how many were used."""

    def __init__(self, words: Iterable[int]) -> None:
        self._words: Iterator[int] = iter(words)
        self.used = 0

    def below(self, bound: int) -> int:
        """A uniform whole number in [0, bound). Raises SamplingError when the words run out."""
        for word in self._words:
            self.used += 1
            if checked_word(word) < acceptance_bound(bound):
                return word % bound
        raise SamplingError("words", self.used, "the words ran out: supply more random words")


def checked_word(word: int) -> int:
    """A whole number in [0, 2^32). Raises SamplingError."""
    remedy = "a word is a whole number from 0 to 2^32 - 1"
    return checked_between("words", word, 0, WORDS - 1, remedy, SamplingError)
