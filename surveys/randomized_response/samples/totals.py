"""SampleEstimate: totals and means of a population from unequal inclusion probabilities.

Horvitz and Thompson (1952) applied to transformed reports r with E(r_i) = y_i: the total is
sum r_i / pi_i. If v(r) is a quadratic form that estimates the sampling variance of sum y_i / pi_i,
then E(v(r)) exceeds it by the sum over the population of (1/pi_i - 1) V_i, V_i = Var(r_i | y_i),
while the device adds sum of V_i / pi_i. What is missing, sum of V_i, is estimated by
sum of V_R(r_i) / pi_i over the sample (Raj 1968; Chaudhuri 2011, chapter 2).

For v the formula of Deville (1993) needs no joint probabilities: with a_i = (1 - pi_i) / sum of
(1 - pi) and A = sum a_i r_i / pi_i it is sum of (1 - pi_i)(r_i / pi_i - A)^2 / (1 - sum a_i^2). It
is unbiased for simple random sampling, and close for designs of high entropy.

Intervals are normal, as those of the R package RRTCS, where n is large or the weights are alike;
where few people, strata or clusters carry most of the weight, the variance has few degrees of
freedom, and the interval of a mean, a poststratified total or a clustered one is Student's.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..calls import checked_call
from ..checks import FloatArray, checked_level, checked_number, require_kind
from ..columns import checked_inclusion_probabilities, checked_joint, require_aligned
from ..designs.transform import TransformedReports
from ..errors import EstimationError, WeightsError
from ..intervals.intervals import Interval
from ..intervals.printed import estimates_report, people
from ..messages import together
from ..printing import cell
from .effective import student_quantile

UNKNOWN_POPULATION = "The size of the population was estimated too (ratio estimate, linearised)."
NO_FINITE_CORRECTION = (
    "The design does not say how much its device scatters; the variance is an upper bound, as for "
    "sampling with replacement."
)

# Fewer degrees of freedom than this are those of one person.
_ROUNDING = 1e-9
NO_SPREAD = "The estimated variance is 0: this says nothing about how certain the estimate is."


@dataclass(frozen=True)
class SampleEstimate:
    """An estimated total or mean, in the units of the answer.

    ``sampling_variance``: of drawing these people, computed from transformed reports; None where
    it does not exist (one person). ``randomization_variance``: what the device adds to it; None
    where the design does not say. ``note``: what a reader must be told. ``n``: people in the
    sample, where known. ``degrees``: of freedom of the variance; None for a normal interval.
    """

    value: float
    sampling_variance: float | None
    randomization_variance: float | None
    note: str = ""
    n: int | None = None
    degrees: float | None = None

    def __str__(self) -> str:
        interval = None if self.standard_error is None else self.interval()
        parts = (
            f"Variance of sampling {cell(self.sampling_variance)}, "
            f"of randomization {cell(self.randomization_variance)}."
        )
        row = ("total or mean", self.value, self.standard_error, interval)
        return estimates_report(f"Sample{people(self.n)}", "value", [row], [parts, self.note])

    @property
    def variance(self) -> float | None:
        """The sum of both parts, at least 0; None if one is missing."""
        if self.sampling_variance is None or self.randomization_variance is None:
            return None
        return max(0.0, self.sampling_variance + self.randomization_variance)

    @property
    def standard_error(self) -> float | None:
        """Square root of the variance; None if a part is missing."""
        return None if self.variance is None else math.sqrt(self.variance)

    def interval(self, level: float = 0.95) -> Interval:
        """Normal or Student's interval. Raises EstimationError if there is no standard error.

        It covers at its level where the estimate is close to normal. No interval does for each law
        of numbers without bounds (Bahadur and Savage 1956): rare values among the few people who
        carry most of the weight are missed.
        """
        confidence, error = checked_level(level), self.standard_error
        if error is None:
            remedy = (
                "it has no standard error: more people, or the moments of the design, are needed"
            )
            raise EstimationError("estimate", self.value, remedy)
        half = student_quantile(confidence, self.degrees or math.inf) * error
        note = together(self.note, NO_SPREAD) if error == 0 else self.note
        method = "student" if self.degrees else "normal"
        return Interval(self.value - half, self.value + half, confidence, method, note)

    def scaled(self, factor: float) -> "SampleEstimate":
        """The estimate times a finite known number: a mean from a total, by 1 / N."""
        number = float(checked_number("factor", factor, EstimationError))
        parts = (self.sampling_variance, self.randomization_variance)
        sampling, randomization = (None if v is None else number**2 * v for v in parts)
        return replace(
            self,
            value=number * self.value,
            sampling_variance=sampling,
            randomization_variance=randomization,
        )


@checked_call
def estimate_total(
    reports: TransformedReports, inclusion_probabilities: ArrayLike
) -> SampleEstimate:
    """Horvitz-Thompson total of the true values, variance after Deville.

    ``inclusion_probabilities``: pi, shape (n,), in [1e-15, 1]. No sampling variance exists when
    fewer than two people were left to chance. Raises WeightsError.

    >>> from randomized_response.designs import Warner, transform_reports
    >>> from randomized_response.samples import estimate_total
    >>> reports = transform_reports(Warner(0.75), [1, 0, 0, 1, 0, 0])
    >>> print(estimate_total(reports, [0.1, 0.1, 0.1, 0.2, 0.2, 0.2]))
    Sample, n = 6
    value          estimate  std. error  low 0.95  high 0.95  method
    total or mean       7.5     19.6737  -31.0597    46.0597  normal
    Variance of sampling 353.303, of randomization 33.75.
    """
    pi = inclusion_of(reports, inclusion_probabilities)
    return expanded_total(reports, pi, deville_variance(reports.values / pi, pi))


@checked_call
def estimate_mean(
    reports: TransformedReports,
    inclusion_probabilities: ArrayLike,
    population_size: int | float | None = None,
) -> SampleEstimate:
    """Mean of the true values: the total over N, or over the estimated N if that is not known.

    The latter (Hajek 1971) is approximately unbiased, linearised: r_i is replaced by
    (r_i - mean) / N^ in the variance of the total. Raises WeightsError, EstimationError for a
    ``population_size`` that is smaller than the sample.

    >>> from randomized_response.designs import Warner, transform_reports
    >>> from randomized_response.samples import estimate_mean
    >>> reports = transform_reports(Warner(0.75), [1, 0, 0, 1, 0, 0])
    >>> print(estimate_mean(reports, [0.1, 0.1, 0.1, 0.2, 0.2, 0.2]))
    Sample, n = 6
    value          estimate  std. error  low 0.95  high 0.95   method
    total or mean  0.166667    0.436594  -1.13256    1.46589  student
    Variance of sampling 0.173948, of randomization 0.0166667.
    The size of the population was estimated too (ratio estimate, linearised).
    """
    if population_size is not None:
        total = estimate_total(reports, inclusion_probabilities)
        return total.scaled(1 / checked_population(population_size, reports.n))
    pi = inclusion_of(reports, inclusion_probabilities)
    size = math.fsum(1 / pi)
    mean = math.fsum(reports.values / pi) / size
    sampling = deville_variance((reports.values - mean) / pi / size, pi)
    added = randomization_variance(reports, pi)
    added = None if added is None else added / size**2
    degrees = degrees_of_freedom(1 / pi)
    return SampleEstimate(mean, sampling, added, UNKNOWN_POPULATION, reports.n, degrees)


@checked_call
def estimate_total_with_joint_probabilities(
    reports: TransformedReports, joint_probabilities: ArrayLike
) -> SampleEstimate:
    """Horvitz-Thompson total, variance of Sen (1953) and Yates and Grundy (1953).

    ``joint_probabilities``: pi_ij, symmetric, shape (n, n), all above 0, with pi_i on the diagonal.
    Unbiased for every design with a fixed sample size. Raises WeightsError.

    Three of ten people, every set equally likely:

    >>> import numpy as np
    >>> from randomized_response.designs import Warner, transform_reports
    >>> from randomized_response.samples import estimate_total_with_joint_probabilities
    >>> reports = transform_reports(Warner(0.75), [1, 0, 0])
    >>> joint = np.full((3, 3), 3 * 2 / (10 * 9))
    >>> np.fill_diagonal(joint, 3 / 10)
    >>> print(estimate_total_with_joint_probabilities(reports, joint))
    Sample, n = 3
    value          estimate  std. error  low 0.95  high 0.95  method
    total or mean   1.66667     6.21378  -10.5121    13.8455  normal
    Variance of sampling 31.1111, of randomization 7.5.
    """
    require_transformed(reports)
    # A table with labels names people twice: its columns must be in their order as well.
    across = getattr(joint_probabilities, "T", joint_probabilities)
    require_aligned(
        WeightsError, reports=reports, joint_probabilities=joint_probabilities, columns=across
    )
    joint = checked_joint(joint_probabilities, reports.n)
    pi = np.diag(joint)
    expanded = reports.values / pi
    weights = (np.outer(pi, pi) - joint) / joint
    np.fill_diagonal(weights, 0.0)
    differences = expanded[:, None] - expanded[None, :]
    sampling = float((weights * differences**2).sum() / 2) if reports.n > 1 else None
    return expanded_total(reports, pi, sampling)


@checked_call
def estimate_simple_mean(
    reports: TransformedReports, population_size: int | None = None
) -> SampleEstimate:
    """Mean from a simple random sample: with replacement, or without it from N people.

    With replacement the variance s^2 / n of the transformed reports holds both parts. Without it
    the sampling part is (1 - n/N) s^2 / n and the device adds mean(V_R) / N, which published
    estimators leave out. If V_R is not known, the bound s^2 / N takes its place (E(s^2) >= mean V).
    Raises EstimationError for a ``population_size`` below n.

    >>> from randomized_response.designs import Warner, transform_reports
    >>> from randomized_response.samples import estimate_simple_mean
    >>> reports = transform_reports(Warner(0.75), [1, 0, 0, 1, 0, 0])
    >>> print(estimate_simple_mean(reports, population_size=60))
    Sample, n = 6
    value          estimate  std. error   low 0.95  high 0.95  method
    total or mean  0.166667    0.415331  -0.647368   0.980701  normal
    Variance of sampling 0.16, of randomization 0.0125.
    """
    require_transformed(reports)
    n, mean = reports.n, math.fsum(reports.values) / reports.n
    squared = None if n == 1 else float(np.sum((reports.values - mean) ** 2)) / (n - 1)
    if population_size is None:
        return SampleEstimate(mean, None if squared is None else squared / n, 0.0, n=n)
    size = checked_population(population_size, n)
    sampling = None if squared is None else (1 - n / size) * squared / n
    # All were asked: nothing was left to chance, also where one person shows no spread.
    if n == size:
        sampling = 0.0
    if reports.variances is not None:
        added = float(reports.variances.mean()) / size
        return SampleEstimate(mean, sampling, added, n=n)
    bound = None if squared is None else squared / size
    return SampleEstimate(mean, sampling, bound, NO_FINITE_CORRECTION, n)


def inclusion_of(
    reports: TransformedReports, probabilities: ArrayLike, **columns: object
) -> FloatArray:
    """Checked inclusion probabilities of people whose columns go together. Raises WeightsError."""
    require_transformed(reports)
    require_aligned(WeightsError, reports=reports, inclusion_probabilities=probabilities, **columns)
    return checked_inclusion_probabilities(probabilities, reports.n)


def require_transformed(reports: object) -> None:
    """Raise EstimationError for reports as they are, which say nothing about the truth."""
    remedy = "give transformed reports: transform_reports(design, reports), or design.transform"
    require_kind("reports", reports, TransformedReports, remedy)


def expanded_total(
    reports: TransformedReports,
    pi: FloatArray,
    sampling: float | None,
    degrees: float | None = None,
) -> SampleEstimate:
    """The Horvitz-Thompson total with its sampling variance and what the device adds."""
    total, added = math.fsum(reports.values / pi), randomization_variance(reports, pi)
    return SampleEstimate(total, sampling, added, n=reports.n, degrees=degrees)


def degrees_of_freedom(weights: FloatArray, groups: NDArray[np.intp] | None = None) -> float | None:
    """Satterthwaite's (1946) of a sum of squared weighted deviations from the mean of each group.

    Arrays of shape (n,), groups numbered from 0; without ``groups`` all are one. People whose
    answers scatter alike add w_i^2 each, and a group of n_h has n_h - 1; weights that differ within
    it count as (sum w^2)^2 / sum w^4 people, as in Bell and McCaffrey (2002) for answers that
    scatter alike; we leave out what their formula subtracts for the estimated mean, but for one
    person of each group, and what the device adds to the variance. None where no group has two.
    """
    numbers = np.zeros(len(weights), dtype=np.intp) if groups is None else groups
    squares = np.bincount(numbers, weights=weights**2)
    free = squares**2 / np.bincount(numbers, weights=weights**4) - 1
    has_spread = free > _ROUNDING
    spread, free = squares[has_spread], free[has_spread]
    return float(spread.sum() ** 2 / (spread**2 / free).sum()) if len(free) else None


def deville_variance(expanded: FloatArray, pi: FloatArray) -> float | None:
    """Deville's sampling variance of the sum of ``expanded`` = r / pi; 0 for a census.

    Arrays of shape (n,). None if only one person was left to chance.
    """
    chance = 1 - pi
    left = np.count_nonzero(chance)
    if left < 2:
        return 0.0 if left == 0 else None
    a = chance / chance.sum()
    deviations = expanded - a @ expanded
    # 1 - sum a^2 as a sum of a (1 - a): no cancellation when one a is near 1.
    return float(chance @ deviations**2 / (a @ (1 - a)))


def randomization_variance(reports: TransformedReports, pi: FloatArray) -> float | None:
    """sum of V_R(r_i) / pi_i; None if the design does not give V_R."""
    return None if reports.variances is None else float(np.sum(reports.variances / pi))


def checked_population(size: int | float, n: int) -> float:
    """A number of people that n may be drawn from. Raises EstimationError."""
    number = float(checked_number("population_size", size, EstimationError))
    if not n <= number:
        remedy = f"give at least the {n} people in the sample"
        raise EstimationError("population_size", size, remedy)
    return number
