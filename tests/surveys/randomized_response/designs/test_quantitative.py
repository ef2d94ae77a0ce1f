"""Scrambled numbers: every design by exact enumeration of small decks."""

import math
from itertools import product

import numpy as np
import pytest

from tests.randomized_response.designs import (
    QUANTITATIVE_REGISTRY,
    BarLev,
    ChaudhuriChristofides,
    DianaPerri1,
    DianaPerri2,
    EichhornHayre,
    Eriksson,
    Saha,
)
from tests.randomized_response.errors import CountsError, DesignError

# Decks of equally likely numbers.
W, U = (0.5, 1.0, 3.0), (-2.0, 4.0, 5.0, 9.0)
ANSWERS = (-3.0, 0.0, 0.7, 25.0)


def moments(deck: tuple[float, ...]) -> tuple[float, float]:
    return float(np.mean(deck)), float(np.std(deck))


(MU_W, SD_W), (MU_U, SD_U) = moments(W), moments(U)
PAIRS = [(w, u, 1 / (len(W) * len(U))) for w, u in product(W, U)]
P, BETA = 0.6, 0.3


def either(y: float, scrambled: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The answer with probability P, otherwise one of the scrambled reports."""
    return [(y, P), *((z, (1 - P) * chance) for z, chance in scrambled)]


# Per design: an example, and all reports of a person with answer y with their probabilities.
DEVICES = {
    "eichhorn_hayre": (
        EichhornHayre(MU_W, SD_W),
        lambda y: [(w * y, c) for w, _, c in PAIRS],
    ),
    "bar_lev": (
        BarLev(P, MU_W, SD_W),
        lambda y: either(y, [(w * y, c) for w, _, c in PAIRS]),
    ),
    "eriksson": (
        Eriksson(P, MU_U, SD_U),
        lambda y: either(y, [(u, c) for _, u, c in PAIRS]),
    ),
    "chaudhuri_christofides": (
        ChaudhuriChristofides(MU_W, MU_U, SD_W, SD_U),
        lambda y: [(w * y + u, c) for w, u, c in PAIRS],
    ),
    "diana_perri_1": (
        DianaPerri1(P, MU_W, MU_U, SD_W, SD_U),
        lambda y: either(y, [(w * (y + u), c) for w, u, c in PAIRS]),
    ),
    "diana_perri_2": (
        DianaPerri2(BETA, MU_W, MU_U, SD_W, SD_U),
        lambda y: [(w * (BETA * u + (1 - BETA) * y), c) for w, u, c in PAIRS],
    ),
    "saha": (
        Saha(MU_W, MU_U, SD_W, SD_U),
        lambda y: [(w * (y + u), c) for w, u, c in PAIRS],
    ),
}
devices = pytest.mark.parametrize(("design", "law"), DEVICES.values(), ids=DEVICES.keys())


def test_every_registered_scrambling_is_enumerated_here() -> None:
    assert {name: type(design) for name, (design, _) in DEVICES.items()} == QUANTITATIVE_REGISTRY


@devices
@pytest.mark.parametrize("y", ANSWERS)
def test_values_and_variances_are_unbiased_over_all_outcomes_of_the_device(design, law, y) -> None:
    z, chance = np.array(law(y)).T
    reports = design.transform(z)
    variance = chance @ (reports.values - y) ** 2
    assert chance @ reports.values == pytest.approx(y)
    assert chance @ reports.variances == pytest.approx(variance)
    assert (reports.variances >= -1e-12).all()


@devices
@pytest.mark.parametrize("y", ANSWERS)
def test_the_plugged_in_variance_is_too_large_by_the_stated_factor(design, law, y) -> None:
    z, chance = np.array(law(y)).T
    variance = chance @ (design.transform(z).values - y) ** 2
    law_of = design.law
    factor = 1 + law_of.second_moments[0] / law_of.mean_factor**2
    assert chance @ design.transform_plugged_in(z).variances == pytest.approx(factor * variance)
    assert factor > 1


def test_for_eriksson_with_one_half_the_plugged_in_variance_is_twice_too_large() -> None:
    design = Eriksson(0.5, 20, 14)
    doubled = 2 * design.transform([0.0, 20.0, 40.0]).variances
    assert design.transform_plugged_in([0.0, 20.0, 40.0]).variances == pytest.approx(doubled)


@pytest.mark.parametrize("design", [DianaPerri1(P, 1, 5), DianaPerri2(BETA, 1, 5), Saha(1, 5)])
def test_without_the_second_moments_values_exist_and_variances_do_not(design) -> None:
    assert design.transform([1.0, 2.0]).variances is None
    with pytest.raises(DesignError, match="standard deviations"):
        design.transform_plugged_in([1.0, 2.0])


def test_special_cases_of_one_design_are_another() -> None:
    z = [1.0, 5.0, -2.0]
    pairs = [
        (BarLev(0, MU_W, SD_W), EichhornHayre(MU_W, SD_W)),
        (DianaPerri1(0, MU_W, MU_U, SD_W, SD_U), Saha(MU_W, MU_U, SD_W, SD_U)),
        (DianaPerri2(0, MU_W, MU_U, SD_W, SD_U), EichhornHayre(MU_W, SD_W)),
        (ChaudhuriChristofides(MU_W, 0, SD_W, 0), EichhornHayre(MU_W, SD_W)),
        (DianaPerri1(P, MU_W, 0, SD_W, 0), BarLev(P, MU_W, SD_W)),
    ]
    for one, other in pairs:
        left, right = one.transform(z), other.transform(z)
        assert left.values == pytest.approx(right.values)
        assert left.variances == pytest.approx(right.variances)


def test_a_device_without_noise_adds_no_variance() -> None:
    reports = BarLev(1, 7, 2).transform([3.0, 4.0])
    assert reports.values == pytest.approx([3.0, 4.0])
    assert reports.variances == pytest.approx([0.0, 0.0])


@pytest.mark.parametrize(
    ("build", "argument"),
    [
        (lambda: EichhornHayre(0, 1), "mean factor"),
        (lambda: EichhornHayre(1, -1), "sigma"),
        (lambda: EichhornHayre(math.nan, 1), "mu"),
        (lambda: EichhornHayre(1e300, 1), "mu"),
        (lambda: BarLev(0.5, -1, 1), "mean factor"),
        (lambda: BarLev(1.5, 1, 1), "p"),
        (lambda: Eriksson(0, 20, 1), "mean factor"),
        (lambda: Eriksson("1/2", 20, 1), "p"),
        (lambda: ChaudhuriChristofides(0, 5, 1, 1), "mean factor"),
        (lambda: DianaPerri1(0.5, -1, 5), "mean factor"),
        (lambda: DianaPerri2(1, 1, 5), "mean factor"),
        (lambda: Saha(0, 5), "mean factor"),
        (lambda: Saha(1, 5, sigma_w=1), "sigma_w"),
        (lambda: Saha(1, 5, 1, -1), "sigma_u"),
    ],
)
def test_impossible_scramblings_are_refused_by_name_and_with_a_remedy(build, argument) -> None:
    with pytest.raises(DesignError) as refusal:
        build()
    assert refusal.value.argument == argument
    assert refusal.value.remedy


@pytest.mark.parametrize("z", [[], [math.nan], [math.inf], ["4"], [None], [1e60], [[1.0]], 4.0])
def test_reports_that_are_no_row_of_ordinary_numbers_are_refused(z) -> None:
    with pytest.raises(CountsError, match="reports"):
        EichhornHayre(1, 0.3).transform(z)
