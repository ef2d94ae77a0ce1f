"""What pages show, as downloads: rows for tables, documents with the method written into them."""

from collections.abc import Iterator
from typing import Any

from surveys.reports.breakdowns import AnswerFindings, Breakdown, Finding

Row = dict[str, Any]
WITHHELD_IS_EMPTY = (
    "A value that is empty was withheld; the reason is beside it. Shares are cut off at 0 and 1."
)


def breakdown_rows(report: Breakdown) -> Iterator[Row]:
    """A row for each share and each difference; withheld values are empty."""
    for answer in report.answers:
        for finding in answer.shares:
            yield _row(report, answer, "share", "", finding)
        for finding in answer.differences:
            yield _row(report, answer, "difference", report.reference, finding)


def breakdown_document(report: Breakdown) -> dict[str, Any]:
    """The same with what was asked and how to read it."""
    return {
        "question": report.item.text,
        "by": [item.text for item in report.by],
        "n": report.n,
        "left_out_because_not_asked": report.left_out,
        "method": _method(report),
        "level": report.reading.level,
        "intervals_hold": "together (Bonferroni)" if report.together else "each on its own",
        "pooled_groups": list(report.pooled),
        "withheld": report.withheld,
        "notes": [*report.notes, WITHHELD_IS_EMPTY],
        "findings": list(breakdown_rows(report)),
    }


def _row(
    report: Breakdown, answer: AnswerFindings, kind: str, reference: str, finding: Finding
) -> Row:
    interval = finding.interval
    return {
        "answer": answer.label,
        "what": kind,
        "group": finding.group,
        "reference": reference,
        "people": finding.people,
        "estimate": finding.value,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "reason": finding.reason,
        "method": _method(report),
        "level": report.reading.level,
        "hold": "together" if report.together else "each",
    }


def _method(report: Breakdown) -> str:
    return report.reading.method_name
