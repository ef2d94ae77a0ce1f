"""The list of a survey's questions: what it says of each, what is missing, and to whom."""

import re

import pytest
from django.urls import reverse

from surveys.authoring.editor.rows import question_list
from surveys.models import Membership, Question
from tests import factories
from tests.surveys.authoring.editor.lists import list_page
from tests.translated import translate_all


def test_each_question_has_its_number_kind_odds_and_rule(author):
    survey = factories.make_survey(author)
    car = factories.add_question(survey, text="Car?", design="direct")
    age = factories.add_question(
        survey, text="Age?", kind="number", design="direct", minimum=18, maximum=99
    )
    drunk = factories.add_question(survey, text="Drunk?", rule_joins="any")
    factories.add_condition(drunk, car)
    factories.add_condition(drunk, age, "less", "30")
    rows = question_list(survey).rows
    assert [row.number for row in rows] == [1, 2, 3]
    assert [row.kind for row in rows] == ["Yes or no", "Number", "Yes or no"]
    assert rows[0].odds == "not protected: answers are sent as given"
    assert "the odds of a guess about a person change at most 4-fold" in rows[2].odds
    assert [row.rule for row in rows] == ["", "", "1 is Yes or 2 is less than 30"]


def test_what_is_missing_stands_at_its_question_and_the_rest_above(author):
    survey = factories.make_survey(author, contact=" ")
    factories.add_question(survey, text="Q: 1")
    factories.add_question(survey, text="Q: 1", kind=Question.Kind.CHOICE)
    found = question_list(survey)
    assert found.rows[0].problems == ()
    assert found.rows[1].problems == ("Offer between 2 and 20 options. This question has 0.",)
    assert found.problems == ("Write where respondents can reach you (contact).",)
    assert (found.total, found.unfinished, found.rows[1].odds) == ("", 1, "")


def test_each_question_names_the_languages_that_have_all_its_texts(admin, author):
    survey = factories.make_survey(author, also_in="de ar")
    for text in ("How?", "Which?"):
        factories.add_question(survey, "Bus", "Car", text=text, kind=Question.Kind.CHOICE)
    translate_all(survey, "de", "ar")
    survey.translations.filter(language="de", text__startswith="Which").delete()
    survey.translations.filter(language="ar", text__startswith="Car").delete()
    how, which = question_list(survey).rows
    assert (how.complete_in, how.missing_in) == (("en", "de"), (("ar", 1),))
    assert (which.complete_in, which.missing_in) == (("en",), (("de", 1), ("ar", 1)))
    page = admin.get(list_page(survey)).content.decode()
    assert reverse("admin:surveys_survey_translations", args=[survey.pk, "ar"]) in page
    translate_all(survey, "de", "ar")
    opened = factories.launched(survey)
    assert [row.complete_in for row in question_list(opened).rows] == [("en", "de", "ar")] * 2


def test_a_rule_that_gives_an_answer_away_stands_at_its_question(author):
    survey = factories.make_survey(author)
    protected = factories.add_question(survey, text="Shoplifted?")
    factories.add_condition(factories.add_text(survey), protected)
    [_, text] = question_list(survey).rows
    assert "would learn the answer to question 1" in text.problems[0]


def test_a_finished_draft_says_what_all_answers_tell_together(admin, author):
    survey = factories.make_survey(author)
    factories.add_one_of_each(survey)
    page = admin.get(list_page(survey)).content.decode()
    assert "1.10 (the odds of a guess about a person change at most 3-fold)" in page
    assert "not protected: answers are sent as given" in page
    assert "; questions asked directly: 2" in page


def test_a_launched_survey_shows_its_list_and_no_way_to_change_it(admin, author):
    survey = factories.make_open_survey(author)
    page = admin.get(list_page(survey)).content.decode()
    assert "Have you taken drugs at work?" in page
    assert "_renumber" not in page
    assert "Add a question" not in page


@pytest.mark.parametrize("state", ["draft", "open"])
def test_a_list_of_sixty_takes_at_most_twelve_queries(
    admin, author, state, django_assert_max_num_queries
):
    survey = factories.make_survey(author, also_in="de ar")
    texts = [factories.add_question(survey, text=f"{n}?", required=True) for n in range(20)]
    for n in range(20):
        factories.add_question(
            survey, *(f"{n}.{m}" for m in range(5)), text=f"Choice {n}", kind="choice"
        )
    direct = factories.add_question(survey, text="Car?", design="direct")
    for n in range(19):
        factories.add_condition(factories.add_text(survey, text=f"Why {n}?"), direct)
    assert len(texts) + 40 == survey.questions.count() == 60
    if state == "open":
        translate_all(survey, "de", "ar")
        survey = factories.launched(survey)
    admin.get(list_page(survey))
    with django_assert_max_num_queries(12):
        page = admin.get(list_page(survey))
    assert page.content.decode().count('id="question-') == 60


@pytest.mark.parametrize(("role", "status"), [("editor", 200), ("analyst", 200), (None, 404)])
def test_members_see_the_list_and_editors_change_it(author, client, role, status):
    survey = factories.make_survey(author)
    factories.add_question(survey)
    other = factories.make_user("other")
    if role:
        Membership.objects.create(survey=survey, user=other, role=role)
    client.force_login(other)
    page = client.get(list_page(survey))
    assert page.status_code == status
    assert ("_renumber" in page.content.decode()) == (role == "editor")
    if role == "analyst":
        assert client.post(list_page(survey), {"_renumber": "1"}).status_code == 403


def test_questions_of_other_surveys_are_chosen_and_copied(admin, author):
    source = factories.make_open_survey(author, title="Last year")
    hidden = factories.make_open_survey(factories.make_user("other"), title="Not mine")
    survey = factories.make_survey(author)
    address = reverse("admin:surveys_survey_copy_questions", args=[survey.pk])
    page = admin.get(address).content.decode()
    assert "Last year" in page
    assert "Not mine" not in page
    question = source.questions.last()
    assert str(question) in admin.get(f"{address}?from={source.pk}").content.decode()
    admin.post(f"{address}?from={source.pk}", {"questions": [question.pk]})
    assert survey.questions.get().text == question.text
    theirs = hidden.questions.first().pk
    for query in (f"?from={hidden.pk}", f"?from={source.pk}", "?from=garbage", ""):
        page = admin.post(address + query, {"questions": [theirs]})
        assert page.context["form"].errors
    assert survey.questions.count() == 1


def test_the_number_to_move_to_is_a_field_outside_the_rows_of_buttons(admin, author):
    """Django's admin dresses every input of a submit-row as a button: a number cannot be seen."""
    survey = factories.make_survey(author)
    factories.add_question(survey)
    page = admin.get(list_page(survey)).content.decode()
    rows = re.findall(r'<div class="submit-row">(.*?)</div>', page, re.S)
    assert len(rows) == 2
    assert all('type="submit"' in row and 'type="number"' not in row for row in rows)
    assert 'name="first"' in page


def test_a_text_for_a_last_answer_is_not_said_to_be_asked_of_all(author):
    survey = factories.make_survey(author)
    factories.add_other(survey)
    assert question_list(survey).rows[1].rule == "the last option of question 1 was chosen"


def test_launch_is_offered_once_the_texts_of_questions_are_translated(admin, author):
    survey = factories.make_survey(author, also_in="de")
    factories.add_question(survey, "Bus", "Car", text="How?", kind=Question.Kind.CHOICE)
    page = admin.get(list_page(survey)).content.decode()
    assert "3 texts of questions are not translated" in page
    assert "Launch…" not in page
    translate_all(survey, "de")
    page = admin.get(list_page(survey)).content.decode()
    assert "not translated" not in page
    assert "Launch…" in page
