"""Average marginal effects: by hand, by finite differences, and those of statsmodels."""

import numpy as np
import pandas as pd
import pytest

from tests.randomized_response.designs import Direct, Warner
from tests.randomized_response.drawing import draw_reports
from tests.randomized_response.regression import OutcomeModel, fit_outcome_model
from tests.randomized_response.regression.effects import Effects
from tests.randomized_response.samples import survey_sample

N = 500
RNG = np.random.default_rng(21)
FRAME = pd.DataFrame(
    {
        "age": RNG.normal(40, 10, N),
        "member": RNG.integers(0, 2, N),
        "town": RNG.choice(["a", "b", "c"], N),
    }
)
ETA = 0.05 * (FRAME["age"] - 40) + 0.7 * FRAME["member"] + 0.5 * (FRAME["town"] == "c") - 0.5
TRUTH = RNG.random(N) < 1 / (1 + np.exp(-ETA))
DEVICE = Warner(0.85)
WEIGHTS = RNG.uniform(1, 3, N)
MODEL = fit_outcome_model(DEVICE, draw_reports(DEVICE, TRUTH, RNG), FRAME)
WEIGHTED = fit_outcome_model(DEVICE, draw_reports(DEVICE, TRUTH, RNG), FRAME, weights=WEIGHTS)


def mean_probability(model: OutcomeModel, weights=None, **columns) -> float:
    frame = FRAME.assign(**columns)
    return float(np.average(model.predict(frame).probabilities, weights=weights))


@pytest.mark.parametrize(("model", "weights"), [(MODEL, None), (WEIGHTED, WEIGHTS)])
def test_effects_are_differences_of_mean_predictions(model, weights) -> None:
    effects = model.average_marginal_effects()
    assert effects.names == ("age", "member", "town[b]", "town[c]")
    at = [mean_probability(model, weights, member=value) for value in (0, 1)]
    assert effects.params[1] == pytest.approx(at[1] - at[0])
    towns = [mean_probability(model, weights, town=town) for town in "abc"]
    assert effects.params[2:] == pytest.approx([towns[1] - towns[0], towns[2] - towns[0]])
    older = mean_probability(model, weights, age=FRAME["age"] + 1e-4)
    younger = mean_probability(model, weights, age=FRAME["age"] - 1e-4)
    assert effects.params[0] == pytest.approx((older - younger) / 2e-4)


@pytest.mark.parametrize("link", ["logit", "probit", "cloglog", "cauchit"])
def test_their_errors_are_by_the_delta_method(link) -> None:
    model = fit_outcome_model(DEVICE, TRUTH.astype(int), FRAME, link=link)
    effects = model.average_marginal_effects()
    data, step = model.fit.data, 1e-6

    def at(coefficients) -> np.ndarray:
        made = Effects(data.columns, data.link, coefficients, np.full(N, 1 / N))
        return np.array([made.of(name)[0] for name in effects.names])

    jacobian = np.column_stack(
        [
            (at(model.params + step * unit) - at(model.params - step * unit)) / (2 * step)
            for unit in np.eye(len(model.params))
        ]
    )
    assert effects.cov_params() == pytest.approx(jacobian @ model.covariance @ jacobian.T, rel=1e-5)


def test_they_print_as_a_table_and_have_the_degrees_of_the_sample() -> None:
    sample = survey_sample(WEIGHTS, clusters=np.arange(N) // 25)
    model = fit_outcome_model(DEVICE, TRUTH.astype(int), FRAME, weights=sample)
    effects = model.average_marginal_effects()
    assert effects.degrees == model.degrees == 19 + 1 - 5
    assert str(effects).splitlines()[2].startswith("member")
    assert effects.to_frame().index.tolist() == list(effects.names)


def test_a_model_of_an_intercept_alone_has_no_effects() -> None:
    alone = fit_outcome_model(DEVICE, TRUTH.astype(int))
    assert alone.average_marginal_effects().names == ()
    assert str(alone.average_marginal_effects()).startswith("name")


def test_without_an_intercept_all_columns_have_effects() -> None:
    model = fit_outcome_model(DEVICE, TRUTH.astype(int), FRAME[["age", "member"]], intercept=False)
    assert model.average_marginal_effects().names == ("age", "member")


def test_numbers_are_those_of_statsmodels() -> None:
    """Version 0.15: ``Logit(y, [1, x, d]).fit(tol=1e-14).get_margeff(dummy=True)``."""
    i = np.arange(200)
    x, d = np.sin(i) * 2, (i % 3 == 0).astype(float)
    y = ((i * 7919) % 101 < 35 + 12 * x + 20 * d).astype(int)
    effects = fit_outcome_model(Direct(2), y, np.column_stack([x, d])).average_marginal_effects()
    assert effects.params == pytest.approx([0.080920154278, 0.229736809639], rel=1e-9)
    assert effects.bse == pytest.approx([0.02138024502, 0.070857344229], rel=1e-9)
