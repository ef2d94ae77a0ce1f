"""Non-negative least squares with a gram matrix: coordinate descent in sweeps, active sets.

h_i = argmin over h >= 0 of |v_i - W h|. Only W'W and W'v_i enter. Coordinate descent runs over all
respondents at once; the exact solution is then found on the support that it reached, and checked
by its optimality conditions; what fails them is solved by the active-set method of SciPy (Lawson
and Hanson 1974).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics.topics.checks import FloatArray

_SWEEPS = 200
_CONVERGED = 1e-10
_OPTIMAL = 1e-9
_PIECE = 16384


def solve(gram: FloatArray, products: FloatArray) -> FloatArray:
    """H (n, K) with rows argmin_{h >= 0} h'Gh - 2 h'b, for G = W'W (K, K) and b = W'v in rows.

    Exact to about 1e-9 of the largest product.
    """
    h = descend(gram, products, _SWEEPS, _CONVERGED)
    scale = max(1.0, float(np.abs(products).max(initial=0.0)))
    for support in np.unique(h > 0, axis=0):
        rows = np.flatnonzero(((h > 0) == support).all(axis=1))
        h[rows] = _on_support(gram, products[rows], support)
    gradient = h @ gram - products
    wrong = ((gradient < -_OPTIMAL * scale) | (np.abs(gradient * h) > _OPTIMAL * scale)).any(axis=1)
    for row in np.flatnonzero(wrong | (h < 0).any(axis=1)):
        h[row] = _active_set(gram, products[row])
    return h


def descend(
    gram: FloatArray, products: FloatArray, sweeps: int, tolerance: float = 0.0, start: Any = None
) -> FloatArray:
    """Coordinate descent from ``start`` (by default 0), all respondents at once.

    A row of the result depends on that row of ``products`` and on the number of sweeps alone if
    ``tolerance`` is 0.
    """
    h = np.zeros_like(products) if start is None else start.copy()
    diagonal = np.where(np.diag(gram) > 0, np.diag(gram), np.inf)
    for _ in range(sweeps):
        moved = 0.0
        for k in range(gram.shape[0]):
            change = np.maximum((products[:, k] - h @ gram[:, k]) / diagonal[k], -h[:, k])
            h[:, k] += change
            if tolerance:
                moved = max(moved, float(np.abs(change).max(initial=0.0)))
        if tolerance and moved <= tolerance * max(1.0, float(h.max(initial=0.0))):
            break
    return h


def descend_each(
    gram: FloatArray, products: NDArray[Any], sweeps: int, start: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Coordinate descent whose result for a row does not depend on other rows, to the bit.

    Matrix products round differently at the edges of a block; here every coordinate is worked out
    entry by entry, in a fixed order, in pieces that stay in the processor's cache. The result has
    the shape and precision of ``products`` (n, K), as has ``start``, by default 0.
    """
    result = np.zeros_like(products) if start is None else start
    for first in range(0, len(products), _PIECE):
        piece = slice(first, first + _PIECE)
        h, b = (np.ascontiguousarray(rows[piece].T) for rows in (result, products))
        result[piece] = _swept(gram.tolist(), b, h, sweeps).T
    return result


def _swept(
    gram: list[list[float]], products: NDArray[Any], h: NDArray[Any], sweeps: int
) -> NDArray[Any]:
    """``products`` and ``h`` are (K, n); h is moved in place."""
    part = np.empty_like(products[0])
    for _ in range(sweeps):
        for k, row in enumerate(gram):
            free = products[k].copy()
            for j, entry in enumerate(row):
                if j != k and entry:
                    np.multiply(h[j], entry, out=part)
                    free -= part
            np.maximum(free, 0, out=h[k])
            h[k] /= row[k] if row[k] > 0 else np.inf
    return h


def _on_support(
    gram: FloatArray, products: FloatArray, support: np.ndarray[Any, Any]
) -> FloatArray:
    result = np.zeros_like(products)
    inside = np.flatnonzero(support)
    if inside.size:
        block = gram[np.ix_(inside, inside)]
        solved = np.linalg.lstsq(block, products[:, inside].T, rcond=None)[0].T
        result[:, inside] = solved
    return result


def _active_set(gram: FloatArray, product: FloatArray) -> FloatArray:
    """The same problem with a square root of G for W: G = RR', W = R', v = R^+ b."""
    # SciPy's optimize takes a quarter of a second to load; few processes make reports.
    from scipy.optimize import nnls

    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-13 * max(values[-1], 1e-300)
    root = vectors[:, kept] * np.sqrt(values[kept])
    target = np.linalg.lstsq(root, product, rcond=None)[0]
    return np.asarray(nnls(root.T, target)[0])
