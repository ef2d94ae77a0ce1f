"""Estimated shares made presentable, with bias: simplex projection, clipping, additive.

None is applied silently: estimates, sums and exports stay unbiased.
"""

from collections.abc import Sequence

import numpy as np

from ..checks import FloatArray
from ..columns import checked_floats
from ..errors import EstimationError


def project_to_simplex(shares: Sequence[float] | FloatArray) -> FloatArray:
    """The distribution nearest to the shares in Euclidean distance. Source: Duchi et al. (2008).

    >>> from randomized_response.estimates import project_to_simplex
    >>> project_to_simplex([0.7, 0.5, -0.2]).round(4).tolist()
    [0.6, 0.4, 0.0]
    """
    values = _finite_shares(shares)
    descending = np.sort(values)[::-1]
    excess = (np.cumsum(descending) - 1) / np.arange(1, len(values) + 1)
    shift = excess[np.nonzero(descending > excess)[0][-1]]
    return np.asarray(np.maximum(values - shift, 0.0))


def clip_and_renormalise(shares: Sequence[float] | FloatArray) -> FloatArray:
    """Negative shares become 0, then all are divided by their sum.

    >>> from randomized_response.estimates import clip_and_renormalise
    >>> clip_and_renormalise([0.7, 0.5, -0.2]).round(4).tolist()
    [0.5833, 0.4167, 0.0]
    """
    positive = np.maximum(_checked_shares(shares), 0.0)
    return np.asarray(positive / positive.sum())


def additive_normalise(shares: Sequence[float] | FloatArray) -> FloatArray:
    """Negative shares become 0, then every positive one is changed by the same amount.

    One pass: the sum is 1, but a small positive share may end below 0.

    >>> from randomized_response.estimates import additive_normalise
    >>> additive_normalise([0.7, 0.5, -0.2]).round(4).tolist()
    [0.6, 0.4, 0.0]
    """
    values = _checked_shares(shares)
    positive = values > 0
    surplus = values[positive].sum() - 1
    return np.where(positive, values - surplus / positive.sum(), 0.0)


def _checked_shares(shares: Sequence[float] | FloatArray) -> FloatArray:
    values = _finite_shares(shares)
    if not (values > 0).any():
        raise EstimationError("shares", shares, "give at least one share above 0, or project them")
    return values


def _finite_shares(shares: Sequence[float] | FloatArray) -> FloatArray:
    values = checked_floats("shares", shares, EstimationError)
    if values.ndim != 1 or len(values) == 0 or not np.isfinite(values).all():
        raise EstimationError("shares", shares, "give finite shares, at least one")
    return values
