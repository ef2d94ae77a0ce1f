"""P5 with arms: the page draws the arm, and whoever is in which one sends as much.

And P3 with it: of the questions of other arms, nothing is shown and nothing leaves the page.
"""

import random

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.utils.translation import override

from surveys.models import Response
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.submission import body_length, parse
from tests import accessible
from tests.arms import COINS, COMPARED, DIRECT, STOLEN, codes_in, make_arms_draft, make_arms_survey
from tests.bodies import body_of
from tests.browser import answering
from tests.factories import launched
from tests.posting import post, receipt_length
from tests.promises.test_p5_constant_shape import RANDOM_BODIES
from tests.translated import translate_all

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
    pytest.mark.one_tab,
    pytest.mark.survey(make=make_arms_survey),
]
PATHS = 200
EVERY = (DIRECT, COINS, COMPARED)
# As RANDOM_BODIES, in an arm that is as if it had been drawn, and with the page as it was before.
BODIES_IN_ARMS = RANDOM_BODIES.replace("bodyOf, read }", "bodyOf, read, tell }").replace(
    "fieldsets.forEach(answer);",
    """document.querySelector('main').dataset.arm = pick(['00', '01', '02']);
        for (const one of document.querySelectorAll('[data-unasked]')) delete one.dataset.unasked;
        fieldsets.forEach(answer);
        tell('drawing');""",
)
# The arm that each word of the generator draws, from the first page, which is open.
DRAWN = """(words) => {
    const main = document.querySelector('main');
    const real = crypto.getRandomValues.bind(crypto);
    const drawn = words.map((word) => {
        crypto.getRandomValues = (array) => array.fill(word);
        delete main.dataset.arm;
        document.querySelector('[data-step=start] [data-act=next]').click();
        return main.dataset.arm;
    });
    crypto.getRandomValues = real;
    return drawn;
}"""


def test_random_ways_through_all_arms_have_one_length(page, server, survey, client):
    questionnaire = questionnaire_of(survey.revision)
    answering.open_start(page, server, survey)
    module = staticfiles_storage.url("surveys/collecting/send.js")
    bodies = page.evaluate(BODIES_IN_ARMS, [module, PATHS])
    assert {len(body.encode()) for body in bodies} == {body_length(questionnaire)}
    ways = {}
    for body in bodies:
        sent = parse(body.encode(), questionnaire=questionnaire, revision=str(survey.revision.pk))
        ways[sent.codes[-1], questionnaire.routes.asked_of(sent.codes)] = body
    assert len(ways) == 5  # in two arms the price is asked of some
    some = {*ways.values(), *bodies[:15]}
    assert len({receipt_length(client, survey, body.encode()) for body in some}) == 1


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("own_coin", [False, True])
def test_receipts_have_one_length_in_all_arms(client, survey, own_coin):
    questionnaire, chance = questionnaire_of(survey.revision), random.Random(5)
    lengths = {
        receipt_length(
            client,
            survey,
            body_of(
                survey.revision,
                codes_in(questionnaire, arm, own_coin=own_coin, chance=chance),
                arm=arm,
                own_coin=own_coin,
            ),
        )
        for arm in EVERY
        for _ in range(5)
    }
    assert len(lengths) == 1
    assert Response.objects.count() == 15


def test_the_page_draws_the_arm_by_its_weight_and_only_after_start(page, server, survey):
    answering.open_start(page, server, survey)
    assert page.evaluate("document.querySelector('main').dataset.arm") is None
    # Weights 1, 2, 1: of each four words in a row one, two and one.
    assert page.evaluate(DRAWN, list(range(8))) == [DIRECT, COINS, COINS, COMPARED] * 2


def test_the_arm_stays_the_same_for_a_page(page, server, survey):
    """Whatever the generator would draw the next time."""
    answering.open_start(page, server, survey)
    for word in (0, 1, 3):  # of the first, the second and the third arm
        page.evaluate("word => { crypto.getRandomValues = (array) => array.fill(word); }", word)
        answering.press(page, "Start")
        assert page.evaluate("document.querySelector('main').dataset.arm") == DIRECT
        answering.press(page, "Back")


def test_only_the_questions_of_the_arm_are_shown_and_sent(page, server, survey):
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.post_data or ""))
    answering.open_start(page, server, survey)
    first = page.locator("main")
    assert "Chance puts you into one of 3 groups. Tell no one which." in first.inner_text()
    page.get_by_text("All odds, and what is kept").click()
    assert "With coins (2/4 of people): Question 3, protected" in first.inner_text()
    accessible.check(page, "the first page of a survey with arms")
    page.evaluate("document.querySelector('main').dataset.arm = '00'")
    answering.start(page)
    headings = []
    while answering.step(page).get_by_role("button", name="Send").count() == 0:
        headings.append(answering.heading(page))
        if headings[-1] == STOLEN:
            assert "Not protected: sent as you give it" in answering.step(page).inner_text()
        box = answering.step(page).get_by_role("textbox")
        box.fill("SENTINEL") if box.count() else answering.give(page, "Yes")
        answering.press(page, "Continue")
    assert headings == ["Do you own a car?", STOLEN, "What did you steal?", "Have you lied today?"]
    answering.send(page)
    assert "Asked directly" in page.locator("table.receipt").inner_text()
    (body,) = [one for one in sent if one.startswith("revision=")]
    names = [part.partition("=")[0] for part in body.split("&")]
    assert names[:5] == ["revision", "key", "path", "arm", "q001"]
    codes = dict(part.split("=") for part in body.split("&"))
    assert codes["arm"] == DIRECT
    assert (codes["q002"], codes["q003"], codes["q004"], codes["q005"]) == ("01", "--", "--", "..")


def test_with_an_own_coin_a_die_draws_the_arm(page, server, survey):
    page.goto(answering.address(server, survey, "own-coin"))
    group = page.get_by_role("group", name="Your group")
    assert "First draw your group. Throw a die." in group.inner_text()
    accessible.check(page, "own coin with arms")
    group.get_by_label("With coins · Die: 2–3").check()
    answering.fill_own_coin(page, {"Do you own a car?": "No", "Have you lied today?": "Yes"})
    for number, choice in ((2, "Not asked"), (3, "Yes"), (4, "Not asked")):
        page.locator(f"#question-{number}").get_by_label(choice, exact=True).check()
    answering.press(page, "Send")
    page.get_by_role("heading", name="This is everything that was sent").wait_for()
    row = Response.objects.get().answers
    assert row.endswith(COINS)
    assert row.startswith("00--01--")


@pytest.mark.usefixtures("_static_files")
def test_receipts_are_equally_long_in_all_arms_and_languages(client, owner):
    draft = make_arms_draft(owner, also_in="de ar")
    translate_all(draft, "de", "ar")
    survey = launched(draft)
    questionnaire = questionnaire_of(survey.revision)
    receipts = []
    for language in ("en", "de", "ar"):
        for arm in EVERY:
            body = body_of(survey.revision, codes_in(questionnaire, arm), arm=arm)
            with override(language):
                receipts.append(post(survey, body, client).content)
    assert len(set(map(len, receipts))) == 1
    assert "With coins äöü".encode() in receipts[4]
