"""Pages of no room: where this site's source is, and the documentation that it serves."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe
from django.views.static import serve

from surveys import VERSION
from surveys.web.documentation_search import LONGEST_QUERY, search

SEARCH_PAGE = "search.html"
PLACE = "<!-- results -->"  # stands before and after what a copy without this site says there
TEMPLATE = "surveys/web/documentation_results.html"


@require_safe
def documentation(request: HttpRequest, path: str) -> HttpResponseBase:
    """One file of the documentation, or what its search has for ``?q=…``; no cookie, no login.

    Django's own view of files keeps the path inside the folder and answers ``If-Modified-Since``.
    Its warning against use in service is about speed: these pages are few and rarely read.
    """
    if not settings.DOCUMENTATION.is_dir():
        raise Http404("The documentation is not built: manage.py documentation")
    query = request.GET.get("q")
    if path == SEARCH_PAGE and query is not None:
        return _searched(query[:LONGEST_QUERY].strip())
    return serve(request, path, document_root=str(settings.DOCUMENTATION))


def _searched(query: str) -> HttpResponse:
    """The built page of the search, with what was found in the place that it keeps for that."""
    try:
        page = (settings.DOCUMENTATION / SEARCH_PAGE).read_text(encoding="utf-8")
        answer = search(settings.DOCUMENTATION, query)
    except FileNotFoundError as problem:
        raise Http404("This documentation has no search: build it anew.") from problem
    context = {"query": query, "longest": LONGEST_QUERY, "answer": answer}
    before, _, rest = page.partition(PLACE)
    _, _, after = rest.partition(PLACE)
    return HttpResponse(before + render_to_string(TEMPLATE, context) + after)


@require_safe
def source(request: HttpRequest) -> HttpResponse:
    """What section 13 of the AGPL offers to all who use the site; no cookie, no login."""
    context = {"version": VERSION, "source_url": settings.SOURCE_URL}
    return render(request, "surveys/web/source.html", context)
