"""Break-downs, weighted estimates and regressions as downloads: CSV rows and JSON documents."""

from collections.abc import Iterable, Iterator
from typing import Any

from surveys.results.analyses.breakdowns import AnswerFindings, Breakdown
from surveys.results.analyses.findings import GroupFinding
from surveys.results.analyses.regressions import RegressionReport
from surveys.results.analyses.weighting import WeightedReport

Row = dict[str, Any]
NOT_CUT = "Shares are as computed: they may lie below 0 or above 1."
REGRESSION_METHOD = (
    "maximum likelihood of the randomized reports; Wald intervals from observed information; "
    "likelihood-ratio tests"
)
WITHHELD_IS_EMPTY = (
    "A value that is empty was withheld; the reason is beside it. Shares are cut off at 0 and 1."
)


def breakdown_rows(report: Breakdown) -> Iterator[Row]:
    """A row for each share and each difference; withheld values are empty."""
    for answer in report.answers:
        for finding in answer.shares:
            yield _row(report, answer, "share", finding)
        for finding in answer.differences:
            yield _row(report, answer, "difference", finding)


def breakdown_document(report: Breakdown) -> dict[str, Any]:
    """The same with what was asked and how to read it."""
    return {
        "question": report.item.text,
        "by": [item.text for item in report.by],
        "n": report.n,
        "left_out_because_not_asked": report.left_out,
        "method": _method(report),
        "level": report.reading.stated,
        "intervals_hold": report.hold_words,
        "pooled_groups": list(report.pooled),
        "withheld": report.withheld,
        "notes": [*report.notes, WITHHELD_IS_EMPTY],
        "findings": list(breakdown_rows(report)),
    }


def _row(report: Breakdown, answer: AnswerFindings, kind: str, finding: GroupFinding) -> Row:
    interval = finding.interval
    return {
        "answer": answer.label,
        "what": kind,
        "group": finding.group,
        "reference": finding.than,
        "people": finding.people,
        "estimate": finding.value,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "reason": finding.remark,
        "method": _method(report),
        "level": report.reading.stated,
        "hold": "together" if report.together else "each",
    }


def _method(report: Breakdown) -> str:
    return report.reading.method_name


def weighted_rows(reports: Iterable[WeightedReport]) -> Iterator[Row]:
    """A row for each answer of each question."""
    for report in reports:
        for row in report.rows:
            yield {
                "question": report.item.text,
                "answer": row.label,
                "n": report.n,
                "effective_n": row.effective_n,
                "unweighted": row.plain,
                "weighted": row.share,
                "standard_error": row.standard_error,
                "low": row.interval.low,
                "high": row.interval.high,
                "method": f"weighted, {row.method_name}",
                "level": report.reading.stated,
            }


def weighted_document(
    reports: Iterable[WeightedReport], weights_from: str, margins: str
) -> dict[str, Any]:
    """The same with where the weights come from, and why a question has no estimate."""
    listed = list(reports)
    return {
        "weights_from": weights_from,
        "population_shares": margins.splitlines(),
        "notes": [NOT_CUT],
        "problems": {report.item.text: report.problem for report in listed if report.problem},
        "findings": list(weighted_rows(listed)),
    }


def regression_rows(report: RegressionReport) -> Iterator[Row]:
    """A row for each coefficient."""
    for row in report.rows:
        yield {
            "outcome": report.outcome,
            "column": row.name,
            "compared_with": row.reference,
            "coefficient": row.value,
            "standard_error": row.standard_error,
            "low": row.low,
            "high": row.high,
            "likelihood_ratio": row.statistic,
            "p_value": row.p_value,
            "link": report.choice.link,
            "level": report.choice.reading.stated,
            "method": REGRESSION_METHOD,
        }


def regression_document(report: RegressionReport) -> dict[str, Any]:
    """The same with how well it fits and who was left out."""
    return {
        "outcome": report.outcome,
        "predictors": list(report.predictors),
        "link": report.choice.link,
        "method": REGRESSION_METHOD,
        "level": report.choice.reading.stated,
        "n": report.n,
        "left_out": report.left_out,
        "log_likelihood": report.log_likelihood,
        "aic": report.aic,
        "notes": list(report.notes),
        "coefficients": list(regression_rows(report)),
    }
