"""The membership audit: below what is charged, above what is stated when noise is halved."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from analytics.privacy import (
    GRID,
    AuditError,
    audit_membership,
    quantise,
    weigh_words,
)
from analytics.privacy.mechanisms import SeededNoise, release_sum, release_symmetric

RUNS = 20_000


def scores(mu: float, runs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(mu, 1, runs), rng.normal(0, 1, runs)


@pytest.mark.parametrize("mu", [0.0, 0.3, 1.0, 3.0])
def test_the_bound_is_below_the_truth_and_not_far_from_it(mu: float) -> None:
    audit = audit_membership(*scores(mu, RUNS, 1), level=1 - 1e-6)
    assert audit.mu <= mu
    assert audit.mu >= 0.85 * mu - 0.12
    assert audit.runs == RUNS // 2


def test_the_level_is_kept_over_many_audits() -> None:
    """At 80 % of confidence at most 20 % of 400 audits are above the truth: 5 sigma is 120."""
    above = sum(
        audit_membership(*scores(0.7, 400, seed), level=0.8).contradicts(0.7) for seed in range(400)
    )
    assert above <= 120


def test_the_runs_that_choose_the_threshold_are_not_counted() -> None:
    """An attack that works on the first half alone proves nothing, on either side."""
    good, bad = np.full(200, 9.0), np.zeros(200)
    missed = audit_membership(np.concatenate([good, bad]), np.zeros(400))
    assert (missed.mu, missed.false_negative_rate) == (0, 1)
    alarmed = audit_membership(np.full(400, 9.0), np.concatenate([bad, good]))
    assert (alarmed.mu, alarmed.false_positive_rate) == (0, 1)


def test_more_confidence_says_less() -> None:
    runs = scores(1.0, 4000, 2)
    assert audit_membership(*runs, level=0.999).mu < audit_membership(*runs, level=0.9).mu


def test_an_attack_that_always_succeeds_proves_a_large_but_finite_mu() -> None:
    audit = audit_membership(np.full(1000, 9.0), np.zeros(1000))
    # No error in 500 runs: each rate is below 1 - 0.005^(1/500), with 99 % of confidence for both.
    assert audit.mu == pytest.approx(-2 * norm.ppf(1 - 0.005 ** (1 / 500)), rel=1e-9)
    assert audit.false_positive_rate == audit.false_negative_rate == 0


def test_an_attack_that_never_tells_anything_proves_nothing() -> None:
    assert audit_membership(np.zeros(500), np.zeros(500)).mu == 0
    assert audit_membership(np.zeros(500), np.full(500, 9.0)).mu == 0


def test_too_few_unequal_or_infinite_scores_are_refused() -> None:
    good = np.zeros(200)
    for bad in (
        np.zeros(99),
        np.zeros(300),
        np.full(200, math.nan),
        np.zeros((200, 2)),
        ["a"] * 200,
    ):
        with pytest.raises(AuditError):
            audit_membership(good, bad)
    with pytest.raises(ValueError, match="level"):
        audit_membership(good, good, level=1.0)


def canary_scores(mechanism: str, mu: float, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """Runs of a real release with and without a canary; the attack knows everybody else's data."""
    noise = SeededNoise(np.random.default_rng(len(mechanism)))
    canary = np.zeros((1, 9))
    canary[0, :4] = 0.5
    if mechanism == "co-occurrence":
        vector = quantise(canary)
        moved, unit, release = vector.T @ vector, GRID**2, release_symmetric
    else:
        moved, unit, release = (canary[0] > 0) * weigh_words(np.array([4])), GRID, release_sum

    def score(total: np.ndarray) -> float:
        return float((release(total, sensitivity=unit, mu=mu, noise=noise).estimate * moved).sum())

    nobody = np.zeros_like(moved)
    return (
        np.array([score(moved) for _ in range(runs)]),
        np.array([score(nobody) for _ in range(runs)]),
    )


@pytest.mark.audit
@pytest.mark.parametrize("mechanism", ["document frequencies", "co-occurrence"])
def test_a_canary_is_not_found_better_than_is_charged_and_is_when_the_noise_is_halved(
    mechanism: str,
) -> None:
    stated = 1.0
    honest = audit_membership(*canary_scores(mechanism, stated, RUNS))
    halved = audit_membership(*canary_scores(mechanism, 2 * stated, RUNS))
    print(f"\n{mechanism}: stated mu {stated}, proved {honest.mu:.3f}; halved {halved.mu:.3f}")
    assert 0.8 * stated < honest.mu <= stated
    assert halved.contradicts(stated)
