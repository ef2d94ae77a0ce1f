"""Means: of numbers that were reported on a grid, and of two quantities asked of two groups."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..checks import Counts, FloatArray, checked_counts, checked_level, require_kind
from ..columns import flat_numbers
from ..designs.discretised import DiscretisedScrambling
from ..designs.two_group import PairCovariance, UnrelatedQuestionTwoGroups
from ..errors import CountsError, DesignError, EstimationError
from ..intervals.intervals import SCORE, Interval, Method, normal_quantile, score_interval
from ..intervals.printed import estimates_report, people
from ..labels import index_of

_NO_GRID = "give a DiscretisedScrambling; of other scrambled numbers design.transform(reports)"
Values = Sequence[float] | FloatArray


@dataclass(frozen=True)
class MeanEstimate:
    """Estimated mean answer, in the units of the answer.

    ``scores``: unbiased value of each report. ``counts``: one per reported grid point.
    """

    scores: tuple[float, ...]
    counts: tuple[int, ...]

    def __str__(self) -> str:
        title = f"Mean on a grid of {len(self.scores)} points{people(self.n)}"
        return estimates_report(
            title, "value", [("mean", self.mean, self.standard_error, self.interval())]
        )

    @property
    def n(self) -> int:
        return sum(self.counts)

    @property
    def mean(self) -> float:
        """Mean score: unbiased, and not clipped to the range of the answers."""
        return float(np.array(self.scores) @ np.array(self.counts) / self.n)

    @property
    def standard_error(self) -> float | None:
        """Of scores, over n - 1: sampling and noise together; None when n = 1."""
        if self.n == 1:
            return None
        squares = (np.array(self.scores) - self.mean) ** 2 @ np.array(self.counts)
        return float(np.sqrt(squares / (self.n - 1) / self.n))

    def interval(self, level: float = 0.95, method: Method | None = None) -> Interval:
        """Interval for the mean in the population. Raises EstimationError.

        The default, "score", is calibrated; "chebyshev" bounds the variance by the range of the
        scores, which guarantees its level and is some three times as wide; "clopper-pearson" and
        "wilson" combine intervals for all grid points; "confidence-sequence" holds at all looks.
        """
        counts = checked_counts(self.counts, len(self.scores))
        return score_interval(np.array(self.scores), counts, checked_level(level), method or SCORE)


def estimate_grid_mean(design: DiscretisedScrambling, counts: Counts) -> MeanEstimate:
    """Mean answer from one count per reported grid point. Raises CountsError.

    >>> from randomized_response.designs import DiscretisedScrambling, TruncatedGeometricNoise
    >>> from randomized_response.estimates import estimate_grid_mean
    >>> design = DiscretisedScrambling(0, 3, 1, TruncatedGeometricNoise(0.25))
    >>> print(estimate_grid_mean(design, [300, 400, 200, 100]))
    Mean on a grid of 4 points, n = 1000
    value  estimate  std. error  low 0.95  high 0.95  method
    mean    1.03333   0.0357484  0.963785    1.10416   score
    The interval uses the profile likelihood with a calibrated limit. It is approximate.
    """
    require_kind("design", design, DiscretisedScrambling, _NO_GRID, DesignError)
    levels = tuple(range(len(design.grid)))
    if design.grid != levels and (isinstance(counts, Mapping) or index_of(counts) is not None):
        remedy = "its labels may be levels or numbers: give a list in the order of the grid"
        raise CountsError("counts", type(counts).__name__, remedy)
    checked = checked_counts(counts, len(design.grid))
    return MeanEstimate(tuple(design.mean_scores.tolist()), checked)


@dataclass(frozen=True)
class TwoGroupMeans:
    """``mean`` of the sensitive and ``other_mean`` of the unrelated quantity, in their unit.

    ``covariance``: 2 x 2, of both estimates; None where a group has one answer. ``sizes``: answers
    of both groups, where known.
    """

    mean: float
    other_mean: float
    covariance: PairCovariance | None
    sizes: tuple[int, ...] = ()

    def __str__(self) -> str:
        interval = self.interval() if self.standard_error else None
        rows = [
            ("mean", self.mean, self.standard_error, interval),
            ("other mean", self.other_mean, self.other_standard_error, None),
        ]
        return estimates_report(f"Means of two groups{people(*self.sizes)}", "value", rows)

    @property
    def standard_error(self) -> float | None:
        return None if self.covariance is None else math.sqrt(self.covariance[0][0])

    @property
    def other_standard_error(self) -> float | None:
        return None if self.covariance is None else math.sqrt(self.covariance[1][1])

    def interval(self, level: float = 0.95) -> Interval:
        """Normal interval for the mean. Raises EstimationError where there is no spread."""
        confidence, error = checked_level(level), self.standard_error
        if not error:
            remedy = "one answer in a group, or all alike, show no spread: ask more people"
            raise EstimationError("standard_error", error, remedy)
        half = normal_quantile(confidence) * error
        return Interval(self.mean - half, self.mean + half, confidence, "wald")


def estimate_two_group_means(
    design: UnrelatedQuestionTwoGroups, values_1: Values, values_2: Values
) -> TwoGroupMeans:
    """Means from the numbers that both groups reported; shapes (n_1,) and (n_2,).

    E[report | group g] = p_g mean + (1 - p_g) other_mean, so both follow from the two sample
    means; variances s^2 / n with n - 1 in s^2. Source: Greenberg, Kuebler, Abernathy and Horvitz
    (1971). Raises DesignError, and CountsError for empty, non-finite or non-numeric values.

    >>> from randomized_response.designs import UnrelatedQuestionTwoGroups
    >>> from randomized_response.estimates import estimate_two_group_means
    >>> design = UnrelatedQuestionTwoGroups(p_sensitive_1=0.75, p_sensitive_2=0.25)
    >>> print(estimate_two_group_means(design, [2, 3, 0, 1, 4, 2], [5, 4, 6, 3, 5]))
    Means of two groups, n = 6 + 5
    value       estimate  std. error  low 0.95  high 0.95  method
    mean             0.7    0.902774   -1.0694     2.4694    wald
    other mean       5.9    0.817517         –          –       –
    """
    if not isinstance(design, UnrelatedQuestionTwoGroups):
        raise DesignError("design", design, "give an UnrelatedQuestionTwoGroups")
    groups = _checked_values("values_1", values_1), _checked_values("values_2", values_2)
    mean, other = design.solve((float(groups[0].mean()), float(groups[1].mean())))
    sizes = (len(groups[0]), len(groups[1]))
    if 1 in sizes:
        return TwoGroupMeans(float(mean), float(other), None, sizes)
    inverse = np.linalg.inv([[float(line.first), float(line.second)] for line in design.lines])
    spread = np.diag([values.var(ddof=1) / len(values) for values in groups])
    (a, b), (c, d) = (inverse @ spread @ inverse.T).tolist()
    return TwoGroupMeans(float(mean), float(other), ((a, b), (c, d)), sizes)


def _checked_values(argument: str, values: Values) -> FloatArray:
    remedy = "give a flat sequence of finite numbers"
    array = flat_numbers(argument, values, remedy)
    if not np.isfinite(array).all():
        raise CountsError(argument, values, remedy)
    if len(array) == 0:
        raise CountsError(argument, values, "there are no answers yet: collect at least one")
    return array
