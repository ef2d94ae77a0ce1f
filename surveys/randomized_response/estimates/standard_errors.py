"""Standard errors from the model: by Fisher information, and for Kuk's cards.

``standard_error`` of an estimate uses the sample variance of its scores, which is right for
every source of reports. The ones here trust the design as well; peers print them.
"""

import math

import numpy as np

from ..checks import (
    Counts,
    checked_counts,
    checked_number,
    checked_positive_number,
    require_kind,
)
from ..designs.cards import Kuk
from ..designs.design import DesignLike, channel_of
from ..errors import CountsError, DesignError, EstimationError


def information_standard_error(design: DesignLike, prevalence: float, n: int) -> float:
    """1 / sqrt(n I(prevalence)), I = sum over reports of (P[y, 1] - P[y, 0])^2 / P(y).

    The expected-information standard error of the maximum likelihood estimate: put the estimate
    in for ``prevalence``, which must be in [0, 1]. For two reports this is
    sqrt(l (1 - l) / n) / |a|. 0 where a report that cannot occur would decide. Raises
    DesignError without two true levels, EstimationError or CountsError for the numbers.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.estimates import information_standard_error
    >>> round(information_standard_error(Warner(0.75), 0.4, 1000), 6)
    0.031464
    """
    matrix = channel_of(design).matrix
    if matrix.shape[1] != 2:
        raise DesignError("design", matrix.shape, "a prevalence needs two true levels: yes and no")
    share = float(checked_number("prevalence", prevalence, EstimationError))
    if not 0 <= share <= 1:
        raise EstimationError("prevalence", prevalence, "give a share from 0 to 1, clipped if need")
    size = checked_positive_number("n", n, CountsError)
    difference, chance = matrix[:, 1] - matrix[:, 0], matrix @ (1 - share, share)
    if np.any((chance == 0) & (difference != 0)):
        return 0.0
    possible = chance > 0
    information = float(np.sum(difference[possible] ** 2 / chance[possible]))
    if information == 0:
        raise DesignError("design", matrix.tolist(), "its reports say nothing about the share")
    return 1 / math.sqrt(size * information)


def kuk_standard_error(design: Kuk, counts: Counts) -> float | None:
    """f (1 - f) / ((k n - 1) (p1 - p2)^2) + (1 - 1/k) pi (1 - pi) / (n - 1), its square root.

    ``counts[r]`` people reported r of k red cards; f is the share of red cards, pi the moment
    estimate. None for n = 1, and where pi lies so far outside [0, 1] that the sum is negative.
    Kuk (1990), equation for the variance with k draws, with k n - 1 and n - 1 for k n and n.
    Raises CountsError.

    >>> from randomized_response.designs import Kuk
    >>> from randomized_response.estimates import kuk_standard_error
    >>> round(kuk_standard_error(Kuk(0.8, 0.2, 2), [450, 350, 200]), 6)
    0.020714
    """
    require_kind("design", design, Kuk, "give a Kuk design", DesignError)
    k = design.draws
    checked = checked_counts(counts, k + 1)
    n = sum(checked)
    if n == 1:
        return None
    red = sum(r * count for r, count in enumerate(checked)) / (k * n)
    slope = float(design.p_red_carrier - design.p_red_noncarrier)
    share = (red - float(design.p_red_noncarrier)) / slope
    cards = red * (1 - red) / ((k * n - 1) * slope**2)
    people = (1 - 1 / k) * share * (1 - share) / (n - 1)
    return math.sqrt(cards + people) if cards + people >= 0 else None
