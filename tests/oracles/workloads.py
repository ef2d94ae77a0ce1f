"""Adapter for planned releases: errors, optima, cross-tables, gradients, local channels."""

import re
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from analytics.privacy.accounting import Adjacency
from analytics.workloads import duals, neighbours, residuals, strategies, windows
from analytics.workloads.asks import Ask, ListedWorkload, OneWay, Tables, Workload
from analytics.workloads.least_squares import answered
from surveys.randomized_response.designs import KAry
from surveys.randomized_response.designs.local.scales import (
    Purpose,
    asked_of_scale,
    scale_variances,
)
from surveys.randomized_response.designs.local.unary import OUE, SUE
from tests.oracles import marginals, stochastic
from tests.oracles.files import Case
from tests.oracles.scale_channels import best_scale_channel

ASKS = {"prefix": Ask.CDF, "allrange": Ask.RANGES, "identity": Ask.COUNTS}
PURPOSES = {"hist": Purpose.HISTOGRAM, "cdf": Purpose.CDF, "mean": Purpose.MEAN}
SEED = 20261122


def named_workload(case: Case) -> Workload:
    if case["input"]:
        return ListedWorkload(case["input"]["W"])
    return one_way(case)


def one_way(case: Case) -> OneWay:
    return OneWay(ASKS[case["params"]["workload"]], case["params"]["n"])


def named_strategy(name: str, cells: int) -> np.ndarray:
    branches = re.match(r"hier(\d+)", name)
    if branches:
        strategy = strategies.hierarchy(cells, int(branches[1]))
        return stochastic.normalised(strategy, 1) if "L1-normalised" in name else strategy
    return {"identity": strategies.identity, "haar": strategies.haar}[name](cells)


def tables(case: Case) -> Tables:
    """The tables of "1-way", "1+2-way", "0..3-way"; weights are all 1."""
    sizes, ways = case["params"]["sizes"], case["params"]["workload"].removesuffix("-way")
    if ".." in ways:
        first, last = map(int, ways.split(".."))
        numbers = range(first, last + 1)
    else:
        numbers = [int(number) for number in ways.split("+")]
    return Tables.of(sizes, in_ways(len(sizes), numbers))


def in_ways(questions: int, ways: Any) -> list[tuple[int, ...]]:
    return [table for way in ways for table in combinations(range(questions), way)]


def key(places: tuple[int, ...]) -> str:
    return ",".join(map(str, places))


def expected_error(case: Case) -> Case:
    return errors_of(ListedWorkload(case["input"]["W"]), np.array(case["input"]["A"]))


def named_error(case: Case) -> Case:
    workload = one_way(case)
    strategy = named_strategy(case["params"]["strategy"], workload.cells)
    computed = errors_of(workload, strategy)
    rms = {f"rms{p}": (computed[f"E{p}"] / workload.rows) ** 0.5 for p in (1, 2)}
    return {**computed, **rms}


def errors_of(workload: Workload, strategy: np.ndarray) -> Case:
    computed: Case = {}
    for norm in (1, 2):
        computed[f"delta{norm}"] = strategies.sensitivity(strategy, norm)
        computed[f"E{norm}"] = strategies.expected_error(workload, strategy, norm)
    computed["laplace_total_eps1"] = 2 * computed["E1"]
    computed["gaussian_total_rho_half"] = computed["E2"]
    return computed


def gradient(case: Case) -> Case:
    given = case["input"]
    value, slope = stochastic.probed_error(given["W"], given["A"], given["y"])
    return {"C": value, "dC_dA": slope}


def gradient_normalised(case: Case) -> Case:
    given, norm = case["input"], case["params"]["norm"]
    strategy = stochastic.normalised(given["P"], norm)
    value, slope = stochastic.probed_error(given["W"], strategy, given["y"])
    return {"C": value, "dC_dP": stochastic.through_normalisation(given["P"], slope, norm)}


def gradient_kron(case: Case) -> Case:
    given = case["input"]
    parts = stochastic.probed_product(given["W"], given["B"], given["C"], given["y"])
    return dict(zip(("value", "dB", "dC"), parts, strict=True))


def trace_estimator(case: Case) -> Case:
    workload = one_way(case)
    strategy = named_strategy(case["params"]["strategy"], workload.cells)
    laws = {
        "rademacher": stochastic.RADEMACHER,
        "gaussian": stochastic.GAUSSIAN,
        "laplace": stochastic.LAPLACE,
    }
    spreads = {name: stochastic.probe_spread(workload, strategy, law) for name, law in laws.items()}
    return {
        "trace": strategies.squared_error(workload, strategy),
        **{f"rel_sd_{name}": spread for name, (_, spread) in spreads.items()},
        "laplace_scale1_mean_over_trace": spreads["laplace"][0],
    }


def svd_bound(case: Case) -> Case:
    return {"E2_lower": neighbours.singular_value_bound_of(one_way(case))}


def l2_optimum(case: Case) -> Case:
    if case["input"] is None:
        certified = neighbours.optimum_of(one_way(case), 5e-7)
        return {"value": certified.upper, "bound": certified.lower}
    workload = named_workload(case)
    certified = duals.optimum(workload, 5e-7)
    bound = duals.singular_value_bound(workload)
    return {"value": certified.upper, "bound": certified.lower, "svd_bound": bound}


def l1_target(case: Case) -> Case:
    workload = one_way(case)
    found = windows.plan_windows(workload, np.random.default_rng(SEED))
    return {"E1": found.error, "rms1": (found.error / workload.rows) ** 0.5}


def of_marginals(case: Case) -> Case:
    asked = tables(case)
    plan = residuals.plan_tables(asked)
    identity = asked.cells * len(asked.tables)
    variances = zip(asked.tables, plan.row_variances(), strict=True)
    return {
        "rows": asked.rows,
        "E2_optimum": plan.error,
        "E2_identity": identity,
        "E1_identity": identity,
        "sigma2_residual_pcost1": {key(s): v for s, v in plan.residual_variances().items()},
        "cell_variance_pcost1": {key(table): variance for table, variance in variances},
    }


def max_variance(case: Case) -> Case:
    _, lower, upper = residuals.plan_worst(tables(case))
    return {"value": upper, "bound": lower}


def marginals_l1(case: Case) -> Case:
    return {"E1": marginals.plan_marginals(tables(case), np.random.default_rng(SEED)).error}


def mixed_crosstabs(case: Case) -> Case:
    params = case["params"]
    ordinal = ASKS[params["ordinal_workload"]]
    count = len(params["sizes"])
    asks = [ordinal if place in params["ordinal"] else Ask.COUNTS for place in range(count)]
    asked = Tables.of(params["sizes"], in_ways(count, params["ways"]), asks)
    computed = {
        "E2_ordinal_base": residuals.plan_tables(asked).error,
        "E2_identity_base": residuals.plan_tables(asked, ordered=False).error,
    }
    if asked.cells <= 100:
        # The peers' bracket is itself good to some digits; ours may not contradict it.
        computed["bound"] = duals.optimum(asked, 1e-5, steps=100).lower
    return computed


def union_kron(case: Case) -> Case:
    params = case["params"]
    asked = Tables.of([params["n"]] * 2, [(0,), (1,)], [ASKS[params["R"]]] * 2)
    certified = duals.optimum(asked)
    return {
        "value": certified.upper,
        "bound": certified.lower,
        "E2_planner": residuals.plan_tables(asked).error,
        "E_identity": strategies.expected_error(asked, strategies.identity(asked.cells), 2),
    }


def sensitivity(case: Case) -> Case:
    kinds = {"add_remove": Adjacency.ADD_OR_REMOVE, "replace_one": Adjacency.REPLACE}
    return {
        f"{name}_L{norm}": strategies.sensitivity(case["input"]["A"], norm, adjacency)
        for name, adjacency in kinds.items()
        for norm in (1, 2)
    }


def least_squares_tree(case: Case) -> Case:
    """The tree's rows from the root down are the hierarchy's from the leaves up, level by level."""
    cells, branches = case["params"]["n"], case["params"]["b"]
    rows = strategies.hierarchy(cells, branches)
    order = np.argsort(-rows.sum(axis=1), kind="stable")
    found = answered(ListedWorkload(np.eye(cells)), rows[order], case["input"]["noisy"], 1.0)
    return {"leaves": found.values}


def least_squares_answers(case: Case) -> Case:
    given = case["input"]
    found = answered(ListedWorkload(given["W"]), given["A"], given["y"], case["params"]["sigma2"])
    names = ("answers", "covariance", "se")
    return dict(zip(names, (found.values, found.covariance, found.standard_errors), strict=True))


def local_mechanism(case: Case) -> Case:
    levels, epsilon = case["params"]["k"], case["params"]["eps"]
    asked = asked_of_scale(PURPOSES[case["params"]["workload"]], levels)
    channels = {
        "krr": np.array(KAry.from_epsilon(levels, epsilon).channel.matrix).T,
        "oue": unary_channel(OUE.from_epsilon(levels, epsilon)),
        "rappor": unary_channel(SUE.from_epsilon(levels, epsilon)),
    }
    found = {name: scale_variances(channel, asked) for name, channel in channels.items()}
    return {n: {"avg_variance": v.mean(), "worst": v.max()} for n, v in found.items()}


def unary_channel(protocol: Any) -> np.ndarray:
    """All 2^k reports of independent bits, reports x levels."""
    levels, one = protocol.options, protocol.support
    bits = (np.arange(2**levels)[:, None] >> np.arange(levels)) & 1
    on = np.where(np.eye(levels) == 1, float(one.if_true), float(one.if_other))
    shown = bits[:, None, :] == 1
    return np.prod(np.where(shown, on[None], 1 - on[None]), axis=2)


def local_optimum(case: Case) -> Case:
    params = case["params"]
    found = best_scale_channel(params["k"], params["eps"], PURPOSES[params["workload"]])
    return {"value": found.average_variance, "bound": found.lower}


KINDS: dict[str, Callable[[Case], Case]] = {
    "expected_error": expected_error,
    "named_error": named_error,
    "gradient": gradient,
    "gradient_normalised": gradient_normalised,
    "gradient_kron": gradient_kron,
    "trace_estimator": trace_estimator,
    "svd_bound": svd_bound,
    "l2_optimum": l2_optimum,
    "l1_target": l1_target,
    "marginals": of_marginals,
    "marginals_max_variance": max_variance,
    "marginals_l1_target": marginals_l1,
    "mixed_crosstabs": mixed_crosstabs,
    "union_kron": union_kron,
    "sensitivity": sensitivity,
    "least_squares_tree": least_squares_tree,
    "least_squares_answers": least_squares_answers,
    "local_mechanism": local_mechanism,
    "local_optimum": local_optimum,
}
# Searches of many seconds: make audit.
LONG = {("l1_target", 64), ("local_optimum", 9)}


def is_long(case: Case) -> bool:
    size = max(case["params"].get("n", 0), case["params"].get("k", 0))
    return any(case["kind"] == kind and size >= least for kind, least in LONG)
