"""Views for outsiders: releases that their owner opened to all; no login, no cookie."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from analytics.models import Report
from analytics.pages.releases import published
from analytics.queries import release_open_to_all


@require_safe
def page(request: HttpRequest, report_id: UUID) -> HttpResponse:
    """A release with its tables, margins, method and files."""
    return published.page(request, _open(report_id))


@require_safe
def file(request: HttpRequest, report_id: UUID, name: str) -> HttpResponseBase:
    """One of ``published.FILES``."""
    return published.FILES[name](request, _open(report_id))


def _open(report_id: UUID) -> Report:
    """Raises Http404: for outsiders there is no other release."""
    report = release_open_to_all(report_id)
    if report is None:
        raise Http404
    return report
