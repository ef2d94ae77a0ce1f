"""The noise of loadings, by simulation on the released matrix: free post-processing.

No formula follows the noise through an imputed diagonal, a cut spectrum and a factorisation, so it
is drawn anew: matrices like the released one, with noise of the same width, are factorised as it
was, and the spread of their loadings is the noise that a report states.
"""

import numpy as np

from analytics.topics.checks import FloatArray
from analytics.topics.coherence import top_words
from analytics.topics.spectrum import Spectrum, find_spectrum, find_topics

_DRAWS = 12
# The variance of what the topics leave unexplained that stays in a simulated matrix; the rest is
# drawn anew, so that all of it is as noisy as the released one. With nothing kept, weak directions
# that compete with a topic are missing, and the stated noise of unclear topics is too small; with
# most of it kept, it is too large. ``benchmarks.topics --noise`` prints what this gives.
_KEPT = 0.4
_TOP = 10
_ONE_DEVIATION = (0.1587, 0.8413)
# Quantiles of twelve numbers lie closer together than a law's: 1.14 times for normal ones. With
# 1.05 the noise stated is that of new draws in the middle over four corpora at epsilon 2 and 4.
_OF_TWELVE = 1.05


def simulate_noise(
    co_occurrence: FloatArray,
    spectrum: Spectrum,
    loadings: FloatArray,
    *,
    asked: int,
    tried: int,
    start: int,
) -> FloatArray:
    """Standard deviations (D, K) of ``loadings`` (D, K), unit columns found in ``spectrum``.

    ``co_occurrence`` (D, D) is the released matrix, ``asked`` the number of topics for which its
    spectrum was found; ``tried`` topics were factorised, from the seed ``start``, before some were
    put together. A loading near 0 is cut at 0, which hides half of its noise: words outside a
    topic's first ten have at least the root mean square of theirs.
    """
    fitted = spectrum.matrix(loadings.shape[1] + 1)
    base = fitted + _KEPT**0.5 * (co_occurrence - fitted)
    fresh = (1 - _KEPT) ** 0.5
    draws, rng = [], np.random.default_rng(start)
    for _ in range(_DRAWS):
        noisy = base + _symmetric(len(base), fresh * spectrum.offdiagonal_sd, rng)
        simulated = find_spectrum(noisy, spectrum.offdiagonal_sd, asked)
        draws.append(_matched(loadings, find_topics(simulated, tried, start)))
    return _floored(_spread(np.array(draws)) / fresh, loadings)


def _symmetric(size: int, sd: float, rng: np.random.Generator) -> FloatArray:
    """Noise of this width off the diagonal, which is ignored and stays 0."""
    above = np.triu(rng.normal(0, sd, (size, size)), 1)
    return np.asarray(above + above.T)


def _matched(loadings: FloatArray, others: FloatArray) -> FloatArray:
    """Columns of ``others`` in the order of the ``loadings`` most like them, NaN without one."""
    # SciPy's optimize takes a quarter of a second to load; few processes make reports.
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(loadings.T @ others, maximize=True)
    result = np.full_like(loadings, np.nan)
    result[:, rows] = others[:, columns]
    return result


def _spread(draws: FloatArray) -> FloatArray:
    """Standard deviations (D, K) over draws (n, D, K); 1 for a topic that fewer than 2 draws have.

    Half the distance between the quantiles that lie one deviation from the middle of a normal law:
    a draw in which topics change places would alone make up most of a variance. 1 is the length of
    a column: nothing is known of such a topic's words.
    """
    often = (~np.isnan(draws[:, 0, :])).sum(axis=0) > 1
    result = np.ones(draws.shape[1:])
    low, high = np.nanquantile(draws[:, :, often], _ONE_DEVIATION, axis=0)
    result[:, often] = (high - low) / 2 * _OF_TWELVE
    return result


def _floored(noise: FloatArray, loadings: FloatArray) -> FloatArray:
    result = noise.copy()
    for k, top in enumerate(top_words(loadings, _TOP)):
        outside = np.ones(len(noise), dtype=bool)
        outside[top] = False
        least = float(np.sqrt(np.mean(noise[top, k] ** 2))) if top else 0.0
        result[outside, k] = np.maximum(noise[outside, k], least)
    return result
