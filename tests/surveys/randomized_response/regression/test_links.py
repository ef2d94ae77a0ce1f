import numpy as np
import pytest

from tests.randomized_response.errors import RegressionError
from tests.randomized_response.regression.links import LINKS, link_named
from tests.surveys.randomized_response.regression.surveys_to_fit import numeric_gradient

ETA = np.array([-3.0, -1.2, -0.1, 0.0, 0.4, 1.3, 2.5])
EXTREME = np.array([-1e12, -1e4, -800.0, -50.0, 50.0, 800.0, 1e4, 1e12])

each_link = pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)


@each_link
def test_the_complement_completes_the_probability(link) -> None:
    assert link.probability(ETA) + link.complement(ETA) == pytest.approx(1, abs=1e-15)


@each_link
def test_slope_and_curvature_are_the_derivatives(link) -> None:
    slopes = np.diag(numeric_gradient(link.probability, ETA))
    curvatures = np.diag(numeric_gradient(link.slope, ETA))
    assert link.slope(ETA) == pytest.approx(slopes, rel=1e-7, abs=1e-9)
    assert link.curvature(ETA) == pytest.approx(curvatures, rel=1e-6, abs=1e-8)


@each_link
def test_the_quantile_undoes_the_probability(link) -> None:
    assert link.quantile(link.probability(ETA)) == pytest.approx(ETA, abs=1e-10)


@each_link
@pytest.mark.filterwarnings("error")
def test_nothing_overflows_far_out(link) -> None:
    for curve in (link.probability, link.complement, link.slope, link.curvature):
        assert np.isfinite(curve(EXTREME)).all()
    assert link.slope(EXTREME).min() >= 0


@pytest.mark.parametrize(
    ("name", "eta", "tail"),
    [
        ("logit", -100.0, np.exp(-100.0)),
        ("cloglog", -100.0, np.exp(-100.0)),
        ("cauchit", -1e10, 1e-10 / np.pi),
        ("probit", -20.0, 2.753624118606234e-89),
    ],
)
def test_small_probabilities_keep_their_digits(name, eta, tail) -> None:
    link = LINKS[name]
    assert link.probability(np.array([eta]))[0] == pytest.approx(tail, rel=1e-12, abs=0)
    if name != "cloglog":
        assert link.complement(np.array([-eta]))[0] == pytest.approx(tail, rel=1e-12, abs=0)


@pytest.mark.parametrize("name", ["log", "", None, 3, "Logit"])
def test_an_unknown_link_is_refused_with_the_known_ones(name) -> None:
    with pytest.raises(RegressionError, match="logit, probit, cloglog, cauchit"):
        link_named(name)
