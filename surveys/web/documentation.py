"""Pages of no room: where this site's source is, and the documentation that it serves."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.static import serve

from surveys import VERSION


@require_safe
def documentation(request: HttpRequest, path: str) -> HttpResponseBase:
    """One file of the documentation; no cookie, no login.

    Django's own view of files keeps the path inside the folder and answers ``If-Modified-Since``.
    Its warning against use in service is about speed: these pages are few and rarely read.
    """
    if not settings.DOCUMENTATION.is_dir():
        raise Http404("The documentation is not built: manage.py documentation")
    return serve(request, path, document_root=str(settings.DOCUMENTATION))


@require_safe
def source(request: HttpRequest) -> HttpResponse:
    """What section 13 of the AGPL offers to all who use the site; no cookie, no login."""
    context = {"version": VERSION, "source_url": settings.SOURCE_URL}
    return render(request, "surveys/web/source.html", context)
