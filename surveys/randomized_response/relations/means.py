"""Difference of two means, of different people: as in a list experiment."""

import math

import numpy as np
import scipy

from ..checks import checked_level, require_kind
from ..errors import EstimationError
from ..estimates.means import MeanEstimate
from ..intervals.intervals import EXACT, Interval
from ..messages import sentence
from .cross_tables import DifferenceEstimate, subtracted

WELCH = sentence("Welch's interval is approximate, and valid for one look only.")
NO_SPREAD = sentence(
    "All reported answers on one side of the comparison are equal. The difference therefore uses "
    "guaranteed intervals of both means."
)


def difference_of_means(
    first: MeanEstimate, second: MeanEstimate, level: float = 0.95
) -> DifferenceEstimate:
    """The mean among the first respondents minus that among the second, by Welch's interval.

    The two sets of people are different ones. Scores are unbiased for the true answers, so that the
    randomization is part of their variance (Welch 1947). If half of a random sample is asked how
    many of J statements hold for them and the other half about these and one more, this is the
    share of those for whom that one holds, if it changes no answer about the others (Blair and Imai
    2012). Where all reports of one side agree their variance of 0 says nothing; then two guaranteed
    intervals, each at half the failure probability, are subtracted. Raises EstimationError unless
    there are two reports on each side.

    >>> from randomized_response.estimates import MeanEstimate
    >>> from randomized_response.relations import difference_of_means
    >>> more = MeanEstimate((0.0, 1.0, 2.0, 3.0), (40, 90, 50, 20))
    >>> fewer = MeanEstimate((0.0, 1.0, 2.0), (60, 100, 40))
    >>> found = difference_of_means(more, fewer)
    >>> round(found.value, 4), round(found.interval.low, 4), round(found.interval.high, 4)
    (0.35, 0.1925, 0.5075)
    """
    for argument, estimate in (("first", first), ("second", second)):
        require_kind(argument, estimate, MeanEstimate, "give a MeanEstimate: a mean of reports")
    confidence = checked_level(level)
    errors = (first.standard_error, second.standard_error)
    if errors[0] is None or errors[1] is None:
        remedy = "give at least two reports on each side"
        raise EstimationError("n", min(first.n, second.n), remedy)
    value, error = first.mean - second.mean, math.hypot(errors[0], errors[1])
    n = first.n + second.n
    if not all(errors):
        each = 1 - (1 - confidence) / 2
        ends = (estimate.interval(each, EXACT) for estimate in (first, second))
        return DifferenceEstimate(value, error, subtracted(ends, confidence, NO_SPREAD), n)
    variances, sizes = np.square([errors[0], errors[1]]), np.array([first.n, second.n])
    freedom = float(variances.sum() ** 2 / (variances**2 / (sizes - 1)).sum())
    half = float(scipy.special.stdtrit(freedom, (1 + confidence) / 2)) * error
    interval = Interval(value - half, value + half, confidence, "welch", WELCH)
    return DifferenceEstimate(value, error, interval, n)
