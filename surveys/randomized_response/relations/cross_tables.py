"""CrossTableEstimate and DifferenceEstimate: one question by another's groups; joint shares.

Given both true answers the two reports are drawn independently, so the channel of the pair is the
Kronecker product: P[(y, h) | (x, g)] = P1[y | x] P2[h | g]. The joint shares solve that channel
like any other; a direct question has the identity for its factor. A conditional share is a ratio
of two joint shares, and its interval is that of ``ratios``. Several sensitive questions at once:
see Barabesi, Franceschi and Marcheselli (2012); here any invertible channels do.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import FloatArray, checked_entries, checked_index, checked_level
from ..designs.channel import Channel
from ..designs.design import DesignLike, channel_of, design_label
from ..errors import CountsError, DesignError, EstimationError
from ..estimates.confidence_sequences import (
    confidence_sequence_for_difference,
    distribution_of,
)
from ..estimates.estimation import (
    DistributionEstimate,
    PrevalenceEstimate,
    estimate_distribution,
)
from ..estimates.ratios import UNBOUNDED, RatioEstimate, SharesEstimate
from ..intervals.intervals import OUTSIDE, SCORE, Interval, Method, interval_method
from ..intervals.printed import options_report
from ..labels import in_order_of_levels, table_in_order_of_levels
from ..messages import sentence
from .score_differences import PairOfGroups

# With more levels, guaranteed intervals for all cells would take seconds.
MOST_JOINT_LEVELS = 64
BOTH_ENDS = sentence(
    "The interval is guaranteed. It is the difference of the intervals of both groups. Each of "
    "these intervals has half the failure probability."
)
BOTH_ENDS_APPROXIMATE = sentence(
    "The interval is the difference of the intervals of both groups. Each of these intervals "
    "has half the failure probability."
)
DELTA = sentence(
    "The delta method is used. The interval is approximate, because it uses the estimated "
    "covariance."
)
NEWCOMBE = sentence("Newcombe's hybrid score interval is approximate.")
ANY_DIFFERENCE = sentence("One of the groups may be empty, so every difference is possible.")
NOTHING_EXCLUDED = sentence("Every difference from -1 to 1 is possible.")
NORMAL_METHODS = ("wald", "chebyshev")


@dataclass(frozen=True)
class DifferenceEstimate(SharesEstimate):
    """Share of one group minus that of another; None where a share does not exist.

    ``n``: reports of both groups, where known.
    """

    name = "difference"


@dataclass(frozen=True)
class CrossTableEstimate:
    """Joint shares of ``answers`` levels of a question and ``groups`` levels of another.

    ``joint`` is the estimate of all pairs, with answer x and group g at place x * groups + g.
    """

    joint: DistributionEstimate
    answers: int
    groups: int

    def __str__(self) -> str:
        pairs = product(range(self.answers), range(self.groups))
        names = (f"answer {answer}, group {group}" for answer, group in pairs)
        return options_report(self.joint.title, names, self.joint.shares, self.joint)

    @property
    def n(self) -> int:
        return self.joint.n

    @property
    def shares(self) -> FloatArray:
        """Joint shares, shape (answers, groups): they sum to 1 and may lie outside [0, 1]."""
        return self.joint.shares.reshape(self.answers, self.groups)

    @property
    def group_shares(self) -> FloatArray:
        """How large each group is, shape (groups,)."""
        return np.asarray(self.shares.sum(axis=0))

    def conditional(
        self, answer: int, group: int, level: float = 0.95, method: Method | None = None
    ) -> RatioEstimate:
        """The share of an answer within a group. Raises EstimationError."""
        checked_index("answer", answer, self.answers)
        checked_index("group", group, self.groups)
        pairs = [option * self.groups + group for option in range(self.answers)]
        return self.joint.ratio(pairs[answer], pairs, level, method)

    def difference(
        self,
        answer: int,
        group: int,
        other: int,
        level: float = 0.95,
        method: Method | None = None,
    ) -> DifferenceEstimate:
        """The share of an answer in one group minus its share in another.

        ``score``, the default, keeps what a test of both groups does not reject, see
        ``score_differences``; ``wald`` and ``chebyshev`` use the delta method with the joint
        covariance; every other method subtracts two intervals at half the failure probability (a
        union bound, so the two shares may depend on each other). Raises EstimationError.
        """
        answer = checked_index("answer", answer, self.answers)
        group = checked_index("group", group, self.groups)
        other = checked_index("other", other, self.groups)
        confidence, method = checked_level(level), method or SCORE
        value, error = self._spread(answer, group, other)
        if method == SCORE:
            interval = self._score(answer, group, other, confidence)
        elif method in NORMAL_METHODS:
            interval = self._normal(answer, group, other, confidence, str(method))
        else:
            ends = (self.conditional(answer, g, _half(confidence), method) for g in (group, other))
            interval = subtracted((ratio.interval for ratio in ends), confidence)
        return DifferenceEstimate(value, error, interval, self.n)

    def _normal(self, answer: int, group: int, other: int, level: float, method: str) -> Interval:
        """By the delta method; [-1, 1] where a share of its own is unbounded."""
        value, error = self._spread(answer, group, other)
        notes = [self.conditional(answer, g, level, method).interval.note for g in (group, other)]
        if value is None or not error or UNBOUNDED in notes:
            return Interval(-1.0, 1.0, level, method, ANY_DIFFERENCE)
        half = interval_method(method).quantile(level) * error
        return Interval(value - half, value + half, level, method, DELTA)

    def _score(self, answer: int, group: int, other: int, level: float) -> Interval:
        rows = [weights for g in (group, other) for weights in self._weights(answer, g)]
        counts = np.array(self.joint.counts, dtype=float)
        pair = PairOfGroups.of(np.array(rows) @ self.joint.scores, counts, level)
        interval = pair.interval(level)
        if interval is None:
            return Interval(-1.0, 1.0, level, SCORE, OUTSIDE)
        if interval.low > -1 or interval.high < 1:
            return interval
        # Nothing possible is excluded: say how much more the reports would allow, if they do.
        normal = self._normal(answer, group, other, level, "wald")
        low, high = min(-1.0, normal.low), max(1.0, normal.high)
        note = ANY_DIFFERENCE if (low, high) == (-1, 1) else NOTHING_EXCLUDED
        return Interval(low, high, level, SCORE, note)

    def _weights(self, answer: int, group: int) -> tuple[FloatArray, FloatArray]:
        """Of all pairs: those of the answer in the group, and those in the group."""
        top, bottom = np.zeros((2, self.answers, self.groups))
        top[answer, group] = 1
        bottom[:, group] = 1
        return top.ravel(), bottom.ravel()

    def _spread(self, answer: int, group: int, other: int) -> tuple[float | None, float | None]:
        """Difference and standard error by the delta method; None where they do not exist."""
        here, there = (self._gradient(answer, g) for g in (group, other))
        if here is None or there is None:
            return None, None
        gradient, value = here[0] - there[0], here[1] - there[1]
        if self.joint.covariance is None:
            return value, None
        return value, math.sqrt(max(0.0, float(gradient @ self.joint.covariance @ gradient)))

    def _gradient(self, answer: int, group: int) -> tuple[FloatArray, float] | None:
        size = float(self.group_shares[group])
        if size <= 0:
            return None
        share = float(self.shares[answer, group]) / size
        top, bottom = self._weights(answer, group)
        return (top - share * bottom) / size, share


def joint_channel(*designs: DesignLike) -> Channel:
    """The channel of several answers of one person, each randomized on its own.

    Levels are numbered with the first design's level changing slowest. Exact when all channels
    are. Raises DesignError without a design, or above ``MOST_JOINT_LEVELS`` combinations.

    >>> from fractions import Fraction
    >>> from randomized_response.designs import Warner
    >>> from randomized_response.relations import joint_channel
    >>> channel = joint_channel(Warner(Fraction(3, 4)), Warner(Fraction(2, 3)))
    >>> round(channel.epsilon, 4)
    1.7918
    """
    channels = [channel_of(design) for design in designs]
    if not channels:
        raise DesignError("designs", designs, "give at least one design")
    levels = math.prod(channel.reported_levels for channel in channels)
    if levels > MOST_JOINT_LEVELS:
        remedy = sentence(
            "at most {count} combinations of answers are possible. Choose fewer questions",
            count=MOST_JOINT_LEVELS,
        )
        raise DesignError("designs", sentence("{shape} combinations", shape=levels), remedy)
    rows: tuple[tuple[Fraction | float, ...], ...] = ((Fraction(1),),)
    for channel in channels:
        rows = tuple(
            tuple(p * q for p in first for q in second) for first in rows for second in channel.rows
        )
    return Channel(rows)


def estimate_cross_table(
    design: DesignLike, group_design: DesignLike, counts: Sequence[Sequence[int]] | NDArray[Any]
) -> CrossTableEstimate:
    """Joint shares from ``counts[reported answer][reported group]``.

    A pandas table, such as ``pd.crosstab(answers, groups)``, is read by its labels: levels from 0
    in both directions; the groups of a direct question may have names, in the table's order.
    Raises DesignError if a channel is not invertible, CountsError for impossible counts.

    >>> from randomized_response.designs import Direct, Warner
    >>> from randomized_response.relations import estimate_cross_table
    >>> table = estimate_cross_table(Warner(0.75), Direct(2), [[300, 250], [200, 250]])
    >>> print(table)
    Warner (p_direct = 0.75) by Direct (options = 2), no finite epsilon, n = 1000
    share              estimate  std. error  low 0.95  high 0.95  method
    answer 0, group 0      0.35   0.0245582  0.302492   0.398836   score
    answer 0, group 1      0.25   0.0237289  0.204304   0.297406   score
    answer 1, group 0      0.15   0.0224277  0.107035   0.195048   score
    answer 1, group 1      0.25   0.0237289  0.204304   0.297406   score
    The interval uses the profile likelihood with a calibrated limit. It is approximate.
    >>> print(table.difference(answer=1, group=1, other=0))
    Difference of shares, n = 1000
    value       estimate  std. error   low 0.95  high 0.95  method
    difference       0.2   0.0626412  0.0769792   0.323021   score
    The interval uses a score test with fitted shares of both groups. It is approximate.
    """
    question, grouping = channel_of(design), channel_of(group_design, "group_design")
    expected = (question.reported_levels, grouping.reported_levels)
    is_direct = np.array_equal(grouping.matrix, np.eye(expected[1]))
    table = table_in_order_of_levels("counts", counts, *expected, named_columns=is_direct)
    rows = [in_order_of_levels(f"counts[{i}]", r, expected[1]) for i, r in enumerate(_rows(table))]
    shape = (len(rows), *sorted({len(row) for row in rows}))
    if shape != expected:
        raise CountsError("counts", shape, f"give a table of {expected[0]} rows of {expected[1]}")
    flat = [count for row in rows for count in row]
    joint = estimate_distribution(joint_channel(question, grouping), flat)
    label = f"{design_label(design)} by {design_label(group_design)}"
    joint = replace(joint, label=label)
    return CrossTableEstimate(joint, question.true_levels, grouping.true_levels)


def _rows(table: Any) -> list[Any]:
    """The rows of a table. Raises CountsError for what is flat, a text or no table at all."""
    remedy = "give a table with one row of counts per reported answer, not a flat list"
    rows = checked_entries("counts", table, remedy, CountsError)
    if not rows or isinstance(table, Mapping) or not all(map(_is_row, rows)):
        raise CountsError("counts", table, remedy)
    return list(rows)


def _is_row(row: Any) -> bool:
    return hasattr(row, "__len__") and not isinstance(row, str) and getattr(row, "ndim", 1) == 1


def difference_of_shares(
    first: DistributionEstimate | PrevalenceEstimate,
    second: DistributionEstimate | PrevalenceEstimate,
    option: int,
    level: float = 0.95,
    method: Method | None = None,
) -> DifferenceEstimate:
    """The share of one option among the first respondents minus that among the second.

    The two sets of people are different ones, so the estimates are independent. ``wald`` and
    ``chebyshev`` add the variances; ``score``, the default, and ``wilson`` are Newcombe's (1998)
    method 10 on intervals of that name that are mapped through the channel; a confidence sequence
    is that for a difference; any other method subtracts two intervals at half the failure
    probability. Raises EstimationError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.estimates import estimate_distribution
    >>> from randomized_response.relations import difference_of_shares
    >>> first, second = (estimate_distribution(Warner(0.75), c) for c in ([550, 450], [680, 320]))
    >>> print(difference_of_shares(first, second, option=1))
    Difference of shares, n = 2000
    value       estimate  std. error  low 0.95  high 0.95  method
    difference      0.26   0.0431539  0.174939   0.343734   score
    Newcombe's hybrid score interval is approximate.
    """
    first, second = distribution_of("first", first), distribution_of("second", second)
    confidence, method = checked_level(level), method or SCORE
    if first.channel.true_levels != second.channel.true_levels:
        raise EstimationError("second", second.counts, "compare two groups with the same options")
    index = checked_index("option", option, first.channel.true_levels)
    value = float(first.shares[index] - second.shares[index])
    a, b = first.standard_errors, second.standard_errors
    error = None if a is None or b is None else math.hypot(float(a[index]), float(b[index]))
    interval = _independent_interval(first, second, index, confidence, method, value, error)
    return DifferenceEstimate(value, error, interval, first.n + second.n)


def _independent_interval(
    first: DistributionEstimate,
    second: DistributionEstimate,
    option: int,
    level: float,
    method: Method,
    value: float,
    error: float | None,
) -> Interval:
    if method in NORMAL_METHODS and error and all(map(_is_spread, (first, second))):
        half = interval_method(method).quantile(level) * error
        return Interval(value - half, value + half, level, str(method), DELTA)
    if method in (SCORE, "wilson"):
        return _newcombe(first, second, option, level, str(method))
    if sequence := interval_method(method).sequence:
        return confidence_sequence_for_difference(
            first, second, option=option, level=level, planned=sequence.planned
        )
    ends = (estimate.interval(option, _half(level), method) for estimate in (first, second))
    return subtracted(ends, level)


def _newcombe(
    first: DistributionEstimate,
    second: DistributionEstimate,
    option: int,
    level: float,
    method: str,
) -> Interval:
    a, b = (estimate.interval(option, level, method) for estimate in (first, second))
    p, q = (float(estimate.shares[option]) for estimate in (first, second))
    low = p - q - math.hypot(p - a.low, b.high - q)
    return Interval(low, p - q + math.hypot(a.high - p, q - b.low), level, method, NEWCOMBE)


def _is_spread(estimate: DistributionEstimate) -> bool:
    """Whether not all reports agree: the plug-in variance of agreement is 0, which is wrong."""
    return estimate.n > 1 and sum(count > 0 for count in estimate.counts) > 1


def subtracted(pair: Iterable[Interval], level: float, note: str = "") -> Interval:
    """What is possible where both intervals hold, each at half the failure probability."""
    first, second = pair
    is_guaranteed = interval_method(first.method).guaranteed
    note = note or (BOTH_ENDS if is_guaranteed else BOTH_ENDS_APPROXIMATE)
    return Interval(first.low - second.high, first.high - second.low, level, first.method, note)


def _half(level: float) -> float:
    return 1 - (1 - level) / 2
