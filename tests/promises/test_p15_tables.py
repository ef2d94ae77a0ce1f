"""P15: tables and reports on texts draw on one account, and never beyond what was promised."""

import signal
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone

from analytics import services, tasks
from analytics.models import Expenditure, KeptRelease, Report
from analytics.privacy.accounting import Cost
from analytics.privacy.errors import BudgetError, BudgetExceeded
from analytics.privacy.mechanisms import SeededNoise
from analytics.queries import account_of, cost_of, result_of
from analytics.services import making
from analytics.services.releases import outlook_of
from surveys.models import AnswerCount, Response
from surveys.models.refusals import NotAllowed, NotPossible
from tests.analytics import reporting, tabulating
from tests.analytics.answering import make_compared_survey
from tests.analytics.workers import work, work_until_killed
from tests.factories import make_user
from tests.fake_noise import FakeNoise
from tests.rivals import at_once
from tests.stored import store_rows

pytestmark = pytest.mark.django_db(transaction=True)
QUARTER, HALF, WHOLE = Fraction(1, 4), Fraction(1, 2), Fraction(1)
LATER = timedelta(minutes=6)
TEXTS = 5  # the number of the free text


@pytest.fixture
def survey(owner):
    """120 people answered, 600 wrote; texts and tables together may cost epsilon 20."""
    survey = tabulating.make_tabulated_survey(owner, epsilon=Decimal(20))
    reporting.write(survey, [reporting.a_comment(n) for n in range(600)], question=TEXTS)
    return survey


def limit(survey) -> Cost:
    return account_of(survey).budget.limit


def try_to_ask(ask, survey, share: Fraction) -> str:
    try:
        ask(survey, share=share)
    except BudgetExceeded:
        return "refused"
    return "accepted"


def ask_for_texts(survey, share: Fraction) -> Report:
    return reporting.ask(survey, share=share)


def make(report: Report) -> Report:
    making.make(report.pk, report.run, noise=FakeNoise())
    return Report.objects.get(pk=report.pk)


@pytest.mark.both_databases
def test_tables_and_reports_that_are_asked_for_at_once_never_overspend(survey):
    rivals = [tabulating.ask, ask_for_texts] * 4
    answers = at_once(*[partial(try_to_ask, ask, survey, QUARTER) for ask in rivals])
    assert Counter(answers) == {"accepted": 4, "refused": 4}
    assert account_of(survey).reserved <= limit(survey)


@pytest.mark.both_databases
def test_tables_and_reports_that_are_made_at_once_are_all_charged_to_one_account(survey):
    reports = [ask(survey, share=QUARTER) for ask in (tabulating.ask, ask_for_texts) * 2]
    at_once(*[partial(make, report) for report in reports])
    account = account_of(survey)
    assert {line.report for line in account.lines} == {report.pk for report in reports}
    assert {line.kind for line in account.lines} == {"tables", "private_topics"}
    assert account.spent <= limit(survey)
    assert account.reserved == Cost()
    assert Expenditure.objects.values("budget").distinct().count() == 1


@pytest.mark.both_databases
def test_making_at_once_what_cannot_be_paid_together_stores_and_charges_one(survey):
    first = tabulating.ask(survey, share=WHOLE)
    values = {field.attname: getattr(first, field.attname) for field in Report._meta.fields}
    others = [Report(**{**values, "id": Report._meta.pk.get_default()}) for _ in range(2)]
    at_once(*[partial(make, one) for one in (first, *Report.objects.bulk_create(others))])
    assert Expenditure.objects.count() == 1
    assert Counter(Report.objects.values_list("state", flat=True)) == {"done": 1, "failed": 2}


@pytest.mark.both_databases
def test_a_release_is_charged_what_it_says_and_what_was_planned(survey):
    planned = outlook_of(survey, tabulating.ASKED, QUARTER).planned
    made = tabulating.release(survey, share=QUARTER)
    paid = cost_of(Expenditure.objects.get(report=made))
    assert result_of(made).cost == paid
    assert paid <= planned.cost <= limit(survey).part(QUARTER)
    assert float(paid.mu_squared) == pytest.approx(float(planned.cost.mu_squared), rel=1e-6)
    assert paid.threshold_delta == 0


def test_a_release_is_charged_before_it_reads_an_answer(survey):
    report, seen = tabulating.ask(survey), []

    def watch(execute, sql, params, many, context):
        if "is_charged" in sql and sql.startswith("UPDATE"):
            seen.append("charged")
        if '"surveys_response"."answers"' in sql:
            seen.append("read")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        make(report)
    assert seen == ["charged", "read"]


def test_planning_and_asking_read_no_answer(survey):
    seen = []

    def watch(execute, sql, params, many, context):
        seen.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        outlook_of(survey, tabulating.ASKED, QUARTER)
        tabulating.ask(survey)
    assert not [sql for sql in seen if '"surveys_response"."answers"' in sql]
    assert account_of(survey).spent == Cost()


def test_a_budget_that_is_short_by_a_trillionth_refuses_and_nothing_is_charged(survey):
    cost = tabulating.ask(survey, share=HALF)
    reporting.cancel(cost)
    left = limit(survey).mu_squared - cost_of(cost).mu_squared
    spend(survey, Cost(left + Decimal("1e-12")))
    before = account_of(survey)
    with pytest.raises(BudgetExceeded, match="only mu"):
        tabulating.ask(survey, share=HALF)
    assert account_of(survey) == before


def test_a_budget_that_is_not_short_at_all_pays_to_the_last_digit(survey):
    cost = tabulating.ask(survey, share=HALF)
    reporting.cancel(cost)
    spend(survey, Cost(limit(survey).mu_squared - cost_of(cost).mu_squared))
    tabulating.ask(survey, share=HALF)
    assert account_of(survey).left.mu_squared == 0


def spend(survey, cost: Cost) -> None:
    """Put an expenditure into the ledger."""
    report = ask_for_texts(survey, QUARTER)
    Expenditure.objects.create(
        budget=survey.revision.accounts.get(),
        report=report,
        mu_squared=f"{cost.mu_squared:f}",
        threshold_delta="0",
    )
    Report.objects.filter(pk=report.pk).update(state="done")


@pytest.mark.parametrize("share", [Fraction(0), Fraction(-1), Fraction(11, 10), Fraction(10**400)])
def test_a_share_that_is_none_is_refused(survey, share):
    with pytest.raises(BudgetError, match="give a share above 0 and at most 1"):
        tabulating.ask(survey, share=share)
    assert not Report.objects.exists()


def test_a_release_with_the_noise_of_a_test_is_not_stored_and_not_charged(survey):
    report = tabulating.ask(survey)
    making.make(report.pk, report.run, noise=SeededNoise(np.random.default_rng(7)))
    failed = Report.objects.get()
    assert (failed.state, failed.is_charged, failed.document) == ("failed", False, None)
    assert "vetted noise" in failed.problem


class DiesAt(FakeNoise):
    """Fake noise that breaks at one of its draws."""

    def __init__(self, draw: int) -> None:
        super().__init__()
        self._left = draw

    def added_to(self, values, lattice_sd):
        self._left -= 1
        if not self._left:
            raise ZeroDivisionError
        return super().added_to(values, lattice_sd)


def repeated(report: Report) -> Report:
    later, owner = tasks.make_later, report.revision.survey.owner
    return services.repeat_report(report=report, by=owner, later=later)


def test_a_release_that_breaks_while_drawing_stays_charged_and_shows_nothing(survey):
    report = tabulating.ask(survey)
    with pytest.raises(making.ReportBroke):
        making.make(report.pk, report.run, noise=DiesAt(2))
    broken = Report.objects.get()
    assert (broken.state, broken.is_charged, broken.document) == ("failed", True, None)
    assert account_of(survey).spent == cost_of(report)
    assert not KeptRelease.objects.exists()
    made = make(repeated(broken))
    assert made.state == "done"
    assert account_of(survey).spent <= cost_of(report)


@pytest.mark.audit
def test_a_release_whose_worker_is_killed_is_drawn_and_charged_once(survey):
    report = tabulating.ask(survey)
    code, output = work_until_killed("before", 'INSERT INTO "analytics_expenditure"')
    assert code == -signal.SIGKILL, output
    kept = bytes(KeptRelease.objects.get().content)
    Response.objects.all().delete()
    AnswerCount.objects.all().delete()  # what was drawn stands, with any other answers by now
    answers = "00000018", "01010130", "01010130"
    revision = survey.revision
    store_rows(revision, answers)
    services.requeue_lost(later=tasks.make_later, now=timezone.now() + LATER)
    code, output = work()
    assert code == 0, output
    made = Report.objects.get()
    assert (made.state, made.run, Expenditure.objects.count()) == ("done", 2, 1)
    assert result_of(made).people[0] > 100
    assert kept
    assert cost_of(Expenditure.objects.get()) <= cost_of(report)


def test_the_same_form_sent_twice_asks_once(survey):
    key = Report._meta.pk.get_default()
    at_once(*[partial(tabulating.ask, survey, key=key)] * 3)
    assert Report.objects.count() == 1


def test_a_survey_that_promised_a_budget_for_texts_alone_releases_no_table(owner):
    survey = make_compared_survey(owner, budget={"source": "text"})
    with pytest.raises(NotPossible, match="a budget only for reports on texts"):
        tabulating.ask(survey)
    unprotected = make_compared_survey(owner)
    with pytest.raises(NotPossible, match="not promised a privacy budget"):
        tabulating.ask(unprotected)
    assert not Report.objects.exists()


def test_nobody_but_the_owner_publishes(survey):
    from surveys.models import Membership

    for role in ("editor", "analyst"):
        user = make_user(role)
        Membership.objects.create(survey=survey, user=user, role=role)
        with pytest.raises(NotAllowed):
            tabulating.ask(survey, by=user)
    assert not Report.objects.exists()


def test_an_empty_survey_is_refused_and_one_respondent_is_not(owner):
    survey = tabulating.make_tabulated_survey(owner, 0)
    with pytest.raises(NotPossible, match="There is no answer yet that tables could count"):
        tabulating.ask(survey)
    store_rows(survey.revision, ["00000018"])
    made = tabulating.release(survey)
    assert made.state == "done"
    assert account_of(survey).spent == result_of(made).cost


def test_under_replacement_the_same_budget_buys_more_noise(owner):
    plain = tabulating.make_tabulated_survey(owner, 50)
    replaced = tabulating.make_tabulated_survey(owner, 50, adjacency="replace_one")
    ours, theirs = (outlook_of(one, tabulating.ASKED, HALF).planned for one in (plain, replaced))
    assert ours.cost.mu_squared == pytest.approx(theirs.cost.mu_squared, rel=Decimal("1e-4"))
    # Two people whose answers differ move the tables by more than one who is not there, by less
    # than twice as much, and the number of people, which is public then, costs nothing.
    assert 1.2 * ours.typical < theirs.typical < 1.26 * ours.typical
    made = tabulating.release(replaced, share=HALF)
    assert result_of(made).people == (50, 0)
    assert result_of(made).cost == account_of(replaced).spent <= limit(replaced).part(HALF)


def test_doctor_finds_releases_paid_and_no_account_overspent(survey):
    from analytics.checks import paid, within_budget

    tabulating.release(survey)
    assert {finding.level for check in (paid, within_budget) for finding in check()} == {"ok"}
