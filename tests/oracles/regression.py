"""Adapter for regression, association and goodness of fit."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracles import one_sample, randomized_response, two_group
from tests.oracles.files import Case
from tests.oracles.randomized_response import rational
from tests.randomized_response.designs import Channel
from tests.randomized_response.regression import (
    fit_linear_predictor_model,
    fit_logistic_predictor_model,
    fit_outcome_model,
    fit_random_intercept_model,
)
from tests.randomized_response.relations import (
    AnsweredItem,
    assess_goodness_of_fit,
    compare_with_direct,
    estimate_correlation,
)

ONE_SAMPLE = {**randomized_response.BUILDERS, **one_sample.BUILDERS}


def design_of(name: str, params: Case) -> Any:
    return {**ONE_SAMPLE, **two_group.BUILDERS}[name](params)


def columns_named(given: Case, names: list[str]) -> Any:
    return np.column_stack([given[name] for name in names])


def covariates_of(given: Case) -> list[str]:
    return [name for name in ("x1", "x2", "x") if name in given]


def fitted(case: Case, **options: Any) -> Any:
    given = case["input"]
    names = covariates_of(given)
    design = design_of(case["design"], case["params"])
    if "group" in given:
        options["groups"] = given["group"]
    link = case["params"].get("link", "logit")
    covariates = columns_named(given, names)
    return fit_outcome_model(design, given["y"], covariates, names=names, link=link, **options)


def standard_errors(model: Any, kind: str) -> list[float]:
    chosen = model.with_covariance(kind)
    errors = list(chosen.standard_errors)
    return errors if chosen.auxiliary is None else [*errors, chosen.auxiliary.standard_error]


def logistic_outcome(case: Case) -> Case:
    model = fitted(case)
    tests = model.likelihood_ratio_tests()
    outputs = {
        "coef": model.coefficients,
        "se_hessian": standard_errors(model, "observed"),
        "se_opg": standard_errors(model, "opg"),
        "loglik": model.log_likelihood,
        "lr_chisq": [test.statistic for test in tests],
    }
    if model.auxiliary is not None:
        outputs["second_parameter"] = model.auxiliary.estimate
    return {**outputs, **predicted(model, case["expected"].get("predict_newdata"))}


def predicted(model: Any, rows: Case | None) -> Case:
    if rows is None:
        return {}
    found = model.predict(columns_named(rows, [n for n in model.names if n in rows]))
    return {
        "predict_newdata": rows,
        "predict_prob": found.probabilities,
        "predict_se": found.standard_errors,
        "predict_ci_low": found.low,
        "predict_ci_high": found.high,
    }


def glm_link(case: Case) -> Case:
    model = fitted(case, covariance="expected")
    return {
        "coef": model.coefficients,
        "se_expected": model.standard_errors,
        "deviance": model.deviance,
    }


def logistic_per_case(case: Case) -> Case:
    given = case["input"]
    channels = [
        Channel.binary(yes_if_true=rational(a) + rational(b), yes_if_false=rational(b))
        for a, b in zip(given["link_scale"], given["link_floor"], strict=True)
    ]
    names = covariates_of(given)
    model = fit_outcome_model(
        channels, given["y"], columns_named(given, names), covariance="expected"
    )
    return {
        "coef": model.coefficients,
        "se_expected": model.standard_errors,
        "deviance": model.deviance,
    }


def random_intercept(case: Case) -> Case:
    given = case["input"]
    names = covariates_of(given)
    model = fit_random_intercept_model(
        design_of(case["design"], case["params"]),
        given["y"],
        given["cluster"],
        columns_named(given, names),
        nodes=1,
    )
    return {
        "coef": model.coefficients,
        "se": model.standard_errors,
        "random_intercept_sd": model.random_intercept_sd,
        "loglik_laplace": model.log_likelihood,
    }


def linear_predictor(case: Case) -> Case:
    given = case["input"]
    design = design_of(case["design"], case["params"])
    model = fit_linear_predictor_model(
        design, given["z"], given["y"], given["w"], names=["w"], trait_covariates=None
    )
    order = [model.names.index(name) for name in ("intercept", "trait", "w")]
    return {
        "coef": model.coefficients[order],
        "se_hessian": model.standard_errors[order],
        "sigma": model.residual_sd,
        "prevalence_true0_true1": model.shares,
        "loglik": model.log_likelihood,
    }


def logistic_predictor(case: Case) -> Case:
    given = case["input"]
    model = fit_logistic_predictor_model(
        design_of(case["design"], case["params"]),
        given["y"],
        given["o"],
        columns_named(given, covariates_of(given)),
    )
    return {
        "coef_trait": model.trait.coefficients,
        "coef_outcome": model.coefficients,
        "se_hessian": [*model.trait.standard_errors, *model.standard_errors],
        "loglik": model.log_likelihood,
    }


def goodness(case: Case) -> Case:
    model = fitted(case)
    fit = assess_goodness_of_fit(model)
    return {
        "coef": model.coefficients,
        "pearson": fit.pearson,
        "pearson_df": fit.degrees_of_freedom,
        "deviance_cells": fit.deviance,
    }


def correlation(case: Case) -> Case:
    items = {}
    for name, params in case["params"].items():
        design = None if params == "direct" else design_of(params["design"], params)
        items[name] = AnsweredItem(case["input"][name], design)
    pairs = [key.removeprefix("r_") for key in case["expected"] if key.startswith("r_")]
    return {
        f"r_{pair}": estimate_correlation(items[pair[0]], items[pair[1]]).correlation
        for pair in pairs
    }


def rr_vs_direct(case: Case) -> Case:
    given = case["input"]
    counts = [[given[arm]["n"] - given[arm]["yes"], given[arm]["yes"]] for arm in ("rr", "direct")]
    found = compare_with_direct(design_of(case["design"], case["params"]), *counts)
    logits = found.logit_coefficients()
    return {
        "coef": logits.coefficients,
        "se_hessian": logits.standard_errors,
        "loglik": found.log_likelihood,
        "lr_chisq_format": found.statistic,
    }


ALL = (*ONE_SAMPLE, *two_group.BUILDERS)

FAMILIES: dict[tuple[str, str], Callable[[Case], Case]] = {
    **{(name, "logistic_outcome"): logistic_outcome for name in ALL},
    **{(name, "logistic_outcome_opg"): logistic_outcome for name in ALL},
    **{(name, "glm_link"): glm_link for name in ALL},
    ("mixed", "logistic_per_case"): logistic_per_case,
    **{(name, "logistic_random_intercept"): random_intercept for name in ONE_SAMPLE},
    **{(name, "goodness_of_fit"): goodness for name in ONE_SAMPLE},
    **{(name, "rr_vs_direct"): rr_vs_direct for name in ONE_SAMPLE},
    ("mixed", "correlation"): correlation,
    **{(name, "linear_predictor"): linear_predictor for name in ONE_SAMPLE},
    **{(name, "logistic_predictor"): logistic_predictor for name in ONE_SAMPLE},
}
