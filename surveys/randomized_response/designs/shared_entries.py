"""SharedEntries: a table of numbers by its different entries, of which k^2 places often hold two.

A fraction costs a thousand times what a float does, so each is worked on once, and not once for
each place.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..checks import FloatArray

# Above this many different entries to a column there is little to share.
FEW = 64
N = TypeVar("N", bound=Fraction | float)
M = TypeVar("M", bound=Fraction | float)


@dataclass(frozen=True, eq=False)
class SharedEntries(Generic[N]):
    """``values`` are different objects; ``places[row, column]`` says which stands where.

    Equal numbers that are two objects are two entries: comparing them all would cost more than it
    saves.
    """

    values: Sequence[N]
    places: NDArray[np.intp]

    @classmethod
    def of(cls, rows: Sequence[Sequence[N]]) -> Self:
        """Of a rectangular table."""
        entries = list(chain.from_iterable(rows))
        ids = list(map(id, entries))
        values = dict(zip(ids, entries, strict=True))
        numbers = {number: n for n, number in enumerate(values)}
        places = np.fromiter(map(numbers.__getitem__, ids), np.intp, len(ids))
        return cls(list(values.values()), places.reshape(len(rows), -1))

    @property
    def transposed(self) -> "SharedEntries[N]":
        """With rows and columns exchanged."""
        return SharedEntries(self.values, self.places.T)

    @property
    def matrix(self) -> FloatArray:
        """As floats."""
        return np.array([float(value) for value in self.values])[self.places]

    def checked(self, check: Callable[[int, int, Any], M]) -> "SharedEntries[M]":
        """With what ``check`` makes of each different entry, from its first row and column."""
        # Of several numbers that are put into one place the last stays: backwards, the first.
        first, all_places = np.empty(len(self.values), dtype=np.intp), self.places.ravel()
        first[all_places[::-1]] = np.arange(all_places.size)[::-1]
        rows, columns = (found.tolist() for found in np.divmod(first, self.places.shape[1]))
        return self.holding(list(map(check, rows, columns, self.values)))

    def holding(self, values: Sequence[M]) -> "SharedEntries[M]":
        """The same table with other values in the places of these."""
        return SharedEntries(values, self.places)

    def rows(self) -> tuple[tuple[N, ...], ...]:
        """The table itself, each entry the same object wherever it stands."""
        objects = np.empty(len(self.values), dtype=object)
        objects[:] = self.values
        return tuple(map(tuple, objects[self.places].tolist()))

    def different_rows(self) -> Iterator[tuple[int, list[tuple[N, int]]]]:
        """The number of each row whose entries are not, in some order, those of one before it.

        With it come the different entries of the row, each with how often it stands there.
        """
        if len(self.values) > FEW:
            for number, row in enumerate(self.places):
                which, times = np.unique(row, return_counts=True)
                yield number, self._counted(which, times)
            return
        size = len(self.values)
        times = np.stack([np.count_nonzero(self.places == n, axis=1) for n in range(size)], axis=1)
        _, first = np.unique(times, axis=0, return_index=True)
        for number in sorted(first.tolist()):
            (which,) = times[number].nonzero()
            yield number, self._counted(which, times[number][which])

    def largest_in_rows(self) -> NDArray[np.intp]:
        """Where the largest entry of each row stands; the first of several."""
        return np.array([self._largest_in(row) for row in self.places])

    def _largest_in(self, row: NDArray[np.intp]) -> int:
        numbers = np.unique(row).tolist()
        largest = max(self.values[n] for n in numbers)
        same = [n for n in numbers if self.values[n] == largest]
        return int(np.isin(row, same).argmax())

    def _counted(self, which: NDArray[np.intp], times: NDArray[np.intp]) -> list[tuple[N, int]]:
        pairs = zip(which.tolist(), times.tolist(), strict=True)
        return [(self.values[n], count) for n, count in pairs]
