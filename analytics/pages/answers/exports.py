"""Downloads of comparisons and trees: CSV rows, and a JSON document with how to read it."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from analytics.kinds.answers import AnswerReport
from analytics.kinds.clouds import CloudReport
from analytics.kinds.comparisons import ComparisonReport
from analytics.kinds.tree_reports import TreeReport
from analytics.pages.answers.rows import tree_page

HOW_TO_READ = {
    "comparison": (
        "distance is the earthmover distance (Wasserstein-1) between the estimated laws of two "
        "groups, in the unit of the scale. null_median is its median if the groups did not differ. "
        "low and high hold the true distance, all pairs together at the level in settings. "
        "corrected is the p-value by Holm over all pairs. detectable is the smallest shift in one "
        "direction that is found in 80 % of such surveys; empty: none. laws are unbiased and may "
        "lie outside 0 and 1; shown are made presentable. are_hidden: who belongs to which group "
        "is known only through a randomized report, so that numbers of people are estimates."
    ),
    "clouds": (
        "distance is the earthmover distance between two groups of people, each person a point of "
        "answers divided by their spreads, randomized ones by half their range (units). low and "
        "high hold the true distance in at least 95 % of surveys, all pairs together. method says "
        "how it was found; a sliced distance is another one, with a standard_error. null_median is "
        "its median if groups did not differ. "
        "are_randomized: answers were worked back through their channels, on a grid."
    ),
    "tree": (
        "Each branch has the estimated shares of the answer among its people. p_value is that of "
        "the split below it, corrected for the questions that were left. accuracy is for people "
        "whom the tree has not seen, corrected for randomized answers. Internal: do not publish."
    ),
}

Row = dict[str, Any]


def answer_rows(report: AnswerReport, about: Mapping[str, Any]) -> Iterator[Row]:
    """One row for each pair of groups, or for each branch of a tree."""
    if isinstance(report, TreeReport):
        yield from _branches(report, about)
    elif isinstance(report, CloudReport):
        for pair in report.pairs:
            yield {**asdict(pair), "unit": "spreads", **about}
    else:
        yield from _pairs(report, about)


def answer_document(report: AnswerReport, about: Mapping[str, Any]) -> dict[str, Any]:
    """The whole report."""
    return {"how_to_read": HOW_TO_READ[report.kind], **about, "report": report.to_document()}


def _pairs(report: ComparisonReport, about: Mapping[str, Any]) -> Iterator[Row]:
    sizes = dict(zip(report.names, report.sizes, strict=True))
    for pair in report.pairs:
        found = {name: value for name, value in asdict(pair).items() if name != "plan"}
        declined = found.pop("declined") or {}
        yield {
            **found,
            "first_people": sizes[pair.first],
            "second_people": sizes[pair.second],
            "declined_difference": declined.get("difference"),
            "declined_low": declined.get("low"),
            "declined_high": declined.get("high"),
            "people_are_estimates": report.are_hidden,
            "unit": report.unit,
            **about,
        }


def _branches(report: TreeReport, about: Mapping[str, Any]) -> Iterator[Row]:
    for row in tree_page(report).branches:
        yield {
            "path": row.path,
            "people": row.people,
            "shares": row.shares,
            "asks": row.question,
            "test": row.test,
            **about,
        }
