import numpy as np
import pytest
from scipy.stats import norm

from tests.randomized_response.designs import (
    Crosswise,
    Direct,
    ForcedResponse,
    KAry,
    Kuk,
    TwoCoins,
    Warner,
)
from tests.randomized_response.errors import (
    CountsError,
    DesignError,
    EstimationError,
    SeparationError,
)
from tests.randomized_response.estimates import estimate_prevalence
from tests.randomized_response.relations import (
    AnsweredItem,
    compare_with_direct,
    estimate_correlation,
)
from tests.surveys.randomized_response.regression.surveys_to_fit import draw_reported

RNG = np.random.default_rng(1)
N = 400
FIRST = (RNG.random(N) < 0.4).astype(int)
SECOND = np.where(RNG.random(N) < 0.5, FIRST, RNG.random(N) < 0.5).astype(int)
AGE = FIRST + RNG.normal(size=N)


def test_direct_answers_give_pearsons_correlation() -> None:
    found = estimate_correlation(AnsweredItem(FIRST), AnsweredItem(AGE))
    assert found.correlation == pytest.approx(np.corrcoef(FIRST, AGE)[0, 1], abs=1e-12)
    asked = estimate_correlation(AnsweredItem(FIRST, Direct(2)), AnsweredItem(AGE))
    assert asked.correlation == pytest.approx(found.correlation, abs=1e-12)
    assert asked.standard_error == pytest.approx(found.standard_error, rel=1e-9)


def test_the_noise_of_both_devices_is_taken_out_by_the_published_factors() -> None:
    one, two = Warner(0.8), ForcedResponse(0.2, 0.1)
    a, b = draw_reported(one, FIRST, RNG), draw_reported(two, SECOND, RNG)
    found = estimate_correlation(AnsweredItem(a, one), AnsweredItem(b, two))
    factors = 1.0
    for reports, design, slope in ((a, one, 0.6), (b, two, 0.7)):
        share = reports.mean()
        counts = [N - reports.sum(), reports.sum()]
        prevalence = estimate_prevalence(design, counts).prevalence
        factors *= share * (1 - share) / (slope**2 * prevalence * (1 - prevalence))
    published = np.corrcoef(a, b)[0, 1] * np.sqrt(factors)
    assert found.untruncated == pytest.approx(published, abs=1e-12)


def test_a_reversed_device_turns_the_sign_back() -> None:
    reports = draw_reported(Warner(0.8), FIRST, RNG)
    one = estimate_correlation(AnsweredItem(reports, Warner(0.8)), AnsweredItem(AGE))
    other = estimate_correlation(AnsweredItem(1 - reports, Warner(0.2)), AnsweredItem(AGE))
    assert other.untruncated == pytest.approx(one.untruncated, abs=1e-12)
    assert other.standard_error == pytest.approx(one.standard_error, abs=1e-12)


def test_units_and_order_do_not_matter() -> None:
    reports = AnsweredItem(draw_reported(TwoCoins(2), FIRST, RNG), TwoCoins(2))
    one = estimate_correlation(reports, AnsweredItem(AGE))
    other = estimate_correlation(AnsweredItem(-1e6 * AGE + 3), reports)
    assert other.untruncated == pytest.approx(-one.untruncated, abs=1e-9)
    assert other.standard_error == pytest.approx(one.standard_error, abs=1e-9)


def test_cards_correlate_through_their_unbiased_scores() -> None:
    design = Kuk(0.8, 0.3, 3)
    cards = AnsweredItem(draw_reported(design, FIRST, RNG), design)
    prevalence = cards.scores.mean()
    covariance = np.cov(cards.scores, AGE, ddof=0)[0, 1]
    expected = covariance / np.sqrt(prevalence * (1 - prevalence)) / AGE.std()
    found = estimate_correlation(cards, AnsweredItem(AGE))
    assert found.untruncated == pytest.approx(expected, abs=1e-12)


def test_beyond_one_the_estimate_is_cut_and_says_so() -> None:
    reports = np.repeat([0, 1, 0, 1], [30, 2, 2, 30])
    other = np.repeat([0, 0, 1, 1], [30, 2, 2, 30])
    item = [AnsweredItem(r, Warner(0.7)) for r in (reports, other)]
    found = estimate_correlation(*item)
    assert found.untruncated > 1
    assert found.correlation == 1
    interval = found.interval()
    assert "cut" in interval.note
    assert interval.high == 1


def test_the_interval_is_fishers_inside() -> None:
    found = estimate_correlation(AnsweredItem(FIRST), AnsweredItem(AGE))
    interval = found.interval(0.95)
    middle = np.tanh((np.arctanh(interval.low) + np.arctanh(interval.high)) / 2)
    assert middle == pytest.approx(found.correlation)
    assert interval.method == "fisher"
    assert found.interval(0.99).width > interval.width


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_the_standard_error_is_the_one_of_leaving_people_out(share) -> None:
    rng, design, n = np.random.default_rng(3), Warner(0.85), 600
    true = (rng.random(n) < share).astype(int)
    reports, age = draw_reported(design, true, rng), 2 * true + rng.normal(size=n)

    def without(rows: np.ndarray) -> float:
        items = AnsweredItem(reports[rows], design), AnsweredItem(age[rows])
        return estimate_correlation(*items).untruncated

    left = np.array([without(np.arange(n) != i) for i in range(n)])
    jackknife = np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())
    found = estimate_correlation(AnsweredItem(reports, design), AnsweredItem(age))
    # The two differ by the order of 1/n.
    assert found.standard_error == pytest.approx(jackknife, rel=0.03)


@pytest.mark.audit
def test_standard_error_interval_and_test_hold_in_simulation() -> None:
    """2,000 surveys of 800; true correlation 0.5 (0 for the test). Bounds are 5 sigma."""
    rng, design, runs = np.random.default_rng(2), Warner(0.85), 2000
    found, covered, rejected = [], 0, 0
    for _ in range(runs):
        first = (rng.random(800) < 0.25).astype(int)
        other = rng.random(800) < 0.25
        second = np.where(rng.random(800) < 0.5, first, other).astype(int)
        chance = (rng.random(800) < 0.25).astype(int)
        one, two, three = (
            AnsweredItem(draw_reported(design, t, rng), design) for t in (first, second, chance)
        )
        estimate = estimate_correlation(one, two)
        found.append((estimate.untruncated, estimate.standard_error))
        covered += estimate.interval().contains(0.5)
        rejected += estimate_correlation(one, three).p_value < 0.05
    estimates, errors = np.array(found).T
    print(f"\nmean {estimates.mean():.4f}, sd {estimates.std():.4f}, mean se {errors.mean():.4f}")
    print(f"coverage {covered / runs:.4f}, size of the test {rejected / runs:.4f}")
    assert abs(estimates.mean() - 0.5) < 5 * estimates.std() / np.sqrt(runs) + 0.005
    assert errors.mean() == pytest.approx(estimates.std(), rel=5 / np.sqrt(2 * runs) + 0.03)
    # Asymptotic: one percentage point besides five standard errors of the simulation.
    assert abs(covered / runs - 0.95) < 5 * np.sqrt(0.95 * 0.05 / runs) + 0.01
    assert abs(rejected / runs - 0.05) < 5 * np.sqrt(0.95 * 0.05 / runs) + 0.005


@pytest.mark.parametrize(
    ("values", "design", "error", "message"),
    [
        ([0, 1, 2], Warner(0.8), CountsError, r"values\[2\]"),
        ([0, 1, np.nan], None, EstimationError, r"values\[2\]"),
        ([1, 1, 1], None, EstimationError, "same answer"),
        ([1, 1, 1], Warner(0.8), EstimationError, "same answer"),
        ([0] * 9 + [1], Warner(0.8), EstimationError, r"outside \(0, 1\)"),
        ([0, 1, 2], KAry(3, 0.6), DesignError, "yes/no"),
    ],
)
def test_items_without_a_correlation_are_refused(values, design, error, message) -> None:
    with pytest.raises(error, match=message):
        AnsweredItem(np.array(values), design)


def test_items_of_different_people_are_refused() -> None:
    with pytest.raises(EstimationError, match="answered both"):
        estimate_correlation(AnsweredItem([0, 1, 1, 0]), AnsweredItem([0, 1, 1]))
    with pytest.raises(EstimationError, match="at least 3"):
        estimate_correlation(AnsweredItem([0, 1]), AnsweredItem([0, 1]))


def test_two_direct_questions_give_the_g_test_of_their_table() -> None:
    first, second = np.array([60, 40]), np.array([45, 55])
    found = compare_with_direct(Direct(2), first, second)
    pooled = (first + second) / 200
    g = 2 * sum((c * np.log(c / 100 / pooled)).sum() for c in (first, second))
    assert found.statistic == pytest.approx(g, abs=1e-10)
    assert found.p_value == pytest.approx(2 * norm.sf(np.sqrt(g)), rel=1e-9)
    assert found.difference == pytest.approx(-0.15)
    assert found.standard_error == pytest.approx(np.sqrt(0.4 * 0.6 / 100 + 0.45 * 0.55 / 100))


def test_equal_estimates_give_a_statistic_of_zero() -> None:
    found = compare_with_direct(Warner(0.75), [650, 350], [80, 20])
    assert found.difference == pytest.approx(0, abs=1e-12)
    assert found.statistic == pytest.approx(0, abs=1e-9)
    assert found.p_value == pytest.approx(1, abs=1e-4)


def test_the_logit_coefficients_are_the_two_shares() -> None:
    found = compare_with_direct(Crosswise(0.25), [400, 600], [70, 30])
    logits = found.logit_coefficients()
    intercept, form = logits.coefficients
    shares = 1 / (1 + np.exp(-np.array([intercept + form, intercept - form])))
    assert shares == pytest.approx([found.randomized, found.direct])


def test_at_the_end_of_the_range_the_difference_stays_and_the_logits_are_refused() -> None:
    found = compare_with_direct(Warner(0.75), [800, 200], [100, 0])
    assert found.randomized == pytest.approx(-0.1)
    assert found.difference == pytest.approx(-0.1)
    assert found.statistic == pytest.approx(0, abs=1e-9)
    with pytest.raises(SeparationError, match="use the difference"):
        found.logit_coefficients()


def test_counts_and_designs_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(CountsError):
        compare_with_direct(Warner(0.75), [10, -1], [5, 5])
    with pytest.raises(CountsError):
        compare_with_direct(Warner(0.75), [10, 1], [0, 0])
    with pytest.raises(DesignError, match="yes/no"):
        compare_with_direct(KAry(3, 0.6), [1, 2, 3], [5, 5])
