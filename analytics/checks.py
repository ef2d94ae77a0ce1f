"""``manage.py doctor``: is a ledger overspent, was each report charged, was one left alone?

Named by the app's configuration, because surveys do not know who uses them.
"""

from collections.abc import Iterator

from django.utils import timezone

from analytics.kinds.documents import DocumentError
from analytics.models import Report
from analytics.privacy.errors import BudgetError
from analytics.queries import (
    PRIVATE,
    account_of,
    cost_of,
    is_permit,
    launched_surveys,
    locked_charges,
    lost_reports,
    released_cost,
)
from surveys.models import Tally
from surveys.operations.checks.findings import Finding, fine, problem, warning

TRIGGERS = frozenset(
    {
        "budget_update",
        "budget_delete",
        "expenditure_update",
        "expenditure_delete",
        "report_document_stays",
        "expenditure_amount",
        "report_amount",
        "report_set_aside_stays",
        "report_settings_stay",
        "report_charge_stays",
        "report_is_not_deleted",
        "kept_release_update",
        "opening_release_update",
        "opening_release_delete",
        "tables_expenditure",
        "tables_set_aside",
        "tables_charge",
        "schedules_expenditure",
        "schedules_charge",
        "schedule_settings_stay",
        "trees_expenditure",
        "trees_set_aside",
        "trees_charge",
        "tree_settings_stay",
    }
)
# PostgreSQL knows no REPLACE.
SQLITE_TRIGGERS = TRIGGERS | {
    "budget_is_not_replaced",
    "expenditure_is_not_replaced",
    "report_is_not_replaced",
    "opening_release_is_not_replaced",
}


def within_budget() -> Iterator[Finding]:
    """Whether no account is overspent, in what is spent and in what is set aside."""
    problems = []
    for survey in launched_surveys():
        try:
            account = account_of(survey)
            if account:
                account.budget.left(account.taken)
        except BudgetError as reason:
            problems.append(
                problem(
                    "ledger",
                    f'the account of "{survey}" is overspent: {reason}',
                    "The ledger was changed by hand. Compare the ledger with a backup, and "
                    "publish nothing.",
                )
            )
    yield from problems or [fine("ledger", "no account is overspent")]


def paid() -> Iterator[Finding]:
    """Whether each released report was charged exactly what it says.

    A permit is charged whole, so that its report may say less.
    """
    private = Report.objects.filter(kind__in=PRIVATE, document__isnull=False)
    wrong = list(filter(_differs, private.select_related("expenditure").iterator(100)))
    for report in wrong:
        yield problem(
            "ledger",
            f"report {report.pk} was charged another cost than the report states",
            "Rows of the database were changed by hand. Compare them with a backup, and publish "
            "nothing of this report.",
        )
    if not wrong:
        yield fine("ledger", "every report was charged the cost that it states")


def listed() -> Iterator[Finding]:
    """Whether each list of locked answers was charged when it was made available."""
    tallies = Tally.objects.select_related("revision__survey").defer("revision__document")
    charged = {
        (revision, table)
        for revision, settings in locked_charges().values_list("revision", "settings")
        for table in settings["tables"]
    }
    missing = [one for one in tallies if (one.revision_id, one.table) not in charged]
    for tally in missing:
        yield problem(
            "ledger",
            f'locked table {tally.table} of "{tally.revision.survey}" was never charged',
            "Rows of the database were added by hand. Compare them with a backup, and publish "
            "nothing of this table.",
        )
    if not missing:
        yield fine("ledger", "every list of locked answers was charged")


def attended() -> Iterator[Finding]:
    """Whether a worker makes the reports that are being made."""
    lost = lost_reports(timezone.now())
    if lost:
        yield warning(
            "reports",
            f"{len(lost):,} reports were left unfinished by a worker that ended",
            "Start the worker. If the reports stay unfinished, run manage.py ledger "
            "--requeue-lost.",
        )
    else:
        yield fine("reports", "no report was left unfinished by a worker that ended")


def _differs(report: Report) -> bool:
    charged = getattr(report, "expenditure", None)
    if charged is None:
        return True
    try:
        released = released_cost(report)
        if released is not None and is_permit(report):
            return not released <= cost_of(charged)
        return cost_of(charged) != released
    except DocumentError:
        return False  # of another version; its page says so


CHECKS = (within_budget, paid, listed, attended)
