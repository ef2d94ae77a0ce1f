"""CentralStatement: what published totals of randomized questions tell of one person, at most.

For a reader who sees the published totals and no more: a report hides among all others, so that its
epsilon is smaller than the question's own, with a small chance delta that it is not. It holds
against people who know the truths of all others. It does not hold against people who see single
responses, or tables by group.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..checks import (
    FloatArray,
    checked_entries,
    checked_number,
    checked_whole_number,
    require_kind,
)
from ..designs.channel import Channel
from ..designs.design import channel_of
from ..errors import DesignError
from .binary import ROUNDING, binary_pairs
from .levels import attacks, reductions

# A gain of less than a twentieth is none.
_NO_GAIN = 0.95
# Places of the losses of the question with the smallest and of the one with the largest on each
# side of 0, and the share of delta beyond the last.
_PLACES, _MOST_PLACES, _BEYOND = 200, 2_000, 1e-3


class _Curve(Protocol):
    def delta(self, epsilon: float) -> float: ...


class _Bound(_Curve, Protocol):
    def deltas(self, epsilons: FloatArray) -> FloatArray: ...


@dataclass(frozen=True)
class PublishedTotal:
    """The reports of one question, counted by level and published: its channel, and how many.

    A design may be given for its channel. Raises DesignError.
    """

    channel: Channel
    people: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "channel", channel_of(self.channel, "channel"))
        if checked_whole_number("people", self.people, DesignError) < 1:
            raise DesignError("people", self.people, "a total counts at least one person")


@dataclass(frozen=True)
class CentralStatement:
    """(epsilon, delta) of published totals together. ``lower``: what an attack surely reaches.

    ``questions`` are the questions' own epsilons, which hold for people who see more, and ``local``
    is their sum.
    """

    epsilon: float
    lower: float
    delta: float
    questions: tuple[float, ...]

    @property
    def local(self) -> float:
        """What all the questions' reports of one person together tell, at most."""
        return sum(self.questions)

    @property
    def gains(self) -> bool:
        """Whether the totals alone tell clearly less than the reports themselves."""
        return self.epsilon < _NO_GAIN * self.local


def central_statement(totals: Sequence[PublishedTotal], delta: float = 1e-6) -> CentralStatement:
    """What the totals of one or several questions, asked of the same people, tell of one of them.

    ``delta`` lies in (0, 1). Of one question with two levels exact up to 300 people, else within a
    half per cent; with more levels an upper bound. Raises DesignError.

    >>> from randomized_response.designs import TwoCoins
    >>> for people in (20, 1000):
    ...     total = central_statement([PublishedTotal(TwoCoins(2).channel, people)])
    ...     print(f"{total.epsilon:.3f} of {total.local:.3f}", total.gains)
    1.098 of 1.099 False
    0.142 of 1.099 True
    """
    chance = float(checked_number("delta", delta, DesignError))
    if not 0 < chance < 1:
        raise DesignError("delta", delta, "give a chance between 0 and 1")
    remedy = "give at least one PublishedTotal(design, people)"
    if not checked_entries("totals", totals, remedy, DesignError):
        raise DesignError("totals", 0, remedy)
    for total in totals:
        require_kind("totals", total, PublishedTotal, remedy, DesignError)
    questions = tuple(total.channel.epsilon for total in totals)
    local = sum(questions)
    lower = max(_epsilon(_lower_curves(total), chance) for total in set(totals))
    if len(totals) == 1:
        upper = _epsilon(_upper_curves(totals[0]), chance)
    else:
        upper = _composed(totals, chance)
    return CentralStatement(min(upper, local), min(lower, local), chance, questions)


def _epsilon(curves: Iterable[_Curve], delta: float) -> float:
    """The least epsilon that no curve takes above ``delta``: one curve at a time is beaten."""
    epsilon = 0.0
    for curve in curves:
        if curve.delta(epsilon) + ROUNDING <= delta:
            continue
        low, high = epsilon, epsilon + 1e-3
        while curve.delta(high) + ROUNDING > delta:
            low, high = high, 2 * high
            # e^700 is about the largest float: no epsilon that is a number is enough.
            if high > 700:
                return math.inf
        while high - low > 1e-6 * high:
            middle = (low + high) / 2
            if curve.delta(middle) + ROUNDING > delta:
                low = middle
            else:
                high = middle
        epsilon = high
    return epsilon


def _upper_curves(total: PublishedTotal) -> Iterator[_Bound]:
    """Curves whose largest is at least the delta of this total."""
    matrix = np.asarray(total.channel.matrix)
    if len(matrix) == 2:
        yield from (bound for _, bound in binary_pairs(total.people, *_ends(matrix)))
    else:
        yield from reductions(total.people, matrix)


def _lower_curves(total: PublishedTotal) -> Iterator[_Curve]:
    """Curves of truths that some others may have: each is reached."""
    matrix = np.asarray(total.channel.matrix)
    if len(matrix) == 2:
        yield from (attained for attained, _ in binary_pairs(total.people, *_ends(matrix)))
    else:
        yield from attacks(total.people, matrix)


def _ends(matrix: FloatArray) -> tuple[float, float]:
    """Two reports and any number of truths: those furthest apart are the worst."""
    return float(matrix[1].max()), float(matrix[1].min())


def _composed(totals: Sequence[PublishedTotal], delta: float) -> float:
    """Of several questions: their losses, discretised from above, are added.

    Each question's curve, the largest over all truths of the others, belongs to a pair of laws that
    dominates it; chords between its places lie above it and belong to a pair with losses at these
    places (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022). Pairs that dominate compose.
    """
    beyond = _BEYOND * delta / len(totals)
    curves = {total: list(_upper_curves(total)) for total in set(totals)}
    reach = {total: _epsilon(own, beyond) for total, own in curves.items()}
    ends = list(reach.values())
    if not all(math.isfinite(end) for end in ends):
        return math.inf
    if max(ends) == 0:
        return 0.0
    step = max(max(ends) / _MOST_PLACES, min(end for end in ends if end > 0) / _PLACES)
    masses, lost, places = np.ones(1), 0.0, 0
    laws = {
        total: _losses(own, max(1, math.ceil(reach[total] / step)), step)
        for total, own in curves.items()
    }
    for own, infinite in (laws[total] for total in totals):
        masses, places = np.convolve(masses, own), places + len(own) // 2
        lost = 1 - (1 - lost) * (1 - infinite)
    losses = np.asarray((np.arange(len(masses)) - places) * step, dtype=np.float64)
    return _epsilon([_Losses(losses, masses, lost)], delta)


@dataclass(frozen=True, eq=False)
class _Losses:
    """Losses with their probabilities (of the first law), and the mass at infinity."""

    losses: FloatArray
    masses: FloatArray
    infinite: float

    def delta(self, epsilon: float) -> float:
        kept = np.maximum(-np.expm1(np.minimum(epsilon - self.losses, 0.0)), 0.0)
        return float(self.masses @ kept) + self.infinite


def _losses(curves: Sequence[_Bound], places: int, step: float) -> tuple[FloatArray, float]:
    """The masses of the losses -places..places, times ``step``, and the one at infinity."""
    at = np.asarray(step * np.arange(places + 1), dtype=np.float64)
    above = np.max([curve.deltas(at) for curve in curves], axis=0) + ROUNDING
    # Below 0 by symmetry: delta(1 / x) = 1 - 1 / x + delta(x) / x.
    odds = np.exp(at)
    below = 1 - 1 / odds[:0:-1] + above[:0:-1] / odds[:0:-1]
    deltas = np.append(below, above)
    points = np.exp(step * np.arange(-places, places + 1))
    first = (deltas[0] - 1) / points[0]
    slopes = np.concatenate([[first], np.diff(deltas) / np.diff(points), [0.0]])
    return np.maximum(np.diff(slopes), 0.0) * points, float(deltas[-1])
