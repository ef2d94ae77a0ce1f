"""Answers that are counted while they are locked, in the page: from the first screen to the count.

What is sent of them is opened with the trustees' keys, as these would never open a single answer.
"""

import json
from datetime import timedelta
from hashlib import sha256

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override
from playwright.sync_api import Page, Request, expect

from surveys.collecting.published.audit import audit_file
from surveys.collecting.services import receive
from surveys.kinds.text.promise import unbased
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.operations.retention import keep_dates
from surveys.questionnaire.submission import body_length
from tests import accessible
from tests.bodies import body_of
from tests.browser import answering, by_keyboard
from tests.browser.answering import give, press
from tests.counting import cell_in
from tests.factories import add_question, after_the_close, invite, launched, make_survey
from tests.surveys.authoring.trustees import add_tally, counted_draft, ruled_draft
from tests.surveys.collecting.test_ballots import counts_of
from tests.translated import translate_all

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
SCREEN = {"width": 320, "height": 640}
ASKED = 6  # cells of a yes or no and of a scale of three answers; then comes "not asked"
QUOTING = "Why was it {your answer to question 2}?"
FIELDS = ["revision", "key", "path", "q001", "t01"]


@pytest.fixture
def survey(owner) -> Survey:
    """Those who own a car are asked two more questions, which are counted together."""
    return launched(ruled_draft(owner))


@pytest.fixture
def posted(page: Page):
    """The bodies that the page sends."""
    bodies: list[str] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            bodies.append(request.post_data or "")

    page.on("request", note)
    yield bodies
    page.remove_listener("request", note)


UNABLE = {
    "without a secure connection": "delete Crypto.prototype.subtle",
    # A point of small order, as the keys of trustees who cancel each other would give.
    "with a key that hides nothing": """new MutationObserver(() => {
        for (const one of document.querySelectorAll('[data-table]'))
          one.dataset.table = one.dataset.table.replace(/[0-9a-f]{64}/, `01${'0'.repeat(62)}`);
      }).observe(document, { childList: true, subtree: true });""",
}


def fields_in(body: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in body.split("&"))


def test_by_keyboard_on_a_narrow_screen_a_cell_is_sent_locked_and_in_no_other_field(
    page, server, survey, posted
):
    page.set_viewport_size(SCREEN)
    answering.open_start(page, server, survey)
    accessible.check_narrow(page, "the first page of counted answers")
    seen: list[tuple[str, tuple[int, ...]]] = []

    def look(step: str, shown: tuple[int, ...]) -> None:
        seen.append((step, shown))
        if shown == (2,):
            accessible.check_narrow(page, "a question that is counted locked")
        if step == "send":
            words = page.locator("[data-state=ready]").inner_text()
            assert (
                "the answers listed below are sent as you gave them, unless they are locked"
                in words
            )
            assert "Questions 2 and 3: your answers are locked in this browser" in words

    given = {"q001": "01", "q002": "01", "q003": "02"}
    by_keyboard.Walk(page, given, look).to_the_receipt()
    assert [shown for _, shown in seen if shown] == [(1,), (2,), (3,)]
    (body,) = posted
    assert list(fields_in(body)) == FIELDS
    assert len(body) == body_length(questionnaire_of(survey.revision))
    assert cell_in(survey, body) == 5
    assert survey.revision.waiting.count() == 1
    receipt = " ".join(page.locator("main").inner_text().split())
    assert "Questions 2 and 3 (locked: this server cannot read it)" in receipt
    assert "This page compared the receipt with what it sent: they are the same." in receipt
    accessible.check_narrow(page, "the receipt of counted answers")


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(script, id=name, marks=pytest.mark.audit if "key" in name else ())
        for name, script in UNABLE.items()
    ],
)
def test_where_nothing_can_be_locked_nothing_is_asked(fresh_page, server, survey, script):
    fresh_page.add_init_script(script)
    fresh_page.goto(answering.address(server, survey))
    note = fresh_page.locator("[data-cannot-lock]")
    note.wait_for(state="visible")
    assert "This browser cannot lock your answers." in note.inner_text()
    assert "You can take part without the script" in note.inner_text()
    starts = fresh_page.get_by_role("button", name="Start", exact=True)
    expect(starts.last).to_be_disabled()
    assert all(start.is_disabled() for start in starts.all())
    accessible.check_narrow(fresh_page, "a page that cannot lock answers")


def go(page: Page, *answers: str) -> None:
    """From the first page, which is open, to the receipt."""
    answering.start(page)
    answering.answer_all(page, answers)
    answering.send(page)


@pytest.mark.audit
def test_who_is_not_asked_sends_as_much_and_nothing_of_what_was_chosen_before(
    page, server, survey, posted
):
    answering.open_start(page, server, survey)
    answering.start(page)
    answering.answer_all(page, ("Yes", "Yes", "c"))
    page.get_by_role("button", name="Change Question 1").click()
    give(page, "No")
    press(page, "Back to the list")
    assert page.locator(".answers li").count() == 1
    answering.send(page)
    answering.open_start(page, server, survey)
    go(page, "Yes", "No", "b")
    assert [cell_in(survey, body) for body in posted] == [ASKED, 1]
    assert len(set(map(len, posted))) == 1


@pytest.mark.audit
def test_nothing_holds_an_answer_once_it_is_locked_and_a_repeat_is_the_same(
    page, server, survey, posted
):
    answering.open_start(page, server, survey)
    answering.start(page)
    answering.answer_all(page, ("Yes", "Yes", "c"))
    page.evaluate("window.first = new WeakRef(document.querySelector('[data-counted]'))")
    page.route("**/send/", lambda route: route.abort(), times=1)
    press(page, "Send")
    page.get_by_role("heading", name="No reply arrived").wait_for()
    page.context.new_cdp_session(page).send("HeapProfiler.collectGarbage")
    assert page.evaluate("window.first.deref() === undefined")
    press(page, "Send again")
    page.locator("main[data-reply]").wait_for()
    first, second = posted
    assert first == second


@pytest.mark.audit
def test_random_order_sections_and_languages_change_no_cell(page, server, owner, posted):
    mixed = {"random_options": True, "random_screens": True, "random_section": True}
    draft = counted_draft(owner, also_in="de")
    first, drunk, often = draft.questions.all()
    draft.questions.filter(pk=first.pk).update(section="First", random_section=True)
    draft.questions.filter(pk=drunk.pk).update(section="Second", **mixed)
    draft.questions.filter(pk=often.pk).update(kind="choice", random_options=True)
    translate_all(draft, "de")
    survey = launched(draft)
    english = {"Do you own a car?": "Yes", "Have you driven drunk?": "No", "How often?": "c"}
    german = {f"{question} äöü": answer for question, answer in english.items()}
    german |= dict(zip(german, ("Ja", "Nein", "c äöü"), strict=True))
    for language, answers in (("en", english), ("de", german), ("de", german)):
        with override(language):
            page.goto(answering.address(server, survey))
        page.locator("[data-step=start] [data-act=next]").last.click()
        for _ in answers:
            give(page, answers[answering.heading(page)])
            answering.step(page).locator("[data-act=next]").click()
        page.locator("[data-state=ready] [data-act=send]").click()
        page.locator("main[data-reply]").wait_for()
    assert [cell_in(survey, body) for body in posted] == [2, 2, 2]
    assert {len(body) for body in posted} == {body_length(questionnaire_of(survey.revision))}


@pytest.mark.audit
def test_an_answer_that_is_counted_stands_in_the_words_of_a_later_question_and_is_not_sent(
    page, server, owner, posted
):
    draft = counted_draft(owner)
    draft.questions.filter(position=0).update(position=3, text=QUOTING)
    survey = launched(draft)
    answering.open_start(page, server, survey)
    answering.start(page)
    answering.answer_all(page, ("No", "b"))
    assert answering.heading(page) == "Why was it b?"
    give(page, "Yes")
    press(page, "Continue")
    answering.send(page)
    (body,) = posted
    assert list(fields_in(body)) == ["revision", "key", "path", "q003", "t01"]
    assert cell_in(survey, body) == 1
    assert "Why was it your answer to question 2?" in page.locator("table.receipt").inner_text()


@pytest.mark.audit
def test_with_a_voucher_too_a_reload_sends_one_ballot_and_the_code_goes_nowhere(
    page, server, owner, posted
):
    draft = counted_draft(owner, invitation_only=True, voucher_wait=60)
    survey = launched(draft)
    (token,) = invite(survey, 1)
    page.goto(f"{answering.address(server, survey)}#{token}")
    for answers in (("Yes", "Yes", "c"), ("Yes", "No", "a")):
        answering.start(page)
        answering.answer_all(page, answers)
        press(page, "Send")
        page.get_by_role("heading", name="Your answers wait on this page").wait_for()
        if answers[1] == "Yes":
            page.once("dialog", lambda dialog: dialog.accept())
            page.reload()
            page.get_by_label("Your invitation code").fill(token)
    page.get_by_role("button", name="Send now").click()
    page.locator("main[data-reply]").wait_for()
    (body,) = (one for one in posted if one.startswith("revision="))
    assert list(fields_in(body)) == ["revision", "key", "path", "voucher", "q001", "t01"]
    assert token not in body
    assert len(body) == body_length(questionnaire_of(survey.revision))
    assert cell_in(survey, body) == 0
    assert survey.revision.waiting.count() == 1


@pytest.mark.audit
def test_what_the_page_sent_is_opened_at_the_close_and_stands_in_the_audit(
    page, server, owner, posted
):
    last_day = timezone.now().date() + timedelta(days=30)
    survey = launched(ruled_draft(owner, close_on=last_day))
    for answers in (("No",), ("Yes", "Yes", "c"), ("Yes", "No", "a"), ("Yes", "No", "a")):
        answering.open_start(page, server, survey)
        go(page, *answers)
    receive(survey_id=survey.pk, body=body_of(survey.revision, ["00", "", ""], own_coin=True))
    keep_dates(now=after_the_close(survey))
    audit = json.loads(audit_file(Survey.objects.get(pk=survey.pk)))
    sent = {sha256(unbased(fields_in(body)["t01"])).hexdigest() for body in posted}
    assert sent < set(audit["ballots"]["1"])
    assert (len(audit["ballots"]["1"]), audit["equal"]["1"], audit["responses"]) == (5, 0, 5)
    assert counts_of(survey) == [2, 0, 0, 0, 0, 1, 2]


@pytest.mark.audit
def test_a_preview_shows_the_way_and_counts_nothing(staff_page, server, owner):
    draft = counted_draft(owner)
    staff_page.goto(server.url + reverse("admin:surveys_survey_preview", args=[draft.pk]))
    answering.start(staff_page)
    answering.answer_all(staff_page, ("Yes", "Yes", "c"))
    expect(staff_page.get_by_role("button", name="Send", exact=True)).to_be_disabled()


@pytest.mark.audit
def test_without_the_script_it_is_said_before_the_first_question(page, server, owner):
    draft = make_survey(owner, opening="close", close_on="2099-01-01", batch_size=5)
    add_question(draft, design="direct", required=True, counted_table=1)
    add_tally(draft)
    page.route("**/ballot*.js", lambda route: route.abort())
    page.goto(answering.address(server, launched(draft)))
    page.locator("[data-without-script]").wait_for()
    words = " ".join(page.locator("[data-without-script]").inner_text().split())
    assert "You can answer this survey only with the script, which locks your answers" in words
    assert not page.get_by_role("button", name="Start", exact=True).last.is_visible()
    page.unroute("**/ballot*.js")
