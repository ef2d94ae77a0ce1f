"""The maximum of a hidden trait's likelihood: from several starts, identified or refused."""

import numpy as np

from ..checks import FloatArray
from .latent_trait import TraitData, TraitPoint
from .scoring import Box, Flat, Unsettled, maximise
from .truth import starting_shares

_UNIDENTIFIED = 1e-8
_LONGEST_MOVE = 3.0
# ln of a residual deviation, as a part of the outcome's own, that only rounding keeps above 0.
_REVEALED = float(np.log(1e-6))


class Revealed(Exception):
    """The outcome is explained by the trait alone: the likelihood has no upper bound."""


def best_maximum(data: TraitData, starts: list[FloatArray]) -> tuple[TraitPoint, int]:
    """The highest maximum and its iterations; a start that finds none is passed over.

    Raises Flat where the likelihood does not hold a coefficient back, Unsettled without a maximum,
    and at once Revealed where the residual variance of an outcome with variance 1 falls to 0.
    """
    found: list[tuple[TraitPoint, int]] = []
    failed: list[Flat | Unsettled] = []
    box = Box(np.full(data.size, -np.inf), np.full(data.size, np.inf))
    for start in starts:
        try:
            point, iterations = maximise(data.at, start, box, _safe_part)
            _check_identified(point)
            found.append((point, iterations))
        except (Flat, Unsettled) as failure:
            failed.append(failure)
    if not found:
        raise failed[0]
    return max(found, key=lambda one: one[0].log_likelihood)


def starting_trait(data: TraitData) -> FloatArray:
    """The trait's parameters at which all people have the shares of a few EM steps: (size,)."""
    shares = starting_shares(data.reports)
    eta = np.log(shares[1:] / shares[0])
    return np.asarray(np.outer(eta, data.rows.mean(axis=1)).ravel())


def _check_identified(point: TraitPoint) -> None:
    """EM's steps end wherever the slope is 0; a maximum needs the observed information, too.

    Effects on a numeric outcome count in residual deviations: a small deviation makes the
    information about them large, and that about the trait no smaller.
    """
    data, units = point.data, np.ones_like(point.parameters)
    if data.has_spread:
        units[data.trait_size : -1] = np.exp(point.parameters[-1])
    values, vectors = np.linalg.eigh(point.observed * np.outer(units, units))
    largest = float((point.expected.diagonal() * units**2).max())
    if not values[0] > _UNIDENTIFIED * largest:
        raise Flat(units * vectors[:, 0], point.parameters)


def _safe_part(point: TraitPoint, step: FloatArray) -> float:
    """No linear predictor of the trait moves further at once than a few units."""
    data = point.data
    if data.has_spread and point.parameters[-1] < _REVEALED:
        raise Revealed
    blocks = step[: data.trait_size].reshape(data.levels - 1, -1)
    move = float(np.abs(blocks @ data.rows).max(initial=0.0))
    move = max(move, float(np.abs(step[data.trait_size :]).max(initial=0.0)))
    return min(1.0, _LONGEST_MOVE / move) if move > 0 else 1.0
