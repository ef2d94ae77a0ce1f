"""Plans and models print as tables to read; every function that readers call shows an example."""

import inspect
import re
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from tests.randomized_response import __name__ as NAME
from tests.randomized_response.designs import (
    AnchoredCrosswise,
    StochasticLieDetector,
    TwoCoins,
    Warner,
)
from tests.randomized_response.planning import (
    BudgetQuestion,
    Fieldwork,
    Meaning,
    PlanRequest,
    SimulatedQuestion,
    allocate_epsilon,
    compare_designs,
    exact_power,
    plan_sample_size,
    plan_survey,
    power_two_samples,
    price_of_privacy,
    sample_size_one_sample,
    simulate_fieldwork,
    simulate_slope_power,
)
from tests.randomized_response.regression import (
    fit_anchored_outcome_model,
    fit_linear_predictor_model,
    fit_logistic_predictor_model,
    fit_mixed_model,
    fit_multinomial_model,
    fit_no_sayer_model,
    fit_outcome_model,
    fit_outcome_posterior,
    fit_random_intercept_model,
    fit_random_slope_model,
)

WARNER = Warner(0.75)
CELL = re.compile(r"\S+(?: \S+)*")
REPORTS, OLDER = [0] * 35 + [1] * 15 + [0] * 20 + [1] * 30, [0] * 50 + [1] * 50
NAMESPACES = ("planning", "regression", "designs", "drawing", "files")


def rows_of(shown: object, head: str, count: int = 1) -> list[dict[str, str]]:
    """Rows below the line that starts with ``head``; its first column stands left, others right."""
    lines = str(shown).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(head + "  "))
    cells = [list(CELL.finditer(line)) for line in lines[first : first + 1 + count]]
    assert {row[0].start() for row in cells} == {0}
    assert len({tuple(cell.end() for cell in row[1:]) for row in cells}) == 1
    names = [cell.group() for cell in cells[0]]
    return [dict(zip(names, (cell.group() for cell in row), strict=True)) for row in cells[1:]]


def outcome_model():
    return fit_outcome_model(Warner(0.9), REPORTS, OLDER, names=["older"])


def test_a_plan_prints_its_method_n_error_and_assumption():
    question = {"error": 0.05, "failure_probability": 0.01, "meaning": Meaning.POPULATION}
    plan = plan_sample_size(WARNER, method="normal", **question)
    row = {"method": "normal", "n": str(plan.n), "error": "0.05", "failure probability": "0.01"}
    assert rows_of(plan, "method") == [{**row, "population": "–"}]
    assert str(plan).startswith("Plan for shares of the population\n")
    below = " ".join(str(plan).splitlines()[3:])
    assert below == f"Assumption: {plan.assumption}"


def test_the_plan_of_a_survey_prints_its_number_methods_readings_sample_and_test():
    two = {"samples": "two", "share": 0.3, "null_share": 0.2}
    plan = plan_survey(PlanRequest(error=0.05, response_rate=0.4, **two))
    assert str(plan).startswith(f"n = {plan.n} for an error of 0.05 (two-coins): ")
    methods = rows_of(plan, "method", len(plan.sizes))
    assert [row["method"] for row in methods] == [each.method for each in plan.sizes]
    assert {row["population"] for row in methods} >= {str(plan.n)}
    readings = rows_of(plan, "reading", len(plan.readings))
    assert [float(row["people"]) for row in readings] == [each.people for each in plan.readings]
    (sample,) = rows_of(plan, "sample")
    assert sample["invitations"] == str(plan.sample.invitations)
    (test,) = rows_of(plan, "test")
    assert (test["n"], test["other n"]) == (str(plan.test.plan.n), str(plan.test.plan.other_n))
    assert test["invitations in all"] == str(plan.test.invitations_in_all)


def test_a_power_analysis_prints_a_dash_for_the_other_group_it_does_not_have():
    one = sample_size_one_sample(WARNER, share=0.3, null_share=0.1)
    two = power_two_samples(WARNER, share=0.3, other_share=0.1, n=200, other_n=150)
    (single,), (both,) = rows_of(one, "n"), rows_of(two, "n")
    assert (single["n"], single["other n"], single["power"]) == ("194", "–", "0.814051")
    assert (both["n"], both["other n"], both["difference"]) == ("200", "150", "0.2")
    assert str(one).startswith("Power of a two-sided test, significance 0.05\n")


@pytest.mark.parametrize(("test", "words"), [("binomial", "never exceeds"), ("normal", "may")])
def test_exact_power_prints_its_region_and_whether_its_size_is_guaranteed(test, words):
    found = exact_power(WARNER, share=0.3, null_share=0.1, n=200, test=test)
    (row,) = rows_of(found, "n")
    assert (row["lower"], row["upper"]) == (str(found.lower), str(found.upper))
    assert float(row["power"]) == pytest.approx(found.power, rel=1e-5)
    assert f"The size {words}" in str(found)


def test_slope_power_prints_the_tested_covariate_above_its_figures():
    effort = {"n": 150, "surveys": 10, "rng": np.random.default_rng(1)}
    found = simulate_slope_power(Warner(0.9), [[0], [1]], [-1, 1], tested=0, **effort)
    (row,) = rows_of(found, "n")
    assert (row["n"], row["surveys"], row["power"]) == ("150", "10", f"{found.power:g}")
    assert str(found).startswith("Power for the slope of x1, significance 0.05\n")


def test_an_allocation_prints_one_line_per_question():
    found = allocate_epsilon([BudgetQuestion(2), BudgetQuestion(5, weight=2)], total=2.0)
    rows = rows_of(found, "question", 2)
    assert [(row["question"], row["options"], row["weight"]) for row in rows] == [
        ("1", "2", "1"),
        ("2", "5", "2"),
    ]
    assert [float(row["epsilon"]) for row in rows] == pytest.approx(found.epsilons, rel=1e-5)
    assert str(found).startswith("Epsilon 2 over 2 questions\n")


def test_a_compared_design_prints_a_dash_for_an_exact_power_it_does_not_have():
    found = {row.name: row for row in compare_designs(1.0, share=0.2, n=500)}
    (row,) = rows_of(found["Kuk, two cards"], "design")
    assert (row["design"], row["exact"]) == ("Kuk, two cards", "–")
    assert float(row["power"]) == pytest.approx(found["Kuk, two cards"].power, rel=1e-5)


def test_a_price_out_of_reach_prints_dashes_and_the_reason():
    question = {"error": 0.0001, "failure_probability": 0.05, "meaning": Meaning.POPULATION}
    far, near = price_of_privacy([0.01, 1], method="normal", **question)
    assert rows_of(far, "epsilon") == [{"epsilon": "0.01", "n": "–", "times direct": "–"}]
    assert str(far).splitlines()[-1] == far.reason
    assert rows_of(near, "epsilon")[0]["n"] == str(near.n)


def test_simulated_fieldwork_prints_its_respondents_and_one_line_per_option():
    questions = [
        SimulatedQuestion(TwoCoins(2), (0.8, 0.2)),
        SimulatedQuestion(TwoCoins(3), (0.7, 0.2, 0.1)),
    ]
    fieldwork = Fieldwork(400, cheating=0.1, ignores_device=True)
    trial = simulate_fieldwork(questions, fieldwork, runs=20, rng=np.random.default_rng(1))
    people = {"n": "400", "honest": "0.9", "inattentive": "0", "cheating": "0.1"}
    assert rows_of(trial, "n") == rows_of(fieldwork, "n") == [{**people, "ignores device": "yes"}]
    rows = rows_of(trial, "question: option", 5)
    assert [row["question: option"] for row in rows] == ["0: 0", "0: 1", "1: 0", "1: 1", "1: 2"]
    assert [row["share"] for row in rows] == ["0.8", "0.2", "0.7", "0.2", "0.1"]
    option = trial.questions[0][1]
    (single,) = rows_of(option, "share")
    assert single.items() <= rows[1].items()
    assert single["coverage"] == f"{option.coverage:g}"


def test_an_outcome_model_prints_its_coefficients_below_its_likelihood():
    title, *_ = str(outcome_model()).splitlines()
    assert title == "n = 100, log likelihood = -64.1938, link logit, covariance observed"
    intercept, older = rows_of(outcome_model(), "name", 2)
    assert intercept["name"] == "intercept"
    assert older == {
        "name": "older",
        "estimate": "1.60944",
        "std. error": "0.568507",
        "z": "2.83099",
        "p": "0.0046404",
        "low": "0.495185",
        "high": "2.72369",
    }


def test_a_model_of_two_groups_prints_its_unknown():
    design, groups = StochasticLieDetector(0.8, 0.2), [1] * 100 + [2] * 100
    model = fit_outcome_model(design, [0] * 70 + [1] * 30 + [0] * 45 + [1] * 55, groups=groups)
    unknown = str(model).splitlines().index(str(model.auxiliary).splitlines()[0])
    assert unknown == 3
    (row,) = rows_of(model.auxiliary, "name")
    assert (row["name"], row["estimate"]) == ("truthful_share", f"{model.auxiliary.estimate:.6g}")


def test_a_standard_error_that_does_not_exist_prints_as_a_dash():
    held = np.array([[0.2, np.nan], [np.nan, np.nan]])
    model = replace(outcome_model(), covariance=held)
    row = rows_of(model, "name", 2)[1]
    assert row["estimate"] == "1.60944"
    assert {row[name] for name in ("std. error", "z", "p", "low", "high")} == {"–"}


def test_a_likelihood_ratio_test_and_predictions_print_as_tables():
    test = outcome_model().likelihood_ratio_test("older")
    row = {"dropped": "older", "chi-squared": "9.24017", "degrees of freedom": "1"}
    assert rows_of(test, "dropped") == [{**row, "p": "0.00236764"}]
    predictions = outcome_model().predict([[0], [1]], level=0.9)
    rows = rows_of(predictions, "row", 2)
    assert [(row["row"], row["probability"]) for row in rows] == [("0", "0.25"), ("1", "0.625")]
    assert "level 0.9" in str(predictions).splitlines()[0]


def test_a_multinomial_model_prints_one_line_per_option_and_column():
    model = fit_multinomial_model(TwoCoins(3), [0] * 50 + [1] * 30 + [2] * 20)
    first, second = rows_of(model, "name", 2)
    assert (first["name"], first["estimate"]) == ("option 1: intercept", "-0.916291")
    assert (second["name"], second["estimate"]) == ("option 2: intercept", "-2.30259")
    assert str(model).startswith("n = 100, log likelihood = ")


def test_a_predictor_model_prints_the_trait_below_the_outcome():
    linear = fit_linear_predictor_model(
        Warner(0.8), [0, 0, 0, 1, 1, 1, 0, 1], [2, 3, 2.5, 6, 5, 5.5, 5, 3]
    )
    outcome = [0] * 40 + [1] * 20 + [0] * 15 + [1] * 25
    logistic = fit_logistic_predictor_model(Warner(0.9), [0] * 60 + [1] * 40, outcome)
    assert [row["name"] for row in rows_of(linear, "name", 2)] == ["intercept", "trait"]
    assert rows_of(logistic, "name", 2)[1]["estimate"] == "1.56925"
    assert "link identity" in str(linear)
    assert f"residual sd: {linear.residual_sd:.6g}" in str(linear)
    assert "link logit" in str(logistic)
    assert str(logistic).endswith(f"Trait, shares of the levels: 0.625, 0.375\n{logistic.trait}")


def test_an_anchored_model_prints_attention_below_the_trait():
    pairs = [(1, 1)] * 447 + [(1, 0)] * 149 + [(0, 1)] * 293 + [(0, 0)] * 111
    model = fit_anchored_outcome_model(AnchoredCrosswise(0.2, 0.2), *zip(*pairs, strict=True))
    assert rows_of(model, "name")[0]["name"] == "intercept"
    share = f"Attention, mean share: {model.attentive_share:.6g}"
    assert str(model).endswith(f"{share}\n{model.attention}")


def test_a_model_of_no_sayers_prints_prevalences_their_share_and_its_test():
    patterns = [[0, 0]] * 60 + [[0, 1]] * 15 + [[1, 0]] * 14 + [[1, 1]] * 11
    model = fit_no_sayer_model(Warner(1), patterns, pairs=False, names=["tax", "fare"])
    assert [row["name"] for row in rows_of(model, "name", 2)] == ["tax", "fare"]
    tax, _ = rows_of(model, "prevalence", 2)
    assert tax["estimate"] == f"{model.prevalences[0]:.6g}"
    assert str(model).endswith(f"{model.no_sayers}\n{model.no_sayer_test}")


def test_a_random_intercept_prints_its_spread_and_a_dash_for_an_error_it_does_not_have():
    clusters = sorted([1, 2, 3, 4, 5, 6] * 10)
    spread = [person < yes for yes in (2, 8, 4, 9, 1, 8) for person in range(10)]
    model = fit_random_intercept_model(Warner(0.9), spread, clusters)
    alike = fit_random_intercept_model(Warner(0.9), [0, 1] * 30, clusters)
    assert rows_of(model, "name")[0]["name"] == "intercept"
    (row,), (none,) = rows_of(model, "random intercept"), rows_of(alike, "random intercept")
    assert float(row["sd"]) == pytest.approx(model.random_intercept_sd, rel=1e-5)
    assert none == {
        "random intercept": "6 clusters",
        "sd": "0",
        "std. error": "–",
        "p of no variance": "1",
    }


def test_random_slopes_print_their_spreads_and_the_correlations_with_those_above():
    rng, clusters = np.random.default_rng(1), np.repeat(np.arange(12), 50)
    x = rng.normal(size=600)
    said = rng.random(600) < 0.2 + 0.5 * (rng.random(12)[clusters] + (clusters % 2) * (x > 0)) / 2
    model = fit_random_slope_model(Warner(0.9), said, clusters, x, ["x1"], nodes=5)
    intercept, slope = rows_of(model, "clusters: 12", 2)
    assert float(intercept["sd"]) == pytest.approx(model.effects.sds[0], rel=1e-5)
    assert (intercept["clusters: 12"], slope["clusters: 12"]) == ("intercept", "x1")
    assert intercept["intercept"] == "–"
    (test,) = rows_of(model, "dropped")
    assert float(test["p"]) == pytest.approx(model.slopes_p_value, rel=1e-5)


def test_predictions_of_clusters_say_that_they_are_of_the_middle():
    villages, x = np.arange(60) % 6, np.arange(60) % 5 - 2.0
    said = np.arange(60) * 5 % 7 % 2
    for model in (
        fit_random_intercept_model(Warner(0.9), said, villages, x),
        fit_mixed_model(Warner(0.9), said, {"village": villages}, x),
    ):
        predicted = str(model.get_prediction([1.0]))
        assert "yes in the middle of the clusters" in predicted


def test_a_mixed_model_prints_the_spread_of_each_grouping():
    villages, askers = np.arange(60) % 6, np.arange(60) // 20
    said = np.arange(60) * 5 % 7 % 2
    model = fit_mixed_model(Warner(0.9), said, {"village": villages, "asker": askers})
    for each in model.effects:
        (row,) = rows_of(model, f"{each.grouping}: {len(each.clusters)}")
        assert float(row["sd"]) == pytest.approx(float(each.sds[0]), rel=1e-5)


def test_a_posterior_prints_means_intervals_and_what_its_draws_are_worth():
    rng = np.random.default_rng(1)
    model = fit_outcome_posterior(Warner(0.9), REPORTS, OLDER, rng=rng, draws=200)
    first, _ = rows_of(model, "name", 2)
    assert float(first["mean"]) == pytest.approx(model.mean[0], rel=1e-5)
    assert first["effective draws"] == f"{model.effective_draws[0]:.0f}"
    (row,) = rows_of(model.predict([1]), "row")
    assert float(row["probability"]) == pytest.approx(model.predict([1]).probabilities[0], rel=1e-5)


def test_the_representation_of_a_result_stays_that_of_its_fields():
    assert repr(outcome_model()).startswith("OutcomeModel(names=('intercept', 'older'), ")


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_every_public_function_has_an_example(namespace):
    module = import_module(f"{NAME}.{namespace}")
    functions = [getattr(module, name) for name in module.__all__]
    without = [f.__name__ for f in functions if inspect.isfunction(f) and ">>>" not in f.__doc__]
    assert without == []
