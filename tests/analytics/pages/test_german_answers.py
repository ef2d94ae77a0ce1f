"""Comparisons and trees in German: their pages, charts, forms, and what was stored of them."""

from decimal import Decimal
from fractions import Fraction
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils.translation import override

from analytics import services, tasks
from analytics.kinds.private_trees import PrivateTreeSettings
from analytics.models import Report
from analytics.queries import result_of
from analytics.reports.comparisons import in_words
from analytics.reports.names import name_words
from analytics.reports.registry import ANSWER_KINDS
from analytics.sources.survey_answers import POOLED
from surveys.reports.documents import Items
from tests.analytics import answering
from tests.analytics.answering import AGE, CHEAT, MOOD, TOWN
from tests.analytics.pages.visits import address
from tests.factories import make_user
from tests.surveys.staff.test_german_pages import left_on

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(lambda: answering.make_compared_survey(make_user()))


def shown(client, survey, report: Report) -> str:
    """The page of a report, after it was held to be German."""
    page = address("report", survey, report.pk)
    assert report.state == Report.State.DONE, report.problem
    assert left_on(client, survey, page) == []
    return client.get(page).content.decode()


def test_a_comparison(german, survey):
    page = shown(german, survey, answering.compared(survey))
    for words in (
        "muss sich eine Antwort im Mittel um",
        "Stufen der Skala",
        "200 zufällige Aufteilungen der gesendeten Antworten",
    ):
        assert words in page
    assert left_on(german, survey, reverse("surveys:dashboard", args=[survey.pk])) == []


def test_a_comparison_of_groups_that_a_device_hides(german, survey):
    page = shown(german, survey, answering.compared(survey, by=CHEAT))
    assert "zufällige Paarungen" in page


def test_a_comparison_of_answers_without_an_order(german, survey):
    metric = ((0.0, 1.0, 2.0), (1.0, 0.0, 1.0), (2.0, 1.0, 0.0))
    report = answering.compared(survey, TOWN, by=CHEAT, metric=metric)
    assert "kein mittleres Muster" in shown(german, survey, report)


# Distances of people are 600 linear programs, each as large as two groups.
@pytest.mark.parametrize(
    ("people", "questions"), [(45, (MOOD, AGE)), (300, (MOOD, CHEAT))], ids=["people", "a grid"]
)
def test_several_questions_at_once(german, owner, people, questions):
    survey = answering.make_compared_survey(owner, people)
    assert "Streuungen" in shown(german, survey, answering.clouded(survey, questions))


def test_a_tree(german, survey):
    page = shown(german, survey, answering.grown(survey))
    assert "Dieser Baum hat 1 Frage gefunden, die mit der erklärten Frage zusammenhängt." in page
    assert "Wenn „1. Where do you live?“ ist „South“, dann antworten" in page


def test_a_tree_says_in_english_what_is_stored(survey):
    stored = result_of(answering.grown(survey))
    sentences, _ = ANSWER_KINDS["tree"].show(stored).all_of(Items)
    assert sentences.texts == stored.sentences


def test_a_private_tree_and_what_it_asks(german, owner):
    survey = answering.make_compared_survey(owner, budget={"epsilon": Decimal(8)})
    asking = address("private-tree", survey)
    assert left_on(german, survey, asking) == []
    settings = PrivateTreeSettings(MOOD, (TOWN,), depth=1)
    report = services.request_report(
        survey=survey,
        kind="private_tree",
        settings=settings,
        share=Fraction(1, 2),
        by=owner,
        later=tasks.make_later,
        key=uuid4(),
    )
    found = "Dieser Baum hat 1 Frage gefunden, die mit der erklärten Frage zusammenhängt."
    nothing = "keine andere Antwort, die mit den Antworten auf diese Frage einhergeht."
    page = shown(german, survey, answering.finished(report))
    assert found in page or nothing in page  # as the noise falls
    assert left_on(german, survey, asking) == []


@pytest.mark.parametrize("name", ["groups", "clouds", "tree", "private-tree"])
def test_a_form_and_what_it_refuses(german, survey, name):
    assert left_on(german, survey, address(name, survey)) == []
    reply = german.post(address(f"ask-{name}", survey), {"question": 1, "by": 1, "key": uuid4()})
    if name != "private-tree":  # without a budget there is no form
        assert "Der Bericht wurde nicht angefordert" in reply.content.decode()


def test_two_comparisons_side_by_side(german, survey):
    page = address("compare-groups", survey)
    assert left_on(german, survey, page) == []
    first, second = answering.compared(survey), answering.compared(survey, level=0.9)
    assert left_on(german, survey, page, first=first.pk, second=second.pk) == []


def test_charts_and_files(german, survey):
    report = answering.compared(survey)
    picture = address("picture", survey, report.pk, "cumulative")
    drawn = german.get(picture, {"as": "vl.json"}).json()
    assert "Anteil der Menschen" in str(drawn)
    lines = b"".join(german.get(address("csv", survey, report.pk))).decode()
    assert "random splits" in lines  # programs read it


def test_a_language_is_chosen_as_a_page_is_shown(survey):
    result = result_of(answering.compared(survey))
    with override("de"):
        assert "Aufteilungen" in in_words(result).pairs[0].test
    assert "splits" in in_words(result).pairs[0].test


def test_names_that_no_author_wrote_are_german():
    with override("de"):
        assert [name_words(POOLED), name_words("A")] == ["Übrige Gruppen, zusammengefasst", "A"]
        # As reports of version 0.1.0 have it.
        assert name_words("Other groups, pooled") == name_words(POOLED)
