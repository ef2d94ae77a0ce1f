"""P15: reports never cost more than respondents were promised, whoever asks, whatever breaks."""

import signal
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from analytics import services, tasks
from analytics.models import Budget, Expenditure, Report
from analytics.privacy.accounting import Cost
from analytics.privacy.errors import BudgetError, BudgetExceeded
from analytics.privacy.mechanisms import SeededNoise
from analytics.queries import Account, account_of, cost_of, result_of, text_questions
from analytics.services import making
from tests.analytics import reporting
from tests.analytics.workers import work, work_here, work_until_killed
from tests.factories import make_user
from tests.fake_noise import FakeNoise
from tests.faults import refused
from tests.promises.undoing import refusal
from tests.rivals import at_once

# A survey that promised epsilon 20, and 600 people wrote.
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.survey(make=reporting.make_text_survey),
]
QUARTER, HALF, WHOLE = Fraction(1, 4), Fraction(1, 2), Fraction(1)
LATER = timedelta(minutes=6)


def limit(survey) -> Cost:
    return account_of(survey).budget.limit


def account(survey) -> Account:
    return account_of(survey)


def spend(survey, cost: Cost) -> None:
    """Put an expenditure into the ledger."""
    report = reporting.ask(survey)
    amounts = {name: f"{getattr(cost, name):f}" for name in ("mu_squared", "threshold_delta")}
    Expenditure.objects.create(budget=Budget.objects.get(), report=report, **amounts)
    Report.objects.filter(pk=report.pk).update(state="done")


def less(one: Cost, other: Cost, by: str = "0") -> Cost:
    """The difference of two amounts, and mu^2 so much more than that."""
    mu_squared = one.mu_squared - other.mu_squared + Decimal(by)
    return Cost(mu_squared, one.threshold_delta - other.threshold_delta)


def try_to_ask(survey, share: Fraction) -> str:
    try:
        reporting.ask(survey, share=share)
    except BudgetExceeded:
        return "refused"
    return "accepted"


def without_room(survey, count: int) -> list[Report]:
    """Reports that each may cost everything: no request would let them in together."""
    first = reporting.ask(survey, share=WHOLE)
    others = [Report(**{**values_of(first), "id": make_key()}) for _ in range(count - 1)]
    return [first, *Report.objects.bulk_create(others)]


def values_of(report: Report) -> dict[str, object]:
    return {field.attname: getattr(report, field.attname) for field in Report._meta.fields}


def make_key():
    return Report._meta.pk.get_default()


def make(report: Report) -> None:
    making.make(report.pk, report.run, noise=FakeNoise())


@pytest.mark.both_databases
def test_of_many_who_ask_at_once_only_as_many_are_accepted_as_the_budget_pays(survey):
    answers = at_once(*[partial(try_to_ask, survey, QUARTER)] * 8)
    assert Counter(answers) == {"accepted": 4, "refused": 4}
    assert account(survey).reserved <= limit(survey)
    assert account(survey).spent == Cost()


@pytest.mark.both_databases
def test_reports_that_are_finished_at_once_are_all_charged_and_never_overspend(survey):
    reports = [reporting.ask(survey, share=QUARTER) for _ in range(4)]
    at_once(*[partial(make, report) for report in reports])
    ledger = account(survey)
    assert {line.report for line in ledger.lines} == {report.pk for report in reports}
    assert ledger.spent <= limit(survey)
    assert ledger.reserved == Cost()
    assert Report.objects.filter(state="done", document__isnull=False).count() == 4


@pytest.mark.both_databases
def test_finishing_at_once_what_cannot_be_paid_together_stores_and_charges_one(survey):
    at_once(*[partial(make, report) for report in without_room(survey, 3)])
    assert Expenditure.objects.count() == 1
    assert Counter(Report.objects.values_list("state", flat=True)) == {"done": 1, "failed": 2}
    assert not Report.objects.exclude(state="done").filter(document__isnull=False).exists()
    assert account(survey).spent <= limit(survey)


@pytest.mark.both_databases
def test_a_task_that_comes_to_several_workers_at_once_is_charged_once(survey):
    report = reporting.ask(survey)
    at_once(*[partial(make, report)] * 4)
    assert Expenditure.objects.get().report == report
    assert Report.objects.get().state == "done"


@pytest.mark.both_databases
def test_a_budget_that_is_short_by_a_trillionth_refuses(survey):
    half = limit(survey).part(HALF)
    spend(survey, less(limit(survey), half, by="1e-12"))
    with pytest.raises(BudgetExceeded, match=r"only mu\^2 .* is left"):
        reporting.ask(survey, share=HALF)
    assert Report.objects.count() == 1


@pytest.mark.both_databases
def test_a_budget_that_is_not_short_at_all_pays_to_the_last_digit(survey):
    half = limit(survey).part(HALF)
    spend(survey, less(limit(survey), half))
    reporting.ask(survey, share=HALF)
    assert account(survey).left.mu_squared == 0


def test_a_report_that_costs_too_much_at_the_end_is_neither_stored_nor_charged(survey):
    report = reporting.ask(survey, share=WHOLE)
    other = without_room_for(survey, report)
    make(report)
    assert Report.objects.get(pk=report.pk).state == "failed"
    assert Report.objects.get(pk=report.pk).document is None
    assert Expenditure.objects.get().report == other


def without_room_for(survey, report: Report) -> Report:
    """Another report that was paid with a trillionth of the budget after all."""
    other = Report.objects.create(**{**values_of(report), "id": make_key(), "state": "done"})
    Expenditure.objects.create(
        budget=Budget.objects.get(), report=other, mu_squared="1", threshold_delta="0"
    )
    return other


def reads_of_text(captured: CaptureQueriesContext) -> list[str]:
    """Statements that take what people wrote out of the database."""
    return [
        query["sql"]
        for query in captured.captured_queries
        if '"surveys_comment"."text"' in query["sql"]
    ]


def test_a_request_reads_no_text_whether_it_is_accepted_or_refused(survey):
    with CaptureQueriesContext(connection) as captured:
        assert try_to_ask(survey, WHOLE) == "accepted"
        assert try_to_ask(survey, QUARTER) == "refused"
    assert not reads_of_text(captured)


def test_a_report_that_its_budget_cannot_pay_for_any_more_reads_no_text(owner):
    survey = reporting.make_text_survey(owner, delta=Decimal("0.0016"))
    report = reporting.ask(survey)
    reporting.write(survey, ["one more"] * 100)  # now delta is more than 1 in the respondents
    with CaptureQueriesContext(connection) as captured:
        make(report)
    assert "delta = 0.0016" in Report.objects.get().problem
    assert not reads_of_text(captured)


def test_a_task_that_comes_again_reads_no_text(survey):
    report = reporting.ask(survey)
    make(report)
    with CaptureQueriesContext(connection) as captured:
        make(report)
    assert not reads_of_text(captured)


def test_a_report_with_the_noise_of_a_test_reads_no_text(survey):
    report = reporting.ask(survey)
    with CaptureQueriesContext(connection) as captured:
        making.make(report.pk, report.run, noise=SeededNoise(np.random.default_rng(7)))
    assert "vetted noise" in Report.objects.get().problem
    assert not reads_of_text(captured)


def test_this_suite_would_notice_a_text_that_is_read(survey):
    with CaptureQueriesContext(connection) as captured:
        make(reporting.ask(survey))
    assert len(reads_of_text(captured)) == 1


@pytest.mark.both_databases
@pytest.mark.parametrize("table", ["analytics_expenditure", "surveys_auditentry"])
def test_a_result_that_cannot_be_charged_is_not_stored(survey, table):
    report = reporting.ask(survey)
    with refused("INSERT", table), pytest.raises(making.ReportBroke):
        make(report)
    stored = Report.objects.get()
    assert (stored.state, stored.document) == ("failed", None)
    assert not Expenditure.objects.exists()
    assert account(survey).spent == cost_of(report)  # its texts were read


@pytest.mark.both_databases
def test_the_ledger_refuses_to_be_changed_or_shortened(survey):
    make(reporting.ask(survey))
    before = account(survey)
    for statement in (
        "UPDATE analytics_budget SET epsilon = '20'",
        "UPDATE analytics_expenditure SET mu_squared = '0'",
        "DELETE FROM analytics_budget",
        "DELETE FROM analytics_expenditure",
    ):
        assert "only ever added to" in refusal(statement), statement
        assert account(survey) == before


@pytest.mark.both_databases
def test_a_released_report_is_never_replaced(survey):
    make(reporting.ask(survey))
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        Report.objects.update(document={})
    assert result_of(Report.objects.get()).kind == "private_topics"


# Moments of a worker's death, by a statement that it is about to make or has just made.
MOMENTS = {
    "while texts are read": ("before", 'FROM "surveys_comment"'),
    "between computing and storing": ("before", 'INSERT INTO "analytics_expenditure"'),
    "after the charge, before the result": ("after", 'INSERT INTO "analytics_expenditure"'),
    "after the result, before its end": ("after", 'SET "document"'),
    "before the commit": ("after", '"code_version" ='),
}


OFTEN = ("before the commit",)  # the others in `make audit`


@pytest.mark.kills
@pytest.mark.noise(fails=0, law="nothing is asked of what is drawn")
@pytest.mark.parametrize(
    "moment", [pytest.param(m, marks=() if m in OFTEN else pytest.mark.audit) for m in MOMENTS]
)
def test_a_worker_killed_before_the_commit_leaves_nothing_and_the_repeat_is_charged_once(
    survey, moment
):
    report = reporting.ask(survey)
    code, output = work_until_killed(*MOMENTS[moment])
    assert code == -signal.SIGKILL, output
    left = Report.objects.get()
    assert (left.state, left.document, Expenditure.objects.count()) == ("running", None, 0)
    assert account(survey).reserved == cost_of(report)

    services.requeue_lost(later=tasks.make_later, now=timezone.now() + LATER)
    work_here()
    made = Report.objects.get()
    assert (made.state, made.run) == ("done", 2)
    assert Expenditure.objects.get().report == made
    assert result_of(made).cost == account(survey).spent


@pytest.mark.audit
def test_a_worker_killed_after_the_commit_leaves_a_whole_report_that_is_charged_once(survey):
    reporting.ask(survey)
    code, output = work_until_killed("before", '"return_value" =')
    assert code == -signal.SIGKILL, output
    made = Report.objects.get()
    assert (made.state, made.run) == ("done", 1)
    assert Expenditure.objects.get().report == made

    assert services.requeue_lost(later=tasks.make_later, now=timezone.now() + LATER) == []
    DBTaskResult.objects.filter(status="RUNNING").update(status="READY")  # it comes once more
    code, output = work()
    assert code == 0, output
    assert Expenditure.objects.count() == 1


def test_each_survey_has_an_account_of_its_own(survey):
    other = reporting.make_text_survey(make_user("grace"))
    make(reporting.ask(survey, share=WHOLE))
    assert account(other).spent == Cost()
    assert try_to_ask(other, WHOLE) == "accepted"


def test_both_texts_of_a_survey_are_paid_from_the_same_account(survey):
    reporting.write(survey, [reporting.a_comment(n) for n in range(600)], question=3)
    first, second = reporting.text_items(survey)
    make(reporting.ask(survey, question=first.id, share=HALF))
    make(reporting.ask(survey, question=second.id, share=HALF))
    with pytest.raises(BudgetExceeded):
        reporting.ask(survey, question=second.id, share=HALF)
    assert {line.question for line in account(survey).lines} == {
        found.key for found in text_questions(survey)
    }


def test_under_replacement_the_same_budget_buys_half_as_much(owner):
    survey = reporting.make_text_survey(owner, adjacency="replace_one")
    make(reporting.ask(survey, share=WHOLE))
    found = result_of(Report.objects.get())
    assert found.cost == account(survey).spent
    assert found.cost <= limit(survey)
    assert found.epsilon == pytest.approx(20, rel=1e-3)
    plain = next(one for one in found.guarantees if one.adjacency == "add_or_remove_one")
    assert plain.mu == pytest.approx(found.mu / 2**0.5, rel=1e-9)


def test_a_delta_of_one_in_the_respondents_is_refused_by_name(owner):
    survey = reporting.make_text_survey(owner, delta=Decimal("0.002"))
    with pytest.raises(BudgetError, match="give less than 1/600"):
        reporting.ask(survey)
    assert not Report.objects.exists()
