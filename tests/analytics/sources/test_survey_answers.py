"""Stored answers as groups and as rows: pooled where few, left out where not asked."""

import numpy as np
import pytest

from analytics.comparison.checks import ComparisonError, TreeError
from analytics.comparison.grids import GridClouds
from analytics.comparison.hidden import HiddenGroups
from analytics.sources import survey_scales
from analytics.sources.survey_answers import (
    OTHER_ITEMS,
    POOLED,
    answers_for_tree,
    groups_by,
    surveys_with,
)
from analytics.sources.survey_clouds import clouds_by
from surveys.results.disclosure import LEAST_CELL
from tests.analytics import answering
from tests.analytics.answering import AGE, CHEAT, MOOD, RATED, TEXT, TOWN
from tests.factories import add_question, launched, make_survey
from tests.ranking.rated import make_catalogue
from tests.stored import store_rows

pytestmark = [
    pytest.mark.database,
    pytest.mark.survey(make=answering.make_compared_survey, people=0),
]


def stored(survey, *answers: str, times: int = 1) -> None:
    store_rows(survey.revision, [one for one in answers for _ in range(times)])


def test_groups_are_counted_in_the_order_of_their_answers(survey):
    stored(survey, "01000130", "01030130", "00020130", times=10)
    found = groups_by(survey.revision, MOOD, TOWN)
    assert [(g.name, g.n) for g in found.groups] == [("North", 10), ("South", 20)]
    assert found.groups[1].counts.tolist() == [10, 0, 0, 10, 0]
    assert found.asked.levels == answering.MOODS
    assert found.scale.declined == 4


def test_rows_of_an_opening_that_is_not_done_do_not_exist(survey):
    stored(survey, "00000130", "01030130", times=10)
    before = groups_by(survey.revision, MOOD, TOWN)
    store_rows(survey.revision, ["00000130"] * 10, opening=1)
    during = groups_by(survey.revision, MOOD, TOWN)
    assert [group.n for group in during.groups] == [group.n for group in before.groups]
    assert answers_for_tree(survey.revision, CHEAT, (TOWN,)).people == 20


def test_randomized_answers_keep_their_channel_and_direct_ones_have_none(survey):
    stored(survey, "00000130", "01030030", times=10)
    assert groups_by(survey.revision, MOOD, TOWN).groups[0].design is None
    assert groups_by(survey.revision, CHEAT, TOWN).groups[0].design is not None


def test_groups_of_few_people_are_pooled_with_the_next_smallest_and_none_is_left_out(survey):
    """A group that is left out is the total minus the others."""
    stored(survey, "00000130", times=40)
    stored(survey, "02000130", times=30)
    stored(survey, "01000130")
    found = groups_by(survey.revision, MOOD, TOWN)
    assert [(group.name, group.n) for group in found.groups] == [("North", 40), (POOLED, 31)]
    assert found.asked.notes[0].endswith("few people: South; East.")


def test_groups_with_an_answer_of_a_few_are_pooled_as_in_break_downs(survey):
    stored(survey, "00000130", "01000130", "02000130", times=20)
    stored(survey, "00010130", "01010130", times=10)
    stored(survey, "02010130", times=LEAST_CELL - 1)
    found = groups_by(survey.revision, MOOD, TOWN)
    assert [(group.name, group.n) for group in found.groups] == [("North", 30), (POOLED, 54)]
    found = groups_by(survey.revision, CHEAT, TOWN)
    assert [group.n for group in found.groups] == [30, 30, 24]


def test_numbers_are_levels_at_their_values_and_declining_has_none(survey):
    stored(survey, "00000120", "00000145", "000001--", times=10)
    stored(survey, "01000145", times=10)
    found = groups_by(survey.revision, AGE, TOWN)
    assert found.scale.positions.tolist() == [20, 45]
    assert [group.counts.tolist() for group in found.groups] == [[10, 10, 10], [0, 10, 0]]


def test_neighbours_of_very_many_numbers_are_taken_together_and_a_note_says_how_far(
    survey, monkeypatch
):
    monkeypatch.setattr(survey_scales, "MOST_NUMBERS", 3)
    stored(survey, *(f"000001{age}" for age in range(20, 26)), times=10)
    stored(survey, "01000120", times=10)
    found = groups_by(survey.revision, AGE, TOWN)
    assert found.scale.positions.tolist() == [20.5, 22.5, 24.5]
    assert [group.counts.tolist() for group in found.groups] == [[20, 20, 20], [10, 0, 0]]
    assert found.asked.notes[-1].endswith("moves no answer by more than 0.5.")


def test_the_same_number_from_all_people_cannot_be_compared(survey):
    stored(survey, "00000120", "01000120", times=10)
    with pytest.raises(ComparisonError, match="same number"):
        groups_by(survey.revision, AGE, TOWN)


def test_groups_by_a_randomized_question_are_counted_by_its_reports(survey):
    stored(survey, "00000130", "00010030", "00010030", times=10)
    found = groups_by(survey.revision, MOOD, CHEAT)
    assert isinstance(found.groups, HiddenGroups)
    assert found.groups.names == ("No", "Yes")
    assert found.groups.counts.tolist() == [[0, 20, 0, 0, 0], [10, 0, 0, 0, 0]]
    assert found.groups.design is None


def test_groups_by_a_number_and_answers_that_are_texts_are_refused(survey):
    with pytest.raises(ComparisonError, match="whose answers form groups"):
        groups_by(survey.revision, MOOD, AGE)
    with pytest.raises(ComparisonError, match="question with a scale"):
        groups_by(survey.revision, TEXT, TOWN)


def test_no_answers_at_all_are_refused(survey):
    for by in (TOWN, CHEAT):
        with pytest.raises(ComparisonError, match=r"no group has|no answers to both"):
            groups_by(survey.revision, MOOD, by)


def test_ratings_are_counted_person_by_person(owner):
    survey = answering.make_rating_survey(owner, make_catalogue(owner, *"ABCD"))
    answering.rate(survey, 0, 2, 2, 0, times=10)
    answering.rate(survey, 1, 0, 2, 2, times=4)
    answering.rate(survey, 1, 1, 1, 1, times=8)
    found = groups_by(survey.revision, RATED, TOWN)
    assert [(g.name, g.n) for g in found.groups] == [("North", 10), ("South", 12)]
    assert found.groups[0].frequencies == pytest.approx([1 / 3, 0, 2 / 3])
    assert found.groups[1].frequencies == pytest.approx([1 / 9, 2 / 3, 2 / 9])
    assert found.asked.levels == ("Bad", "Middling", "Good")
    assert found.asked.notes == ()


def test_ratings_of_surveys_are_counted_person_by_person_too(owner):
    surveys = [
        answering.make_rating_survey(owner, make_catalogue(owner, *names))
        for names in ("ABCD", "EFGH")
    ]
    for survey in surveys:
        answering.rate(survey, 0, 2, 1, 0, times=10)
    found = surveys_with([(survey.revision, RATED) for survey in surveys])
    assert [group.n for group in found.groups] == [10, 10]
    assert found.asked.notes == (OTHER_ITEMS,)


def test_surveys_need_enough_answers_and_names_of_their_own(survey, owner):
    other = answering.make_compared_survey(owner, people=20)
    with pytest.raises(ComparisonError, match="at least 10 answers"):
        surveys_with([(other.revision, MOOD), (survey.revision, MOOD)])
    stored(survey, "00000130", times=10)
    found = surveys_with([(other.revision, MOOD), (survey.revision, MOOD)])
    assert [g.name for g in found.groups] == ["Habits and health", "Habits and health (2)"]


def test_surveys_with_another_scale_are_refused(survey, owner):
    other = answering.make_compared_survey(owner, people=20)
    stored(survey, "00000130", times=10)
    with pytest.raises(ComparisonError, match="a different scale"):
        surveys_with([(other.revision, MOOD), (survey.revision, CHEAT)])


def test_rows_for_a_tree_have_a_row_for_each_person(survey):
    stored(survey, "00000130", "01030030", times=10)
    found = answers_for_tree(survey.revision, CHEAT, (TOWN, MOOD))
    assert found.people == 20
    assert np.bincount(found.labels).tolist() == [10, 10]
    assert found.label.design is not None
    assert [question.is_direct for question in found.features] == [True, True]


def test_a_tree_needs_answers_and_levels(survey):
    with pytest.raises(TreeError, match="no answer to this question is stored yet"):
        answers_for_tree(survey.revision, CHEAT, (TOWN,))
    with pytest.raises(TreeError, match="questions with answers to choose from"):
        answers_for_tree(survey.revision, CHEAT, (AGE,))


def test_several_questions_asked_directly_are_clouds_of_people(survey):
    stored(survey, "00010130", "00020145", "00030160", "000301--", times=10)
    found = clouds_by(survey.revision, (MOOD, AGE), TOWN)
    assert sorted(found.groups["North"].tolist()) == [
        *[[1, 30]] * 10,
        *[[2, 45]] * 10,
        *[[3, 60]] * 10,
    ]
    assert found.notes == (
        "People who preferred not to answer one of these questions are left out: 10.",
    )


def test_clouds_that_would_leave_out_a_few_are_refused(survey):
    """Their answers to the others would be the difference from a figure of those alone."""
    stored(survey, "00010130", "00020145", times=20)
    stored(survey, "00040145")
    with pytest.raises(
        ComparisonError, match="A figure without these few people would reveal their answers"
    ):
        clouds_by(survey.revision, (MOOD, AGE), TOWN)


def test_clouds_pool_what_a_comparison_on_one_of_their_questions_pools(survey):
    stored(survey, "00000130", "00010130", "01000130", "01010130", times=20)
    stored(survey, "02000130", "02020130", times=15)
    assert len(groups_by(survey.revision, MOOD, TOWN).groups) == 3
    stored(survey, "02030130", "01030130", times=LEAST_CELL - 1)
    alone = groups_by(survey.revision, MOOD, TOWN)
    assert [(group.name, group.n) for group in alone.groups] == [("North", 40), (POOLED, 78)]
    stored(survey, "00000145", "01000145", "02000145", times=10)
    together = clouds_by(survey.revision, (MOOD, AGE), TOWN)
    assert list(together.groups.counts) == ["North", POOLED]


def test_no_number_says_who_is_in_a_group(survey):
    """Neighbours are taken together until each group has none or at least five of them."""
    stored(survey, "00000130", "01000130", times=20)
    stored(survey, "00000140", times=10)
    stored(survey, "00000199")
    found = groups_by(survey.revision, AGE, TOWN)
    assert found.scale.positions.tolist() == [30, pytest.approx((10 * 40 + 99) / 11, rel=1e-5)]
    assert [group.counts.tolist() for group in found.groups] == [[20, 11], [20, 0]]


def test_few_people_without_a_number_count_as_those_with_whom_break_downs_pool_them(survey):
    stored(survey, "00000130", "01000130", "00000150", "01000150", times=20)
    stored(survey, "000001--")
    found = groups_by(survey.revision, AGE, TOWN)
    assert [group.counts.tolist() for group in found.groups] == [[20, 21], [20, 20]]


def test_small_groups_of_a_tree_are_one_level_of_their_question(survey):
    stored(survey, "00000130", "01000030", times=20)
    stored(survey, "02000130")
    found = answers_for_tree(survey.revision, CHEAT, (TOWN,))
    assert found.features[0].levels == ("North", "South", "East", POOLED)
    assert np.bincount(found.codes[:, 0]).tolist() == [20, 0, 0, 21]


def test_few_combinations_of_direct_answers_are_on_a_grid(survey):
    stored(survey, "00010130", "00020145", "01010145", "000301--", times=15)
    found = clouds_by(survey.revision, (MOOD, AGE), TOWN)
    assert found.groups.grid.reported == (5, 2)
    assert not found.groups.grid.is_randomized
    assert found.groups.sizes == (30, 15)
    assert found.notes == (
        "People who preferred not to answer one of these questions are left out: 15.",
    )


def test_with_a_randomized_question_they_are_on_a_grid(survey):
    stored(survey, "00010130", "00020030", times=5)
    stored(survey, "01010130", times=12)
    found = clouds_by(survey.revision, (MOOD, CHEAT), TOWN)
    assert isinstance(found.groups, GridClouds)
    assert found.groups.grid.reported == (5, 2)
    assert found.groups.counts["South"][1].tolist() == [0, 12]
    assert found.groups.counts["North"].sum() == 10


def test_clouds_need_places_on_a_line_and_groups_that_are_known(survey):
    stored(survey, "00010130", times=20)
    with pytest.raises(ComparisonError, match="numbers or scales"):
        clouds_by(survey.revision, (MOOD, TEXT), TOWN)
    with pytest.raises(ComparisonError, match="asked directly"):
        clouds_by(survey.revision, (MOOD, AGE), CHEAT)


def test_a_tree_of_questions_that_no_person_was_asked_together_is_refused(owner):
    draft = make_survey(owner, asked=1)
    for text in ("First?", "Second?"):
        add_question(draft, text=text, required=True)
    survey = launched(draft)
    stored(survey, "01--", "--01", times=20)
    with pytest.raises(TreeError, match="no person so far was asked all"):
        answers_for_tree(survey.revision, 1, (2,))
