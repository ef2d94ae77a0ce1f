"""Adapter for topic models: factorisations, singular values, coherence, co-occurrence."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from analytics.privacy.quantisation import GRID
from analytics.text.bags import Bags
from analytics.text.vocabulary import public_vocabulary
from analytics.text.weighting import weigh_rows
from analytics.topics import nmf, spectrum, svd
from analytics.topics.coherence import document_npmi
from analytics.topics.partitions import sum_outer_products, vectors_in_blocks
from tests.oracles.files import Case

REFINED_GRID = GRID  # co-occurrences on the grid agree with the exact ones to its fineness


def counts_of(params: Case) -> sparse.csr_array:
    """Counts by the file's recipe: topics and mixtures from Dirichlet, counts from Poisson."""
    rng = np.random.default_rng(params["seed"])
    topics = rng.dirichlet(np.full(params["d"], 0.08), size=params["k"])
    mixtures = rng.dirichlet(np.full(params["k"], 0.15), size=params["n"])
    scale = params.get("scale", 40)
    return sparse.csr_array(rng.poisson(scale * (mixtures @ topics)))


def nmf_objective(case: Case) -> Any:
    vectors = weigh_rows(counts_of(case["params"]))
    found = nmf.factorise(vectors, case["params"]["K"], np.random.default_rng(0))
    return {"frobenius_error": found.residual, "relative_error": found.relative_error}


def nnls_coefficients(case: Case) -> Any:
    params = case["params"]
    rng, d, n = np.random.default_rng(params["seed"]), params["d"], params["n"]
    shape = d, params["K"]
    w = np.abs(rng.normal(size=shape)) * (rng.random(shape) < 0.4)
    v = np.abs(rng.normal(size=(n, d))) * (rng.random((n, d)) < 0.2)
    w /= np.linalg.norm(w, axis=0)
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    h = nmf.coefficients_of(v, w)
    return {
        "H_row0": h[0],
        "sum_H": h.sum(),
        "max_row_norm": np.linalg.norm(h, axis=1).max(),
        "objective": np.linalg.norm(v - h @ w.T),
    }


def log_entropy_svd(case: Case) -> Any:
    counts = counts_of(case["params"])
    k = len(case["expected"]["singular_values"])
    found = svd.decompose_log_entropy(counts, k)
    frobenius = np.sqrt((found.values**2).sum() / found.energy)
    return {"singular_values": found.values, "frobenius": frobenius}


def npmi(case: Case) -> Any:
    counts = counts_of(case["params"])
    frequencies = np.asarray((counts > 0).sum(axis=0)).ravel()
    words = np.argsort(-frequencies, kind="stable")[: case["params"]["m"]]
    return document_npmi(counts, [int(w) for w in words])


def noise_eigenvalue(case: Case) -> Any:
    params = case["params"]
    edge = spectrum.noise_edge(params["offdiag_sd"], params["D"])
    value = spectrum.corrected_eigenvalues([params["observed"]], edge)
    return {"edge": edge, "debiased": value[0], "cos2": spectrum.alignments(value, edge)[0]}


def co_occurrence(case: Case) -> Any:
    """From the vectors that the report forms; the grid's sum is held to them separately."""
    counts = counts_of(case["params"])
    names = tuple(f"{j:04}" for j in range(counts.shape[1]))
    bags, vocabulary = Bags(names, counts), public_vocabulary(names)
    vectors = sparse.vstack(list(vectors_in_blocks(bags, vocabulary)))
    matrix = (vectors.T @ vectors).toarray()
    on_grid = sum_outer_products(bags, vocabulary) / GRID**2
    # Half a step of each entry: |qq' - vv'| <= 2 |q - v| <= sqrt(words) / GRID a respondent.
    steps = np.sqrt(np.diff(counts.indptr)).sum() / REFINED_GRID
    assert np.linalg.norm(on_grid - matrix) <= 2 * steps
    top = len(case["expected"]["top_eigenvalues"])
    return {
        "trace": np.trace(matrix),
        "sum": matrix.sum(),
        "top_eigenvalues": np.linalg.eigvalsh(matrix)[::-1][:top],
        "max_row_frobenius_contribution": vectors.multiply(vectors).sum(axis=1).max(),
    }


def soft_threshold(case: Case) -> Any:
    values = np.random.default_rng(case["params"]["seed"]).normal(0, 1, 8)
    return nmf.soft_threshold(values, case["params"]["lam"], case["params"]["M"])


KINDS: dict[str, Callable[[Case], Any]] = {
    "document_npmi": npmi,
    "log_entropy_svd": log_entropy_svd,
    "nmf_objective": nmf_objective,
    "nnls_coefficients": nnls_coefficients,
    "noise_free_cooccurrence": co_occurrence,
    "soft_threshold_bounded": soft_threshold,
    "symmetric_noise_eigenvalue": noise_eigenvalue,
}
# (absolute, relative) by kind, as the file says in words.
TOLERANCES: dict[str, tuple[float, float]] = {
    "document_npmi": (1e-9, 0),
    "log_entropy_svd": (0, 1e-6),
    "nnls_coefficients": (1e-6, 0),
    "noise_free_cooccurrence": (0, 1e-8),
    "soft_threshold_bounded": (1e-12, 0),
    "symmetric_noise_eigenvalue": (0, 1e-9),
}
