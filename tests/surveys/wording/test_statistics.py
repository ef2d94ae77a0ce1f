"""What the statistics package says of its results is known where pages say it in German."""

import ast

import pytest
from django.utils import translation

from surveys.randomized_response.designs import Direct
from surveys.randomized_response.estimates import DistributionEstimate
from surveys.wording.statistics import is_known, said
from tests.locale.sources import ROOT

NEVER_ON_PAGES = {  # of estimates that no page makes: totals of samples, associations
    "NO_SPREAD",
    "UNKNOWN_POPULATION",
    "NO_FINITE_CORRECTION",
    "TRUNCATED",
}


def notes() -> list[tuple[str, str]]:
    """Constants that are sentences, in the rooms whose intervals and estimates have notes."""
    return [
        (target.id, one.value.value)
        for room in ("intervals", "estimates", "samples", "relations")
        for path in sorted((ROOT / "surveys/randomized_response" / room).glob("*.py"))
        for one in ast.parse(path.read_text()).body
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)
        for target in one.targets
        if isinstance(target, ast.Name) and str(one.value.value).endswith(".")
    ]


@pytest.mark.parametrize(("name", "note"), notes(), ids=lambda part: part[:40])
def test_every_note_is_known(name, note):
    assert is_known(note) or name in NEVER_ON_PAGES, note


def test_several_notes_are_said_one_after_the_other_with_their_numbers():
    estimate = DistributionEstimate(Direct(3).channel, (40, 2500, 60))
    (wide, *_) = estimate.intervals(0.95, "wald", simultaneous=True)
    assert wide.note == "Bonferroni over 3 options: each at 98.33%, together 95%."
    both = f"{wide.note} No share from 0 to 1 is excluded. Something new."
    assert said(both) == both
    with translation.override("de"):
        assert said(both) == (
            "Bonferroni über 3 Antworten: jede zum Niveau 98,33%, zusammen 95%. "
            "Kein Anteil von 0 bis 1 ist ausgeschlossen. Something new."
        )
