"""Oracle cases of the protocols of local differential privacy."""

from collections.abc import Callable
from typing import Any

from tests.oracles.files import Case
from tests.oracles.randomized_response import pictures
from tests.randomized_response.checks import checked_number
from tests.randomized_response.designs import (
    BLH,
    LGRR,
    LOSUE,
    LOUE,
    LSOUE,
    LSUE,
    OLH,
    OUE,
    RSFDGRR,
    SUE,
    THE,
    FrequencyProtocol,
    SubsetSelection,
    Support,
)
from tests.randomized_response.errors import DesignError
from tests.randomized_response.estimates import (
    conditional_frequency_variance,
    estimate_frequencies,
    total_frequency_variance,
)

# The variance cases of the memoised protocols name probabilities, no options.
ANY_NUMBER_OF_OPTIONS = 2


def blh(params: Case) -> FrequencyProtocol:
    if params.get("g", 2) != 2:
        raise DesignError("g", params["g"], "binary local hashing has two buckets")
    return BLH.from_epsilon(params["k"], params["epsilon"])


def olh(params: Case) -> FrequencyProtocol:
    return OLH.from_epsilon(params["k"], params["epsilon"], params.get("g"))


def histogram(params: Case) -> FrequencyProtocol:
    if "theta" not in params:
        return THE.from_epsilon(params["k"], params["epsilon"])
    return THE(params["k"], params["epsilon"], params["theta"])


def subset_selection(params: Case) -> FrequencyProtocol:
    return SubsetSelection.from_epsilon(params["k"], params["epsilon"], params.get("subset_size"))


def from_epsilon(protocol: Any) -> Callable[[Case], FrequencyProtocol]:
    return lambda params: protocol.from_epsilon(params["k"], params["epsilon"])


def memoised_unary(protocol: Any) -> Callable[[Case], FrequencyProtocol]:
    def built(params: Case) -> FrequencyProtocol:
        first, second = (
            Support(params[f"p{i}"], params.get(f"q{i}", 1 - params[f"p{i}"])) for i in (1, 2)
        )
        return protocol(params.get("k", ANY_NUMBER_OF_OPTIONS), first, second)

    return built


def memoised_levels(params: Case) -> FrequencyProtocol:
    design = LGRR(params.get("k", ANY_NUMBER_OF_OPTIONS), params["p1"], params["p2"])
    for i in (1, 2):
        implied = (1 - params[f"p{i}"]) / (design.options - 1)
        if f"q{i}" in params and not abs(checked_number("q", params[f"q{i}"]) - implied) < 1e-9:
            raise DesignError(f"q{i}", params[f"q{i}"], f"p{i} leaves {implied} for each option")
    return design


def attributes(params: Case) -> RSFDGRR:
    options = (params["k"],) * params["d"] if isinstance(params["k"], int) else tuple(params["k"])
    return RSFDGRR.from_attribute_epsilon(options, params["epsilon"])


BUILDERS: dict[str, Callable[[Case], FrequencyProtocol]] = {
    "blh": blh,
    "olh": olh,
    "sue": from_epsilon(SUE),
    "oue": from_epsilon(OUE),
    "the": histogram,
    "subset_selection": subset_selection,
    "l_grr": memoised_levels,
    "l_sue": memoised_unary(LSUE),
    "l_oue": memoised_unary(LOUE),
    "l_osue": memoised_unary(LOSUE),
    "l_soue": memoised_unary(LSOUE),
}
MEMOISED = frozenset(name for name in BUILDERS if name.startswith("l_"))


def counts_in(given: Case) -> Any:
    return next(given[key] for key in ("support_counts", "bit_counts", "counts") if key in given)


def presented(protocol: FrequencyProtocol, counts: Any, n: Any) -> Case:
    return pictures(estimate_frequencies(protocol, counts, n).frequencies)


def frequencies(case: Case) -> Case:
    given = case["input"]
    return presented(BUILDERS[case["design"]](case["params"]), counts_in(given), given["n"])


def frequencies_of_attributes(case: Case) -> Case:
    design, given = attributes(case["params"]), case["input"]
    every = [presented(design.attribute(j), c, given["n"]) for j, c in enumerate(given["counts"])]
    return {key: [one[key] for one in every] for key in every[0]}


def variance(case: Case) -> Case:
    """The peer prints the conditional variance, for memoised protocols the total one."""
    total = case["design"] in MEMOISED
    formula = total_frequency_variance if total else conditional_frequency_variance
    given = case["input"]
    protocol = BUILDERS[case["design"]](case["params"])
    return {"variance": formula(protocol, given["f"], given["n"])}


def variance_of_attributes(case: Case) -> Case:
    design, given = attributes(case["params"]), case["input"]
    return {"variance": total_frequency_variance(design.attribute(0), given["f"], given["n"])}


def epsilon(case: Case) -> Case:
    return {"epsilon": BUILDERS[case["design"]](case["params"]).epsilon}


def epsilon_of_attributes(case: Case) -> Case:
    return {"epsilon": attributes(case["params"]).attribute_epsilon}


def invalid(case: Case) -> Case:
    """Everything the case has the inputs for: one of the steps must refuse."""
    of_attributes = case["design"] == "rsfd_grr"
    epsilon_of_attributes(case) if of_attributes else epsilon(case)
    if "n" in case["input"] and "f" in case["input"]:
        variance_of_attributes(case) if of_attributes else variance(case)
    if case["input"].keys() & {"support_counts", "bit_counts", "counts"}:
        frequencies_of_attributes(case) if of_attributes else frequencies(case)
    return {}


FAMILIES: dict[tuple[str, str], Callable[[Case], Case]] = {
    **{(name, "frequencies"): frequencies for name in BUILDERS},
    **{(name, "frequencies_edge"): frequencies for name in BUILDERS},
    **{(name, "variance"): variance for name in BUILDERS},
    **{(name, "epsilon"): epsilon for name in BUILDERS},
    **{(name, "invalid"): invalid for name in BUILDERS},
    ("rsfd_grr", "frequencies"): frequencies_of_attributes,
    ("rsfd_grr", "frequencies_edge"): frequencies_of_attributes,
    ("rsfd_grr", "variance"): variance_of_attributes,
    ("rsfd_grr", "epsilon"): epsilon_of_attributes,
    ("rsfd_grr", "invalid"): invalid,
}
