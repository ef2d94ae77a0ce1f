"""Two of six ages that are 18.9 points apart at z = 4.15, read while a survey is live.

The counts are reports of two coins such as the demonstration may draw: of four ages what is
expected there, and of the ages 25-29 and 35-39 what was once observed.
"""

from collections import Counter
from itertools import combinations
from math import hypot

import pytest

from surveys.demonstration.affairs import AGES
from surveys.models import Question, Survey
from surveys.randomized_response.designs import TwoCoins
from surveys.randomized_response.estimates import estimate_prevalence, evidence_of_difference
from surveys.results.analyses.breakdown_kind import called_words
from surveys.results.analyses.breakdowns import breakdown
from surveys.results.analyses.findings import GroupPairs
from surveys.results.analyses.queries import CrossCounts
from surveys.results.reading import Reading
from tests import factories, kept
from tests.surveys.results.analyses.test_breakdowns import items_of

survey = kept.survey
LIVE, PLANNED = Reading("confidence-sequence"), 6147
# Reports of yes, and answers.
REPORTED = {
    "Under 20": (41, 139),
    "20-24": (653, 1800),
    "25-29": (780, 1931),
    "30-34": (480, 1069),
    "35-39": (316, 634),
    "40 or over": (351, 793),
}


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    return made_once(make_survey_of_ages)


def make_survey_of_ages() -> Survey:
    draft = factories.make_survey(factories.make_user())
    factories.add_question(draft, required=True)
    factories.add_question(
        draft, *AGES.values(), text="Age?", kind=Question.Kind.CHOICE,
        design=Question.Design.DIRECT, required=True,
    )  # fmt: skip
    return factories.launched(draft)


def found(survey, comparison: GroupPairs):
    item, age = items_of(survey, 1, 2)
    codes = {level.text: level.code for level in age.levels}
    by_codes = Counter()
    for name, (yes, n) in REPORTED.items():
        by_codes[item.levels[1].code, codes[name]] = yes
        by_codes[item.levels[0].code, codes[name]] = n - yes
    counts = CrossCounts((1, 2), item, (age,), by_codes, planned=PLANNED)
    return breakdown(counts, LIVE, comparison=comparison).answers[0]


def estimate_of(age: str):
    yes, n = REPORTED[age]
    return estimate_prevalence(TwoCoins(2), [n - yes, yes])


def test_they_are_18_9_points_apart_at_z_4_15():
    older, younger = estimate_of("35-39"), estimate_of("25-29")
    difference = older.prevalence - younger.prevalence
    assert difference == pytest.approx(0.189, abs=0.0005)
    error = hypot(older.standard_error, younger.standard_error)
    assert difference / error == pytest.approx(4.15, abs=0.01)


def test_asked_for_as_one_pair_the_older_are_called_higher(survey):
    (one,) = found(survey, GroupPairs(pair=("35-39", "25-29"))).differences
    assert (one.group, one.verdict, one.than) == ("35-39", "higher", "25-29")
    assert 0 < one.interval.low < one.value < one.interval.high


def test_of_all_pairs_the_note_names_those_whose_e_values_are_called(survey):
    """The k largest of 15, k as large as can be, are at least 15 / (.05 k)."""
    answer = found(survey, GroupPairs(every_pair=True))
    each = PLANNED // len(REPORTED)
    evidence = {
        pair: evidence_of_difference(*map(estimate_of, pair), planned=each)
        for pair in combinations(REPORTED, 2)
    }
    largest = sorted(evidence.values(), reverse=True)
    k = max(k for k in range(1, 16) if largest[k - 1] >= 15 / (0.05 * k))
    expected = {frozenset(pair) for pair in sorted(evidence, key=evidence.get)[-k:]}
    clear = [one for one in answer.differences if one.is_clear]
    assert len(answer.differences) == 15
    assert {frozenset((one.group, one.than)) for one in clear} == expected
    words = called_words(answer)
    assert all(f"“{one.group}” {one.verdict} than “{one.than}”" in words for one in clear)
    assert "“35-39” higher than “25-29”" in words
    assert len(clear) == 5
