"""The adapter: what an oracle case about privacy accounting computes here."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from analytics import privacy
from analytics.privacy.mechanisms import isometric_half
from tests.oracles.files import Case


def gaussian_composition(params: Case) -> Case:
    mu = privacy.compose([privacy.mu_of(params["sigma"], params["l2_sensitivity"])] * params["T"])
    return {
        "eps_exact": privacy.epsilon_of(mu, params["delta"]),
        "eps_pld": privacy.epsilon_of(mu, params["delta"]),
        "rho_zcdp": privacy.rho_of(mu),
        "mu_gdp": mu,
        "eps_rdp_upper": privacy.renyi_epsilon(privacy.rho_of(mu), params["delta"]),
    }


def calibrate_gaussian(params: Case) -> Case:
    goal = params["eps"], params["delta"]
    return {
        "sigma": privacy.sigma_for(*goal, params["l2_sensitivity"]),
        "mu_gdp": privacy.mu_for(*goal),
    }


def paper_overall_eps(params: Case) -> Case:
    releases = 2 if params["two_releases_per_iteration"] else 1
    noise = params["eps_iter"], params["delta_iter"], params["T"]
    mu = privacy.published_mu(*noise, releases)
    return {
        "eps_rdp_paper": privacy.published_epsilon(*noise, params["delta_r"], releases),
        "eps_exact_same_noise": privacy.epsilon_of(mu, params["delta_r"]),
    }


def poisson_subsampled_gaussian(params: Case) -> Case:
    sigma = params["sigma"] / params["l2_sensitivity"]
    spent = params["q"], sigma, params["T"], params["delta"]
    return {"eps_pld": privacy.subsampled_epsilon(*spent)}


def weighted_gaussian_threshold(params: Case) -> float:
    chance, words = params["delta_threshold"], params["max_words_per_respondent"]
    return privacy.weighted_threshold(params["sigma"], chance, words)


def sensitivity_distances(params: Case) -> Case:
    """The recipe's vectors; the bounds are those that docs/privacy-proofs.md proves."""
    rng = np.random.default_rng(params["seed"])
    h, g = _unit(np.abs(rng.normal(size=(2, params["K"]))))
    v, u = _unit(np.abs(rng.normal(size=(2, params["D"]))))
    return {
        "replace_A": _distance(np.outer(h, h), np.outer(g, g)),
        "replace_B": _distance(np.outer(v, h), np.outer(u, g)),
        "replace_C": _distance(np.outer(v, v), np.outer(u, u)),
        "add_remove_A": np.linalg.norm(np.outer(h, h)),
        "add_remove_B": np.linalg.norm(np.outer(v, h)),
        "add_remove_C": np.linalg.norm(np.outer(v, v)),
        "bound_replace_nonneg": math.sqrt(2),
        "bound_replace_signed_B": 2.0,
        "bound_replace_signed_A": math.sqrt(2),
        "isometric_vech_norm_A": np.linalg.norm(isometric_half(np.outer(h, h))),
    }


def _unit(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _distance(first: Any, second: Any) -> float:
    return float(np.linalg.norm(first - second))


KINDS: dict[str, Callable[[Case], Any]] = {
    "gaussian_composition": gaussian_composition,
    "calibrate_gaussian": calibrate_gaussian,
    "paper_overall_eps": paper_overall_eps,
    "poisson_subsampled_gaussian": poisson_subsampled_gaussian,
    "weighted_gaussian_threshold": weighted_gaussian_threshold,
    "sensitivity_distances": sensitivity_distances,
}
