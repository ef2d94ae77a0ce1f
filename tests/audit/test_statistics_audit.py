"""Long simulations and exhaustive searches behind the claims of docs/statistics.md."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import betainccinv, betaincinv

from surveys.randomized_response.designs import (
    Channel,
    ChannelMatrix,
    ForcedResponse,
    KAry,
    TwoCoins,
    Warner,
)
from surveys.randomized_response.drawing import draw_reports
from surveys.randomized_response.estimates import (
    estimate_distribution,
    estimate_prevalence,
    maximum_likelihood,
)
from surveys.randomized_response.intervals.intervals import clopper_pearson, confidence_sequence
from surveys.randomized_response.intervals.widths import widest_half_width

pytestmark = pytest.mark.audit

UNEVEN = ChannelMatrix(
    Channel.from_matrix([[0.6, 0.1, 0.2], [0.3, 0.7, 0.2], [0.1, 0.2, 0.6]]),
)
DESIGNS = [TwoCoins(3), UNEVEN, KAry.from_epsilon(3, 1.0)]


def all_half_widths(n: int, c: float) -> np.ndarray:
    x = np.arange(n + 1)
    tail = (1 - (1 - c)) / 2
    low = np.where(x == 0, 0.0, betaincinv(np.maximum(x, 1), n - x + 1, tail))
    high = np.where(x == n, 1.0, betainccinv(x + 1, np.maximum(n - x, 1), tail))
    return (high - low) / 2


@pytest.mark.parametrize("c", [0.9, 0.5, 0.32, 0.1, 0.05, 0.01, 0.001, 1e-6])
def test_the_middle_count_is_the_widest_for_every_n_up_to_1000_and_some_large_ones(c) -> None:
    rng = np.random.default_rng(1)
    for n in [*range(1, 1001), *rng.integers(1000, 60_000, 20).tolist()]:
        widest = widest_half_width(n, c) * (1 + 1e-11)
        wider = np.flatnonzero(all_half_widths(n, c) > widest)
        # SciPy's inverse is wrong for a few counts; the package's checked one decides.
        assert all(clopper_pearson(int(x), n, 1 - c).width / 2 <= widest for x in wider)


@pytest.mark.parametrize("c", [0.9999, 0.9, 0.5, 0.1, 0.05, 0.01, 1e-4])
def test_the_widest_half_width_was_seen_to_fall_from_each_n_to_the_next(c) -> None:
    widths = np.array([widest_half_width(n, c) for n in range(1, 3000)])
    assert (np.diff(widths) < 0).all()


@pytest.mark.parametrize("c", [0.5, 0.1, 0.05, 0.01, 1e-6])
def test_of_sequences_too_the_middle_count_is_the_widest_and_each_parity_falls(c) -> None:
    rng, method = np.random.default_rng(1), "confidence-sequence"
    for n in [*range(1, 200), *rng.integers(200, 60_000, 5).tolist()]:
        widest = widest_half_width(n, c, method) * (1 + 1e-11)
        counts = range(n // 2 + 1) if n < 200 else rng.integers(0, n // 2, 1000)
        assert all(confidence_sequence(int(x), n, 1 - c).width / 2 <= widest for x in counts)
    widths = np.array([widest_half_width(n, c, method) for n in range(1, 3000)])
    assert (widths[2:] < widths[:-2]).all()


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d.label)
@pytest.mark.parametrize("n", [25, 400])
def test_drawn_reports_give_unbiased_estimates_with_honest_standard_errors(design, n) -> None:
    rng, repeats = np.random.default_rng(n), 20_000
    shares = np.array([0.6, 0.3, 0.1])
    stored = design.channel.integer_weights()
    people = rng.choice(3, size=repeats * n, p=shares)
    reports = draw_reports(stored, people, rng).reshape(repeats, n)
    counts = np.stack([(reports == y).sum(axis=1) for y in range(3)], axis=1)
    estimates = [estimate_distribution(design, c) for c in counts]
    values = np.array([e.shares for e in estimates])
    spread = values.std(axis=0)
    assert (np.abs(values.mean(axis=0) - shares) < 5 * spread / math.sqrt(repeats)).all()
    variances = np.array([np.diag(e.covariance) for e in estimates])
    allowed = 5 * variances.std(axis=0) / math.sqrt(repeats) + 5 * spread**2 * math.sqrt(
        3 / repeats
    )
    assert (np.abs(variances.mean(axis=0) - spread**2) < allowed).all()


def test_when_the_n_people_are_the_population_coverage_is_above_nominal() -> None:
    rng, n, repeats = np.random.default_rng(2), 200, 20_000
    truly_yes = 100
    reports = rng.binomial(truly_yes, 0.75, repeats) + rng.binomial(n - truly_yes, 0.25, repeats)
    intervals = {
        yes: estimate_prevalence(TwoCoins(2), [n - yes, yes]).interval(0.95, "wald")
        for yes in set(reports.tolist())
    }
    covered = np.mean([intervals[yes].contains(0.5) for yes in reports.tolist()])
    # Var is 3/4 of what the interval allows for: coverage 2 Phi(1.96 / sqrt(3/4)) - 1 = 0.976.
    assert covered == pytest.approx(0.976, abs=0.01)
    assert covered > 0.955 + 5 * math.sqrt(0.95 * 0.05 / repeats)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d.label)
def test_simultaneous_intervals_hold_together_in_simulation(design) -> None:
    rng, repeats = np.random.default_rng(3), 3000
    shares = np.array([0.7, 0.3, 0.0])
    for counts_n in (30, 300):
        drawn = rng.multinomial(counts_n, design.channel.matrix @ shares, repeats)
        hits = 0
        for counts in drawn:
            intervals = estimate_distribution(design, counts).intervals(0.95, simultaneous=True)
            hits += all(i.contains(s) for i, s in zip(intervals, shares, strict=True))
        assert hits / repeats > 0.95 - 5 * math.sqrt(0.95 * 0.05 / repeats)


@pytest.mark.parametrize("method", ["wald", "clopper-pearson", "chebyshev"])
def test_the_interval_among_those_who_answered_covers_in_simulation(method) -> None:
    rng, repeats = np.random.default_rng(4), 4000
    shares = np.array([0.5, 0.3, 0.2])
    drawn = rng.multinomial(500, TwoCoins(3).channel.matrix @ shares, repeats)
    hits = 0
    for counts in drawn:
        ratio = estimate_distribution(TwoCoins(3), counts).ratio(1, (0, 1), 0.95, method)
        hits += ratio.interval.contains(3 / 8)
    assert hits / repeats > 0.95 - 5 * math.sqrt(0.95 * 0.05 / repeats)


def test_fieller_covers_the_share_among_those_asked_of_three_leaves() -> None:
    """No, Yes and then No, Yes and then Yes, in one report: yes among those asked, epsilon 2."""
    rng, repeats = np.random.default_rng(8), 4000
    shares, design = np.array([0.70, 0.18, 0.12]), KAry.from_epsilon(3, 2.0)
    drawn = rng.multinomial(2000, design.channel.matrix @ shares, repeats)
    ratios = [estimate_distribution(design, c).ratio(2, (1, 2), 0.95, "wald") for c in drawn]
    covered = np.mean([ratio.interval.contains(0.12 / 0.30) for ratio in ratios])
    print(f"Fieller covers {covered:.4f} of {repeats}")
    assert 0.94 <= covered <= 0.96


def test_maximum_likelihood_is_certified_on_thousands_of_random_problems() -> None:
    rng = np.random.default_rng(6)
    for _ in range(5000):
        channel = _random_channel(rng)
        n = int(rng.choice([1, 2, 3, 10, 100, 10_000]))
        law = rng.dirichlet(np.full(channel.reported_levels, rng.choice([0.1, 1.0])))
        counts = rng.multinomial(n, law)
        shares = maximum_likelihood(channel, counts).shares
        used = counts > 0
        reported = channel.matrix[used] @ shares
        slope = channel.matrix[used].T @ (counts[used] / n / reported) - 1
        assert slope.max() <= 1e-10
        assert shares.min() >= 0


def _random_channel(rng: np.random.Generator) -> Channel:
    options = int(rng.integers(2, 9))
    if rng.random() < 0.4:
        return KAry.from_epsilon(options, float(rng.choice([0.01, 0.1, 1, 5, 10]))).channel
    reported = options + int(rng.integers(0, 3))
    matrix = rng.dirichlet(np.full(reported, rng.choice([0.3, 1.0, 5.0])), size=options).T
    matrix = matrix + np.eye(reported, options) * rng.choice([0.0, 0.5, 3.0])
    return Channel.from_matrix((matrix / matrix.sum(axis=0)).tolist())


def test_rounded_weights_keep_epsilon_on_thousands_of_random_channels() -> None:
    rng = np.random.default_rng(8)
    for _ in range(3000):
        channel = _random_channel(rng)
        stored = channel.integer_weights()
        if channel.largest_ratio is not None:
            assert stored.largest_ratio is not None
            assert stored.largest_ratio <= channel.largest_ratio


@pytest.mark.parametrize(
    "design",
    [Warner(0.7), ForcedResponse(Fraction(1, 6), Fraction(1, 6)), KAry(2, 0.9)],
    ids=lambda d: d.label,
)
def test_guaranteed_intervals_keep_their_level_on_a_fine_grid(design) -> None:
    no, yes = (float(p) for p in design.channel.rows[1])
    for n in (5, 40, 150):
        intervals = [estimate_prevalence(design, [n - x, x]).interval(0.95) for x in range(n + 1)]
        for share in np.linspace(0, 1, 301):
            reported = no + (yes - no) * share
            chance = _binomial(n, reported)
            covered = sum(p for p, i in zip(chance, intervals, strict=True) if i.contains(share))
            assert covered >= 0.95 - 1e-9


def _binomial(n: int, p: float) -> list[float]:
    return [math.comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)]
