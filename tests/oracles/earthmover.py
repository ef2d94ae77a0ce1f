"""The adapter for the cases of system "earthmover": what each kind computes here."""

from collections.abc import Callable
from typing import Any

import numpy as np

from analytics.comparison.clouds import cloud_distance
from analytics.comparison.groups import KnownGroup, Scale, group_distance
from analytics.comparison.permutation import exact_p_value
from analytics.comparison.transport import line_distance, ordinal_distance
from surveys.randomized_response.designs import KAry
from tests.oracles.files import Case


def cloud(given: Case) -> float:
    return cloud_distance(given["x"], given["y"], given.get("wx"), given.get("wy")).value


def ordinal_krr(given: Case) -> float:
    budgets = [given.get(f"eps_{name}", given.get("eps")) for name in "ab"]
    return randomized(given, *budgets)


def two_budgets(given: Case) -> float:
    return randomized(given, *budgets_of(given))


def budgets_of(given: Case) -> list[float]:
    """Both epsilons, under whichever name the case has them."""
    for name in ("eps", "epsilons", "budgets"):
        if isinstance(given.get(name), list):
            return list(given[name])
    named = sorted(key for key in given if "eps" in key)
    assert len(named) == 2, f"no two budgets among {sorted(given)}"
    return [given[key] for key in named]


def randomized(given: Case, *budgets: float) -> float:
    levels = len(given["a"])
    scale = Scale(np.asarray(given.get("positions", range(levels)), dtype=float))
    groups = [
        KnownGroup(name, given[name], KAry.from_epsilon(levels, eps))
        for name, eps in zip("ab", budgets, strict=True)
    ]
    return group_distance(*groups, scale)


KINDS: dict[str, Callable[[Case], Any]] = {
    "cloud": cloud,
    "weighted": cloud,
    "line": lambda g: line_distance(g["x"], g["y"], g.get("wx"), g.get("wy")),
    "ordinal": lambda g: ordinal_distance(g["a"], g["b"], g["positions"]),
    "ordinal_krr": ordinal_krr,
    "ordinal_krr_two_budgets": two_budgets,
    "permutation_exact": lambda g: exact_p_value(g["a"], g["b"], g.get("positions")),
}
