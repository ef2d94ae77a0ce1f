"""What the statistics package says of its results, in the language of the page."""

import ast

import pytest
from django.utils.translation import override

from surveys.randomized_response.designs import Direct, KAry
from surveys.randomized_response.estimates import DistributionEstimate
from surveys.randomized_response.intervals import Interval
from surveys.wording.language.messages import translated
from surveys.wording.readings import beyond_words
from tests.locale.sources import ROOT, modules

PACKAGE = ROOT / "surveys" / "randomized_response"
NEVER_ON_PAGES = {  # of estimates that no page makes: totals of samples, associations
    "UNKNOWN_POPULATION",
    "NO_FINITE_CORRECTION",
    "TRUNCATED",
}


def notes() -> list[str]:
    """Constants that are plain sentences, in the rooms whose estimates have notes."""
    return [
        target.id
        for room in ("intervals", "estimates", "samples", "relations")
        for path in modules()
        if path.parent == PACKAGE / room
        for one in ast.parse(path.read_text()).body
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)
        for target in one.targets
        if isinstance(target, ast.Name) and str(one.value.value).endswith(".")
    ]


def test_every_note_is_a_message():
    left = [name for name in notes() if name not in NEVER_ON_PAGES]
    assert left == ["NO_SPREAD"]  # of totals; that of means is a message


def test_several_notes_are_said_one_after_the_other_with_their_numbers():
    estimate = DistributionEstimate(Direct(3).channel, (40, 2500, 60))
    (wide, *_) = estimate.intervals(0.95, "wald", simultaneous=True)
    assert wide.note == (
        "The confidence level is 98.33% for each of the 3 intervals, and 95% for all of them "
        "together (Bonferroni)."
    )
    with override("de"):
        assert translated(wide.note) == (
            "Das Konfidenzniveau ist 98,33% für jedes der 3 Intervalle und 95% für alle zusammen "
            "(Bonferroni)."
        )


def test_an_interval_without_a_share_says_so():
    assert beyond_words(Interval(0.1, 0.2, 0.95, "wald")) == ""
    with override("de"):
        assert beyond_words(Interval(-0.3, -0.2, 0.95, "wald")).startswith(
            "Die gesendeten Antworten sind unter dem Verfahren unwahrscheinlich"
        )


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_name_of_a_design_is_said_and_its_parameters_are_not(language):
    with override(language):
        assert translated(KAry(3, 0.5).label).endswith(" (options = 3, p_truth = 0.5)")
        direct = translated(Direct(2).label)
    assert direct == {"en": "Direct (options = 2)", "de": "Direkt (options = 2)"}[language]
