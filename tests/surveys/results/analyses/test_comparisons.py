"""Differences between groups: with the largest, every pair, or one pair; at one look or at all."""

from collections import Counter

import pytest

from surveys.randomized_response.estimates import estimate_distribution, evidence_of_difference
from surveys.results.analyses.breakdown_kind import called_words
from surveys.results.analyses.breakdowns import breakdown
from surveys.results.analyses.findings import GroupPairs
from surveys.results.analyses.queries import CrossCounts
from surveys.results.reading import Reading
from tests import kept
from tests.surveys.results.analyses import test_breakdowns
from tests.surveys.results.analyses.test_breakdowns import items_of, page_of, store

owner = kept.owner
asked = survey = kept.survey
launched_survey = test_breakdowns.launched_survey
LIVE, ONCE = Reading("confidence-sequence"), Reading()
PLACES = ("North", "South", "East")
# Yes and no of 400 people in each place, by the report of two coins.
REPORTED = {"North": (140, 260), "South": (150, 250), "East": (260, 140)}


def counts_of(survey, reported=None, planned=1200) -> CrossCounts:
    item, place = items_of(survey, 1, 3)
    codes = {level.text: level.code for level in place.levels}
    by_codes = Counter()
    for name, (yes, no) in (reported or REPORTED).items():
        by_codes[item.levels[1].code, codes[name]] = yes
        by_codes[item.levels[0].code, codes[name]] = no
    return CrossCounts((1, 3), item, (place,), by_codes, planned=planned)


def found(survey, reading, comparison, **terms):
    report = breakdown(counts_of(survey, **terms), reading, comparison=comparison)
    return report.answers[0]


def test_every_pair_is_compared_once(survey):
    answer = found(survey, LIVE, GroupPairs(every_pair=True))
    assert {frozenset((one.group, one.than)) for one in answer.differences} == {
        frozenset(pair) for pair in (PLACES[:2], PLACES[1:], (PLACES[0], PLACES[2]))
    }


def test_pairs_are_called_by_their_e_values_and_their_intervals_agree(survey):
    """East differs from both: e-values far above 3 / (2 * .05); North and South do not."""
    answer = found(survey, LIVE, GroupPairs(every_pair=True))
    clear = {frozenset((one.group, one.than)) for one in answer.differences if one.is_clear}
    assert clear == {frozenset(("East", "North")), frozenset(("East", "South"))}
    assert answer.difference_level == pytest.approx(1 - 0.05 * 2 / 3)
    assert called_words(answer).count("East") == 2


def test_a_pair_is_called_exactly_where_its_interval_leaves_out_0(survey):
    """For differences of all sizes: two groups alike, the third moved step by step."""
    for yes in range(150, 261, 10):
        moved = {**REPORTED, "East": (yes, 400 - yes)}
        answer = found(survey, LIVE, GroupPairs(every_pair=True), reported=moved)
        level, several = answer.difference_level, len(answer.differences)
        for one in answer.differences:
            estimates = [estimate_of(survey, moved[name]) for name in (one.group, one.than)]
            evidence = evidence_of_difference(*estimates, option=1, planned=400)
            assert one.is_clear == (evidence >= 1 / (1 - level))
        clear = sum(one.is_clear for one in answer.differences)
        assert level == pytest.approx(1 - 0.05 * max(clear, 1) / several)


def estimate_of(survey, reported):
    yes, no = reported
    return estimate_distribution(items_of(survey, 1)[0].channel, [no, yes])


def test_one_pair_alone_has_the_level_that_was_asked_for(survey):
    answer = found(survey, LIVE, GroupPairs(pair=("East", "North")))
    (one,) = answer.differences
    assert (one.group, one.than, one.verdict) == ("East", "North", "higher")
    assert answer.difference_level == 0.95


def test_with_the_largest_group_all_hold_together(survey):
    answer = found(survey, LIVE, GroupPairs())
    assert [one.than for one in answer.differences] == ["North", "North"]
    assert answer.difference_level == pytest.approx(1 - 0.05 / 2)


def test_one_look_at_every_pair_is_holms(survey):
    """Two of three are clear, so the third is looked at by itself."""
    answer = found(survey, ONCE, GroupPairs(every_pair=True))
    assert sum(one.is_clear for one in answer.differences) == 2
    assert answer.difference_level == 0.95


def test_a_group_that_is_pooled_is_not_compared_by_itself(survey):
    few = {**REPORTED, "South": (3, 4)}
    answer = found(survey, LIVE, GroupPairs(pair=("East", "South")), reported=few)
    assert answer.differences == ()


def test_a_plan_makes_the_interval_narrower(survey):
    pair = GroupPairs(pair=("East", "North"))
    with_plan, without = (
        found(survey, LIVE, pair, planned=planned).differences[0].interval.width
        for planned in (1200, None)
    )
    assert with_plan < 0.93 * without


@pytest.mark.django_db
def test_the_page_offers_pairs_and_says_which_are_called(asked, client):
    for place, (yes, no) in zip(("00", "01", "02"), REPORTED.values(), strict=True):
        store(asked, "01", "00", place, "30", "00", times=yes)
        store(asked, "00", "00", place, "30", "00", times=no)
    query = "?question=1&by=3&method=confidence-sequence&level=95&hold=together"
    page = page_of(client, asked, query)
    assert "every pair of groups" in page
    assert "“East” with “North”" in page
    called = page_of(client, asked, f"{query}&compare=pairs")
    assert "Clear differences:" in called
    assert "“East” higher than “North”" in called
    one = page_of(client, asked, f"{query}&compare=2-0")
    assert one.count("<td>higher</td>") == 1


@pytest.mark.django_db
@pytest.mark.parametrize("compare", ["9-9", "0-0", "x", "2-0-1", "💥", "0-2"])
def test_a_pair_that_is_not_offered_is_refused(asked, client, compare):
    query = "?question=1&by=3&method=score&level=95&hold=together"
    assert "Select a valid choice" in page_of(client, asked, f"{query}&compare={compare}")
