"""Adapter for designs with two groups, and for the crosswise question with an anchor."""

from collections.abc import Callable
from typing import Any

from tests.oracles import one_sample
from tests.oracles.files import Case
from tests.oracles.randomized_response import binary_counts, rational
from tests.randomized_response.designs import (
    AnchoredCrosswise,
    CheaterDetection,
    Crosswise,
    StochasticLieDetector,
    SymmetricCheaterDetection,
    TwoGroupDesign,
    UnrelatedQuestionTwoGroups,
)
from tests.randomized_response.errors import CountsError
from tests.randomized_response.estimates import (
    TwoGroupEstimate,
    estimate_anchored_crosswise,
    estimate_prevalence,
    estimate_two_group_means,
    estimate_two_groups,
    estimate_weighted_anchored_crosswise,
)


def of_parameters(design: Callable[..., TwoGroupDesign], *names: str) -> Any:
    return lambda params: design(*(rational(params[name]) for name in names))


BUILDERS: dict[str, Callable[[Case], TwoGroupDesign]] = {
    "unrelated_unknown": of_parameters(UnrelatedQuestionTwoGroups, "p1", "p2"),
    "sld": of_parameters(StochasticLieDetector, "p1", "p2"),
    "cdm": of_parameters(CheaterDetection, "p1", "p2"),
    "cdm_sym": of_parameters(SymmetricCheaterDetection, "yes1", "no1", "yes2", "no2"),
}

# Names of the outputs in the oracle file: (value, standard error) per share, in our order.
OUTPUTS = {
    "unrelated_unknown": (("estimate", "se"), ("piUQ", "piUQSE")),
    "sld": (("estimate", "se"), ("t", "tSE")),
    "cdm": (("estimate", "se"), ("beta", "betaSE"), ("gamma", "gammaSE")),
    "cdm_sym": (("estimate", "se"), ("beta", "betaSE"), ("gamma", "gammaSE")),
}


def estimated(case: Case) -> TwoGroupEstimate:
    design = BUILDERS[case["design"]](case["params"])
    counts = [binary_counts(group) for group in case["input"]["groups"]]
    if len(counts) != 2:
        raise CountsError("groups", counts, "give two groups")
    return estimate_two_groups(design, *counts)


def moment(case: Case) -> Case:
    one, outputs = estimated(case), OUTPUTS[case["design"]]
    values = {out[0]: one.values[name] for out, name in zip(outputs, one.names, strict=True)}
    errors = {
        out[1]: one.standard_errors[name] for out, name in zip(outputs, one.names, strict=True)
    }
    return {**values, **errors}


def mle(case: Case) -> Case:
    one, outputs = estimated(case), OUTPUTS[case["design"]]
    likely = one.maximum_likelihood.values
    return {out[0]: likely[name] for out, name in zip(outputs, one.names, strict=True)}


def invalid(case: Case) -> Case:
    """The design, the counts, or a share that the counts do not determine must be refused."""
    one = estimated(case)
    return {name: one.value(name) for name in one.names}


def means(case: Case) -> Case:
    params, given = case["params"], case["input"]
    design = UnrelatedQuestionTwoGroups(rational(params["p1"]), rational(params["p2"]))
    found = estimate_two_group_means(design, given["group1"], given["group2"])
    return {
        "mean": found.mean,
        "mean_se": found.standard_error,
        "unrelated_mean": found.other_mean,
        "unrelated_mean_se": found.other_standard_error,
    }


def clipped(share: float) -> float:
    """As the peer prints it; ours is not clipped."""
    return min(max(share, 0.0), 1.0)


def anchored(case: Case) -> Case:
    params, given = case["params"], case["input"]
    p = rational(params["p"])
    design = AnchoredCrosswise(p, rational(params["p_anchor"]))
    if params.get("weighted"):
        columns = (given["y"], given["anchor"], given["weight"])
        weighted = estimate_weighted_anchored_crosswise(design, *columns)
        naive, share = weighted.naive_prevalence, weighted.attentive_share
        return {"naive": naive, "estimate": clipped(weighted.prevalence), "attentive_rate": share}
    n, same, anchor = given["n"], given["same"], given["anchor_same"]
    plain = estimate_prevalence(Crosswise(p), [n - same, same])
    one = estimate_anchored_crosswise(design, [n - same, same], [n - anchor, anchor])
    return {
        "naive": plain.prevalence,
        "naive_se": plain.standard_error,
        "estimate": clipped(one.value("prevalence")),
        "attentive_rate": one.value("attentive_share"),
    }


def crosswise_invalid(case: Case) -> Case:
    return anchored(case) if "p_anchor" in case["params"] else one_sample.invalid(case)


FAMILIES: dict[tuple[str, str], Callable[[Case], Case]] = {
    **{(name, "moment"): moment for name in BUILDERS},
    **{(name, "mle"): mle for name in BUILDERS},
    **{(name, "invalid"): invalid for name in BUILDERS},
    ("mixture_unknown_quant", "moment"): means,
    ("mixture_unknown_quant", "invalid"): means,
    ("crosswise", "bias_corrected"): anchored,
    ("crosswise", "invalid"): crosswise_invalid,
}
