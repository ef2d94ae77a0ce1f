"""WeightedDistributionEstimate: weighted shares, their variance, effective sample size, notes.

With f_y = sum of the weights of those who reported y, over the sum of all weights, the shares are
M^-1 f as without weights. Equal weights give the unweighted estimate, standard errors included.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..calls import checked_call
from ..checks import FloatArray, checked_index, checked_level, read_only
from ..columns import checked_labels, checked_levels, checked_weights, require_aligned
from ..designs.design import DesignLike, channel_of, scores_of
from ..errors import WeightsError
from ..intervals.intervals import Interval, joint_intervals
from ..intervals.printed import numbers_of, options_report, people
from ..messages import figure, sentence
from .cells import SQUARE_AND_ADD, Cell, cells_of, square_and_add
from .effective import (
    METHODS,
    WALD,
    checked_method,
    effective_number,
    weighted_interval,
)
from .linearised import IntArray, linearised_covariance, sampling_units
from .ratios import Ratios
from .survey_samples import ReplicatedSample, Sample, SurveySample, require_positive

# Above this share of all weight, one respondent decides the estimate.
GIANT = 0.25


@dataclass(frozen=True)
class WeightedDistributionEstimate:
    """Estimated shares of all true levels.

    ``score_rows``: per true level the scores of the reported ones (rows of the inverted channel).
    ``reported_shares``: f, weighted shares of the reported levels. ``reported_covariance``: their
    linearised covariance, None when n = 1. ``effective_n``: Kish's (sum w)^2 / sum w^2, from 1 to
    n, which knows the weights alone. ``degrees_of_freedom``: sampling units less strata, n - 1
    without either. ``n``: answers with a weight above 0. ``largest_weight``: the largest weight as
    a share of all weight. ``cells``: the groups of poststratified weights without strata and
    clusters. ``notes``: what a reader must be told about the weights.
    """

    score_rows: tuple[tuple[float, ...], ...]
    reported_shares: tuple[float, ...]
    reported_covariance: tuple[tuple[float, ...], ...] | None
    effective_n: float
    degrees_of_freedom: int
    n: int
    largest_weight: float
    cells: tuple[Cell, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        title = f"Weighted shares{people(self.n)}"
        return options_report(title, numbers_of(self.shares), self.shares, self, self.notes)

    @cached_property
    def scores(self) -> FloatArray:
        """Shape (options, reported levels)."""
        return read_only(np.array(self.score_rows))

    @cached_property
    def shares(self) -> FloatArray:
        """Shape (options,); sums to 1; entries may lie outside [0, 1]."""
        return read_only(self.scores @ np.array(self.reported_shares))

    @cached_property
    def covariance_of_reports(self) -> FloatArray | None:
        """Linearised covariance of the reported shares, (levels, levels); None when n = 1."""
        known = self.reported_covariance
        return None if known is None else read_only(np.array(known))

    @cached_property
    def covariance(self) -> FloatArray | None:
        """Linearised covariance, shape (options, options); None when n = 1.

        See ``linearised``; without strata and clusters n / (n - 1) sum of w_i^2 (e_i - f)(e_i - f)'
        / (sum w)^2 between the scores, e_i the unit vector of report i.
        """
        reports = self.covariance_of_reports
        return None if reports is None else read_only(self.scores @ reports @ self.scores.T)

    @property
    def standard_errors(self) -> FloatArray | None:
        """Shape (options,); None when n = 1."""
        if self.covariance is None:
            return None
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))

    @property
    def is_decided_by_one(self) -> bool:
        """Whether one of several answers has more weight than all others together."""
        return self.largest_weight > 0.5 and self.n > 2

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods of intervals, the default first."""
        first = (SQUARE_AND_ADD,) if self.cells else ()
        return (*first, *METHODS, WALD)

    def effective_number(self, option: int, level: float = 0.95) -> float:
        """How many independent answers of equal weight are as certain of the share of an option.

        From the linearised variance, and so another number for another option; it may be above n,
        and is Kish's where the variance is 0. Raises EstimationError.
        """
        index = checked_index("option", option, len(self.score_rows))
        return effective_number(self, index, checked_level(level))[0]

    def interval(self, option: int, level: float = 0.95, method: str | None = None) -> Interval:
        """Interval for the share of one option: "korn-graubard", "score", "wilson" or "wald".

        The default is the Beta interval of Korn and Graubard at the effective number of answers;
        of designs whose scores have more than two values, all but "wald" are the profile
        likelihood at that number ("score"). Poststratified weights without strata and clusters
        have "square-and-add", their default. Raises EstimationError.
        """
        index = checked_index("option", option, len(self.score_rows))
        confidence = checked_level(level)
        chosen = checked_method(self.methods[0] if method is None else method, self.methods)
        if chosen == SQUARE_AND_ADD:
            return square_and_add(self.cells, self.scores[index], confidence)
        return weighted_interval(self, index, confidence, chosen)

    def intervals(
        self, level: float = 0.95, method: str | None = None, *, simultaneous: bool = False
    ) -> tuple[Interval, ...]:
        """One interval per option; simultaneous ones hold together (Bonferroni) and say so."""
        options = range(len(self.score_rows))
        if not simultaneous or len(options) == 2:
            return tuple(self.interval(option, level, method) for option in options)
        interval = partial(self.interval, method=method)
        return joint_intervals(interval, len(options), checked_level(level))


@checked_call
def estimate_weighted_distribution(
    design: DesignLike,
    reports: ArrayLike,
    weights: ArrayLike | Sample,
    *,
    strata: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    poststrata: ArrayLike | None = None,
) -> WeightedDistributionEstimate:
    """Estimate the shares of all options from one reported level and one weight per respondent.

    ``reports``: shape (n,), whole numbers from 0 to the number of reported levels - 1.
    ``weights``: shape (n,), at least 0 on any scale; a weight of 0 leaves the answer out and is
    noted. ``strata``, ``clusters``: one label per respondent; a cluster (primary sampling unit)
    counts within its stratum. ``poststrata``: the groups whose sizes the weights were made to
    agree with (``poststratification_weights``). A ``survey_sample`` or ``replicated_sample`` in
    place of the weights says all this, and finite populations and margins too.

    Raises DesignError for a channel that cannot be inverted, CountsError for reports, WeightsError
    for weights, for labels that are missing, and for a stratum with a single unit. Sources:
    ``effective``, ``linearised`` and ``cells``.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.samples import estimate_weighted_distribution
    >>> reports, weights = [1, 0, 0, 1, 0] * 40, [1, 2, 1, 1, 2] * 40
    >>> print(estimate_weighted_distribution(Warner(0.75), reports, weights))
    Weighted shares, n = 200
    share   estimate  std. error    low 0.95  high 0.95         method
    0       0.928571   0.0599987    0.801474    1.04427  korn-graubard
    1      0.0714286   0.0599987  -0.0442707   0.198526  korn-graubard
    By the linearised variance, these 200 answers are worth 226.8 independent answers.
    """
    columns = {"strata": strata, "clusters": clusters, "poststrata": poststrata}
    require_aligned(WeightsError, reports=reports, weights=weights, **columns)
    scores = scores_of(design)
    levels = checked_levels("reports", reports, scores.shape[1])
    if isinstance(weights, SurveySample | ReplicatedSample):
        if len(weights.weights) != len(levels):
            raise WeightsError("weights", len(weights.weights), f"give {len(levels)} people")
        if beside := [name for name, column in columns.items() if column is not None]:
            raise WeightsError(beside[0], "given", "the sample says it: leave it out here")
        return _of_sample(scores, channel_of(design).matrix, levels, weights)
    scaled = checked_weights(weights, len(levels))
    kept = scaled > 0
    labels = {
        name: checked_labels(name, column, len(levels))[kept]
        for name, column in columns.items()
        if column is not None
    }
    notes = weight_notes(scaled)
    return _estimated(scores, levels[kept], scaled[kept] / scaled.sum(), labels, notes)


@checked_call
def effective_sample_size(weights: ArrayLike) -> float:
    """(sum w)^2 / sum w^2 for ``weights`` of shape (n,), at least 0. Raises WeightsError.

    Source: Kish (1965), section 11.7.

    >>> from randomized_response.samples import effective_sample_size
    >>> round(effective_sample_size([1, 2, 1, 1, 2]), 4)
    4.4545
    """
    scaled = checked_weights(weights)
    return float(scaled.sum() ** 2 / (scaled @ scaled))


def weight_notes(scaled: FloatArray) -> tuple[str, ...]:
    """What a reader must know about weights whose largest is 1."""
    notes = []
    left_out = int(np.count_nonzero(scaled == 0))
    if left_out:
        notes.append(
            sentence(
                "{count} of {n} answers have a weight of 0 and do not count.",
                count=left_out,
                n=len(scaled),
            )
        )
    largest = 1 / float(scaled.sum())
    # Of four answers or fewer, one has a quarter of all weight anyway.
    if largest > GIANT and np.count_nonzero(scaled) > 1 / GIANT:
        notes.append(
            sentence(
                "One answer has {share}% of all weight and decides the estimate. Do not trust the "
                "standard error. Trim the weights or check this answer.",
                share=figure(100 * largest, ".0f"),
            )
        )
    return tuple(notes)


def _estimated(
    scores: FloatArray,
    levels: IntArray,
    weights: FloatArray,
    labels: dict[str, NDArray[Any]],
    notes: tuple[str, ...],
) -> WeightedDistributionEstimate:
    """The estimate from weights above 0, which sum to 1, and labels by their names."""
    n, size = len(levels), scores.shape[1]
    groups = np.zeros(n, dtype=np.int64)
    if "poststrata" in labels:
        groups = np.unique(labels.pop("poststrata"), return_inverse=True)[1]
    # One answer of a sample without strata and clusters has an interval, though no variance.
    units = sampling_units(n, **labels) if labels or n > 1 else None
    covariance = None
    if units is not None:
        covariance = linearised_covariance(levels, weights, size, units, groups)
    shares = np.bincount(levels, weights=weights, minlength=size)
    return WeightedDistributionEstimate(
        score_rows=_rows(scores),
        reported_shares=tuple(shares.tolist()),
        reported_covariance=None if covariance is None else _rows(covariance),
        effective_n=min(float(n), 1 / float(weights @ weights)),
        degrees_of_freedom=0 if units is None else units.degrees_of_freedom,
        n=n,
        largest_weight=float(weights.max()),
        cells=() if labels or not groups.any() else cells_of(levels, weights, size, groups),
        notes=notes,
    )


def _of_sample(
    scores: FloatArray, chances: FloatArray, levels: IntArray, sample: Sample
) -> WeightedDistributionEstimate:
    """The estimate with the covariance of a sample; ``chances``: the channel, (levels, options)."""
    scaled = sample.weights / sample.weights.max()
    reported = np.eye(scores.shape[1])[levels]
    shares = Ratios(reported, np.ones((len(levels), 1)))
    require_positive(sample)
    covariance = sample.covariance(shares)
    if not np.isfinite(covariance).all():
        remedy = "in a replicate no person has a weight: leave it out"
        raise WeightsError("weights", "replicates", remedy)
    left_out = sample.fixed_parts() * (sample.weights / sample.weights.sum()) ** 2
    if left_out.any():
        # Of a report given truth t, diag(P_t) - P_t P_t'; scores estimate it from the report.
        scatter = np.einsum("yt,yz->tyz", chances, np.eye(len(chances)))
        scatter -= np.einsum("yt,zt->tyz", chances, chances)
        totals = scores @ np.bincount(levels, weights=left_out, minlength=scores.shape[1])
        covariance = covariance + np.einsum("t,tyz->yz", totals, scatter)
    return WeightedDistributionEstimate(
        score_rows=_rows(scores),
        reported_shares=tuple(shares.value(sample.weights).tolist()),
        reported_covariance=_rows(covariance),
        effective_n=float(scaled.sum() ** 2 / (scaled @ scaled)),
        degrees_of_freedom=sample.degrees_of_freedom,
        n=sample.n,
        largest_weight=1 / float(scaled.sum()),
        notes=weight_notes(scaled),
    )


def _rows(table: FloatArray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in table.tolist())
