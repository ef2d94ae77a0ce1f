"""Means and variances of numbers that a NumberProtocol, or another device, reported with noise.

Reports z are unbiased for the answers x, so that their mean is the estimated mean, and its variance
s^2 / n holds noise and sampling together. Where a device gives unbiased estimates u of the variance
of its reports, z^2 - u is unbiased for x^2 and

    variance of x = s^2 - mean of u,

whose error is to first order that of the mean of (z - mean)^2 - u. The same report serves for both
moments: a split design, which asks some people for their square, would halve the people of each.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...checks import checked_level, checked_number, checked_positive_number, require_kind
from ...designs.local.numbers import NumberProtocol
from ...designs.transform import TransformedReports
from ...errors import DesignError, EstimationError
from ...intervals.intervals import (
    NO_CERTAINTY,
    Interval,
    chebyshev_quantile,
    normal_quantile,
)
from ...intervals.printed import estimates_report, people
from ...messages import sentence

_NO_PROTOCOL = "give a protocol for numbers, such as Piecewise or Hybrid"
_NO_SPREAD = sentence(
    "Hoeffding's interval is used, because the reported answers show no spread: there is only "
    "one answer, or all answers are equal."
)
# A variance that fills its bound to the last digit is no error.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class NumberMeanEstimate:
    """``mean`` of n numbers, in their unit, and the variance of their reports; None when n = 1.

    ``noise``: the mean of the unbiased variance of a report; None where none is known.
    """

    protocol: NumberProtocol
    mean: float
    variance_of_reports: float | None
    noise: float | None
    n: int

    def __str__(self) -> str:
        title = f"{self.protocol.label}{people(self.n)}"
        row = ("mean", self.mean, self.standard_error, self.interval())
        return estimates_report(title, "value", [row])

    @property
    def standard_error(self) -> float | None:
        """Of noise and sampling together; None when n = 1."""
        return None if self.variance_of_reports is None else math.sqrt(self._variance)

    @property
    def conditional_variance(self) -> float | None:
        """Unbiased for the variance given the answers of these n people; None if not known."""
        return None if self.noise is None else self.noise / self.n

    def interval(self, level: float = 0.95, method: str = "wald") -> Interval:
        """Interval for the mean in the population. Raises EstimationError.

        "wald" is normal, by the standard error; "chebyshev" uses the largest variance there can be,
        and "hoeffding" the range of the reports: both are guaranteed for every law of answers.
        """
        confidence = checked_level(level)
        if not isinstance(method, str) or method not in _METHODS:
            raise EstimationError("method", method, f"choose one of {', '.join(_METHODS)}")
        note = ""
        if method == "wald" and not self.variance_of_reports:
            method, note = "hoeffding", _NO_SPREAD
        half = _METHODS[method](self, confidence)
        return Interval(self.mean - half, self.mean + half, confidence, method, note)

    @property
    def _variance(self) -> float:
        return (self.variance_of_reports or 0.0) / self.n

    def _wald(self, level: float) -> float:
        return normal_quantile(level) * math.sqrt(self._variance)

    def _chebyshev(self, level: float) -> float:
        _, worst = worst_number_mean_variance(self.protocol, self.n)
        return chebyshev_quantile(level) * math.sqrt(worst)

    def _hoeffding(self, level: float) -> float:
        """P(off by h or more) <= 2 exp(-2 n h^2 / range^2) (Hoeffding 1963)."""
        reach = self.protocol.half * float(self.protocol.reach)
        return 2 * reach * math.sqrt(math.log(2 / (1 - level)) / (2 * self.n))


_METHODS = {
    "wald": NumberMeanEstimate._wald,
    "chebyshev": NumberMeanEstimate._chebyshev,
    "hoeffding": NumberMeanEstimate._hoeffding,
}


@dataclass(frozen=True)
class NumberVarianceEstimate:
    """Estimated ``variance`` of the true numbers, in squares of their unit; it may be below 0."""

    variance: float
    standard_error: float
    n: int

    def __str__(self) -> str:
        row = ("variance", self.variance, self.standard_error, self.interval())
        return estimates_report(f"True numbers{people(self.n)}", "value", [row])

    @property
    def standard_deviation(self) -> float | None:
        """The root of the variance; None where that is below 0."""
        return math.sqrt(self.variance) if self.variance >= 0 else None

    def interval(self, level: float = 0.95) -> Interval:
        """Normal interval for the variance in the population. Raises EstimationError."""
        confidence = checked_level(level)
        half = normal_quantile(confidence) * self.standard_error
        note = NO_CERTAINTY if half == 0 else ""
        return Interval(self.variance - half, self.variance + half, confidence, "wald", note)


def estimate_number_mean(protocol: NumberProtocol, reports: ArrayLike) -> NumberMeanEstimate:
    """Mean of numbers from their reports, shape (n,). Raises DesignError, ReportError.

    Of weighted samples ``samples.estimate_mean(protocol.transform(reports), …)``.

    >>> from randomized_response.designs import Hybrid
    >>> from randomized_response.estimates import estimate_number_mean
    >>> print(estimate_number_mean(Hybrid(0, 10, 3, 0.5), [4.5, 11.25, 2.1, -1.25, 8.0, 11.25]))
    Hybrid of Piecewise and two points (0 to 10, epsilon 2.19722), n = 6
    value  estimate  std. error  low 0.95  high 0.95  method
    mean      5.975      2.0748   1.90847    10.0415    wald
    """
    _require_protocol(protocol)
    unbiased = protocol.transform(reports)
    values, variances = unbiased.values, unbiased.variances
    spread = float(values.var(ddof=1)) if unbiased.n > 1 else None
    noise = None if variances is None else float(variances.mean())
    return NumberMeanEstimate(protocol, float(values.mean()), spread, noise, unbiased.n)


def estimate_number_variance(reports: TransformedReports) -> NumberVarianceEstimate:
    """Variance of the true numbers, from transformed reports of any device with known noise.

    Unbiased; ``protocol.transform(reports)``, also of ``DiscretisedScrambling`` and of scrambled
    numbers. Raises EstimationError for one report, and where the noise is not known: reports of
    ``TwoPoint`` say nothing about how numbers scatter.

    >>> from randomized_response.designs import Piecewise
    >>> from randomized_response.estimates import estimate_number_variance
    >>> reports = Piecewise(0, 10, 9).transform([1, 9, 0, 10, 2, 11, 9, 1, 0, 10])
    >>> print(estimate_number_variance(reports))
    True numbers, n = 10
    value     estimate  std. error  low 0.95  high 0.95  method
    variance   19.4111     2.00348   15.4844    23.3379    wald
    """
    remedy = "give transformed reports: protocol.transform(reports)"
    require_kind("reports", reports, TransformedReports, remedy)
    if reports.variances is None:
        remedy = "the noise of a report is not known: give reports of Piecewise, or of Hybrid"
        raise EstimationError("reports.variances", None, remedy)
    if reports.n == 1:
        raise EstimationError("reports", 1, "one report shows no spread: give at least two")
    squares = (reports.values - reports.values.mean()) ** 2
    variance = squares.sum() / (reports.n - 1) - reports.variances.mean()
    error = np.std(squares - reports.variances, ddof=1) / math.sqrt(reports.n)
    return NumberVarianceEstimate(float(variance), float(error), reports.n)


def number_mean_variance(
    protocol: NumberProtocol, mean: float, standard_deviation: float, n: int
) -> tuple[float, float]:
    """Variance of the mean of n reports: (given the answers, of n people who are a sample).

    By the true mean and standard deviation, which numbers of the range must be able to have. Wang
    et al. (2019), equations 5 and 8. Raises DesignError.

    >>> from randomized_response.designs import Piecewise
    >>> from randomized_response.estimates import number_mean_variance
    >>> noise, total = number_mean_variance(
    ...     Piecewise(-1, 1, 2), mean=0, standard_deviation=0.5, n=100
    ... )
    >>> round(noise, 6), round(total, 6)
    (0.019167, 0.021667)
    """
    _require_protocol(protocol)
    centre = float(checked_number("mean", mean))
    spread = float(checked_number("standard_deviation", standard_deviation))
    size = checked_positive_number("n", n, DesignError)
    # The largest variance is that of answers at the two ends (Bhatia and Davis 2000).
    most = (protocol.high - centre) * (centre - protocol.low)
    if most < 0:
        remedy = f"give a mean from {protocol.low:g} to {protocol.high:g}"
        raise DesignError("mean", mean, remedy)
    if not 0 <= spread <= math.sqrt(most) * (1 + _ROUNDING):
        remedy = f"at this mean it is from 0 to {math.sqrt(most):.6g}"
        raise DesignError("standard_deviation", standard_deviation, remedy)
    factor, shift = map(float, protocol.moments)
    square = spread**2 + (centre - (protocol.low + protocol.half)) ** 2
    noise = factor * square + shift * protocol.half**2
    return noise / size, (noise + spread**2) / size


def worst_number_mean_variance(protocol: NumberProtocol, n: int) -> tuple[float, float]:
    """The largest variance of a mean for any answers: (given the answers, with sampling).

    max(C, A + C) and 1 + A + C over n, in squares of half the range: answers in the middle or at
    the ends, and half of them at each end. Raises DesignError.

    >>> from randomized_response.designs import Piecewise
    >>> from randomized_response.estimates import worst_number_mean_variance
    >>> worst_number_mean_variance(Piecewise(-1, 1, 3), n=100)
    (0.01, 0.02)
    """
    _require_protocol(protocol)
    factor, shift = map(float, protocol.moments)
    unit = protocol.half**2 / checked_positive_number("n", n, DesignError)
    return unit * (shift + max(factor, 0.0)), unit * (1 + factor + shift)


def _require_protocol(protocol: object) -> None:
    require_kind("protocol", protocol, NumberProtocol, _NO_PROTOCOL, DesignError)
