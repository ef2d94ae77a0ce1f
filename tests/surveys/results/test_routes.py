"""Estimates of a question that a rule asks: among those asked, and of enough people only."""

import pytest
from django.urls import reverse

from surveys.models.queries import questionnaire_of
from tests.bodies import first_code
from tests.routed import make_routed_survey
from tests.stored import store_rows

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


@pytest.fixture
def survey(owner):
    return make_routed_survey(owner, batch_size=5)


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
    assert "they answered “Yes” to question 1. Estimates are among those asked." in page
    assert "30 more rows have no answer to this question: its rule did not ask these people" in page


def test_nothing_is_shown_of_fewer_people_than_a_batch(client, owner, survey):
    store(survey, YES, YES, 4)
    store(survey, NO, NO, 30)
    page = page_of(client, owner, survey)
    assert page.count("Fewer than 5 people were asked so far.") == 3
    chart = reverse("surveys:chart", args=[survey.pk, 3])
    assert client.get(chart).status_code == 404
    store(survey, YES, YES, 1)
    assert client.get(chart).status_code == 200
    assert page_of(client, owner, survey).count("Fewer than 5 people were asked so far.") == 1
