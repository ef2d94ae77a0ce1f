"""P5: neither what is sent nor its receipt tells in which language a person answered."""

from collections import Counter

import pytest
from django.utils.translation import override

from surveys.authoring.services import launch
from surveys.models import Survey
from surveys.models.queries import languages_of
from tests.bodies import body_of
from tests.factories import (
    add_day,
    add_long_list,
    add_matrix,
    add_one_of_each,
    add_other_designs,
    add_pages,
    add_ranking,
    add_rating,
    add_rounded,
    add_text,
    add_ticks,
    make_survey,
)
from tests.posting import post
from tests.translated import translate_all

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
    pytest.mark.usefixtures("_static_files"),
]
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture(params=[False, True], ids=["formal", "informal"])
def survey(owner, request) -> Survey:
    """One question of every kind in three languages, one of which has an informal address."""
    draft = make_survey(owner, also_in="de ar", informal=request.param)
    for add in (
        add_one_of_each,
        add_other_designs,
        add_long_list,
        add_text,
        add_ticks,
        add_matrix,
        add_rounded,
        add_day,
        add_ranking,
        add_rating,
        add_pages,
    ):
        add(draft)
    translate_all(draft, "de", "ar")
    launch(survey=draft, by=owner)
    return Survey.objects.get(pk=draft.pk)


def receipt_of(survey: Survey, language: str, *, own_coin: bool) -> bytes:
    with override(language):
        reply = post(survey, body_of(survey.revision, own_coin=own_coin))
    assert reply.status_code == 200, reply.content.decode()
    return reply.content


def test_receipts_are_equally_long_and_rows_alike_in_every_language(survey):
    """On each path."""
    for own_coin in (False, True):
        receipts = {
            language: receipt_of(survey, language, own_coin=own_coin)
            for language in languages_of(survey.revision.pk)
        }
        assert len({len(receipt) for receipt in receipts.values()}) == 1
        assert len(set(receipts.values())) == len(receipts)  # they do say it in other words
    rows = Counter(
        tuple(value for name, value in row.items() if name != "id")
        for row in survey.revision.responses.values()
    )
    assert list(rows.values()) == [3, 3]
