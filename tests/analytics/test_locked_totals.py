"""P15: what opening locked totals costs is charged at the close, once, or is free again."""

from contextlib import suppress
from datetime import UTC, datetime, time

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse

from analytics.checks import listed, paid, within_budget
from analytics.models import Expenditure, Report
from analytics.privacy.accounting import Adjacency, Cost
from analytics.queries import account_of
from analytics.services import locked_tables
from analytics.sources.locked_tables import locked_cost
from surveys.authoring.services import finish, stop
from surveys.collecting import openings
from surveys.collecting.services import receive
from surveys.models import Ballot, Tally, TallyFile, TallyTable
from surveys.models.queries import questionnaire_of
from surveys.operations.retention import close_and_open, keep_dates
from tests.bodies import body_of
from tests.days import DAY, today
from tests.factories import add_question, after_the_close, launched
from tests.rivals import at_once
from tests.surveys.authoring.trustees import counted_draft

pytestmark = pytest.mark.django_db(transaction=True)


def cost_of(survey) -> Cost:
    return locked_cost(questionnaire_of(survey.revision), Adjacency.REPLACE)


def answered(owner, people: int, **fields: object):
    survey = launched(counted_draft(owner, close_on=today() + 30 * DAY, **fields))
    for _ in range(people):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    return survey


@pytest.mark.both_databases
def test_the_close_charges_once_in_the_transaction_that_makes_the_list_available(owner):
    survey = answered(owner, 5)
    before = account_of(survey)
    assert (before.spent, before.reserved) == (Cost(), cost_of(survey))
    close_and_open(now=after_the_close(survey))
    account = account_of(survey)
    assert (account.spent, account.reserved) == (cost_of(survey), Cost())
    assert account.left == before.left
    (line,) = account.lines
    assert (line.kind, line.actor) == ("locked", None)
    assert Tally.objects.get().table == 1
    with transaction.atomic():
        locked_tables.charge(survey.revision.pk, [1])
    assert Expenditure.objects.count() == Report.objects.count() == 1
    findings = [finding.text for check in (within_budget, paid, listed) for finding in check()]
    assert findings == [
        "no account is overspent",
        "every report was charged the cost that it states",
        "every list of locked answers was charged",
    ]
    # A row that no close wrote.
    Tally.objects.create(revision=survey.revision, table=2, ballots=5, digest="0" * 64)
    (finding,) = listed()
    assert "locked table 2" in finding.text
    assert "was never charged" in finding.text


@pytest.mark.both_databases
def test_of_two_closes_at_once_one_charges(owner):
    survey = answered(owner, 5)
    with transaction.atomic():
        finish(survey, by=None)
    survey.refresh_from_db()

    def persist() -> None:
        for _ in range(50):
            with suppress(openings.Overtaken):
                openings.run(survey)
                return

    at_once(persist, persist)
    assert Expenditure.objects.count() == Tally.objects.count() == 1
    assert account_of(survey).spent == cost_of(survey)


def test_a_close_that_is_interrupted_charges_nothing_and_lists_nothing(owner, monkeypatch):
    survey, real = answered(owner, 5), openings.counts.publish

    def killed(*of: object) -> None:
        raise OSError("the machine lost its power")

    monkeypatch.setattr(openings.counts, "publish", killed)
    assert close_and_open(now=after_the_close(survey)).problems
    assert not Expenditure.objects.exists()
    assert not Tally.objects.exists()
    assert account_of(survey).reserved == cost_of(survey)
    monkeypatch.setattr(openings.counts, "publish", real)
    close_and_open(now=after_the_close(survey))
    assert account_of(survey).spent == cost_of(survey)


@pytest.mark.parametrize("below_k", ["open", "destroy"])
def test_what_was_set_aside_is_free_again_where_too_few_answered(owner, below_k):
    survey = answered(owner, 3, below_k=below_k)
    close_and_open(now=after_the_close(survey))
    account = account_of(survey)
    assert (account.spent, account.reserved) == (Cost(), Cost())
    assert not Tally.objects.exists()


def test_what_was_set_aside_is_free_again_where_answers_are_destroyed_unread(owner):
    stopped = answered(owner, 5)
    stop(survey=stopped, by=owner)
    assert account_of(stopped).taken == Cost()
    erased = answered(owner, 5, delete_on=today() + 40 * DAY)
    keep_dates(now=datetime.combine(today() + 41 * DAY, time(1), UTC))
    assert account_of(erased).taken == Cost()
    assert not Expenditure.objects.exists()


def test_of_two_tables_the_one_with_too_few_different_ballots_is_not_charged(owner):
    draft = counted_draft(owner, close_on=today() + 30 * DAY)
    add_question(draft, design="direct", required=True, counted_table=2)
    TallyTable.objects.create(survey=draft, table=2, sigma="8")
    survey = launched(draft)
    table = locked_cost(questionnaire_of(survey.revision), Adjacency.REPLACE, [1])
    copied = body_of(survey.revision).rpartition(b"=")[2]
    for _ in range(5):
        head, _, _ = body_of(survey.revision).rpartition(b"=")
        receive(survey_id=survey.pk, body=head + b"=" + copied)
    close_and_open(now=after_the_close(survey))
    assert [one.table for one in Tally.objects.all()] == [1]
    assert {one.table for one in Ballot.objects.all()} == {1}
    account = account_of(survey)
    assert (account.spent, account.reserved) == (table, Cost())


def test_the_ledger_names_the_charge_and_where_the_totals_are(client, owner):
    survey = answered(owner, 5)
    close_and_open(now=after_the_close(survey))
    client.force_login(owner)
    page = client.get(reverse("analytics:ledger", args=[survey.pk])).content.decode()
    assert "Totals of locked answers" in page
    report = Report.objects.get()
    for name in ("report", "csv", "json"):
        reply = client.get(reverse(f"analytics:{name}", args=[survey.pk, report.pk]))
        assert reply.status_code == 200
    overview = client.get(reverse("analytics:overview", args=[survey.pk])).content.decode()
    assert str(report.pk) not in overview


@pytest.mark.both_databases
def test_what_stands_of_a_tally_never_changes(owner):
    survey = answered(owner, 5, delete_on=today() + 40 * DAY)
    close_and_open(now=after_the_close(survey))
    tally = Tally.objects.get()
    files = TallyFile.objects.filter(tally=tally)
    refusals = (
        lambda: Tally.objects.update(ballots=4),
        lambda: Tally.objects.update(digest="0" * 64),
        lambda: Tally.objects.filter(pk=tally.pk)._raw_delete("default"),
        lambda: files.update(locked=b""),
        lambda: files.update(trustee=2),
        lambda: files.all().delete(),
    )
    for change in refusals:
        with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
            change()
    Tally.objects.update(counts=[1, 2], opened_on=today())
    for values in ({"counts": [2, 1]}, {"counts": None}, {"opened_on": None}):
        with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
            Tally.objects.update(**values)
    keep_dates(now=datetime.combine(today() + 41 * DAY, time(1), UTC))
    assert not Ballot.objects.exists()
    assert not TallyFile.objects.exists()
    assert Tally.objects.get().counts == [1, 2]
