"""register, registered: all routes of programs. Apps above hand over theirs by themselves."""

from typing import Any

from surveys.definitions.definition import VERSION
from surveys.programs.resources import (
    definitions,
    described,
    estimates,
    exports,
    planned,
    reached,
)
from surveys.programs.resources.inputs import inputs_of_results
from surveys.programs.routing.routes import Parameter, Route, Written
from surveys.programs.tokens.scopes import Scope
from surveys.results.reading import INTERVAL_NAMES
from surveys.web.forms import LEVELS

ONE = "surveys/<uuid:survey_id>"
LIMIT = Parameter(
    "limit", "How many at once, 50 without it.", {"type": "integer", "minimum": 1, "maximum": 100}
)
CURSOR = Parameter(
    "cursor",
    "Where to go on: next of the page before.",
    {"type": "string", "pattern": f"^{reached.CURSOR}$"},
)
METHOD = Parameter(
    "method",
    "The interval, by its name; that of the dashboard without it.",
    {"type": "string", "enum": list(INTERVAL_NAMES)},
)
LEVEL = Parameter(
    "level", "The level in percent, 95 without it.", {"type": "string", "enum": list(dict(LEVELS))}
)
MATCH = Parameter(
    "If-Match",
    "The ETag of the definition that was read.",
    {"type": "string", "pattern": f"^{definitions.TAG}$"},
    is_required=True,
)
RANGE = Parameter("Range", "Which bytes of the file: bytes=0-1023.")
DEFINITION = {"$ref": "#/components/schemas/draft"}
HABITS = {
    "deniable_draft": VERSION,
    "languages": ["en"],
    "title": {"en": "Habits"},
    "sections": [
        {
            "questions": [
                {
                    "name": "cheated",
                    "kind": "yes_no",
                    "text": {"en": "Have you ever cheated in an exam?"},
                    "design": {"name": "two_coins"},
                }
            ]
        }
    ],
}
TEXT = {"type": "string", "pattern": r"^[^\u0000]*$"}
FIELDS_OF_BREAKDOWNS = (
    Parameter(
        "question", "The question that is broken down, by its number.", TEXT, is_required=True
    ),
    Parameter("by", "The question whose answers are the groups.", TEXT, is_required=True),
    Parameter("also_by", "A second such question.", TEXT),
    Parameter("compare", "Which differences: that of two groups, as 0-1.", TEXT),
    METHOD,
    LEVEL,
    Parameter(
        "hold",
        "Whether the intervals hold together or each on its own.",
        {"type": "string", "enum": ["together", "each"]},
    ),
)


def _read(path: str, resource: str, summary: str, answer: Any, returns: Any, **more: Any) -> Route:
    return Route("GET", path, resource, Scope.READ, summary, answer, returns, **more)


def _post(path: str, resource: str, scope: Scope, summary: str, *answer: Any, **more: Any) -> Route:
    """What is sent is read strictly, and what is made of it has no tag."""
    refusals = (400, 409, 413, 415)
    more |= {"has_tag": False, "refusals": refusals}
    return Route("POST", path, resource, scope, summary, *answer, **more)


# A draft of 300 questions is read and written for seconds, and on SQLite keeps the one writer for
# part of them, while submissions wait.
DRAFT = 10
_ROUTES: dict[tuple[str, str], Route] = {}


def register(*routes: Route) -> None:
    """Answer these, too; once for each verb and address."""
    _ROUTES.update({(route.verb, route.path): route for route in routes})


def registered() -> tuple[Route, ...]:
    """All routes, in the order in which they came."""
    return tuple(_ROUTES.values())


register(
    _read("me", "me", "The token that is sent.", reached.me, reached.TokenFacts),
    _read(
        "surveys",
        "surveys",
        "The surveys that the token reaches.",
        reached.surveys,
        reached.SurveyPage,
        parameters=(LIMIT, CURSOR),
        refusals=(409,),
    ),
    _read(ONE, "survey", "One survey.", reached.survey, reached.SurveyFacts),
    _read(
        f"{ONE}/estimates",
        "estimates",
        "Every question as the dashboard shows it.",
        estimates.estimates,
        estimates.SurveyEstimates,
        parameters=(METHOD, LEVEL),
        refusals=(409,),
        inputs=inputs_of_results,
    ),
    _read(
        f"{ONE}/breakdowns",
        "breakdowns",
        "A question by groups of another one.",
        described.breakdowns,
        dict[str, Any],
        parameters=FIELDS_OF_BREAKDOWNS,
        refusals=(409, 503),
        inputs=inputs_of_results,
    ),
    _read(
        f"{ONE}/codebook",
        "codebook",
        "What columns and codes mean.",
        described.codebook,
        dict[str, Any],
    ),
    _read(
        f"{ONE}/checks",
        "checks",
        "What a draft misses before its launch.",
        described.checks,
        described.DraftChecks,
        refusals=(409,),
        cost=5,  # seconds for a long draft
    ),
    _read(
        f"{ONE}/openings",
        "openings",
        "When answers are opened.",
        described.openings,
        described.OpeningFacts,
    ),
    Route(
        "GET",
        f"{ONE}/definition",
        "definition",
        Scope.EDIT,
        f"The questions and promises, in version {VERSION} of the draft format.",
        definitions.definition,
        Written,
    ),
    Route(
        "PUT",
        f"{ONE}/definition",
        "definition-write",
        Scope.EDIT,
        "Put a definition in the place of a draft's; the ETag is that of what is stored now.",
        definitions.write_definition,
        definitions.StoredDraft,
        sends=DEFINITION,
        example=HABITS,
        headers=(MATCH,),
        has_tag=False,
        refusals=(400, 409, 412, 413, 415, 428),
        cost=DRAFT,
    ),
    _post(
        "surveys",
        "survey-make",
        Scope.EDIT,
        "Make a draft of a definition, with a token for drafts.",
        definitions.make_draft,
        definitions.StoredDraft,
        sends=DEFINITION,
        example=HABITS,
        status=201,
        cost=DRAFT,
    ),
    _post(
        "plan",
        "plan",
        Scope.READ,
        "How many people a question needs; the fields are those of the planner.",
        planned.plan,
        dict[str, Any],
        sends=planned.SENT,
        example={"design": "k-ary", "levels": 3, "epsilon": 1, "error": "0.04"},
    ),
    _post(
        "analyse",
        "analyse",
        Scope.READ,
        "What a definition misses, reveals and weighs; it is not stored.",
        planned.analyse,
        planned.AnalysedDefinition,
        sends=DEFINITION,
        example=HABITS,
        cost=DRAFT,
    ),
    _post(
        f"{ONE}/exports",
        "export-ask",
        Scope.ROWS,
        "Have a file of all reported answers written.",
        exports.ask_for,
        exports.ExportFacts,
        sends=exports.SENT,
        example={"kind": "csv"},
        status=202,
    ),
    Route(
        "GET",
        f"{ONE}/exports",
        "exports",
        Scope.ROWS,
        "The files that the person asked for.",
        exports.list_exports,
        exports.ExportList,
    ),
    Route(
        "GET",
        f"{ONE}/exports/<uuid:key>",
        "export",
        Scope.ROWS,
        "How far a file is.",
        exports.show_export,
        exports.ExportFacts,
    ),
    Route(
        "GET",
        f"{ONE}/exports/<uuid:key>/file",
        "export-file",
        Scope.ROWS,
        "The file, or a range of it.",
        exports.take,
        Written,
        headers=(RANGE,),
        content_types=exports.CONTENT_TYPES,
        parts=True,
        has_tag=False,
    ),
)
