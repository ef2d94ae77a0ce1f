"""The adapter: what an oracle case of each covered family computes here.

Oracle decimals stand for rationals: 0.166666666666667 is 1/6.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from tests.oracles.files import Case
from tests.randomized_response.checks import FloatArray, checked_counts, checked_number
from tests.randomized_response.designs import (
    Channel,
    ChannelMatrix,
    Design,
    ForcedResponse,
    ForcedResponseOptions,
    KAry,
    Warner,
)
from tests.randomized_response.errors import CountsError
from tests.randomized_response.estimates import (
    additive_normalise,
    clip_and_renormalise,
    conditional_variance,
    estimate_distribution,
    estimate_prevalence,
    maximum_likelihood,
    project_to_simplex,
)
from tests.randomized_response.planning import Meaning, plan_sample_size

MATRIX = "matrix_rows_response_cols_true"
# Fifteen digits are written: 1/6 lies closer to 0.166666666666667 than this share of it.
WRITTEN_TO = Fraction(1, 10**14)


def rational(decimal: Any) -> Any:
    """The rational a decimal stands for; what is no number goes through to be refused."""
    if isinstance(decimal, bool) or not isinstance(decimal, (int, float)):
        return decimal
    if decimal != decimal or decimal in (float("inf"), float("-inf")):
        return decimal
    exact = Fraction(str(decimal))
    simple = exact.limit_denominator(10**6)
    return simple if abs(simple - exact) <= abs(exact) * WRITTEN_TO else exact


def warner(params: Case) -> Design:
    return Warner(rational(params["p"]))


def forced_response(params: Case) -> Design:
    return ForcedResponse(rational(params["p_yes"]), rational(params["p_no"]))


def forced_response_multi(params: Case) -> Design:
    return ForcedResponseOptions(tuple(rational(p) for p in params["p_forced"]))


def custom_matrix(params: Case) -> Design:
    rows = [[rational(p) for p in row] for row in params[MATRIX]]
    # Decimals that stand for no rational with a small denominator sum to 1 only as floats.
    exact = all(sum(column) == 1 for column in zip(*rows, strict=True)) if _numeric(rows) else True
    return ChannelMatrix(Channel.from_matrix(rows if exact else params[MATRIX]))


def _numeric(rows: Sequence[Sequence[Any]]) -> bool:
    rectangular = len({len(row) for row in rows}) == 1
    return rectangular and all(isinstance(p, Fraction) for row in rows for p in row)


def k_ary(params: Case) -> Design:
    if "epsilon" in params:
        return KAry.from_epsilon(params["k"], params["epsilon"])
    return KAry(params["k"], rational(params["p_truth"]))


def k_ary_channel(params: Case) -> Channel:
    """Without the design's demand that something can be estimated: p = 1/k has epsilon 0."""
    if "epsilon" in params:
        return k_ary(params).channel
    return Channel.k_ary(params["k"], rational(params["p_truth"]))


def truthful_bit_channel(params: Case) -> Channel:
    return Channel.k_ary(2, rational(params.get("p_truth", params.get("p"))))


BUILDERS: dict[str, Callable[[Case], Design]] = {
    "warner": warner,
    "forced_response": forced_response,
    "forced_response_multi": forced_response_multi,
    "custom_matrix": custom_matrix,
    "grr": k_ary,
}


def binary_counts(given: Case) -> list[Any]:
    """[no, yes]; what is no number is refused."""
    n = checked_number("n", given["n"], CountsError)
    yes = checked_number("yes", given["yes"], CountsError)
    return [n - yes, yes]


def moment(case: Case) -> Case:
    design, given = BUILDERS[case["design"]](case["params"]), case["input"]
    if "yes" in given:
        one = estimate_prevalence(design, binary_counts(given))
        return {"estimate": one.prevalence, "se": one.standard_error}
    every = estimate_distribution(design, given["counts"])
    return {"estimate": every.shares, "se": _errors(every.standard_errors, case)}


def _errors(errors: FloatArray | None, case: Case) -> Any:
    """A file may write an undefined list as one null or as a list of nulls."""
    if errors is None and isinstance(case["expected"].get("se"), list):
        return [None] * len(case["expected"]["se"])
    return errors


def mle(case: Case) -> Case:
    design, given = BUILDERS[case["design"]](case["params"]), case["input"]
    if "yes" in given:
        return {"estimate": maximum_likelihood(design, binary_counts(given)).shares[1]}
    return {"estimate": maximum_likelihood(design, given["counts"]).shares}


def design_matrix(case: Case) -> Case:
    design = BUILDERS[case["design"]](case["params"])
    return {MATRIX: design.channel.matrix.tolist(), "epsilon": design.epsilon}


def k_ary_epsilon(case: Case) -> Case:
    return {"epsilon": k_ary_channel(case["params"]).epsilon}


def truthful_bit_epsilon(case: Case) -> Case:
    return {"epsilon": truthful_bit_channel(case["params"]).epsilon}


def design_epsilon(case: Case) -> Case:
    return {"epsilon": BUILDERS[case["design"]](case["params"]).epsilon}


def chebyshev_plan(case: Case) -> Case:
    params = case["params"]
    design = BUILDERS[case["design"]](params)
    question = {
        "error": rational(params["error_q"]),
        "failure_probability": rational(params["failure_c"]),
    }
    people, population = Meaning.RESPONDENTS, Meaning.POPULATION
    these = plan_sample_size(design, **question, method="chebyshev", meaning=people)
    total = plan_sample_size(design, **question, method="chebyshev", meaning=population)
    normal = plan_sample_size(design, **question, method="normal", meaning=population)
    return {
        "var_times_n_conditional": these.variance_times_n_conditional,
        "var_times_n_total": total.variance_times_n_total,
        "n_conditional": these.n,
        "n_total": total.n,
        "n_normal_total": normal.n,
    }


def pictures(shares: FloatArray) -> Case:
    """The estimate and its presentations; rescaling has no answer when none is above 0."""
    some = bool((shares > 0).any())
    return {
        "estimate": shares,
        "additive_normalised": additive_normalise(shares) if some else None,
        "simplex_projection": project_to_simplex(shares),
        "clip_and_renormalise": clip_and_renormalise(shares) if some else None,
    }


def total_is_n(design: Design, given: Case) -> Sequence[Any]:
    """The counts; a file that also writes n must write their total."""
    counts: Sequence[Any] = given["counts"]
    if "n" in given and sum(checked_counts(counts, design.channel.reported_levels)) != given["n"]:
        raise CountsError("counts", counts, f"give counts of {given['n']} answers in all")
    return counts


def frequencies(case: Case) -> Case:
    design = k_ary(case["params"])
    counts = total_is_n(design, case["input"])
    return {
        **pictures(estimate_distribution(design, counts).shares),
        "em_ibu_mle": maximum_likelihood(design, counts).shares,
    }


def variance(case: Case) -> Case:
    design, given = k_ary(case["params"]), case["input"]
    return {"variance": [_variance_at(design, share, given["n"]) for share in given["f"]]}


def _variance_at(design: Design, share: float, n: int) -> float:
    rest = [(1 - share) / (design.options - 1)] * (design.options - 1)
    return float(conditional_variance(design, [share, *rest], n)[0])


def invalid(case: Case) -> Case:
    """Everything the case has the inputs for: one of the steps must refuse."""
    design, given = BUILDERS[case["design"]](case["params"]), case["input"]
    if "yes" in given:
        estimate_prevalence(design, binary_counts(given))
    if "counts" in given:
        estimate_distribution(design, total_is_n(design, given))
    if "f" in given:
        variance(case)
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
    ("grr", "epsilon"): k_ary_epsilon,
    ("grr", "frequencies"): frequencies,
    ("grr", "frequencies_edge"): frequencies,
    ("grr", "variance"): variance,
    ("truthful_bit", "epsilon"): truthful_bit_epsilon,
}
