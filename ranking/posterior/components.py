"""How much items differ, and how much ratings of one item differ: variance components.

y_i is an item's mean utility, n_i its number of ratings, w the pooled variance within items. The
estimate of the variance between items is that of one-way analysis of variance with unequal groups
(Henderson's first method, 1953); its standard error is the one at no difference. With a regressor
x the variance between items is that around the line through their means, weighted by n_i
(Henderson's third method): with h_i the weight of y_i in its own fitted value, the weighted sum of
squared residuals has expectation (items - 2) w + tau^2 sum_i n_i (1 - h_i).
"""

from dataclasses import dataclass

import numpy as np

from ranking.posterior.checks import FloatArray
from ranking.posterior.errors import RatingsError
from surveys.randomized_response.messages import sentence

TOO_EVEN = sentence(
    "all items have the same number of ratings, except one at most. So the data cannot show "
    "whether items with more ratings are rated better or worse. Choose other ghost ratings"
)


@dataclass(frozen=True)
class VarianceComponents:
    """``sizes`` and ``means`` (items,), nan without ratings; ``within`` w; ``between`` tau^2 >= 0.

    ``between_upper`` is tau^2 plus its standard error at tau^2 = 0.
    """

    sizes: FloatArray
    means: FloatArray
    within: float
    between: float
    between_upper: float


def variance_components(
    counts: FloatArray, utilities: FloatArray, regressor: FloatArray | None = None
) -> VarianceComponents:
    """From counts (items, levels), utilities (levels,) and a regressor (items,), if there is one.

    Raises RatingsError.
    """
    # From their middle: utilities far from 0 would lose their variance to rounding.
    middle = float(utilities.mean())
    gaps = utilities - middle
    powers = np.stack([np.ones_like(gaps), gaps, gaps**2], axis=1)
    sizes, sums, squares = (counts @ powers).T
    rated = sizes > 0
    n, items = sizes[rated], int(np.count_nonzero(rated))
    if items < 2:
        remedy = sentence(
            "the differences between items can be learned only if at least two items have "
            "ratings. Choose fixed ghost ratings"
        )
        raise RatingsError("counts", sentence("{items} item(s) with ratings", items=items), remedy)
    if n.sum() - items <= 0:
        remedy = sentence(
            "no item has more than one rating, so real differences between items cannot be "
            "separated from chance. Choose fixed ghost ratings"
        )
        raise RatingsError("counts", f"{n.sum():g} ratings", remedy)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(rated, sums / sizes, np.nan)
    y = means[rated]
    within = max(0.0, float((squares[rated] - n * y**2).sum())) / float(n.sum() - items)
    gaps_of_means = y - float(sums.sum() / n.sum())
    residuals, leverages, free = _residuals(
        n, gaps_of_means, None if regressor is None else regressor[rated]
    )
    scale = float(n.sum() - leverages)
    between = max(0.0, (float(n @ residuals**2) - free * within) / scale)
    upper = between + within * float(np.sqrt(2 * free)) / scale
    return VarianceComponents(sizes, middle + means, within, between, upper)


def _residuals(
    n: FloatArray, gaps: FloatArray, x: FloatArray | None
) -> tuple[FloatArray, float, int]:
    """What a line in x leaves of the gaps of means of n ratings from their average.

    With sum_i n_i h_i, and the degrees of freedom that are left. Raises RatingsError.
    """
    leverages, free = float((n @ n) / n.sum()), len(n) - 1
    if x is None:
        return gaps, leverages, free
    # An item alone with its x decides the line through its own mean: nothing would be left of it.
    if np.unique(x, return_counts=True)[1].max() > len(n) - 2:
        raise RatingsError("counts", sentence("(table)"), TOO_EVEN)
    x = x - n @ x / n.sum()
    spread = float(n @ x**2)
    slope = float(n @ (x * gaps)) / spread
    return gaps - slope * x, leverages + float(n**2 @ x**2) / spread, free - 1
