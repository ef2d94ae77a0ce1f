"""P3: the truth stays in the page."""

import json
from collections.abc import Iterator

import pytest
from django.core.management import call_command
from playwright.sync_api import Locator, Page, Request

from surveys.authoring.services import launch
from surveys.kinds.two_questions.promise import ComparedQuestion
from surveys.models import Question, Response, SubmissionKey, Survey
from surveys.questionnaire.document import Questionnaire
from tests.browser import answering
from tests.browser.answering import press, raw, step
from tests.factories import (
    ELEVEN,
    PLACES,
    add_question,
    add_rating,
    launched,
    make_lists,
    make_other_survey,
    make_survey,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
# Every draw is 0, so every channel sends its first level, whatever is true.
ALWAYS_FIRST = "crypto.getRandomValues = (array) => array.fill(0)"
SENTINELS = ("Zyxoquartz", "Wobbleplum")
TYPED = "73915"


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """Nothing is left to chance in its documents."""
    with page.add_init_script(ALWAYS_FIRST):
        yield page


@pytest.fixture
def survey(owner) -> Survey:
    """Protected questions whose second and third answers are words found nowhere else."""
    draft = make_survey(owner)
    kinds, designs = Question.Kind, Question.Design
    add_question(draft, required=True)
    add_question(draft, "Plain", *SENTINELS, text="Which?", kind=kinds.CHOICE)
    add_question(
        draft,
        "Plain",
        *SENTINELS,
        text="How?",
        kind=kinds.SCALE,
        design=designs.K_ARY,
        epsilon=1,
        required=True,
    )
    add_question(
        draft,
        text="What number?",
        kind=kinds.NUMBER,
        design=designs.DIRECT,
        minimum=0,
        maximum=99999,
    )
    launch(survey=draft, by=owner)
    return Survey.objects.get(pk=draft.pk)


class Observer:
    """Everything that leaves the page or stays behind while one person answers."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.asked: list[Request] = []
        self.console: list[str] = []
        page.on("request", lambda request: self.asked.append(request))
        page.on("console", lambda message: self.console.append(message.text))

    def requests(self) -> list[str]:
        return [
            json.dumps([one.method, one.url, one.post_data, sorted(one.all_headers().items())])
            for one in self.asked
        ]

    def left_behind(self) -> dict[str, object]:
        stored = self.page.evaluate(
            "() => [document.cookie, {...localStorage}, {...sessionStorage}, history.state,"
            " window.name, location.href]"
        )
        inputs = self.page.evaluate(
            "() => [...document.querySelectorAll('input')].map((input) => input.outerHTML)"
        )
        return {
            "requests": self.requests(),
            "console": [*self.console],
            "stored": stored,
            "inputs": inputs,
            "document": self.page.content(),
            "responses": list(Response.objects.values_list("answers")),
            "keys": list(SubmissionKey.objects.values_list("digest", flat=True)),
        }


def answer(
    page: Page, server, survey: Survey, answers: tuple[str, ...], answer_all=answering.answer_all
) -> Observer:
    """Answer and decline the number, after having typed and replaced a sentinel number."""
    answering.go_to_questions(page, server, survey)
    observer = Observer(page)
    answer_all(page, answers)
    answering.give(page, TYPED)
    answering.give(page, "Prefer not to say")
    press(page, "Continue")
    assert observer.asked == []
    answering.send(page)
    return observer


def with_the_mouse(page: Page, answers: tuple[str, ...]) -> None:
    for one in answers:
        answering.give(page, one)
        press(page, "Continue")


def click(control: Locator) -> None:
    """From within the page, as ``answering`` says."""
    control.dispatch_event("click")


def go_on(page: Page) -> None:
    click(step(page).locator("[data-act=next]").last)


def lose_the_reply(page: Page) -> None:
    """Send once, and hear nothing."""
    page.route("**/send/", lambda route: route.abort(), times=1)
    press(page, "Send")
    page.get_by_role("button", name="Send again").wait_for()


def forget_all() -> None:
    """For the next one to answer in an empty database."""
    Response.objects.all().delete()
    SubmissionKey.objects.all().delete()


def test_true_answers_are_found_nowhere(page, server, survey, tmp_path):
    """Answered with the mouse, as a person may; other tests of this file need not.

    No true answer is the first level; with draws of 0, every first level is sent.
    """
    observer = answer(page, server, survey, ("Yes", *SENTINELS), with_the_mouse)
    seen = json.dumps(observer.left_behind(), default=str)
    dump = tmp_path / "database.json"
    # The definition of the survey names every answer that it offers; everything else must not.
    definition = ["surveys.Question", "surveys.Option", "surveys.Revision"]
    call_command("dumpdata", exclude=definition, output=str(dump), verbosity=0)
    everything = seen + dump.read_text() + server.printed()
    assert "q001=00" in everything
    assert [word for word in (*SENTINELS, TYPED, "q001=01") if word in everything] == []
    assert observer.left_behind()["inputs"] == []
    questionnaire = Questionnaire.from_document(survey.revision.document)
    firsts = "".join(item.levels[0].code for item in questionnaire.randomized)
    assert Response.objects.get().answers == firsts + "-----"
    assert f"q001={firsts[:2]}" in raw(page)


def test_true_answers_that_share_an_output_leave_the_same_bytes(page, server, survey):
    left = []
    for answers in (("Yes", *SENTINELS), ("No", "Plain", "Plain")):
        left.append(answer(page, server, survey, answers).left_behind())
        forget_all()
    assert left[0] == left[1]
    assert len(left[0]["requests"]) == 1


def test_after_a_lost_reply_the_page_holds_no_answer(page, server, survey):
    answering.go_to_questions(page, server, survey)
    answering.answer_all(page, ("Yes", *SENTINELS, TYPED))
    lose_the_reply(page)
    assert page.locator("input").count() == 0
    assert [word for word in (*SENTINELS, TYPED) if word in page.content()] == []
    assert step(page).get_by_role("button", name="Back").count() == 0


def test_no_form_could_carry_an_answer_away(page, server, survey):
    answering.open_start(page, server, survey)
    assert page.locator("form, iframe, [action], [formaction], [ping]").count() == 0
    assert page.locator("input[autocomplete=off]").count() == page.locator("input").count() > 10


def test_both_answers_of_two_questions_leave_the_same_bytes_when_they_share_an_output(
    page, server, owner
):
    """With draws of 0, Yes and No as well as No and Yes send a No; "the same" is sent as chosen."""
    survey = make_other_survey(owner)
    left = []
    for first, second in (("Yes", "No"), ("No", "Yes")):
        answering.go_to_questions(page, server, survey)
        observer = Observer(page)
        for item in Questionnaire.from_document(survey.revision.document).items:
            chosen = "The same answer to both" if isinstance(item, ComparedQuestion) else first
            click(step(page).get_by_label(chosen, exact=True).first)
            if getattr(item, "pairs", ()):
                click(step(page).get_by_label(second, exact=True).nth(1))
            go_on(page)
        assert observer.asked == []
        answering.send(page)
        left.append(observer.left_behind())
        forget_all()
    assert left[0] == left[1]
    assert left[0]["inputs"] == []


def test_true_ratings_that_share_an_output_leave_the_same_bytes(page, server, owner):
    """By buttons and by selection; the first level is sent whatever is true, chosen or not."""
    draft = make_survey(owner)
    k_ary = Question.Design.K_ARY
    add_rating(draft, "Plain", *SENTINELS, text="By buttons", size=1, design=k_ary, epsilon=1)
    add_rating(draft, *ELEVEN, text="By selection", size=1, design=k_ary, epsilon=1)
    survey = launched(draft)
    left = []
    for button, selected in ((SENTINELS[0], "7"), (None, None)):
        answering.go_to_questions(page, server, survey)
        observer = Observer(page)
        if button:
            click(step(page).get_by_label(button, exact=True))
        go_on(page)
        if selected:
            step(page).get_by_role("combobox").select_option(selected)
        go_on(page)
        assert observer.asked == []
        answering.send(page)
        left.append(observer.left_behind())
        assert page.locator("select, option").count() == 0
        forget_all()
    assert left[0] == left[1]
    assert "q001i01=100" in left[0]["requests"][0]
    assert SENTINELS[0] not in json.dumps(left[0], default=str)


def test_choices_from_long_lists_leave_the_same_bytes_when_they_share_an_output(
    page, server, owner
):
    """With draws of 0, any of the first 50 places is sent as these 50, and any other list whole.

    Also where the first reply is lost: then the page already has no choice left.
    """
    survey = make_lists(owner)
    left = []
    for first, second in ((PLACES[3], PLACES[7]), (PLACES[41], "Prefer not to say")):
        answering.go_to_questions(page, server, survey)
        observer = Observer(page)
        for chosen in (first, second):
            step(page).get_by_role("searchbox").fill(chosen)
            step(page).locator("select").select_option(label=chosen)
            go_on(page)
        assert observer.asked == []
        lose_the_reply(page)
        assert page.locator("input, select, option").count() == 0
        content = page.content()
        assert [place for place in PLACES if place in content] == []
        press(page, "Send again")
        page.locator("main[data-reply]").wait_for()
        left.append(observer.left_behind())
        forget_all()
    assert left[0] == left[1]
    assert len(left[0]["requests"]) == 2
    assert left[0]["responses"] == [("f" * 12 + "03" + "0" * 36 + "ffffff7f",)]
