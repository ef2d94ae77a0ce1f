"""Adapter for one-sample yes/no designs: unrelated question, crosswise, cards and their kin."""

from collections.abc import Callable, Sequence
from typing import Any

from tests.oracles.files import Case
from tests.oracles.randomized_response import MATRIX, binary_counts, rational
from tests.randomized_response.designs import (
    Crosswise,
    Design,
    Kuk,
    Mangat,
    Rappor,
    Triangular,
    UnrelatedQuestion,
    permanent_epsilon,
)
from tests.randomized_response.estimates import (
    estimate_prevalence,
    information_standard_error,
    kuk_standard_error,
    maximum_likelihood,
)
from tests.randomized_response.planning import Meaning, plan_sample_size


def kuk(params: Case) -> Kuk:
    return Kuk(rational(params["p1"]), rational(params["p2"]), params["k"])


def rappor(params: Case) -> Rappor:
    return Rappor(*(rational(params[name]) for name in ("f", "p", "q")))


BUILDERS: dict[str, Callable[[Case], Design]] = {
    "crosswise": lambda params: Crosswise(rational(params["p"])),
    "kuk": kuk,
    "mangat": lambda params: Mangat(rational(params["p"])),
    "rappor_basic": rappor,
    "triangular": lambda params: Triangular(rational(params["p"])),
    "unrelated_known": lambda params: UnrelatedQuestion(
        rational(params["p"]), rational(params["q"])
    ),
}


def build(case: Case) -> Design:
    return BUILDERS[case["design"]](case["params"])


def counts_of(given: Case) -> Sequence[Any]:
    return given["counts"] if "counts" in given else binary_counts(given)


def moment(case: Case) -> Case:
    one = estimate_prevalence(build(case), counts_of(case["input"]))
    return {"estimate": one.prevalence, "se": one.standard_error}


def kuk_moment(case: Case) -> Case:
    design, counts = kuk(case["params"]), counts_of(case["input"])
    one = estimate_prevalence(design, counts)
    return {"estimate": one.prevalence, "se": kuk_standard_error(design, counts)}


def rappor_moment(case: Case) -> Case:
    design, n = build(case), case["input"]["n"]
    counts = [[n - ones, ones] for ones in case["input"]["bit_counts"]]
    likely = [maximum_likelihood(design, bit).shares[1] for bit in counts]
    return {
        "estimate": [estimate_prevalence(design, bit).prevalence for bit in counts],
        "se": [information_standard_error(design, float(share), n) for share in likely],
    }


def mle(case: Case) -> Case:
    shares = maximum_likelihood(build(case), counts_of(case["input"])).shares
    return {"estimate": shares[1]}


def design_matrix(case: Case) -> Case:
    design = build(case)
    return {MATRIX: design.channel.matrix.tolist(), "epsilon": design.epsilon}


def design_epsilon(case: Case) -> Case:
    return {"epsilon": build(case).epsilon}


def permanent(case: Case) -> Case:
    params = case["params"]
    return {"epsilon": permanent_epsilon(rational(params["f"]), params.get("max_weight", 1))}


def chebyshev_plan(case: Case) -> Case:
    params, design = case["params"], build(case)

    def plan(method: str, meaning: Meaning) -> Any:
        return plan_sample_size(
            design,
            error=rational(params["error_q"]),
            failure_probability=rational(params["failure_c"]),
            method=method,
            meaning=meaning,
        )

    these = plan("chebyshev", Meaning.RESPONDENTS)
    total = plan("chebyshev", Meaning.POPULATION)
    return {
        "var_times_n_conditional": these.variance_times_n_conditional,
        "var_times_n_total": total.variance_times_n_total,
        "n_conditional": these.n,
        "n_total": total.n,
        "n_normal_total": plan("normal", Meaning.POPULATION).n,
    }


def invalid(case: Case) -> Case:
    """Everything the case has the inputs for: one of the steps must refuse."""
    given, design = case["input"], build(case)
    if "bit_counts" in given:
        return rappor_moment(case)
    if "counts" in given or "yes" in given:
        estimate_prevalence(design, counts_of(given))
    if "error_q" in case["params"]:
        chebyshev_plan(case)
    return {}


FAMILIES: dict[tuple[str, str], Callable[[Case], Case]] = {
    **{(name, "moment"): moment for name in BUILDERS},
    **{(name, "mle"): mle for name in BUILDERS},
    **{(name, "design_matrix"): design_matrix for name in BUILDERS},
    **{(name, "chebyshev_plan"): chebyshev_plan for name in BUILDERS},
    **{(name, "epsilon"): design_epsilon for name in BUILDERS},
    **{(name, "invalid"): invalid for name in BUILDERS},
    ("kuk", "moment"): kuk_moment,
    ("rappor_basic", "moment"): rappor_moment,
    ("rappor_basic", "epsilon"): permanent,
}
