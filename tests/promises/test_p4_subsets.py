"""P4: chance draws which protected questions a person is asked, evenly, with any answers.

And P3 and P5 with it: of a question that is not drawn no true answer exists, and nothing that is
sent or shown is longer for one draw than for another.
"""

import itertools
import math
import re

import pytest
from django.urls import reverse
from scipy import stats

from surveys.models import Question, Response, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.submission import body_length, parse
from surveys.randomized_response.drawing import draw_subset
from tests import accessible
from tests.bodies import body_of, first_code
from tests.browser import answering
from tests.browser.following import follow
from tests.factories import (
    add_long_list,
    add_matrix,
    add_other_designs,
    add_question,
    add_ranking,
    add_rating,
    add_rounded,
    add_ticks,
    launched,
    make_survey,
)
from tests.posting import post, receipt_length
from tests.promises.test_p4_channel import OTHER_SOURCES, url
from tests.promises.test_p5_constant_shape import RANDOM_BODIES

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
    pytest.mark.one_tab,
]
FIVE_SIGMA = 2 * stats.norm.sf(5)
DRAW_MANY = """async ([url, size, count, draws]) => {
    const { drawSubset } = await import(url);
    const found = {};
    for (let draw = 0; draw < draws; draw += 1) {
        const key = [...drawSubset(size, count)].sort((a, b) => a - b).join();
        found[key] = (found[key] ?? 0) + 1;
    }
    return found;
}"""
DRAW_FROM = """async ([url, size, count, words]) => {
    const { drawSubset } = await import(url);
    const left = [...words];
    return [...drawSubset(size, count, () => left.shift())].sort((a, b) => a - b);
}"""
# The answers of each question that are in the page.
VALUES = """(names) => names.map((name) =>
    [...document.querySelectorAll(`fieldset[data-name=${name}] input`)].map(({ value }) => value))
"""
TEXTS = ("Have you shoplifted?", "Do you drink?", "Have you lied?", "Have you cheated?")


@pytest.fixture
def survey(owner) -> Survey:
    """Four protected questions, of which two are asked, around one that is not protected."""
    draft = make_survey(owner, asked=2)
    for text in TEXTS[:2]:
        add_question(draft, text=text, required=True)
    add_question(draft, text="Do you own a car?", design=Question.Design.DIRECT)
    for text in TEXTS[2:]:
        add_question(draft, text=text, required=True)
    return launched(draft)


@pytest.fixture
def every_kind(owner) -> Survey:
    """Every kind of protected question, of which three are asked."""
    draft = make_survey(owner, asked=3)
    add_other_designs(draft)
    add_long_list(draft)
    add_rating(draft, size=3, design=Question.Design.K_ARY, epsilon=3, text="How good?")
    add_ticks(draft, shown=2)
    add_matrix(draft)
    add_rounded(draft)
    add_ranking(draft)
    add_question(draft, text="Do you own a car?", design=Question.Design.DIRECT)
    return launched(draft)


def test_every_subset_is_drawn_equally_often(page, server):
    page.goto(server.url + url("channel"))
    draws = 10_000
    for size, count in ((4, 2), (5, 1), (5, 4)):
        found = page.evaluate(DRAW_MANY, [url("channel"), size, count, draws])
        assert len(found) == math.comb(size, count)
        assert stats.chisquare(list(found.values())).pvalue > FIVE_SIGMA


def test_the_page_draws_word_for_word_as_the_package_does(page, server):
    page.goto(server.url + url("channel"))
    for size, count, words in (
        (7, 3, [2**32 - 1, 12, 5, 2**31]),
        (60, 5, [59, 58, 57, 56, 55]),
        (2, 1, [1]),
    ):
        drawn = page.evaluate(DRAW_FROM, [url("channel"), size, count, words])
        assert drawn == sorted(draw_subset(size, count, words))


def test_the_page_draws_from_the_cryptographic_generator_before_anything_is_answered(
    page, server, survey
):
    with page.add_init_script(OTHER_SOURCES):
        answering.open_start(page, server, survey)
    assert page.evaluate("window.words") >= 2
    assert page.locator("[data-undrawn]").count() == 0
    assert page.locator("section[data-step=question]").count() == 3


def shown(page) -> list[str]:
    """The protected questions that are in the page at all."""
    content = page.content()
    return [text for text in TEXTS if text in content]


def test_a_question_that_is_not_drawn_is_nowhere_in_the_page(page, server, survey):
    """Whatever the generator says: each question is drawn once, and once it is not."""
    for word, drawn in ((0, TEXTS[:2]), (2, TEXTS[2:])):
        with page.add_init_script(f"crypto.getRandomValues = (array) => array.fill({word})"):
            answering.open_start(page, server, survey)
        assert shown(page) == list(drawn)
        values = page.evaluate(VALUES, ["q001", "q002", "q004", "q005"])
        assert values == [["01", "00"] if text in drawn else [] for text in TEXTS]


def test_without_the_draw_no_protected_question_can_be_answered_or_sent(
    page, server, survey, client
):
    """The page does not begin; one that is made to begin without it shows none of them."""

    def leave_out(route) -> None:
        reply = client.get(reverse("respondent:start", args=[survey.pk]))
        tag = r'<script type="module" src="[^"]*subset[^"]*"\s+integrity="[^"]*"></script>'
        text, count = re.subn(tag, "", reply.content.decode())
        assert count == 1
        route.fulfill(body=text.replace("subset", ""), headers=dict(reply.headers))

    page.route("**/surveys/collecting/subset*.js", lambda route: route.abort())
    page.goto(answering.address(server, survey), wait_until="networkidle")
    assert not page.get_by_role("button", name="Start", exact=True).last.is_visible()
    page.route(answering.address(server, survey), leave_out)
    answering.go_to_questions(page, server, survey)
    assert answering.heading(page) == "Do you own a car?"
    answering.give(page, "Yes")
    answering.press(page, "Continue")
    assert answering.heading(page) == "Send"


def test_the_draw_does_not_depend_on_the_answers(page, server, survey):
    """It is made before them: with any answers, the same questions are left out."""
    answering.open_start(page, server, survey)
    bodies = page.evaluate(RANDOM_BODIES, [url("send"), 200])
    fields = [dict(field.split("=") for field in body.split("&")) for body in bodies]
    undrawn = {frozenset(name for name, value in one.items() if value == "--") for one in fields}
    assert len(undrawn) == 1
    assert len({tuple(one.values())[3:] for one in fields}) > 5


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("own_coin", [False, True])
def test_bodies_and_receipts_of_all_draws_have_one_length(client, every_kind, own_coin):
    items = questionnaire_of(every_kind.revision).items
    questionnaire = Questionnaire.from_document(every_kind.revision.document)
    protected = [n for n, item in enumerate(items) if item.is_randomized]
    assert len(protected) == 12
    bodies, receipts, plain = set(), set(), set()
    for drawn in list(itertools.combinations(protected, 3))[::5]:  # each question in dozens
        undrawn = {*protected} - {*drawn}
        codes = [
            item.not_asked if n in undrawn else first_code(item, own_coin=own_coin)
            for n, item in enumerate(items)
        ]
        body = body_of(every_kind.revision, codes, own_coin=own_coin)
        revision = str(every_kind.revision.pk)
        plain.add(len(parse(body, questionnaire=questionnaire, revision=revision).plain))
        bodies.add(len(body))
        receipts.add(receipt_length(client, every_kind, body))
    assert bodies == {body_length(questionnaire)}
    assert (len(receipts), len(plain)) == (1, 1)


def test_a_thousand_ways_through_every_kind_have_one_length(page, server, every_kind):
    questionnaire = Questionnaire.from_document(every_kind.revision.document)
    answering.open_start(page, server, every_kind)
    bodies = page.evaluate(RANDOM_BODIES, [url("send"), 300])
    assert {len(body.encode()) for body in bodies} == {body_length(questionnaire)}
    for body in bodies[:20]:
        parse(body.encode(), questionnaire=questionnaire, revision=str(every_kind.revision.pk))


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("own_coin", [False, True])
@pytest.mark.parametrize("count", [0, 1, 3, 4])
def test_other_than_as_many_answers_are_refused_and_the_page_says_why(
    client, survey, own_coin, count
):
    codes = ["01" if n < count else "--" for n in range(4)]
    codes.insert(2, "01")
    reply = post(survey, body_of(survey.revision, codes, own_coin=own_coin), client)
    words = reply.content.decode()
    assert (reply.status_code, Response.objects.count()) == (400, 0)
    assert "These answers were not stored: " in words
    assert "This survey asks each person 2 of the protected questions, drawn by chance." in words
    assert words.count("Not drawn</span>") == (4 if own_coin else 0)


def test_a_survey_is_answered_with_the_script_and_by_own_coin_on_a_narrow_screen(
    page, page_without_script, server, survey
):
    page.set_viewport_size({"width": 320, "height": 640})
    answering.open_start(page, server, survey)
    assert "3 of 5. Chance draws 2. Tell no one which." in page.inner_text("main")
    page.get_by_text("All odds, and what is kept", exact=False).click()
    assert "You are asked 2 of the 4 protected questions." in page.inner_text("main")
    drawn = shown(page)
    answering.start(page)
    bar = page.locator("progress:visible")
    assert bar.evaluate("({ max, value }) => [max, value]") == [3, 1]
    asked = []
    while (heading := answering.heading(page)) != "Send":
        asked.append(heading)
        answering.give(page, "Yes")
        if len(asked) == 1:
            accessible.check_narrow(page, "a drawn question")
        answering.press(page, "Continue")
    assert sorted(asked) == sorted([*drawn, "Do you own a car?"])
    answering.send(page)
    assert page.get_by_text("they are the same").is_visible()
    assert page.get_by_text("(not asked)").count() == 2

    plain = page_without_script
    plain.set_viewport_size({"width": 320, "height": 640})
    plain.goto(answering.address(server, survey, "own-coin"))
    assert "First draw which 2 of the 4 protected questions" in plain.inner_text("main")
    assert "Die: 3" in plain.inner_text("main")
    choices = {"Do you drink?": "No", "Have you lied?": "Yes", "Have you cheated?": "Yes"}
    answering.fill_own_coin(plain, {**choices, "Do you own a car?": "No"})
    follow(plain.get_by_role("button", name="Send"))
    assert "they answer 3 protected questions." in plain.inner_text("h1")
    lied = plain.get_by_role("group", name="Have you lied?")
    assert "answer truthfully" in lied.inner_text()
    lied.get_by_label("Not drawn").check()
    follow(plain.get_by_role("button", name="Send again"))
    assert plain.inner_text("h1") == "This is everything that was sent"
    rows = sorted(Response.objects.values_list("answers", flat=True))
    assert len(rows) == 2
    assert "--00" + "00" + "--01" in rows
    page.goto(answering.address(server, survey, "own-coin"))
    accessible.check(page, "own coin with a die")
    answering.fill_own_coin(page, {"Do you own a car?": "No"})
    follow(page.get_by_role("button", name="Send"))
    accessible.check(page, "too few answers")
