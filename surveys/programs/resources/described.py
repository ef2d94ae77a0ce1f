"""codebook, openings, checks, breakdowns: what pages say of a survey besides its estimates."""

from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from surveys import PROGRAM
from surveys.authoring.checklist.checks import Check, checks_of
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.programs.routing.problems import bad_parameter, not_permitted, not_possible_here
from surveys.programs.routing.routes import Call
from surveys.questionnaire.plans.openings import LIVE
from surveys.results.analyses.registry import ANALYSES
from surveys.results.codebook.book import codebook as codebook_of
from surveys.results.progress import progress_of
from surveys.results.queries import response_count
from surveys.staff.access import may
from surveys.staff.figures import source_of
from surveys.staff.roles import Ability
from surveys.web.problems import Fault

BREAKDOWN = "break-down"


@dataclass(frozen=True)
class OpeningFacts:
    """When answers are opened: how, the day of the last opening, and of the next one."""

    opening: str
    as_of: date | None
    next_on: date | None
    is_being_opened: bool
    is_closed: bool


@dataclass(frozen=True)
class DraftCheck:
    """A point of the list before a launch: missing, doubt or done, and why."""

    key: str
    title: str
    standing: str
    lines: tuple[str, ...]
    question: int | None


@dataclass(frozen=True)
class DraftChecks:
    """The whole list; ready once nothing is missing."""

    is_ready: bool
    checks: tuple[DraftCheck, ...]


def codebook(call: Call, survey_id: UUID) -> dict[str, Any]:
    """The codebook, as its download has it."""
    _, revision = call.launched(survey_id)
    return {"program": PROGRAM, **codebook_of(revision, responses=response_count(revision))}


def openings(call: Call, survey_id: UUID) -> OpeningFacts:
    """What changes with an opening alone: ask for this, and read estimates when it has changed."""
    survey, revision = call.launched(survey_id)
    plan, progress = questionnaire_of(revision).opening, progress_of(survey, revision)
    return OpeningFacts(
        plan.when if plan else LIVE,
        progress.as_of,
        progress.next_on,
        progress.is_opening,
        survey.state == Survey.State.CLOSED,
    )


def checks(call: Call, survey_id: UUID) -> DraftChecks:
    """The list before the launch of a draft, as its page shows it to who prepares it."""
    survey = call.survey(survey_id)
    if not may(call.person, survey, Ability.EDIT):  # as the page of the list asks for it
        raise not_permitted("Only people who prepare the survey read its checks.")
    if survey.state != Survey.State.DRAFT:
        remedy = "A survey that was launched has no checks: read its estimates."
        raise not_possible_here("This survey was launched", remedy)
    return shown_checks(checks_of(survey))


def shown_checks(listed: list[Check]) -> DraftChecks:
    """The list as programs read it."""
    return DraftChecks(
        not any(check.is_missing for check in listed),
        tuple(
            DraftCheck(
                check.key,
                str(check.title),
                str(check.standing),
                tuple(map(str, check.lines)),
                check.question or None,
            )
            for check in listed
        ),
    )


def breakdowns(call: Call, survey_id: UUID) -> dict[str, Any]:
    """A question by groups of another one, as the file of its page has it."""
    survey, revision = call.launched(survey_id)
    analysis = ANALYSES[BREAKDOWN]
    for name in ("question", "by"):
        if name not in call.query:
            raise bad_parameter(name, "Name a question by its number.")
    form, result = analysis.made(revision, call.query)
    if result is None:
        faults = [
            Fault("" if name == "__all__" else name, str(problem))
            for name, problems in form.errors.items()
            for problem in problems
        ]
        remedy = "Compare the parameters with those of the page of break-downs."
        raise not_possible_here("This cannot be broken down so", remedy, faults)
    return {"program": PROGRAM, **analysis.content(result, source_of(survey))}
