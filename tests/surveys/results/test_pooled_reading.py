"""Behind a pooler, all rows are read block by block: no statement brings more than a block."""

import re
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from surveys.models import Openings, Response, Survey
from surveys.models.queries import opened_comments, opened_responses, read_all, read_opened
from surveys.results.exports import responses_csv, texts_csv
from tests import factories
from tests.stored import store_rows, store_texts

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
BLOCK, ROWS = 10, 35


@pytest.fixture
def survey(owner) -> Survey:
    draft = factories.make_survey(owner)
    factories.add_serial_number(draft, width=5)
    factories.add_text(draft)
    survey = factories.launched(draft)
    store_rows(survey.revision, [f"{place:05d}" for place in range(ROWS)])
    store_texts(survey.revision, 2, [f"text {place}" for place in range(ROWS)])
    return survey


@pytest.fixture
def pooled(monkeypatch) -> None:
    """What DENIABLE_DATABASE_POOLED switches on."""
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)


def keys_in_order(rows) -> list[UUID]:
    return sorted(rows.values_list("pk", flat=True))


@pytest.mark.usefixtures("pooled")
@pytest.mark.parametrize("opened", [opened_responses, opened_comments])
def test_every_row_comes_once_in_blocks_of_statements_of_their_own(survey, opened):
    rows = opened(survey.revision.pk)
    with CaptureQueriesContext(connection) as captured:
        found = [key for (key,) in read_all(rows, "pk", at_once=BLOCK)]
    assert found == keys_in_order(rows)
    limits = [re.search(r"LIMIT (\d+)$", query["sql"]) for query in captured]
    assert [limit and int(limit[1]) for limit in limits] == [BLOCK] * 5  # the last finds nothing


def test_a_file_is_the_same_with_a_pooler_and_without(survey, monkeypatch):
    straight = [*responses_csv(survey.revision)], [*texts_csv(survey.revision)]
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    assert ([*responses_csv(survey.revision)], [*texts_csv(survey.revision)]) == straight
    assert len(straight[0]) == len(straight[1]) == ROWS + 1


@pytest.mark.usefixtures("pooled")
def test_an_opening_that_ends_while_rows_are_read_stays_out_as_a_whole(survey):
    before = keys_in_order(opened_responses(survey.revision.pk))
    key = survey.revision.pk
    left = read_opened(opened_responses(key), key, "pk", at_once=BLOCK)
    first = next(left)
    state, _ = Openings.objects.get_or_create(
        revision=survey.revision, defaults={"since": survey.revision.launched_at.date()}
    )
    store_rows(survey.revision, ["99999"] * BLOCK, opening=state.done + 1)
    Openings.objects.filter(pk=state.pk).update(done=state.done + 1)
    assert [first, *left] == [(key,) for key in before]
    assert opened_responses(survey.revision.pk).count() == Response.objects.count() == ROWS + BLOCK
