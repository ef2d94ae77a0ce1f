"""codebook_markdown: a survey's codebook to read, with reports and estimates beside the codes."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from django.utils.translation import gettext, ngettext

from surveys import PROGRAM
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.question import names_in_files
from surveys.results.codebook.sentences import HOW_TO_READ
from surveys.results.handover.asked import design_words
from surveys.results.handover.report import folded_table, question_tables
from surveys.results.labelled.shortening import one_line
from surveys.results.labelled.variables import Described, Variable, described
from surveys.results.queries import response_count
from surveys.results.questions import Report, all_reports
from surveys.results.reading import Reading
from surveys.results.routes import Route
from surveys.web.drawing.figures import FigureTable
from surveys.wording.language.numbers import count_words

if TYPE_CHECKING:
    from surveys.models import Revision

MARKS = re.compile(r"[\\`*_{}\[\]<>()#~|&!$]")  # that Markdown, or what is made of it, reads


def codebook_markdown(revision: "Revision", reading: Reading, *, with_numbers: bool = True) -> str:
    """The codebook with the dashboard's numbers, read by a method and a level.

    What the dashboard does not show of a question is not in it either. ``with_numbers`` is false
    where readers may see none of the survey's own.
    """
    questionnaire = questionnaire_of(revision)
    responses = response_count(revision)
    files = {one.number: one for one in described(questionnaire)}
    names = names_in_files(questionnaire.items)
    lines = [
        f"# {escaped(questionnaire.title)}",
        *([_responses(responses)] if with_numbers else []),
        HOW_TO_READ,
    ]
    for (report, route), name in zip(all_reports(revision, reading), names, strict=True):
        lines += _question(report, route, name, files.get(report.number), with_numbers=with_numbers)
    if 0 in files:
        lines += [f"## {gettext('Arm')}", *_columns(files[0])]
    return "\n\n".join([*lines, gettext("Made with {program}.").format(program=PROGRAM)]) + "\n"


def _responses(count: int) -> str:
    words = ngettext("{count} response.", "{count} responses.", count)
    return words.format(count=count_words(count))


def escaped(text: str) -> str:
    """A text of an author that stays a text in Markdown, on one line.

    >>> print(escaped("*a* | b"))
    \\*a\\* \\| b
    """
    return MARKS.sub(r"\\\g<0>", one_line(text))


def _question(
    report: Report, route: Route, name: str, files: Described | None, *, with_numbers: bool
) -> Iterator[str]:
    """One question: its words, its columns and codes, then what was reported and estimated."""
    yield f"## {escaped(name)}: {escaped(report.item.text)}"
    yield from filter(None, (design_words(report.item), escaped(route.words)))
    if files:
        yield from _columns(files)
    if not with_numbers:
        return
    if route.hides_estimates:  # how many are missing would say how few were asked
        yield gettext(
            "Too few people have been asked this question so far, so no results are shown."
        )
    else:
        yield from _numbers(report, route)


def _numbers(report: Report, route: Route) -> Iterator[str]:
    """What was reported and estimated, as the report to hand over shows it."""
    if route.missing:
        yield route.missing
    folded = folded_table(report)
    for one in (*question_tables(report), *((folded,) if folded else ())):
        yield table(one)


def _columns(files: Described) -> Iterator[str]:
    """The columns with their labels, and what each code says: of parts alike, once."""
    rows = [(one.name, one.label) for one in files.variables]
    rows += [(one.name, one.label) for one in files.debiased]
    yield table(FigureTable((gettext("Column"), gettext("Label")), tuple(rows)))
    codes = list(dict.fromkeys(tuple(_codes(variable)) for variable in files.variables))
    for one in codes:
        yield table(FigureTable((gettext("Code"), gettext("Meaning")), one))


def _codes(variable: Variable) -> Iterator[tuple[str, str]]:
    yield from variable.values.items()
    for code, reason in variable.missing.items():
        yield code or gettext("(empty)"), reason.value


def table(shown: FigureTable) -> str:
    """A table of Markdown; its first line names the columns."""
    rule = "|" + " --- |" * len(shown.head)
    return "\n".join([_row(shown.head), rule, *map(_row, shown.rows)])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(escaped, cells))} |"
