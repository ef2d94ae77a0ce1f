"""Power and sample sizes, for the one-sample designs that a peer plans."""

from tests.oracles.files import Case
from tests.oracles.randomized_response import rational
from tests.randomized_response.designs import ForcedResponse, UnrelatedQuestion, Warner
from tests.randomized_response.designs.binary import Crosswise
from tests.randomized_response.designs.design import Design
from tests.randomized_response.planning import (
    power_one_sample,
    power_two_samples,
    sample_size_one_sample,
    sample_size_two_samples,
)

BUILDERS = {
    "warner": lambda p: Warner(rational(p["p"])),
    "crosswise": lambda p: Crosswise(rational(p["p"])),
    "forced_response": lambda p: ForcedResponse(rational(p["p_yes"]), rational(p["p_no"])),
    "unrelated_known": lambda p: UnrelatedQuestion(rational(p["p"]), rational(p["q"])),
}


def design(case: Case) -> Design:
    return BUILDERS[case["design"]](case["params"])


def test_of(params: Case) -> Case:
    return {
        "significance": params["alpha"],
        "alternative": str(params["alternative"]).replace(".", "-"),
    }


def one_sample(params: Case) -> Case:
    return {"share": params["pi_alt"], "null_share": params["pi_null"], **test_of(params)}


def two_samples(params: Case) -> Case:
    null = (params["pi_t_null"], params["pi_c_null"])
    shares = {"share": params["pi_t"], "other_share": params["pi_c"], "null_shares": null}
    return {**shares, **test_of(params)}


def power_of_one_sample(case: Case) -> Case:
    params = case["params"]
    return {"power": power_one_sample(design(case), n=params["n"], **one_sample(params)).power}


def size_of_one_sample(case: Case) -> Case:
    params = case["params"]
    test = {**one_sample(params), "method": "normal"}
    return {"n": sample_size_one_sample(design(case), power=params["power"], **test).n}


def power_of_two_samples(case: Case) -> Case:
    params = case["params"]
    n = params["n_per_group"]
    return {"power": power_two_samples(design(case), n=n, **two_samples(params)).power}


def size_of_two_samples(case: Case) -> Case:
    params = case["params"]
    test = {**two_samples(params), "method": "normal"}
    plan = sample_size_two_samples(design(case), power=params["power"], **test)
    return {"n": plan.n, "n_per_group": plan.n}


FAMILIES = {
    **{(name, "power_one_sample"): power_of_one_sample for name in BUILDERS},
    **{(name, "power_two_sample"): power_of_two_samples for name in BUILDERS},
    **{(name, "sample_size_one_sample"): size_of_one_sample for name in BUILDERS},
    **{(name, "sample_size_two_sample"): size_of_two_samples for name in BUILDERS},
}
