"""A survey in Arabic and German, by keyboard at 320 pixels, from the start to the receipt."""

from datetime import date, timedelta

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.utils.translation import override

from surveys.authoring.services import launch
from surveys.models import Question, Response, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.submission import body_length
from tests import accessible, factories
from tests.browser import answering
from tests.promises.test_p5_constant_shape import RANDOM_BODIES
from tests.translated import translate_all

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
    pytest.mark.one_tab,
]
LANGUAGES = ("en", "de", "ar")
FEW = 100
# The width of each screen as it is shown alone.
WIDTHS = """() => {
  const steps = [...document.querySelectorAll('[data-step]')];
  return steps.map((shown) => {
    for (const one of steps) one.hidden = one !== shown;
    return document.documentElement.scrollWidth;
  });
}"""


@pytest.fixture
def survey(owner) -> Survey:
    """All designs of ``add_one_of_each``, a date, a text and rows, in three languages."""
    draft = factories.make_survey(owner, also_in="de ar")
    factories.add_one_of_each(draft)
    factories.add_matrix(draft)
    factories.add_text(draft)
    translate_all(draft, "de", "ar")
    launch(survey=draft, by=owner)
    return Survey.objects.get(pk=draft.pk)


def open_in(page, server, survey, language: str, name: str = "start") -> None:
    with override(language):
        page.goto(answering.address(server, survey, name))
    if name == "start":
        page.locator("[data-needs-script]").last.wait_for()


@pytest.mark.parametrize("paths", [FEW, pytest.param(1000, marks=pytest.mark.audit)])
def test_bodies_have_one_length_in_every_language(page, server, survey, paths):
    module = staticfiles_storage.url("surveys/collecting/send.js")
    lengths = set()
    for language in LANGUAGES:
        open_in(page, server, survey, language)
        bodies = page.evaluate(RANDOM_BODIES, [module, paths])
        assert len(set(bodies)) == paths
        lengths |= {len(body.encode()) for body in bodies}
    assert lengths == {body_length(questionnaire_of(survey.revision))}


def test_the_longest_words_fit_on_a_narrow_screen(page, server, survey):
    page.set_viewport_size({"width": 320, "height": 640})
    open_in(page, server, survey, "de")
    widths = page.evaluate(WIDTHS)
    assert len(widths) > survey.questions.count()
    assert set(widths) == {320}


@pytest.mark.parametrize("language", [pytest.param("de", marks=pytest.mark.audit), "ar"])
def test_a_person_answers_by_keyboard_on_a_narrow_screen(page, server, survey, language):
    page.set_viewport_size({"width": 320, "height": 640})
    open_in(page, server, survey, language)
    direction = page.evaluate("getComputedStyle(document.body).direction")
    assert direction == ("rtl" if language == "ar" else "ltr")
    accessible.check(page, f"start in {language}")
    seen = 0
    while not page.locator("[data-step=send]").is_visible():
        shown = answering.step(page)
        answer_by_keyboard(page, shown)
        if page.locator("[data-step=check]:visible").count():
            press_act(page, "check")
        elif seen in (0, 4, 8, 11):
            accessible.check_narrow(page, f"step {seen} in {language}")
        press_act(page, "next")
        seen += 1
    accessible.check_narrow(page, f"send in {language}")
    press_act(page, "send")
    page.locator("main[data-reply=receipt]").wait_for()
    accessible.check(page, f"receipt in {language}")
    assert Response.objects.count() == 1


def answer_by_keyboard(page, shown) -> None:
    """The first choice of each question; numbers in Arabic digits."""
    for name in dict.fromkeys(
        shown.locator("input[type=radio]").evaluate_all("all => all.map((one) => one.name)")
    ):
        shown.locator(f'input[type=radio][name="{name}"]').first.focus()
        page.keyboard.press("Space")
    for field in shown.locator("[data-width]").all():
        field.focus()
        page.keyboard.type("٤٢")
    for area in shown.locator("textarea").all():
        area.focus()
        page.keyboard.type("نص")


def press_act(page, act: str) -> None:
    button = answering.step(page).locator(f"button[data-act={act}]:visible").first
    if button.count():
        button.focus()
        page.keyboard.press("Enter")


@pytest.mark.audit
def test_the_other_pages_are_accessible_from_right_to_left(page, server, survey):
    for name in ("own-coin", "how-it-works"):
        open_in(page, server, survey, "ar", name)
        accessible.check(page, f"{name} in Arabic")


def test_a_link_to_another_language_takes_the_invitation_along(page, server, owner):
    draft = factories.make_survey(
        owner,
        also_in="ar",
        invitation_only=True,
        opening=Survey.Opening.CLOSE,
        close_on=date.today() + timedelta(days=90),
    )
    factories.add_question(draft, kind=Question.Kind.YES_NO)
    translate_all(draft, "ar")
    survey = factories.launched(draft)
    (code,) = factories.invite(survey, 1)
    page.goto(f"{answering.address(server, survey)}#{code}")
    page.locator("[data-needs-script]").last.wait_for()
    page.get_by_role("link", name="العربية").click()
    page.wait_for_url("**/ar/s/**")
    assert page.url.endswith(f"#{code}")
    page.locator("button[data-act=next]:visible").last.click()
    page.locator("[data-step=practice]").wait_for(state="visible")
    assert "#" not in page.url
