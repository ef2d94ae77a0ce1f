"""With one's own coin, behind protected answers: a family is one question that lists its ways."""

import pytest
from django.urls import reverse

from surveys.models import Response
from surveys.models.queries import questionnaire_of
from tests.bodies import body_of
from tests.factories import add_condition, add_question, launched, make_survey
from tests.families import make_family_survey, make_hidden_survey
from tests.posting import post

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_static_files")]
FORM = "application/x-www-form-urlencoded"


def page_of(client, survey) -> str:
    return client.get(reverse("respondent:own-coin", args=[survey.pk])).content.decode()


@pytest.fixture
def survey(owner):
    """Three ways: no; yes and once; yes and often."""
    draft = make_survey(owner, batch_size=1)
    first = add_question(draft, text="Have you stolen?", required=True)
    options = ("Once", "Often")
    add_condition(
        add_question(draft, *options, text="How often?", kind="choice", required=True), first
    )
    return launched(draft)


def test_a_family_is_one_question_with_a_recipe_over_its_ways(client, survey):
    page = page_of(client, survey)
    for way in ("No", "Yes → Once", "Yes → Often"):
        assert f"<bdi>{way}</bdi>" in page
    assert page.count('name="q001"') == 3
    assert 'name="q002"' not in page
    assert "You answer this question together with question 1." in page
    assert "How often? (Only if you answered “Yes” to question 1.)" in page
    assert "1–2: choose “Yes → Once”" in page


def test_a_way_that_was_chosen_by_hand_is_stored_as_it_is(client, survey):
    body = body_of(survey.revision, ["00", ""], own_coin=True)
    page = post(survey, body, client).content.decode()
    assert "Yes → Once" in page
    assert [response.answers for response in Response.objects.all()] == ["00"]


def test_a_family_for_whose_ways_no_device_has_odds_is_not_asked_by_hand(client, owner):
    survey = make_family_survey(owner)
    assert not questionnaire_of(survey.revision).items[1].is_offered_with_own_coin
    page = page_of(client, survey)
    assert "because coins and dice cannot give exactly the odds of this question" in page
    assert page.count('name="q002"') == 1


def test_by_hand_a_person_takes_the_level_for_hidden_as_the_truth(client, owner):
    page = page_of(client, make_hidden_survey(owner))
    assert (
        "For people whose true answer to question 2 is “Yes”. How your coin fell there does not "
        "matter. All other people take “Does not apply” as their true answer, and flip the coin "
        "anyway." in page
    )
    assert "All other people take “No” as their true answer" in page
    choices = page[page.index('id="question-3"') : page.index('id="question-4"')]
    assert choices.count('name="q003"') == 3
    assert "<bdi>Does not apply</bdi>" in choices
    assert "Not asked" not in choices


def test_a_question_behind_two_sorts_of_answers_is_left_out_by_the_unprotected_one(client, owner):
    survey = make_hidden_survey(owner, batch_size=1)
    page = page_of(client, survey)
    choices = page[page.index('id="question-5"') : page.index('id="question-6"')]
    assert "Only if you answered “Yes” to question 1." in choices
    assert "Not asked" in choices
    body = body_of(survey.revision, ["00", "01", "02", "01", "01", "--"], own_coin=True)
    assert post(survey, body, client).status_code == 200
    assert [response.answers for response in Response.objects.all()] == ["00010201----"]


def test_a_question_one_level_deeper_is_not_asked_by_hand(client, owner):
    page = page_of(client, make_hidden_survey(owner))
    assert page.count('name="q006"') == 1
    assert 'type="hidden" name="q006" value="--"' in page
