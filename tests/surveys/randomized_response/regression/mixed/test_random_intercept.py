import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from tests.randomized_response.designs import Direct, ForcedResponse, Warner
from tests.randomized_response.errors import RegressionError, SeparationError
from tests.randomized_response.regression import fit_outcome_model, fit_random_intercept_model
from tests.randomized_response.regression.covariates import columns_from
from tests.randomized_response.regression.devices import device_of
from tests.randomized_response.regression.links import LINKS
from tests.randomized_response.regression.mixed.clusters import Clusters, clusters_from
from tests.randomized_response.regression.mixed.random_intercept import ClusterData
from tests.surveys.randomized_response.regression.surveys_to_fit import (
    draw_reported,
    numeric_gradient,
)

DESIGN = ForcedResponse(0.1, 0.2)


def survey(spread: float, clusters: int, size: int, seed: int):
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(clusters), size)
    x = rng.normal(size=clusters * size)
    eta = -0.4 + 0.8 * x + rng.normal(0, spread, clusters)[cluster]
    true = (rng.random(len(x)) < 1 / (1 + np.exp(-eta))).astype(int)
    return draw_reported(DESIGN, true, rng), cluster, x


def clusters_of(cluster: np.ndarray) -> Clusters:
    return clusters_from("clusters", cluster, len(cluster))


def cluster_data(link: str, nodes: int, variance: float):
    reports, cluster, x = survey(1.0, 6, 8, 1)
    columns = columns_from(x, len(x), None, intercept=True)
    data = ClusterData(
        columns, device_of(DESIGN, reports), LINKS[link], clusters_of(cluster), nodes
    )
    return data, np.array([-0.3, 0.7, variance]), reports


def integral(data: ClusterData, at: np.ndarray, reports: np.ndarray, cluster: int) -> float:
    """The likelihood of one cluster by the library's adaptive quadrature."""
    members = data.cluster == cluster
    eta, variance = at[:-1] @ data.columns.orthogonal[:, members], float(at[-1])
    no, yes = DESIGN.channel.matrix[reports[members]].T

    def integrand(u: float) -> float:
        share = data.link.probability(eta + u)
        density = math.exp(-u * u / (2 * variance)) / math.sqrt(2 * math.pi * variance)
        return float(np.prod(yes * share + no * (1 - share))) * density

    return float(np.log(quad(integrand, -40, 40, points=[-5, 0, 5], epsabs=1e-14, limit=500)[0]))


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("variance", [0.05, 1.0, 6.0])
def test_quadrature_agrees_with_numeric_integration(link, variance) -> None:
    data, at, reports = cluster_data(link, 80, variance)
    exact = [integral(data, at, reports, c) for c in range(data.size)]
    assert data.at(at).posterior.cluster_values == pytest.approx(exact, abs=1e-5)


def test_more_nodes_come_nearer() -> None:
    errors = []
    for nodes in (1, 3, 9, 27):
        data, at, reports = cluster_data("logit", nodes, 1.0)
        exact = sum(integral(data, at, reports, c) for c in range(data.size))
        errors.append(abs(data.at(at).log_likelihood - exact))
    assert errors == sorted(errors, reverse=True)
    assert errors[0] < 0.5
    assert errors[-1] < 1e-6


@pytest.mark.parametrize("nodes", [1, pytest.param(3, marks=pytest.mark.audit), 25])
@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("variance", [0.05, 1.0, 6.0])
def test_score_and_information_are_the_derivatives(link, variance, nodes) -> None:
    data, at, _ = cluster_data(link, nodes, variance)
    score = numeric_gradient(lambda p: data.at(p).log_likelihood, at)
    assert data.at(at).score == pytest.approx(score, abs=1e-6 * (1 + np.abs(score).max()))
    observed = -numeric_gradient(lambda p: data.at(p).score, at, 1e-4)
    scale = np.abs(observed).max()
    assert data.at(at).curvature == pytest.approx(observed, abs=1e-3 * scale)


def test_what_the_steps_go_by_is_the_curvature_of_exact_integrals() -> None:
    data, at, _ = cluster_data("logit", 100, 1.0)
    point = data.at(at)
    assert point.observed == pytest.approx(point.curvature, abs=1e-3 * point.curvature.max())


def test_where_the_search_for_the_modes_begins_does_not_matter() -> None:
    data, at, _ = cluster_data("logit", 25, 1.0)
    cold, warm = data.at(at), data.at(at, np.linspace(-2, 2, 6))
    assert warm.posterior.modes[0] == pytest.approx(cold.posterior.modes[0], abs=1e-9)
    assert warm.log_likelihood == pytest.approx(cold.log_likelihood, abs=1e-10)


def test_one_node_is_laplaces_approximation() -> None:
    data, at, _ = cluster_data("logit", 1, 1.0)
    point = data.at(at)
    z, width = point.posterior.modes
    heights = [
        joint_density(data, at, c, z[c]) + np.log(width[c] * np.sqrt(2 * np.pi)) for c in range(6)
    ]
    assert point.posterior.cluster_values == pytest.approx(heights, abs=1e-9)
    for c in range(6):
        higher = [joint_density(data, at, c, z[c] + d) for d in (-0.01, 0, 0.01)]
        assert max(higher) == higher[1]


def joint_density(data: ClusterData, at: np.ndarray, cluster: int, z: float) -> float:
    members = data.cluster == cluster
    eta = at[:-1] @ data.columns.orthogonal[:, members] + np.sqrt(at[-1]) * z
    no, yes = DESIGN.channel.matrix[data.device.codes[members]].T
    share = data.link.probability(eta)
    return float(np.log(yes * share + no * (1 - share)).sum() + norm.logpdf(z))


def test_the_estimate_is_a_maximum_with_the_curvature_that_the_errors_say() -> None:
    reports, cluster, x = survey(1.0, 30, 30, 2)
    model = fit_random_intercept_model(DESIGN, reports, cluster, x, names=["x"])
    columns = columns_from(x, len(x), None, intercept=True)
    data = ClusterData(
        columns, device_of(DESIGN, reports), LINKS["logit"], clusters_of(cluster), model.nodes
    )

    def value(p: np.ndarray) -> float:
        inside = np.append(np.linalg.solve(columns.transform, p[:2]), p[2] ** 2)
        return data.at(inside).log_likelihood

    best = np.append(model.coefficients, model.random_intercept_sd)
    assert np.abs(numeric_gradient(value, best, 1e-4)).max() < 2e-3
    curvature = -numeric_gradient(lambda p: numeric_gradient(value, p, 1e-3), best, 1e-3)
    errors = np.append(model.standard_errors, model.random_intercept_sd_error)
    assert np.sqrt(np.diag(np.linalg.inv(curvature))) == pytest.approx(errors, rel=1e-3)


def test_without_differences_between_clusters_it_is_the_ordinary_model() -> None:
    """Each cluster has the same answers, so nothing is left for the random intercept."""
    reports, x = np.tile([0, 0, 1, 1, 0, 1], 20), np.tile([0, 1, 0, 1, 1, 0], 20)
    cluster = np.repeat(np.arange(20), 6)
    model = fit_random_intercept_model(Warner(0.8), reports, cluster, x)
    plain = fit_outcome_model(Warner(0.8), reports, x)
    assert model.random_intercept_sd == 0
    assert model.random_intercept_sd_error is None
    assert model.coefficients == pytest.approx(plain.coefficients, abs=1e-5)
    assert model.standard_errors == pytest.approx(plain.standard_errors, rel=1e-6)
    assert model.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-8)
    assert model.variance_p_value == 1
    assert model.intercepts == pytest.approx(np.zeros(20))


def test_labels_and_order_of_clusters_do_not_matter() -> None:
    reports, cluster, x = survey(1.0, 20, 20, 3)
    one = fit_random_intercept_model(DESIGN, reports, cluster, x)
    order = np.random.default_rng(4).permutation(len(x))
    names = np.array([f"village {19 - c}" for c in cluster])
    other = fit_random_intercept_model(DESIGN, reports[order], names[order], x[order])
    assert other.coefficients == pytest.approx(one.coefficients, abs=1e-5)
    assert other.random_intercept_sd == pytest.approx(one.random_intercept_sd, abs=1e-5)
    place = other.clusters.index("village 0")
    assert other.intercepts[place] == pytest.approx(one.intercepts[19], abs=1e-4)


def test_clear_differences_between_clusters_are_significant() -> None:
    for spread, smallest, largest in ((1.5, 0, 1e-6), (0.6, 1e-6, 0.5)):
        reports, cluster, x = survey(spread, 40, 25, 5)
        model = fit_random_intercept_model(DESIGN, reports, cluster, x)
        lost = 2 * (model.log_likelihood - model.log_likelihood_without)
        p_value = norm.sf(np.sqrt(lost))
        assert smallest < model.variance_p_value < largest
        assert model.variance_p_value == pytest.approx(p_value, rel=1e-9, abs=0)


def test_where_the_variance_is_zero_its_slope_is_the_one_sided_difference() -> None:
    data, _, _ = cluster_data("logit", 25, 1.0)
    at = np.array([-0.3, 0.7, 0.0])
    above = np.array([-0.3, 0.7, 1e-4])
    slope = (data.at(above).log_likelihood - data.at(at).log_likelihood) / 1e-4
    assert data.at(at).score[-1] == pytest.approx(slope, rel=1e-2)


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        (np.zeros(100), "two clusters"),
        (np.arange(100), "two clusters"),
        (np.arange(99), "100 labels"),
        (np.where(np.arange(100) == 5, np.nan, 1), r"clusters\[5\] .* needs a label"),
        ([None] * 100, r"clusters\[0\] .* needs a label"),
    ],
)
def test_clusters_that_are_none_are_refused(clusters, message) -> None:
    with pytest.raises(RegressionError, match=message):
        fit_random_intercept_model(DESIGN, np.arange(100) % 2, clusters)


def test_separation_and_impossible_nodes_are_refused() -> None:
    cluster = np.arange(100) % 5
    with pytest.raises(SeparationError):
        fit_random_intercept_model(Direct(2), np.zeros(100), cluster)
    for nodes in (0, 101, 2.5, "many"):
        with pytest.raises(RegressionError, match="nodes"):
            fit_random_intercept_model(DESIGN, np.arange(100) % 2, cluster, nodes=nodes)
