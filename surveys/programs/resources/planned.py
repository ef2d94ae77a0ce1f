"""plan, analyse: how many people a question needs; what a definition misses, reveals and weighs."""

from dataclasses import dataclass
from typing import Any

from surveys import PROGRAM
from surveys.authoring.importing.unstored import checks_unstored
from surveys.planning.documents import asked_plan, plan_document
from surveys.programs.resources.definitions import read_definition
from surveys.programs.resources.described import DraftChecks, shown_checks
from surveys.programs.routing.bodies import LARGEST_INTEGER as LARGEST
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
        else {"type": ["string", "number"], "minimum": -LARGEST, "maximum": LARGEST}
        for name, asked in REQUEST_FIELDS.items()
    },
    "additionalProperties": False,
}


@dataclass(frozen=True)
class AnalysedDefinition:
    """What would be checked before the launch of this definition: refusals, odds, weight."""

    questions: int
    analysis: DraftChecks


def analyse(call: Call) -> AnalysedDefinition:
    """The checks of a definition, of which nothing is stored, not even for a moment."""
    draft = read_definition(call)
    return AnalysedDefinition(
        len(draft.questions), shown_checks(checks_unstored(draft, by=call.person))
    )


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
    if not isinstance(value, str) and not -LARGEST <= value <= LARGEST:
        detail = "Write a number of which every program reads the same."
        raise bad_body(422, "A field is wrong", detail, f"/{name}")
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 100.0 is as whole as 100 in JSON
    asked = REQUEST_FIELDS[name]
    if isinstance(asked, OfferedNames) and value not in asked.labels:
        detail = f"Choose one of: {', '.join(asked.labels)}."
        raise bad_body(422, "A field is wrong", detail, f"/{name}")
    return str(value)
