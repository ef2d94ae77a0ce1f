"""Subsets: which of several questions one person is asked, all subsets of a size equally likely.

A browser draws by Fisher and Yates' shuffle, cut short (Durstenfeld 1964). A person throws a die:
each result is one of several, evenly; what was drawn before or stands for none is thrown again.
So each new one is even among those left, and the set of them is even among all sets of its size.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ..checks import checked_whole_number
from ..designs.words import WordStream
from ..errors import SamplingError

SIDES = 6


def draw_subset(size: int, count: int, words: Iterable[int]) -> frozenset[int]:
    """``count`` of the places 0..size - 1, word for word as a browser draws them.

    Raises SamplingError if there are not so many places, or if the words run out.

    >>> from randomized_response.drawing import draw_subset
    >>> sorted(draw_subset(5, 2, [9, 2]))
    [3, 4]
    """
    _check(size, count)
    stream, places = WordStream(words), list(range(size))
    for first in range(count):
        other = first + stream.below(size - first)
        places[first], places[other] = places[other], places[first]
    return frozenset(places[:count])


@dataclass(frozen=True)
class DieSubset:
    """How a person draws ``count`` of ``size`` places with a die.

    ``throws`` results side by side name a place, each of ``share`` of them the same one. If more
    than half of the places are asked, those that are left out are drawn: they are fewer.
    """

    size: int
    count: int

    def __post_init__(self) -> None:
        _check(self.size, self.count)

    @property
    def throws(self) -> int:
        """How often the die is thrown for one place: as often as there are enough results."""
        throws = 1
        while SIDES**throws < self.size:
            throws += 1
        return throws

    @property
    def share(self) -> int:
        """How many results name the same place."""
        return int(SIDES**self.throws // self.size)

    @property
    def leaves_out(self) -> bool:
        """Whether the places that are not asked are drawn."""
        return 2 * self.count > self.size

    @property
    def drawn(self) -> int:
        """How many places are drawn."""
        return self.size - self.count if self.leaves_out else self.count

    @property
    def expected_throws(self) -> Fraction:
        """How many throws of the die it takes on average."""
        results = SIDES**self.throws
        left = (Fraction(results, self.share * (self.size - i)) for i in range(self.drawn))
        return self.throws * sum(left, Fraction(0))

    def results(self, place: int) -> tuple[str, str]:
        """The first and the last result that name a place, as a person writes them.

        >>> from randomized_response.drawing import DieSubset
        >>> DieSubset(10, 3).results(0), DieSubset(10, 3).results(9)
        (('11', '13'), ('54', '56'))
        """
        first = place * self.share
        return self._written(first), self._written(first + self.share - 1)

    def place_of(self, result: str) -> int | None:
        """The place that a result names; None if the die is thrown again."""
        position = int("".join(str(int(side) - 1) for side in result), SIDES) // self.share
        return position if position < self.size else None

    def _written(self, number: int) -> str:
        sides = (number // SIDES**power % SIDES for power in reversed(range(self.throws)))
        return "".join(str(side + 1) for side in sides)


def _check(size: int, count: int) -> None:
    for argument, value in (("size", size), ("count", count)):
        checked_whole_number(argument, value, SamplingError)
    if not 0 < count < size:
        raise SamplingError("count", count, f"draw at least 1 and fewer than {size} of {size}")
