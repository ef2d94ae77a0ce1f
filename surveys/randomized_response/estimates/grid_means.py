"""Means of numbers that were reported through a channel on a grid."""

from dataclasses import dataclass

import numpy as np

from ..checks import Counts, checked_counts, checked_level
from ..designs.discretised import DiscretisedScrambling
from ..intervals.intervals import SCORE, Interval, Method, score_interval
from ..intervals.printed import estimates_report, people


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
    Profile likelihood with a calibrated limit: approximate.
    """
    checked = checked_counts(counts, len(design.grid))
    return MeanEstimate(tuple(design.mean_scores.tolist()), checked)
