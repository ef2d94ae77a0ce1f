"""start_address: where respondents begin, as pages of staff, mailings and sheets link to it.

elsewhere, with_views: the same addresses with other views.
"""

from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, URLResolver, reverse
from django.utils.translation import override

View = Callable[..., HttpResponseBase]
Pattern = URLPattern | URLResolver


def start_address(survey_id: UUID, language: str) -> str:
    """The first page of respondents in this language: the survey's own, not the linking page's."""
    with override(language):
        return reverse("respondent:start", args=[survey_id])


def posting_address(survey_id: UUID, name: str) -> str:
    """Where pages of all languages post to: "send" or "exchange"."""
    return reverse(f"posted:{name}", args=[survey_id])


def elsewhere(patterns: Iterable[Pattern]) -> list[Pattern]:
    """The same addresses, to link to: processes of another role answer them, these say 404."""
    return [with_views(lambda view: not_here, pattern) for pattern in patterns]


def not_here(request: HttpRequest, *args: Any, **address: Any) -> HttpResponseBase:
    """Raises Http404: a process of another role answers this address."""
    raise Http404


def with_views(change: Callable[[View], View], pattern: Pattern) -> Pattern:
    """The same addresses under the same names, each view changed."""
    if isinstance(pattern, URLPattern):
        view = change(pattern.callback)
        return URLPattern(pattern.pattern, view, pattern.default_args, pattern.name)
    inside = [with_views(change, inner) for inner in pattern.url_patterns]
    names = (pattern.default_kwargs, pattern.app_name, pattern.namespace)
    return URLResolver(pattern.pattern, inside, *names)
