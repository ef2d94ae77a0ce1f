"""Every read of reports, texts and ledgers: accounts, spent and reserved costs, lost reports."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from analytics.kinds.registry import LOCKED, PRIVATE_TREE, SCHEDULE, TABLE_RELEASE
from analytics.models import Expenditure, OpeningRelease, Report
from analytics.privacy import accounting
from analytics.privacy.accounting import Adjacency, Cost, total
from analytics.reports.registry import KINDS, kind_named, names_of_kinds
from analytics.sources.locked_tables import locked_cost
from surveys.kinds.text import promise as text
from surveys.models import Revision, Survey
from surveys.models.queries import (
    awaits_openings,
    is_erased,
    opened_comments,
    opened_sealed_texts,
    questionnaire_of,
    read_opened,
    revision_of,
)
from surveys.models.releasing import DumpedRows
from surveys.results.queries import texts_written
from surveys.staff.access import may, surveys_for
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User


PENDING = (Report.State.QUEUED, Report.State.RUNNING)
TABLES = TABLE_RELEASE.name
TREE = PRIVATE_TREE.name
AT_OPENINGS = SCHEDULE.name
# Those that have a page of a release.
RELEASED = tuple(kind.name for kind in KINDS.values() if kind.is_of_tables)
OF_TEXTS = tuple(kind.name for kind in KINDS.values() if kind.is_of_texts)
# Those on stored answers, releases of tables and private trees have pages of their own.
WITH_OWN_PAGES = tuple(kind.name for kind in KINDS.values() if not kind.is_of_texts)
PRIVATE = names_of_kinds(pays=True)
# What all who read a survey's results may see.
OPEN = names_of_kinds(is_open=True)
# Surveys that are looked through for one that asks the same.
MOST_OTHERS = 200
TASK = "analytics.tasks.make_report"
# A worker says twice a minute that it is alive; after so long without a word it is not.
PATIENCE = timedelta(minutes=5)


@dataclass(frozen=True)
class AskedText:
    """A free-text question, its number from 1, and how many comments are stored."""

    number: int
    item: text.TextQuestion
    comments: int

    @property
    def key(self) -> UUID:
        return UUID(self.item.id)


@dataclass(frozen=True)
class LedgerLine:
    """One expenditure: what it bought, and ``spent``, the total with it.

    ``is_finished`` is false for a report that was charged and then cancelled, or failed.
    """

    report: UUID
    kind: str
    question: UUID
    cost: Cost
    spent: Cost
    actor: int | None
    at: datetime
    is_finished: bool = True


@dataclass(frozen=True)
class Account:
    """What was promised, what is spent, and what reports that are being made may still cost.

    All amounts are in terms of the budget's adjacency. ``budget.respondents`` is 1: whether delta
    is small enough for a question's respondents is asked by each request.
    """

    budget: accounting.Budget
    reserved: Cost
    lines: tuple[LedgerLine, ...]
    pays_for_tables: bool = False

    @property
    def taken(self) -> Cost:
        """What was spent or is set aside."""
        return self.spent + self.reserved

    @cached_property
    def spent(self) -> Cost:
        return total(line.cost for line in self.lines)

    @cached_property
    def left(self) -> Cost:
        """What a new report may cost. Raises BudgetError if the ledger is overspent."""
        return self.budget.left(self.taken)

    def price(self, share: Fraction) -> Cost:
        """What a report of this share of the whole budget costs at most. Raises BudgetError."""
        return self.budget.limit.part(share)

    def can_pay(self, share: Fraction) -> bool:
        """Whether a report of this share can still be asked for. Raises BudgetError."""
        return self.price(share) <= self.left

    def epsilon(self, cost: Cost) -> float:
        """What an amount is in epsilon, at the promised delta. Raises BudgetError."""
        return cost.epsilon(self.budget.delta)


def launched_surveys() -> QuerySet[Survey]:
    """Every survey that promised something, open or closed."""
    return Survey.objects.exclude(state=Survey.State.DRAFT)


def account_of(survey: Survey) -> Account | None:
    """The ledger of a launched survey; None where no budget was promised."""
    revision = revision_of(survey)
    terms = terms_of(revision) if revision else None
    if revision is None or terms is None:
        return None
    promised = questionnaire_of(revision).budget
    pays_for_tables = promised is not None and promised.pays_for_tables
    return Account(terms, reserved(revision), tuple(_lines(revision)), pays_for_tables)


def terms_of(revision: Revision, respondents: int = 1) -> accounting.Budget | None:
    """What respondents were promised about everything that is published; None: nothing.

    Raises BudgetError where delta is no protection among so many respondents.
    """
    promised = questionnaire_of(revision).budget
    if promised is None:
        return None
    adjacency = Adjacency(promised.adjacency)
    return accounting.Budget(float(promised.epsilon), float(promised.delta), respondents, adjacency)


def expenditures(revision: Revision) -> QuerySet[Expenditure]:
    """All that was spent, on texts and on tables, in its order."""
    return Expenditure.objects.filter(budget__revision=revision)


def unfinished(revision: Revision) -> QuerySet[Report]:
    """Reports that were charged and then cancelled, or failed; resuming one costs nothing more."""
    over = (Report.State.CANCELLED, Report.State.FAILED)
    reports = Report.objects.filter(revision=revision, is_charged=True, state__in=over)
    return reports.order_by("finished_at", "pk").defer("document")


def spent(revision: Revision, *, besides: UUID | None = None) -> Cost:
    """The exact sum of all expenditures and of what was charged for unfinished reports."""
    begun = (report for report in unfinished(revision) if report.pk != besides)
    return total([*map(cost_of, expenditures(revision)), *map(cost_of, begun)])


def charged(revision: Revision, *, besides: UUID) -> Cost:
    """All that was charged, also for reports that are being made, without one of them."""
    running = Report.objects.filter(revision=revision, is_charged=True, state__in=PENDING)
    others = running.exclude(pk=besides).defer("document")
    return spent(revision, besides=besides) + total(map(cost_of, others))


def reserved(revision: Revision, *, besides: UUID | None = None) -> Cost:
    """What reports that are asked for and not yet made may cost, without one of them.

    And what the totals of locked answers cost, from the launch to the close, so that nothing else
    spends it. Then it is spent, or free again where the ballots were destroyed.
    """
    pending = Report.objects.filter(revision=revision, state__in=PENDING).defer("document")
    asked = total(cost_of(report) for report in pending if report.pk != besides)
    return asked + _locked(revision)


def _locked(revision: Revision) -> Cost:
    questionnaire = questionnaire_of(revision)
    if (
        questionnaire.tally is None
        or questionnaire.budget is None
        or not awaits_openings(revision.pk)
    ):
        return Cost()
    return locked_cost(questionnaire, Adjacency(questionnaire.budget.adjacency))


def locked_charges() -> QuerySet[Report]:
    """The charges of totals of locked answers, at most one of each survey."""
    return Report.objects.filter(kind=LOCKED.name)


def cost_of(row: Report | Expenditure) -> Cost:
    """The amounts of a row."""
    return Cost(Decimal(row.mu_squared), Decimal(row.threshold_delta))


def _lines(revision: Revision) -> Iterator[LedgerLine]:
    so_far = Cost()
    for row in expenditures(revision).select_related("report").defer("report__document"):
        cost, report = cost_of(row), row.report
        so_far += cost
        yield LedgerLine(report.pk, report.kind, report.question, cost, so_far, row.actor, row.at)
    for report in unfinished(revision):
        cost = cost_of(report)
        so_far += cost
        at = report.finished_at or report.asked_at
        yield LedgerLine(
            report.pk, report.kind, report.question, cost, so_far, report.actor, at, False
        )


def text_questions(survey: Survey) -> list[AskedText]:
    """The free-text questions of a launched survey, none of a draft; no text is read.

    Texts that the page sealed are no texts for this server.
    """
    revision = revision_of(survey)
    if revision is None:
        return []
    counts = texts_written(revision)
    texts = questionnaire_of(revision).numbered.texts
    return [AskedText(n, item, counts[n]) for n, item in texts if not item.is_locked]


def sealed_questions(survey: Survey) -> list[AskedText]:
    """The free-text questions whose texts the page sealed, each with the texts of its file."""
    revision = revision_of(survey)
    if revision is None:
        return []
    locked = [(n, item) for n, item in questionnaire_of(revision).numbered.texts if item.is_locked]
    return [AskedText(n, item, opened_sealed_texts(revision.pk, n).count()) for n, item in locked]


def sealing_keys(survey: Survey) -> tuple[str, ...]:
    """Whose keys open the texts of a launched survey; empty where this server can read them."""
    revision = revision_of(survey)
    seals = questionnaire_of(revision).seals if revision else None
    return tuple(key.name for key in seals.keys) if seals else ()


def question_texts(survey: Survey) -> dict[UUID, str]:
    """What every question of a launched survey asks, by its key."""
    revision = revision_of(survey)
    items = questionnaire_of(revision).items if revision else ()
    return {UUID(item.id): item.text for item in items}


def surveys_asking_the_same(survey: Survey, user: "User") -> list[Survey]:
    """Other surveys that this person may read and that ask one of its questions, by title."""
    asked = _compared_texts(survey)
    launched = surveys_for(user).exclude(state=Survey.State.DRAFT).exclude(pk=survey.pk)
    today = timezone.now().date()
    return [
        other
        for other in launched[:MOST_OTHERS]
        if not is_erased(other, today) and asked & _compared_texts(other)
    ]


def _compared_texts(survey: Survey) -> set[str]:
    """What those questions of a launched survey ask whose answers can be compared."""
    revision = revision_of(survey)
    return (
        {item.text for _, item in questionnaire_of(revision).numbered.readable}
        if revision
        else set()
    )


def finished_comparisons(user: "User") -> QuerySet[Report]:
    """Every finished comparison of groups that this person may see, newest first."""
    seen = surveys_for(user, Ability.READ)
    comparisons = Report.objects.filter(kind="comparison", revision__survey__in=seen.values("pk"))
    done = comparisons.filter(state=Report.State.DONE).select_related("revision__survey", "extract")
    return done.defer("revision__document")


def latest_comparison(survey: Survey, user: "User") -> Report | None:
    """The newest finished comparison of groups that this person may see."""
    comparisons = reports_of(survey, user).filter(kind="comparison", state=Report.State.DONE)
    return comparisons.select_related("extract").first()


def text_question(survey: Survey, key: UUID) -> AskedText | None:
    """The free-text question of this key; None if there is no such question."""
    return next((question for question in text_questions(survey) if question.key == key), None)


def texts_of(revision: Revision, number: int) -> Iterator[tuple[UUID, str]]:
    """(key of the comment, text) of one question, in the order of the random keys."""
    rows = opened_comments(revision.pk).filter(question=number).order_by("pk")
    return read_opened(rows, revision.pk, "pk", "text", at_once=2000)


def ability_to_see(kind: str) -> Ability:
    """What a member of staff needs to see reports of this kind."""
    return Ability.READ if kind_named(kind).is_open else Ability.RULE


def ability_to_ask(kind: str) -> Ability:
    """What a member of staff needs to ask for, cancel or repeat reports of this kind."""
    return kind_named(kind).asked_by


def reports_of(survey: Survey, user: "User") -> QuerySet[Report]:
    """The reports of a survey that this person may see, newest first, without their results."""
    reports = Report.objects.filter(revision__survey=survey).select_related("expenditure")
    if not may(user, survey, Ability.READ):
        return reports.none()
    if not may(user, survey, Ability.RULE):
        reports = reports.filter(kind__in=OPEN)
    return reports.defer("document")


def report_of(survey: Survey, key: UUID, user: "User") -> Report | None:
    """One of these reports; None if there is none of this key that this person may see."""
    return reports_of(survey, user).filter(pk=key).first()


def key_of_wish(survey: Survey, user: "User", key: UUID) -> UUID:
    """The key of the report that a user asks for with a form of this key.

    A hash of all three (RFC 9562, version 5), so that no user meets a report of another's form.
    """
    return uuid5(key, f"{survey.pk}/{user.pk}")


def asked_with(survey: Survey, user: "User", key: UUID) -> Report | None:
    """The report that this person asked for with a form of this key, if they may see it."""
    return report_of(survey, key_of_wish(survey, user, key), user)


def result_of(report: Report) -> Any:
    """A report's result; None if it is not made, or was erased with the answers.

    Raises DocumentError: another version made it, and this one cannot read it.
    """
    return kind_named(report.kind).result(report)


def drawn_openings() -> dict[UUID, int]:
    """How many openings of each schedule of tables were drawn, by its revision."""
    schedules = Report.objects.filter(kind=AT_OPENINGS).annotate(drawn=Count("opening_releases"))
    return dict(schedules.values_list("revision_id", "drawn"))


def drawn_openings_in(rows: DumpedRows) -> dict[UUID, int]:
    """The same in a backup. Raises dumps.Unusable if it is from before there were schedules."""
    schedules = {
        UUID(report): UUID(revision)
        for report, revision, kind in rows("analytics_report", ["id", "revision_id", "kind"])
        if kind_named(kind).draws_at_openings
    }
    drawn = Counter(UUID(report) for (report,) in rows("analytics_openingrelease", ["report_id"]))
    return {revision: drawn[report] for report, revision in schedules.items()}


def is_permit(report: Report) -> bool:
    """Whether a report on sealed texts was charged, which is made where its keys are."""
    return "permit" in report.settings


def is_open_permit(report: Report) -> bool:
    """Whether it is charged, and its report was not handed in yet."""
    return is_permit(report) and report.finished_at is None


def newest_opening(report: Report) -> OpeningRelease | None:
    """What the last opening drew of a schedule; None before the first, and for other kinds."""
    return OpeningRelease.objects.filter(report=report).order_by("-place").first()


def schedule_of(survey: Survey) -> Report | None:
    """The schedule of tables of a survey that only releases them, without its plan."""
    schedules = Report.objects.filter(revision__survey=survey, kind=AT_OPENINGS)
    return schedules.defer("document").first()


def is_open_to_all(report: Report) -> bool:
    """Whether its owner opened a release to all who have its address, when it was published."""
    return kind_named(report.kind).is_public(report)


def release_open_to_all(key: UUID) -> Report | None:
    """The finished release of this key, if its owner opened it to all; without its result."""
    releases = Report.objects.filter(pk=key, kind=TABLES, state=Report.State.DONE)
    report = releases.defer("document").first()
    return report if report is not None and is_open_to_all(report) else None


def released_cost(report: Report) -> Cost | None:
    """What a private report says that it was charged; None without one. Raises DocumentError."""
    return kind_named(report.kind).cost(report)


def names_of(report: Report) -> list[str]:
    """The names that people gave to its topics, at most one each; an internal report's go with it.

    They are in the order of the topics; "" where a topic has none.
    """
    names = report.extract.document.get("names", []) if report.extract else report.names
    return list(names)


def lost_reports(now: datetime) -> list[Report]:
    """Reports that are not made any more: their worker ended, or the task is gone."""
    silent = Report.objects.filter(state__in=PENDING, beat__lt=now - PATIENCE).defer("document")
    return [report for report in silent if not is_waiting(report)]


def is_waiting(report: Report) -> bool:
    """Whether a task for the report's run waits for a worker."""
    arguments = [str(report.pk), report.run]
    ready = Q(task_path=TASK, status="READY", args_kwargs__args=arguments)
    return report.state == Report.State.QUEUED and DBTaskResult.objects.filter(ready).exists()


def is_lost(report: Report, now: datetime) -> bool:
    """Whether this report is one of ``lost_reports``."""
    silent = report.state in PENDING and report.beat and report.beat < now - PATIENCE
    return bool(silent) and not is_waiting(report)


def finished_reports(user: "User") -> QuerySet[Report]:
    """Every finished topic report of every survey that this person may see, newest first."""
    seen, ruled = (surveys_for(user, ability) for ability in (Ability.READ, Ability.RULE))
    private = Q(kind__in=PRIVATE, revision__survey__in=seen.values("pk"))
    reports = Report.objects.filter(private | Q(revision__survey__in=ruled.values("pk")))
    done = reports.filter(state=Report.State.DONE, kind__in=OF_TEXTS).select_related(
        "revision__survey"
    )
    made = done.exclude(settings__has_key="permit", finished_at=None)
    return made.defer("document", "revision__document")


def texts_named(revision: Revision, keys: Iterable[str]) -> dict[str, str]:
    """Comments of a revision by their keys. Those that were erased are left out."""
    rows = opened_comments(revision.pk).filter(pk__in=set(keys)).values_list("pk", "text")
    return {str(key): text for key, text in rows}


def report_numbers(reports: Collection[Report]) -> dict[UUID, int]:
    """Each report's number among all of its survey, from 1, in the order they were asked for.

    Two of one kind and minute are told apart by it, on every page alike.
    """
    revisions = {report.revision_id for report in reports}
    places: Counter[UUID] = Counter()
    numbers = {}
    asked = Report.objects.filter(revision__in=revisions).order_by("asked_at", "pk")
    for key, revision in asked.values_list("pk", "revision"):
        places[revision] += 1
        numbers[key] = places[revision]
    return numbers


def finished_releases(revision: Revision) -> QuerySet[Report]:
    """The releases of tables of a survey that are made, the first one first.

    A schedule is ready from the launch on, and has tables from its first opening on.
    """
    ready = Report.objects.filter(revision=revision, kind__in=RELEASED, state=Report.State.DONE)
    drawn = OpeningRelease.objects.filter(report=OuterRef("pk"))
    made = ready.filter(~Q(kind=AT_OPENINGS) | Exists(drawn))
    return made.order_by("asked_at", "pk")
