"""A regression on grouped rows with their counts is that on the people themselves."""

import numpy as np
import pytest

from tests.randomized_response.designs import UnrelatedQuestionTwoGroups, Warner
from tests.randomized_response.errors import RegressionError
from tests.randomized_response.regression import fit_outcome_model
from tests.randomized_response.relations import assess_goodness_of_fit, assess_hosmer_lemeshow

LEVELS = np.array([(x, z) for x in (0.0, 1.0, 2.5) for z in (0.0, 1.0)])
ROWS = np.vstack([LEVELS, LEVELS])
REPORTS = np.repeat([0, 1], len(LEVELS))
COUNTS = np.array([310, 1, 260, 250, 170, 190, 140, 120, 160, 210, 230, 310])


def both(**more):
    """The model of grouped rows, and that of each person on a row of their own."""
    grouped = fit_outcome_model(Warner(0.8), REPORTS, ROWS, counts=COUNTS, **more)
    people, reports = np.repeat(ROWS, COUNTS, axis=0), np.repeat(REPORTS, COUNTS)
    return grouped, fit_outcome_model(Warner(0.8), reports, people, **more)


def assert_same(grouped, alone):
    assert grouped.n == alone.n
    assert grouped.coefficients == pytest.approx(alone.coefficients, rel=1e-8, abs=1e-9)
    assert grouped.covariance == pytest.approx(alone.covariance, rel=1e-7, abs=1e-12)
    assert grouped.log_likelihood == pytest.approx(alone.log_likelihood, rel=1e-12)


@pytest.mark.parametrize("kind", ["observed", "expected", "opg", "sandwich"])
@pytest.mark.parametrize("link", ["logit", "cloglog"])
def test_estimates_and_every_covariance_are_those_of_the_people(kind, link):
    grouped, alone = both(link=link, covariance=kind)
    assert grouped.covariance_kind == kind
    assert_same(grouped, alone)
    assert_same(grouped.with_covariance("sandwich"), alone.with_covariance("sandwich"))


def test_so_are_tests_of_coefficients_and_of_the_fit():
    grouped, alone = both()
    for ours, theirs in zip(
        grouped.likelihood_ratio_tests(), alone.likelihood_ratio_tests(), strict=True
    ):
        assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-7, abs=1e-7)
    for assess in (assess_goodness_of_fit, lambda model: assess_hosmer_lemeshow(model, groups=4)):
        assert assess(grouped).pearson == pytest.approx(assess(alone).pearson, rel=1e-7)
        assert assess(grouped).observed == pytest.approx(assess(alone).observed)


def test_so_is_the_unknown_of_a_two_group_design():
    design = UnrelatedQuestionTwoGroups(0.75, 0.25)
    rows = np.vstack([ROWS, ROWS])
    reports, groups = np.tile(REPORTS, 2), np.repeat([1, 2], len(REPORTS))
    counts = np.concatenate([COUNTS, COUNTS[::-1] + np.arange(len(COUNTS)) * 9])
    grouped = fit_outcome_model(design, reports, rows, groups=groups, counts=counts)
    repeated = (np.repeat(each, counts, axis=0) for each in (reports, rows))
    alone = fit_outcome_model(design, *repeated, groups=np.repeat(groups, counts))
    assert_same(grouped, alone)
    assert grouped.auxiliary.estimate == pytest.approx(alone.auxiliary.estimate, rel=1e-7)
    assert grouped.auxiliary.standard_error == pytest.approx(alone.auxiliary.standard_error)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"counts": COUNTS / 2}, "whole numbers"),
        ({"counts": COUNTS[:-1]}, "give 12 whole numbers"),
        ({"counts": COUNTS * 0}, "rows of no one"),
        ({"counts": COUNTS, "weights": COUNTS}, "one of them"),
    ],
)
def test_what_are_no_counts_is_refused(more, words):
    with pytest.raises(RegressionError, match=words):
        fit_outcome_model(Warner(0.8), REPORTS, ROWS, **more)
