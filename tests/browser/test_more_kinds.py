"""Pages, several answers, dates and rounded numbers: one walk with the script, one by own coin.

What each kind sends, refuses and estimates stands in ``tests/surveys/questionnaire/kinds``.
"""

import pytest
from playwright.sync_api import Locator, Page

from surveys.models import Question, Response, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.submission import body_length
from tests import accessible, factories
from tests.browser import answering
from tests.browser.following import follow
from tests.promises.test_p4_channel import url
from tests.promises.test_p5_constant_shape import RANDOM_BODIES

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
    pytest.mark.one_tab,
]
DIRECT = Question.Design.DIRECT


@pytest.fixture
def survey(owner) -> Survey:
    draft = factories.make_survey(owner)
    factories.add_pages(draft)
    factories.add_ticks(draft, most=2, required=False)
    factories.add_ticks(draft, text="And today?", shown=4, most=1)
    factories.add_matrix(draft)
    factories.add_rounded(draft)
    factories.add_day(draft)
    factories.add_ranking(draft, "Tea", "Milk", "Juice")
    factories.add_ranking(draft, "North", "South", text="Where?", design=DIRECT, required=False)
    return factories.launched(draft)


def refused(page: Page, words: str) -> None:
    """The screen stays and says what is wrong, readably for all."""
    answering.press(page, "Continue")
    assert words in answering.step(page).inner_text()
    accessible.check_narrow(page, words)


def part(page: Page, name: str) -> Locator:
    return answering.step(page).get_by_role("group", name=name)


def test_every_answer_is_sent_in_one_length_and_what_is_wrong_is_told(page, server, survey):
    posted = []
    page.on("request", lambda request: posted.append(request) if request.method == "POST" else 0)
    page.set_viewport_size({"width": 320, "height": 640})
    answering.open_start(page, server, survey)
    bodies = page.evaluate(RANDOM_BODIES, [url("send"), 200])
    assert {len(body) for body in bodies} == {body_length(questionnaire_of(survey.revision))}
    page.reload()
    answering.start(page)
    assert answering.heading(page) == "Thank you so far"
    answering.press(page, "Continue")
    answering.press(page, "Continue")
    assert "Please choose whether you agree or not." in answering.step(page).inner_text()
    answering.give(page, "I do not agree")
    refused(page, "That is all right, and thank you for reading.")
    answering.give(page, "I agree")
    answering.press(page, "Continue")
    for option in ("Bus", "Car", "Bicycle"):
        answering.give(page, option)
    refused(page, "Too many answers are ticked: tick at most 2 answers.")
    answering.give(page, "Prefer not to say")
    assert answering.step(page).locator("input:checked").count() == 1
    answering.press(page, "Continue")
    answering.give(page, "Car")
    answering.press(page, "Continue")
    for row in ("Walk", "Swim"):
        part(page, row).get_by_label("Never").check()
    refused(page, "Please answer every row.")
    part(page, "Run").get_by_label("Never").check()
    answering.press(page, "Continue")
    answering.give(page, "101")
    answering.press(page, "Continue")
    assert "The number must be between 0 and 100." in answering.step(page).inner_text()
    answering.give(page, "7")
    answering.press(page, "Continue")
    day = answering.step(page).locator("input[type=date]")
    day.fill("2024-12-31")
    refused(page, "The date must be between 2025-03-15 and 2026-01-31.")
    answering.give(page, "Prefer not to say")
    assert day.input_value() == ""
    day.fill("2025-05-01")
    assert answering.step(page).locator("input:checked").count() == 0
    answering.press(page, "Continue")
    lists = answering.step(page).get_by_role("combobox")
    for place, label in enumerate("112"):
        lists.nth(place).select_option(label=label)
    refused(page, "Two items have the same rank.")
    lists.nth(1).select_option(label="3")
    answering.press(page, "Continue")
    answering.step(page).get_by_role("combobox").first.select_option(label="2")
    answering.step(page).get_by_label("Prefer not to say").check()
    assert answering.step(page).get_by_role("combobox").first.input_value() == ""
    answering.press(page, "Continue")
    assert posted == []
    answering.send(page)
    assert page.get_by_text("they are the same").is_visible()
    assert "agreed" not in answering.raw(page)
    assert Response.objects.get().answers.endswith("01020202")


@pytest.mark.audit  # P10 walks without a script, and bodies are posted
def test_every_kind_is_answered_by_own_coin_without_the_script(page_without_script, server, survey):
    page = page_without_script
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(answering.address(server, survey, "own-coin"))
    assert "only the script can round a number by chance" in page.inner_text("main")
    drawn = ("Bicycle: Yes", "Swim: Sometimes", "Tea before Juice: Yes")
    for place, choice in enumerate(drawn):
        page.get_by_label("The part that you drew").nth(place).select_option(choice)
    today = page.get_by_role("group", name="And today?")
    for option in factories.TRAVEL:
        today.get_by_role("group", name=option).get_by_label("No").check()
    page.get_by_label("A date from").fill("2025-07-14")
    where = page.get_by_role("group", name="Where?")
    where.get_by_role("group", name="North").get_by_label("2").check()
    where.get_by_role("group", name="South").get_by_label("1").check()
    page.get_by_role("button", name="Send").click()
    assert not Response.objects.exists()  # held back without consent
    page.get_by_label("I agree").check()
    follow(page.get_by_role("button", name="Send"))
    assert page.inner_text("h1") == "This is everything that was sent"
    today, moved = "0100020003000400", "2025-07-14"
    expected = "0301" + today + "0201" + "--" + moved + "0201" + "01010200"
    assert Response.objects.get().answers == expected


def test_the_form_for_an_own_coin_is_accessible(page, server, survey):
    page.goto(answering.address(server, survey, "own-coin"))
    accessible.check(page, "all kinds by own coin")
