"""Totals of randomized questions in a release: counted exactly, once, with what they tell."""

import json
from dataclasses import replace

import numpy as np
import pytest
from django.urls import reverse

from analytics.kinds.settings import SettingsError
from analytics.kinds.tables.released import TableRelease
from analytics.kinds.tables.settings import TableQuestion, TableSettings
from analytics.kinds.tables.totals import QuestionTotals, ReleasedTotals, has_totals
from analytics.models import Report
from analytics.queries import account_of, result_of
from analytics.services import totals
from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.models.refusals import NotPossible
from surveys.questionnaire.document import may_publish_totals
from surveys.questionnaire.logic.rules import rule_from
from surveys.randomized_response.designs import TwoCoins
from surveys.web.locales import speaking
from surveys.wording.texts import reports_explained
from tests.analytics.tabulating import ask, release
from tests.factories import (
    add_budget,
    add_long_scale,
    add_other_designs,
    add_question,
    launched,
    make_survey,
    make_user,
)
from tests.stored import store_rows

pytestmark = pytest.mark.django_db
TOWN, COINS, SCALE = 1, 2, 3
TOWNS = ("North", "South")
TOWNS_ALONE = TableSettings((TableQuestion(TOWN),), ((TOWN,),))


def asked(*numbers: int, **fields: object) -> TableSettings:
    return replace(TOWNS_ALONE, totals=numbers, **fields)


def draft_of(owner, **budget: object) -> Survey:
    """1: town, asked directly; 2: two coins; 3: a long scale; then designs of two questions."""
    draft = make_survey(owner)
    direct = dict(kind="choice", design=Question.Design.DIRECT, required=True)
    add_question(draft, *TOWNS, text="Where?", **direct)
    add_question(draft, text="Ever?", required=True)
    add_long_scale(draft)
    add_other_designs(draft)
    add_budget(draft, **{"source": "all", "adjacency": "replace_one", **budget})
    return draft


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    return made_once(make_answered_survey)


def make_answered_survey() -> Survey:
    """A thousand people, of whom 300 report Yes."""
    survey = launched(draft_of(make_user()))
    items = questionnaire_of(survey.revision).items[SCALE:]
    rest = "".join(item.reported_levels[0].code for item in items)
    rows = [f"{n % 2:02d}{int(n < 300):02d}{n % 3:02d}{rest}" for n in range(1000)]
    store_rows(survey.revision, rows)
    return survey


def released(survey: Survey, *numbers: int) -> TableRelease:
    report = release(survey, asked(*numbers))
    assert report.state == "done", report.problem
    found = result_of(report)
    assert found is not None
    return found


def test_reports_are_counted_exactly_and_cost_nothing(survey):
    found = released(survey, COINS)
    (coins,) = found.totals.questions
    assert dict(zip(coins.reports, coins.counts, strict=True)) == {"No": 700, "Yes": 300}
    assert account_of(survey).spent == found.cost
    assert [row.share for row in coins.shares] == pytest.approx([90, 10])


def test_the_statement_is_the_one_of_a_thousand_people_and_two_coins(survey):
    statement = released(survey, COINS).totals.statement
    assert statement.epsilon == pytest.approx(0.142, rel=0.01)
    assert statement.delta == 1e-6


def test_several_questions_are_stated_together_and_their_document_reads_back(survey):
    found = released(survey, COINS, SCALE)
    assert len(found.totals.statement.questions) == 2
    assert found.totals.statement.epsilon > 0.2
    assert found.totals.statement.epsilon < found.totals.statement.local
    document = json.loads(json.dumps(found.to_document()))
    assert TableRelease.from_document(document).totals == found.totals


@pytest.mark.parametrize(("people", "epsilon"), [(1000, 0.142), (6366, 0.051)])
def test_what_is_published_states_what_was_worked_out(people, epsilon):
    coins = TwoCoins(2).channel.integer_weights()
    one = QuestionTotals(
        "Ever?", ("No", "Yes"), (people, 0), ("No", "Yes"), coins.weights, coins.denominator
    )
    assert ReleasedTotals.of([one]).statement.epsilon == pytest.approx(epsilon, rel=0.01)


def test_twenty_people_and_none_are_said_to_gain_nothing():
    coins = TwoCoins(2).channel.integer_weights()
    one = QuestionTotals(
        "Ever?", ("No", "Yes"), (10, 10), ("No", "Yes"), coins.weights, coins.denominator
    )
    assert not ReleasedTotals.of([one]).statement.gains
    none = replace(one, counts=(0, 0))
    assert ReleasedTotals.of([none]).statement is None
    assert none.shares == []
    with_none = ReleasedTotals.of([one, none])
    assert with_none.statement == ReleasedTotals.of([one]).statement


def test_an_attack_on_what_is_published_stays_below_what_the_page_states(survey):
    """The reader knows all other truths: how often is a total more likely by e^epsilon?"""
    found = released(survey, COINS).totals
    rng, people, epsilon = np.random.default_rng(20261122), 1000, found.statement.epsilon
    others = rng.binomial(people - 1, 0.25, size=400_000)  # all other people say no
    totals_if = {yes: others + (rng.random(len(others)) < chance) for yes, chance in
                 ((False, 0.25), (True, 0.75))}  # fmt: skip
    laws = {yes: np.bincount(total, minlength=people + 1) / len(others)
            for yes, total in totals_if.items()}  # fmt: skip
    for first, second in ((True, False), (False, True)):
        gained = laws[first] - np.exp(epsilon) * laws[second]
        assert gained[gained > 0].sum() < 2e-3  # of sampling: exact laws are held elsewhere
    weak = laws[True] - np.exp(0.2 * epsilon) * laws[False]
    assert weak[weak > 0].sum() > 5e-3


def test_earlier_documents_have_no_totals(survey):
    document = released(survey, COINS).to_document()
    del document["totals"]
    assert TableRelease.from_document(document).totals is None
    assert "totals" not in TOWNS_ALONE.to_data()
    assert TableSettings.from_data(asked(COINS).to_data()) == asked(COINS)


# ---- What is refused -----------------------------------------------------------------------------


def test_totals_are_published_once(survey):
    released(survey, COINS)
    with pytest.raises(NotPossible, match="once for a survey"):
        ask(survey, asked(SCALE))
    assert release(survey, TOWNS_ALONE).state == "done"


def test_a_cancelled_release_does_not_stand_in_the_way_and_is_not_resumed_beside_another(survey):
    first = ask(survey, asked(COINS))
    Report.objects.filter(pk=first.pk).update(state="cancelled")
    released(survey, COINS)
    assert totals.why_no_totals(survey.revision, besides=first.pk) == totals.ONCE


@pytest.mark.parametrize("number", [TOWN, 6, 7, 8, 99, 0, -1])
def test_only_questions_that_a_device_randomizes_alone_are_counted(survey, number):
    with pytest.raises(
        SettingsError, match="choose randomized questions with answers to choose from"
    ):
        ask(survey, asked(number))
    assert not Report.objects.exists()


def test_no_total_tells_how_many_a_rule_over_direct_answers_asked(survey):
    """Its number of people would be an exact count of a direct answer."""
    coins = questionnaire_of(survey.revision).items[COINS - 1]
    assert has_totals(coins)
    assert not has_totals(replace(coins, rule=rule_from({"is": [1, "00"]})))


def test_the_same_question_twice_and_too_many_are_refused():
    with pytest.raises(SettingsError, match="each question only once"):
        asked(COINS, COINS)
    with pytest.raises(SettingsError, match="choose up to 10"):
        asked(*range(2, 13))


def test_where_the_number_of_people_is_hidden_no_total_tells_it(owner):
    survey = launched(draft_of(owner, adjacency="add_or_remove_one"))
    store_rows(survey.revision, [""])
    with pytest.raises(NotPossible, match="exactly how many people answered"):
        ask(survey, asked(COINS))


def test_respondents_who_were_not_told_are_not_counted(survey):
    questionnaire = questionnaire_of(survey.revision)
    told = "The exact count of each answer sent to a protected question may be published."
    assert told in " ".join(reports_explained(questionnaire))
    earlier = replace(questionnaire, wording=2)
    assert not may_publish_totals(earlier)
    with speaking(earlier):
        explained = " ".join(reports_explained(earlier))
    assert explained
    assert told not in explained
    assert "may be published as it is" not in explained


# ---- On pages ------------------------------------------------------------------------------------


def test_the_builder_offers_them_and_the_page_asks_before(client, survey):
    client.force_login(survey.owner)
    address = reverse("analytics:releases", args=[survey.pk])
    text = client.get(address).content.decode()
    assert "Count reported answers to randomized questions" in text
    assert '<option value="2">2. Ever?' in text
    query = {"ask1": "counts", "which": "alone", "percent": "10", "audience": "link"}
    asks = client.get(
        reverse("analytics:publish", args=[survey.pk]), {**query, "totals": [COINS, SCALE]}
    ).content.decode()
    assert (
        "Exact counts of the reported answers to these questions: 2, 3. "
        "These counts can be published only once." in asks
    )
    wrong = client.get(address, {**query, "totals": ["99"]}).content.decode()
    assert "99 is not one of the available choices" in wrong


def test_readers_see_counts_shares_and_the_statement(client, survey):
    report = release(survey, asked(COINS, is_public=True))
    page = client.get(reverse("releases:page", args=[report.pk])).content.decode()
    assert "Questions with randomized answers" in page
    assert "For people who see only this table, the protection is epsilon 0.15" in page
    assert "Limit for the tables of unprotected answers" in " ".join(page.split())
    assert "give nearly the same tables of direct answers" in page
    document = client.get(reverse("releases:json", args=[report.pk])).json()
    assert document["release"]["totals"]["questions"][0]["counts"] == [700, 300]
    assert document["totals_statement"].startswith("For people who see only this table")
