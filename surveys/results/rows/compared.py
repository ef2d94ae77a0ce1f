"""PlannedMarks: what shares stand beside on pages: the plan, and the surveys before."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from surveys.questionnaire.formats.launched import TEXTS
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import question_document
from surveys.results.questions import Report
from surveys.results.routes import Route
from surveys.results.shares import ShareReport, ShareRow

if TYPE_CHECKING:
    from surveys.models import Survey

SAME = {*TEXTS, "form", "kind"}  # what of a question's document makes it the same elsewhere


def asked_words(item: Question) -> tuple[str, ...]:
    """A question's kind and all its words, those of help and of answers in their order.

    Two that have the same were asked alike, by one design or by two.
    """
    return tuple(_same("", question_document(item)))


def _same(name: str, part: Any) -> Iterator[str]:
    if isinstance(part, Mapping):
        for inner, value in part.items():
            yield from _same(inner, value)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from _same(name, value)
    elif name in SAME:
        yield str(part)


@dataclass(frozen=True)
class Earlier:
    """What a survey that is over found of a question."""

    survey: "Survey"
    report: ShareReport


@dataclass(frozen=True)
class PlannedMarks:
    """What the shares of a survey are compared with.

    ``planned`` counts the responses of its plan, 0 where none more will come; ``expected`` has the
    report of each question, by its number, as it would be if so many came in the proportions of
    today, in the reading of the plan. ``before`` is what was found earlier, by ``asked_words``.
    """

    planned: int = 0
    expected: Mapping[int, ShareReport] = field(default_factory=dict)
    before: Mapping[tuple[str, ...], Earlier] = field(default_factory=dict)

    @property
    def surveys(self) -> list["Survey"]:
        """Those before from which something is marked, each once."""
        surveys = (earlier.survey for earlier in self.before.values())
        return list({survey.pk: survey for survey in surveys}.values())

    def beside(self, report: Report) -> Report:
        """The same report with its marks; one without shares as it is."""
        if not isinstance(report, ShareReport) or not report.rows:
            return report
        before = self.before.get(asked_words(report.item))
        expected = self.expected.get(report.number)
        earlier = {row.answer: row for row in before.report.all_rows} if before else {}
        title = f"“{before.survey.title}”" if before else ""
        marked = report.marked(_marks(expected, earlier))
        return replace(marked, planned=self.planned if expected else 0, earlier=title)

    def beside_all(self, reports: Iterable[tuple[Report, Route]]) -> list[tuple[Report, Route]]:
        """The same for every question."""
        return [(self.beside(report), route) for report, route in reports]


def _marks(
    expected: ShareReport | None, earlier: Mapping[str, ShareRow]
) -> Callable[[ShareRow], ShareRow]:
    """What gives a row the interval that is expected of the same answer, and the row before."""
    rows = expected.all_rows if expected else ()
    planned = {row.answer: row.shown for row in reversed(rows)}  # the first of an answer counts
    return lambda row: replace(
        row, planned=planned.get(row.answer), earlier=earlier.get(row.answer)
    )
