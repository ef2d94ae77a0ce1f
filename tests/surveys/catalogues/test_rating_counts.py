"""Ratings once they are sent: counted by the flush, recounted, downloaded and erased."""

import numpy as np
import pytest
from django.db import DatabaseError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from surveys.authoring import services as authoring_services
from surveys.authoring.services import close
from surveys.catalogues.queries import (
    catalogue_items,
    rating_counts,
    rating_questions,
    recounted,
    starting_counts,
)
from surveys.collecting.services import receive
from surveys.models import CatalogueItem, Question, RatingCount, Response, Survey
from surveys.operations import retention
from surveys.operations.checks import counted
from surveys.operations.checks.findings import Severity
from surveys.operations.contents import CONTENTS
from surveys.results.codebook.book import codebook
from surveys.results.exports import responses_csv
from tests.bodies import body_of, first_code, items_of, rating_code
from tests.factories import add_rating, make_catalogue, make_rating_survey, make_survey
from tests.faults import refused
from tests.rivals import at_once

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.survey(make=make_rating_survey, batch_size=5),
]
DESIGNS = Question.Design


def send(survey: Survey, *ratings: dict[int, int]) -> None:
    """One submission with these ratings; the questions that are left out get some answer."""
    asked = items_of(survey)
    codes = [rating_code(item, given) for item, given in zip(asked, ratings, strict=False)]
    codes += [first_code(item, own_coin=False) for item in asked[len(ratings) :]]
    receive(survey_id=survey.pk, body=body_of(survey.revision, codes))


# ---- What is counted ---------------------------------------------------------------------------


@pytest.mark.both_databases
def test_counts_are_those_of_every_batch_together(survey):
    for turn in range(7):
        send(survey, {1: turn % 4, 2: 0, 3: 1, 4: 3}, {5: 2, 12: turn % 3})
    item, few = items_of(survey)[:2]
    assert RatingCount.objects.exists()
    stored = rating_counts(survey.revision, item.id)
    assert stored.tolist() == [[2, 1, 1, 1], [5, 0, 0, 0], [0, 5, 0, 0], [0, 0, 0, 5]]
    close(survey=survey, by=survey.owner)
    stored = rating_counts(survey.revision, item.id)
    assert stored.dtype == np.int64
    assert stored.tolist() == [[2, 2, 2, 1], [7, 0, 0, 0], [0, 7, 0, 0], [0, 0, 0, 7]]
    assert rating_counts(survey.revision, few.id)[[4, 11]].tolist() == [
        [0, 0, 7],
        [3, 2, 2],
    ]
    for item, table in recounted(survey.revision):
        assert (table == rating_counts(survey.revision, item.id)).all()


def test_ratings_that_were_not_asked_are_not_counted(survey):
    for _ in range(5):
        receive(survey_id=survey.pk, body=body_of(survey.revision, own_coin=True))
    asked, not_asked = items_of(survey)[0], items_of(survey)[2]
    assert rating_counts(survey.revision, asked.id).sum() == 5 * 4
    assert rating_counts(survey.revision, not_asked.id).sum() == 0


@pytest.mark.both_databases
def test_a_batch_that_cannot_be_stored_counts_nothing_and_later_everything_once(survey):
    with refused("INSERT", "surveys_ratingcount"):
        for _ in range(6):
            send(survey, {1: 0, 2: 0, 3: 0, 4: 0})
        assert (Response.objects.count(), RatingCount.objects.count()) == (0, 0)
    send(survey, {1: 0, 2: 0, 3: 0, 4: 0})
    first = items_of(survey)[0]
    assert Response.objects.count() == 7
    assert rating_counts(survey.revision, first.id)[:, 0].tolist() == [7, 7, 7, 7]


@pytest.mark.both_databases
def test_batches_that_many_fill_at_the_same_moment_are_each_counted_once(survey):
    """Eight senders at once, with batches of five: whoever flushes, every rating counts once."""

    def act(turn: int):
        return lambda: [send(survey, {1: turn % 4, 2: 0, 3: 1, 4: 3}) for _ in range(5)]

    at_once(*map(act, range(8)))
    close(survey=survey, by=survey.owner)
    assert Response.objects.count() == 40
    for item, table in recounted(survey.revision):
        stored = rating_counts(survey.revision, item.id)
        assert stored.sum() == 40 * item.slots
        assert (table == stored).all()
    first = rating_counts(survey.revision, items_of(survey)[0].id)
    assert first[0].tolist() == [10, 10, 10, 10]


def test_surveys_and_questions_are_counted_apart(survey, owner):
    other = make_rating_survey(owner, batch_size=5)
    for _ in range(5):
        send(survey, {1: 0, 2: 0, 3: 0, 4: 0})
        send(other, {1: 2, 2: 2, 3: 2, 4: 2})
    levels = [rating_counts(one.revision, items_of(one)[0].id).sum(0) for one in (survey, other)]
    assert [counts.tolist() for counts in levels] == [[20, 0, 0, 0], [0, 0, 20, 0]]


@pytest.mark.both_databases
def test_items_that_come_while_a_survey_is_launched_are_in_it_or_are_refused(owner):
    """Two writers at the same moment: the frozen digest is that of the items there are."""
    for turn in range(5):
        draft = make_survey(owner)
        question = add_rating(draft, size=3)

        def add(catalogue=question.catalogue) -> bool:
            try:
                CatalogueItem.objects.create(catalogue=catalogue, number=4, name="Late")
            except DatabaseError:
                return False
            return True

        def launch(draft=draft) -> bool:
            try:
                authoring_services.launch(survey=draft, by=owner)
            except DatabaseError:
                return False
            return True

        launched_now, _ = at_once(launch, add)
        assert launched_now, turn
        assert findings() == []


def test_a_question_that_is_no_rating_has_no_counts(survey):
    with pytest.raises(KeyError):
        rating_counts(survey.revision, "no such question")


def test_starting_counts_belong_to_the_scale(owner):
    catalogue = make_catalogue(owner, 3)
    catalogue.items.filter(number=2).update(starting=[1, 2, 3])
    assert starting_counts(catalogue, 3).tolist() == [[0] * 3, [1, 2, 3], [0] * 3]
    with pytest.raises(ValueError, match="Item 2 has 3 starting counts, but the scale has 5"):
        starting_counts(catalogue.pk, 5)


def test_rating_questions_are_found_with_their_numbers(survey, owner):
    assert [number for number, _ in rating_questions(survey)] == [1, 2, 3, 4]
    assert rating_questions(make_survey(owner)) == []
    names = catalogue_items(items_of(survey)[0].items.catalogue, [2, 4, 9])
    assert names == {2: "Item 2", 4: "Item 4"}


# ---- Doctor, retention, downloads, dashboard ---------------------------------------------------


def findings() -> list[str]:
    return [found.text for found in counted.ratings() if found.level == Severity.PROBLEM]


@pytest.mark.both_databases
def test_doctor_recounts_and_names_the_question_that_differs(survey):
    for _ in range(5):
        send(survey, {1: 0, 2: 0, 3: 0, 4: 0})
    assert findings() == []
    counts = RatingCount.objects.filter(question=items_of(survey)[0].id, item=2, level=0)
    counts.update(count=6)
    assert findings() == [
        "the counts of “Open, all” in “Habits and health” differ from the stored responses"
    ]
    counts.update(count=5)
    assert findings() == []


@pytest.mark.both_databases
def test_doctor_sees_items_that_were_changed_around_the_triggers(survey):
    of = "" if connection.vendor == "sqlite" else " ON surveys_catalogueitem"
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TRIGGER catalogue_item_update{of}")
        CatalogueItem.objects.filter(number=12).update(name="Other")
        (what,) = [words for words in findings() if "two of twelve" in words]
        assert "are not the items that respondents saw" in what
        transaction.set_rollback(True)
    assert findings() == []


def test_the_responses_have_two_columns_for_each_slot(survey):
    for _ in range(5):
        send(survey, {1: 0, 2: 1, 3: 2, 4: 3}, {3: 1, 11: 0})
    header, first, *_ = list(responses_csv(survey.revision))
    assert header.startswith("q001i01_item,q001i01_rating,q001i02_item")
    assert first.startswith(
        "Item 1,Bad,Item 2,Fair,Item 3,Good,Item 4,Not rated,Item 3,Fair,Item 11,Bad"
    )
    assert first.count(",") == header.count(",") == 2 * (4 + 2 + 3 + 2) - 1
    codes = list(responses_csv(survey.revision, codes=True))[1]
    assert codes.startswith("1,00,2,01,3,02,4,03,03,01,11,00")
    book = codebook(survey.revision, responses=5)
    column = book["columns"][1]
    assert column["items"][12] == "Item 12"
    assert column["columns"][:2] == [
        {"name": name, "column": name} for name in ("q002i01_item", "q002i01_rating")
    ]


def test_the_dashboard_counts_ratings_and_offers_no_shares_of_them(survey, client):
    for _ in range(5):
        send(survey, {1: 0, 2: 0, 3: 0, 4: 0})
    client.force_login(survey.owner)
    content = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    page = " ".join(content.split())
    assert "20 ratings of 4 items; each respondent sees all items." in page
    assert (
        "10 ratings of 12 items; each respondent sees 2 randomly drawn items, "
        "all items equally often." in page
    )
    chart = client.get(reverse("surveys:chart", args=[survey.pk, 1]))
    assert chart.status_code == 404


@pytest.mark.both_databases
def test_erasing_takes_the_counts_with_the_answers_and_leaves_those_of_others(survey, owner):
    other = make_rating_survey(owner, batch_size=5)
    for one in (survey, other):
        for _ in range(5):
            send(one, {1: 0, 2: 0, 3: 0, 4: 0})
    rows = RatingCount.objects.filter(revision=survey.revision).count()
    assert rows > 0
    Survey.objects.filter(pk=survey.pk).update(delete_on=timezone.now().date())
    kept = retention.keep_dates(now=timezone.now())
    assert kept.problems == []
    assert [due.rows["rating counts"] for due in kept.done] == [rows]
    assert set(RatingCount.objects.values_list("revision", flat=True)) == {other.revision.pk}
    assert RatingCount in CONTENTS  # their remains in the files are overwritten
    assert findings() == []
