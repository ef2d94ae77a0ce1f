"""exports: files of all reported answers, asked for and taken away, in parts if need be."""

from dataclasses import dataclass
from uuid import UUID

from django.http import Http404
from django.http.response import HttpResponseBase

from surveys.models import Export, Survey
from surveys.programs.routing.answering import PREFIX
from surveys.programs.routing.bodies import fields_of
from surveys.programs.routing.problems import Problem, bad_body, not_here
from surveys.programs.routing.routes import Call, Made
from surveys.results.taking.formats import KINDS
from surveys.results.taking.queries import exports_of
from surveys.results.taking.replies import file_reply
from surveys.results.taking.rows import export_rows
from surveys.results.taking.services import ask
from surveys.results.taking.tasks import write_later

CONTENT_TYPES = tuple(sorted({form.content_type.partition(";")[0] for form in KINDS.values()}))
SENT = {
    "type": "object",
    "properties": {"kind": {"type": "string", "enum": list(KINDS)}},
    "required": ["kind"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class ExportFacts:
    """A file: being_written, ready, or failed with a problem; it is deleted after a day."""

    id: UUID
    kind: str
    state: str
    written: int
    total: int
    size: int
    problem: str


@dataclass(frozen=True)
class ExportList:
    """The files that the person asked for, of this survey."""

    exports: tuple[ExportFacts, ...]


def ask_for(call: Call, survey_id: UUID) -> Made:
    """Have a worker write a file; one that is being written already is not begun again."""
    survey, _ = call.launched(survey_id)
    document = fields_of(call.document(), frozenset({"kind"}))
    kind = document.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        detail = f"Choose one of: {', '.join(KINDS)}."
        raise bad_body(422, "A field is wrong", detail, "/kind")
    export = ask(survey, kind, by=call.person, later=write_later)
    facts = _facts(call, survey, export.pk)
    return Made(facts, f"{PREFIX}/surveys/{survey.pk}/exports/{export.pk}", status=202)


def list_exports(call: Call, survey_id: UUID) -> ExportList:
    """All of them."""
    survey, _ = call.launched(survey_id)
    return ExportList(tuple(_all(call, survey)))


def show_export(call: Call, survey_id: UUID, key: UUID) -> ExportFacts:
    """How far one is."""
    survey, _ = call.launched(survey_id)
    return _facts(call, survey, key)


def take(call: Call, survey_id: UUID, key: UUID) -> HttpResponseBase:
    """The file, or the range of it that is asked for."""
    survey, _ = call.launched(survey_id)
    export = exports_of(call.person, survey).filter(pk=key).first()
    if export is None:
        raise Http404
    reply = file_reply(call.request, survey, export, by=call.person, token=call.token.letters)
    if reply.status_code == 416:
        raise Problem(
            416,
            "The file has no such range",
            "Compare it with the size of the file.",
            headers={"Content-Range": reply.headers["Content-Range"]},
        )
    return reply


def _facts(call: Call, survey: Survey, key: UUID) -> ExportFacts:
    for facts in _all(call, survey):
        if facts.id == key:
            return facts
    raise not_here()


def _all(call: Call, survey: Survey) -> list[ExportFacts]:
    """By the rows of the page, which judge what is running and what has failed."""
    rows = export_rows(KINDS, exports_of(call.person, survey))
    return [
        _shown(row.export, row.problem, is_ready=row.until is not None)
        for row in rows
        if row.export is not None
    ]


def _shown(export: Export, problem: str, *, is_ready: bool) -> ExportFacts:
    state = "failed" if problem else "ready" if is_ready else "being_written"
    return ExportFacts(
        export.pk, export.kind, state, export.written, export.total, export.size, problem
    )
