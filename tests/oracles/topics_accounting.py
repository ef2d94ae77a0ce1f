"""The adapter: what an oracle case about privacy accounting computes here."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from analytics import privacy
from analytics.privacy.mechanisms import isometric_half
from analytics.topics.private.published import exact_sums
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
    """The recipe's vectors, through the sums and the accounting of a report.

    A respondent's sums are the method's own: with the loadings that pick h out of (v, h), h h' and
    v h' are what it adds. What a replacement costs is what a charge grows by under it; of vectors
    with signs, sqrt(2) holds for h h' alone, and for v h' the way to nothing and back.
    """
    rng = np.random.default_rng(params["seed"])
    h, g = _unit(np.abs(rng.normal(size=(2, params["K"]))))
    v, u = _unit(np.abs(rng.normal(size=(2, params["D"]))))
    (a, b), (other_a, other_b) = (_respondent(*one) for one in ((v, h), (u, g)))
    c, other_c = (_respondent(np.zeros(0), one)[0] for one in (v, u))
    replaced, moved = _charge(privacy.Adjacency.REPLACE), _charge()
    return {
        "replace_A": np.linalg.norm(isometric_half(a - other_a)),
        "replace_B": np.linalg.norm(b - other_b),
        "replace_C": np.linalg.norm(isometric_half(c - other_c)),
        "add_remove_A": np.linalg.norm(isometric_half(a)),
        "add_remove_B": np.linalg.norm(b),
        "add_remove_C": np.linalg.norm(isometric_half(c)),
        "bound_replace_nonneg": replaced,
        "bound_replace_signed_B": privacy.for_groups(moved, 2),
        "bound_replace_signed_A": replaced,
        "isometric_vech_norm_A": np.linalg.norm(isometric_half(a)),
    }


def _respondent(words: Any, coefficients: Any) -> tuple[Any, Any]:
    """What one respondent adds to the sums of h h' and of v h'."""
    size, count = len(words), len(coefficients)
    loadings = np.vstack([np.zeros((size, count)), np.eye(count)])
    row = sparse.csr_array(np.append(words, coefficients)[None])
    squares, products = exact_sums(row, loadings, None)
    return squares, products[:size]


def _charge(adjacency: Any = privacy.Adjacency.ADD_OR_REMOVE) -> float:
    """mu of a release whose noise is as large as what one respondent adds."""
    cost = privacy.Cost.of(1.0).under(adjacency)
    return math.sqrt(cost.mu_squared)


def _unit(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


KINDS: dict[str, Callable[[Case], Any]] = {
    "gaussian_composition": gaussian_composition,
    "calibrate_gaussian": calibrate_gaussian,
    "paper_overall_eps": paper_overall_eps,
    "poisson_subsampled_gaussian": poisson_subsampled_gaussian,
    "weighted_gaussian_threshold": weighted_gaussian_threshold,
    "sensitivity_distances": sensitivity_distances,
}
