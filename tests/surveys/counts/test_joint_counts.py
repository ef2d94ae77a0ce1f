"""Several questions of a large survey together: counted by a worker once, kept, dated, erased."""

from collections import Counter
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from surveys.collecting import openings
from surveys.collecting.services import receive
from surveys.counts import joint
from surveys.models import JointCount, Openings, Response, Survey
from surveys.models.queries import opened_responses
from surveys.operations import retention
from surveys.operations.contents import CONTENTS
from surveys.operations.openings import open_due
from surveys.results.analyses.kind import counted
from surveys.results.analyses.queries import cross_counts
from tests import factories
from tests.bodies import body_of
from tests.stored import store_rows
from tests.surveys.collecting.test_openings import at, with_one_commit

pytestmark = pytest.mark.django_db(transaction=True)
FIRST, CAR, AGE = 1, 6, 7
CELLS = {("00", "01", "035"): 30, ("01", "01", "052"): 20, ("00", "00", "028"): 40}


@pytest.fixture
def survey(owner, monkeypatch) -> Survey:
    """A survey that is large, for what is counted at once here."""
    monkeypatch.setattr(joint, "AT_ONCE", 10)
    monkeypatch.setattr(joint, "STEP", 25)
    survey = factories.make_open_survey(owner)
    store(survey, CELLS)
    return survey


def store(survey: Survey, cells: dict[tuple[str, ...], int]) -> None:
    rows = [f"{first}01000001{car}{age}" for first, car, age in Counter(cells).elements()]
    store_rows(survey.revision, rows)


def work() -> None:
    """What a worker does with all that waits."""
    options = {"interval": 0, "startup_delay": False, "reload": False, "verbosity": 0}
    call_command("db_worker", batch=True, **options)


def ask(survey: Survey, *numbers: int):
    (found,) = counted(survey.revision, [numbers], cross_counts)
    return found


def waits(survey: Survey, *numbers: int) -> joint.BeingCounted:
    with pytest.raises(joint.BeingCounted) as raised:
        ask(survey, *numbers)
    return raised.value


def test_a_page_says_that_a_worker_counts_and_then_shows_the_same_as_of_a_small_survey(
    client, owner, survey, monkeypatch
):
    client.force_login(owner)
    pages = {
        "break-down": "?question=1&by=6",
        "weighted": "?by=6&margins=Yes: 1%0ANo: 1",
        "regression": "?outcome=1-1&predictors=6",
    }
    addresses = [reverse(f"surveys:{name}", args=[survey.pk]) + q for name, q in pages.items()]
    for address in addresses:
        reply = client.get(address)
        assert reply.status_code == 202
        assert "0 of 90 responses counted so far" in reply.content.decode()
    work()
    with CaptureQueriesContext(connection) as captured:
        kept = [client.get(address) for address in addresses]
    assert [reply.status_code for reply in kept] == [200, 200, 200]
    table = f'"{Response._meta.db_table}"'
    assert not [query["sql"] for query in captured if table in query["sql"]]
    monkeypatch.setattr(joint, "AT_ONCE", 1000)
    direct = [client.get(address) for address in addresses]
    for one, other in zip(kept, direct, strict=True):
        assert "90" in other.content.decode()
        assert without_nonces(one) == without_nonces(other)


def without_nonces(reply) -> list[str]:
    lines = reply.content.decode().splitlines()
    return [line for line in lines if "nonce" not in line and "csrf" not in line]


def test_an_empty_form_counts_nothing(client, owner, survey):
    client.force_login(owner)
    for name in ("break-down", "weighted", "regression"):
        assert client.get(reverse(f"surveys:{name}", args=[survey.pk])).status_code == 200
    assert not JointCount.objects.exists()


def test_a_choice_of_questions_is_counted_once_in_whatever_order_it_is_asked_for(survey):
    waits(survey, CAR, FIRST)
    waits(survey, FIRST, CAR)
    assert DBTaskResult.objects.count() == JointCount.objects.count() == 1
    work()
    assert ask(survey, FIRST, CAR).by_codes == {
        ("00", "01"): 30,
        ("01", "01"): 20,
        ("00", "00"): 40,
    }
    assert ask(survey, CAR, FIRST).by_codes == {
        ("01", "00"): 30,
        ("01", "01"): 20,
        ("00", "00"): 40,
    }
    assert ask(survey, CAR, FIRST).as_of == ""
    assert DBTaskResult.objects.count() == 1


def test_a_live_survey_is_counted_again_when_a_twentieth_is_not_counted(survey):
    waits(survey, FIRST, CAR)
    work()
    store(survey, {("01", "00", "030"): 4})
    found = ask(survey, FIRST, CAR)
    assert (found.n, found.as_of) == (90, "Based on 90 of the 94 responses.")
    assert DBTaskResult.objects.count() == 1
    store(survey, {("01", "00", "030"): 1})
    assert ask(survey, FIRST, CAR).n == 90
    work()
    found = ask(survey, FIRST, CAR)
    assert (found.n, found.as_of) == (95, "")


def test_what_an_opening_has_not_finished_is_not_counted_and_the_day_is_said(owner, monkeypatch):
    monkeypatch.setattr(joint, "AT_ONCE", 5)
    monkeypatch.setattr(openings, "CHUNK", 3)
    draft = factories.make_survey(
        owner,
        opening="every",
        opening_days=7,
        batch_size=5,
        planned_responses=100_000,
        close_on=at(None, 55).date(),
    )
    factories.add_question(draft, text="One?", required=True)
    factories.add_question(draft, text="Two?", design="direct", required=True)
    survey = factories.launched(draft)
    answer_yes(survey, 20)
    open_due(at(survey, 7))
    waits(survey, 1, 2)
    work()
    first = f"Based on the answers opened up to {at(survey, 7):%-d %B %Y}."
    assert (ask(survey, 1, 2).n, ask(survey, 1, 2).as_of) == (10, first)
    answer_yes(survey, 20)
    openings.begin(survey.pk, at(survey, 14))
    while Response.objects.count() == 10:  # by chance, all of a chunk may stay sealed
        with_one_commit(monkeypatch, lambda: openings.run(survey))
    assert opened_responses(survey.revision.pk).count() == 10
    JointCount.objects.update(total=0)  # so that it is counted again
    ask(survey, 1, 2)
    work()
    assert (ask(survey, 1, 2).n, ask(survey, 1, 2).as_of) == (10, first)
    openings.run(survey)
    assert (ask(survey, 1, 2).n, ask(survey, 1, 2).as_of) == (10, first)
    work()
    assert ask(survey, 1, 2).n == 25
    assert (
        ask(survey, 1, 2).as_of == f"Based on the answers opened up to {at(survey, 14):%-d %B %Y}."
    )
    assert Openings.objects.get().done == 2


def answer_yes(survey: Survey, count: int) -> None:
    for _ in range(count):
        receive(survey_id=survey.pk, body=body_of(survey.revision, ["01", "01"]))


def test_too_many_combinations_are_refused_in_words_and_not_counted_again(
    client, owner, survey, monkeypatch
):
    monkeypatch.setattr(joint, "MOST_COMBINATIONS", 2)
    waits(survey, FIRST, AGE)
    work()
    assert waits(survey, FIRST, AGE).problem == joint.TOO_MANY
    assert DBTaskResult.objects.count() == 1
    client.force_login(owner)
    address = reverse("surveys:break-down", args=[survey.pk]) + "?question=1&by=7"
    assert "Choose fewer questions" in client.get(address).content.decode()


@pytest.mark.both_databases
def test_a_worker_that_is_silent_is_followed_by_another_one(survey):
    waits(survey, FIRST, CAR)
    JointCount.objects.update(counted=50, asked_at=timezone.now() - timedelta(minutes=4))
    assert waits(survey, FIRST, CAR).counted == 50
    assert DBTaskResult.objects.count() == 1
    JointCount.objects.update(asked_at=timezone.now() - timedelta(minutes=6))
    waits(survey, FIRST, CAR)
    assert DBTaskResult.objects.count() == 2
    work()  # both, one after the other
    assert ask(survey, FIRST, CAR).n == 90


def test_only_the_last_choices_of_questions_are_kept(survey, monkeypatch):
    monkeypatch.setattr(joint, "MOST_KEPT", 2)
    for by in (2, 3, CAR):
        waits(survey, FIRST, by)
    assert list(JointCount.objects.order_by("pk").values_list("questions", flat=True)) == [
        "1,3",
        "1,6",
    ]
    work()  # one of them counts what is not asked for any more
    assert ask(survey, FIRST, CAR).n == 90


def test_questions_that_cannot_be_counted_are_not_asked_for(survey):
    with pytest.raises(IndexError):
        counted(survey.revision, [[FIRST, 99]], cross_counts)
    assert not JointCount.objects.exists()


@pytest.mark.both_databases
def test_joint_counts_go_with_the_answers_and_no_worker_brings_them_back(survey):
    waits(survey, FIRST, CAR)
    day = at(survey, 2)
    Survey.objects.update(delete_on=day.date())
    retention.keep_dates(now=day)
    work()
    assert not JointCount.objects.exists()
    assert JointCount in CONTENTS


def test_a_small_survey_is_counted_at_once(owner):
    survey = factories.make_open_survey(owner)
    store(survey, CELLS)
    assert ask(survey, FIRST, CAR).by_codes == cross_counts(survey.revision, [FIRST, CAR]).by_codes
    assert not JointCount.objects.exists()
