import math

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.stats import chi2, norm

from tests.randomized_response.designs import ForcedResponse, Warner
from tests.randomized_response.errors import RegressionError
from tests.randomized_response.regression import (
    RandomSlopeModel,
    fit_outcome_model,
    fit_random_intercept_model,
    fit_random_slope_model,
)
from tests.randomized_response.regression.covariates import columns_from
from tests.randomized_response.regression.devices import device_of
from tests.randomized_response.regression.links import LINKS
from tests.randomized_response.regression.mixed.clusters import Grouping, clusters_from
from tests.randomized_response.regression.mixed.slope_quadrature import (
    Nodes,
    SlopeData,
    SlopePoint,
)
from tests.surveys.randomized_response.regression.surveys_to_fit import (
    draw_reported,
    numeric_gradient,
)

DESIGN = ForcedResponse(0.1, 0.2)
AT = np.array([-0.3, 0.7, 0.8, 0.4, 0.5])


def survey(spread: float, clusters: int, size: int, seed: int):
    """The slope's deviation between clusters; that of the intercept is 1."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(clusters), size)
    x = rng.normal(size=clusters * size)
    slope = 0.8 + rng.normal(0, spread, clusters)[cluster]
    eta = -0.4 + slope * x + rng.normal(0, 1, clusters)[cluster]
    true = (rng.random(len(x)) < 1 / (1 + np.exp(-eta))).astype(int)
    return draw_reported(DESIGN, true, rng), cluster, x


def slope_data(link: str, nodes: int) -> SlopeData:
    reports, cluster, x = survey(0.7, 4, 8, 1)
    columns = columns_from(x, len(x), None, intercept=True)
    grouping = Grouping("clusters", clusters_from("clusters", cluster, len(x)), columns)
    return SlopeData(columns, device_of(DESIGN, reports), LINKS[link], grouping, nodes)


def integral(data: SlopeData, cluster: int) -> float:
    """ln of the likelihood of one cluster by the library's adaptive quadrature."""
    members = data.clusters.of_person == cluster
    z = data.z[:, members]
    fixed = data.fixed(AT)[members]
    no, yes = DESIGN.channel.matrix[data.device.codes[members]].T
    root = data.root(AT)

    def density(second: float, first: float) -> float:
        share = data.link.probability(fixed + z.T @ (root @ [first, second]))
        chance = float(np.prod(yes * share + no * (1 - share)))
        return chance * math.exp(-(first**2 + second**2) / 2) / (2 * math.pi)

    return float(np.log(dblquad(density, -7, 7, -7, 7, epsabs=1e-12, epsrel=1e-7)[0]))


@pytest.mark.parametrize("link", ["logit", pytest.param("cloglog", marks=pytest.mark.audit)])
def test_quadrature_agrees_with_numeric_integration(link: str) -> None:
    data = slope_data(link, 30)
    values = SlopePoint(Nodes.around(data, AT), AT).cluster_values
    assert values[0] == pytest.approx(integral(data, 0), abs=1e-5)


def test_more_nodes_come_nearer() -> None:
    def total(nodes: int) -> float:
        data = slope_data("logit", nodes)
        return SlopePoint(Nodes.around(data, AT), AT).log_likelihood

    errors = [abs(total(nodes) - total(40)) for nodes in (2, 5, 10, 20)]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] < 0.5
    assert errors[-1] < 1e-4


@pytest.mark.parametrize("link", LINKS)
def test_score_and_information_are_the_derivatives_with_held_nodes(link: str) -> None:
    data = slope_data(link, 4)
    nodes = Nodes.around(data, AT)
    near = AT + 0.1
    point = SlopePoint(nodes, near)
    score = numeric_gradient(lambda p: SlopePoint(nodes, p).log_likelihood, near)
    assert point.score == pytest.approx(score, abs=1e-6 * (1 + np.abs(score).max()))
    observed = -numeric_gradient(lambda p: SlopePoint(nodes, p).score, near)
    assert point.observed == pytest.approx(observed, abs=1e-6 * np.abs(observed).max())


def test_where_the_search_for_the_modes_begins_does_not_matter() -> None:
    data = slope_data("logit", 5)
    cold, warm = (Nodes.around(data, AT, np.full((4, 2), start)) for start in (0.0, 3.0))
    assert warm.centre == pytest.approx(cold.centre, abs=1e-8)


def test_the_estimate_is_a_maximum_with_the_curvature_that_the_errors_say() -> None:
    reports, cluster, x = survey(0.7, 30, 25, 2)
    model = fit_random_slope_model(DESIGN, reports, cluster, x, ["x1"])
    columns = columns_from(x, len(x), None, intercept=True)
    grouping = Grouping("clusters", clusters_from("clusters", cluster, len(x)), columns)
    data = SlopeData(columns, device_of(DESIGN, reports), LINKS["logit"], grouping, model.nodes)

    def value(p: np.ndarray) -> float:
        """By coefficients, deviations and covariance."""
        covariance = np.array([[p[2] ** 2, p[4]], [p[4], p[3] ** 2]])
        inside = np.linalg.inv(columns.transform)
        root = np.linalg.cholesky(inside @ covariance @ inside.T)
        at = np.append(inside @ p[:2], root[grouping.triangle])
        return SlopePoint(Nodes.around(data, at), at).log_likelihood

    effects = model.effects
    best = np.array([*model.coefficients, *effects.sds, effects.covariance[0, 1]])
    # The model's grids may be turned: their rows are in the order of the variances.
    assert value(best) == pytest.approx(model.log_likelihood, abs=1e-3)
    assert np.abs(numeric_gradient(value, best, 1e-4)).max() < 2e-2
    curvature = -numeric_gradient(lambda p: numeric_gradient(value, p, 1e-3), best, 1e-3)
    errors = [*model.standard_errors, *effects.sd_errors]
    assert np.sqrt(np.diag(np.linalg.inv(curvature)))[:4] == pytest.approx(errors, rel=5e-3)


def test_labels_order_and_units_do_not_matter() -> None:
    reports, cluster, x = survey(0.7, 20, 20, 3)
    one = fit_random_slope_model(DESIGN, reports, cluster, x, ["x1"])
    order = np.random.default_rng(4).permutation(len(x))
    names = np.array([f"village {19 - c}" for c in cluster])
    for start, unit in ((9, -3), (40_000, 20_000), (1975, 1e-3)):
        moved = start + unit * x[order]
        other = fit_random_slope_model(DESIGN, reports[order], names[order], moved, ["x1"])
        effects = other.effects
        assert other.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-6)
        assert other.coefficients[1] * unit == pytest.approx(one.coefficients[1], abs=1e-4)
        assert effects.sds[1] * abs(unit) == pytest.approx(one.effects.sds[1], abs=1e-4)
        assert effects.sd_errors[1] * abs(unit) == pytest.approx(one.effects.sd_errors[1], rel=1e-3)
        last = effects.values[effects.clusters.index("village 19")]
        assert last[1] * unit == pytest.approx(one.effects.values[0, 1], abs=1e-3)


def test_without_differences_between_clusters_it_is_the_ordinary_model() -> None:
    reports, x = np.tile([0, 0, 1, 1, 0, 1], 20), np.tile([0, 1, 0, 1, 1, 0], 20)
    model = fit_random_slope_model(Warner(0.8), reports, np.repeat(np.arange(20), 6), x, ["x1"])
    plain = fit_outcome_model(Warner(0.8), reports, x)
    assert model.coefficients == pytest.approx(plain.coefficients, abs=1e-5)
    assert model.standard_errors == pytest.approx(plain.standard_errors, rel=1e-5)
    assert model.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-8)
    assert model.effects.sds.tolist() == [0, 0]
    assert model.effects.is_singular
    assert model.slopes_p_value == 1


def test_the_test_of_a_slope_is_a_mixture_and_that_of_several_is_not_too_small() -> None:
    reports, cluster, x = survey(1.2, 40, 25, 5)
    one = fit_random_slope_model(DESIGN, reports, cluster, x, ["x1"], nodes=5)
    lost = 2 * (one.log_likelihood - one.log_likelihood_without)
    assert lost > 10
    mixture = (chi2.sf(lost, 1) + chi2.sf(lost, 2)) / 2
    assert one.slopes_p_value == pytest.approx(mixture, rel=1e-9, abs=0)
    plain = fit_random_intercept_model(DESIGN, reports, cluster, x)
    assert one.log_likelihood_without == plain.log_likelihood
    both = np.column_stack([x, norm.ppf((np.arange(len(x)) * 7 % 1000 + 0.5) / 1000)])
    two = fit_random_slope_model(DESIGN, reports, cluster, both, ["x1", "x2"], nodes=3)
    lost = 2 * (two.log_likelihood - two.log_likelihood_without)
    assert two.slopes_p_value == pytest.approx(chi2.sf(lost, 5), rel=1e-9, abs=0)
    assert two.parameter_count == 3 + 6


def test_a_slope_that_is_alike_everywhere_is_not_significant() -> None:
    reports, cluster, x = survey(0.0, 40, 25, 6)
    model: RandomSlopeModel = fit_random_slope_model(DESIGN, reports, cluster, x, ["x1"], nodes=5)
    assert model.slopes_p_value > 1e-6


@pytest.mark.parametrize("slopes", ["x1", 1, [], ["age"], ["x1", "x1"], [1]])
def test_slopes_that_are_no_columns_are_refused(slopes: object) -> None:
    with pytest.raises(RegressionError, match="slopes"):
        fit_random_slope_model(DESIGN, [0, 1] * 50, [1, 2] * 50, np.arange(100), slopes)


@pytest.mark.parametrize("nodes", [1, 71, 2.5, "many"])
def test_impossible_nodes_are_refused(nodes: object) -> None:
    with pytest.raises(RegressionError, match="nodes"):
        fit_random_slope_model(
            DESIGN, [0, 1] * 50, [1, 2] * 50, np.arange(100), ["x1"], nodes=nodes
        )
