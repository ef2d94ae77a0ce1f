"""SharedEntries: a table of numbers by its different entries, of which k^2 places often hold two.

A fraction costs a thousand times what a float does, so each is worked on once, and not once for
each place.
"""

from collections import Counter
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
SMALL = 100  # entries: so few are counted sooner one by one than by arrays
N = TypeVar("N", bound=Fraction | float)
M = TypeVar("M", bound=Fraction | float)


@dataclass(frozen=True, eq=False)
class SharedEntries(Generic[N]):
    """``values`` are different objects; ``positions[row, column]`` says which stands where.

    Equal numbers that are two objects are two entries: comparing them all would cost more than it
    saves.
    """

    values: Sequence[N]
    positions: NDArray[np.intp]

    @classmethod
    def of(cls, rows: Sequence[Sequence[N]]) -> Self:
        """Of a rectangular table."""
        entries = list(chain.from_iterable(rows))
        ids = list(map(id, entries))
        values = dict(zip(ids, entries, strict=True))
        numbers = {number: n for n, number in enumerate(values)}
        positions = np.fromiter(map(numbers.__getitem__, ids), np.intp, len(ids))
        return cls(list(values.values()), positions.reshape(len(rows), -1))

    @property
    def transposed(self) -> "SharedEntries[N]":
        """With rows and columns exchanged."""
        return SharedEntries(self.values, self.positions.T)

    @property
    def matrix(self) -> FloatArray:
        """As floats."""
        return np.array([float(value) for value in self.values])[self.positions]

    def checked(self, check: Callable[[int, int, Any], M]) -> "SharedEntries[M]":
        """With what ``check`` makes of each different entry, from its first row and column."""
        # Backwards, so that of the positions of an entry the first one stays.
        flat = self.positions.ravel().tolist()[::-1]
        first = dict(zip(flat, range(len(flat) - 1, -1, -1), strict=True))
        width = self.positions.shape[1]
        cells = (divmod(first[n], width) for n in range(len(self.values)))
        entries = zip(cells, self.values, strict=True)
        return self.holding([check(row, column, value) for (row, column), value in entries])

    def holding(self, values: Sequence[M]) -> "SharedEntries[M]":
        """The same table with other values in the positions of these."""
        return SharedEntries(values, self.positions)

    def rows(self) -> tuple[tuple[N, ...], ...]:
        """The table itself, each entry the same object wherever it stands."""
        objects = np.empty(len(self.values), dtype=object)
        objects[:] = self.values
        return tuple(map(tuple, objects[self.positions].tolist()))

    def different_rows(self) -> Iterator[tuple[int, list[tuple[N, int]]]]:
        """The numbers of rows such that each other one has the same entries in another order.

        With a number come the different entries of the row, each with how often it stands there.
        Of a small table, and where there is little to share, they are those of all rows.
        """
        if len(self.values) > FEW or self.positions.size <= SMALL:
            for number, row in enumerate(self.positions.tolist()):
                yield number, [(self.values[n], times) for n, times in Counter(row).items()]
            return
        size = len(self.values)
        counts = [np.count_nonzero(self.positions == n, axis=1) for n in range(size)]
        times = np.stack(counts, axis=1)
        _, first = np.unique(times, axis=0, return_index=True)
        for number in sorted(first.tolist()):
            counted = zip(self.values, times[number].tolist(), strict=True)
            yield number, [(value, count) for value, count in counted if count]

    def largest_in_rows(self) -> NDArray[np.intp]:
        """Where the largest entry of each row stands; the first of several."""
        return np.array([self._largest_in(row) for row in self.positions])

    def _largest_in(self, row: NDArray[np.intp]) -> int:
        numbers = np.unique(row).tolist()
        largest = max(self.values[n] for n in numbers)
        same = [n for n in numbers if self.values[n] == largest]
        return int(np.isin(row, same).argmax())
