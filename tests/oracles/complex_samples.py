"""The adapter for totals and means from samples with unequal inclusion probabilities."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tests.oracles.files import Case
from tests.oracles.randomized_response import rational
from tests.randomized_response.checks import checked_positive_number
from tests.randomized_response.designs import (
    BarLev,
    ChaudhuriChristofides,
    Christofides,
    Design,
    Devore,
    DianaPerri1,
    DianaPerri2,
    EichhornHayre,
    Eriksson,
    ForcedResponse,
    HorvitzTwice,
    Kuk,
    LinearScrambling,
    MangatSingh,
    MangatSinghSingh,
    MangatSinghSinghTwice,
    MangatTwoStageTwice,
    MangatTwoStageUnrelated,
    Saha,
    SinghJoarder,
    SoberanisCruz,
    TransformedReports,
    UnrelatedQuestion,
    Warner,
    transform_reports,
)
from tests.randomized_response.samples import (
    SampleEstimate,
    estimate_simple_mean,
    estimate_total,
    estimate_total_by_jackknife,
)

Transformed = tuple[TransformedReports, TransformedReports]


def by_channel(case: Case, design: Design, lowest: int = 0) -> Transformed:
    z = case["input"]["z"]
    reports = transform_reports(design, z if lowest == 0 else [_less(x, lowest) for x in z])
    return reports, reports


def _less(report: Any, lowest: int) -> Any:
    return report - lowest if isinstance(report, (int, float)) else report


def by_pairs(case: Case, design: Any) -> Transformed:
    given = case["input"]
    reports = design.transform(np.column_stack([given["I"], given["J"]]))
    return reports, reports


def by_scrambling(case: Case, design: LinearScrambling) -> Transformed:
    """(unbiased, as the peer prints them: r in place of y)."""
    z = case["input"]["z"]
    return design.transform(z), design.transform_plugged_in(z)


def numbers(case: Case, *names: str) -> list[Any]:
    return [rational(case["params"][name]) for name in names]


def cards(case: Case) -> Christofides:
    given = case["params"]["pm"]
    exact = tuple(rational(p) for p in given)
    return Christofides(exact if sum(exact) == 1 else tuple(given))


def decks(case: Case) -> ChaudhuriChristofides:
    params = case["params"]
    return ChaudhuriChristofides(*params["mu"], *params["sigma"])


def plain(case: Case, *names: str) -> list[Any]:
    return [case["params"][name] for name in names]


TRANSFORMS: dict[str, Callable[[Case], Transformed]] = {
    "warner": lambda c: by_channel(c, Warner(*numbers(c, "p"))),
    "forced_response": lambda c: by_channel(c, ForcedResponse(*numbers(c, "p_yes", "p_no"))),
    "unrelated_known": lambda c: by_channel(c, UnrelatedQuestion(*numbers(c, "p", "q"))),
    "soberanis_cruz": lambda c: by_channel(c, SoberanisCruz(*numbers(c, "p", "alpha"))),
    "kuk": lambda c: by_channel(c, Kuk(*numbers(c, "p1", "p2"), c["params"]["k"])),
    "devore": lambda c: by_channel(c, Devore(*numbers(c, "p"))),
    "mangat_singh": lambda c: by_channel(c, MangatSingh(*numbers(c, "t", "p"))),
    "mangat_singh_singh": lambda c: by_channel(c, MangatSinghSingh(*numbers(c, "p", "alpha"))),
    "mangat_two_stage_unrelated": lambda c: by_channel(
        c, MangatTwoStageUnrelated(*numbers(c, "t", "p", "alpha"))
    ),
    "singh_joarder": lambda c: by_channel(c, SinghJoarder(*numbers(c, "p"))),
    "christofides": lambda c: by_channel(c, cards(c), lowest=1),
    "mangat_singh_singh_twice": lambda c: by_pairs(
        c, MangatSinghSinghTwice(*numbers(c, "p1", "p2"))
    ),
    "mangat_unknown_twice": lambda c: by_pairs(
        c, MangatTwoStageTwice(*numbers(c, "t", "p1", "p2"))
    ),
    "unrelated_unknown_twice": lambda c: by_pairs(c, HorvitzTwice(*numbers(c, "p1", "p2"))),
    "bar_lev": lambda c: by_scrambling(c, BarLev(*plain(c, "p", "mu", "sigma"))),
    "eichhorn_hayre": lambda c: by_scrambling(c, EichhornHayre(*plain(c, "mu", "sigma"))),
    "eriksson": lambda c: by_scrambling(c, Eriksson(*plain(c, "p", "mu", "sigma"))),
    "chaudhuri_christofides": lambda c: by_scrambling(c, decks(c)),
}

SIMPLE: dict[str, Callable[[Case], LinearScrambling]] = {
    "diana_perri_1": lambda c: DianaPerri1(*plain(c, "p", "mu_w", "mu_u")),
    "diana_perri_2": lambda c: DianaPerri2(*plain(c, "beta", "mu_w", "mu_u")),
    "saha": lambda c: Saha(*plain(c, "mu_w", "mu_u")),
}


def horvitz_thompson(case: Case) -> Case:
    unbiased, printed = TRANSFORMS[case["design"]](case)
    pi = case["input"]["pi"]
    variances = [] if printed.variances is None else printed.variances[:5]
    return {
        **_written(case, estimate_total(printed, pi)),
        "variance_unbiased": _to_scale(case, estimate_total(unbiased, pi)).variance,
        "transformed_first5": printed.values[:5],
        "transformed_variance_first5": variances,
    }


def simple_random(case: Case) -> Case:
    """The peer leaves out what the device adds without replacement; so does this comparison."""
    params = case["params"]
    reports = SIMPLE[case["design"]](case).transform(case["input"]["z"])
    size = params["N"]
    drawn = size if params["sampling"] == "srswor" else None
    mean = replace(estimate_simple_mean(reports, drawn), randomization_variance=0.0)
    return {
        **_written(case, mean.scaled(size)),
        "transformed_first5": reports.values[:5],
        "transformed_variance_first5": [],
    }


def jackknife(case: Case) -> Case:
    """The peer multiplies the randomization part by 1 - f as well: the sampling part alone."""
    unbiased, _ = TRANSFORMS[case["design"]](case)
    given = case["input"]
    total = estimate_total_by_jackknife(
        unbiased,
        given["pi"],
        strata=given.get("stratum", given.get("strata")),
        clusters=given.get("cluster", given.get("clusters")),
    )
    return {"estimate": total.value, "variance": total.sampling_variance}


def _to_scale(case: Case, total: SampleEstimate) -> SampleEstimate:
    size = checked_positive_number("N", case["params"]["N"])
    return total.scaled(1 / size) if case["estimator"] == "ht_mean" else total


def _written(case: Case, total: SampleEstimate) -> Case:
    estimate = _to_scale(case, total)
    return {
        "estimate": estimate.value,
        "variance": estimate.variance,
        "ci": _ends(estimate, case["params"]["confidence"]),
    }


def _ends(estimate: SampleEstimate, level: float) -> Any:
    if estimate.variance is None:
        return None
    interval = estimate.interval(level)
    return [interval.low, interval.high]


FAMILIES: dict[tuple[str, str], Callable[[Case], Case]] = {
    **{(name, kind): horvitz_thompson for name in TRANSFORMS for kind in ("ht_mean", "ht_total")},
    **{(name, kind): simple_random for name in SIMPLE for kind in ("ht_mean", "ht_total")},
    **{(name, "jackknife_total"): jackknife for name in TRANSFORMS},
}
