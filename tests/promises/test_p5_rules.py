"""P5 with rules: whoever is asked less sends as much, and the server checks what is hidden.

And P3 with it: of a question that a rule hides, no answer leaves the page.
"""

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage

from surveys.models.queries import questionnaire_of
from surveys.questionnaire.submission import body_length, parse
from tests import accessible
from tests.browser import answering
from tests.posting import receipt_length
from tests.promises.test_p5_constant_shape import RANDOM_BODIES
from tests.routed import make_routed_survey

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
    pytest.mark.one_tab,
    pytest.mark.survey(make=make_routed_survey),
]
PATHS = 300
# As RANDOM_BODIES, but the page is as it was before each body: nothing is left out yet. The text is
# required where its rule holds.
BODIES_BY_RULES = RANDOM_BODIES.replace("bodyOf, read }", "bodyOf, read, tell }").replace(
    "fieldsets.forEach(answer);",
    """const area = document.querySelector('textarea');
        for (const one of document.querySelectorAll('[data-unasked]')) delete one.dataset.unasked;
        fieldsets.forEach(answer);
        if (!/\\w/.test(area.value)) area.value = 'x';
        tell('drawing');""",
)


def test_random_ways_have_one_length_and_follow_the_rules(page, server, survey, client):
    questionnaire = questionnaire_of(survey.revision)
    answering.open_start(page, server, survey)
    module = staticfiles_storage.url("surveys/collecting/send.js")
    bodies = page.evaluate(BODIES_BY_RULES, [module, PATHS])
    assert {len(body.encode()) for body in bodies} == {body_length(questionnaire)}
    ways = {}
    for body in bodies:
        sent = parse(body.encode(), questionnaire=questionnaire, revision=str(survey.revision.pk))
        ways[questionnaire.routes.asked_of(sent.codes)] = body
    assert len(ways) == 6
    some = {*ways.values(), *bodies[:14]}
    assert len({receipt_length(client, survey, body.encode()) for body in some}) == 1


def test_a_hidden_question_is_no_screen_and_what_was_written_there_is_not_sent(
    page, server, survey
):
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.post_data or ""))
    answering.go_to_questions(page, server, survey)
    answering.answer_all(page, ("Yes", "29", "No", "Good"))
    page.get_by_role("textbox").locator("visible=true").fill("SENTINEL")
    accessible.check_narrow(page, "a question with a rule")
    while answering.heading(page) != "Do you own a car?":
        answering.press(page, "Back")
    answering.answer_all(page, ("No", "31", "2.5", "No"))
    shown = answering.step(page).inner_text()
    assert "How much is a bus ticket?" in shown
    assert "Have you driven drunk?" not in shown
    assert "SENTINEL" not in shown
    answering.send(page)
    (body,) = [one for one in sent if one.startswith("revision=")]
    codes = dict(part.split("=") for part in body.split("&"))
    assert codes["q001"] == "00"
    assert [codes[f"q00{n}"] for n in (3, 4, 8)] == ["--"] * 3
    assert set(codes["q006"]) == {"A"}  # base64 of zeros
    assert codes["q005"] == "02.5"
    assert "U0VOVElORUw" not in body


def test_nothing_holds_the_questions_once_their_answers_are_drawn(page, server, survey):
    answering.go_to_questions(page, server, survey)
    answering.answer_all(page, ("No", "44", "2.5", "No"))
    page.evaluate("window.first = new WeakRef(document.querySelector('[data-number]'))")
    page.route("**/send/", lambda route: route.abort())
    answering.press(page, "Send")
    page.get_by_role("heading", name="No reply arrived").wait_for()
    page.context.new_cdp_session(page).send("HeapProfiler.collectGarbage")
    assert page.evaluate("window.first.deref() === undefined")


def test_with_an_own_coin_the_page_says_for_whom_a_question_is(page, server, survey):
    page.goto(answering.address(server, survey, "own-coin"))
    group = page.get_by_role("group", name="Have you driven drunk?")
    assert "Only if you answered “Yes” to question 1." in group.inner_text()
    link = group.get_by_role("link", name="and go to question 4")
    link.click()
    assert page.url.endswith("#question-4")
    accessible.check(page, "own coin with rules")
    not_asked = {
        "Do you own a car?": "No",
        "Have you driven drunk?": "Not asked",
        "How is school?": "Not asked",
        "How much is a bus ticket?": "2,5",
        "Have you fled from an accident?": "Not asked",
        "Have you ever shoplifted?": "Yes",
    }
    answering.fill_own_coin(page, not_asked)
    page.get_by_role("group", name="How old are you?").get_by_role("textbox").fill("44")
    for item in (
        page.get_by_role("group", name="How good are these cars?")
        .get_by_label("Not asked", exact=True)
        .all()
    ):
        item.check()
    answering.press(page, "Send")
    page.get_by_role("heading", name="This is everything that was sent").wait_for()
    assert page.locator("table.receipt").inner_text().count("(not asked)") == 4
