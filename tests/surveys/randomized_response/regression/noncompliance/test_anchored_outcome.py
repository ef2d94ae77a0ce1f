"""A crosswise outcome with an anchor: prevalence and attention fitted together."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from tests.randomized_response.designs import AnchoredCrosswise, Crosswise
from tests.randomized_response.errors import (
    CollinearityError,
    DesignError,
    RegressionError,
    SeparationError,
    WeightsError,
)
from tests.randomized_response.regression import fit_anchored_outcome_model, fit_outcome_model
from tests.randomized_response.regression.covariates import columns_from
from tests.randomized_response.regression.devices import device_of
from tests.randomized_response.regression.links import LINKS
from tests.randomized_response.regression.noncompliance.anchored_likelihood import (
    AnchoredData,
    kind_chances,
)
from tests.randomized_response.regression.outcome_likelihood import OutcomeData
from tests.surveys.randomized_response.regression.surveys_to_fit import numeric_gradient

P, Q = 0.2, 0.3
DESIGN = AnchoredCrosswise(p_harmless_yes=P, p_anchor_yes=Q)
each_link = pytest.mark.parametrize("link", LINKS)
TRAIT, ATTENTION = np.array([-1.0, 0.8]), np.array([1.5, 0.7])
N = 200
X = np.random.default_rng(1).normal(size=N)
SAID, HEARD = np.arange(N) // 2 % 2, np.arange(N) % 3 // 2 ^ 1


def draw(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One covariate (n,) of trait and attention, reports and anchor reports."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    carries = rng.random(n) < expit(TRAIT[0] + TRAIT[1] * x)
    attends = rng.random(n) < expit(ATTENTION[0] + ATTENTION[1] * x)
    harmless, other = rng.random(n) < P, rng.random(n) < Q
    guesses = rng.random((2, n)) < 0.5
    reports = np.where(attends, carries == harmless, guesses[0])
    return x, reports.astype(int), np.where(attends, ~other, guesses[1]).astype(int)


def data_of(reports, anchors, x, link="logit") -> AnchoredData:
    columns = columns_from(x, len(x), None, intercept=True)
    pairs = 2 * np.asarray(reports) + anchors
    return AnchoredData(pairs, kind_chances(DESIGN), columns, columns, LINKS[link])


def chance(prevalence, attention, report: int, anchor: int):
    """P(report, anchor) from the definition: who attends answers both as asked, others guess."""
    carrier, other = (P, 1 - P) if report else (1 - P, P)
    heard = 1 - Q if anchor else Q
    attending = heard * (carrier * prevalence + other * (1 - prevalence))
    return attention * attending + (1 - attention) / 4


@each_link
def test_the_likelihood_is_that_of_the_definition(link) -> None:
    at = np.array([0.2, -0.3, 0.5, 0.4])
    for report, anchor in product((0, 1), repeat=2):
        data = data_of(np.full(N, report), np.full(N, anchor), X, link)
        eta, zeta = data.predictors(at)
        expected = chance(LINKS[link].probability(eta), expit(zeta), report, anchor)
        assert data.at(at).log_likelihood == pytest.approx(np.log(expected).sum(), abs=1e-10)


@each_link
def test_score_and_observed_information_are_the_derivatives(link) -> None:
    data, at = data_of(SAID, HEARD, X, link), np.array([0.2, -0.3, 0.5, 0.4])
    point = data.at(at)
    slopes = numeric_gradient(lambda p: data.at(p).log_likelihood, at)
    assert point.score == pytest.approx(slopes, rel=1e-6, abs=1e-6)
    curvature = -numeric_gradient(lambda p: data.at(p).score, at)
    assert point.observed == pytest.approx(curvature, rel=1e-5, abs=1e-5)


@each_link
def test_the_expected_information_is_the_mean_square_of_the_score(link) -> None:
    at, total = np.array([0.2, -0.3, 0.5, 0.4]), np.zeros((4, 4))
    for report, anchor in product((0, 1), repeat=2):
        data = data_of(np.full(N, report), np.full(N, anchor), X, link)
        eta, zeta = data.predictors(at)
        f = chance(LINKS[link].probability(eta), expit(zeta), report, anchor)
        scores = data.at(at).person_scores
        total += (scores * f) @ scores.T
    assert data_of(SAID, HEARD, X, link).at(at).expected == pytest.approx(total, rel=1e-9)


@each_link
def test_where_all_attend_it_is_the_ordinary_outcome_model(link) -> None:
    """At a logit of 50 the chance of not attending is below 1e-21."""
    columns, trait = columns_from(X, N, None, intercept=True), np.array([0.2, -0.3])
    all_attend = 50 * columns.orthogonal.mean(axis=1)
    point = data_of(SAID, HEARD, X, link).at(np.append(trait, all_attend))
    ordinary = OutcomeData(columns, device_of(Crosswise(P), SAID), LINKS[link]).at(trait)
    anchor = np.log(np.where(HEARD == 1, 1 - Q, Q)).sum()
    assert point.log_likelihood == pytest.approx(ordinary.log_likelihood + anchor, abs=1e-10)
    assert point.score[:2] == pytest.approx(ordinary.score, abs=1e-10)
    assert point.observed[:2, :2] == pytest.approx(ordinary.observed, abs=1e-10)
    assert point.expected[:2, :2] == pytest.approx(ordinary.expected, abs=1e-10)


def test_counts_as_expected_give_back_prevalence_and_attention() -> None:
    """With p = q = 0.2, 30 % carriers and 80 % attentive, 10,000 people report exactly this."""
    design = AnchoredCrosswise(0.2, 0.2)
    reports = np.repeat([1, 1, 0, 0], [4468, 1492, 2932, 1108])
    anchors = np.repeat([1, 0, 1, 0], [4468, 1492, 2932, 1108])
    model = fit_anchored_outcome_model(design, reports, anchors)
    assert model.predict().probabilities[0] == pytest.approx(0.3, abs=1e-9)
    assert model.predict_attention().probabilities[0] == pytest.approx(0.8, abs=1e-9)
    assert model.attentive_share == pytest.approx(0.8, abs=1e-9)
    # f_h = t (u - v) and f_t = u h + v (1 - h) - 1/4, by the chances themselves.
    f = np.array([0.4468, 0.1492, 0.2932, 0.1108])
    slopes = np.array([[-0.384, -0.096, 0.384, 0.096], [0.246, -0.126, 0.054, -0.174]])
    errors = np.sqrt(np.diag(np.linalg.inv((slopes / f) @ slopes.T * 10_000)))
    found = (model.predict().standard_errors[0], model.predict_attention().standard_errors[0])
    assert found == pytest.approx(errors, rel=1e-7)


def test_a_maximum_is_that_of_another_optimiser() -> None:
    x, reports, anchors = draw(800, seed=2)
    rows = np.column_stack([np.ones(800), x])

    def lost(b: np.ndarray) -> float:
        cells = [
            np.where(
                (reports == y) & (anchors == a), chance(*expit(rows @ b.reshape(2, 2).T).T, y, a), 1
            )
            for y, a in product((0, 1), repeat=2)
        ]
        return -float(np.log(cells).sum())

    found = minimize(lost, np.zeros(4), tol=1e-9)
    model = fit_anchored_outcome_model(DESIGN, reports, anchors, x, attention_covariates=x)
    assert model.log_likelihood == pytest.approx(-found.fun, abs=1e-7)
    both = np.append(model.coefficients, model.attention.coefficients)
    assert both == pytest.approx(found.x, abs=1e-3)


def test_the_truth_is_recovered_and_inattention_would_have_hidden_it() -> None:
    """Four coefficients at 5 sigma: fails by chance less than once in 400,000 seeds."""
    x, reports, anchors = draw(30_000, seed=3)
    model = fit_anchored_outcome_model(DESIGN, reports, anchors, x, attention_covariates=x)
    assert (np.abs(model.coefficients - TRAIT) < 5 * model.standard_errors).all()
    attention = model.attention
    assert (np.abs(attention.coefficients - ATTENTION) < 5 * attention.standard_errors).all()
    naive = fit_outcome_model(Crosswise(P), reports, x)
    assert (np.abs(naive.coefficients - TRAIT) > 5 * naive.standard_errors).all()


def test_turning_the_harmless_question_round_turns_the_reports() -> None:
    x, reports, anchors = draw(800, seed=4)
    turned = AnchoredCrosswise(1 - P, 1 - Q)
    one = fit_anchored_outcome_model(DESIGN, reports, anchors, x)
    other = fit_anchored_outcome_model(turned, 1 - reports, 1 - anchors, x)
    assert other.coefficients == pytest.approx(one.coefficients, abs=1e-7)
    assert other.attention.covariance == pytest.approx(one.attention.covariance, rel=1e-6)


def test_a_unit_of_measurement_changes_only_the_unit() -> None:
    x, reports, anchors = draw(800, seed=5)
    one = fit_anchored_outcome_model(DESIGN, reports, anchors, x, attention_covariates=x)
    scaled = 1e6 * x + 3e6
    other = fit_anchored_outcome_model(
        DESIGN, reports, anchors, scaled, attention_covariates=scaled
    )
    assert other.coefficients[1] * 1e6 == pytest.approx(one.coefficients[1], rel=1e-6)
    assert other.attention.bse[1] * 1e6 == pytest.approx(one.attention.bse[1], rel=1e-6)
    assert other.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-8)


def test_a_weight_of_two_counts_as_two_people_and_errors_are_robust() -> None:
    x, reports, anchors = draw(600, seed=6)
    twice = 1 + np.arange(600) % 2
    model = fit_anchored_outcome_model(DESIGN, reports, anchors, x, weights=twice)
    rows = (np.repeat(column, twice) for column in (reports, anchors, x))
    repeated = fit_anchored_outcome_model(DESIGN, *rows)
    assert model.coefficients == pytest.approx(repeated.coefficients, abs=1e-6)
    assert model.log_likelihood == pytest.approx(repeated.log_likelihood, abs=1e-6)
    assert model.attentive_share == pytest.approx(repeated.attentive_share, abs=1e-7)
    assert model.covariance_kind == "sandwich"
    assert (model.standard_errors > repeated.standard_errors).all()


def test_predictions_take_the_columns_of_trait_or_attention() -> None:
    x, reports, anchors = draw(800, seed=7)
    model = fit_anchored_outcome_model(
        DESIGN,
        reports,
        anchors,
        names=[],
        attention_covariates=x,
        attention_covariate_names=["age"],
    )
    assert model.names == ("intercept",)
    assert model.attention.names == ("intercept", "age")
    assert model.parameter_count == 3
    found = model.predict_attention([-1.0, 1.0])
    linear = model.attention.coefficients @ [[1, 1], [-1, 1]]
    assert found.probabilities == pytest.approx(expit(linear))
    assert str(found).startswith("Probability of attending")
    with pytest.raises(RegressionError, match="columns for: age"):
        model.predict_attention()
    with pytest.raises(RegressionError, match="columns for: none"):
        model.predict([1.0])


@pytest.mark.parametrize(
    ("reports", "anchors", "options", "message"),
    [
        (SAID, np.ones(N, int), {}, "attention = '1' .* as if all people attended"),
        (SAID, np.arange(N) % 2, {}, "attention = '0' .* no one attended"),
        (SAID, np.zeros(N, int), {}, "attention = '0' .* no one attended"),
        (np.ones(N, int), HEARD, {}, "^intercept .* estimate the prevalence"),
        (X > 0, HEARD, {"covariates": X, "names": ["age"]}, "^column age .* share is 0 or 1"),
        (
            SAID,
            np.where(X > 0, 1, HEARD),
            {"attention_covariates": X > 0, "attention_covariate_names": ["young"]},
            "^column young .* coefficient of attention",
        ),
        ([1], [1], {}, "cannot be used"),
    ],
)
def test_a_likelihood_without_a_maximum_is_refused(reports, anchors, options, message) -> None:
    with pytest.raises(SeparationError, match=message):
        fit_anchored_outcome_model(DESIGN, reports, anchors, **options)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((Crosswise(P), SAID, HEARD), {}, DesignError, "AnchoredCrosswise"),
        ((SAID, DESIGN, HEARD), {}, DesignError, "AnchoredCrosswise"),
        ((DESIGN, [], []), {}, RegressionError, "no answers yet"),
        ((DESIGN, [0, 1, 2], [0, 1, 1]), {}, RegressionError, r"reports\[2\] = 2"),
        ((DESIGN, [0, 1, 1], [0, np.nan, 1]), {}, RegressionError, r"anchor_reports\[1\] = nan"),
        ((DESIGN, [0, 1, 1], [0, 1]), {}, RegressionError, "anchor_reports .* 3 whole numbers"),
        ((DESIGN, SAID, HEARD, np.full(N, 3)), {}, CollinearityError, "same for all"),
        ((DESIGN, SAID, HEARD, X * 1e200), {}, RegressionError, "another unit"),
        ((DESIGN, SAID, HEARD), {"attention_covariates": X[1:]}, RegressionError, "200 rows"),
        (
            (DESIGN, SAID, HEARD),
            {"attention_covariates": X * np.inf},
            RegressionError,
            "not finite",
        ),
        ((DESIGN, SAID, HEARD), {"attention_covariate_names": ["a"]}, RegressionError, "0 names"),
        ((DESIGN, SAID, HEARD), {"link": "log"}, RegressionError, "logit, probit"),
        ((DESIGN, SAID, HEARD), {"weights": np.zeros(N)}, WeightsError, "above 0"),
        ((DESIGN, SAID, HEARD), {"weights": [1, 2]}, RegressionError, "200 people"),
    ],
)
def test_what_no_survey_can_have_is_refused(arguments, options, error, message) -> None:
    with pytest.raises(error, match=message):
        fit_anchored_outcome_model(*arguments, **options)


def test_an_anchor_that_says_nothing_is_no_design() -> None:
    with pytest.raises(DesignError, match="differ more"):
        AnchoredCrosswise(P, 0.5)
