"""Results print as tables: the design, n, and aligned columns; every function shows an example."""

import importlib
import inspect
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.randomized_response import __name__ as NAME
from tests.randomized_response.designs import (
    SUE,
    AnchoredCrosswise,
    Direct,
    DiscretisedScrambling,
    KAry,
    Kuk,
    TruncatedGeometricNoise,
    UnrelatedQuestionTwoGroups,
    Warner,
    transform_reports,
)
from tests.randomized_response.errors import EstimationError
from tests.randomized_response.estimates import (
    DistributionEstimate,
    estimate_anchored_crosswise,
    estimate_distribution,
    estimate_frequencies,
    estimate_grid_mean,
    estimate_prevalence,
    estimate_two_group_means,
    estimate_two_groups,
    estimate_weighted_anchored_crosswise,
    maximum_likelihood,
)
from tests.randomized_response.intervals.intervals import NO_CERTAINTY
from tests.randomized_response.printing import NO_VALUE, cell, report, table
from tests.randomized_response.regression import fit_outcome_model
from tests.randomized_response.relations import (
    AnsweredItem,
    assess_goodness_of_fit,
    assess_hosmer_lemeshow,
    compare_with_direct,
    difference_of_shares,
    estimate_correlation,
    estimate_cross_table,
)
from tests.randomized_response.samples import (
    estimate_mean,
    estimate_means,
    estimate_poststratified_total,
    estimate_quantiles,
    estimate_simple_mean,
    estimate_total,
    estimate_total_by_jackknife,
    estimate_total_with_joint_probabilities,
    estimate_weighted_distribution,
    jackknife_replicates,
    replicated_sample,
    survey_sample,
)

# Namespaces whose public functions all have an example.
NAMESPACES = ["estimates", "intervals", "samples", "relations"]
FUNCTIONS = [
    (namespace, name)
    for namespace in NAMESPACES
    for name in importlib.import_module(f"{NAME}.{namespace}").__all__
    if inspect.isfunction(getattr(importlib.import_module(f"{NAME}.{namespace}"), name))
]

WARNER = Warner(Fraction(3, 4))
PREVALENCE = estimate_prevalence(WARNER, [550, 450])
SHARES = estimate_distribution(KAry(3, 0.5), [420, 310, 270])
OTHERS = estimate_distribution(KAry(3, 0.5), [320, 410, 170])
FREQUENCIES = estimate_frequencies(SUE(3, 0.75), [520, 350, 380], 1000)
GRID = DiscretisedScrambling(0, 3, 1, TruncatedGeometricNoise(Fraction(1, 4)))
MEAN = estimate_grid_mean(GRID, [300, 400, 200, 100])
GROUPS = UnrelatedQuestionTwoGroups(0.75, 0.25)
TWO_GROUPS = estimate_two_groups(GROUPS, [380, 120], [290, 210])
MEANS = estimate_two_group_means(GROUPS, [2, 3, 0, 1, 4, 2], [5, 4, 6, 3, 5])
ANCHOR = AnchoredCrosswise(0.25, 0.25)
ANCHORED = estimate_anchored_crosswise(ANCHOR, [380, 620], [300, 700])
WEIGHTED_ANCHOR = estimate_weighted_anchored_crosswise(
    ANCHOR, [1, 1, 0, 0, 1] * 200, [1, 1, 1, 0, 1, 0, 1, 1, 0, 1] * 100, [1, 2] * 500
)
WEIGHTED = estimate_weighted_distribution(WARNER, [1, 0, 0, 1, 0] * 40, [1, 2, 1, 1, 2] * 40)
REPORTS = transform_reports(WARNER, [1, 0, 0, 1, 0, 0])
JOINT = np.where(np.eye(6) == 1, 0.6, 6 * 5 / (10 * 9))
SAMPLES = [
    estimate_total(REPORTS, [0.1] * 6),
    estimate_total_by_jackknife(REPORTS, [0.1] * 6),
    estimate_total_with_joint_probabilities(REPORTS, JOINT),
    estimate_mean(REPORTS, [0.1] * 6),
    estimate_mean(REPORTS, [0.1] * 6, 60),
    estimate_simple_mean(REPORTS),
    estimate_simple_mean(REPORTS, 60),
    estimate_simple_mean(replace(REPORTS, variances=None), 60),
    estimate_poststratified_total(REPORTS, [0.1] * 6, [1, 1, 1, 2, 2, 2], {1: 30, 2: 50}),
]
DRAWN = survey_sample([1, 2, 1, 1, 2, 1], clusters=[1, 1, 2, 2, 3, 3], population=30)
DRAWN_MEANS = estimate_means(DRAWN, REPORTS, groups=["a", "b"] * 3)
DRAWN_QUANTILES = estimate_quantiles(survey_sample([1, 2] * 20), range(40), [0.4, 0.5])
CROSSED = estimate_cross_table(WARNER, Direct(2), [[300, 250], [200, 250]])
WITHIN = CROSSED.difference(answer=1, group=1, other=0)
BETWEEN = difference_of_shares(SHARES, OTHERS, 1)
RATIO = SHARES.ratio(1, [0, 1])
ITEM = AnsweredItem(np.array([1, 1, 0, 1, 0, 0] * 50), WARNER)
CORRELATION = estimate_correlation(ITEM, AnsweredItem(np.array([1, 1, 0, 0, 1, 0] * 50)))
COMPARED = compare_with_direct(WARNER, [600, 400], [850, 150])

# Each result, its n, and its estimates with their standard errors.
PRINTED = {
    "prevalence": (PREVALENCE, "1000", [(PREVALENCE.prevalence, PREVALENCE.standard_error)]),
    "distribution": (SHARES, "1000", zip(SHARES.shares, SHARES.standard_errors, strict=True)),
    "frequencies": (
        FREQUENCIES,
        "1000",
        zip(FREQUENCIES.frequencies, FREQUENCIES.standard_errors, strict=True),
    ),
    "grid mean": (MEAN, "1000", [(MEAN.mean, MEAN.standard_error)]),
    "two groups": (
        TWO_GROUPS,
        "500 + 500",
        [(TWO_GROUPS.values[s], TWO_GROUPS.standard_errors[s]) for s in TWO_GROUPS.names],
    ),
    "means of two groups": (
        MEANS,
        "6 + 5",
        [(MEANS.mean, MEANS.standard_error), (MEANS.other_mean, MEANS.other_standard_error)],
    ),
    "anchored": (
        ANCHORED,
        "1000 + 1000",
        [(ANCHORED.values[s], ANCHORED.standard_errors[s]) for s in ANCHORED.names],
    ),
    "weighted anchor": (
        WEIGHTED_ANCHOR,
        "900",
        [(WEIGHTED_ANCHOR.prevalence, WEIGHTED_ANCHOR.standard_error)],
    ),
    "weighted shares": (
        WEIGHTED,
        "200",
        zip(WEIGHTED.shares, WEIGHTED.standard_errors, strict=True),
    ),
    **{
        f"sample {i}": (sample, "6", [(sample.value, sample.standard_error)])
        for i, sample in enumerate(SAMPLES)
    },
    "means of a sample": (
        DRAWN_MEANS,
        "6",
        zip(DRAWN_MEANS.values, DRAWN_MEANS.standard_errors, strict=True),
    ),
    "quantiles of a sample": (
        DRAWN_QUANTILES,
        "40",
        zip(DRAWN_QUANTILES.values, DRAWN_QUANTILES.standard_errors, strict=True),
    ),
    "cross table": (
        CROSSED,
        "1000",
        zip(CROSSED.joint.shares, CROSSED.joint.standard_errors, strict=True),
    ),
    "difference within a table": (WITHIN, "1000", [(WITHIN.value, WITHIN.standard_error)]),
    "difference between tables": (BETWEEN, "1900", [(BETWEEN.value, BETWEEN.standard_error)]),
    "ratio": (RATIO, "1000", [(RATIO.value, RATIO.standard_error)]),
    "correlation": (
        CORRELATION,
        "300",
        [(CORRELATION.correlation, CORRELATION.standard_error)],
    ),
    "formats": (
        COMPARED,
        "1000 + 1000",
        [
            (COMPARED.randomized, COMPARED.randomized_standard_error),
            (COMPARED.direct, COMPARED.direct_standard_error),
            (COMPARED.difference, COMPARED.standard_error),
        ],
    ),
}


def columns(text: str, head: str, rows: int) -> list[list[str]]:
    """Cells below ``head``. Fails unless every column is as wide in each line, and ends there."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.split("  ")[0].strip() == head)
    grid = [[part.strip() for part in line.split("  ") if part.strip()] for line in lines]
    ends = [[line.rindex(row[-1]) + len(row[-1])] for line, row in zip(lines, grid, strict=True)]
    block = slice(first, first + rows + 1)
    assert len({len(row) for row in grid[block]}) == 1
    assert len({end for (end,) in ends[block]}) == 1
    return grid[first + 1 : first + 1 + rows]


@pytest.mark.parametrize("name", PRINTED)
def test_a_result_prints_n_and_aligned_estimates_with_their_errors(name):
    result, n, estimates = PRINTED[name]
    text = str(result)
    assert f"n = {n}" in text.splitlines()[0]
    expected = [[cell(value), cell(error)] for value, error in estimates]
    head = next(line for line in text.splitlines() if "std. error" in line).split()[0]
    printed = [row[1:3] for row in columns(text, head, len(expected))]
    assert printed == expected


@pytest.mark.parametrize("name", PRINTED)
def test_the_fields_of_a_result_stay_readable_for_a_programmer(name):
    result = PRINTED[name][0]
    assert repr(result).startswith(f"{type(result).__name__}(")


def test_the_interval_of_an_estimate_is_printed_with_its_method_and_level():
    interval = PREVALENCE.interval(0.95)
    (row,) = columns(str(PREVALENCE), "share", 1)
    assert row[3:] == [cell(interval.low), cell(interval.high), "clopper-pearson"]
    assert "low 0.95  high 0.95" in str(PREVALENCE)
    (row,) = columns(str(interval), "interval", 1)
    assert row == ["clopper-pearson", "0.95", cell(interval.low), cell(interval.high)]


def test_the_design_by_its_name_stands_above():
    assert str(TWO_GROUPS).startswith(GROUPS.label)
    assert str(PREVALENCE).startswith("Warner (p_direct = 3/4), epsilon 1.09861, n = 1000")
    assert str(SHARES).startswith("k-ary (options = 3, p_truth = 0.5), epsilon 0.693147, n = 1000")
    assert str(CROSSED).startswith(
        "Warner (p_direct = 3/4) by Direct (options = 2), no finite epsilon, n = 1000"
    )
    assert str(ITEM).startswith(WARNER.label)
    assert str(AnsweredItem(np.array([0.0, 1.0]))).startswith("Direct")


def test_a_channel_has_no_name_but_its_size():
    found = estimate_distribution(WARNER.channel, [550, 450])
    assert str(found).startswith("Channel (2 by 2), epsilon 1.09861, n = 1000")
    assert found == PREVALENCE.distribution


def test_an_estimate_made_from_a_design_is_that_of_its_channel():
    assert DistributionEstimate(WARNER, (550, 450)) == PREVALENCE.distribution
    assert str(DistributionEstimate(WARNER, (550, 450))) == str(PREVALENCE.distribution)


@pytest.mark.parametrize("design", [WARNER, Kuk(0.8, 0.2, 2)])
def test_one_answer_prints_a_dash_for_its_standard_error(design):
    counts = [1] + [0] * (design.channel.reported_levels - 1)
    (row,) = columns(str(estimate_prevalence(design, counts)), "share", 1)
    assert row[2] == NO_VALUE
    rows = columns(str(estimate_distribution(design, counts)), "share", 2)
    assert [row[2] for row in rows] == [NO_VALUE] * 2


AGREED = {
    "prevalence": (lambda: estimate_prevalence(WARNER, [300, 0])),
    "distribution": (lambda: estimate_distribution(KAry(3, 0.5), [200, 100, 0])),
    "frequencies": (lambda: estimate_frequencies(SUE(3, 0.75), [300, 0, 120], 300)),
    "weighted": (lambda: estimate_weighted_distribution(WARNER, [0] * 20, [1, 2] * 10)),
    "two groups": (
        lambda: estimate_two_groups(UnrelatedQuestionTwoGroups(0.75, 0.25), [50, 0], [30, 20])
    ),
    "mean": (lambda: estimate_simple_mean(transform_reports(WARNER, [0] * 20, 1))),
}


@pytest.mark.parametrize("name", AGREED)
def test_a_standard_error_of_0_says_that_it_is_no_certainty(name):
    assert str(AGREED[name]()).count(NO_CERTAINTY) == 1


@pytest.mark.parametrize("name", ["prevalence", "distribution", "two groups"])
def test_a_program_finds_the_warning_in_the_notes(name):
    assert AGREED[name]().notes == (NO_CERTAINTY,)
    assert estimate_prevalence(WARNER, [299, 1]).notes == ()
    assert estimate_prevalence(WARNER, [1, 0]).notes == ()


def test_estimates_without_a_spread_print_dashes_where_an_interval_would_be():
    one = estimate_two_group_means(GROUPS, [2], [5])
    with pytest.raises(EstimationError):
        one.interval()
    assert columns(str(one), "value", 2)[0][2] == NO_VALUE
    alone = estimate_simple_mean(transform_reports(WARNER, [1]))
    (row,) = columns(str(alone), "value", 1)
    assert row == ["total or mean", cell(alone.value), NO_VALUE]


def test_maximum_likelihood_prints_shares_without_errors():
    most_probable = maximum_likelihood(KAry(3, 0.5), [520, 310, 170])
    text = str(most_probable)
    assert text.startswith("Maximum likelihood, n = 1000, log likelihood -1022.901099")
    rows = columns(text, "share", 3)
    assert rows == [[str(i), cell(share)] for i, share in enumerate(most_probable.shares)]
    beyond = estimate_two_groups(GROUPS, [480, 20], [190, 310]).maximum_likelihood
    assert str(beyond).startswith("Maximum likelihood, n = 500 + 500, log likelihood")
    assert "At the boundary" in str(beyond)
    assert columns(str(beyond), "share", 2)[0] == ["prevalence", cell(beyond.values["prevalence"])]


@pytest.mark.parametrize("assess", [assess_goodness_of_fit, lambda m: assess_hosmer_lemeshow(m, 3)])
def test_goodness_of_fit_prints_statistics_with_degrees_of_freedom(assess):
    reports = [0, 0, 1] * 120 + [0, 1, 1] * 60
    fit = assess(fit_outcome_model(WARNER, reports, [0] * 180 + [1] * 180 + [2] * 180))
    assert str(fit).startswith("Goodness of fit, 3 cells, n = 540")
    assert columns(str(fit), "statistic", 2) == [
        ["Pearson", cell(fit.pearson), "1", cell(fit.pearson_p_value)],
        ["deviance", cell(fit.deviance), "1", cell(fit.deviance_p_value)],
    ]


def test_replicate_weights_and_items_print_their_sizes():
    replicates = jackknife_replicates([10, 10, 20])
    assert columns(str(replicates), "replicates", 1)[0] == ["3", "3", "0.666667", "0.666667"]
    assert columns(str(ITEM), "value", 1)[0] == ["truth", "0.5", "0.25", "300"]


def test_samples_print_their_stages_or_replicates():
    assert str(DRAWN).startswith("Sample, n = 6, weights sum to 8\n")
    assert columns(str(DRAWN), "stage", 1) == [["1", "3", "1"]]
    replicated = replicated_sample([1] * 3, jackknife_replicates([1] * 3))
    assert columns(str(replicated), "replicates", 1) == [["3", "2"]]


def test_notes_follow_the_table_once():
    text = str(SHARES.ratio(1, [0, 1], method="wald"))
    assert text.endswith(SHARES.ratio(1, [0, 1], method="wald").interval.note)
    assert str(TWO_GROUPS).count("The hybrid score interval of both groups") == 1


def test_numbers_have_six_digits_and_whole_ones_all_of_theirs():
    values = [None, "yes", 2**40, np.int64(2**40), 1 / 3, Fraction(1, 3), np.float64(1e-9), 1e7]
    assert [cell(value) for value in values] == [
        "–",
        "yes",
        "1099511627776",
        "1099511627776",
        "0.333333",
        "0.333333",
        "1e-09",
        "1e+07",
    ]


def test_columns_are_as_wide_as_their_widest_cell():
    assert table(("name", "n"), [("a", 10), ("longer", 2)]) == "name     n\na       10\nlonger   2"
    assert report("", ("n",), [(1,)], ["twice", "", "twice"]) == "n\n1\ntwice"


@pytest.mark.parametrize(("namespace", "name"), FUNCTIONS)
def test_every_public_function_shows_an_example(namespace, name):
    function = getattr(importlib.import_module(f"{NAME}.{namespace}"), name)
    assert ">>>" in (function.__doc__ or "")


def test_every_table_heads_standard_errors_with_the_same_words():
    home = Path(importlib.import_module(NAME).__path__[0])
    sources = [path.read_text() for path in home.rglob("*.py")]
    assert any('"std. error"' in text for text in sources)
    assert not any(re.search(r'"(?:\w+ )?standard error"', text) for text in sources)
