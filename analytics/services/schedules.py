"""Tables at openings: planned and charged at launch, drawn once at each opening.

For surveys whose direct answers come to light as released tables alone. What an opening draws is
stored in the transaction that finishes the opening: then it exists for all, and is never drawn
again. What was drawn and not stored was seen by no one.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext, ngettext

from analytics import queries
from analytics.kinds.documents import DocumentError
from analytics.kinds.registry import SCHEDULE
from analytics.kinds.tables.released import TableRelease
from analytics.kinds.tables.schedules import DrawnSets, TableSchedule
from analytics.models import Expenditure, OpeningRelease, Report
from analytics.privacy.accounting import Adjacency, Budget, Cost
from analytics.privacy.checks import IntArray
from analytics.privacy.mechanisms import Noise
from analytics.reports.released import drawn_sets
from analytics.services import ledger
from analytics.sources.survey_tables import asked_of, levels_of, settings_at_openings
from surveys.models import Revision
from surveys.models.queries import questionnaire_of, questionnaire_of_id
from surveys.models.refusals import NotPossible
from surveys.models.releasing import KeptRows
from surveys.questionnaire.document import Questionnaire
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.messages import sentence
from surveys.staff.audit.services import record
from surveys.wording.language.messages import message_of
from surveys.wording.language.numbers import grouped, localized

if TYPE_CHECKING:
    from django.contrib.auth.models import User

AT_OPENINGS = sentence("Tables at openings: {problem}")


def schedule_of(questionnaire: Questionnaire) -> TableSchedule:
    """What a questionnaire promises of tables at openings.

    Raises NotPossible (nothing was promised), SettingsError, WorkloadError, StrategyError,
    NoiseError, BudgetError.
    """
    promised, plan = questionnaire.budget, questionnaire.releases
    if promised is None or plan is None:
        raise NotPossible(ledger.NO_PROMISE)
    # One respondent: how many there will be is not known yet, and delta was checked against those
    # who are planned.
    terms = Budget(promised.nats, float(promised.delta), 1, Adjacency(promised.adjacency))
    asked = asked_of(questionnaire, settings_at_openings(questionnaire))
    part = Cost(terms.limit.part(Fraction(plan.share, 100)).mu_squared)
    return TableSchedule.of(asked, plan.openings, part, terms)


def reasons(questionnaire: Questionnaire) -> Iterator[str]:
    """Why these tables cannot be released at openings."""
    try:
        schedule_of(questionnaire)
    except (NotPossible, StatisticsError) as problem:
        yield AT_OPENINGS.format(problem=message_of(problem))


def foretold(questionnaire: Questionnaire) -> Iterator[str]:
    """How many tables there will be, and how sure, in the language of the page, at no cost.

    Raises what ``schedule_of`` raises.
    """
    planned = schedule_of(questionnaire)
    openings = range(planned.schedule.openings)
    tables = len(planned.asked.tables)
    yield gettext(
        "Direct answers are shown only as {tables} with random numbers added, at up to "
        "{openings}. All these tables together cost epsilon {epsilon}. If you add opening days "
        "later, no further tables are released on these days."
    ).format(
        tables=ngettext("{count} table", "{count} tables", tables).format(count=grouped(tables)),
        openings=ngettext("{count} opening", "{count} openings", len(openings)).format(
            count=grouped(len(openings))
        ),
        epsilon=localized(f"{planned.epsilon:.3g}"),
    )
    yield gettext(
        "In 95 of 100 cases, a typical count in these tables is off by at most {margin} people "
        "at the close. At the first opening, a typical count is off by at most {first} people."
    ).format(
        margin=localized(f"{planned.typical_margin(openings):,.1f}"),
        first=localized(f"{planned.typical_margin(openings[:1]):,.1f}"),
    )


def launched(revision: Revision, by: "User") -> None:
    """Charge all openings together, and freeze their plan, in the transaction of the launch."""
    questionnaire = questionnaire_of(revision)
    planned = schedule_of(questionnaire)
    terms = ledger.require_terms(revision, 1)
    account = ledger.hold(revision)
    # The totals of locked answers are set aside from the launch on.
    terms.charge(queries.spent(revision) + queries.reserved(revision), planned.cost)
    now = timezone.now()
    report = Report.objects.create(
        revision=revision,
        question=UUID(questionnaire.row.hidden[0].id),
        kind=SCHEDULE.name,
        settings=settings_at_openings(questionnaire).to_data(),
        state=Report.State.DONE,
        fraction=1,
        is_charged=True,
        actor=by.pk,
        finished_at=now,
        document=planned.to_document(),
        **ledger.written(planned.cost),
    )
    Expenditure.objects.create(
        budget=account, report=report, actor=by.pk, **ledger.written(planned.cost)
    )
    entry = {"report": str(report.pk), "kind": SCHEDULE.name, **ledger.written(planned.cost)}
    record("tables at openings charged", by=by, survey=revision.survey, after=entry)


def prepared(
    noise: Noise, revision_id: UUID, number: int, is_last: bool, rows: KeptRows
) -> Callable[[], None]:
    """Draw what opening ``number``, from 1, releases; what is returned stores it.

    The last place of the schedule is that of the close. Openings that later days added draw
    nothing: their people are counted at the close.
    """
    ledger.require_vetted(noise)
    report = Report.objects.get(revision=revision_id, kind=SCHEDULE.name)
    planned = TableSchedule.from_document(report.document or {})
    last = planned.schedule.openings - 1
    position = last if is_last else number - 1
    made = dict(report.opening_releases.values_list("opening", "place"))
    if (position >= last and not is_last) or position in made.values():
        return _nothing
    blocks = _blocks(questionnaire_of_id(revision_id), rows, made, position)
    drawn = planned.drawn(position, blocks, noise)
    return partial(_store, report, number, position, drawn)


def _blocks(
    questionnaire: Questionnaire, rows: KeptRows, made: Mapping[int, int], position: int
) -> dict[int, IntArray]:
    """Levels of people by the place that counted them first; openings without one count here."""
    settings = settings_at_openings(questionnaire)
    by_place: dict[int, list[str]] = {position: []}
    for opening, answers in rows.items():
        by_place.setdefault(made.get(opening, position), []).extend(answers)
    return {
        counted: levels_of(questionnaire, settings, codes) for counted, codes in by_place.items()
    }


def _store(report: Report, number: int, position: int, drawn: DrawnSets) -> None:
    content = [[list(chosen), list(values)] for chosen, values in drawn.items()]
    OpeningRelease.objects.create(report=report, opening=number, place=position, content=content)


def _nothing() -> None:
    """An opening that releases nothing."""


def is_later(revision_id: UUID, document: Mapping[str, Any]) -> bool:
    """Whether a file of released tables tells of a draw that this database has not made.

    ``document`` is what "release.json" has. Raises ValueError: it is not of these tables.
    """
    report = Report.objects.get(revision=revision_id, kind=SCHEDULE.name)
    planned = TableSchedule.from_document(report.document or {})
    try:
        release = TableRelease.from_document(document["release"])
    except (DocumentError, KeyError, TypeError, AttributeError) as problem:
        raise ValueError("it is no file of released tables") from problem
    if (release.asked.tables, release.residuals) != (planned.asked.tables, planned.residuals):
        raise ValueError("it is a file of other tables")
    places = sorted(report.opening_releases.values_list("place", flat=True))
    drawn = drawn_sets(report)
    known = [
        planned.release({position: drawn[position] for position in places[:count]})
        for count in range(1, len(places) + 1)
    ]
    return all(release.sets != known_release.sets for known_release in known)
