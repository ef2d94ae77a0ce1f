"""Random order: the page draws it and shows it, and sends the same as in any other order."""

import itertools

import pytest
from django.urls import reverse

from surveys.models import Question, Response, Survey
from tests import accessible
from tests.browser import answering
from tests.browser.answering import give, heading, press, raw, step
from tests.factories import (
    TRAVEL,
    add_condition,
    add_matrix,
    add_question,
    add_ranking,
    add_ticks,
    launched,
    make_survey,
)
from tests.promises.test_p4_channel import url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
DIRECT = {"design": Question.Design.DIRECT, "required": False}
MIXED = {**DIRECT, "random_options": True}
# With each word the first of what is left changes places with the one after it: 1, 2, 3, 0.
EVERY_WORD_IS = "crypto.getRandomValues = (array) => array.fill({word})"
ORDER_FROM = """async ([url, words]) => {
    const { drawSubset } = await import(url);
    const left = [...words];
    return [...drawSubset(words.length + 1, words.length + 1, () => left.shift() ?? 0)];
}"""


@pytest.fixture
def survey(owner) -> Survey:
    """Two sections that change places, the second one with mixed screens, and one that stays."""
    draft = make_survey(owner)
    moving = {"random_section": True}
    kind = Question.Kind.CHOICE
    travel = {"text": "How do you travel?", "kind": kind, "section": "Travel", **moving}
    add_question(draft, *TRAVEL, **MIXED, **travel)
    add_ticks(draft, **MIXED)
    mood = {"section": "Mood", "section_text": "Of last year.", "random_screens": True, **moving}
    add_question(draft, text="Were you happy?", **DIRECT, **mood)
    add_question(draft, text="Were you sad?", **DIRECT)
    car = add_question(draft, text="Do you own a car?", **DIRECT, section="End")
    add_condition(add_matrix(draft, **MIXED), car)
    add_ranking(draft, **MIXED, same_screen=True)
    return launched(draft)


def options(page) -> list[str]:
    return [text.strip() for text in step(page).locator("label.choice").all_inner_texts()]


def open_drawing(page, server, survey, word: int) -> None:
    """The first page, whose every draw is this word."""
    with page.add_init_script(EVERY_WORD_IS.format(word=word)):
        page.goto(answering.address(server, survey))


def answer(page, server, survey, word: int) -> list[str]:
    """The same answers to every question; the headings in the order in which they came."""
    open_drawing(page, server, survey, word)
    answers = {
        "How do you travel?": "Bicycle",
        "Were you happy?": "Yes",
        "Were you sad?": "No",
        "Do you own a car?": "Yes",
    }
    press(page, "Start")
    shown = []
    while heading(page) != "End":
        shown.append(heading(page))
        for text in ("Bus", "On foot") if "week" in heading(page) else [answers[heading(page)]]:
            give(page, text)
        press(page, "Continue")
    for row, column in {"Walk": "Never", "Swim": "Sometimes", "Run": "Never"}.items():
        step(page).get_by_role("group", name=row, exact=True).get_by_label(column).check()
    for place, thing in enumerate(TRAVEL, start=1):
        group = step(page).get_by_role("group", name=thing, exact=True)
        group.get_by_role("combobox").select_option(str(place))
    if word:
        accessible.check_narrow(page, "rows of a table and of an order, mixed")
    press(page, "Continue")
    answering.send(page)
    return shown


def test_another_order_is_shown_and_the_same_body_is_sent(page, server, survey):
    assert answer(page, server, survey, 0) == [
        "How do you travel?",
        "How did you travel last week?",
        "Were you happy?",
        "Were you sad?",
        "Do you own a car?",
    ]
    body = raw(page)
    assert answer(page, server, survey, 1) == [
        "Were you sad?",
        "Were you happy?",
        "How do you travel?",
        "How did you travel last week?",
        "Do you own a car?",
    ]
    fields = [field.split("=") for field in raw(page).split("&")]
    assert fields[3:] == [field.split("=") for field in body.split("&")][3:]
    names = [name for name, _ in fields[3:]]
    assert names == sorted(names)
    assert len(set(Response.objects.values_list("answers"))) == 1


def test_answers_change_places_and_the_way_to_decline_stays_last(page, server, survey):
    open_drawing(page, server, survey, 1)
    press(page, "Start")
    place = step(page).locator(".where")
    assert " ".join(place.inner_text().split()) == "Question 4 of 7"  # numbers are names, and stay
    assert place.locator("progress").evaluate("({ max, value }) => [max, value]") == [7, 1]
    assert "Of last year." in step(page).inner_text()
    for text in ("No", "Yes"):
        give(page, text)
        press(page, "Continue")
        assert "Of last year." not in step(page).inner_text()
    assert options(page) == ["Car", "Bicycle", "On foot", "Bus", "Prefer not to say"]
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    assert step(page).get_by_label("Bicycle").is_checked()
    described = step(page).locator("[aria-describedby]")
    assert described.evaluate_all("all => all.map(({ value }) => value)") == ["01"]
    accessible.check_narrow(page, "mixed answers")
    press(page, "Continue")
    assert options(page) == ["Car", "Bicycle", "On foot", "Bus", "Prefer not to say"]


def test_every_order_comes_from_as_many_draws_as_any_other(page, server, survey):
    """Of four things: with each draw of 4, of 3 and of 2, all 24 orders, once each."""
    page.goto(answering.address(server, survey))
    draws = itertools.product(range(4), range(3), range(2))
    orders = [page.evaluate(ORDER_FROM, [url("channel"), words]) for words in map(list, draws)]
    assert sorted(orders) == [list(order) for order in itertools.permutations(range(4))]


def test_without_the_script_the_order_is_that_of_the_author(client, survey):
    content = client.get(reverse("respondent:own-coin", args=[survey.pk])).content.decode()
    texts = [question.text for question in survey.questions.all()]
    assert sorted(texts, key=content.index) == texts
    assert "random" not in content
    assert "data-mixes" not in content
