"""manage.py ledger: the whole account on a terminal and for machines, and what doctor finds."""

import json
from fractions import Fraction
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from analytics.checks import CHECKS
from analytics.models import Budget, Expenditure, Report
from analytics.queries import account_of
from surveys.operations.checks import rounds
from tests import factories
from tests.analytics import reporting

pytestmark = [pytest.mark.django_db, pytest.mark.survey(make=reporting.make_text_survey)]


def ledger(*arguments: str) -> str:
    output = StringIO()
    call_command("ledger", *arguments, stdout=output, stderr=StringIO())
    return output.getvalue()


def data(*arguments: str) -> list[dict]:
    return json.loads(ledger("--json", *arguments))


def overspend() -> None:
    """What only somebody with access to the database can do."""
    report = Report.objects.create(
        revision=Budget.objects.get().revision, question=uuid4(), kind="private_topics"
    )
    Expenditure.objects.create(
        budget=Budget.objects.get(), report=report, mu_squared="1000", threshold_delta="0"
    )


def test_it_says_what_was_promised_spent_set_aside_and_left(survey):
    made = reporting.ask_and_make(survey)
    reporting.ask(survey)
    text = ledger()
    account = account_of(survey)
    assert "promised   epsilon 20, delta 1e-06, add_or_remove_one" in text
    assert f"private_topics {made.pk} by account {survey.owner_id}: {account.spent}" in text
    for amount in (account.budget.limit, account.spent, account.reserved, account.left):
        assert str(amount) in text


def test_it_says_what_a_next_report_would_cost_and_whether_it_can_be_paid(survey):
    reporting.ask(survey, share=Fraction(1, 2))
    price = account_of(survey).price(Fraction(1, 2))
    assert f"a report of 1/2 of the budget costs {price} and can be paid" in ledger("--share=0.5")
    assert "a report of 3/4 of the budget" in ledger("--share=3/4")
    assert "cannot be paid" in ledger("--share=3/4")


@pytest.mark.both_databases
def test_machines_get_every_digit(survey):
    made = reporting.ask_and_make(survey)
    (entry,) = data("--survey", str(survey.pk))
    spent = account_of(survey).spent
    assert entry["spent"]["mu_squared"] == f"{spent.mu_squared:f}"
    assert entry["limit"]["epsilon"] == pytest.approx(20, rel=1e-6)
    assert entry["limit"]["epsilon"] <= 20
    assert [line["report"] for line in entry["lines"]] == [str(made.pk)]
    assert entry["next"]["can_be_paid"] is True


def test_before_anything_is_spent_epsilon_is_nothing(survey):
    (entry,) = data()
    assert entry["spent"] == {
        "mu_squared": "0.000000000000000000000000",
        "threshold_delta": "0.000000000000000000000000",
        "epsilon": 0.0,
    }


def test_drafts_and_surveys_without_a_promise_have_no_account(owner):
    reporting.make_text_survey(owner, comments=0, epsilon=None)
    factories.make_survey(owner)
    assert data() == []
    assert "No launched survey promised a budget" in ledger()


@pytest.mark.parametrize("key", ["7", "0b5ee1d2-7d55-4c8e-9d3a-8f3f2b6c1a77", "", "☃"])
def test_a_key_of_no_survey_is_refused_with_the_way_on(survey, key):
    with pytest.raises(CommandError, match="without --survey"):
        ledger("--survey", key)


@pytest.mark.parametrize("share", ["0", "1.5", "nan", "1/0", "half", "-1/4", ""])
def test_a_share_that_is_no_part_is_refused(survey, share):
    with pytest.raises(CommandError, match="--share"):
        ledger(f"--share={share}")


def test_a_ledger_that_somebody_overspent_is_printed_and_named(survey):
    reporting.ask(survey)
    overspend()
    assert "OVERSPENT" in ledger()
    (entry,) = data()
    assert (entry["left"], entry["next"]["can_be_paid"]) == (None, False)


def findings() -> dict[str, list[str]]:
    return {check.__name__: [finding.level for finding in check()] for check in CHECKS}


def test_doctor_has_nothing_to_say_about_a_sound_ledger(survey):
    reporting.ask_and_make(survey)
    assert findings() == {
        "within_budget": ["ok"],
        "paid": ["ok"],
        "listed": ["ok"],
        "attended": ["ok"],
    }


def test_doctor_asks_the_app_that_keeps_the_ledger(transactional_db):
    asked = {finding.check for finding in rounds.everything()}
    assert {"ledger", "reports"} <= asked


@pytest.mark.both_databases
def test_doctor_finds_an_overspent_account(survey):
    reporting.ask(survey)
    overspend()
    assert findings()["within_budget"] == ["problem"]


def test_doctor_finds_a_released_report_that_nobody_paid_for(survey):
    made = reporting.ask_and_make(survey)
    copy = {field.attname: getattr(made, field.attname) for field in Report._meta.fields}
    Report.objects.create(**{**copy, "id": uuid4(), "extract_id": None})
    assert findings()["paid"] == ["problem"]


def test_doctor_finds_it_also_where_the_report_cannot_be_read_any_more(survey):
    document = {"version": "of another time"}
    Report.objects.filter(pk=reporting.ask(survey).pk).update(state="done", document=document)
    assert findings()["paid"] == ["problem"]


def test_doctor_names_reports_that_a_worker_left(survey):
    report = reporting.ask(survey)
    reporting.abandon(report)
    assert findings()["attended"] == ["warning"]


def test_reports_that_a_worker_left_are_queued_again_on_request(survey):
    report = reporting.ask(survey)
    reporting.abandon(report)
    ledger("--requeue-lost")
    assert Report.objects.get().run == 2
    assert ("make_report", [str(report.pk), 2]) in reporting.queued()
