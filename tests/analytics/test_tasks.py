"""Making reports by tasks: progress, cancelling on the way, lost workers, errors without words."""

import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from analytics import services, tasks
from analytics.models import Expenditure, Report
from analytics.queries import TASK, account_of, cost_of, lost_reports, result_of
from analytics.services import making, recovery, watching
from analytics.services.watching import Discreet, Heart, ReportProgress
from analytics.topics.stages import DONE
from surveys.models import Survey
from tests import patience
from tests.analytics import reporting
from tests.analytics.reporting import SENTINEL
from tests.analytics.workers import work
from tests.fake_noise import FakeNoise
from tests.faults import refused
from tests.surveys.fieldwork.mailing import everything_stored

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.survey(make=reporting.make_text_survey),
]
LATER = timedelta(minutes=6)


class Interrupted(FakeNoise):
    """Fake noise; something else happens before it is drawn for the second time."""

    def __init__(self, act: Callable[[], object]) -> None:
        super().__init__()
        self._act, self._draws = act, 0

    def added_to(self, values, lattice_sd):
        self._draws += 1
        if self._draws == 2:
            self._act()
        return super().added_to(values, lattice_sd)


def make_interrupted(report: Report, act: Callable[[], object]) -> Report:
    making.make(report.pk, report.run, noise=Interrupted(act))
    return Report.objects.get(pk=report.pk)


def test_whoever_looks_while_a_report_is_made_sees_its_stage(survey):
    report, seen = reporting.ask(survey), []

    def look() -> None:
        seen.append(Report.objects.get())

    made = make_interrupted(report, look)
    assert (seen[0].state, seen[0].stage) == ("running", "Adding noise")
    assert 0 < seen[0].fraction < 1
    assert timezone.now() - seen[0].beat < timedelta(minutes=1)
    assert (made.state, made.stage, made.fraction) == ("done", "", 1.0)


@pytest.mark.both_databases
def test_cancelling_ends_the_work_at_the_next_draw_and_the_charge_stays(survey):
    report = reporting.ask(survey)
    made = make_interrupted(report, lambda: reporting.cancel(report))
    assert (made.state, made.document, made.fraction) == ("cancelled", None, pytest.approx(0.5))
    assert account_of(survey).spent == cost_of(report)


@pytest.mark.both_databases
def test_a_report_that_is_cancelled_after_its_last_stage_is_not_stored(survey):
    report = reporting.ask(survey)

    def cancel_at_last(execute, sql, params, many, context):
        result = execute(sql, params, many, context)
        if DONE in (params or ()):
            reporting.cancel(report)
        return result

    with connection.execute_wrapper(cancel_at_last):
        made = reporting.make(report)
    assert (made.state, made.document, made.fraction) == ("cancelled", None, 1.0)
    assert account_of(survey).spent == cost_of(report)


@pytest.mark.both_databases
def test_a_task_that_comes_again_while_the_report_is_made_does_nothing(survey):
    report, stages = reporting.ask(survey), []

    def come_again() -> None:
        making.make(report.pk, report.run)
        stages.append(Report.objects.get().stage)

    made = make_interrupted(report, come_again)
    assert (made.state, stages) == ("done", ["Adding noise"])


@pytest.mark.both_databases
def test_what_an_earlier_run_brings_is_dropped_and_the_later_one_is_charged_alone(survey):
    report = reporting.ask(survey)

    def overtake() -> None:
        reporting.cancel(report)
        again = services.repeat_report(report=report, by=survey.owner, later=tasks.make_later)
        reporting.make(again)

    made = make_interrupted(report, overtake)
    assert (made.state, made.run) == ("done", 2)
    assert cost_of(Expenditure.objects.get()) == result_of(made).cost


@pytest.mark.both_databases
def test_answers_that_are_erased_on_the_way_leave_no_report(survey):
    report = reporting.ask(survey)
    today = timezone.now().date()
    erase = Survey.objects.filter(pk=survey.pk)
    made = make_interrupted(report, lambda: erase.update(delete_on=today))
    assert (made.state, made.document) == ("failed", None)
    assert "the answers were deleted" in made.problem
    assert not Expenditure.objects.exists()


def test_a_worker_makes_what_was_asked_for_and_no_words_of_an_unexpected_error_leave_it(survey):
    reporting.write(survey, [f"{SENTINEL} said something"])
    broken, free = reporting.ask(survey), reporting.ask(survey, kind="exact_topics")
    with refused("INSERT", "analytics_expenditure", words=SENTINEL):
        code, output = work()
    assert code == 0, output
    assert Report.objects.get(pk=free.pk).state == "done"
    row = DBTaskResult.objects.get(task_path=TASK, status="FAILED")
    assert row.exception_class_path == "analytics.services.making.ReportBroke"
    assert "making.py" in row.traceback
    assert {table for table, text in everything_stored() if SENTINEL in text} == {"surveys_comment"}
    assert SENTINEL not in output
    failed = Report.objects.get(pk=broken.pk)
    assert failed.state == "failed"
    assert "show this message to your operator: django.db.utils." in failed.problem


def test_an_error_is_told_by_its_kind_and_places_alone():
    with Discreet() as tried:
        try:
            raise KeyError(SENTINEL)
        except KeyError as first:
            first.add_note(SENTINEL)
            raise ValueError(SENTINEL) from first
    assert tried.failure.startswith("ValueError (test_tasks.py:")
    assert SENTINEL not in tried.failure


def test_without_an_error_there_is_nothing_to_tell_and_the_end_of_a_process_passes():
    with Discreet() as tried:
        pass
    assert tried.failure == ""
    with pytest.raises(SystemExit), Discreet():
        raise SystemExit(1)


def test_a_long_stage_is_a_sign_of_life_all_the_same(survey):
    report = reporting.ask(survey)
    reporting.abandon(report)
    left = Report.objects.get().beat
    heart = Heart(report.pk, report.run, pause=0.001)
    with heart:
        deadline = time.monotonic() + patience.SECONDS
        while Report.objects.get().beat == left:
            assert time.monotonic() < deadline
    assert not heart._thread.is_alive()
    assert lost_reports(timezone.now()) == []


def test_between_blocks_of_texts_it_is_asked_at_times_whether_they_are_wanted(survey, monkeypatch):
    report = reporting.ask(survey)
    reporting.cancel(report)
    watch = ReportProgress(report.pk, report.run)
    watch.beat()  # a moment ago it was
    monkeypatch.setattr(watching, "ASK_AGAIN", 0.0)
    with pytest.raises(watching.Stopped):
        watch.beat()


def look(report: Report, run: int = 1) -> bool:
    later = timezone.now() + LATER
    return services.look_after(report.pk, run, later=tasks.make_later, now=later)


@pytest.mark.both_databases
def test_a_report_whose_worker_died_is_queued_again_by_the_task_that_looks_after_it(survey):
    report = reporting.ask(survey)
    reporting.abandon(report)
    tasks.look_after.call(str(report.pk), 1)
    assert Report.objects.get().run == 2
    assert [one for one in reporting.queued() if one[1][1] == 2] == [
        ("make_report", [str(report.pk), 2]),
        ("look_after", [str(report.pk), 2]),
    ]


def test_a_task_that_vanished_before_it_began_is_noticed_too(survey):
    report = reporting.ask(survey)
    assert look(report)  # it waits for a worker
    reporting.forget_tasks()
    assert not look(report)
    assert Report.objects.get().run == 2


def test_a_report_that_is_being_made_is_looked_after_again(survey):
    report = reporting.ask(survey)
    Report.objects.update(state="running", beat=timezone.now() + LATER)
    tasks.look_after.call(str(report.pk), 1)
    assert [name for name, _ in reporting.queued()].count("look_after") == 2
    assert Report.objects.get().run == 1


def test_finished_and_overtaken_runs_are_not_looked_after_any_more(survey):
    report = reporting.ask(survey)
    reporting.make(report)
    assert not look(report)
    assert not look(report, run=7)
    assert Report.objects.get().run == 1


def test_a_report_that_ends_its_worker_every_time_is_left_to_people_and_costs_nothing(survey):
    report = reporting.ask(survey)
    for _ in range(recovery.AUTOMATIC_RUNS):
        reporting.abandon(report)
        services.requeue_lost(later=tasks.make_later)
    left = Report.objects.get()
    assert (left.state, left.run) == ("failed", recovery.AUTOMATIC_RUNS)
    assert "3 times" in left.problem
    assert account_of(survey).left == account_of(survey).budget.limit
    again = services.repeat_report(report=left, by=survey.owner, later=tasks.make_later)
    assert reporting.make(again).state == "done"
