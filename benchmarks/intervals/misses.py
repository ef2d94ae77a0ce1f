"""Which of many intervals miss the truth, when few of them are computed.

From the truth outwards, intervals hold and farther out they miss. Where this turns is looked for
from the far end; around it intervals are computed until ALIKE in a row hold, inwards, and as many
miss, outwards. Those beyond are taken to do the same. Then some that were drawn at random FAR from
the truth are computed: if one does not do what it is taken to do, four times as many have to be
alike, and in the end all. About a third is far: if one in two hundred is not what it is taken for,
this is overlooked with a chance of 5 %.
"""

from collections.abc import Callable, Iterator

import numpy as np

from surveys.randomized_response.checks import FloatArray

# Whether the interval of each of these counts, (rows, kinds), holds the truth: (rows,).
Covers = Callable[[np.ndarray], np.ndarray]
ALIKE = 12
# In standard errors of the estimate; and how many of those are computed.
FAR, RANDOM = 1, 200


def missing(
    rows: np.ndarray, distances: FloatArray, covers: Covers, random: int = RANDOM
) -> np.ndarray:
    """Which rows of counts, in the order in which they were drawn, miss: (rows,).

    ``distances``: of the estimates from the truth, in standard errors, signed; not a number where
    there is none.
    """
    some = np.flatnonzero(np.abs(distances) >= FAR)[:random]
    true = ~covers(rows[some])
    for alike in _lengths(len(rows)):
        missed = _missing(rows, distances, covers, alike)
        if (missed[some] == true).all():
            break
    return missed


def _lengths(rows: int) -> Iterator[int]:
    alike = ALIKE
    while alike < rows:
        yield alike
        alike *= 4
    yield rows


def _missing(rows: np.ndarray, distances: FloatArray, covers: Covers, alike: int) -> np.ndarray:
    missed = np.zeros(len(rows), dtype=bool)
    unknown = np.isnan(distances)
    if unknown.any():
        missed[unknown] = ~covers(rows[unknown])
    for side in (1, -1):
        places = np.flatnonzero(side * distances >= 0)
        outwards = places[np.argsort(side * distances[places], kind="stable")]
        missed[outwards] = _misses_outwards(_OneByOne(rows[outwards], covers), alike)
    return missed


class _OneByOne:
    """Rows from the truth outwards: whether each misses."""

    def __init__(self, rows: np.ndarray, covers: Covers) -> None:
        self._rows, self._covers = rows, covers

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: int) -> bool:
        return not self._covers(self._rows[place : place + 1])[0]


def _misses_outwards(misses: _OneByOne, alike: int) -> np.ndarray:
    turn = _turn(misses)
    missed = np.arange(len(misses)) >= turn
    for way, at_end in ((range(turn - 1, -1, -1), False), (range(turn, len(misses)), True)):
        in_a_row = 0
        for place in way:
            missed[place] = misses[place]
            in_a_row = in_a_row + 1 if missed[place] == at_end else 0
            if in_a_row == alike:
                break
    return missed


def _turn(misses: _OneByOne) -> int:
    """The place of a row that misses next to one that holds; that of the end where none misses."""
    holds, miss, step = len(misses) - 1, len(misses), 1
    while holds >= 0 and misses[holds]:
        holds, miss, step = max(holds - step, -1), holds, 2 * step
    while miss - holds > 1:
        middle = (holds + miss) // 2
        holds, miss = (holds, middle) if misses[middle] else (middle, miss)
    return miss
