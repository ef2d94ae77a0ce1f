"""Family: one way to show a number, and Shown: its intervals, each computed once."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from benchmarks.intervals.situations import Counts, Situation, Statistic
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.intervals import Interval

Ends = tuple[float, float]
Once = Callable[[Counts], Interval | Ends | None]
# Counts, and the number planned: of each group where there are several.
Live = Callable[[Counts, int], Interval | Ends | None]
# An end that is off by less is off by the rounding of an inverse.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Family:
    """``at``: the situation at a share; ``statistic``: the estimate, for Wald's interval.

    ``once`` and ``live`` are what is shown, ``live`` None where no page is watched. ``people``: in
    each unit that is drawn, a person or a cluster.
    """

    name: str
    kind: str
    at: Callable[[float], Situation]
    statistic: Statistic
    once: Once
    live: Live | None = None
    is_guaranteed: bool = False
    people: int = 1


@dataclass
class Shown:
    """The ends of the interval for each row of counts; not a number where none is shown."""

    interval: Once
    known: dict[Counts, Ends] = field(default_factory=dict)

    def ends(self, rows: np.ndarray) -> np.ndarray:
        """Of counts (rows, kinds): (rows, 2)."""
        return np.array([self._ends(tuple(row)) for row in rows.tolist()]).reshape(-1, 2)

    def covers(self, rows: np.ndarray, truth: float) -> np.ndarray:
        """Whether each holds the truth; one that is not shown misses nothing: (rows,)."""
        low, high = self.ends(rows).T
        return ~((low > truth + _ROUNDING) | (high < truth - _ROUNDING))

    def _ends(self, counts: Counts) -> Ends:
        if counts not in self.known:
            self.known[counts] = _shown(self.interval, counts)
        return self.known[counts]


def _shown(interval: Once, counts: Counts) -> Ends:
    try:
        found = interval(counts)
    except StatisticsError:
        return np.nan, np.nan
    if found is None:
        return np.nan, np.nan
    return (found.low, found.high) if isinstance(found, Interval) else found
