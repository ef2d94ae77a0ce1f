"""Pairs of cells: what replacing one respondent is charged, and the weights that are best for it.

A set A of questions that is charged m_A for one respondent more or fewer has columns whose squared
norm, in units of its noise, is at most m_A^2: those of (x)_{i in A} R_i. Replacing a respondent in
one cell by one in another moves it by |a|^2 + |b|^2 - 2 a.b. Products of columns are products over
the questions. Let the agreement of question i, rho_i, be the least product of two columns of R_i,
relative to the largest squared norm of one: -1 / (levels - 1) for counts. The sum over all sets is
linear in each question's product, so that it is largest at an end, 1 or rho_i, of each:

    mu^2 = max over sets S of questions of  sum_A 2 m_A^2 (1 - prod_{i in A and in S} rho_i).

S are the questions in which the two respondents differ as much as they can. This is exact where the
columns of a question have equal norms: always for counts, and up to rounding to integers for CDFs
and ranges (``residuals``). Elsewhere it is an upper bound.

With an error of r_A^2 / m_A^2 for each set, the best m_A^2 at mu = 1 have a dual: with weights
w_S >= 0, sum 1, and c_SA = 2 (1 - prod rho_i), by Cauchy and Schwarz no m_A^2 have an error below

    (sum_A r_A sqrt(sum_S w_S c_SA))^2.

Only the S that matter are written down: the worst that are missing are added until the bound is
met. For counts this bounds every strategy with Gaussian noise: the average of a best one over all
orders of each question's levels is no worse, and is given by the m_A^2 alone.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from analytics.workloads.checks import FloatArray
from surveys.randomized_response.threads import on_one_thread

Places = tuple[int, ...]
Rows = NDArray[np.bool_]

# All 2^18 sets of so many questions are tried in some 30 ms. Of more that hang together, the sets
# of tables are charged in parts: 20 questions of 4 levels, all pairs, 3 % above the maximum.
MOST_TRIED = 18
# All S of so many questions are written down at once.
_MOST_WRITTEN = 8
_ADDED = 64
# A table of 10 questions with all its 1,023 sets takes a second; the bound is not met by more.
_MOST_ENTRIES = 400_000
# Of the error of weights, over its bound: 0.05 % of a margin.
_GAP = 1e-3
_UNUSED = 1e-3
# Far above the rounding of sums over the sets, far below what anyone is charged.
_ROUNDING = 1e-12
# Newton's steps: the barrier falls by this factor each time its own minimum is near.
_FALL = 8.0
_NEAR = 0.1
_SHORTEST = 1e-6
# 15 to 25 are enough; what is returned is scaled and certified by itself.
_MOST_STEPS = 200
_ENOUGH = 0.1


def replaced(
    charges: Mapping[Places, float], agreements: Sequence[float], across: float = 1.0
) -> float:
    """mu of replacing a respondent, from what each set is charged for one more or fewer.

    ``agreements`` holds rho of each question, -1 to 1. Where the two respondents may differ in
    their openings too, ``across`` is that of the openings: a factor of all products.
    """
    squares = {chosen: charge**2 for chosen, charge in charges.items() if chosen}
    total = math.fsum(squares.values())
    least = sum(
        float(_products(sets, [squares[chosen] for chosen in sets], agreements).min())
        for linked in _linked(squares)
        for sets in _tried(linked)
    )
    apart = total - min(least, across * least, across * total)
    return math.sqrt(2 * apart) * (1 + _ROUNDING)


@dataclass(frozen=True, eq=False)
class PairWeights:
    """``shares``: m_A^2 at mu = 1; their error, and what no shares can go below."""

    shares: dict[Places, float]
    error: float
    lower: float


@on_one_thread
def pair_weights(errors: Mapping[Places, float], agreements: Sequence[float]) -> PairWeights:
    """The best shares of the sets where replacing a respondent is hidden, within 0.1 %.

    ``errors`` holds r_A of each set, above 0. The empty set is public, and left out. Sets that
    share no question, not even through others, are planned apart: their worst cells come together.
    """
    parts = [
        _best_of(sets, np.array([errors[chosen] for chosen in sets]), agreements)
        for sets in _linked(chosen for chosen in errors if chosen)
    ]
    roots = [math.sqrt(part.error) for part in parts]
    total = math.fsum(roots)
    shares = {
        chosen: share * root / total
        for part, root in zip(parts, roots, strict=True)
        for chosen, share in part.shares.items()
    }
    return PairWeights(shares, total**2, math.fsum(math.sqrt(part.lower) for part in parts) ** 2)


def _best_of(sets: list[Places], errors: FloatArray, agreements: Sequence[float]) -> PairWeights:
    """The best shares of sets that hang together; those for one more or fewer are candidates."""
    questions = _questions(sets)
    holds = np.array([[position in chosen for position in questions] for chosen in sets])
    ends = np.array([agreements[position] for position in questions])
    shares, written, lower = _scaled(sets, errors, agreements), _first(len(questions)), 0.0
    while True:
        # c_SA, a row for each S.
        moved = np.array([2 * (1 - np.where(holds & s, ends, 1.0).prod(axis=1)) for s in written])
        tried, weights = _least(moved, errors)
        tried = _scaled(sets, tried, agreements)
        shares = min(shares, tried, key=lambda those: float((errors**2 / those).sum()))
        error = float((errors**2 / shares).sum())
        lower = max(lower, float(errors @ np.sqrt(weights @ moved)) ** 2 / float(weights.sum()))
        is_met = error <= lower * (1 + _GAP)
        if is_met or len(questions) > MOST_TRIED or moved.size > _MOST_ENTRIES:
            return PairWeights(dict(zip(sets, shares.tolist(), strict=True)), error, lower)
        used = written[weights > _UNUSED * weights.max()]
        written = np.unique(np.vstack([used, _worst(sets, tried, agreements)]), axis=0)


def _scaled(sets: list[Places], shares: FloatArray, agreements: Sequence[float]) -> FloatArray:
    """The same shares in proportion, for a mu of 1."""
    charges = dict(zip(sets, np.sqrt(shares).tolist(), strict=True))
    return shares / replaced(charges, agreements) ** 2


def _first(questions: int) -> Rows:
    """The S to begin with, a row each: all of few questions; of more, some of every size."""
    if questions <= _MOST_WRITTEN:
        return np.array(list(product([False, True], repeat=questions))[1:])
    sizes = np.linspace(0.3, 1.0, _ADDED)[:, None]
    drawn = np.random.default_rng(0).random((_ADDED, questions)) < sizes
    return np.vstack([np.eye(questions, dtype=bool), drawn])


def _worst(sets: list[Places], shares: FloatArray, agreements: Sequence[float]) -> Rows:
    """The worst of all S at these shares, a row each, and some of those that are next to it."""
    products = _products(sets, shares, agreements)
    order = np.argsort(products.ravel())
    near = 2 * (shares.sum() - products.ravel()[order]) > 1 - _GAP
    picked = np.linspace(0, max(int(near.sum()) - 1, 0), _ADDED).astype(int)
    return np.array(np.unravel_index(order[np.unique(picked)], products.shape), dtype=bool).T


def _least(moved: FloatArray, errors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Shares s of the least sum errors^2 / s with ``moved`` s <= 1, and dual weights of the rows.

    Newton's method inside the constraints with a logarithmic barrier: barrier / slack are weights
    of the dual, and rows times barrier bounds the gap (Boyd and Vandenberghe 2004, section 11.2).
    """
    shares = errors / (2 * float((moved @ errors).max()))
    barrier = float((errors**2 / shares).sum()) / len(moved)
    for _ in range(_MOST_STEPS):
        slack = 1 - moved @ shares
        weights = barrier / slack
        slope = weights @ moved - (errors / shares) ** 2
        bend = 2 * errors**2 / shares**3
        # (diag bend + C' diag (weights / slack) C)^-1 by Woodbury's identity: S are fewer than A.
        scaled = moved / bend
        inner = np.diag(slack / weights) + scaled @ moved.T
        step = np.linalg.solve(inner, scaled @ slope) @ scaled - slope / bend
        promised = -float(slope @ step)
        start = _hindered(shares, moved, errors, barrier)
        length = 1.0
        while (
            length > _SHORTEST
            and _hindered(shares + length * step, moved, errors, barrier)
            > start - _ENOUGH * length * promised
        ):
            length /= 2
        shares = shares + length * step
        if length <= _SHORTEST or promised < _NEAR * barrier * len(moved):
            if barrier * len(moved) < _GAP / _FALL * float((errors**2 / shares).sum()):
                break
            barrier /= _FALL
    return shares, barrier / (1 - moved @ shares)


def _hindered(shares: FloatArray, moved: FloatArray, errors: FloatArray, barrier: float) -> float:
    """The error and the barrier: infinite outside the constraints."""
    slack = 1 - moved @ shares
    if min(shares.min(), slack.min()) <= 0:
        return math.inf
    return float((errors**2 / shares).sum() - barrier * np.log(slack).sum())


def _products(
    sets: Sequence[Places], squares: Sequence[float] | FloatArray, agreements: Sequence[float]
) -> FloatArray:
    """sum_A m_A^2 prod_{i in A and in S} rho_i for every S: an axis of 2 for each question."""
    questions = _questions(sets)
    values = np.zeros((2,) * len(questions))
    for chosen, square in zip(sets, squares, strict=True):
        values[tuple(int(position in chosen) for position in questions)] = square
    for axis, position in enumerate(questions):
        without, within = np.moveaxis(values, axis, 0)
        values = np.stack([without + within, without + agreements[position] * within], axis)
    return values


def _questions(sets: Iterable[Places]) -> list[int]:
    return sorted({position for chosen in sets for position in chosen})


def _linked(sets: Iterable[Places]) -> list[list[Places]]:
    """Sets that share questions, directly or through others, together; in a fixed order."""
    leaders: dict[int, int] = {}

    def leader(position: int) -> int:
        while leaders.setdefault(position, position) != position:
            position = leaders[position]
        return position

    ordered = sorted(sets)
    for chosen in ordered:
        for position in chosen:
            leaders[leader(position)] = leader(chosen[0])
    parts: dict[int, list[Places]] = {}
    for chosen in ordered:
        parts.setdefault(leader(chosen[0]), []).append(chosen)
    return list(parts.values())


def _tried(sets: Iterable[Places]) -> list[list[Places]]:
    """Sets that hang together, in parts of few enough questions: mostly in one."""
    parts: list[tuple[set[int], list[Places]]] = []
    for chosen in sets:
        for questions, inside in parts:
            if len(questions.union(chosen)) <= MOST_TRIED:
                questions.update(chosen)
                inside.append(chosen)
                break
        else:
            parts.append((set(chosen), [chosen]))
    return [inside for _, inside in parts]
