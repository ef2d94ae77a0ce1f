import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from tests.randomized_response.designs import Direct, ForcedResponse, Warner
from tests.randomized_response.errors import (
    ConvergenceError,
    EstimationError,
    RegressionError,
    StatisticsError,
)
from tests.randomized_response.regression import OutcomePosterior, fit_outcome_posterior
from tests.surveys.randomized_response.regression.surveys_to_fit import draw_reported

DESIGN = ForcedResponse(0.1, 0.2)
# Two groups of people: so many yes reports of so many.
REPORTS = np.repeat([0, 1, 0, 1], [9, 3, 4, 8])
OLD = np.repeat([0, 1], [12, 12])
PRIOR = {"prior_mean": [-0.5, 0.4], "prior_sd": [1.5, 0.8]}
DRAWS = 20_000


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


@pytest.fixture(scope="module")
def posterior() -> OutcomePosterior:
    return fit_outcome_posterior(DESIGN, REPORTS, OLD, rng=rng(), draws=DRAWS, **PRIOR)


def on_a_grid(link: str = "logit") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Intercepts, slopes and the chances of each pair, by the density at 400 x 400 points."""
    first, second = np.linspace(-8, 6, 400), np.linspace(-3.5, 4.5, 400)
    no, yes = DESIGN.channel.matrix[1]
    logs = norm.logpdf(first, -0.5, 1.5)[:, None] + norm.logpdf(second, 0.4, 0.8)
    for old, yes_reports in ((0, 3), (1, 8)):
        eta = first[:, None] + old * second
        share = 1 / (1 + np.exp(-eta)) if link == "logit" else norm.cdf(eta)
        chance = no + (yes - no) * share
        logs = logs + yes_reports * np.log(chance) + (12 - yes_reports) * np.log1p(-chance)
    chances = np.exp(logs - logs.max())
    return first, second, chances / chances.sum()


def marginal(values: np.ndarray, chances: np.ndarray) -> tuple[float, float]:
    mean = float(values @ chances)
    return mean, float(np.sqrt(values**2 @ chances - mean**2))


def test_means_and_deviations_are_those_of_numeric_integration(posterior) -> None:
    first, second, chances = on_a_grid()
    exact = [marginal(first, chances.sum(axis=1)), marginal(second, chances.sum(axis=0))]
    for i, (mean, sd) in enumerate(exact):
        error = sd / np.sqrt(posterior.effective_draws[i])
        assert posterior.mean[i] == pytest.approx(mean, abs=5 * error)
        # The variance of a squared normal deviation is 2; these are hardly heavier.
        assert posterior.sd[i] == pytest.approx(sd, abs=5 * error)


def test_intervals_leave_as_much_on_either_side(posterior) -> None:
    first, second, chances = on_a_grid()
    marginals = (first, chances.sum(axis=1)), (second, chances.sum(axis=0))
    for i, (values, shares) in enumerate(marginals):
        low, high = posterior.intervals(0.9)[i]
        # Five errors of a share of .05 among the effective draws, and half a step of the grid.
        slack = 5 * np.sqrt(0.05 * 0.95 / posterior.effective_draws[i]) + shares.max()
        assert shares[values < low].sum() == pytest.approx(0.05, abs=slack)
        assert shares[values > high].sum() == pytest.approx(0.05, abs=slack)


def test_predictions_are_those_of_numeric_integration(posterior) -> None:
    first, second, chances = on_a_grid()
    shares = 1 / (1 + np.exp(-(first[:, None] + second)))
    predicted = posterior.predict([1])
    error = float(predicted.standard_deviations[0]) / np.sqrt(posterior.effective_draws.min())
    assert predicted.probabilities[0] == pytest.approx((shares * chances).sum(), abs=5 * error)
    assert predicted.low[0] < predicted.probabilities[0] < predicted.high[0]
    assert posterior.predict([1], level=0.5).low[0] > predicted.low[0]


def test_units_of_covariates_do_not_matter() -> None:
    """The same numbers of a generator: draws of a slope are a hundredth, its prior too."""
    one = fit_outcome_posterior(DESIGN, REPORTS, OLD, rng=rng(), **PRIOR)
    prior = {"prior_mean": [-0.5, 0.004], "prior_sd": [1.5, 0.008]}
    other = fit_outcome_posterior(DESIGN, REPORTS, 100 * OLD, rng=rng(), **prior)
    assert other.draws == pytest.approx(one.draws / [1, 100], rel=1e-6)


def test_proposals_follow_the_correlations_that_a_prior_brings() -> None:
    """Of a covariate far from 0; without the correlations two of three would be accepted."""
    x = 50 + 5 * np.random.default_rng(4).normal(size=len(REPORTS))
    model = fit_outcome_posterior(DESIGN, REPORTS, x, rng=rng(), prior_sd=1)
    assert model.acceptance > 0.8


def test_a_prior_of_pandas_is_labelled_by_the_coefficients() -> None:
    prior = pd.Series([1.5, 0.8], index=["intercept", "x1"])
    one = fit_outcome_posterior(DESIGN, REPORTS, OLD, rng=rng(), prior_sd=prior)
    other = fit_outcome_posterior(DESIGN, REPORTS, OLD, rng=rng(), prior_sd=[1.5, 0.8])
    assert one.draws.tolist() == other.draws.tolist()
    with pytest.raises(RegressionError, match="intercept, x1"):
        fit_outcome_posterior(DESIGN, REPORTS, OLD, rng=rng(), prior_sd=prior.iloc[::-1])


def test_a_prior_too_wide_to_hold_back_anything_is_refused() -> None:
    with pytest.raises(ConvergenceError, match="narrower prior"):
        fit_outcome_posterior(Warner(0.9), [1] * 100, rng=rng(), prior_sd=1e5)


def test_a_prior_holds_back_what_the_reports_do_not() -> None:
    model = fit_outcome_posterior(Direct(2), [0] * 20, rng=rng(), prior_sd=1)
    assert -4 < model.mean[0] < -1
    assert model.acceptance > 0.5


def test_a_narrow_prior_is_the_posterior() -> None:
    model = fit_outcome_posterior(
        DESIGN, REPORTS, OLD, rng=rng(), prior_mean=[2, -1], prior_sd=0.01
    )
    assert model.mean == pytest.approx([2, -1], abs=0.005)
    assert model.sd == pytest.approx([0.01, 0.01], rel=0.1)


def test_a_chain_that_moves_seldom_says_how_few_draws_it_is_worth() -> None:
    draws = np.repeat(np.random.default_rng(2).normal(size=500), 8)[:, None]
    model = OutcomePosterior(("intercept",), draws, "logit", 0.1, 10, ())
    assert model.effective_draws[0] == pytest.approx(500, rel=0.3)
    still = OutcomePosterior(("intercept",), np.ones((100, 1)), "logit", 0.0, 10, ())
    assert still.effective_draws.tolist() == [1]


@pytest.mark.audit
@pytest.mark.parametrize("link", ["logit", "probit"])
def test_truths_drawn_from_the_prior_have_ranks_that_are_uniform(link: str) -> None:
    """Simulation-based calibration (Talts et al. 2018): ten classes of ranks, 5 sigma each."""
    draw, runs, ranks = np.random.default_rng(3), 1000, []
    inverse = {"logit": lambda eta: 1 / (1 + np.exp(-eta)), "probit": norm.cdf}[link]
    for _ in range(runs):
        truth = draw.normal([-0.5, 0.4], [1.5, 0.8])
        true = (draw.random(24) < inverse(truth[0] + truth[1] * OLD)).astype(int)
        reports = draw_reported(DESIGN, true, draw)
        model = fit_outcome_posterior(DESIGN, reports, OLD, rng=draw, draws=600, link=link, **PRIOR)
        ranks.append((model.draws[::6] < truth).mean(axis=0))
    for column in np.array(ranks).T:
        counts = np.histogram(column, np.linspace(0, 1 + 1e-9, 11))[0]
        assert np.abs(counts - runs / 10).max() < 5 * np.sqrt(runs * 0.1 * 0.9)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"prior_sd": 0}, "above 0"),
        ({"prior_sd": [1, -1]}, "above 0"),
        ({"prior_sd": [1, 2, 3]}, "one finite number, or 2"),
        ({"prior_mean": np.inf}, "one finite number, or 2"),
        ({"prior_mean": "many"}, "prior_mean"),
        ({"draws": 99}, "give 100 to"),
        ({"draws": 2.5}, "draws"),
        ({"draws": 10**7}, "give 100 to"),
        ({"link": "log"}, "link"),
    ],
)
def test_impossible_priors_and_draws_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(RegressionError, match=message):
        fit_outcome_posterior(DESIGN, REPORTS, OLD, rng=rng(), **given)


def test_a_seed_is_no_generator() -> None:
    with pytest.raises(StatisticsError, match="rng"):
        fit_outcome_posterior(DESIGN, REPORTS, OLD, rng=1)


def test_impossible_levels_are_refused(posterior) -> None:
    for refused in (lambda: posterior.intervals(2), lambda: posterior.predict([1], level=0)):
        with pytest.raises(EstimationError, match="level"):
            refused()
