"""WeightedDistributionEstimate: weighted shares, effective sample size, notes on weights.

With f_y = sum of the weights of those who reported y, over the sum of all weights, the shares are
M^-1 f as without weights. Equal weights give the unweighted estimate, standard errors included.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import FloatArray, checked_index, checked_level
from ..columns import checked_levels, checked_weights
from ..designs.design import DesignLike, scores_of
from ..intervals.intervals import Interval
from ..intervals.printed import numbers_of, options_report, people
from .effective import weighted_interval

DEFAULT_METHOD = "clopper-pearson"
# Above this share of all weight, one respondent decides the estimate.
GIANT = 0.25


@dataclass(frozen=True)
class WeightedDistributionEstimate:
    """Estimated shares of all true levels.

    ``score_rows``: per true level the scores of the reported ones (rows of the inverted channel).
    ``reported_shares``: f, weighted shares of the reported levels. ``squared_weights``: per
    reported level the sum of w^2, over (sum of all w)^2. ``n``: answers with a weight above 0.
    ``largest_weight``: the largest weight as a share of all weight. ``notes``: what a reader must
    be told about the weights.
    """

    score_rows: tuple[tuple[float, ...], ...]
    reported_shares: tuple[float, ...]
    squared_weights: tuple[float, ...]
    n: int
    largest_weight: float
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        title = f"Weighted shares{people(self.n)}, effective n = {self.effective_n:.6g}"
        return options_report(title, numbers_of(self.shares), self.shares, self, self.notes)

    @property
    def effective_n(self) -> float:
        """(sum w)^2 / sum w^2, from 1 to n: so many equal weights vary as much. Kish (1965)."""
        return min(float(self.n), 1 / sum(self.squared_weights))

    @cached_property
    def scores(self) -> FloatArray:
        """Shape (options, reported levels)."""
        return _frozen(np.array(self.score_rows))

    @cached_property
    def shares(self) -> FloatArray:
        """Shape (options,); sums to 1; entries may lie outside [0, 1]."""
        return _frozen(self.scores @ np.array(self.reported_shares))

    @cached_property
    def covariance(self) -> FloatArray | None:
        """Linearised covariance, shape (options, options); None when n = 1.

        n / (n - 1) sum w_i^2 (e_i - f)(e_i - f)' / (sum w)^2 between scores, e_i the
        unit vector of report i: the variance of a ratio of two weighted sums, drawn as if with
        replacement (Sarndal, Swensson and Wretman 1992, result 5.6.1 and section 2.9).
        """
        if self.n == 1:
            return None
        f, q = np.array(self.reported_shares), np.array(self.squared_weights)
        cross = np.outer(q, f)
        spread = np.diag(q) - cross - cross.T + q.sum() * np.outer(f, f)
        return _frozen(self.scores @ spread @ self.scores.T * (self.n / (self.n - 1)))

    @property
    def standard_errors(self) -> FloatArray | None:
        """Shape (options,); None when n = 1."""
        if self.covariance is None:
            return None
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))

    def interval(self, option: int, level: float = 0.95, method: str = DEFAULT_METHOD) -> Interval:
        """Interval for the share of one option: "clopper-pearson", "wilson" or "wald".

        The first two are taken at the effective number of answers, and say so. Raises
        EstimationError.
        """
        index = checked_index("option", option, len(self.score_rows))
        return weighted_interval(self, index, checked_level(level), method)

    def intervals(
        self, level: float = 0.95, method: str = DEFAULT_METHOD, *, simultaneous: bool = False
    ) -> tuple[Interval, ...]:
        """One interval per option; simultaneous ones hold together (Bonferroni) and say so."""
        options = range(len(self.score_rows))
        if not simultaneous or len(options) == 2:
            return tuple(self.interval(option, level, method) for option in options)
        each = 1 - (1 - checked_level(level)) / len(options)
        note = f"Bonferroni over {len(options)} options: each at {each:.2%}, together {level:.0%}."
        wide = (self.interval(option, each, method) for option in options)
        return tuple(replace(i, note=f"{i.note} {note}".strip()) for i in wide)


def estimate_weighted_distribution(
    design: DesignLike, reports: ArrayLike, weights: ArrayLike
) -> WeightedDistributionEstimate:
    """Estimate the shares of all options from one reported level and one weight per respondent.

    ``reports``: shape (n,), whole numbers from 0 to the number of reported levels - 1.
    ``weights``: shape (n,), at least 0 on any scale; a weight of 0 leaves the answer out and is
    noted. Raises DesignError for a channel that cannot be inverted, CountsError for reports,
    WeightsError for weights.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.samples import estimate_weighted_distribution
    >>> reports, weights = [1, 0, 0, 1, 0] * 40, [1, 2, 1, 1, 2] * 40
    >>> print(estimate_weighted_distribution(Warner(0.75), reports, weights))
    Weighted shares, n = 200, effective n = 178.182
    share   estimate  std. error    low 0.95  high 0.95           method
    0       0.928571   0.0599987    0.783895    1.05868  clopper-pearson
    1      0.0714286   0.0599987  -0.0586837   0.216105  clopper-pearson
    At the effective number of answers, 178.2 of 200.
    """
    scores = scores_of(design)
    size = scores.shape[1]
    levels = checked_levels("reports", reports, size)
    scaled = checked_weights(weights, len(levels))
    total = float(scaled.sum())
    return WeightedDistributionEstimate(
        score_rows=tuple(tuple(row) for row in scores.tolist()),
        reported_shares=_sums(levels, scaled / total, size),
        squared_weights=_sums(levels, (scaled / total) ** 2, size),
        n=int(np.count_nonzero(scaled)),
        largest_weight=1 / total,
        notes=weight_notes(scaled),
    )


def effective_sample_size(weights: ArrayLike) -> float:
    """(sum w)^2 / sum w^2 for ``weights`` of shape (n,), at least 0. Raises WeightsError.

    Source: Kish (1965), section 11.7.

    >>> from randomized_response.samples import effective_sample_size
    >>> round(effective_sample_size([1, 2, 1, 1, 2]), 4)
    4.4545
    """
    scaled = checked_weights(weights, np.asarray(weights).size)
    return float(scaled.sum() ** 2 / (scaled @ scaled))


def weight_notes(scaled: FloatArray) -> tuple[str, ...]:
    """What a reader must know about weights whose largest is 1."""
    notes = []
    left_out = int(np.count_nonzero(scaled == 0))
    if left_out:
        notes.append(f"{left_out} of {len(scaled)} answers have a weight of 0 and do not count.")
    largest = 1 / float(scaled.sum())
    if largest > GIANT and np.count_nonzero(scaled) > 1 / GIANT:
        notes.append(
            f"One answer carries {largest:.0%} of all weight and decides the estimate: the "
            "standard error is not to be trusted. Trim the weights or look at that answer."
        )
    return tuple(notes)


def _sums(levels: NDArray[np.int64], values: FloatArray, size: int) -> tuple[float, ...]:
    return tuple(np.bincount(levels, weights=values, minlength=size).tolist())


def _frozen(array: FloatArray) -> FloatArray:
    array.setflags(write=False)
    return array
