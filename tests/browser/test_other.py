"""“Other, please specify” in the page and without its script."""

from functools import partial

import pytest
from django.urls import reverse

from surveys.models import Comment, Response
from surveys.models.queries import questionnaire_of
from tests import accessible, factories
from tests.browser import answering
from tests.browser.answering import give, heading, press, step
from tests.factories import add_other

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_tab,
    pytest.mark.survey(make=factories.launched_with(partial(add_other, random_options=True))),
]
WARNING = "Someone who reads this text knows which of the answers above its writer chose."


def stored() -> tuple[list[str], list[str]]:
    rows = Response.objects.values_list("answers", flat=True)
    return sorted(rows), sorted(Comment.objects.values_list("text", flat=True))


def test_it_opens_below_the_last_answer_and_what_is_closed_again_is_not_sent(page, server, survey):
    with page.add_init_script("crypto.getRandomValues = (array) => array.fill(1)"):
        page.goto(answering.address(server, survey))
    press(page, "Start")
    assert heading(page) == "How do you travel?"
    options = [one.strip() for one in step(page).locator("label.choice").all_inner_texts()]
    assert options == ["Car", "Bus", "Other", "Prefer not to say"]
    assert "Question 1 of 2" in " ".join(step(page).inner_text().split())
    assert not step(page).get_by_role("textbox").is_visible()
    give(page, "Other")
    assert WARNING in step(page).inner_text()
    step(page).get_by_role("textbox").fill("On a mule")
    accessible.check_narrow(page, "an opened text")
    press(page, "Continue")
    assert "On a mule" in step(page).inner_text()
    page.get_by_role("button", name="Change Question 1").click()
    give(page, "Bus")
    press(page, "Back to the list")
    assert "On a mule" not in page.content()
    answering.send(page)
    assert stored() == (["00"], [])


def test_with_an_own_coin_the_page_says_for_whom_it_is(client, survey):
    address = reverse("respondent:own-coin", args=[survey.pk])
    content = " ".join(client.get(address).content.decode().split())
    assert "Only if you answered “Other” to question 1." in content
    assert WARNING in content


@pytest.mark.survey(make=factories.launched_with(partial(add_other, of_several=True)))
def test_below_a_multiple_choice_it_opens_while_the_last_answer_is_ticked(page, server, survey):
    page.goto(answering.address(server, survey))
    press(page, "Start")
    assert not step(page).get_by_role("textbox").is_visible()
    for answer in ("Bus", "Other"):
        step(page).get_by_label(answer, exact=True).check()
    step(page).get_by_role("textbox").fill("On a mule")
    step(page).get_by_label("Other", exact=True).uncheck()
    assert not step(page).get_by_role("textbox").is_visible()
    step(page).get_by_label("Other", exact=True).check()
    accessible.check_narrow(page, "an opened text of several")
    press(page, "Continue")
    answering.send(page)
    (row,), texts = stored()
    assert texts == ["On a mule"]
    ticks = questionnaire_of(survey.revision).items[0]
    ticked = [ticks.parts[number - 1] for number, level in ticks.slot_code.levels_in(row) if level]
    assert ticked == ["Bus", "Other"]


@pytest.mark.survey(make=factories.launched_with(partial(add_other, of_several=True)))
def test_with_an_own_coin_the_page_says_for_which_tick_it_is(client, survey):
    address = reverse("respondent:own-coin", args=[survey.pk])
    content = " ".join(client.get(address).content.decode().split())
    assert "Only if you answered “Other” to question 1." in content
