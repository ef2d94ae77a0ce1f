"""How good plans of releases are, and how long they take: tables, CDFs and ranges under a budget.

Run: ``python -m benchmarks.workloads``, some five minutes; with ``--quick`` without the searches of
thousands of levels under Laplace noise. Each case runs once, on one thread; seconds are of the
processor, so that a busy machine does not count. A figure is a total squared error at sensitivity 1
(E_2 under Gaussian noise, E_1 under Laplace noise) or how far it may be from the best possible.
"""

import argparse
import math
import resource
import time
from collections.abc import Callable
from itertools import combinations

import numpy as np

from analytics.workloads.asks import Ask, OneWay, Tables
from analytics.workloads.neighbours import optimum_of
from analytics.workloads.plans import plan_ranges
from analytics.workloads.residuals import plan_tables
from analytics.workloads.windows import plan_windows
from surveys.randomized_response.designs.local.scales import Purpose
from surveys.randomized_response.threads import on_one_thread
from tests.oracles.scale_channels import best_scale_channel

# HDMM's convex solver on the same workload, one thread of the machine this was first run on.
HDMM_SECONDS = 14
SIX_QUESTIONS = (11, 7, 5, 10, 4, 2)
ORDERED = (0, 1, 2, 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without thousands of levels")
    arguments = parser.parse_args()
    print(f"{'case':44} {'figure':>14} {'goal':>22} {'seconds':>9} {'goal':>7}")
    on_one_thread(run)(arguments.quick)


def run(quick: bool) -> None:
    print_gaussian()
    print_multiscale()
    print_tables()
    print_laplace(1_024, 3.19e7, 5)
    if not quick:
        print_laplace(8_192, 4.3e9, 300)
        print_laplace(16_384, 2.17e10, 360)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{'  most memory so far, MB':44} {peak:14.0f} {'at most 1,000':>22}")
    print_scales()


def print_gaussian() -> None:
    error = timed(
        "Gaussian, all ranges of 1,024 levels",
        lambda: optimum_of(OneWay(Ask.RANGES, 1_024)).upper,
        "6,484,329 within 1e-5",
        0.5,
    )
    assert math.isclose(error, 6_484_329, rel_tol=1e-5), error
    print(f"{'  HDMM on the same':44} {6_484_329:14,} {'':22} {HDMM_SECONDS:9.2f}")
    for levels, seconds in ((16_384, 3.0), (65_536, 15.0)):
        gap = timed(
            f"Gaussian, all ranges of {levels:,} levels: gap",
            lambda levels=levels: optimum_of(OneWay(Ask.RANGES, levels), 1e-5).gap,
            "at most 1e-5",
            seconds,
        )
        assert gap <= 1e-5, gap


def print_multiscale() -> None:
    """Strategies without a matrix, as a release draws them, beside what none can go below."""
    for ask in (Ask.CDF, Ask.RANGES):
        for levels, most in ((2_049, 0.001), (16_384, 0.004)):
            gap = timed(
                f"multiscale, {ask} of {levels:,} levels: gap",
                lambda ask=ask, levels=levels: plan_ranges(OneWay(ask, levels)).gap or 0.0,
                f"at most {most:g}",
            )
            assert gap <= most, gap


def print_tables() -> None:
    """Six questions, four of them ordered, and twenty in tables of up to three."""
    asks = [Ask.CDF if place in ORDERED else Ask.COUNTS for place in range(6)]
    pairs = Tables.of(SIX_QUESTIONS, combinations(range(6), 2), asks)
    timed("cross-tables of 6 questions, 4 ordered", lambda: plan_tables(pairs).error, "", 0.05)
    many = [table for ways in (1, 2, 3) for table in combinations(range(20), ways)]
    twenty = Tables.of([5] * 20, many)
    timed("20 questions, all up to 3-way", lambda: plan_tables(twenty).error, "", 1.0)


def print_laplace(levels: int, goal: float, seconds: float) -> None:
    error = timed(
        f"Laplace, all ranges of {levels:,} levels",
        lambda: plan_windows(OneWay(Ask.RANGES, levels), np.random.default_rng(1)).error,
        f"at most {goal:.3g}",
        seconds,
    )
    assert error <= goal, error


def print_scales() -> None:
    """How far above the least possible the variance of one answer may be."""
    for levels in (7, 9, 10, 11):
        for purpose in Purpose:
            gap = timed(
                f"local, scale of {levels} at ln 3, {purpose}: gap",
                lambda levels=levels, purpose=purpose: scale_gap(levels, purpose),
                "at most 1e-4",
            )
            assert gap <= 1e-4, gap


def scale_gap(levels: int, purpose: Purpose) -> float:
    found = best_scale_channel(levels, math.log(3), purpose)
    return found.average_variance / found.lower - 1


def timed(title: str, task: Callable[[], float], goal: str, most: float | None = None) -> float:
    """Run once, print and return the figure."""
    start = time.process_time()
    figure = task()
    seconds = time.process_time() - start
    limit = "" if most is None else f"{most:g}"
    shown = f"{figure:,.1f}" if figure >= 1 else f"{figure:.3g}"
    print(f"{title:44} {shown:>14} {goal:>22} {seconds:9.2f} {limit:>7}", flush=True)
    return figure


if __name__ == "__main__":
    main()
