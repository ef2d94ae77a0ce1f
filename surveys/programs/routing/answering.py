"""addresses_of: routes as addresses of Django, with errors as programs read them, and ETags."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import override
from django.views.decorators.csrf import csrf_exempt

from surveys.counts.joint import BeingCounted
from surveys.models import Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.programs.routing.entrance import check_way, enter
from surveys.programs.routing.problems import Problem, bad_parameter, not_here, not_permitted
from surveys.programs.routing.routes import Call, Made, Route, Written
from surveys.programs.routing.schemas import plain
from surveys.programs.routing.unchanged import SeenTags
from surveys.programs.tokens.services import record_use
from surveys.web.requests import RESUMABLE

Verbs = Mapping[str, Route]
PREFIX = "/api/v1"
seen = SeenTags()
WAIT = "5"  # seconds until what is being counted may be there


def addresses_of(routes: Iterable[Route]) -> list[URLPattern]:
    """An address for each path, and one for all others, whose answer is 404."""
    by_path: dict[str, dict[str, Route]] = {}
    for route in routes:
        by_path.setdefault(route.path, {})[route.verb] = route
    known = [path(f"v1/{where}", _view(verbs)) for where, verbs in by_path.items()]
    return [*known, path("", _view({})), path("<path:elsewhere>", _view({}))]


def _view(verbs: Verbs) -> Any:
    @csrf_exempt  # no cookie is read here, so no form of another site can send one
    def answer(request: HttpRequest, **address: Any) -> HttpResponseBase:
        with override("en"):
            try:
                return _answered(request, verbs, address)
            except Problem as problem:
                return problem.reply()

    return answer


def _answered(request: HttpRequest, verbs: Verbs, address: dict[str, Any]) -> HttpResponseBase:
    check_way(request)
    if not verbs:
        raise not_here()
    verb = "GET" if request.method == "HEAD" else str(request.method)
    if verb not in verbs:
        permitted = ", ".join([*verbs, *(["HEAD"] if "GET" in verbs else [])])
        raise Problem(
            405,
            "This address does not take this method",
            f"Use one of: {permitted}.",
            headers={"Allow": permitted},
        )
    route, today = verbs[verb], timezone.now().date()
    call = enter(request, route, today)
    _check_parameters(request, route)
    inputs = _inputs_of(route, call, address)
    tag = inputs and seen.tag(request.get_full_path(), inputs)
    answer = None if tag in _known_tags(request) else _asked(route.answer, call, address)
    survey = _survey_of(call, address)
    record_use(call.token, route.resource, survey=survey, today=today)
    if answer is None:
        return _unchanged(tag)
    reply = _reply(request, route, answer)
    # Else something came while it was worked out, and it may be made from either.
    if inputs and inputs == _inputs_of(route, call, address):
        seen.keep(request.get_full_path(), inputs, reply.headers["ETag"])
    return reply


def _inputs_of(route: Route, call: Call, address: Mapping[str, Any]) -> str:
    """All that the answer is made from, where the program has one already; else it is not asked."""
    if route.inputs is None or not _known_tags(call.request):
        return ""
    return str(_asked(route.inputs, call, address))


def _survey_of(call: Call, address: Mapping[str, Any]) -> Survey | None:
    """Which survey the log names; that the token reaches it was asked before the answer."""
    key = address.get("survey_id", call.token.survey_id)
    return Survey(pk=key) if key else None


def _asked(answer: Callable[..., Any], call: Call, address: Mapping[str, Any]) -> Any:
    """What the function returns; what other rooms raise becomes a Problem."""
    try:
        return answer(call, **address)
    except Http404:
        raise not_here() from None
    except (PermissionDenied, NotAllowed):
        raise not_permitted("Ask the survey's owner for a role that allows this.") from None
    except NotPossible as refusal:
        raise Problem(409, "This is not possible now", str(refusal)) from None
    except BeingCounted as reason:
        raise Problem(
            503,
            "The answers are being counted",
            f"{reason.counted} of {reason.total} are counted. Ask again.",
            headers={"Retry-After": WAIT},
        ) from None


def _check_parameters(request: HttpRequest, route: Route) -> None:
    """What is misspelt would be left out without a word. Raises Problem."""
    names = {parameter.name for parameter in route.parameters}
    for name, values in request.GET.lists():
        if name not in names:
            raise bad_parameter(name[:80], "There is no parameter of this name.")
        if any("\0" in value for value in values):
            raise bad_parameter(name, "It has a character that cannot be stored.")


def _reply(request: HttpRequest, route: Route, answer: Any) -> HttpResponseBase:
    if isinstance(answer, HttpResponseBase):
        return answer
    status, headers = route.status, {}
    if isinstance(answer, Made):
        status, headers = answer.status, _headers_of(answer)
        answer = answer.content
    if isinstance(answer, Written):
        content, kind, status = answer.content, answer.content_type, answer.status
    else:
        text = json.dumps(plain(answer), ensure_ascii=False, allow_nan=False)
        content, kind = text.encode(), "application/json"
    reply = HttpResponse(content, status=status, content_type=kind, headers=headers)
    # Else the middleware would take tags away, with which pages must not mark a browser.
    setattr(reply, RESUMABLE, True)
    return _tagged(request, reply) if route.has_tag else reply


def _headers_of(made: Made) -> dict[str, str]:
    return {"Location": made.location, **({"ETag": made.tag} if made.tag else {})}


def tag_of(content: bytes) -> str:
    """The ETag of an answer: it changes with the answer, and says nothing else."""
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'


def _tagged(request: HttpRequest, reply: HttpResponse) -> HttpResponse:
    """The same with its tag, or that nothing has changed since the program had this tag."""
    tag = tag_of(reply.content)
    if request.method in ("GET", "HEAD") and {tag, "*"} & _known_tags(request):
        return _unchanged(tag)
    reply.headers["ETag"] = tag
    return reply


def _known_tags(request: HttpRequest) -> set[str]:
    """Those of the answers that the program has."""
    tags = request.headers.get("If-None-Match", "").split(",")
    return {tag.strip().removeprefix("W/") for tag in tags} - {""}


def _unchanged(tag: str) -> HttpResponse:
    reply = HttpResponse(status=304, headers={"ETag": tag})
    setattr(reply, RESUMABLE, True)
    return reply
