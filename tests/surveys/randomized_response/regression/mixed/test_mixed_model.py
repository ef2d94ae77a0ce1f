import math

import numpy as np
import pytest
from scipy.stats import norm

from tests.randomized_response.designs import Direct, ForcedResponse, Warner
from tests.randomized_response.errors import ConvergenceError, RegressionError, SeparationError
from tests.randomized_response.regression import (
    fit_mixed_model,
    fit_outcome_model,
    fit_random_intercept_model,
)
from tests.randomized_response.regression.covariates import columns_from, columns_of
from tests.randomized_response.regression.devices import device_of
from tests.randomized_response.regression.links import LINKS
from tests.randomized_response.regression.mixed.arrow_information import ArrowInformation
from tests.randomized_response.regression.mixed.clusters import (
    Grouping,
    clusters_from,
    pivoted_factor,
)
from tests.randomized_response.regression.mixed.laplace import Effects, LaplacePoint, MixedData
from tests.surveys.randomized_response.regression.surveys_to_fit import (
    draw_reported,
    numeric_gradient,
)

DESIGN = ForcedResponse(0.1, 0.2)
N = 200
RNG = np.random.default_rng(1)
VILLAGE, ASKER = RNG.integers(0, 12, N), RNG.integers(0, 5, N)
AGE = RNG.normal(1, 1, N)
ETA = -0.4 + 0.6 * AGE + RNG.normal(0, 0.9, 12)[VILLAGE] + RNG.normal(0, 0.7, 5)[ASKER]
REPORTS = draw_reported(DESIGN, (RNG.random(N) < 1 / (1 + np.exp(-ETA))).astype(int), RNG)
# Of each grouping: labels, and the numbers of the columns whose coefficients differ.
GROUPS = {"village": (VILLAGE, [0, 1]), "asker": (ASKER, [0]), "half": (VILLAGE % 2, [0, 1])}


def data_of(names: list[str], link: str = "logit") -> MixedData:
    columns = columns_from(AGE, N, None, intercept=True)
    groupings = []
    for name in names:
        labels, chosen = GROUPS[name]
        effects = columns_of(columns.values[:, chosen], tuple(columns.names[i] for i in chosen))
        groupings.append(Grouping(name, clusters_from("clusters", labels, N), effects))
    return MixedData(columns, device_of(DESIGN, REPORTS), LINKS[link], tuple(groupings))


def point_at(data: MixedData, parameters: np.ndarray) -> LaplacePoint:
    return LaplacePoint.at(data, parameters, Effects.none(data))


def some_parameters(data: MixedData) -> np.ndarray:
    return np.random.default_rng(2).normal(0, 0.5, data.parts[-1].stop)


def dense_loadings(data: MixedData, parameters: np.ndarray) -> np.ndarray:
    """zeta of each person on all effects of all groupings: (n, effects)."""
    blocks = []
    for grouping, root in zip(data.groupings, data.roots(parameters), strict=True):
        block = np.zeros((N, grouping.clusters.count, grouping.dimensions))
        block[np.arange(N), grouping.clusters.of_person] = grouping.effects.orthogonal.T @ root
        blocks.append(block.reshape(N, -1))
    return np.hstack(blocks)


@pytest.mark.parametrize("names", [["village"], ["village", "asker"], ["village", "asker", "half"]])
def test_the_likelihood_is_laplaces_of_the_joint_density(names: list[str]) -> None:
    data = data_of(names)
    at = some_parameters(data)
    mode = point_at(data, at).mode
    e = np.concatenate([each.ravel() for each in mode.effects.by_grouping(data)])
    loadings = dense_loadings(data, at)
    fixed = at[:2] @ data.columns.orthogonal
    no, yes = DESIGN.channel.matrix[REPORTS].T

    def height(effects: np.ndarray) -> float:
        share = data.link.probability(fixed + loadings @ effects)
        density = norm.logpdf(effects).sum()
        return float(np.log(yes * share + no * (1 - share)).sum() + density)

    assert np.abs(numeric_gradient(height, e)).max() < 1e-6
    information = np.eye(len(e)) + (loadings.T * mode.reports.expected) @ loadings
    constant = len(e) / 2 * math.log(2 * math.pi)
    total = height(e) + constant - np.linalg.slogdet(information)[1] / 2
    assert point_at(data, at).log_likelihood == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("names", [["asker"], ["village", "asker"], ["village", "asker", "half"]])
def test_the_score_is_the_derivative(names: list[str], link: str) -> None:
    data = data_of(names, link)
    at = some_parameters(data)
    slope = numeric_gradient(lambda p: point_at(data, p).log_likelihood, at)
    assert point_at(data, at).score == pytest.approx(slope, abs=1e-6 * (1 + np.abs(slope).max()))


def test_an_arrow_is_the_matrix_that_it_stands_for() -> None:
    rng = np.random.default_rng(3)
    root = rng.normal(size=(11, 11))
    dense = root @ root.T + np.eye(11)
    for block in range(4):
        outside = [i for i in range(8) if i // 2 != block]
        dense[2 * block : 2 * block + 2, outside] = 0
    dense += 11 * np.eye(11)
    blocks = np.array([dense[i : i + 2, i : i + 2] for i in range(0, 8, 2)])
    arrow = ArrowInformation(blocks, dense[:8, 8:].reshape(4, 2, 3), dense[8:, 8:])
    inverse = np.linalg.inv(dense)
    right = rng.normal(size=11)
    above, below = arrow.solve(right[:8].reshape(4, 2), right[8:])
    assert np.append(above, below) == pytest.approx(inverse @ right)
    assert arrow.log_determinant == pytest.approx(np.linalg.slogdet(dense)[1])
    assert arrow.side_inverse.reshape(8, 3) == pytest.approx(inverse[:8, 8:])
    assert arrow.rest_inverse == pytest.approx(inverse[8:, 8:])
    for block, part in enumerate(arrow.block_inverse):
        at = slice(2 * block, 2 * block + 2)
        assert part == pytest.approx(inverse[at, at])
    assert arrow.is_positive
    corner = dense[8:, 8:] - 2 * np.linalg.eigvalsh(dense).max() * np.eye(3)
    assert not ArrowInformation(blocks, arrow.side, corner).is_positive
    assert not ArrowInformation(-blocks, arrow.side, dense[8:, 8:]).is_positive


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_one_grouping_is_a_random_intercept_of_one_node(link: str) -> None:
    model = fit_mixed_model(DESIGN, REPORTS, {"village": VILLAGE}, AGE, link=link)
    one = fit_random_intercept_model(DESIGN, REPORTS, VILLAGE, AGE, link=link, nodes=1)
    (village,) = model.effects
    assert model.coefficients == pytest.approx(one.coefficients, abs=1e-5)
    assert model.standard_errors == pytest.approx(one.standard_errors, rel=1e-4)
    assert village.sds[0] == pytest.approx(one.random_intercept_sd, abs=1e-5)
    assert village.sd_errors[0] == pytest.approx(one.random_intercept_sd_error, rel=1e-3)
    assert village.values[:, 0] == pytest.approx(one.intercepts, abs=1e-4)
    assert model.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-7)
    assert model.parameter_count == one.parameter_count == 3


def test_order_labels_and_units_do_not_matter() -> None:
    groups = {"village": VILLAGE, "asker": ASKER}
    slopes = {"village": ["x1"]}
    one = fit_mixed_model(DESIGN, REPORTS, groups, AGE, slopes=slopes)
    order = np.random.default_rng(4).permutation(N)
    names = np.array([f"village {90 - c}" for c in VILLAGE])
    shuffled = {"asker": ASKER[order], "village": names[order]}
    other = fit_mixed_model(DESIGN, REPORTS[order], shuffled, 100 - 20 * AGE[order], slopes=slopes)
    assert [each.grouping for each in other.effects] == ["asker", "village"]
    assert other.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-7)
    assert other.coefficients[1] == pytest.approx(one.coefficients[1] / -20, abs=1e-6)
    village = other.effects[1]
    assert village.sds[1] == pytest.approx(one.effects[0].sds[1] / 20, abs=1e-6)
    last = village.values[village.clusters.index("village 90")]
    assert last[1] == pytest.approx(one.effects[0].values[0, 1] / -20, abs=1e-4)


def test_without_differences_between_clusters_it_is_the_ordinary_model() -> None:
    reports, x = np.tile([0, 0, 1, 1, 0, 1], 20), np.tile([0, 1, 0, 1, 1, 0], 20)
    groups = {"village": np.repeat(np.arange(20), 6), "asker": np.repeat(np.arange(10), 12)}
    model = fit_mixed_model(Warner(0.8), reports, groups, x, slopes={"village": ["x1"]})
    plain = fit_outcome_model(Warner(0.8), reports, x)
    assert model.coefficients == pytest.approx(plain.coefficients, abs=1e-5)
    assert model.standard_errors == pytest.approx(plain.standard_errors, rel=1e-5)
    assert model.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-8)
    for each in model.effects:
        assert each.is_singular
        assert not each.sds.any()
        assert not each.values.any()
        assert np.isnan(each.sd_errors).all()


REFUSED = {
    "labels without a name": ({"clusters": VILLAGE}, "as a mapping of names"),
    "no grouping": ({"clusters": {}}, "give one to 3 groupings"),
    "four groupings": ({"clusters": dict.fromkeys("abcd", VILLAGE)}, "give one to 3 groupings"),
    "a name that is empty": ({"clusters": {" ": VILLAGE}}, "a name that is not empty"),
    "a name that is a number": ({"clusters": {1: VILLAGE}}, "a name that is not empty"),
    "one cluster": ({"clusters": {"a": np.zeros(N)}}, r"clusters\[a\] .* two clusters"),
    "too few labels": ({"clusters": {"a": VILLAGE[1:]}}, f"{N} labels"),
    "slopes of none": ({"slopes": {"b": ["x1"]}}, "for these groupings: a"),
    "the same clusters twice": (
        {"clusters": {"a": VILLAGE, "b": VILLAGE * 3 + 1}},
        "same clusters as b",
    ),
    "slopes as a list": ({"slopes": ["x1"]}, "for these groupings: a"),
    "a slope as a text": ({"slopes": {"a": "x1"}}, r"slopes\[a\] .* a list of different names"),
    "an unknown slope": ({"slopes": {"a": ["x2"]}}, r"slopes\[a\]\[0\] .* these columns: x1"),
    "a slope twice": ({"slopes": {"a": ["x1", "x1"]}}, r"slopes\[a\]\[1\]"),
}


@pytest.mark.parametrize(("given", "message"), REFUSED.values(), ids=REFUSED)
def test_groupings_that_are_none_are_refused(given: dict[str, object], message: str) -> None:
    arguments = {"clusters": {"a": VILLAGE}, "slopes": None, **given}
    with pytest.raises(RegressionError, match=message):
        fit_mixed_model(DESIGN, REPORTS, covariates=AGE, **arguments)


def test_a_grouping_may_have_the_name_of_an_argument() -> None:
    groups = {"reports": VILLAGE, "error": ASKER}
    same = {"a": VILLAGE, "b": ASKER}
    named = fit_mixed_model(DESIGN, REPORTS, groups, AGE, slopes={"reports": ["x1"]})
    plain = fit_mixed_model(DESIGN, REPORTS, same, AGE, slopes={"a": {"x1"}})
    assert named.log_likelihood == plain.log_likelihood


def test_groupings_too_large_to_cross_are_refused() -> None:
    n = 8000
    groups = {"a": np.arange(n) % 4000, "b": np.arange(n) // 2}
    with pytest.raises(RegressionError, match="4000 of a and 4000 of b"):
        fit_mixed_model(DESIGN, np.arange(n) % 2, groups)


def test_more_than_three_slopes_are_refused() -> None:
    columns = np.random.default_rng(5).normal(size=(N, 4))
    with pytest.raises(RegressionError, match="at most 3 coefficients"):
        fit_mixed_model(
            DESIGN, REPORTS, {"a": VILLAGE}, columns, slopes={"a": ["x1", "x2", "x3", "x4"]}
        )


def test_clusters_that_all_agree_have_no_maximum() -> None:
    reports = np.repeat([0, 1], 50)
    with pytest.raises(ConvergenceError, match="leave a slope or a grouping out"):
        fit_mixed_model(Direct(2), reports, {"a": np.arange(100) // 10})


def test_covariates_that_separate_the_answers_are_refused() -> None:
    with pytest.raises(SeparationError, match="column x1"):
        fit_mixed_model(Direct(2), AGE > 1, {"a": VILLAGE}, AGE)


def test_a_factor_is_pivoted_by_what_variance_is_left() -> None:
    root = np.random.default_rng(6).normal(size=(4, 3))
    covariance = root @ root.T
    factor, order = pivoted_factor(covariance)
    rows = np.empty_like(factor)
    rows[list(order)] = factor
    assert rows @ rows.T == pytest.approx(covariance)
    assert np.triu(factor, 1) == pytest.approx(np.zeros((4, 4)))
    diagonal = np.diag(factor)
    assert np.all(np.diff(diagonal) <= 1e-12)
    assert diagonal[3] == pytest.approx(0, abs=1e-6)
    nothing, _ = pivoted_factor(np.zeros((2, 2)))
    assert not nothing.any()


def test_a_slope_without_a_random_intercept_settles() -> None:
    """The intercepts do not differ, so L would have a flat direction if they came first."""
    rng = np.random.default_rng(72)
    cluster, x = np.repeat(np.arange(40), 30), rng.normal(size=1200)
    eta = 0.5 + (rng.normal(0, 2, 40)[cluster] - 1) * x
    reports = (rng.random(1200) < 1 / (1 + np.exp(-eta))).astype(int)
    model = fit_mixed_model(Direct(2), reports, {"a": cluster}, x, slopes={"a": ["x1"]})
    (effects,) = model.effects
    assert effects.sds[0] < 0.3
    assert effects.sds[1] == pytest.approx(2, abs=0.8)
    assert model.iterations < 60
