"""Asking for reports, cancelling, repeating, naming and seeing them: who may, and what is said."""

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from analytics import services, tasks
from analytics.kinds.settings import SettingsError
from analytics.models import Budget, Expenditure, Report
from analytics.privacy.accounting import Cost
from analytics.privacy.errors import BudgetError, BudgetExceeded
from analytics.queries import (
    account_of,
    cost_of,
    lost_reports,
    names_of,
    report_of,
    reports_of,
    result_of,
    text_questions,
    texts_of,
)
from analytics.services import ledger, making
from analytics.topics.checks import TopicsError
from surveys.models import AuditEntry, Extract, Membership, Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.operations.queries import rows_of
from tests import conftest
from tests.analytics import reporting
from tests.factories import make_survey, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def editor(survey):
    return member(survey, "editor")


@pytest.fixture
def analyst(survey):
    return member(survey, "analyst")


def member(survey, role: str):
    user = make_user(f"an {role}")
    Membership.objects.create(survey=survey, user=user, role=role)
    return user


def last_entry() -> tuple[str, object, object]:
    entry = AuditEntry.objects.all()[0]
    return entry.action, entry.actor, entry.after


def test_a_request_sets_aside_what_it_may_cost_and_queues_a_run(survey):
    report = reporting.ask(survey, share=Fraction(1, 3))
    account = account_of(survey)
    assert account.reserved == account.budget.limit.part(Fraction(1, 3))
    assert account.spent == Cost()
    arguments = [str(report.pk), 1]
    assert reporting.queued() == [("make_report", arguments), ("look_after", arguments)]


@pytest.mark.both_databases
def test_a_form_that_comes_twice_is_granted_once_whatever_it_says_the_second_time(survey):
    form = uuid4()
    first = reporting.ask(survey, form=form)
    assert reporting.ask(survey, form=form, share=Fraction(1), topics=7).pk == first.pk
    assert Report.objects.count() == 1
    assert account_of(survey).reserved == cost_of(first)
    assert len(reporting.queued()) == 2
    assert reporting.ask(survey, form=uuid4()).pk != first.pk


def test_the_account_is_opened_with_the_promised_terms(survey):
    reporting.ask(survey)
    terms = Budget.objects.get()
    assert (terms.epsilon, terms.delta, terms.adjacency) == ("20", "0.000001", "add_or_remove_one")


def test_a_request_is_in_the_audit_log_without_a_word_of_an_answer(survey, editor):
    report = reporting.ask(survey, by=editor)
    action, actor, after = last_entry()
    assert (action, actor) == ("report requested", editor.pk)
    assert after == {
        "report": str(report.pk),
        "question": str(report.question),
        "kind": "private_topics",
        "run": 1,
        "mu_squared": report.mu_squared,
        "threshold_delta": report.threshold_delta,
    }


def test_the_charge_is_in_the_audit_log_with_its_amounts(survey):
    made = reporting.ask_and_make(survey)
    spent = account_of(survey).spent
    action, actor, after = last_entry()
    assert (action, actor) == ("report charged", None)
    assert after == {
        "report": str(made.pk),
        "mu_squared": f"{spent.mu_squared:f}",
        "threshold_delta": f"{spent.threshold_delta:f}",
    }


@pytest.mark.parametrize(
    ("kind", "may"),
    [("private_topics", {"owner", "editor"}), ("exact_topics", {"owner"})],
)
def test_editors_ask_for_private_reports_and_the_curator_for_internal_ones(survey, kind, may):
    people = {"owner": survey.owner, **{r: member(survey, r) for r in ("editor", "analyst")}}
    people["stranger"] = make_user("grace")
    for role, person in people.items():
        if role in may:
            reporting.cancel(reporting.ask(survey, by=person, kind=kind), by=person)
        else:
            with pytest.raises(NotAllowed):
                reporting.ask(survey, by=person, kind=kind)


def test_a_draft_an_erased_survey_and_an_unknown_question_are_refused(survey, owner):
    with pytest.raises(NotPossible, match="Launch the survey first"):
        reporting.ask(make_survey(owner), question=uuid4())
    for wrong in (uuid4(), "not a key", survey.revision.pk):
        with pytest.raises(NotPossible, match="does not have this free-text question"):
            reporting.ask(survey, question=wrong)
    Survey.objects.filter(pk=survey.pk).update(delete_on=date(2026, 1, 1))
    with pytest.raises(NotPossible, match="the answers to this survey were deleted"):
        reporting.ask(survey)
    assert not Report.objects.exists()


def test_a_question_to_which_nobody_wrote_is_refused(survey):
    with pytest.raises(NotPossible, match="Wait for answers"):
        reporting.ask(survey, question=reporting.text_items(survey)[1].id)


def test_without_a_promised_budget_only_internal_reports_are_possible(owner):
    survey = reporting.make_text_survey(owner, epsilon=None)
    with pytest.raises(NotPossible, match="were not promised a privacy budget"):
        reporting.ask(survey)
    assert reporting.ask_and_make(survey, kind="exact_topics").state == "done"
    assert account_of(survey) is None


@pytest.mark.parametrize("share", [None, Fraction(-1, 4), Fraction(5, 4), float("nan")])
def test_a_share_that_is_no_part_of_the_budget_is_refused(survey, share):
    with pytest.raises(BudgetError, match="share"):
        reporting.ask(survey, share=share)
    assert not Report.objects.exists()


def test_an_internal_report_takes_no_share(survey):
    with pytest.raises(BudgetError, match="costs nothing"):
        reporting.ask(survey, kind="exact_topics", share=Fraction(1, 4))


def test_a_cost_at_which_only_noise_would_show_is_refused_with_the_number_needed(owner):
    survey = reporting.make_text_survey(owner, comments=100, epsilon=Decimal(1))
    with pytest.raises(TopicsError, match=r"wait for .* respondents"):
        reporting.ask(survey, share=Fraction(1))
    with pytest.raises(TopicsError, match="more than nothing"):
        reporting.ask(survey, share=Fraction(0))


def test_settings_that_have_no_effect_on_a_kind_are_refused(survey):
    with pytest.raises(SettingsError, match="refine"):
        reporting.ask(survey, kind="private_svd", refine=True)
    with pytest.raises(SettingsError, match="kind"):
        reporting.ask(survey, kind="private")


@pytest.mark.both_databases
def test_a_refused_request_changes_nothing(survey):
    reporting.ask(survey, share=Fraction(1))
    before = (AuditEntry.objects.count(), len(reporting.queued()))
    with pytest.raises(BudgetExceeded):
        reporting.ask(survey)
    assert (AuditEntry.objects.count(), len(reporting.queued())) == before
    assert Report.objects.count() == 1


@pytest.mark.both_databases
def test_what_a_report_did_not_use_goes_back_to_the_account(survey):
    report = reporting.ask(survey)
    aside = cost_of(report)
    made = reporting.make(report)
    account = account_of(survey)
    assert account.reserved == Cost()
    assert account.spent == result_of(made).cost
    assert account.spent <= aside
    assert account.left == account.budget.left(account.spent)


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_a_worker_draws_noise_that_cannot_be_seeded(survey):
    report, before = reporting.ask(survey), conftest.WATCH.look()
    making.make(report.pk, report.run)
    assert Report.objects.get().state == "done"
    assert conftest.WATCH.look() > before


def test_a_finished_report_says_which_program_made_it(survey):
    made = reporting.ask_and_make(survey)
    version, _, digest = made.code_version.partition("+")
    assert version
    assert len(digest) == 16
    assert int(digest, 16) >= 0


def test_a_result_of_more_respondents_than_delta_protects_is_not_charged(survey):
    """People may write between the request, which looks at their number, and the counting."""
    result = result_of(reporting.ask_and_make(survey))
    second = reporting.ask(survey)
    account = ledger.hold(second.revision)
    ledger.require_terms(second.revision, 999_999)
    with pytest.raises(BudgetError, match="delta"):
        ledger.spend(account, second, result, respondents=1_000_000)
    assert Expenditure.objects.count() == 1


def test_an_internal_result_is_kept_where_retention_erases_it(survey):
    made = reporting.ask_and_make(survey, kind="exact_topics")
    assert made.document is None
    assert not Expenditure.objects.exists()
    assert result_of(made).is_private is False
    keys = {key for topic in result_of(made).topics for key in topic.examples}
    assert keys <= {str(key) for key, _ in texts_of(survey.revision, 2)}
    assert keys
    Extract.objects.all().delete()
    assert result_of(Report.objects.get()) is None


@pytest.mark.parametrize("kind", ["private_topics", "exact_topics"])
def test_nothing_is_made_once_the_answers_are_due_to_be_erased(survey, kind):
    report = reporting.ask(survey, kind=kind)
    Survey.objects.filter(pk=survey.pk).update(delete_on=timezone.now().date())
    made = reporting.make(report)
    assert (made.state, made.document, made.extract) == ("failed", None, None)
    assert "the answers were deleted" in made.problem
    assert not Expenditure.objects.exists()


def test_cancelling_gives_back_what_was_set_aside_and_the_run_does_nothing(survey, editor):
    report = reporting.ask(survey)
    reporting.cancel(report, by=editor)
    assert account_of(survey).reserved == Cost()
    assert last_entry() == ("report cancelled", editor.pk, {"report": str(report.pk)})
    made = reporting.make(report)
    assert (made.state, made.document) == ("cancelled", None)


def test_what_is_over_cannot_be_cancelled(survey):
    report = reporting.ask_and_make(survey)
    with pytest.raises(NotPossible, match="ready"):
        reporting.cancel(report)


def test_a_cancelled_report_is_repeated_as_a_new_run_and_charged_once(survey):
    report = reporting.ask(survey)
    reporting.cancel(report)
    again = services.repeat_report(report=report, by=survey.owner, later=tasks.make_later)
    assert (again.state, again.run) == ("queued", 2)
    making.make(report.pk, 1)  # the first run's task still comes
    assert Report.objects.get().state == "queued"
    assert reporting.make(again).state == "done"
    assert Expenditure.objects.count() == 1


def test_a_repeat_has_to_be_paid_like_a_request(survey):
    report = reporting.ask(survey, share=Fraction(1, 2))
    reporting.cancel(report)
    reporting.ask(survey, share=Fraction(3, 4))
    with pytest.raises(BudgetExceeded):
        services.repeat_report(report=report, by=survey.owner, later=tasks.make_later)
    assert Report.objects.get(pk=report.pk).state == "cancelled"


def test_a_report_that_is_made_or_being_made_is_not_repeated(survey):
    report = reporting.ask(survey)
    with pytest.raises(NotPossible, match="Cancel the report first"):
        services.repeat_report(report=report, by=survey.owner, later=tasks.make_later)
    reporting.make(report)
    with pytest.raises(NotPossible, match="request a new report"):
        services.repeat_report(report=report, by=survey.owner, later=tasks.make_later)


def test_a_report_whose_worker_is_gone_can_be_repeated_by_people(survey):
    report = reporting.ask(survey)
    reporting.abandon(report)
    again = services.repeat_report(report=report, by=survey.owner, later=tasks.make_later)
    assert reporting.make(again).state == "done"


def test_topics_of_a_private_report_get_names_and_lose_them(survey, editor, analyst):
    made = reporting.ask_and_make(survey)
    services.rename_topics(report=made, names=["  Garden\n work "], by=editor)
    assert Report.objects.get().names == ["Garden work"]
    assert last_entry()[0] == "topics named"
    services.rename_topics(report=made, names=[""], by=editor)
    assert Report.objects.get().names == [""]
    with pytest.raises(NotAllowed):
        services.rename_topics(report=made, names=["x"], by=analyst)


@pytest.mark.both_databases
@pytest.mark.parametrize("names", [["a"] * 51, ["x" * 101], ["a\u202eb"], ["\x00"]])
def test_names_that_nobody_can_read_are_refused(survey, names):
    made = reporting.ask_and_make(survey)
    with pytest.raises(SettingsError, match="name"):
        services.rename_topics(report=made, names=names, by=survey.owner)


def test_only_the_curator_names_topics_of_an_internal_report(survey, editor):
    made = reporting.ask_and_make(survey, kind="exact_topics")
    with pytest.raises(NotAllowed):
        services.rename_topics(report=made, names=["x"], by=editor)
    services.rename_topics(report=made, names=["Garden", ""], by=survey.owner)
    assert names_of(Report.objects.get()) == ["Garden", ""]
    assert result_of(Report.objects.get()) == result_of(made)


def test_names_of_an_internal_report_go_with_the_answers_and_are_in_no_log(survey):
    made = reporting.ask_and_make(survey, kind="exact_topics")
    services.rename_topics(report=made, names=[reporting.SENTINEL], by=survey.owner)
    assert last_entry() == ("topics named", survey.owner.pk, {"report": str(made.pk)})
    Extract.objects.all().delete()  # as retention does
    left = Report.objects.get()
    assert names_of(left) == []
    assert reporting.SENTINEL not in f"{Report.objects.values()}{AuditEntry.objects.values()}"
    with pytest.raises(NotPossible, match="still exists"):
        services.rename_topics(report=left, names=["x"], by=survey.owner)


def test_topics_of_a_report_that_is_not_made_have_no_names(survey):
    with pytest.raises(NotPossible, match="the report is finished"):
        services.rename_topics(report=reporting.ask(survey), names=["x"], by=survey.owner)


def test_analysts_see_private_reports_and_only_the_curator_sees_internal_ones(survey, analyst):
    private = reporting.ask_and_make(survey)
    internal = reporting.ask_and_make(survey, kind="exact_topics")
    assert list(reports_of(survey, analyst)) == [private]
    assert set(reports_of(survey, survey.owner)) == {private, internal}
    assert not reports_of(survey, make_user("grace"))
    assert report_of(survey, internal.pk, analyst) is None
    assert report_of(survey, internal.pk, survey.owner) == internal
    with pytest.raises(NotAllowed):
        services.open_report(report=internal, by=analyst)
    with pytest.raises(NotAllowed):
        services.record_download(report=internal, file="json", by=analyst)


def test_each_look_at_an_internal_report_and_each_download_is_written_down(survey, analyst):
    private = reporting.ask_and_make(survey)
    internal = reporting.ask_and_make(survey, kind="exact_topics")
    services.open_report(report=internal, by=survey.owner)
    assert last_entry() == (
        "internal report seen",
        survey.owner.pk,
        {"report": str(internal.pk)},
    )
    services.open_report(report=private, by=analyst)
    assert last_entry()[0] == "internal report seen"
    services.record_download(report=private, file="csv", by=analyst)
    assert last_entry() == (
        "topic report downloaded",
        analyst.pk,
        {"report": str(private.pk), "file": "csv"},
    )


@pytest.mark.both_databases
def test_retention_erases_internal_results_and_keeps_private_ones(survey):
    private = reporting.ask_and_make(survey)
    internal = reporting.ask_and_make(survey, kind="exact_topics")
    rows = rows_of(survey)["extracts"]
    rows.delete()
    for report, is_kept in ((private, True), (internal, False)):
        found = Report.objects.get(pk=report.pk)
        assert (result_of(found) is not None) is is_kept


def test_text_questions_are_told_with_their_number_and_counts(survey):
    found = text_questions(survey)
    assert [(one.number, one.comments) for one in found] == [(2, 600), (3, 0)]
    assert [one.key for one in found] == [UUID(one.id) for one in reporting.text_items(survey)]


@pytest.mark.both_databases
def test_the_account_lists_what_was_bought_in_its_order_with_running_totals(survey):
    reports = [reporting.ask_and_make(survey, share=Fraction(1, 4)) for _ in range(2)]
    account = account_of(survey)
    assert [line.report for line in account.lines] == [report.pk for report in reports]
    assert account.lines[0].spent == account.lines[0].cost
    assert account.lines[1].spent == account.lines[0].cost + account.lines[1].cost == account.spent
    assert 0 < account.epsilon(account.lines[0].spent) < account.epsilon(account.spent) < 20


@pytest.mark.both_databases
def test_a_report_that_waits_for_a_busy_worker_is_not_lost(survey):
    report = reporting.ask(survey)
    Report.objects.update(beat=timezone.now() - timedelta(hours=1))
    assert lost_reports(timezone.now()) == []
    reporting.forget_tasks()
    assert lost_reports(timezone.now()) == [report]
