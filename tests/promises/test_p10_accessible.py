"""P10: accessible in every state, on a narrow screen, in light and dark, without a script."""

from collections.abc import Iterator

import pytest
from django.utils.translation import override
from playwright.sync_api import Page

from surveys.authoring.services import close, launch
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from tests import accessible
from tests.browser import answering
from tests.browser.answering import ANSWERS, address, give, heading, press, step
from tests.factories import add_one_of_each, add_question, launched, make_survey

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]


REPEATED_STATES = (" ticked", ", wrong once", ", explained")
# Yes or no again, and two coins over a list again: their screens are those of other questions.
REPEATED = ("Have you taken drugs at work?", "How do you travel?")


@pytest.fixture
def every_question(survey) -> tuple[Survey, tuple[str, ...]]:
    """A survey, and an answer to each of its questions."""
    return survey, ANSWERS


@pytest.fixture
def every_screen(owner) -> tuple[Survey, tuple[str, ...]]:
    """One question for each kind of screen and each design."""
    draft = make_survey(owner)
    add_one_of_each(draft)
    texts = [question.text for question in draft.questions.all()]
    draft.questions.filter(text__in=REPEATED).delete()
    answers = zip(texts, ANSWERS, strict=True)
    return launched(draft), tuple(answer for text, answer in answers if text not in REPEATED)


def before_questions(page: Page, server, survey) -> Iterator[str]:
    answering.open_start(page, server, survey)
    yield "start"
    press(page, "Start")
    press(page, "Flip")
    yield "practice without an answer"
    step(page).get_by_label("Yes", exact=True).check()
    press(page, "Flip")
    press(page, "Flip 100 times")
    page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")
    yield "practice with a tally"
    press(page, "Continue")
    press(page, "Check")
    yield "check without an answer"
    for wrong in ("Yes", "No"):
        step(page).get_by_label(wrong, exact=True).check()
        press(page, "Check")
        yield f"{heading(page)}, wrong once"
        press(page, "Check")
        yield f"{heading(page)}, explained"
        press(page, "Continue")


def questions_to_receipt(page: Page, answers: tuple[str, ...]) -> Iterator[str]:
    for number, answer in enumerate(answers, start=1):
        press(page, "Continue")
        yield f"question {number} without an answer"
        give(page, answer)
        yield f"question {number} {'typed' if answer.isdigit() else 'ticked'}"
        press(page, "Continue")
    yield "send"
    page.route("**/send/", lambda route: route.abort(), times=1)
    press(page, "Send")
    page.get_by_role("button", name="Send again").wait_for()
    yield "no reply"
    press(page, "Send again")
    page.locator("main[data-reply]").wait_for()
    page.locator("summary").click()
    yield "receipt"


def other_pages(page: Page, server, survey, owner) -> Iterator[str]:
    for name in ("own-coin", "how-it-works", "send"):
        page.goto(address(server, survey, name))
        yield name
    page.goto(address(server, survey, "own-coin"))
    texts = [item.text for item in questionnaire_of(survey.revision).items]
    choices = {text: choice for text, choice in answering.OWN_COIN.items() if text in texts}
    answering.fill_own_coin(page, choices)
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/send/")
    yield "receipt of the own coin"
    page.goto(server.url + "/en/s/00000000-0000-4000-8000-000000000000/")
    yield "unknown survey"
    close(survey=survey, by=owner)
    page.goto(address(server, survey))
    yield "closed"


def states(page: Page, server, survey, answers, owner) -> Iterator[str]:
    """Every state that a respondent can see, each yielded while it is shown."""
    yield from before_questions(page, server, survey)
    yield from questions_to_receipt(page, answers)
    yield from other_pages(page, server, survey, owner)


def is_again(state: str, seen: list[str]) -> bool:
    """An answer is ticked, or a check is told, as on a screen before; `make audit` looks again."""
    kind = next((one for one in REPEATED_STATES if state.endswith(one)), "")
    return bool(kind) and not accessible.THOROUGH and any(one.endswith(kind) for one in seen)


@pytest.mark.parametrize(
    ("width", "questions", "least"),
    [
        (320, "every_screen", 20),
        pytest.param(320, "every_question", 30, marks=pytest.mark.audit),
        pytest.param(1280, "every_question", 30, marks=pytest.mark.audit),
    ],
)
def test_in_every_state_axe_finds_nothing_targets_are_large_and_nothing_scrolls_sideways(
    page, server, owner, request, width, questions, least
):
    survey, answers = request.getfixturevalue(questions)
    page.set_viewport_size({"width": width, "height": 640})
    page.emulate_media(reduced_motion="reduce")
    seen: list[str] = []
    for state in states(page, server, survey, answers, owner):
        if is_again(state, seen):
            continue
        seen.append(state)
        accessible.check_schemes(page, state)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state
        assert page.evaluate(accessible.SMALL_TARGETS) == [], state
    assert len(seen) > least


@pytest.mark.audit  # test_one_walk.py measures the answers to sixty questions of every kind
def test_answers_are_at_least_44_pixels_high(page, server, survey):
    answering.go_to_questions(page, server, survey)
    page.set_viewport_size({"width": 320, "height": 640})
    for answer in ANSWERS:
        for choice in step(page).locator("label.choice, input[type=text]").all():
            assert choice.bounding_box()["height"] >= 44
        give(page, answer)
        press(page, "Continue")


def test_the_focus_is_always_visible(page, server, survey):
    answering.go_to_questions(page, server, survey)
    for _ in range(3):
        page.keyboard.press("Tab")
        outline = page.evaluate(
            "() => { const focused = document.activeElement;"
            " const shown = focused.closest('label') ?? focused;"
            " const { outlineStyle, outlineWidth } = getComputedStyle(shown);"
            " return [outlineStyle, parseFloat(outlineWidth)]; }"
        )
        assert outline == ["solid", 3]


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("en", "Donaudampfschifffahrtsgesellschaftskapitaenswitwenrente" * 3),
        ("ar", "ب" * 199),
        ("ar", "שלוםHelloبحث漢字" * 13),  # from right to left and back, without a space
    ],
    ids=["german", "arabic", "mixed"],
)
def test_long_words_do_not_break_a_narrow_page(page, server, owner, language, word):
    contact = f"{word[:180]}@example.org"
    survey = make_survey(owner, title=word, organisation=word, contact=contact, language=language)
    add_question(survey, word, word[1:], text=word, kind="choice")
    launch(survey=survey, by=owner)
    page.set_viewport_size({"width": 320, "height": 640})
    for name in ("start", "own-coin", "how-it-works"):
        with override(language):
            page.goto(address(server, survey, name))
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name


def test_without_a_script_every_page_can_be_used(page_without_script, server, survey):
    page = page_without_script
    page.goto(address(server, survey))
    page.get_by_role("link", name="How it works").click()
    page.get_by_role("link", name="Back to the start").click()
    page.get_by_role("link", name="Use my own coin").last.click()
    answering.fill_own_coin(page, answering.OWN_COIN)
    page.get_by_role("button", name="Send").click()
    page.get_by_role("link", name="Clear this page").click()
    assert heading(page) == survey.title


def test_the_fixture_covers_every_design(every_screen):
    survey, _ = every_screen
    designs = {item.design for item in questionnaire_of(survey.revision).items}
    assert designs == {"two_coins", "forced_response", "k_ary", "direct"}
