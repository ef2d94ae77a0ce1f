"""Noise: the law it has, the price it is given, what it refuses.

Chance fails a test here once in a million runs: the statistics are bounded by five sigma.
"""

import math

import numpy as np
import pytest
from scipy.stats import chi2

from analytics.privacy import NoiseError, charged_mu, mechanisms
from analytics.privacy.mechanisms import (
    Noise,
    Release,
    SeededNoise,
    VettedNoise,
    isometric_half,
    release_sum,
    release_symmetric,
)


def seeded(seed: int = 7) -> SeededNoise:
    return SeededNoise(np.random.default_rng(seed))


SOURCES = [pytest.param(VettedNoise(), id="vetted"), pytest.param(seeded(), id="seeded")]


def law(sd: float, reach: int) -> np.ndarray:
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * sd * sd))
    return weights / weights.sum()


@pytest.mark.parametrize("noise", SOURCES)
@pytest.mark.parametrize("sd", [1.0, 3.7])
@pytest.mark.noise(fails=1e-6, law="Chi-square of the counts, at its quantile.")
def test_noise_has_the_law_of_the_discrete_gaussian(noise: Noise, sd: float) -> None:
    """Chi-square over the values expected at least ten times."""
    draws, reach = 20_000, int(12 * sd)
    drawn = noise.added_to(np.zeros(draws, dtype=np.int64), sd)
    expected = draws * law(sd, reach)
    observed = np.bincount(drawn + reach, minlength=2 * reach + 1)
    kept = expected >= 10
    tails = draws - observed[kept].sum(), draws - expected[kept].sum()
    distance = ((observed - expected)[kept] ** 2 / expected[kept]).sum()
    distance += (tails[0] - tails[1]) ** 2 / tails[1]
    assert distance < chi2.isf(1e-6, kept.sum())


@pytest.mark.parametrize("noise", SOURCES)
@pytest.mark.noise(fails=1.2e-6, law="Normal, 5 sd, of the mean and of the standard deviation.")
def test_wide_noise_has_its_standard_deviation_and_no_bias(noise: Noise) -> None:
    draws, sd = 20_000, 3e6
    drawn = noise.added_to(np.full(draws, 10**12), sd) - 10**12
    assert abs(drawn.mean()) < 5 * sd / math.sqrt(draws)
    assert abs(drawn.std() / sd - 1) < 5 / math.sqrt(2 * draws)


@pytest.mark.parametrize("noise", SOURCES)
@pytest.mark.noise(fails=1e-40, law="Poisson: ten equal pairs where 2e-4 are expected.")
def test_noise_is_fresh_for_every_entry_and_every_release(noise: Noise) -> None:
    first, second = (noise.added_to(np.zeros((200, 3), dtype=np.int64), 1e9) for _ in range(2))
    assert first.shape == (200, 3)
    assert first.dtype == np.int64
    assert len(np.unique([first, second])) > 1190


@pytest.mark.noise(fails=1e-80, law="Subgaussian: 2,500 entries beyond 20 sd, 2 exp(-200) each.")
def test_blocks_of_a_large_release_keep_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mechanisms, "_BLOCK", 1000)
    values = np.arange(2_500) * 1000
    assert np.abs(VettedNoise().added_to(values, 1.0) - values).max() < 20


def test_only_vetted_noise_is_private_and_it_cannot_be_seeded() -> None:
    assert VettedNoise().is_private
    assert not seeded().is_private
    with pytest.raises(TypeError):
        VettedNoise(np.random.default_rng(1))  # type: ignore[call-arg]


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_a_release_with_test_noise_says_that_it_is_not_private() -> None:
    total = np.zeros((2, 2), dtype=np.int64)
    for release in (release_sum, release_symmetric):
        assert not release(total, sensitivity=9, mu=1, noise=seeded()).is_private
        assert release(total, sensitivity=9, mu=1, noise=VettedNoise()).is_private


def test_test_noise_repeats_with_its_seed() -> None:
    zeros = np.zeros(100, dtype=np.int64)
    assert np.array_equal(seeded(3).added_to(zeros, 5.0), seeded(3).added_to(zeros, 5.0))
    assert not np.array_equal(seeded(3).added_to(zeros, 5.0), seeded(4).added_to(zeros, 5.0))


@pytest.mark.parametrize("mu", [0.01, 0.3, 2.0])
@pytest.mark.parametrize("sensitivity", [3, 1024, 2**20])
def test_a_release_costs_at_most_what_was_asked_and_hardly_less(
    sensitivity: int, mu: float
) -> None:
    total = np.zeros((3, 3), dtype=np.int64)
    whole = release_sum(total, sensitivity=sensitivity, mu=mu, noise=seeded())
    assert whole.mu == charged_mu(sensitivity, whole.lattice_sd) <= mu
    half = release_symmetric(total, sensitivity=sensitivity, mu=mu, noise=seeded())
    assert half.mu <= mu * (1 + 1e-14)
    for release in (whole, half):
        assert release.mu > 0.97 * mu or release.lattice_sd < 2


def test_estimates_are_in_the_units_of_the_statistic() -> None:
    total = np.full(4, 5 * 1024)
    release = release_sum(total, sensitivity=1024, mu=100.0, noise=seeded())
    assert np.abs(release.estimate - 5).max() < 0.1
    assert release.noise_sd == release.lattice_sd / 1024
    finer = release_sum(total, sensitivity=1024, mu=100.0, noise=seeded(), unit=512)
    assert np.abs(finer.estimate - 10).max() < 0.2


def symmetric_noise(size: int) -> Release:
    zeros = np.zeros((size, size), dtype=np.int64)
    return release_symmetric(zeros, sensitivity=2**20, mu=0.5, noise=seeded(11))


def test_symmetric_noise_is_symmetric_with_half_the_variance_off_the_diagonal() -> None:
    size = 300
    release = symmetric_noise(size)
    assert np.array_equal(release.values, release.values.T)
    above = release.estimate[np.triu_indices(size, 1)]
    sd = release.noise_sd
    assert sd == pytest.approx(1 / 0.5, rel=1e-6)
    assert abs(above.std() / (sd / math.sqrt(2)) - 1) < 5 / math.sqrt(2 * len(above))
    assert abs(release.estimate.diagonal().std() / sd - 1) < 5 / math.sqrt(2 * size)


def test_the_largest_eigenvalue_of_the_noise_is_at_the_edge() -> None:
    """2 s sqrt(D) with s the off-diagonal deviation; the finite-size spread is s D^(-1/6)."""
    size = 300
    release = symmetric_noise(size)
    s = release.noise_sd / math.sqrt(2)
    largest = np.linalg.eigvalsh(release.estimate)[-1]
    assert abs(largest - 2 * s * math.sqrt(size)) < 6 * s * size ** (-1 / 6)


def test_the_isometric_half_keeps_norms_and_products() -> None:
    rng = np.random.default_rng(2)
    a, b = (m + m.T for m in rng.normal(size=(2, 6, 6)))
    assert isometric_half(a).shape == (21,)
    assert isometric_half(a) @ isometric_half(b) == pytest.approx((a * b).sum())


def test_a_matrix_of_one_word_is_released() -> None:
    total = np.array([[2**20]])
    assert release_symmetric(total, sensitivity=2**20, mu=1, noise=seeded()).values.shape == (1, 1)


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_bad_releases_are_refused_before_any_noise_is_drawn() -> None:
    zeros, noise = np.zeros(2, dtype=np.int64), VettedNoise()
    for argument, call in {
        "values": lambda: release_sum(np.zeros(2), sensitivity=1, mu=1, noise=noise),
        "sensitivity": lambda: release_sum(zeros, sensitivity=0, mu=1, noise=noise),
        "mu": lambda: release_sum(zeros, sensitivity=1, mu=0.0, noise=noise),
        "unit": lambda: release_sum(zeros, sensitivity=1, mu=1, noise=noise, unit=0),
        "matrix": lambda: release_symmetric(zeros, sensitivity=1, mu=1, noise=noise),
        "lattice_sd": lambda: noise.added_to(zeros, 0.5),
    }.items():
        with pytest.raises(NoiseError) as refusal:
            call()
        assert refusal.value.argument == argument
    for mu in (math.nan, math.inf, -1.0):
        with pytest.raises(NoiseError):
            release_sum(zeros, sensitivity=1, mu=mu, noise=noise)


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_sums_that_leave_no_room_for_noise_are_refused() -> None:
    with pytest.raises(NoiseError, match="leave room"):
        VettedNoise().added_to(np.array([2**62]), 10.0)
    with pytest.raises(NoiseError, match="between 1e-100 and 1e15"):
        VettedNoise().added_to(np.array([0]), 1e16)
    with pytest.raises(NoiseError, match="non-empty"):
        VettedNoise().added_to(np.array([], dtype=np.int64), 10.0)


def test_a_matrix_that_is_not_symmetric_is_refused() -> None:
    with pytest.raises(NoiseError, match="symmetric"):
        release_symmetric(np.array([[0, 1], [2, 0]]), sensitivity=1, mu=1, noise=seeded())
