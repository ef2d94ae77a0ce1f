"""Unions of Kronecker products: several product strategies on the same cells, searched together.

A = [w_1 B_11 (x) ... (x) B_1d; w_2 B_21 (x) ... ; ...] with unit columns in every B and sum w^2 = 1
has every column of norm 1. Its Gram matrix is X = sum_t w_t^2 (x)_i B_ti' B_ti, and the error
tr(V X^-1) has the exact gradient -X^-1 V X^-1 in X, which goes to a factor by contraction with the
others (the chain rule of McKenna 2017, section 2.2, without its samples). Not convex: the best of
several starts; compare the bracket of ``duals``.
"""

import math
from dataclasses import dataclass

import numpy as np

from analytics.workloads.asks import Tables, kronecker
from analytics.workloads.checks import FloatArray
from analytics.workloads.duals import MOST_OPTIMISED
from analytics.workloads.errors import WorkloadError
from analytics.workloads.searches.descents import descend
from surveys.randomized_response.threads import on_one_thread

_STARTS = 4
_MOST_STEPS = 2_000


@dataclass(frozen=True, eq=False)
class KroneckerUnion:
    """``factors[t][i]`` is B_ti, with unit columns; ``weights`` are w_t; ``error`` is E_2."""

    factors: tuple[tuple[FloatArray, ...], ...]
    weights: FloatArray
    error: float

    def matrix(self) -> FloatArray:
        """The strategy written out, rows x cells, columns of norm 1."""
        pairs = zip(self.weights, self.factors, strict=True)
        return np.vstack([weight * kronecker(factors) for weight, factors in pairs])


@on_one_thread
def plan_union(
    tables: Tables, rng: np.random.Generator, products: int = 2, starts: int = _STARTS
) -> KroneckerUnion:
    """The best union of ``products`` found for tables with at most 1,024 cells. WorkloadError."""
    if tables.cells > MOST_OPTIMISED:
        remedy = f"this method plans for at most {MOST_OPTIMISED:,} cells"
        raise WorkloadError("cells", f"{tables.cells:,}", remedy)
    if products < 1 or starts < 1:
        raise WorkloadError("products", products, "search at least one product from one start")
    problem = _KroneckerProblem(tables.sizes, tables.gram(), products)
    return min((problem.descend(problem.start(rng)) for _ in range(starts)), key=_error)


@dataclass(frozen=True, eq=False)
class _KroneckerProblem:
    sizes: tuple[int, ...]
    gram: FloatArray
    products: int

    def start(self, rng: np.random.Generator) -> FloatArray:
        """Identities under random rows, and even weights."""
        blocks = [np.eye(n) + rng.random((n, n)) for _ in range(self.products) for n in self.sizes]
        return np.concatenate([np.zeros(self.products), *(block.ravel() for block in blocks)])

    def descend(self, start: FloatArray) -> KroneckerUnion:
        """What L-BFGS finds from a start."""
        point, least = descend(self._slope, start, _MOST_STEPS)
        logs, blocks = self._read(point)
        unit = tuple(tuple(block / np.linalg.norm(block, axis=0) for block in b) for b in blocks)
        return KroneckerUnion(unit, np.sqrt(_shares(logs)), math.exp(least))

    def _read(self, point: FloatArray) -> tuple[FloatArray, list[list[FloatArray]]]:
        start, blocks = self.products, []
        for _ in range(self.products):
            row = []
            for n in self.sizes:
                row.append(point[start : start + n * n].reshape(n, n))
                start += n * n
            blocks.append(row)
        return point[: self.products], blocks

    def _slope(self, point: FloatArray) -> tuple[float, FloatArray]:
        """log tr(V X^-1) and its gradient in the parameters."""
        logs, blocks = self._read(point)
        shares = _shares(logs)
        norms = [[np.linalg.norm(block, axis=0) for block in row] for row in blocks]
        units = [
            [block / norm for block, norm in zip(*pair, strict=True)]
            for pair in zip(blocks, norms, strict=True)
        ]
        grams = [[unit.T @ unit for unit in row] for row in units]
        products = [kronecker(row) for row in grams]
        inverse = np.linalg.inv(np.tensordot(shares, np.array(products), 1))
        error = float(np.sum(self.gram * inverse))
        upward = -(inverse @ self.gram @ inverse) / error
        by_share = np.array([np.sum(upward * product) for product in products])
        slopes = [shares * (by_share - shares @ by_share)]
        for share, row, row_norms, row_grams in zip(shares, units, norms, grams, strict=True):
            for factor, (unit, norm) in enumerate(zip(row, row_norms, strict=True)):
                by_gram = share * self._contracted(upward, row_grams, factor)
                by_unit = 2 * unit @ by_gram
                inward = by_unit - unit * (unit * by_unit).sum(axis=0)
                slopes.append((inward / norm).ravel())
        return math.log(error), np.concatenate(slopes)

    def _contracted(self, upward: FloatArray, grams: list[FloatArray], factor: int) -> FloatArray:
        """The gradient in one factor's Gram matrix: the others are multiplied in and summed."""
        before = kronecker(grams[:factor])
        after = kronecker(grams[factor + 1 :])
        n, left, right = self.sizes[factor], len(before), len(after)
        blocks = upward.reshape(left, n, right, left, n, right)
        return np.asarray(np.einsum("aibcjd,ac,bd->ij", blocks, before, after, optimize=True))


def _shares(logs: FloatArray) -> FloatArray:
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _error(union: KroneckerUnion) -> float:
    return union.error
