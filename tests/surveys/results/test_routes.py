"""Estimates of a question that a rule asks: among those asked, and of enough people only."""

from collections import Counter

import pytest
from django.urls import reverse

from surveys.authoring.drafts import draft_questionnaire
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.results.queries import ItemCounts
from surveys.results.routes import route_of
from tests.bodies import first_code
from tests.factories import add_question, make_survey
from tests.families import make_hidden_draft
from tests.routed import make_routed_survey
from tests.stored import store_rows

pytestmark = pytest.mark.survey(make=make_routed_survey, batch_size=5)

NO, YES = "00", "01"


def store(survey, car: str, drunk: str, count: int) -> None:
    """So many rows of people aged 45 with this answer about a car, and this report."""
    questionnaire = questionnaire_of(survey.revision)
    codes = [first_code(item, own_coin=False) for item in questionnaire.items]
    codes[:3] = [car, "045", drunk]
    codes[5] = ""
    asked = questionnaire.routes.asked_of(codes)
    pairs = zip(questionnaire.items, codes, asked, strict=True)
    row = "".join(code if one else item.not_asked for item, code, one in pairs)
    store_rows(survey.revision, [row] * count)


def page_of(client, owner, survey) -> str:
    client.force_login(owner)
    return client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()


def test_shares_are_among_those_asked(client, owner, survey):
    store(survey, YES, YES, 8)
    store(survey, YES, NO, 2)
    store(survey, NO, NO, 30)
    client.force_login(owner)
    context = client.get(reverse("surveys:dashboard", args=[survey.pk])).context
    report = context["questions"][2]
    assert (report.n, report.not_asked) == (10, 30)
    # Two coins: (8/10 - 1/4) / (1/2) of those asked, cut at 100 %.
    assert (report.rows[0].label, report.rows[0].share) == ("Yes", pytest.approx(1.1))
    tickets = context["questions"][4]
    assert (tickets.n, tickets.not_asked, tickets.declined) == (30, 10, 0)
    assert tickets.mean == 0


def test_the_page_says_among_whom(client, owner, survey):
    store(survey, YES, YES, 8)
    store(survey, NO, NO, 30)
    page = " ".join(page_of(client, owner, survey).split())
    assert (
        "they answered “Yes” to question 1. The estimates describe the people who were asked."
        in page
    )
    assert (
        "30 people are left out: these people did not meet the condition of this question and were "
        "not asked." in page
    )


def test_nothing_is_shown_of_fewer_people_than_a_batch(client, owner, survey):
    store(survey, YES, YES, 4)
    store(survey, NO, NO, 30)
    page = page_of(client, owner, survey)
    assert page.count("Fewer than 5 people have been asked this question so far.") == 3
    chart = reverse("surveys:chart", args=[survey.pk, 3])
    assert client.get(chart).status_code == 404
    store(survey, YES, YES, 1)
    assert client.get(chart).status_code == 200
    assert (
        page_of(client, owner, survey).count(
            "Fewer than 5 people have been asked this question so far."
        )
        == 1
    )


def missing(questionnaire: Questionnaire, number: int, count: int = 3) -> str:
    """What is said of so many rows without an answer to a question."""
    item = questionnaire.items[number - 1]
    counts = ItemCounts(item, Counter({item.not_asked: count, item.levels[0].code: 9}))
    return route_of(questionnaire, counts, count + 9).missing


def test_rows_that_a_coin_left_out_are_not_said_to_be_left_out_by_a_rule(owner):
    """All people send a report of what protected answers hide; a coin asks none two levels deep."""
    questionnaire = draft_questionnaire(make_hidden_draft(owner))
    deeper = questionnaire.items[5]
    assert deeper.rule is not None
    assert not deeper.is_offered_with_own_coin
    assert missing(questionnaire, 6) == (
        "3 more rows have no answer to this question and are left out. The reason: this question "
        "cannot be asked with a person's own coin."
    )
    assert missing(questionnaire, 6, 1) == (
        "1 more row has no answer to this question and is left out. The reason: this question "
        "cannot be asked with a person's own coin."
    )
    assert missing(questionnaire, 6, 0) == ""
    assert missing(questionnaire, 5) == (
        "3 people are left out: these people did not meet the condition of this question and were "
        "not asked."
    )


def test_rows_for_which_a_question_was_not_drawn_say_so(owner):
    draft = make_survey(owner, asked=1)
    add_question(draft)
    add_question(draft, *"ABC", kind="choice", design="k_ary", epsilon="1.7")
    questionnaire = draft_questionnaire(draft)
    assert missing(questionnaire, 1).endswith(
        "are left out: chance did not choose this question for these people."
    )
    assert missing(questionnaire, 2).endswith(
        "are left out. The reason: chance did not choose the question for these people, or the "
        "question cannot be asked with a person's own coin."
    )
