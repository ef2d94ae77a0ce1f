"""A report is charged before its first text is read; what it releases is kept as it is drawn.

So a report that is cancelled, fails or loses its worker keeps its charge, and is resumed from
what it released at no further cost.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from analytics.kinds.settings import Stopped
from analytics.models import KeptRelease, Report
from analytics.privacy.accounting import Budget
from analytics.queries import charged, cost_of
from analytics.services import ledger
from analytics.services.watching import of_run
from surveys.staff.locks import lock_survey


@dataclass(frozen=True)
class Made:
    """What a maker hands over: a result and, for the ledger alone, how many respondents it counted.

    The number is no part of the result where it is not public.
    """

    result: Any
    respondents: int = 0


@transaction.atomic
def begin(report: Report, terms: Budget) -> None:
    """Charge all that was set aside, for good. Raises Stopped, BudgetExceeded.

    From the first text on, how long it takes tells something about texts.
    """
    lock_survey(report.revision.survey)
    ledger.hold(report.revision)
    terms.charge(charged(report.revision, besides=report.pk), cost_of(report))
    # A cancellation that came first left no row to change: then nothing is charged.
    if not of_run(report.pk, report.run).update(is_charged=True):
        raise Stopped


class StoredReleases:
    """The releases of a report, as ``RecordedNoise`` keeps them, in the database."""

    def __init__(self, report: UUID, run: int) -> None:
        self._report, self._run = report, run

    def find(self, number: int) -> bytes | None:
        """What an earlier run released at this place."""
        kept = KeptRelease.objects.filter(report=self._report, place=number)
        content = kept.values_list("content", flat=True).first()
        return None if content is None else bytes(content)

    @transaction.atomic
    def keep(self, number: int, content: bytes) -> None:
        """Raises Stopped if the report was cancelled or another run makes it."""
        mine = of_run(self._report, self._run).select_for_update()
        if mine.defer("document").first() is None:
            raise Stopped
        KeptRelease.objects.create(report_id=self._report, place=number, content=content)
