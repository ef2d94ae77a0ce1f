"""P15: a report is charged before it reads a text, so that no cancelled one is a free look."""

from fractions import Fraction

import numpy as np
import pytest
from django.db import DatabaseError, connection, transaction

from analytics import services, tasks
from analytics.models import Expenditure, KeptRelease, Report
from analytics.privacy.accounting import Cost
from analytics.privacy.errors import BudgetExceeded
from analytics.privacy.records import unpacked
from analytics.queries import account_of, cost_of, result_of
from analytics.services import ledger, making
from surveys.models import Comment
from tests.analytics import reporting
from tests.fake_noise import FakeNoise
from tests.promises.undoing import refusal

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.survey(make=reporting.make_text_survey),
]
CANARY = " ".join(f"canary{place}" for place in range(300))
# Draws of a report on private topics: words, pairs on and above the diagonal, sizes.
DRAWS = 4


class CancelledAt(FakeNoise):
    """Fake noise; the report is cancelled once so many sums have got theirs."""

    def __init__(self, report: Report, draw: int) -> None:
        super().__init__(seed=draw)
        self._report, self._left = report, draw
        self.drawn: list[np.ndarray] = []

    def added_to(self, values, lattice_sd):
        if not self._left:
            reporting.cancel(self._report)
        self._left -= 1
        noisy = super().added_to(values, lattice_sd)
        self.drawn.append(noisy)
        return noisy


def make_cancelled(report: Report, draw: int) -> CancelledAt:
    noise = CancelledAt(report, draw)
    making.make(report.pk, report.run, noise=noise)
    assert Report.objects.get(pk=report.pk).state == "cancelled"
    return noise


def repeat(report: Report) -> Report:
    return services.repeat_report(report=report, by=report.revision.survey.owner, later=later)


def later(report, run) -> None:
    tasks.make_later(report, run)


def look_and_cancel(survey, share: Fraction) -> Cost:
    """What is left after a report was cancelled as soon as it drew noise."""
    make_cancelled(reporting.ask(survey, share=share), 1)
    return account_of(survey).left


@pytest.mark.parametrize("with_canary", [pytest.param(False, marks=pytest.mark.audit), True])
def test_the_ledger_falls_with_each_cancelled_report(survey, with_canary):
    falls(survey, with_canary, Fraction(1, 10), 3)


@pytest.mark.audit
@pytest.mark.one_database
@pytest.mark.parametrize("with_canary", [False, True])
def test_the_ledger_falls_with_each_of_a_thousand_cancelled_reports(owner, with_canary):
    """Ten surveys, whose budgets pay for a hundred looks each; then no look is left."""
    share = Fraction(1, 100)
    for _ in range(10):
        survey = reporting.make_text_survey(owner, comments=1_600)
        falls(survey, with_canary, share, 100)
        with pytest.raises(BudgetExceeded):
            reporting.ask(survey, share=share)


def falls(survey, with_canary: bool, share: Fraction, looks: int) -> None:
    if with_canary:
        reporting.write(survey, [CANARY])
    limit = account_of(survey).budget.limit
    each = limit.part(share)
    for look in range(1, looks + 1):
        before = account_of(survey).left
        left = look_and_cancel(survey, share)
        assert left <= before
        assert left != before
        assert account_of(survey).spent == sum([each] * look, start=Cost())


def test_nothing_was_read_where_nothing_was_charged(survey):
    """The charge is written before the first text is read, in a statement of its own."""
    report, seen = reporting.ask(survey), []

    def watch(execute, sql, params, many, context):
        if "is_charged" in sql and sql.startswith("UPDATE"):
            seen.append("charged")
        if 'FROM "surveys_comment"' in sql and "COUNT" not in sql:
            seen.append("read")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        reporting.make(report)
    assert seen[:2] == ["charged", "read"]


def test_a_report_that_is_cancelled_before_it_reads_costs_nothing(survey):
    reporting.cancel(reporting.ask(survey))
    assert account_of(survey).spent == Cost()


@pytest.mark.parametrize("draw", range(1, DRAWS))
def test_a_cancelled_report_is_resumed_from_what_it_released_at_no_further_cost(survey, draw):
    report = reporting.ask(survey, share=Fraction(1))
    first = make_cancelled(report, draw)
    kept = [bytes(one.content) for one in KeptRelease.objects.order_by("place")]
    assert kept
    spent = account_of(survey).spent
    again = repeat(report)  # nothing is left for another look, and none is needed
    second = CancelledAt(again, 100)
    making.make(again.pk, again.run, noise=second)
    made = Report.objects.get()
    assert made.state == "done"
    assert len(first.drawn) - 1 + len(second.drawn) >= DRAWS - 1
    assert not any(np.array_equal(a, b) for a in first.drawn[:1] for b in second.drawn)
    assert cost_of(Expenditure.objects.get()) <= spent
    assert not KeptRelease.objects.exists()


def test_a_resumed_report_uses_the_words_that_it_released(survey):
    """Although other words are in the texts by then."""
    report = reporting.ask(survey, share=Fraction(1))
    make_cancelled(report, 1)
    Comment.objects.filter(revision=survey.revision).update(text="elsewhere nothing remains")
    repeat(report)
    made = reporting.make(Report.objects.get())
    assert made.state == "done"
    words = {word.word for topic in result_of(made).topics for word in topic.words}
    assert "elsewher" not in words
    assert result_of(made).words_used > 10


def test_neither_noise_nor_exact_sums_nor_rare_words_are_kept(survey):
    reporting.write(survey, [f"{reporting.SENTINEL} garden flower"])
    report = reporting.ask(survey)
    make_cancelled(report, 1)
    [kept] = KeptRelease.objects.all()
    header, arrays = unpacked(bytes(kept.content))
    assert reporting.SENTINEL.lower() not in str(header).lower()
    assert set(header) == {"words", "threshold", "noise_sd", "mu", "is_private"}
    assert set(arrays) == {"frequencies", "weights"}
    assert (arrays["frequencies"] > header["threshold"]).all()


def test_sql_does_not_give_a_charge_back(survey):
    make_cancelled(reporting.ask(survey), 1)
    before = account_of(survey)
    for statement, reason in (
        ("UPDATE analytics_report SET is_charged = false", "stays charged"),
        ("UPDATE analytics_report SET state = 'done'", "stays charged"),
        ("UPDATE analytics_report SET mu_squared = '0'", "set aside"),
        ("UPDATE analytics_report SET threshold_delta = '0'", "set aside"),
        ("DELETE FROM analytics_keptrelease; DELETE FROM analytics_report", "stays charged"),
        ("UPDATE analytics_keptrelease SET place = 7", "never changes"),
    ):
        assert reason in refusal(*statement.split("; ")), statement
        assert account_of(survey) == before


AMOUNTS = ["-1", "-0.5", "NaN", "1e-9", "", ".", "1.2.3", "inf"]


@pytest.mark.parametrize("column", ["mu_squared", "threshold_delta"])
def test_sql_inserts_no_expenditure_that_is_not_a_number_of_at_least_zero(survey, column):
    report = reporting.ask(survey)
    with transaction.atomic():
        ledger.hold(report.revision)
    account = report.revision.accounts.get()
    for amount in AMOUNTS:
        amounts = {"mu_squared": "0", "threshold_delta": "0", column: amount}
        with pytest.raises(DatabaseError, match="at least 0"), transaction.atomic():
            Expenditure.objects.create(budget=account, report=report, **amounts)
        with pytest.raises(DatabaseError, match="at least 0"), transaction.atomic():
            Report.objects.create(revision=report.revision, question=report.question, **amounts)
    assert account_of(survey).spent == Cost()
