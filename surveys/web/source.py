"""The page about this program: its version, its licence, and where this site's source is."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from surveys import VERSION


@require_safe
def source(request: HttpRequest) -> HttpResponse:
    """What section 13 of the AGPL offers to all who use the site; no cookie, no login."""
    context = {"version": VERSION, "source_url": settings.SOURCE_URL}
    return render(request, "surveys/web/source.html", context)
