"""What every registered yes/no design promises, by summing over all counts of small samples."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import multinomial

from tests.randomized_response.designs import (
    REGISTRY,
    Channel,
    Christofides,
    Crosswise,
    Design,
    Direct,
    ForcedResponse,
    KAry,
    Kuk,
    Mangat,
    Rappor,
    Triangular,
    TwoCoins,
    UnrelatedQuestion,
    Warner,
)
from tests.randomized_response.drawing import draw_reports
from tests.randomized_response.errors import DesignError
from tests.randomized_response.estimates import (
    conditional_variance,
    estimate_distribution,
    estimate_prevalence,
    information_standard_error,
    maximum_likelihood,
)
from tests.surveys.randomized_response.designs.test_designs import EXAMPLES
from tests.surveys.randomized_response.enumeration import all_counts

BINARY: dict[str, Design] = {
    name: design for name, design in EXAMPLES.items() if design.channel.true_levels == 2
} | {
    "direct_binary": Direct(2),
    "k_ary_binary": KAry(2, 0.7),
    "two_coins_binary": TwoCoins(2),
    "warner_backwards": Warner(Fraction(1, 10)),
    "crosswise_common_item": Crosswise(Fraction(5, 6)),
    "kuk_once": Kuk(0.7, 0.2),
    "kuk_fewer_red_for_carriers": Kuk(0.3, 0.8, 2),
    "rappor_permanent_only": Rappor(0.5, 0, 1),
}
SHARES = (0.0, 0.03, 0.3, 0.5, 1.0)
N = 12
designs = pytest.mark.parametrize("design", BINARY.values(), ids=BINARY.keys())


def law(design: Design, share: float, n: int) -> list[tuple[tuple[int, ...], float]]:
    """All counts of n reports with their probabilities."""
    chance = multinomial(n, design.channel.matrix @ [1 - share, share])
    counts = all_counts(n, design.channel.reported_levels)
    return [(c, p) for c, p in zip(counts, chance.pmf(counts), strict=True) if p > 0]


def size_for(design: Design) -> int:
    """Fewer people where there are many reports, so that the counts stay enumerable."""
    return N if design.channel.reported_levels == 2 else 5


def test_every_binary_design_of_the_registry_is_held_to_the_contract() -> None:
    ready = {type(design) for design in BINARY.values()}
    binary = {type(d) for d in EXAMPLES.values() if d.channel.true_levels == 2}
    assert binary <= ready
    assert ready <= set(REGISTRY.values())
    assert {Crosswise, ForcedResponse, Kuk, Mangat, Rappor, Triangular, Warner} <= ready


@designs
@pytest.mark.parametrize("share", SHARES)
def test_the_estimate_and_its_variance_are_unbiased_and_split_into_people_and_randomizing(
    design, share
) -> None:
    n = size_for(design)
    cases = [(estimate_prevalence(design, counts), p) for counts, p in law(design, share, n)]
    mean = sum(p * e.prevalence for e, p in cases)
    variance = sum(p * (e.prevalence - share) ** 2 for e, p in cases)
    assert mean == pytest.approx(share, abs=1e-12)
    assert sum(p * e.standard_error**2 for e, p in cases) == pytest.approx(variance, abs=1e-12)
    randomizing = conditional_variance(design, [1 - share, share], n)[1]
    assert randomizing + share * (1 - share) / n == pytest.approx(variance, abs=1e-12)


@designs
@pytest.mark.parametrize("method", ["clopper-pearson", "chebyshev"])
def test_a_guaranteed_interval_covers_every_share_at_least_as_often_as_it_says(
    design, method
) -> None:
    n = size_for(design)
    for share in SHARES:
        covered = sum(
            p
            for counts, p in law(design, share, n)
            if _covers(estimate_prevalence(design, counts).interval(0.9, method), share)
        )
        assert covered >= 0.9


def _covers(interval, share: float) -> bool:
    # Ends that equal the share up to rounding contain it.
    return interval.low - 1e-9 <= share <= interval.high + 1e-9


@designs
def test_no_counts_give_an_interval_of_zero_width_or_one_that_misses_the_estimate(design) -> None:
    for counts in all_counts(4, design.channel.reported_levels):
        estimate = estimate_prevalence(design, counts)
        for method in ("clopper-pearson", "wilson", "wald", "chebyshev"):
            interval = estimate.interval(method=method)
            assert interval.width > 0
            assert interval.low - 1e-9 <= estimate.prevalence <= interval.high + 1e-9


@designs
def test_one_answer_has_an_estimate_and_no_standard_error(design) -> None:
    counts = [0] * design.channel.reported_levels
    counts[-1] = 1
    estimate = estimate_prevalence(design, counts)
    assert math.isfinite(estimate.prevalence)
    assert estimate.standard_error is None


@designs
def test_maximum_likelihood_is_the_best_share_on_a_fine_grid(design) -> None:
    grid = np.linspace(0, 1, 2001)
    chance = design.channel.matrix @ np.array([1 - grid, grid])
    for counts in all_counts(3, design.channel.reported_levels):
        if any(c and not row.any() for c, row in zip(counts, design.channel.matrix, strict=True)):
            continue
        found = maximum_likelihood(design, counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = [c * np.log(row) for c, row in zip(counts, chance, strict=True) if c]
        best = np.sum(terms, axis=0).max()
        assert 0 <= found.shares[1] <= 1
        assert found.log_likelihood >= best - 1e-12


@designs
def test_maximum_likelihood_of_two_reports_is_the_clipped_moment_estimate(design) -> None:
    if design.channel.reported_levels != 2:
        assert isinstance(design, Kuk | Christofides)
        return
    for yes in range(N + 1):
        moment = estimate_prevalence(design, [N - yes, yes]).prevalence
        likely = maximum_likelihood(design, [N - yes, yes]).shares[1]
        assert likely == pytest.approx(min(max(moment, 0), 1), abs=1e-12)


@designs
def test_renaming_the_reports_changes_nothing_and_renaming_the_truth_mirrors(design) -> None:
    counts = [5, 2, 4, 1, 3, 2][: design.channel.reported_levels]
    shares = estimate_distribution(design, counts).shares
    if design.channel.reported_levels == 2:
        rows = design.channel.rows
        renamed = estimate_distribution(Channel(rows[::-1]), counts[::-1])
        mirrored = estimate_distribution(Channel(tuple(r[::-1] for r in rows)), counts)
        assert renamed.shares == pytest.approx(shares)
        assert mirrored.shares == pytest.approx(shares[::-1])
    likely = maximum_likelihood(design, counts).shares
    mirror = Channel(tuple(row[::-1] for row in design.channel.rows[::-1]))
    assert maximum_likelihood(mirror, counts[::-1]).shares == pytest.approx(likely[::-1], abs=1e-9)


@designs
def test_the_posterior_is_bayes_rule_and_averages_to_the_prevalence(design) -> None:
    share = Fraction(1, 5)
    chance = design.channel.matrix @ [0.8, 0.2]
    posterior = design.posterior(share)
    assert sum(p * q for p, q in zip(chance, posterior, strict=True)) == pytest.approx(0.2)
    if math.isfinite(design.epsilon):
        odds = [p / (1 - p) / 0.25 for p in posterior]
        assert max(abs(math.log(o)) for o in odds) <= design.epsilon + 1e-9


@designs
def test_drawn_reports_have_the_probabilities_of_the_channel(design) -> None:
    n, rng = 20_000, np.random.default_rng(41)
    stored = design.channel.integer_weights()
    for truth in (0, 1):
        reports = draw_reports(stored, np.full(n, truth), rng)
        counts = np.bincount(reports, minlength=design.channel.reported_levels)
        chance = design.channel.matrix[:, truth]
        # Five standard errors and a count: below 1e-5 for all designs and reports together.
        assert (np.abs(counts - n * chance) <= 5 * np.sqrt(n * chance * (1 - chance)) + 1).all()


@designs
def test_the_information_is_that_of_the_derivative_of_the_log_likelihood(design) -> None:
    share, step = 0.4, 1e-5
    score = [
        (np.log(design.channel.matrix @ [1 - s, s]) - np.log(design.channel.matrix @ [0.6, 0.4]))
        for s in (share + step, share - step)
    ]
    slopes = (score[0] - score[1]) / (2 * step)
    information = float((design.channel.matrix @ [0.6, 0.4]) @ slopes**2)
    error = information_standard_error(design, share, 50)
    assert error == pytest.approx(1 / math.sqrt(50 * information), rel=1e-6)


def test_a_proof_has_posterior_zero_or_one_and_an_impossible_report_none() -> None:
    quarter = Fraction(1, 4)
    assert Mangat(Fraction(7, 10)).posterior(quarter) == (0, pytest.approx(0.25 / 0.475))
    assert Triangular(quarter).posterior(Fraction(1, 5)) == (0, pytest.approx(0.2 / 0.4))
    assert Direct(2).posterior(quarter) == (0, 1)
    assert Direct(2).posterior(0) == (0, None)
    assert Mangat(Fraction(7, 10)).epsilon == Triangular(quarter).epsilon == math.inf


@pytest.mark.parametrize("prevalence", [-0.1, 1.1, math.nan, "0.2", None, True])
def test_a_posterior_needs_a_prevalence_between_zero_and_one(prevalence) -> None:
    with pytest.raises(DesignError, match="prevalence"):
        Mangat(0.7).posterior(prevalence)


def test_a_posterior_of_carriers_needs_a_yes_no_design() -> None:
    with pytest.raises(DesignError, match="yes and no"):
        TwoCoins(3).posterior(0.2)


def test_designs_with_one_channel_are_one_design() -> None:
    sixth = Fraction(1, 6)
    assert Crosswise(sixth).channel == Warner(sixth).channel
    forced = ForcedResponse(sixth, sixth).channel
    assert UnrelatedQuestion(Fraction(2, 3), Fraction(1, 2)).channel == forced
    assert (
        Mangat(1 - sixth).channel == Triangular(sixth).channel == ForcedResponse(sixth, 0).channel
    )
    assert Kuk(1 - sixth, sixth).channel == Warner(1 - sixth).channel
    assert Rappor(Fraction(1, 2), 0, 1).channel == Warner(Fraction(3, 4)).channel
    assert Rappor(0, sixth, 1 - sixth).channel == Warner(1 - sixth).channel


def test_asking_for_a_prevalence_with_three_options_is_refused() -> None:
    with pytest.raises(DesignError, match="yes/no"):
        estimate_prevalence(TwoCoins(3), [1, 2, 3])


def test_the_share_of_yes_in_the_nigerian_forced_response_survey_is_reproduced() -> None:
    sixth = Fraction(1, 6)
    estimate = estimate_prevalence(ForcedResponse(sixth, sixth), [2435 - 831, 831])
    assert round(estimate.prevalence, 4) == 0.2619
    assert round(estimate.standard_error, 4) == 0.0144
