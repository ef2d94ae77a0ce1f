"""A draft is shown as respondents would see it, also while some of it is unfinished."""

import pytest
from django.urls import reverse

from surveys.authoring.drafts import NotReady, draft_questionnaire
from surveys.authoring.editor.previews import preview_of
from surveys.questionnaire.kinds.silent import InformationQuestion
from tests import factories


@pytest.fixture
def author(db):
    return factories.make_user("author")


@pytest.fixture
def unfinished(author):
    """Three finished questions, one of them with a rule, among two that are not."""
    survey = factories.make_survey(author, introduction="", asked=9, contact=" ")
    car = factories.add_question(survey, text="Car?", design="direct")
    factories.add_question(survey, text="", kind="choice")
    drunk = factories.add_question(survey, text="Drunk?")
    factories.add_condition(drunk, car)
    broken = factories.add_question(survey, "Never", text="How often?", kind="scale")
    text = factories.add_text(survey, text="Why?")
    factories.add_condition(text, broken, value="Never")
    return survey


def test_finished_questions_are_shown_and_the_others_say_what_they_need(unfinished):
    questionnaire, missing = preview_of(unfinished)
    kinds = [isinstance(item, InformationQuestion) for item in questionnaire.items]
    assert kinds == [False, True, False, True, False]
    assert "Write the question. Offer between 2 and 20 options" in questionnaire.items[1].help
    assert any("Say where respondents can reach you" in reason for reason in missing)
    assert len([one for one in missing if one.startswith("Question 2 ")]) == 2


def test_rules_that_can_be_read_hold_and_others_ask_all_people(unfinished):
    questionnaire, _ = preview_of(unfinished)
    assert [item.rule is None for item in questionnaire.items] == [True, True, False, True, True]


@pytest.mark.parametrize("name", ["preview", "preview_own_coin"])
def test_both_previews_of_an_unfinished_draft_are_shown_with_what_is_missing(
    client, author, unfinished, name
):
    client.force_login(author)
    page = client.get(reverse(f"admin:surveys_survey_{name}", args=[unfinished.pk]))
    text = page.content.decode()
    assert page.status_code == 200
    assert "Drunk?" in text
    assert "Say where respondents can reach you" in text
    assert 'action="send' not in text


def test_the_preview_of_a_finished_draft_is_what_would_be_launched(author):
    survey = factories.make_survey(author)
    factories.add_one_of_each(survey)
    assert preview_of(survey) == (draft_questionnaire(survey), [])


def test_a_draft_without_a_finished_question_has_no_preview(author):
    survey = factories.make_survey(author)
    factories.add_pages(survey)
    with pytest.raises(NotReady):
        preview_of(survey)
