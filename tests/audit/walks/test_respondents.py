"""People who answer: by mouse, by keyboard alone, by their own coin, in Arabic, in German "du"."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from django.urls import reverse
from django.utils.translation import gettext, override
from playwright.sync_api import Locator, expect

from surveys.models import Comment, Question, Response, Survey
from surveys.models.queries import questionnaire_of
from tests import factories
from tests.audit.walks.walking import Walk
from tests.browser import answering, by_keyboard
from tests.locale.address import addresses_formally
from tests.true_answers import given_in_page, true_answers

pytestmark = [pytest.mark.browser, pytest.mark.audit, pytest.mark.django_db(transaction=True)]
KINDS, DIRECT = Question.Kind, Question.Design.DIRECT
HEADING = "h1:visible"


@dataclass(frozen=True)
class Asked:
    """Questions in one language, an answer to each, and the locale of the pages."""

    locale: str
    survey: dict[str, object]
    texts: Sequence[str]
    often: Sequence[str]
    age: str
    written: str


GERMAN = Asked(
    locale="de-du",
    survey={
        "language": "de",
        "informal": True,
        "title": "Gewohnheiten und Gesundheit",
        "introduction": "Wir fragen, wie verbreitet manche Gewohnheiten sind.",
        "organisation": "Institut für Gesundheit",
    },
    texts=(
        "Hast du schon einmal in einem Laden gestohlen?",
        "Wie oft fährst du mit dem Rad?",
        "Wie alt bist du?",
        "Was möchtest du noch sagen?",
    ),
    often=("Nie", "Manchmal", "Oft"),
    age="42",
    written="Mehr Radwege, bitte.",
)
ARABIC = Asked(
    locale="ar",
    survey={
        "language": "ar",
        "title": "العادات والصحة",
        "introduction": "نسأل عن مدى انتشار بعض العادات.",
        "organisation": "معهد الصحة العامة",
    },
    texts=("هل سرقت يومًا من متجر؟", "كم مرة تركب الدراجة؟", "كم عمرك؟", "ماذا تريد أن تضيف؟"),
    often=("أبدًا", "أحيانًا", "كثيرًا"),
    age="٤٢",
    written="مزيد من الطرق للدراجات.",
)


class Respondent:
    """A person who answers with the mouse, on pages in their language."""

    def __init__(self, walk: Walk, survey: Survey, locale: str = "en") -> None:
        self.walk, self.survey, self.locale = walk, survey, locale
        self.page = walk.page

    def said(self, english: str) -> str:
        """The words of a page that say this, in its language."""
        with override(self.locale):
            return gettext(english)

    def open_link(self) -> None:
        with override(self.survey.language):
            address = reverse("respondent:start", args=[self.survey.pk])
        self.walk.open(address)

    def click(self, english: str) -> None:
        self.walk.button(self.said(english)).last.click()

    def answer(self, label: str) -> None:
        """Pick what has this label on the screen that is shown."""
        self.step.get_by_label(label, exact=True).check()

    def go_on(self, state: str) -> None:
        """Look at the screen that is shown, and leave it."""
        self.walk.look(state)
        self.click("Continue")

    @property
    def step(self) -> Locator:
        return answering.step(self.page)

    def learns_how_it_works(self) -> None:
        self.walk.follow(self.said("How it works"))
        self.walk.follow(self.said("Compare this page with the published program"))
        self.walk.follow(self.said("Back to the start"))

    def practises(self) -> None:
        self.click("Start")
        self.answer(self.said("Yes"))
        self.click("Flip")
        self.click("Flip 100 times")
        self.go_on("practice")
        for number in (1, 2):
            is_yes = self.step.get_attribute("data-right") == "yes"
            self.answer(self.said("Yes" if is_yes else "No"))
            self.click("Check")
            self.go_on(f"check {number}")

    def sends(self) -> None:
        self.walk.look("before Send")
        self.click("Send")
        self.page.locator("main[data-reply=receipt]").wait_for()
        expect(self.page.locator(HEADING)).to_have_text(
            self.said("This is everything that was sent")
        )
        self.walk.look("receipt")

    def clears_the_page(self) -> None:
        self.walk.follow(self.said("Clear this page"))
        self.walk.button(self.said("Start")).last.wait_for()


def sent_codes(respondent: Respondent) -> str:
    """What the receipt shows as raw text, as it is stored."""
    fields = answering.raw(respondent.page).split("&")[3:]
    return "".join(field.partition("=")[2] for field in fields)


def test_by_mouse(somebody, owner):
    survey = factories.make_open_survey(owner)
    ada = Respondent(somebody(), survey)
    ada.open_link()
    ada.learns_how_it_works()
    ada.practises()
    for number, answer in enumerate(answering.ANSWERS, start=1):
        if answer.isdigit():
            ada.step.get_by_role("textbox").fill(answer)
        else:
            ada.answer(answer)
        ada.go_on(f"question {number}")
    ada.sends()
    assert Response.objects.get().answers == sent_codes(ada)
    ada.clears_the_page()


def test_by_keyboard_alone(somebody, owner):
    survey = factories.make_open_survey(owner)
    walk = somebody()
    walk.open(reverse("respondent:start", args=[survey.pk]))
    walk.button("Start").last.wait_for()
    answers = true_answers(questionnaire_of(survey.revision), random.Random(39))
    way = by_keyboard.Walk(
        walk.page, given_in_page(answers), lambda step, shown: walk.look(f"{step} {shown}")
    )
    way.to_the_receipt()
    walk.arrive("receipt")
    assert way.shown == list(range(1, len(answering.ANSWERS) + 1))
    assert Response.objects.get().answers == sent_codes(Respondent(walk, survey))


@pytest.mark.parametrize("has_script", [False], ids=["no script"])
def test_by_own_coin_without_script(somebody, owner):
    walk = somebody()
    survey = factories.make_open_survey(owner)
    walk.open(reverse("respondent:start", args=[survey.pk]))
    walk.sees("script is not running")
    assert not walk.button("Start").last.is_visible()
    walk.go_by(walk.link("Use my own coin").last)
    answering.fill_own_coin(walk.page, answering.OWN_COIN)
    walk.press("Send")
    walk.sees_heading("This is everything that was sent")
    assert Response.objects.get().answers == "0100--010202042"
    walk.follow("Clear this page")
    walk.sees_heading(survey.title)


def test_in_arabic(somebody, owner):
    nur = answers_in(ARABIC, somebody(), owner)
    assert nur.page.locator("html").get_attribute("dir") == "rtl"
    assert nur.page.evaluate("getComputedStyle(document.body).direction") == "rtl"


def test_in_german_with_du(somebody, owner):
    kim = answers_in(GERMAN, somebody(), owner)
    assert kim.page.locator("html").get_attribute("lang") == "de"


def answers_in(asked: Asked, walk: Walk, owner) -> Respondent:
    """From the link to the receipt, in the words of one language alone."""
    person = Respondent(walk, survey_in(asked, owner), asked.locale)
    person.open_link()
    reads_one_language(person)
    person.learns_how_it_works()
    person.practises()
    person.answer(person.said("No"))
    person.go_on("yes or no")
    person.answer(asked.often[1])
    person.go_on("scale")
    person.step.get_by_role("textbox").fill(asked.age)
    person.go_on("number")
    person.step.get_by_role("textbox").fill(asked.written)
    person.go_on("text")
    reads_one_language(person)
    person.sends()
    reads_one_language(person)
    assert sent_codes(person).startswith(Response.objects.get().answers)
    assert Comment.objects.get().text == asked.written
    return person


def survey_in(asked: Asked, owner) -> Survey:
    draft = factories.make_survey(owner, **asked.survey)
    stolen, often, age, more = asked.texts
    bounds = {"minimum": 18, "maximum": 99}
    factories.add_question(draft, text=stolen)
    factories.add_question(draft, *asked.often, text=often, kind=KINDS.SCALE, design=DIRECT)
    factories.add_question(draft, text=age, kind=KINDS.NUMBER, design=DIRECT, **bounds)
    factories.add_text(draft, text=more)
    return factories.launched(draft)


def reads_one_language(person: Respondent) -> None:
    """No sentence of the page is in another language, nor more formal than the survey."""
    shown = person.page.locator("main").inner_text()
    assert not ENGLISH & set(shown.split()), shown
    assert not addresses_formally("de", shown.splitlines()), shown


ENGLISH = {"the", "your", "Your", "answer", "and", "is"}
