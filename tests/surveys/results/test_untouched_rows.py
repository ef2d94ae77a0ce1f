"""Pages of results read counts that are kept: however many answers there are, none is looked at."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from surveys.collecting.services import receive
from surveys.counts.queries import counted_anew, kept
from surveys.models import Comment, Response, Survey
from surveys.models.queries import questionnaire_of
from surveys.results.queries import item_counts
from tests.bodies import body_of, first_code
from tests.families import make_hidden_survey
from tests.surveys.counts.test_kept_counts import all_kinds, send

pytestmark = pytest.mark.django_db
ROWS = (Response._meta.db_table, Comment._meta.db_table)


@pytest.fixture
def survey(owner) -> Survey:
    survey = all_kinds(owner, batch_size=5)
    send(survey, 10)
    return survey


def reads_of_rows(client, address: str) -> list[str]:
    """The statements of one page that name a table of answers."""
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code in (200, 404)
    found = [query["sql"] for query in captured]
    assert any("surveys_answercount" in statement for statement in found)
    return [one for one in found if any(f'"{table}"' in one for table in ROWS)]


@pytest.mark.parametrize(
    "name", ["surveys:list", "surveys:dashboard", "surveys:codebook", "analytics:overview"]
)
def test_a_page_of_results_reads_no_answer(client, owner, survey, name):
    client.force_login(owner)
    address = reverse(name, args=[] if name == "surveys:list" else [survey.pk])
    assert reads_of_rows(client, address) == []


def test_a_chart_reads_no_answer(client, owner, survey):
    client.force_login(owner)
    for number in range(1, len(questionnaire_of(survey.revision).items) + 1):
        address = reverse("surveys:chart", args=[survey.pk, number])
        assert reads_of_rows(client, address) == [], number


def test_a_question_whose_rule_reads_protected_answers_reads_no_answer_either(client, owner):
    """Its reports are kept together with those of the questions that its rule reads."""
    survey = make_hidden_survey(owner, batch_size=5)
    items = questionnaire_of(survey.revision).items
    codes = [first_code(item, own_coin=False) for item in items]
    codes[4] = items[4].not_asked  # by the first answer, a direct No
    for _ in range(10):
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))
    counts = list(item_counts(survey.revision))
    assert [one.joint.by_codes.total() for one in counts if one.joint] == [10, 10]
    assert not [cell for one in counts for cell in one.by_code if cell.startswith("&")]
    client.force_login(owner)
    assert reads_of_rows(client, reverse("surveys:dashboard", args=[survey.pk])) == []
    assert kept(survey.revision.pk) == counted_anew(survey.revision.pk)


def test_a_download_of_answers_does_read_them(client, owner, survey):
    """So this test would notice a page that reads them."""
    client.force_login(owner)
    with CaptureQueriesContext(connection) as captured:
        b"".join(client.get(reverse("surveys:responses", args=[survey.pk])))
    assert any(f'"{ROWS[0]}"' in query["sql"] for query in captured)
