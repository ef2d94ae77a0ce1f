"""A crosswise predictor with an anchor: outcome, trait and attention fitted together."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from tests.randomized_response.designs import AnchoredCrosswise, Crosswise
from tests.randomized_response.errors import DesignError, RegressionError, SeparationError
from tests.randomized_response.regression import (
    PredictorModel,
    fit_anchored_linear_predictor_model,
    fit_anchored_logistic_predictor_model,
)
from tests.randomized_response.regression.hidden.latent_trait import TraitData, TraitOutcome
from tests.randomized_response.regression.hidden.outcome_families import LOGISTIC, NORMAL
from tests.surveys.randomized_response.regression.surveys_to_fit import numeric_gradient

P, Q = 0.2, 0.3
DESIGN = AnchoredCrosswise(p_harmless_yes=P, p_anchor_yes=Q)
N = 60
X = np.random.default_rng(1).normal(size=N)
ROWS = np.vstack([np.ones(N), X])
SAID, HEARD = np.arange(N) // 2 % 2, np.arange(N) % 3 // 2 ^ 1
AT = np.array([-0.5, 0.3, 0.8, -0.2, 1.0, 0.4, 0.9])
FAMILIES = {"normal": NORMAL, "logistic": LOGISTIC}
each_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
TRUTH = {"trait": [-0.8, 0.6], "attention": [1.2, 0.5]}


def attended(trait: int) -> np.ndarray:
    """P(both reports | trait) of an attentive person: (n,)."""
    same = P if trait else 1 - P
    return np.where(SAID == 1, same, 1 - same) * np.where(HEARD == 1, 1 - Q, Q)


def outcome_of(family) -> np.ndarray:
    return X + SAID if family is NORMAL else np.arange(N) % 5 % 2.0


def data_of(family) -> TraitData:
    guess = np.full(N, 0.25)
    reports = np.stack([attended(0), attended(1), guess, guess])
    outcome = TraitOutcome(outcome_of(family), family, ROWS)
    weights = 1 + np.arange(N) % 3.0
    return TraitData(reports, ROWS, outcome, weights, ROWS)


def parameters_of(family) -> np.ndarray:
    return np.append(AT, 0.1) if family is NORMAL else AT


def drawn(n: int, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    rows = np.column_stack([np.ones(n), x])
    carries, attends = (rng.random(n) < expit(rows @ truth) for truth in TRUTH.values())
    guesses = rng.random((2, n)) < 0.5
    return {
        "x": x,
        "reports": np.where(attends, carries == (rng.random(n) < P), guesses[0]),
        "anchors": np.where(attends, rng.random(n) < 1 - Q, guesses[1]),
        "number": 2 + 0.5 * x + 1.5 * carries + rng.normal(size=n),
        "yes": rng.random(n) < expit(-0.5 + 0.4 * x + 1.2 * carries),
    }


def near(model: PredictorModel, coefficients: list[float]) -> bool:
    """All seven coefficients within 5 standard errors: once in 250,000 seeds they are not."""
    parts = [(model, coefficients), (model.trait, TRUTH["trait"])]
    parts.append((model.attention, TRUTH["attention"]))
    return all((np.abs(part.coefficients - truth) < 5 * part.bse).all() for part, truth in parts)


@each_family
def test_the_likelihood_is_the_sum_over_trait_and_attention(family) -> None:
    data, at = data_of(family), parameters_of(family)
    carrier, attends = expit(at[:2] @ ROWS), expit(at[2:4] @ ROWS)
    total = np.zeros(N)
    for trait, share in ((0, 1 - carrier), (1, carrier)):
        eta = at[4:6] @ ROWS + at[6] * trait
        y = data.outcome.values
        if family is NORMAL:
            density = norm.pdf(y, eta, np.exp(0.1))
        else:
            density = np.where(y == 1, expit(eta), expit(-eta))
        total += share * density * (attends * attended(trait) + (1 - attends) / 4)
    assert data.at(at).log_likelihood == pytest.approx(data.weights @ np.log(total), abs=1e-9)
    assert data.at(at).attentive == pytest.approx(attends)


@each_family
def test_score_and_observed_information_are_the_derivatives(family) -> None:
    data, at = data_of(family), parameters_of(family)
    slopes = numeric_gradient(lambda p: data.at(p).log_likelihood, at)
    assert data.at(at).score == pytest.approx(slopes, rel=1e-6, abs=1e-6)
    curvature = -numeric_gradient(lambda p: data.at(p).score, at)
    assert data.at(at).observed == pytest.approx(curvature, rel=1e-5, abs=1e-5)


@each_family
def test_where_all_attend_it_is_the_ordinary_predictor_model(family) -> None:
    """At a logit of 50 the chance of not attending is below 1e-21."""
    data, at = data_of(family), parameters_of(family)
    kept = np.delete(np.arange(len(at)), [2, 3])
    ordinary = replace(data, reports=data.reports[:2], attention=None).at(at[kept])
    at[2:4] = 50, 0
    point = data.at(at)
    assert point.log_likelihood == pytest.approx(ordinary.log_likelihood, abs=1e-10)
    assert point.score[kept] == pytest.approx(ordinary.score, abs=1e-9)
    assert point.observed[np.ix_(kept, kept)] == pytest.approx(ordinary.observed, abs=1e-9)
    assert point.posterior == pytest.approx(ordinary.posterior)


def test_a_numeric_outcome_is_recovered() -> None:
    survey = drawn(2500, seed=2)
    model = fit_anchored_linear_predictor_model(
        DESIGN,
        survey["reports"],
        survey["anchors"],
        survey["number"],
        survey["x"],
        names=["age"],
        trait_covariates=survey["x"],
        attention_covariates=survey["x"],
        attention_covariate_names=["age"],
    )
    assert near(model, [2, 0.5, 1.5])
    assert model.residual_sd == pytest.approx(1, abs=5 / np.sqrt(2 * 2500) + 0.02)
    assert model.names == ("intercept", "age", "trait")
    assert model.attention.names == ("intercept", "age")
    assert model.parameter_count == 8
    assert f"Attention, mean share: {model.attentive_share:.6g}\n{model.attention}" in str(model)


def test_a_yes_no_outcome_is_recovered() -> None:
    survey = drawn(2500, seed=3)
    model = fit_anchored_logistic_predictor_model(
        DESIGN,
        survey["reports"],
        survey["anchors"],
        survey["yes"],
        survey["x"],
        attention_covariates=survey["x"],
    )
    assert near(model, [-0.5, 0.4, 1.2])
    assert (model.link, model.residual_sd, model.parameter_count) == ("logit", None, 7)


def test_a_weight_of_two_counts_as_two_people() -> None:
    survey = drawn(600, seed=4)
    columns = [survey[name] for name in ("reports", "anchors", "number")]
    twice = 1 + np.arange(600) % 2
    model = fit_anchored_linear_predictor_model(DESIGN, *columns, weights=twice)
    rows = fit_anchored_linear_predictor_model(DESIGN, *(np.repeat(c, twice) for c in columns))
    assert model.coefficients == pytest.approx(rows.coefficients, abs=1e-5)
    assert model.attention.coefficients == pytest.approx(rows.attention.coefficients, abs=1e-4)
    assert model.log_likelihood == pytest.approx(rows.log_likelihood, rel=1e-9)
    assert model.covariance_kind == "sandwich"


FITS = {
    fit_anchored_linear_predictor_model: X + SAID,
    fit_anchored_logistic_predictor_model: np.arange(N) % 7 % 2,
}


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("anchors", [np.ones(N, int), np.zeros(N, int)], ids=["all", "none"])
def test_an_anchor_at_an_end_is_refused(fit, anchors) -> None:
    with pytest.raises(SeparationError, match=r"attention = 'at an end' .* with Crosswise"):
        fit(DESIGN, SAID, anchors, FITS[fit])


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((Crosswise(P), SAID, HEARD, SAID), {}, DesignError, "AnchoredCrosswise"),
        ((DESIGN, [], [], []), {}, RegressionError, "no answers yet"),
        ((DESIGN, SAID, HEARD[1:], SAID), {}, RegressionError, "anchor_reports .* 60 whole"),
        ((DESIGN, SAID + 1, HEARD, SAID), {}, RegressionError, r"reports\[2\] = 2"),
        ((DESIGN, SAID, HEARD, SAID[1:]), {}, RegressionError, "outcome"),
        ((DESIGN, SAID, HEARD, np.full(N, np.nan)), {}, RegressionError, r"outcome\[0\] = nan"),
        ((DESIGN, SAID, HEARD, X[:, None]), {}, RegressionError, "outcome"),
        ((DESIGN, SAID, HEARD, SAID), {"attention_covariates": X[1:]}, RegressionError, "60 rows"),
        ((DESIGN, SAID, HEARD, SAID), {"weights": [1, 2]}, RegressionError, "60 people"),
    ],
)
def test_what_no_survey_can_have_is_refused(fit, arguments, options, error, message) -> None:
    with pytest.raises(error, match=message):
        fit(*arguments, **options)


@pytest.mark.parametrize("fit", FITS)
def test_a_trait_needs_a_name_of_its_own(fit) -> None:
    with pytest.raises(RegressionError, match="name of its own"):
        fit(DESIGN, SAID, HEARD, FITS[fit], X, names=["age"], trait_name="age")


def test_an_outcome_that_does_not_vary_or_reveals_the_trait_is_refused() -> None:
    with pytest.raises(RegressionError, match="the same for all"):
        fit_anchored_linear_predictor_model(DESIGN, SAID, HEARD, np.ones(N))
    with pytest.raises(RegressionError, match="2 different values"):
        fit_anchored_linear_predictor_model(DESIGN, SAID, HEARD, SAID)
