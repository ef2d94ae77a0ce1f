"""Stages: how people came into a sample, step by step, and the covariance of what they add up to.

With Z_u the sum of z over the people of unit u, m_h of M_h units drawn in stratum h by a simple
random sample, and f_h = m_h / M_h (0 where M_h is not known: as if drawn with replacement),

    V = sum over h of (1 - f_h) m_h / (m_h - 1) * sum over u of (Z_u - mean Z)(Z_u - mean Z)'
        + sum over u of f_h V_u,

V_u the same for what was drawn within unit u at the next stage. Source: Sarndal, Swensson and
Wretman (1992), result 4.3.1, for values z that are divided by the probabilities of all stages.
These are the numbers of ``svydesign`` and ``svyrecvar`` of the R package survey, but for a single
unit that was chosen for certain: its f is 1, so that later stages within it count, which R leaves
out. They take z as known of each person: what a device adds where all were asked is
``SurveySample``'s to put back.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import FloatArray, checked_float
from ..columns import checked_column, checked_labels, refuse_where, require_distinct
from ..errors import WeightsError
from .linearised import IntArray, SamplingUnits

REFUSED, CERTAIN, CENTRED = "refuse", "certain", "centre"
SINGLE_UNITS = (REFUSED, CERTAIN, CENTRED)
_LARGEST_POPULATION = 1e15  # as no sample draws one among more: see ``SMALLEST_INCLUSION``
Population = float | int | Mapping[Any, float] | ArrayLike


@dataclass(frozen=True, eq=False)
class Stage:
    """What was drawn within the units of the stage before.

    ``clusters``, ``strata``: one label per person; without clusters people were drawn, without
    strata each unit of the stage before is one. ``population``: how many units there are in the
    stratum from which a person's unit was drawn: one number, one per person, or one per label.
    """

    clusters: ArrayLike | None = None
    strata: ArrayLike | None = None
    population: Population | None = None


@dataclass(frozen=True, eq=False)
class DrawnStage:
    """The units of one stage, and how much of the variance is theirs.

    ``fractions``: f of each stratum, from 0 to 1. ``reach``: the product of the fractions of the
    stages before it, of each stratum; 1 at the first stage.
    """

    units: SamplingUnits
    fractions: FloatArray
    reach: FloatArray
    single_units: str = REFUSED

    @property
    def fraction_of_people(self) -> FloatArray:
        """f of the stratum of each person, (n,)."""
        return np.asarray(self.fractions[self.units.strata[self.units.numbers]])

    def covariance(self, z: FloatArray) -> FloatArray:
        """The part of V of this stage for z of shape (n, k): shape (k, k)."""
        units, sizes = self.units, self.units.sizes
        sums = sums_by(units.numbers, z, len(units.strata))
        means = sums_by(units.strata, sums, len(sizes)) / sizes[:, None]
        single = sizes == 1
        if self.single_units == CENTRED:  # about 0, the mean over all units of what is estimated
            means[single] = 0.0
        # Of a single unit that is not centred, the deviation from itself is 0.
        growth = np.where(single, 1.0, sizes / np.maximum(sizes - 1, 1))
        scale = self.reach * (1 - self.fractions) * growth
        deviations = sums - means[units.strata]
        return np.asarray(deviations.T @ (deviations * scale[units.strata, None]))

    def degrees_within(self, members: NDArray[np.bool_]) -> int:
        """Units with members less strata with members; ``members``: shape (n,)."""
        units = np.unique(self.units.numbers[members])
        return len(units) - len(np.unique(self.units.strata[units]))


def drawn_stages(n: int, stages: Sequence[Stage], single_units: str) -> tuple[DrawnStage, ...]:
    """All stages of n people, each within the one before. Raises WeightsError."""
    if not isinstance(single_units, str) or single_units not in SINGLE_UNITS:
        raise WeightsError("single_units", single_units, f"choose one of {', '.join(SINGLE_UNITS)}")
    return tuple(_drawn(n, stages, single_units))


def sums_by(groups: IntArray, values: FloatArray, count: int) -> FloatArray:
    """Sums of the rows of ``values`` (n, k) by their group, shape (count, k)."""
    columns = [np.bincount(groups, weights=column, minlength=count) for column in values.T]
    return np.column_stack(columns) if columns else np.zeros((count, 0))


def _drawn(n: int, stages: Sequence[Stage], single_units: str) -> Iterator[DrawnStage]:
    within, reach = np.zeros(n, dtype=np.int64), np.ones(1)  # of each unit of the stage before
    for number, stage in enumerate(stages):
        suffix = f" of stage {number + 1}" if len(stages) > 1 else ""
        strata = within if stage.strata is None else _joined(n, within, stage.strata, "strata")
        strata = np.unique(strata, return_inverse=True)[1]
        clusters = np.arange(n)
        if stage.clusters is not None:
            clusters = _joined(n, strata, stage.clusters, "clusters")
        _, first, numbers = np.unique(clusters, return_index=True, return_inverse=True)
        units = SamplingUnits(numbers, strata[first])
        fractions = _fractions(units, stage, strata, suffix)
        if single_units == CERTAIN and stage.population is None:
            fractions = np.where(units.sizes == 1, 1.0, fractions)
        members = np.unique(strata, return_index=True)[1]  # a person of each stratum
        drawn = DrawnStage(units, fractions, reach[within[members]], single_units)
        _require_several(drawn, suffix)
        yield drawn
        within, reach = numbers, reach[within[first]] * fractions[units.strata]


def _joined(n: int, outer: IntArray, labels: ArrayLike, argument: str) -> IntArray:
    """Numbers that tell labels apart that stand in different outer groups."""
    inner = np.unique(checked_labels(argument, labels, n), return_inverse=True)[1]
    return np.asarray(outer * (int(inner.max()) + 1) + inner)


def _fractions(units: SamplingUnits, stage: Stage, strata: IntArray, suffix: str) -> FloatArray:
    """f of each stratum; 0 where the population is not known."""
    sizes = units.sizes
    if stage.population is None:
        return np.zeros(len(sizes))
    argument = f"population{suffix}"
    people = _populations(argument, stage.population, stage.strata, len(strata))
    least, most = np.full(len(sizes), np.inf), np.zeros(len(sizes))
    np.minimum.at(least, strata, people)
    np.maximum.at(most, strata, people)
    differs = least[strata] != most[strata]
    refuse_where(argument, people, differs, "a stratum has one population", WeightsError)
    if (least < sizes).any():
        first = int(np.argmax(least < sizes))
        count = int(sizes[first])
        remedy = f"{count} units of this stratum are in the sample: give how many there are in all"
        raise WeightsError(argument, float(least[first]), remedy)
    return np.asarray(sizes / least)


def _populations(
    argument: str, population: Population, strata: ArrayLike | None, n: int
) -> FloatArray:
    """How many units there are in the stratum of each person, (n,), above 0."""
    if isinstance(population, Mapping):
        return _by_label(argument, population, strata, n)
    if isinstance(population, Real):
        column = np.full(n, checked_float(argument, population, WeightsError))
    else:
        column = checked_column(argument, population, WeightsError, n)
    return _counted(argument, column)


def _by_label(
    argument: str, sizes: Mapping[Any, float], strata: ArrayLike | None, n: int
) -> FloatArray:
    if strata is None:
        raise WeightsError(argument, dict(sizes), "there are no strata: give one number")
    labels = checked_labels("strata", strata, n).tolist()
    for label in labels:
        if label not in sizes:
            raise WeightsError(argument, label, "this stratum needs a known population")
    require_distinct(argument, sizes)
    by_label = {
        label: checked_float(f"{argument}[{label!r}]", size, WeightsError)
        for label, size in sizes.items()
    }
    return _counted(argument, np.array([by_label[label] for label in labels]))


def _counted(argument: str, column: FloatArray) -> FloatArray:
    bad = ~((column > 0) & (column <= _LARGEST_POPULATION))
    remedy = f"a population is above 0, and at most {_LARGEST_POPULATION:g}"
    refuse_where(argument, column, bad, remedy, WeightsError)
    return column


def _require_several(stage: DrawnStage, suffix: str) -> None:
    """Refuse a single unit whose stratum adds to the variance, unless the caller says how."""
    lonely = (stage.units.sizes < 2) & (stage.reach * (1 - stage.fractions) > 0)
    if stage.single_units == REFUSED and lonely.any():
        people = np.flatnonzero(lonely[stage.units.strata[stage.units.numbers]])
        argument = f"the stratum{suffix} of person {int(people[0])}"
        remedy = (
            "a variance needs two units or more: merge strata, or give single_units='certain' or "
            "'centre'"
        )
        raise WeightsError(argument, "1 unit", remedy)
