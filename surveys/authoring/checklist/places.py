"""Where each line of a checklist is mended: the address of a page, and its field."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.urls import reverse

from surveys.authoring.checklist.checks import Check
from surveys.authoring.draft.reasons import Reason
from surveys.authoring.editor.pages import list_address
from surveys.models import Question, Survey
from surveys.wording.language.messages import translated


@dataclass(frozen=True)
class Place:
    """A line, and the address at which it is mended; empty where there is nothing to mend."""

    words: str
    address: str


@dataclass(frozen=True)
class PlacedCheck:
    """A check with its lines, and with the field that decides it, if there is one."""

    check: Check
    lines: tuple[Place, ...]
    address: str


def placed_checks(survey: Survey, checks: Iterable[Check]) -> Iterator[PlacedCheck]:
    """The same checks. Lines that say what is missing lead to where it is mended."""
    questions = list(survey.questions.only("text", "survey"))
    for check in checks:
        lines = (
            Place(translated(line), _missing(survey, questions, line) if check.is_missing else "")
            for line in check.lines
        )
        yield PlacedCheck(check, tuple(lines), _decided(survey, questions, check))


def _decided(survey: Survey, questions: list[Question], check: Check) -> str:
    if check.question:
        return _question(questions[check.question - 1])
    return _survey(survey, check.field) if check.field else ""


def _missing(survey: Survey, questions: list[Question], line: str) -> str:
    """The page of the question or of the translation that the line is about, or the survey's."""
    field = line.field if isinstance(line, Reason) else ""
    if isinstance(line, Reason) and line.language:
        address = reverse("admin:surveys_survey_translations", args=[survey.pk, line.language])
        return f"{address}#id_{field}" if field else address
    if isinstance(line, Reason) and line.question:
        return _question(questions[line.question - 1], field)
    return _survey(survey, field) if field else list_address(survey)


def _survey(survey: Survey, field: str) -> str:
    return f"{reverse('admin:surveys_survey_change', args=[survey.pk])}#id_{field}"


def _question(question: Question, field: str = "") -> str:
    address = reverse("admin:surveys_question_change", args=[question.pk])
    return f"{address}#id_{field}" if field else address
