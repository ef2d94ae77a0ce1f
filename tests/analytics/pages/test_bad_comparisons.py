"""Answers that cannot be compared, or hardly: clear sentences on the page, or an honest nothing."""

from uuid import uuid4

import pytest

from analytics.models import Report
from surveys.models import Question
from tests import factories
from tests.analytics import answering
from tests.analytics.pages.visits import address, words
from tests.ranking.rated import make_catalogue
from tests.stored import store_rows

pytestmark = pytest.mark.database


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(lambda: answering.make_compared_survey(factories.make_user(), people=0))


@pytest.fixture
def staff(client, owner):
    client.force_login(owner)
    return client


def stored(survey, *answers: str, times: int = 1) -> None:
    store_rows(survey.revision, [one for one in answers for _ in range(times)])


def asked(staff, survey, kind: str = "groups", **changes) -> str:
    """The words of a report's page, asked for by its form."""
    plain = {"question": "2", "by": "1", "level": "0.95", "seed": "0", "key": str(uuid4())}
    sent = staff.post(address(f"ask-{kind}", survey), {**plain, **changes})
    assert sent.status_code == 302, words(sent)
    report = answering.finished(Report.objects.get())
    return words(staff.get(address("report", survey, report.pk)))


def test_a_survey_without_answers_has_no_groups(staff, survey):
    page = asked(staff, survey)
    assert "This report was not made" in page
    assert "no group has 10 answers yet" in page


def test_a_group_of_one_is_left_out_and_one_group_alone_is_no_comparison(staff, survey):
    stored(survey, "00000130", times=30)
    stored(survey, "01000130")
    assert "a comparison needs at least two groups" in asked(staff, survey)


def test_identical_groups_are_not_told_apart(staff, survey):
    stored(survey, "00000130", "00020130", "01000130", "01020130", times=10)
    page = asked(staff, survey)
    assert "must move 0.00 steps of the scale" in page
    assert "Chance alone can make a difference this large, so no difference was found." in page


def test_another_survey_on_another_scale_is_refused(staff, survey, owner):
    other = factories.make_survey(owner, title="Wave of another scale")
    factories.add_question(
        other,
        "Yes",
        "Maybe",
        text="How do you feel?",
        kind=Question.Kind.SCALE,
        design=Question.Design.DIRECT,
    )
    other = factories.launched(other)
    page = asked(staff, survey, by="surveys", surveys=[str(other.pk)])
    assert "“Wave of another scale” does not ask this question with the same answers" in page


def test_the_same_number_from_all_people_is_no_comparison(staff, survey):
    stored(survey, "00000130", "01000130", times=10)
    assert "all people gave the same number" in asked(staff, survey, question="4")


def test_the_same_answers_to_several_questions_are_no_comparison(staff, survey):
    stored(survey, "00000130", "01000130", times=10)
    page = asked(staff, survey, "clouds", questions=["2", "4"], metric="euclidean")
    assert "all people gave the same answers" in page


def test_answers_that_are_all_alike_grow_a_tree_of_one_leaf(staff, survey):
    stored(survey, "00000130", "01000130", "02000030", times=20)
    plain = {"alpha": "0.05", "least": "20", "deepest": "3", "question": "2", "by": ["1", "3"]}
    page = asked(staff, survey, "tree", **plain)
    assert (
        "Among these people, the tree finds no other answer that goes with the answers to this "
        "question." in page
    )


def test_questions_of_thousands_of_answers_are_not_offered_to_a_tree(staff, owner):
    survey = factories.make_survey(owner)
    factories.add_question(survey, text="Have you cheated?", required=True)
    factories.add_question(survey, text="Have you lied?", required=True)
    factories.add_long_list(survey)
    survey = factories.launched(survey)
    page = staff.get(address("tree", survey)).content.decode()
    assert page.count('<option value="1"') == page.count('<option value="2"') == 2
    assert '<option value="3"' not in page


def test_too_many_combinations_of_randomized_answers_say_how_many_fit(staff, survey):
    stored(survey, *(f"00{n % 4:02}00{20 + n}" for n in range(40)), times=10)
    stored(survey, "01000130", times=10)
    page = asked(staff, survey, "clouds", questions=["2", "3", "4"], metric="euclidean")
    assert "4 × 2 × 40 = 320 combinations" in page
    assert "at most 250 combinations of answers" in page


def test_a_survey_with_nothing_to_compare_says_what_is_needed(staff, owner):
    survey = factories.make_survey(owner)
    factories.add_text(survey)
    factories.add_budget(survey)
    survey = factories.launched(survey)
    for kind in ("groups", "clouds", "tree"):
        assert "No report can be requested yet" in words(staff.get(address(kind, survey)))


def test_ratings_of_one_group_alone_are_no_comparison(staff, owner):
    survey = answering.make_rating_survey(owner, make_catalogue(owner, *"ABCD"))
    answering.rate(survey, 0, 2, 2, 0, times=10)
    assert "a comparison needs at least two groups" in asked(staff, survey)
