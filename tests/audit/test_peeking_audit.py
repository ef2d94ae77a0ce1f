"""Everyone looks after every answer: how often is the truth ever outside? Simulated, printed."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.special import gammaln, xlogy

from surveys.randomized_response.designs import TwoCoins, Warner
from surveys.randomized_response.estimates import (
    confidence_sequence_for_difference,
    estimate_prevalence,
    evidence_of_difference,
)
from surveys.randomized_response.relations import e_benjamini_hochberg

pytestmark = pytest.mark.audit

RUNS = 2000
LAST = 100_000
LEVEL = 0.95
# ln of factorials, so that a martingale is three look-ups per answer.
LOG_FACTORIAL = gammaln(np.arange(LAST + 2) + 1.0)


def log_evidence(bits: np.ndarray, proportion: float) -> np.ndarray:
    """ln M after every answer, from the definition; bits of shape (runs, answers)."""
    ones = bits.cumsum(axis=1, dtype=np.int32)
    n = np.arange(1, bits.shape[1] + 1, dtype=np.int32)
    evidence = LOG_FACTORIAL[ones] + LOG_FACTORIAL[n - ones] - LOG_FACTORIAL[n + 1]
    return evidence - ones * math.log(proportion) - (n - ones) * math.log1p(-proportion)


def five_sigma(runs: int) -> float:
    return 5 * math.sqrt(LEVEL * (1 - LEVEL) / runs)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_over_100000_looks_the_truth_is_ever_outside_in_at_most_5_percent_of_surveys(share) -> None:
    rng = np.random.default_rng(20)
    proportion = 0.25 + share / 2
    missed = 0
    for _ in range(RUNS // 50):
        bits = rng.random((50, LAST), dtype=np.float32) < proportion
        missed += int((log_evidence(bits, proportion).max(axis=1) >= math.log(20)).sum())
    print(f"\ntrue share {share}: ever missed in {missed / RUNS:.4f} of {RUNS} surveys")
    assert missed / RUNS <= 1 - LEVEL + five_sigma(RUNS)


def test_the_difference_of_two_groups_is_covered_at_every_look_whatever_the_group_sizes() -> None:
    rng = np.random.default_rng(21)
    first, second, runs, missed = TwoCoins(2), Warner(0.9), 1000, 0
    for _ in range(runs):
        # One answer in five is of the first group; true shares 0.3 and 0.2.
        mine = rng.random(3000) < 0.2
        yes = rng.random(3000) < np.where(mine, 0.25 + 0.3 / 2, 0.1 + 0.8 * 0.2)
        missed += any(
            not _interval(first, second, mine[:n], yes[:n]).contains(0.3 - 0.2)
            for n in (30, 50, 80, 130, 200, 300, 500, 800, 1300, 2000, 3000)
            if 0 < mine[:n].sum() < n
        )
    print(f"\ndifference: ever missed in {missed / runs:.4f} of {runs} surveys")
    assert missed / runs <= 1 - LEVEL + five_sigma(runs)


def _interval(first, second, mine, yes):
    counts = [[int((group & ~yes).sum()), int((group & yes).sum())] for group in (mine, ~mine)]
    estimates = (estimate_prevalence(d, c) for d, c in zip((first, second), counts, strict=True))
    return confidence_sequence_for_difference(*estimates, level=LEVEL)


GROUPS, DAYS, A_DAY = 6, 50, 24
PAIRS = np.array(list(combinations(range(GROUPS), 2)))


@pytest.mark.parametrize("share", [0.05, 0.4])
def test_six_groups_that_do_not_differ_are_called_different_on_any_day_in_at_most_5_percent(share):
    """Each pair of groups by its e-value, by the method for many, each day."""
    rng = np.random.default_rng(22)
    design, runs = TwoCoins(2), 1000
    called = sum(_ever_calls(design, _counts_by_day(rng, 0.25 + share / 2)) for _ in range(runs))
    print(f"\nsix groups, share {share}: called on any day in {called} of {runs} surveys")
    assert called / runs <= 1 - LEVEL + five_sigma(runs)


def _counts_by_day(rng: np.random.Generator, proportion: float) -> np.ndarray:
    """Reports of no and yes of each group so far, shape (days, groups, 2)."""
    chances = np.tile([1 - proportion, proportion], GROUPS) / GROUPS
    return rng.multinomial(A_DAY, chances, size=DAYS).cumsum(axis=0).reshape(DAYS, GROUPS, 2)


def _ever_calls(design: TwoCoins, counts: np.ndarray) -> bool:
    """Whether any pair is called on any day.

    An e-value is at most the ratio of the largest likelihoods, and none below 20 is ever called:
    with k of m called the last has m / (.05 k) or more. So only days with such a ratio are asked.
    """
    may_be = _largest_ratios(counts) >= math.log(20)
    for day in np.flatnonzero(may_be.any(axis=1)):
        evidence = [
            evidence_of_difference(
                *(estimate_prevalence(design, counts[day, group].tolist()) for group in pair),
                planned=DAYS * A_DAY // GROUPS,
            )
            if may_be[day, place]
            else 0.0
            for place, pair in enumerate(PAIRS)
        ]
        if any(e_benjamini_hochberg(evidence, LEVEL)):
            return True
    return False


def _largest_ratios(counts: np.ndarray) -> np.ndarray:
    """ln of the likelihood of two shares over that of the best common one, (days, pairs)."""
    pairs = counts[:, PAIRS].astype(float)
    together = pairs.sum(axis=2)
    yes = np.clip(together[..., 1] / np.maximum(together.sum(axis=-1), 1), 0.25, 0.75)
    common = (together * np.log(np.stack([1 - yes, yes], axis=-1))).sum(axis=-1)
    own = xlogy(pairs, pairs / np.maximum(pairs.sum(axis=-1, keepdims=True), 1)).sum(axis=(2, 3))
    return own - common
