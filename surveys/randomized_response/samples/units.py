"""SamplingUnits: the primary sampling units of a sample, each in one stratum; checked."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns import checked_labels
from ..errors import WeightsError

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SamplingUnits:
    """``numbers``: the unit of each person, shape (n,). ``strata``: that of each unit, (units,)."""

    numbers: IntArray
    strata: IntArray

    @property
    def sizes(self) -> IntArray:
        """Units in each stratum, shape (strata,), all at least 2."""
        return np.bincount(self.strata)

    @property
    def are_people(self) -> bool:
        """Whether every person is a unit."""
        return len(self.strata) == len(self.numbers)

    @property
    def degrees_of_freedom(self) -> int:
        """Units less strata."""
        return len(self.strata) - len(self.sizes)


def sampling_units(
    n: int, strata: ArrayLike | None = None, clusters: ArrayLike | None = None
) -> SamplingUnits:
    """Units of n people: clusters within their strata, or single people without clusters.

    Raises WeightsError for labels that are missing, and for a stratum with a single unit.
    """
    names, places = np.array([0]), np.zeros(n, dtype=np.int64)
    if strata is not None:
        names, places = np.unique(checked_labels("strata", strata, n), return_inverse=True)
    made = SamplingUnits(np.arange(n), places)
    if clusters is not None:
        labels = np.unique(checked_labels("clusters", clusters, n), return_inverse=True)[1]
        found, numbers = np.unique(places * n + labels, return_inverse=True)
        made = SamplingUnits(numbers, found // n)
    if (lonely := np.flatnonzero(made.sizes < 2)).size:
        argument = "clusters" if strata is None else f"strata (stratum {names[lonely[0]]})"
        raise WeightsError(argument, 1, "a variance needs two units or more: merge strata")
    return made
