"""TwoGroupEstimate: the shares of a TwoGroupDesign by moments: values, slopes, variance, intervals.

With F the observed shares of yes, theta solves two linear equations, so the estimates are the
moment estimates; they are never clipped. Standard errors: the groups are independent, with
variances F (1 - F) / (n - 1), carried over by the delta method (exact for linear shares).
Derivations: docs/statistics.md.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from ..checks import (
    Counts,
    FloatArray,
    checked_counts,
    checked_level,
    checked_positive_number,
    require_kind,
)
from ..designs.two_group import PairCovariance, Point, Share, TwoGroupDesign
from ..errors import CountsError, DesignError, EstimationError
from ..intervals.evidence import Proportion
from ..intervals.intervals import (
    EXACT,
    NO_CERTAINTY,
    SCORE,
    SEQUENCE,
    WALD_UNDEFINED,
    Interval,
    Method,
    interval_method,
    normal_quantile,
)
from ..intervals.martingales import ConfidenceSequence
from ..intervals.pairs import JOINT, Pair
from ..intervals.printed import estimates_report, people
from ..messages import sentence, together
from .two_group_likelihood import TwoGroupMaximumLikelihood, maximise_two_groups
from .two_group_scores import HYBRID, HybridScore

TOGETHER = sentence(
    "The intervals are guaranteed for all shares together. They combine the Bonferroni "
    "intervals of both groups."
)
NOT_IDENTIFIED = sentence(
    "This share is not identified, because it refers to a part of the population that may be empty."
)
DEFAULT_LEVEL = 0.95
# A denominator this small is 0 up to the rounding of float probabilities.
_EMPTY = 1e-12


@dataclass(frozen=True)
class ThetaBox:
    """Values of theta at the four corners of intervals for both groups.

    Each interval is at half the failure probability of ``level``: with at least that level both
    hold, so what is true of the whole box is guaranteed for all shares together.
    """

    thetas: tuple[Point, ...]
    level: float
    method: str

    def interval(self, share: Share) -> Interval:
        """From the smallest to the largest value of a share; [0, 1] where it is not identified."""
        parts = [share.parts(theta) for theta in self.thetas]
        if any(bottom <= _EMPTY for _, bottom in parts):
            return Interval(0.0, 1.0, self.level, self.method, NOT_IDENTIFIED)
        # A ratio of linear functions is monotone along each side of the box.
        values = [float(top / bottom) for top, bottom in parts]
        return Interval(min(values), max(values), self.level, self.method, TOGETHER)


@dataclass(frozen=True)
class TwoGroupEstimate:
    """Named shares from counts ``[no, yes]`` of both groups.

    ``yes_covariance``: 2 x 2 covariance of the two shares of yes; None where a group has n = 1.
    """

    design: TwoGroupDesign
    counts_1: tuple[int, ...]
    counts_2: tuple[int, ...]
    yes_covariance: PairCovariance | None

    def __str__(self) -> str:
        title = f"{self.design.label}{people(sum(self.counts_1), sum(self.counts_2))}"
        errors = self.standard_errors
        rows = [(s, self.values[s], errors[s], self.interval(s)) for s in self.names]
        return estimates_report(title, "share", rows, self.notes)

    @property
    def notes(self) -> tuple[str, ...]:
        """That a group whose answers all agree is no certainty, where there is one."""
        return (NO_CERTAINTY,) if 0 in (*self.counts_1, *self.counts_2) else ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(share.name for share in self.design.shares)

    @cached_property
    def values(self) -> dict[str, float | None]:
        """Moment estimates, never clipped; None for a share of a part estimated as exactly 0.

        A share of a part is the ratio of two moment estimates: near an empty part it is a number
        without meaning, which ``value`` refuses and ``interval`` shows.
        """
        parts = {share.name: share.parts(self._theta) for share in self.design.shares}
        return {
            name: None if abs(float(bottom)) <= _EMPTY else float(top / bottom)
            for name, (top, bottom) in parts.items()
        }

    def value(self, name: str) -> float:
        """One share. Raises EstimationError for other names and for shares not identified.

        Not identified: the guaranteed 95 % interval of the part it is a share of reaches 0.
        """
        share = self._share(name)
        value = self.values[name]
        if value is None or not self.is_identified(name):
            low = _part_interval(self, share, DEFAULT_LEVEL).low
            remedy = (
                f"its denominator may be 0 (95 % interval from {low:.3g}), so the counts do not "
                "determine it: report the other shares only, or ask more people"
            )
            raise EstimationError(name, value, remedy)
        return value

    def is_identified(self, name: str, level: float = DEFAULT_LEVEL) -> bool:
        """Whether the interval of the part that this is a share of stays above 0."""
        share = self._share(name)
        if not share.is_conditional:
            return True
        return _part_interval(self, share, checked_level(level)).low > 0

    @cached_property
    def covariance(self) -> FloatArray | None:
        """Shape (shares, shares), in the order of ``names``; None for n = 1 and undefined shares.

        J C J' with C the covariance of the shares of yes and J the derivatives by them.
        """
        if self.yes_covariance is None or None in self.values.values():
            return None
        shares = self.design.shares
        slopes = np.array([share_slopes(self.design, share, self._theta) for share in shares])
        return np.asarray(slopes @ np.array(self.yes_covariance) @ slopes.T)

    @cached_property
    def standard_errors(self) -> dict[str, float | None]:
        """Delta method; None where a group has n = 1 and for shares without a value."""
        return {share.name: self._standard_error(share) for share in self.design.shares}

    def interval(
        self, name: str, level: float = DEFAULT_LEVEL, method: Method | None = None
    ) -> Interval:
        """Interval for one share: ``score``, ``wald``, or a box of intervals for the groups.

        ``method`` None is "score".

        The score method combines Wilson's intervals of both groups, see ``two_group_scores``. For a
        share that is linear in both groups' reports a sequence takes their evidence together. The
        box of any other method takes an interval for each group at half the failure probability
        and the smallest and largest value over all pairs: it keeps the guarantee, for all shares
        together. Where the share is not identified it is [0, 1], and says so. Raises
        EstimationError.
        """
        share, confidence = self._share(name), checked_level(level)
        chosen = interval_method(method := method or SCORE)
        if method == SCORE:
            return _score(self, share, confidence)
        if chosen.sequence and not share.is_conditional:
            return _sequence(self, share, confidence, chosen.sequence)
        if method != "wald":
            return _box(self, confidence, method).interval(share)
        error = self.standard_errors[name]
        # Where all answers of a group agree, its estimated variance of 0 is no certainty.
        if error is None or 0 in (*self.counts_1, *self.counts_2):
            box = _box(self, confidence, EXACT).interval(share)
            return replace(box, note=together(WALD_UNDEFINED, box.note))
        return self._wald(share, error, confidence)

    @cached_property
    def maximum_likelihood(self) -> TwoGroupMaximumLikelihood:
        """The shares within their possible range that make the reports most probable."""
        return maximise_two_groups(self.design, self.counts_1, self.counts_2, self._theta)

    @cached_property
    def _theta(self) -> Point:
        first, second = (
            Fraction(counts[1], sum(counts)) for counts in (self.counts_1, self.counts_2)
        )
        return self.design.solve((first, second))

    def _share(self, name: str) -> Share:
        for share in self.design.shares:
            if share.name == name:
                return share
        raise EstimationError("name", name, f"choose one of {', '.join(self.names)}")

    def _standard_error(self, share: Share) -> float | None:
        if self.yes_covariance is None or self.values[share.name] is None:
            return None
        slopes = np.array(share_slopes(self.design, share, self._theta))
        return math.sqrt(max(0.0, float(slopes @ np.array(self.yes_covariance) @ slopes)))

    def _wald(self, share: Share, error: float, level: float) -> Interval:
        z = normal_quantile(level)
        if share.is_conditional:
            part = float(share.parts(self._theta)[1])
            part_error = self._standard_error(Share(self.names[0], share.bottom)) or 0.0
            if part <= z * part_error:
                return Interval(0.0, 1.0, level, "wald", NOT_IDENTIFIED)
        value = self.values[share.name]
        centre = 0.0 if value is None else value
        return Interval(centre - z * error, centre + z * error, level, "wald")


def _score(estimate: TwoGroupEstimate, share: Share, level: float) -> Interval:
    counts = (estimate.counts_1, estimate.counts_2)
    score = HybridScore.of(estimate.design, counts, estimate.yes_covariance, level)
    if not share.is_conditional:
        return Interval(*score.linear(share), level, SCORE, HYBRID)
    is_known = score.linear(Share("part", share.bottom))[0] > 0
    ends = score.part(share, estimate.values[share.name] if is_known else None)
    if ends is None or (ends[0] <= 0 and ends[1] >= 1):
        return Interval(0.0, 1.0, level, SCORE, NOT_IDENTIFIED)
    return Interval(*ends, level, SCORE, HYBRID)


def _sequence(
    estimate: TwoGroupEstimate, share: Share, level: float, sequence: ConfidenceSequence
) -> Interval:
    """The share is value + slope_1 (l_1 - f_1) + slope_2 (l_2 - f_2): as a difference of two."""
    bound, theta = 1 / (1 - level), estimate._theta
    slopes = share_slopes(estimate.design, share, theta)
    value = float(share.parts(theta)[0])
    if sequence.planned:
        sequence = replace(sequence, planned=max(1, sequence.planned // 2))
    groups = [
        Proportion(counts[1], sum(counts), -slope * counts[1] / sum(counts), slope, sequence)
        for counts, slope in zip((estimate.counts_1, estimate.counts_2), slopes, strict=True)
    ]
    own, other = groups
    high = Pair(own, other.mirrored, sequence.planned).highest_difference(bound)
    low = -Pair(own.mirrored, other, sequence.planned).highest_difference(bound)
    return Interval(value + low, value + high, level, SEQUENCE, JOINT)


def _part_interval(estimate: TwoGroupEstimate, share: Share, level: float) -> Interval:
    """Of the part of the population that this is a share of."""
    return _box(estimate, level, EXACT).interval(Share("part", share.bottom))


def _box(estimate: TwoGroupEstimate, level: float, method: Method) -> ThetaBox:
    proportion, each = interval_method(method).proportion, 1 - (1 - level) / 2
    groups = (
        proportion(counts[1], sum(counts), each)
        for counts in (estimate.counts_1, estimate.counts_2)
    )
    corners = product(*((group.low, group.high) for group in groups))
    return ThetaBox(
        tuple(estimate.design.solve((first, second)) for first, second in corners),
        level,
        str(method),
    )


def estimate_two_groups(
    design: TwoGroupDesign, counts_1: Counts, counts_2: Counts
) -> TwoGroupEstimate:
    """Estimate the shares of a two-group design from ``[no, yes]`` in group 1 and in group 2.

    Source: the design's; the variances of the groups have n - 1. Raises DesignError for a
    one-sample design, CountsError for impossible counts or an empty group.

    >>> from randomized_response.designs import UnrelatedQuestionTwoGroups
    >>> from randomized_response.estimates import estimate_two_groups
    >>> design = UnrelatedQuestionTwoGroups(p_sensitive_1=0.75, p_sensitive_2=0.25)
    >>> print(estimate_two_groups(design, [380, 120], [290, 210]))
    Unrelated question in two groups (p_sensitive_1 = 0.75, p_sensitive_2 = 0.25), n = 500 + 500
    share             estimate  std. error   low 0.95  high 0.95  method
    prevalence            0.15   0.0307325  0.0926307   0.212699   score
    other_prevalence      0.51   0.0344932     0.4433   0.577908   score
    The hybrid score interval of both groups is approximate.
    """
    if not isinstance(design, TwoGroupDesign):
        raise DesignError("design", design, "give a two-group design; else estimate_prevalence")
    first, second = checked_counts(counts_1, 2, "counts_1"), checked_counts(counts_2, 2, "counts_2")
    independent = None
    if sum(first) > 1 and sum(second) > 1:
        independent = (_variance(first), 0.0), (0.0, _variance(second))
    return TwoGroupEstimate(design, first, second, independent)


def expected_standard_errors(
    design: TwoGroupDesign, first: float, second: float, n_1: int, n_2: int
) -> dict[str, float | None]:
    """Standard errors to expect at given first two shares: l (1 - l) / n by the delta method.

    None for a share of an empty part. Raises EstimationError for shares outside [0, 1],
    CountsError for group sizes below 1.

    >>> from randomized_response.designs import UnrelatedQuestionTwoGroups
    >>> from randomized_response.estimates import expected_standard_errors
    >>> design = UnrelatedQuestionTwoGroups(p_sensitive_1=0.75, p_sensitive_2=0.25)
    >>> errors = expected_standard_errors(design, 0.1, 0.5, 500, 500)
    >>> {name: round(error, 4) for name, error in errors.items()}
    {'prevalence': 0.029, 'other_prevalence': 0.0341}
    """
    require_kind("design", design, TwoGroupDesign, "give a two-group design", DesignError)
    sizes = [
        checked_positive_number(name, n, CountsError) for name, n in (("n_1", n_1), ("n_2", n_2))
    ]
    yes = design.yes_probabilities(first, second)
    variances = np.array([p * (1 - p) / n for p, n in zip(yes, sizes, strict=True)])
    theta = design.solve(yes)
    errors: dict[str, float | None] = {share.name: None for share in design.shares}
    for share in design.shares:
        if abs(float(share.parts(theta)[1])) > _EMPTY:
            slopes = np.square(share_slopes(design, share, theta))
            errors[share.name] = math.sqrt(float(variances @ slopes))
    return errors


def _variance(counts: tuple[int, ...]) -> float:
    no, yes = counts
    return no * yes / ((no + yes) ** 2 * (no + yes - 1))


def share_slopes(design: TwoGroupDesign, share: Share, theta: Point) -> tuple[float, float]:
    """Derivatives of top / bottom by the two shares of yes, through the solved equations."""
    top, bottom = (float(part) for part in share.parts(theta))
    by_theta = [(share.top[i] - top / bottom * share.bottom[i]) / bottom for i in (1, 2)]
    a, b = design.lines
    determinant = float(design.determinant)
    return (
        (by_theta[0] * float(b.second) - by_theta[1] * float(b.first)) / determinant,
        (by_theta[1] * float(a.first) - by_theta[0] * float(a.second)) / determinant,
    )
