"""definition, surveys: drafts read, made and written by programs, as an import makes them."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from surveys.authoring.importing.exports import definition_of
from surveys.authoring.importing.fitting import FittedDraft, fitted
from surveys.authoring.importing.services import replace_draft, rows_of, store
from surveys.definitions.documents import BadDefinition, Contradiction, from_bytes, to_bytes
from surveys.definitions.imports.files import plan_import
from surveys.models import Survey
from surveys.programs.routing.answering import PREFIX, tag_of
from surveys.programs.routing.problems import (
    Problem,
    bad_parameter,
    not_permitted,
    not_possible_here,
)
from surveys.programs.routing.routes import Call, Made, Written
from surveys.web.problems import Fault

if TYPE_CHECKING:
    from surveys.definitions.imports.remarks import Remark

NAME = "draft.json"  # what a file of this form is called
TAG = r'(W/)?"[!#-~]+"'  # RFC 9110, section 8.8.3, in ASCII


@dataclass(frozen=True)
class DefinitionRemark:
    """What of a definition was changed or left out, and what to do about it."""

    grade: str
    text: str
    outcome: str
    remedy: str


@dataclass(frozen=True)
class StoredDraft:
    """A draft that was made or written; its definition reads back with the ETag of this answer."""

    id: UUID
    title: str
    questions: int
    remarks: tuple[DefinitionRemark, ...]


def definition(call: Call, survey_id: UUID) -> Written:
    """The definition, in the bytes of the file that the admin offers."""
    return Written(_bytes_of(call.survey(survey_id)))


def make_draft(call: Call) -> Made:
    """A new draft of the person's own, from a definition."""
    if call.token.survey_id is not None:
        raise not_permitted("Make a token for your own drafts; this one is for one survey.")
    _check_staff(call)
    draft = read_definition(call)
    survey = store(draft, by=call.person)
    return _stored(survey, draft, status=201)


def write_definition(call: Call, survey_id: UUID) -> Made:
    """Put a definition in the place of a draft's, if that is still the one that was read."""
    survey = call.survey(survey_id)
    _check_staff(call)
    expected = _expected(call)
    if survey.state != Survey.State.DRAFT:
        remedy = "What respondents were promised stays. Make another draft with POST /surveys."
        raise not_possible_here("This survey was launched", remedy)
    draft = read_definition(call)
    # On SQLite submissions wait for a transaction: the definition is written out before it, and
    # from nothing that was read before the rows, which are compared within.
    as_read = rows_of(survey)
    is_as_read = tag_of(_bytes_of(Survey.objects.get(pk=survey.pk))) == expected
    if not is_as_read or not replace_draft(draft, survey=survey, as_read=as_read, by=call.person):
        raise Problem(
            412,
            "The draft was changed since it was read",
            "Read the definition again, change that one, and send it with its ETag.",
        )
    return _stored(Survey.objects.get(pk=survey.pk), draft, status=200)


def _check_staff(call: Call) -> None:
    """Drafts are changed in the admin, which only staff accounts open."""
    if not call.person.is_staff:
        raise not_permitted("Ask an administrator to make the account one of staff.")


def _expected(call: Call) -> str:
    """The ETag of the definition that the program read; ``*`` would let it write over any."""
    tag = call.request.headers.get("If-Match", "").strip()
    if tag in ("", "*"):
        raise Problem(
            428,
            "If-Match is missing",
            "Read the definition, and send its ETag in the header If-Match.",
        )
    if not re.fullmatch(TAG, tag):
        raise bad_parameter("If-Match", "Send the ETag as it was read, in its quotation marks.")
    return tag


def read_definition(call: Call) -> FittedDraft:
    """The draft that a definition becomes, which is checked whole. Raises Problem."""
    content = call.body()
    try:
        from_bytes(content)
    except BadDefinition as refusal:
        faults = [Fault(problem.pointer, str(problem.words)) for problem in refusal.problems]
        remedy = "Mend it at these pointers; schemas/draft.json describes the format."
        if isinstance(refusal, Contradiction):
            raise not_possible_here("This definition becomes no draft", remedy, faults) from None
        raise Problem(422, "This is no definition", remedy, faults=faults) from None
    return fitted(plan_import(content, NAME))


def _bytes_of(survey: Survey) -> bytes:
    return to_bytes(definition_of(survey))


def _stored(survey: Survey, draft: FittedDraft, *, status: int) -> Made:
    facts = StoredDraft(
        survey.pk, survey.title, len(draft.questions), tuple(map(_remark, draft.remarks))
    )
    location = f"{PREFIX}/surveys/{survey.pk}"
    return Made(facts, location, status, tag=tag_of(_bytes_of(survey)))


def _remark(remark: "Remark") -> DefinitionRemark:
    words: dict[str, Any] = remark.to_json()
    return DefinitionRemark(words["grade"], words["text"], words["outcome"], words["remedy"])
