"""document: the interface for programs as OpenAPI 3.1, written from its routes."""

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from surveys.definitions import documents
from surveys.programs.registry import registered
from surveys.programs.routing.problems import Problem
from surveys.programs.routing.routes import Parameter, Route, Written
from surveys.programs.routing.schemas import Schema, schema_of
from surveys.programs.routing.shown import refuse_shown_tokens
from surveys.web.problems import PROBLEM_TYPE

KEY = re.compile(r"<uuid:(\w+)>")
ALWAYS = (401, 403, 404, 422, 429)
WORDS = {
    206: "The range of it that was asked for.",
    304: "Nothing has changed since the program had this tag.",
    400: "The body cannot be read.",
    401: "No token that acts.",
    403: "The token or the role does not allow this.",
    404: "There is nothing here that the token may see.",
    409: "It is not possible now.",
    412: "It was changed meanwhile.",
    413: "The body is too large.",
    415: "The body is no JSON.",
    416: "It has no such range.",
    422: "A parameter or a field is wrong.",
    428: "It needs If-Match.",
    429: "Too many requests; Retry-After says how many seconds to wait.",
    503: "The answers are being counted; Retry-After says when to ask again.",
}
PROBLEM: Schema = {
    "type": "object",
    "description": "What is wrong and what to do (RFC 9457).",
    "properties": {
        "type": {"type": "string"},
        "status": {"type": "integer"},
        "title": {"type": "string"},
        "detail": {"type": "string"},
        "remedy": {"type": "string"},
        "pointer": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"pointer": {"type": "string"}, "detail": {"type": "string"}},
                "required": ["pointer", "detail"],
            },
        },
    },
    "required": ["type", "status", "title", "remedy"],
}


@require_safe
def document_page(request: HttpRequest) -> HttpResponse:
    """The document; it says nothing of any survey, so it takes no token."""
    try:
        refuse_shown_tokens(request)
    except Problem as problem:
        return problem.reply()
    return JsonResponse(document())


@cache
def document() -> dict[str, Any]:
    """All addresses of programs."""
    named: dict[str, Schema] = {"Problem": PROBLEM, **_drafts()}
    paths: dict[str, dict[str, Any]] = {}
    for route in registered():
        where = "/" + KEY.sub(r"{\1}", route.path)
        paths.setdefault(where, {})[route.verb.lower()] = _operation(route, named)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Deniable, for programs",
            "version": "1",
            "summary": "What the pages of staff show and change, with a token.",
            "license": {"name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later"},
        },
        "servers": [{"url": "/api/v1"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(named.items())),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "deniable_ and the rest; never in an address.",
                }
            },
        },
    }


def _drafts() -> dict[str, Schema]:
    """The format of definitions, with its parts, as docs/schemas/draft.json has it."""
    text = json.dumps(documents.schema()).replace("#/$defs/", "#/components/schemas/draft_")
    draft: Schema = json.loads(text)
    parts = {f"draft_{name}": part for name, part in draft.pop("$defs").items()}
    del draft["$schema"], draft["$id"]
    return {"draft": draft, **parts}


def _operation(route: Route, named: dict[str, Schema]) -> dict[str, Any]:
    returned = {} if route.returns is Written else schema_of(route.returns, named)
    refused = {*ALWAYS, *route.refusals, *((416,) if route.parts else ())}
    content = {kind: {"schema": returned} for kind in route.content_types}
    scope = f" Scope: {route.scope}." if route.scope else ""
    operation: dict[str, Any] = {
        "operationId": f"{route.verb.lower()}_{route.resource}",
        "summary": route.summary,
        "description": f"{route.summary}{scope}",
        "parameters": [*_keys(route), *_parameters(route)],
        "responses": {
            str(route.status): {
                "description": route.summary,
                "content": content,
                **({"headers": TAG} if route.has_tag else {}),
            },
            **({"206": {"description": WORDS[206], "content": content}} if route.parts else {}),
            **({"304": {"description": WORDS[304]}} if _is_repeated(route) else {}),
            **{str(status): _refusal(status) for status in sorted(refused)},
        },
    }
    if route.sends is not None:
        sent = {"application/json": {"schema": route.sends, "example": route.example}}
        operation["requestBody"] = {"required": True, "content": sent}
    return operation


TAG = {"ETag": {"description": "Changes with the answer.", "schema": {"type": "string"}}}


def _is_repeated(route: Route) -> bool:
    return route.has_tag and route.verb == "GET"


def _keys(route: Route) -> Iterable[dict[str, Any]]:
    for name in KEY.findall(route.path):
        schema = {"type": "string", "format": "uuid"}
        yield {"name": name, "in": "path", "required": True, "schema": schema}


def _parameters(route: Route) -> Iterable[dict[str, Any]]:
    tag = Parameter("If-None-Match", "The ETag of an answer that the program has.")
    headers = (*route.headers, *((tag,) if _is_repeated(route) else ()))
    for place, parameters in (("query", route.parameters), ("header", headers)):
        for parameter in parameters:
            yield {
                "name": parameter.name,
                "in": place,
                "required": parameter.is_required,
                "description": parameter.description,
                "schema": parameter.schema,
            }


def _refusal(status: int) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": WORDS[status], "content": {PROBLEM_TYPE: {"schema": schema}}}
