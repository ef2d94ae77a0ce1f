"""The page for people who flip their own coin: what it takes, what it keeps, when it is offered."""

import re
from dataclasses import replace
from decimal import Decimal

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from surveys.authoring.drafts import draft_questionnaire
from surveys.collecting import rows
from surveys.models import Question, Response, Survey
from surveys.models.queries import questionnaire_of
from tests import kept
from tests.bodies import body_of
from tests.factories import (
    add_question,
    add_rating,
    add_text,
    launched,
    make_lists,
    make_open_survey,
    make_survey,
    make_user,
)
from tests.posting import post

pytestmark = [pytest.mark.usefixtures("_static_files"), pytest.mark.one_database]
owner = kept.owner
hours = survey = kept.survey


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(make_hours_survey)


def make_hours_survey() -> Survey:
    """A protected question, a number with two decimal places, a text."""
    draft = make_survey(make_user())
    add_question(draft)
    add_question(
        draft,
        text="How many hours?",
        kind=Question.Kind.NUMBER,
        design=Question.Design.DIRECT,
        minimum=Decimal(0),
        maximum=Decimal(24),
        decimal_places=2,
    )
    add_text(draft)
    return launched(draft)


def fields_on(page: str) -> dict[str, str]:
    """The fields of the page's form, with what they would send."""
    found = dict(re.findall(r'<input[^>]*? name="(\w+)"[^>]*? value="([^"]*)"', page))
    areas = re.findall(r'<textarea[^>]*? name="(\w+)"[^>]*>\n?([^<]*)<', page)
    return {**found, **dict(areas)}


@pytest.mark.parametrize("typed", ["7.5", "7%2C5", "07.50"])
def test_a_number_counts_however_it_is_written(hours, typed):
    reply = post(hours, body_of(hours.revision, ["00", typed, ""], own_coin=True))
    assert reply.status_code == 200
    assert Response.objects.get().answers == "0007.50"


def test_a_refused_number_keeps_all_answers_and_can_be_corrected(hours):
    key = "0123456789abcdef" * 2
    codes = ["01", "25", "As+I+said%2C+no"]
    reply = post(hours, body_of(hours.revision, codes, own_coin=True, key=key))
    page = reply.content.decode()
    assert (reply.status_code, Response.objects.count()) == (400, 0)
    assert "How many hours?" in page
    assert "Write a number from 0.00 to 24.00" in page
    kept = fields_on(page)
    assert kept["key"] == key
    assert (kept["q001"], kept["q002"], kept["q003"]) == ("01", "25", "As I said, no")
    assert re.search(r'<input[^>]* name="q002"[^>]* aria-invalid="true"', page)
    assert 'type="hidden" name="q001"' in page
    corrected = body_of(hours.revision, ["01", "2,5".replace(",", "%2C"), codes[2]], own_coin=True)
    assert post(hours, corrected).status_code == 200
    assert Response.objects.get().answers == "0102.50"


def test_a_text_that_is_too_long_is_kept_to_be_shortened(hours):
    reply = post(hours, body_of(hours.revision, ["01", "7", "a" * 101], own_coin=True))
    page = reply.content.decode()
    assert (reply.status_code, Response.objects.count()) == (400, 0)
    assert fields_on(page)["q003"] == "a" * 101
    assert "What else?" in page


def test_the_page_asks_for_a_number_in_words_that_fit_it(owner, hours):
    survey = make_open_survey(owner)
    asked = Client().get(reverse("respondent:own-coin", args=[hours.pk])).content.decode()
    assert "such as 12.5." in asked
    assert "type all digits (such as 12.50)" in " ".join(asked.split())
    whole = Client().get(reverse("respondent:own-coin", args=[survey.pk])).content.decode()
    assert "such as 69." in whole
    assert "Whole numbers only." in whole


def page_of(survey: Survey, name: str) -> str:
    return Client().get(reverse(f"respondent:{name}", args=[survey.pk])).content.decode()


def test_a_path_that_asks_nothing_is_not_offered_and_sends_nothing(owner, hours):
    lists = make_lists(owner)
    assert "own-coin/" in page_of(hours, "start")
    assert "<button>" in page_of(hours, "own-coin")
    assert "own-coin/" not in page_of(lists, "start")
    assert "use your own coin" not in page_of(lists, "how-it-works")
    asks_nothing = page_of(lists, "own-coin")
    assert "<form" not in asks_nothing
    assert "<button" not in asks_nothing
    assert "You cannot answer this survey with your own coin" in asks_nothing
    reply = post(lists, body_of(lists.revision, own_coin=True))
    assert (reply.status_code, Response.objects.count()) == (400, 0)
    assert (
        "this page needs its script to ask the questions of this survey" in reply.content.decode()
    )


@pytest.fixture
def drawn(owner) -> Survey:
    """Two of four protected questions are asked; one of them no coin can ask."""
    draft = make_survey(owner, asked=2)
    add_question(draft, text="First?", required=True)
    add_question(draft, text="Drunk?", design="warner", p_sensitive="0.7310586", required=True)
    add_question(draft, text="Own a car?", design=Question.Design.DIRECT, required=True)
    add_question(draft, text="Second?", required=True)
    add_question(draft, text="Third?", required=True)
    return launched(draft)


def test_the_page_says_how_to_draw_and_starts_with_nothing_drawn(drawn):
    page = Client().get(reverse("respondent:own-coin", args=[drawn.pk])).content.decode()
    assert "First draw which 2 of the 4 protected questions you answer." in page
    assert "it counts as drawn. Do not draw another one for it." in page
    assert re.findall(r"Die: ([0-9–]+)", page) == ["1", "2", "3", "4"]
    assert page.count("Not drawn</span>") == 3
    assert len(re.findall(r'value="--" required checked', page)) == 3
    assert fields_on(page)["q002"] == "--"


@pytest.mark.parametrize("levels", [3, 11])
def test_a_rating_starts_as_not_drawn_in_all_of_its_items(owner, levels):
    """As buttons, and as lists where these would be too many."""
    draft = make_survey(owner, asked=1)
    scale = [f"Level {level}" for level in range(levels)]
    k_ary = {"design": "k_ary", "epsilon": Decimal(3), "required": True}
    add_rating(draft, *scale, text="How good?", size=2, **k_ary)
    add_question(draft, text="Second?", required=True)
    questionnaire = draft_questionnaire(draft)
    rating, other = questionnaire.items
    weights = tuple(tuple(1 + (i == j) for j in range(levels)) for i in range(levels))
    exact = replace(rating, weights=weights, denominator=levels + 1)
    asked = replace(questionnaire, items=(exact, other))
    page = render_to_string(rows.OWN_COIN, rows.own_coin_context(asked))
    assert exact.is_offered_with_own_coin
    assert len(re.findall(r'value="---"[^>]*(?:checked|selected)', page)) == 2


def test_the_draft_s_preview_draws_as_the_survey_does(owner, client):
    draft = make_survey(owner, asked=1)
    for text in ("First?", "Second?"):
        add_question(draft, text=text)
    client.force_login(owner)
    page = client.get(reverse("admin:surveys_survey_preview", args=[draft.pk])).content.decode()
    assert 'data-asked="1"' in page
    assert page.count("data-undrawn") == 2
    assert len(re.findall(r'<script type="module" src="[^"]*/subset\.', page)) == 1
    address = reverse("admin:surveys_survey_preview_own_coin", args=[draft.pk])
    assert client.get(address).content.decode().count("Not drawn</span>") == 2


def test_an_answer_to_one_question_too_many_is_corrected_on_the_page_that_refuses_it(drawn):
    sent = ["01", "--", "00", "01", "00"]
    page = post(drawn, body_of(drawn.revision, sent, own_coin=True)).content.decode()
    assert "they answer 3 protected questions. This survey asks" in page
    chosen = re.findall(r'name="(q\d+)" value="([0-9-]+)" required checked', page)
    assert chosen == [("q001", "01"), ("q004", "01"), ("q005", "00")]
    assert (page.count("Flip a coin. Heads: answer truthfully."), page.count("Die: ")) == (3, 3)
    corrected = fields_on(page) | {"q001": "01", "q004": "--", "q005": "00"}
    again = "&".join(f"{name}={value}" for name, value in in_order(drawn, corrected)).encode()
    assert post(drawn, again).status_code == 200
    assert Response.objects.get().answers == "01--00--00"


@pytest.mark.parametrize(("answered", "status"), [(0, 400), (1, 200), (2, 200), (3, 400)])
def test_who_drew_what_no_coin_can_ask_answers_one_less(drawn, answered, status):
    codes = ["01" if place < answered else "--" for place in range(3)]
    sent = [codes[0], "--", "00", *codes[1:]]
    assert post(drawn, body_of(drawn.revision, sent, own_coin=True)).status_code == status


def in_order(survey: Survey, fields: dict[str, str]) -> list[tuple[str, str]]:
    """A form's fields as a browser sends them: in the order of the page."""
    return [(name, fields[name]) for name in questionnaire_of(survey.revision).form.names]
