"""How much items differ, and how much ratings of one item differ: variance components.

y_i is an item's mean utility, n_i its number of ratings, w the pooled variance within items. The
estimate of the variance between items is that of one-way analysis of variance with unequal groups
(Henderson's first method, 1953); its standard error is the one at no difference.
"""

from dataclasses import dataclass

import numpy as np

from ranking.posterior.checks import FloatArray
from ranking.posterior.errors import RatingsError
from surveys.randomized_response.messages import sentence


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


def variance_components(counts: FloatArray, utilities: FloatArray) -> VarianceComponents:
    """From counts (items, levels) and utilities (levels,). Raises RatingsError."""
    # From their middle: utilities far from 0 would lose their variance to rounding.
    middle = float(utilities.mean())
    gaps = utilities - middle
    powers = np.stack([np.ones_like(gaps), gaps, gaps**2], axis=1)
    sizes, sums, squares = (counts @ powers).T
    rated = sizes > 0
    n, items = sizes[rated], int(np.count_nonzero(rated))
    if items < 2:
        remedy = sentence(
            "at least two items need ratings to learn how items differ: fix the prior"
        )
        raise RatingsError("counts", sentence("{items} item(s) with ratings", items=items), remedy)
    if n.sum() - items <= 0:
        remedy = sentence(
            "no item has two ratings, so nothing separates chance from difference: fix the prior"
        )
        raise RatingsError("counts", f"{n.sum():g} ratings", remedy)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(rated, sums / sizes, np.nan)
    y = means[rated]
    within = max(0.0, float((squares[rated] - n * y**2).sum())) / float(n.sum() - items)
    scale = float(n.sum() - (n @ n) / n.sum())
    pool = float(sums.sum() / n.sum())
    between = max(0.0, (float(n @ (y - pool) ** 2) - (items - 1) * within) / scale)
    upper = between + within * float(np.sqrt(2 * (items - 1))) / scale
    return VarianceComponents(sizes, middle + means, within, between, upper)
