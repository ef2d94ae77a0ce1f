"""PrivateTreeKind: which answers go with one answer, from noisy counts; it may be published."""

import math
from collections.abc import Iterator
from functools import partial

from django.utils.formats import number_format
from django.utils.translation import gettext

from analytics.kinds.private_trees import PrivateBranch, PrivateTreeReport
from analytics.kinds.registry import PRIVATE_TREE
from analytics.models import Report
from analytics.reports.amounts import rounded_up
from analytics.reports.kind import NO_FACTS, ReportFacts
from analytics.reports.names import name_words, path_words, splits_words
from analytics.reports.released import ReleasedKind
from analytics.reports.words import ANSWER_WORDS
from surveys.reports.documents import (
    Card,
    Document,
    Items,
    Lead,
    Part,
    ResultColumn,
    ResultTable,
    Row,
    Text,
)
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import grouped, localized

IN_FILES = (
    "path",
    "answer",
    "people",
    "noise",
    "margin",
    "epsilon",
    "delta",
    "adjacency",
)


class PrivateTreeKind(ReleasedKind):
    """Which answers go with one answer, from noisy counts."""

    how_to_read = (
        "Each leaf has an estimated number of people for each answer, with noise of one standard "
        "deviation noise; margin holds in 95 of 100 cases. Numbers are unbiased and may lie below "
        "0. p_value is that of the split below a node, from noisy counts, corrected for the "
        "questions that were left. epsilon, delta and adjacency are what this report promises each "
        "respondent."
    )

    def __init__(self) -> None:
        super().__init__(PRIVATE_TREE)

    def result(self, report: Report) -> PrivateTreeReport | None:
        """The tree. Raises DocumentError."""
        return None if report.document is None else PrivateTreeReport.from_document(report.document)

    def show(self, result: PrivateTreeReport, facts: ReportFacts = NO_FACTS) -> Document:
        """Its leaves, what it promises, and how it was computed."""
        promise = gettext("Epsilon {epsilon} at delta {delta}: {promise}").format(
            epsilon=rounded_up(result.epsilon),
            delta=number_format(result.delta),
            promise=translated(ANSWER_WORDS[result.adjacency]),
        )
        warning = gettext("This tree describes groups. It says nothing about single respondents.")
        answer = (
            Lead(_lead(result)),
            Text(promise),
            Text(warning, is_warning=True),
            Part("analytics/_files.html", gettext("This tree")),
            _leaf_table(result),
        )
        heading = gettext("Answers that go with “{question}”").format(question=result.question)
        return Document(
            (
                Card("found", heading, answer),
                Card("method", gettext("How this was computed"), (Items(_method()),), is_fold=True),
            ),
            ResultTable("", tuple(map(ResultColumn, IN_FILES)), tuple(_file_rows(result))),
        )


def _lead(result: PrivateTreeReport) -> str:
    splits = sum(1 for _, branch in _walk(result.root) if branch.question)
    if not splits:
        return gettext(
            "With this noise, the tree finds no other answer that goes with the answers to this "
            "question."
        )
    return splits_words(splits)


def _leaf_table(result: PrivateTreeReport) -> ResultTable:
    caption = gettext(
        "Estimated number of people in each leaf, within ± {margin} in 95 of 100 cases"
    ).format(margin=grouped(math.ceil(result.margin)))
    levels = (
        ResultColumn("", name_words(level), partial(_people, number), is_number=True)
        for number, level in enumerate(result.levels)
    )
    rows = tuple(
        {"path": path_words(path), "people": leaf.people} for path, leaf in _leaves(result)
    )
    return ResultTable(
        caption, (ResultColumn("path", gettext("People who answered")), *levels), rows
    )


def _people(level: int, row: Row) -> str:
    return localized(f"{row['people'][level]:,.0f}").replace("-", "−")


def _file_rows(result: PrivateTreeReport) -> Iterator[Row]:
    """A row for each leaf and answer, with its noise and the promise."""
    for path, leaf in _leaves(result):
        for answer, people in zip(result.levels, leaf.people, strict=True):
            yield {
                "path": path_words(path),
                "answer": answer,
                "people": people,
                "noise": result.noise,
                "margin": result.margin,
                "epsilon": result.epsilon,
                "delta": result.delta,
                "adjacency": str(result.adjacency),
            }


def _walk(
    branch: PrivateBranch, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], PrivateBranch]]:
    yield path, branch
    for below in branch.branches:
        yield from _walk(below, (*path, f"{branch.question}: {name_words(below.answer)}"))


def _leaves(result: PrivateTreeReport) -> Iterator[tuple[tuple[str, ...], PrivateBranch]]:
    return ((path, branch) for path, branch in _walk(result.root) if not branch.question)


def _method() -> tuple[str, ...]:
    return (
        gettext(
            "For every question, a table counts how often its answers occur together with each "
            "answer to the explained question. Each table gets noise before any person or "
            "program looks at the table. The tree asks a question where a test finds that this "
            "question and the explained question are related. The test allows for the noise."
        ),
        gettext(
            "The leaves are counted once more, with separate noise. Numbers below 0 are caused by "
            "noise."
        ),
        gettext("Each release of noisy counts is charged to the privacy ledger of the survey."),
    )
