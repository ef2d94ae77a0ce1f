"""plan, analyse: how many people a question needs, and what a definition promises, not stored."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from surveys import PROGRAM
from surveys.authoring.checklist.checks import Check, checks_of
from surveys.authoring.importing.services import store
from surveys.planning.documents import asked_plan, plan_document
from surveys.programs.resources.definitions import read_definition
from surveys.programs.resources.described import DraftChecks, shown_checks
from surveys.programs.routing.bodies import fields_of
from surveys.programs.routing.problems import bad_body, not_possible_here
from surveys.programs.routing.routes import Call
from surveys.randomized_response.planning import REQUEST_FIELDS
from surveys.randomized_response.planning.request_fields import OfferedNames
from surveys.web.problems import Fault

NAMES = frozenset(REQUEST_FIELDS)
SENT: dict[str, Any] = {
    "type": "object",
    "properties": {
        name: {"type": "string", "enum": list(asked.labels)}
        if isinstance(asked, OfferedNames)
        else {"type": ["string", "number"]}
        for name, asked in REQUEST_FIELDS.items()
    },
    "additionalProperties": False,
}


@dataclass(frozen=True)
class AnalysedDefinition:
    """What would be checked before the launch of this definition: refusals, odds, weight."""

    questions: int
    analysis: DraftChecks


def plan(call: Call) -> dict[str, Any]:
    """A plan, as the command prints it; fields that are left out are as on the page."""
    sent = fields_of(call.document(), NAMES)
    report, wrong = asked_plan({name: _typed(name, value) for name, value in sent.items()})
    if report is None:
        faults = [Fault(f"/{name}" if name else "", words) for name, words in wrong]
        remedy = "Compare the fields with those of manage.py plan --help."
        raise not_possible_here("There is no such plan", remedy, faults)
    return {"program": PROGRAM, **plan_document(report)}


def _typed(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise bad_body(422, "A field is wrong", "Write a number or a text.", f"/{name}")
    asked = REQUEST_FIELDS[name]
    if isinstance(asked, OfferedNames) and value not in asked.labels:
        detail = f"Choose one of: {', '.join(asked.labels)}."
        raise bad_body(422, "A field is wrong", detail, f"/{name}")
    return str(value)


def analyse(call: Call) -> AnalysedDefinition:
    """The checks of a definition, which is not kept."""
    draft = read_definition(call)
    listed: list[Check] = []
    # Checks read the rows of a draft; none of these is ever committed.
    with transaction.atomic():
        listed = checks_of(store(draft, by=call.person))
        transaction.set_rollback(True)
    return AnalysedDefinition(len(draft.questions), shown_checks(listed))
