"""SurveySample and ReplicatedSample: people with weights, and how sure what they say is.

A statistic t of the weights varies, to first order, like the total of z_i = w_i dt/dw_i: Woodruff
(1971), Deville (1999). Of a ``SurveySample`` that total has the covariance of ``stages``. After
``calibrate`` the total of what the margins explain does not vary, and z is made of residuals: see
``calibration``. A ``ReplicatedSample`` computes t for each set of replicate weights instead.

With finite populations a sample of all people has no variance, though its devices have theirs. In
V a report counts by 1 - phi_i, phi_i the product of the fractions of all stages; the sum over
people of phi_i (dt/dr_i)^2 V_R(r_i) puts the rest back, as in ``totals`` (Raj 1968).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..calls import checked_call
from ..checks import FloatArray, checked_entries, checked_whole_number
from ..columns import (
    LARGEST_WEIGHT,
    LEAST_WEIGHT,
    checked_column,
    refuse_where,
    require_aligned,
)
from ..errors import WeightsError
from ..labels import first_index, index_of
from ..printing import report
from .replicates import ReplicateWeights
from .stages import REFUSED, DrawnStage, Population, Stage, drawn_stages

_MOST_DEGREES = 10**9  # of which Student's law is the normal one
# Beside the largest singular value: replicates that a file writes in six digits differ by less.
_SMALL = 1e-5


class Smooth(Protocol):
    """A statistic of k numbers that is smooth in the weights (n,)."""

    def value(self, weights: FloatArray) -> FloatArray:
        """Shape (k,)."""
        ...

    def slope(self, weights: FloatArray) -> FloatArray:
        """Its derivative by the weight of each person, shape (n, k)."""
        ...


class Residuals(Protocol):
    """What is left of slopes (n, k) once margins are known."""

    def __call__(self, slopes: FloatArray) -> FloatArray: ...


def as_they_are(slopes: FloatArray) -> FloatArray:
    """Nothing is known of the population."""
    return slopes


@dataclass(frozen=True, eq=False)
class SurveySample:
    """People as they were drawn: ``weights`` (n,) and the ``stages`` of the draw.

    No weight is below 0 unless ``calibrate`` by "linear" without bounds has made it so.

    ``residuals``: what ``calibrate`` leaves of a slope. ``index``: the labels of the people, where
    their columns had any.
    """

    weights: FloatArray
    stages: tuple[DrawnStage, ...]
    residuals: Residuals = as_they_are
    index: Any | None = field(default=None, repr=False)

    @property
    def n(self) -> int:
        """People who have a weight."""
        return int(np.count_nonzero(self.weights))

    @property
    def degrees_of_freedom(self) -> int:
        """Units of the first stage less its strata."""
        return self.degrees_within(np.ones(len(self.weights), dtype=bool))

    @property
    def is_calibrated(self) -> bool:
        return self.residuals is not as_they_are

    def degrees_within(self, members: NDArray[np.bool_]) -> int:
        """The same of the units and strata in which there are ``members`` (n,)."""
        return self.stages[0].degrees_within(members & (self.weights != 0))

    def covariance(self, statistic: Smooth) -> FloatArray:
        """Of a statistic of k numbers, shape (k, k)."""
        slopes = self.residuals(statistic.slope(self.weights))
        z = slopes * self.weights[:, None]
        return np.asarray(sum(stage.covariance(z) for stage in self.stages))

    def fixed_parts(self) -> FloatArray:
        """phi, (n,): the part of a report's own variance that the covariance leaves out."""
        parts = np.ones(len(self.weights))
        for stage in self.stages:
            parts = parts * stage.fraction_of_people
        return parts

    def __str__(self) -> str:
        stages = (
            (str(i), len(s.units.strata), len(s.units.sizes)) for i, s in enumerate(self.stages, 1)
        )
        title = f"Sample, n = {self.n}, weights sum to {self.weights.sum():.6g}"
        return report(title, ("stage", "units", "strata"), stages)


@dataclass(frozen=True, eq=False)
class ReplicatedSample:
    """People with ``weights`` (n,) and replicate weights, as those who publish data hand them out.

    ``degrees_of_freedom``: the rank of the replicate weights less 1, unless it was given.
    """

    weights: FloatArray
    replicates: ReplicateWeights
    degrees_of_freedom: int
    is_calibrated: bool = False
    index: Any | None = field(default=None, repr=False)

    @property
    def n(self) -> int:
        """People who have a weight."""
        return int(np.count_nonzero(self.weights))

    def degrees_within(self, members: NDArray[np.bool_]) -> int:
        """Those of the whole sample, for groups too."""
        return self.degrees_of_freedom

    def covariance(self, statistic: Smooth) -> FloatArray:
        """Of a statistic of k numbers, shape (k, k)."""
        return self.replicates.covariance(statistic.value, self.weights)

    def fixed_parts(self) -> FloatArray:
        """0 for all, (n,): replicates vary as samples with replacement do."""
        return np.zeros(len(self.weights))

    def __str__(self) -> str:
        title = f"Sample, n = {self.n}, weights sum to {self.weights.sum():.6g}"
        row = (str(len(self.replicates.weights)), self.degrees_of_freedom)
        return report(title, ("replicates", "degrees of freedom"), [row])


Sample = SurveySample | ReplicatedSample


@checked_call
def survey_sample(
    weights: ArrayLike | None = None,
    *,
    strata: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    population: Population | None = None,
    stages: Sequence[Stage] = (),
    single_units: str = REFUSED,
) -> SurveySample:
    """How people came into a sample: what estimates of ``samples`` and regressions ask for.

    ``weights``: shape (n,), at least 0; without them each person stands for as many as the
    populations say. ``strata``, ``clusters``: one label per person; a cluster counts within its
    stratum. ``population``: how many units (clusters, or people without clusters) there are in the
    stratum: one number, one per person, or one per stratum by its label; without it units count as
    drawn with replacement. ``stages``: what was drawn within those units, step by step. A stratum
    of a single unit is refused, unless ``single_units`` is "certain" (it was chosen, and adds
    nothing) or "centre" (it differs from the mean of all). Raises WeightsError.

    Two schools of ten and two of eight, and three of thirty pupils in each:

    >>> from randomized_response.samples import Stage, survey_sample
    >>> sample = survey_sample(
    ...     strata=["city"] * 6 + ["country"] * 6,
    ...     clusters=[1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4],
    ...     population={"city": 10, "country": 8},
    ...     stages=[Stage(population=30)],
    ... )
    >>> print(sample)
    Sample, n = 12, weights sum to 540
    stage  units  strata
    1          4       2
    2         12       4
    >>> sample.degrees_of_freedom
    2
    """
    _require_stages(stages)
    drawn = [Stage(clusters, strata, population), *stages]
    columns = {
        f"{name}{i or ''}": column
        for i, stage in enumerate(drawn)
        for name, column in (("strata", stage.strata), ("clusters", stage.clusters))
    }
    populations = {
        f"population{i or ''}": stage.population
        for i, stage in enumerate(drawn)
        if not isinstance(stage.population, Mapping)
    }
    require_aligned(WeightsError, weights=weights, **columns, **populations)
    given = [column for column in (weights, *columns.values()) if column is not None]
    if not given:
        remedy = "give one per person, or labels of strata or clusters"
        raise WeightsError("weights", None, remedy)
    n = len(checked_entries("weights", given[0], "give one number per person", WeightsError))
    checked = None if weights is None else checked_sample_weights(weights, n)
    made = drawn_stages(n, drawn, single_units)
    index = first_index((*given, *populations.values()))
    if checked is None:
        checked = checked_sample_weights(_by_populations(made), n)
    return SurveySample(checked, made, index=index)


@checked_call
def replicated_sample(
    weights: ArrayLike, replicates: ReplicateWeights, degrees_of_freedom: int | None = None
) -> ReplicatedSample:
    """People whose uncertainty comes as replicate weights. Raises WeightsError.

    ``weights``: shape (n,), at least 0: those of the estimate itself. ``degrees_of_freedom``: where
    the publisher says them; else the rank of the replicate weights less 1.

    >>> from randomized_response.samples import jackknife_replicates, replicated_sample
    >>> weights = [10, 10, 20, 20]
    >>> sample = replicated_sample(weights, jackknife_replicates(weights, strata=[1, 1, 2, 2]))
    >>> sample.degrees_of_freedom
    2
    """
    if not isinstance(replicates, ReplicateWeights):
        remedy = "give ReplicateWeights(table, factors), or jackknife_replicates(weights)"
        raise WeightsError("replicates", type(replicates).__name__, remedy)
    require_aligned(WeightsError, replicates=replicates, weights=weights)
    full = checked_sample_weights(weights, replicates.weights.shape[1])
    for number, row in enumerate(replicates.weights):
        checked_sample_weights(row, len(full), f"replicate {number}")
    if degrees_of_freedom is None:
        # People on one scale, as how much one stands for says nothing about how many units vary.
        scaled = replicates.weights / np.maximum(replicates.weights.max(axis=0), LEAST_WEIGHT)
        rank = int(np.linalg.matrix_rank(scaled, rtol=_SMALL))
        degrees, remedy = rank - 1, "a variance needs replicates that differ: say it yourself"
    else:
        name, remedy = "degrees_of_freedom", "give a whole number from 1 to 1,000,000,000"
        degrees = checked_whole_number(name, degrees_of_freedom, WeightsError)
    if not 1 <= degrees <= _MOST_DEGREES:
        raise WeightsError("degrees_of_freedom", degrees, remedy)
    index = index_of(weights) if replicates.index is None else replicates.index
    return ReplicatedSample(full, replicates, degrees, index=index)


def checked_sample_weights(weights: ArrayLike, n: int, argument: str = "weights") -> FloatArray:
    """Weights as they are, (n,), at least 0 and not all 0. Raises WeightsError."""
    column = checked_column(argument, weights, WeightsError, n)
    refuse_where(argument, column, column < 0, "a weight is 0 or more", WeightsError)
    if not LEAST_WEIGHT <= float(column.max()) <= LARGEST_WEIGHT:
        remedy = f"give at least one weight above 0, and none above {LARGEST_WEIGHT:g}"
        raise WeightsError(argument, float(column.max()), remedy)
    return column


def require_positive(sample: Sample) -> None:
    """Raise WeightsError for weights below 0, which linear calibration may leave."""
    remedy = "it cannot use weights below 0: calibrate by raking, or with bounds"
    refuse_where("weights", sample.weights, sample.weights < 0, remedy, WeightsError)


def require_sample(sample: object) -> None:
    """Raise WeightsError for what is no sample."""
    if not isinstance(sample, SurveySample | ReplicatedSample):
        remedy = "give survey_sample(weights, ...) or replicated_sample(weights, replicates)"
        raise WeightsError("sample", type(sample).__name__, remedy)


def _require_stages(stages: object) -> None:
    if isinstance(stages, Stage) or not isinstance(stages, Sequence):
        raise WeightsError("stages", type(stages).__name__, "give a list of Stage(...)")
    for number, stage in enumerate(stages):
        if not isinstance(stage, Stage):
            raise WeightsError(f"stages[{number}]", type(stage).__name__, "give Stage(...)")


def _by_populations(stages: Sequence[DrawnStage]) -> FloatArray:
    """Each person stands for the units there are over those in the sample, at each stage."""
    chances = np.ones(len(stages[0].units.numbers))
    for number, stage in enumerate(stages, 1):
        fractions = stage.fraction_of_people
        if not fractions.all():
            remedy = f"give them, or the population of stage {number}"
            raise WeightsError("weights", None, remedy)
        chances = chances * fractions
    return np.asarray(1 / chances)
