"""Estimates among those asked, where protected answers decide who that is."""

from collections import Counter

import numpy as np
import pytest
from django.urls import reverse

from surveys.collecting.services import receive
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.drawing import draw_reports
from surveys.results.queries import ItemCounts, item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from tests.bodies import body_of, first_code
from tests.families import make_family_survey

PEOPLE = 300
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]
WAYS = (0.4, 0.1, 0.15, 0.05, 0.05, 0.15, 0.1)  # as ``families.add_family`` has them


@pytest.fixture
def survey(owner) -> Survey:
    return make_family_survey(owner, batch_size=1)


def reports_of(survey: Survey):
    return [
        question_report(number, counts, Reading())
        for number, counts in enumerate(item_counts(survey.revision), start=1)
    ]


def send_family(survey: Survey, truths: np.ndarray, rng: np.random.Generator) -> None:
    items = questionnaire_of(survey.revision).items
    family = items[1]
    for report in draw_reports(family.integer_channel, truths, rng):
        codes = [first_code(item, own_coin=False) for item in items]
        codes[1] = family.levels[report].code
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))


def test_simulated_respondents_are_estimated_among_those_asked(survey, client):
    rng = np.random.default_rng(17)
    truths = rng.choice(len(WAYS), size=PEOPLE, p=WAYS)
    send_family(survey, truths, rng)
    share = np.bincount(truths, minlength=7) / PEOPLE
    reports = reports_of(survey)
    for row, true in zip(reports[1].rows, share, strict=True):
        assert abs(row.share - true) < 4 * row.standard_error
    once, often = reports[1].among_asked
    assert (once.label, often.label) == ("Once, on all ways", "Often, on all ways")
    assert abs(once.share - share[1:5].sum()) < 4 * once.standard_error
    little, much = reports[2].among_asked
    assert abs(little.share - share[1] / share[1:5].sum()) < 4 * little.standard_error
    assert little.share + much.share == pytest.approx(1)
    yes = reports[4].among_asked[0]
    assert abs(yes.share - share[5] / share[5:].sum()) < 4 * yes.standard_error
    client.force_login(survey.owner)
    page = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert page.count("Among the estimated") == 3
    assert "Its answers are part of the report of question 2." in page
    assert client.get(reverse("surveys:chart", args=[survey.pk, 3])).status_code == 200
    assert client.get(reverse("surveys:break-down", args=[survey.pk])).status_code == 200


def test_of_fewer_than_a_batch_who_were_asked_nothing_is_shown(survey):
    items = questionnaire_of(survey.revision).items
    family = items[1]
    counts = Counter({level.code: 100 for level in family.levels})
    asked = ItemCounts(items[4], counts, family=family, batch_size=150)
    report = question_report(5, asked, Reading())
    assert len(report.among_asked) == 2
    assert "about 200 people" in report.asked_words
    few = question_report(5, ItemCounts(items[4], counts, family=family, batch_size=201), Reading())
    assert few.among_asked == ()
    assert few.asked_words == (
        "By estimate, fewer than 201 people were asked, so nothing is shown of their answers alone."
    )


def test_the_interval_is_that_of_fieller_for_one_look(survey):
    items = questionnaire_of(survey.revision).items
    counts = Counter({level.code: 100 + 40 * n for n, level in enumerate(items[1].levels)})
    asked = ItemCounts(items[4], counts, family=items[1], batch_size=1)
    assert "Fieller" in question_report(5, asked, Reading()).among_asked[0].shown.note
    live = question_report(5, asked, Reading("confidence-sequence")).among_asked[0]
    assert live.interval.width > question_report(5, asked, Reading()).among_asked[0].interval.width


def test_the_files_have_one_column_for_a_family_and_say_how_to_read_it(survey, client):
    send_family(survey, np.array([2]), np.random.default_rng(1))
    client.force_login(survey.owner)
    lines = b"".join(client.get(reverse("surveys:responses", args=[survey.pk])).streaming_content)
    header = lines.decode().splitlines()[0]
    assert header == "q001,q002,q006"
    book = client.get(reverse("surveys:codebook", args=[survey.pk])).json()
    column = book["columns"][1]
    assert column["members"] == [2, 3, 4, 5]
    assert column["ways"][2] == ["01", "01", "01", "--"]
    assert column["questions"][1] == {
        "number": 3,
        "text": "What was it worth?",
        "asked_only": "Asked only of people of whom this holds: they answered “Once” to question "
        "2. Its answers are part of the report of question 2.",
        "answers": [{"code": "00", "label": "Little"}, {"code": "01", "label": "Much"}],
    }
    assert "Fieller" in column["how_to_read_family"]
    weights = np.array(column["weights"]) / column["denominator"]
    assert weights.sum(axis=1) == pytest.approx(1)
