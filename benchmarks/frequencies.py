"""How long it takes to count 10^6 reports over 100 options, beside a bare numpy count of the same.

    python -m benchmarks.frequencies

k-ary reports, a byte each as drawn, are compared with ``np.bincount``, and the same reports as
64-bit integers too, OUE reports with the column sum of the same bits,
one byte each. Both are checked for what they are: the bare counts check nothing. Rounds of ours
and the bare count alternate, so that a busy machine slows both; the median ratio is printed.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np

from surveys.randomized_response.designs import GRR, OUE, KAry, TwoCoins, Warner
from surveys.randomized_response.estimates import (
    estimate_distribution,
    estimate_frequencies,
    estimate_prevalence,
)

REPORTS, OPTIONS, EPSILON = 10**6, 100, 1.0
ROUNDS = 7
REPEATS = 500
AIM_RATIO, AIM_SECONDS = 1.2, 100e-6


@dataclass(frozen=True)
class Ratio:
    """Median seconds of ours and of the bare count, and the median of the rounds' ratios."""

    name: str
    ours: float
    bare: float
    ratio: float


def measure_grr() -> Ratio:
    """Counting k-ary reports, as they are drawn, against ``np.bincount``."""
    return _grr("GRR / np.bincount", None)


def measure_grr_wide() -> Ratio:
    """The same reports as 64-bit integers, for which ``np.bincount`` is made."""
    return _grr("the same, 64 bits", np.int64)


def _grr(name: str, dtype: type | None) -> Ratio:
    protocol = GRR.from_epsilon(OPTIONS, EPSILON)
    drawn = protocol.draw(_true_levels(), np.random.default_rng(1))
    reports = drawn if dtype is None else drawn.astype(dtype)
    return _compared(
        name,
        lambda: protocol.aggregate(reports),
        lambda: np.bincount(reports, minlength=OPTIONS),
    )


def measure_oue() -> Ratio:
    """Counting packed OUE reports against the column sum of the same bits, unpacked before."""
    protocol = OUE.from_epsilon(OPTIONS, EPSILON)
    reports = protocol.draw(_true_levels(), np.random.default_rng(2))
    bits = protocol.supports(reports)
    return _compared(
        "OUE / column sum", lambda: protocol.aggregate(reports), lambda: bits.sum(axis=0)
    )


def measure_univariate() -> dict[str, float]:
    """Median seconds for estimate, standard error and default interval from counts."""
    return {
        "two coins, yes/no": _seconds(lambda: _prevalence(TwoCoins(2))),
        "Warner, yes/no": _seconds(lambda: _prevalence(Warner(0.75))),
        "k-ary, one of 4": _seconds(_one_of_four),
        "OUE, one of 4": _seconds(_frequency),
    }


def _true_levels() -> np.ndarray:
    return np.random.default_rng(0).integers(0, OPTIONS, size=REPORTS)


def _compared(name: str, ours: Callable[[], object], bare: Callable[[], object]) -> Ratio:
    _ = ours(), bare()
    rounds = [(_timed(ours), _timed(bare)) for _ in range(ROUNDS)]
    mine, theirs = (median(column) for column in zip(*rounds, strict=True))
    return Ratio(name, mine, theirs, median(a / b for a, b in rounds))


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _seconds(call: Callable[[], object]) -> float:
    call()
    return median(_timed(call) for _ in range(REPEATS))


def _prevalence(design: TwoCoins | Warner) -> None:
    estimate = estimate_prevalence(design, [620, 380])
    _ = estimate.prevalence, estimate.standard_error, estimate.interval()


def _one_of_four() -> None:
    estimate = estimate_distribution(_K_ARY, [400, 300, 200, 100])
    _ = estimate.shares, estimate.standard_errors, estimate.interval(0)


def _frequency() -> None:
    estimate = estimate_frequencies(_OUE, [400, 350, 300, 300], 1000)
    _ = estimate.frequencies, estimate.standard_errors, estimate.interval(0)


_K_ARY = KAry(4, 0.7)
_OUE = OUE.from_epsilon(4, EPSILON)


def main() -> None:
    for result in (measure_grr(), measure_grr_wide(), measure_oue()):
        print(
            f"{result.name:20} {result.ours * 1e3:7.2f} ms against {result.bare * 1e3:7.2f} ms: "
            f"{result.ratio:.2f} (aim: at most {AIM_RATIO})"
        )
    for name, seconds in measure_univariate().items():
        print(f"{name:20} {seconds * 1e6:7.1f} us (aim: below {AIM_SECONDS * 1e6:.0f})")


if __name__ == "__main__":
    main()
