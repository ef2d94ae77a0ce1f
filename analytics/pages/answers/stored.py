"""What a stored report on answers says, in the language of a page: paths, names, sentences."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

from django.utils.translation import gettext, ngettext

from analytics.kinds.clouds import CloudReport
from analytics.kinds.comparisons import ComparisonReport
from analytics.kinds.tables.asked import NO_ANSWER
from analytics.kinds.tree_reports import Branch, TreeReport
from analytics.sources.survey_answers import POOLED
from surveys.questionnaire.kinds.question import DECLINED_LABEL
from surveys.wording.language.messages import looked_up, translated
from surveys.wording.language.numbers import grouped, localized

Compared = TypeVar("Compared", ComparisonReport, CloudReport)
# Names that no author wrote.
GIVEN = {POOLED, NO_ANSWER, str(DECLINED_LABEL)}


def said_comparison(report: ComparisonReport) -> ComparisonReport:
    """The same with its words in the language of the page."""
    return _said_pairs(report, "test")


def said_clouds(report: CloudReport) -> CloudReport:
    """The same with its words in the language of the page."""
    return _said_pairs(report, "test", "method")


def _said_pairs(report: Compared, *sentences: str) -> Compared:
    """With names of groups, notes, and these sentences of each pair of groups."""

    def said(pair: Any) -> Any:
        words = {name: translated(getattr(pair, name)) for name in sentences}
        return replace(pair, first=name_words(pair.first), second=name_words(pair.second), **words)

    pairs = map(said, report.pairs)
    names, notes = map(name_words, report.names), map(translated, report.notes)
    return replace(report, names=tuple(names), notes=tuple(notes), pairs=tuple(pairs))


def said_tree(report: TreeReport) -> TreeReport:
    """The same with its words in the language of the page; its sentences are made anew."""
    root = _said_branch(report.root)
    notes = tuple(map(translated, report.notes))
    return replace(report, root=root, sentences=tuple(_sentences(root, ())), notes=notes)


def name_words(name: str) -> str:
    """The name of a group or an answer; an author's is as it was written."""
    return looked_up(name) if name in GIVEN else name


def path_words(path: tuple[str, ...]) -> str:
    """The answers that lead to a node."""
    return gettext(" and ").join(path) or gettext("All people")


def splits_words(count: int) -> str:
    """How many questions a tree asks."""
    return ngettext(
        "{count} question goes with the answer.", "{count} questions go with the answer.", count
    ).format(count=grouped(count))


def _said_branch(branch: Branch) -> Branch:
    shares = (replace(one, level=name_words(one.level)) for one in branch.shares)
    return replace(
        branch,
        answer=name_words(branch.answer),
        shares=tuple(shares),
        branches=tuple(map(_said_branch, branch.branches)),
    )


def _sentences(branch: Branch, path: tuple[str, ...]) -> Iterator[str]:
    """Each leaf as ``comparison.trees.leaves.Rule`` says it."""
    if not branch.branches:
        yield _sentence(branch, path)
    for below in branch.branches:
        condition = gettext("“{question}” is “{answer}”").format(
            question=branch.question, answer=below.answer
        )
        yield from _sentences(below, (*path, condition))


def _sentence(leaf: Branch, path: tuple[str, ...]) -> str:
    largest = max(leaf.shares, key=lambda one: one.share)
    share, low, high = (
        f"{100 * min(max(one, 0.0), 1.0):.0f}" for one in (largest.share, largest.low, largest.high)
    )
    told = (
        gettext(
            "If {path}, then {share} % answer “{answer}” ({low} to {high} %, about {people} "
            "people)."
        )
        if path
        else gettext(
            "Of all people, {share} % answer “{answer}” ({low} to {high} %, about {people} people)."
        )
    )
    return told.format(
        path=gettext(" and ").join(path),
        share=share,
        answer=largest.level,
        low=low,
        high=high,
        people=localized(f"{leaf.size:,.0f}"),
    )
