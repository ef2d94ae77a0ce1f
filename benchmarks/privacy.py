"""What privacy takes of the machine: noise draws, integer vectors, accounts.

Run: ``python -m benchmarks.privacy``. Noise is that of the vetted sampler, at the widths of a real
report, which draws 500,500 numbers for 1,000 words. Times are medians.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np
from scipy import sparse

from analytics.privacy import GRID, mu_for, quantise, subsampled_epsilon
from analytics.privacy.lattice import lattice_sd_for, step
from analytics.privacy.mechanisms import VettedNoise
from analytics.privacy.subsampling import _composed

DRAWS, ROUNDS = 100_000, 3
RESPONDENTS, VOCABULARY, WORDS = 10**6, 20_000, 15


def main() -> None:
    print_noise()
    print_vectors()
    print_accounts()


def print_noise() -> None:
    """CPU microseconds a draw, by lattice width."""
    zeros, noise = np.zeros(DRAWS, dtype=np.int64), VettedNoise()
    for sd in (1.0, 30.0, lattice_sd_for(GRID, 0.2), lattice_sd_for(GRID**2, 0.3)):
        seconds = median_cpu(lambda sd=sd: noise.added_to(zeros, sd))
        rate = DRAWS / seconds
        print(f"noise of sd {sd:12,.1f}: {1e6 / rate:5.1f} us a draw, {rate:8,.0f} draws/s")


def print_vectors() -> None:
    rng = np.random.default_rng(1)
    shape, density = (RESPONDENTS, VOCABULARY), WORDS / VOCABULARY
    rows = sparse.random_array(shape, density=density, format="csr", rng=rng)
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    unit = sparse.csr_array(rows.multiply(1 / np.maximum(lengths, 1e-12)[:, None]))
    print(f"quantising {RESPONDENTS:,} x {WORDS} words: {median_cpu(lambda: quantise(unit)):.2f} s")


def print_accounts() -> None:
    print(f"calibrating mu: {1e3 * median_cpu(lambda: mu_for(2.0, 1e-5)):.2f} ms")
    print(f"price of the lattice at sd 40: {1e3 * median_cpu(lambda: fresh(step, 40.0)):.2f} ms")
    for releases in (100, 10_000):
        seconds = median_cpu(lambda n=releases: composed(n))
        print(f"{releases:,} Poisson releases at rate 0.01: {seconds:.2f} s")


def fresh(function: Callable[[float], float], value: float) -> float:
    step.cache_clear()
    return function(value)


def composed(releases: int) -> float:
    _composed.cache_clear()
    return subsampled_epsilon(0.01, 1.0, releases, 1e-5)


def median_cpu(task: Callable[[], object]) -> float:
    """CPU seconds of the whole process, so that a busy machine does not count."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        task()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


if __name__ == "__main__":
    main()
