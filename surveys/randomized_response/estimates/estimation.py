"""DistributionEstimate and PrevalenceEstimate: unbiased shares from counts, covariance, intervals.

The estimate solves P pi = f (moment estimate). It is never clipped: at a true share of 0 clipping
would give it a mean above 0. Clipping, projection and maximum likelihood are named methods in
``projections`` and ``likelihood``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from ..checks import (
    Counts,
    FloatArray,
    checked_between,
    checked_counts,
    checked_index,
    checked_level,
    checked_positive_number,
    read_only,
)
from ..columns import checked_floats
from ..designs.channel import Channel
from ..designs.design import DesignLike, channel_of, design_label, epsilon_words, scores_of
from ..errors import DesignError, EstimationError
from ..intervals.intervals import (
    SAME_SCORE,
    SCORE,
    Interval,
    Method,
    joint_intervals,
    score_interval,
)
from ..intervals.printed import estimates_report, numbers_of, options_report, people, warnings_of
from ..labels import in_order_of_levels
from ..threads import on_one_thread
from .ratios import RatioEstimate, estimate_ratio

LeftInverse = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class CountedReports:
    """Counts of all reported levels, and what turns them into shares of the true ones.

    ``left_inverse``: the scores of a design with more reported than true levels; None means the
    inverse of the channel. ``label``: the design in words, or the size of its channel. Raises
    DesignError for what is no channel, CountsError for impossible counts.
    """

    channel: Channel
    counts: tuple[int, ...]
    left_inverse: LeftInverse | None = None
    label: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", self.label or design_label(self.channel))
        object.__setattr__(self, "channel", channel_of(self.channel, "channel"))
        checked = checked_counts(self.counts, self.channel.reported_levels)
        object.__setattr__(self, "counts", checked)

    @property
    def n(self) -> int:
        return sum(self.counts)

    @property
    def title(self) -> str:
        """The design, its epsilon and n, above what is printed."""
        return f"{self.label}, {epsilon_words(self.channel.epsilon)}{people(self.n)}"


@dataclass(frozen=True)
class DistributionEstimate(CountedReports):
    """Estimated shares of all true levels, from counts of all reported levels."""

    def __str__(self) -> str:
        return options_report(self.title, numbers_of(self.shares), self.shares, self)

    @cached_property
    def scores(self) -> FloatArray:
        """Shape (options, reported levels): what a report adds to each share, times n."""
        return self.channel.inverse if self.left_inverse is None else np.array(self.left_inverse)

    @cached_property
    def shares(self) -> FloatArray:
        """Shape (options,); sums to 1; entries may lie outside [0, 1]."""
        return read_only(self.scores @ self._frequencies)

    @cached_property
    def covariance(self) -> FloatArray | None:
        """C diag(f) C' / (n - 1), shape (options, options); None when n = 1.

        C are the scores less the shares: S (diag(f) - f f') S' without its cancellation.
        """
        if self.n == 1:
            return None
        centred = self.scores - self.shares[:, np.newaxis]
        # Scores that are the same up to the rounding of the inverse do not vary at all.
        spans = np.ptp(self.scores[:, self._frequencies > 0], axis=1)
        centred[spans <= SAME_SCORE * np.abs(self.scores).max(axis=1)] = 0.0
        return read_only((centred * self._frequencies) @ centred.T / (self.n - 1))

    @property
    def standard_errors(self) -> FloatArray | None:
        """Shape (options,); None when n = 1: one answer says nothing about its spread."""
        if self.covariance is None:
            return None
        return np.sqrt(np.diag(self.covariance))

    @property
    def notes(self) -> tuple[str, ...]:
        """That a standard error of 0 is no certainty, where there is one."""
        return () if self.standard_errors is None else warnings_of(self.standard_errors.tolist())

    def interval(self, option: int, level: float = 0.95, method: Method | None = None) -> Interval:
        """Interval for the share of one option. Raises EstimationError.

        ``method`` None is "clopper-pearson" where reports of the option are a * share + b, which
        keeps its guarantee, and else "score", which is calibrated.
        """
        index = checked_index("option", option, self.channel.true_levels)
        return score_interval(self.scores[index], self.counts, checked_level(level), method)

    def intervals(
        self, level: float = 0.95, method: Method | None = None, *, simultaneous: bool = False
    ) -> tuple[Interval, ...]:
        """One interval per option; simultaneous ones hold together (Bonferroni) and say so."""
        options, confidence = self.channel.true_levels, checked_level(level)
        # The two intervals of a binary question are mirror images: one statement, no correction.
        if not simultaneous or options == 2:
            rows = self.scores
            return tuple(score_interval(row, self.counts, confidence, method) for row in rows)
        return joint_intervals(partial(self.interval, method=method), options, confidence)

    def ratio(
        self,
        numerator: int | Sequence[int],
        denominators: Sequence[int],
        level: float = 0.95,
        method: Method | None = None,
    ) -> RatioEstimate:
        """Share of ``numerator`` among ``denominators``, which include it: yes among answered.

        ``method`` None is "score". Several options are counted together: (2, 3) among (1, 2, 3).
        """
        return estimate_ratio(self, numerator, denominators, checked_level(level), method or SCORE)

    def influence(self, false_reports: int) -> FloatArray:
        """How far that many false reports can move each share: shape (options,)."""
        reach = self.scores.max(axis=1) - self.scores.min(axis=1)
        remedy = "give a number of 0 or more"
        number = checked_between(
            "false_reports", false_reports, 0, math.inf, remedy, EstimationError
        )
        return np.asarray(number / self.n * reach)

    @property
    def _frequencies(self) -> FloatArray:
        return np.array(self.counts, dtype=float) / self.n


@dataclass(frozen=True)
class PrevalenceEstimate(CountedReports):
    """Estimated share of true yes answers, from one count per report: mostly [no, yes]."""

    def __str__(self) -> str:
        row = ("yes", self.prevalence, self.standard_error, self.interval())
        return estimates_report(self.title, "share", [row])

    @property
    def prevalence(self) -> float:
        """(yes / n - b) / a, or the mean score: unbiased, never clipped."""
        if self.left_inverse is not None:
            return float(self.distribution.shares[1])
        slope, intercept = self._line
        return (self.counts[1] / self.n - intercept) / slope

    @property
    def standard_error(self) -> float | None:
        """sqrt(f (1 - f) / (n - 1)) / |a|, or the spread of the scores; None when n = 1."""
        if self.n == 1:
            return None
        if self.left_inverse is not None:
            errors = self.distribution.standard_errors
            return None if errors is None else float(errors[1])
        share = self.counts[1] / self.n
        return math.sqrt(share * (1 - share) / (self.n - 1)) / abs(self._line[0])

    @property
    def notes(self) -> tuple[str, ...]:
        """That a standard error of 0 is no certainty, where it is 0."""
        return warnings_of([self.standard_error])

    def interval(self, level: float = 0.95, method: Method | None = None) -> Interval:
        """Interval for the share of yes, by default as in ``DistributionEstimate``.

        Raises EstimationError.
        """
        return self.distribution.interval(1, level, method)

    def influence(self, false_reports: int) -> float:
        """How far that many false reports can move the prevalence: m / (n |a|)."""
        return float(self.distribution.influence(false_reports)[1])

    @property
    def distribution(self) -> DistributionEstimate:
        """The same estimate as shares of no and yes."""
        return DistributionEstimate(self.channel, self.counts, self.left_inverse, self.label)

    @property
    def _line(self) -> tuple[float, float]:
        no, yes = self.channel.rows[1]
        return float(yes - no), float(no)


def estimate_prevalence(design: DesignLike, counts: Counts) -> PrevalenceEstimate:
    """Estimate the share of true yes from one count per report: ``[no, yes]`` for most designs.

    ``counts[r]`` people reported r red cards where cards are drawn. Raises DesignError if the
    design is not binary or not invertible, CountsError for counts.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.estimates import estimate_prevalence
    >>> print(estimate_prevalence(Warner(0.75), [550, 450]))
    Warner (p_direct = 0.75), epsilon 1.09861, n = 1000
    share  estimate  std. error  low 0.95  high 0.95           method
    yes         0.4     0.03148  0.337703   0.462887  clopper-pearson
    """
    channel = channel_of(design)
    if channel.true_levels != 2:
        remedy = "a prevalence needs a yes/no design; use estimate_distribution"
        raise DesignError("design", channel.matrix.shape, remedy)
    checked = checked_counts(counts, channel.reported_levels)
    return PrevalenceEstimate(
        channel, checked, _left_inverse(design, channel), design_label(design)
    )


@on_one_thread
def estimate_distribution(design: DesignLike, counts: Counts) -> DistributionEstimate:
    """Estimate the shares of all options from one count per reported level.

    Raises DesignError if the channel is not invertible, CountsError for impossible counts.

    >>> from randomized_response.designs import KAry
    >>> from randomized_response.estimates import estimate_distribution
    >>> print(estimate_distribution(KAry(3, 0.5), [420, 310, 270]))
    k-ary (options = 3, p_truth = 0.5), epsilon 0.693147, n = 1000
    share  estimate  std. error    low 0.95  high 0.95           method
    0          0.68    0.062462    0.556734   0.805155  clopper-pearson
    1          0.24   0.0585306    0.125718   0.358775  clopper-pearson
    2          0.08    0.056185  -0.0292234   0.194668  clopper-pearson
    """
    channel = channel_of(design)
    checked = checked_counts(counts, channel.reported_levels)
    inverse = _left_inverse(design, channel)
    return DistributionEstimate(channel, checked, inverse, design_label(design))


def conditional_variance(design: DesignLike, shares: Sequence[float], n: int) -> FloatArray:
    """Variance of each estimated share given the true answers: shape (options,).

    ``shares`` are the true shares among the n people; no sampling variance is included.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.estimates import conditional_variance
    >>> conditional_variance(Warner(0.75), [0.9, 0.1], 1000).round(6).tolist()
    [0.00075, 0.00075]
    """
    channel = channel_of(design)
    scores = scores_of(design)
    squares = scores**2 @ channel.matrix
    ordered = in_order_of_levels("shares", shares, channel.true_levels, EstimationError)
    true = checked_floats("shares", ordered, EstimationError)
    if true.shape != (channel.true_levels,) or not ((true >= 0) & (true <= 1)).all():
        remedy = f"give {channel.true_levels} shares from 0 to 1"
        raise EstimationError("shares", shares, remedy)
    size = checked_positive_number("n", n)
    return np.asarray((squares @ true - true) / size)


def _left_inverse(design: DesignLike, channel: Channel) -> LeftInverse | None:
    """None for a square channel. Raises DesignError if reports do not determine the shares."""
    if channel.reported_levels == channel.true_levels:
        _ = channel.inverse
        return None
    return tuple(tuple(row) for row in scores_of(design).tolist())
