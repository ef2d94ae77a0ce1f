"""SampleEstimate: a value with sampling variance and randomization variance, and its interval."""

import math
from dataclasses import dataclass, replace

from ..checks import checked_level, checked_number
from ..errors import EstimationError
from ..intervals.intervals import Interval, normal_quantile
from ..intervals.printed import estimates_report, people
from ..messages import together
from ..printing import cell

NO_SPREAD = "The estimated variance is 0: this says nothing about how certain the estimate is."


@dataclass(frozen=True)
class SampleEstimate:
    """An estimated total or mean, in the units of the answer.

    ``sampling_variance``: of drawing these people, computed from transformed reports; None where
    it does not exist (one person). ``randomization_variance``: what the device adds to it; None
    where the design does not say. ``note``: what a reader must be told. ``n``: people in the
    sample, where known.
    """

    value: float
    sampling_variance: float | None
    randomization_variance: float | None
    note: str = ""
    n: int | None = None

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
        """Normal interval. Raises EstimationError if there is no standard error."""
        confidence, error = checked_level(level), self.standard_error
        if error is None:
            remedy = (
                "it has no standard error: more people, or the moments of the design, are needed"
            )
            raise EstimationError("estimate", self.value, remedy)
        half = normal_quantile(confidence) * error
        note = together(self.note, NO_SPREAD) if error == 0 else self.note
        return Interval(self.value - half, self.value + half, confidence, "normal", note)

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
