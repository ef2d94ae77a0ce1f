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
def cells_csv(request: HttpRequest, report_id: UUID) -> HttpResponseBase:
    """Every number with its margins, as a table."""
    return published.cells_csv(request, _open(report_id))


@require_safe
def covariance_csv(request: HttpRequest, report_id: UUID) -> HttpResponseBase:
    """How the numbers of each table vary together, as a table."""
    return published.covariance_csv(request, _open(report_id))


@require_safe
def document_json(request: HttpRequest, report_id: UUID) -> HttpResponseBase:
    """Everything as one document."""
    return published.document_json(request, _open(report_id))


@require_safe
def cells_parquet(request: HttpRequest, report_id: UUID) -> HttpResponseBase:
    """Every number with its margins and covariances, as a Parquet file."""
    return published.cells_parquet(request, _open(report_id))


def _open(report_id: UUID) -> Report:
    """Raises Http404: for outsiders there is no other release."""
    report = release_open_to_all(report_id)
    if report is None:
        raise Http404
    return report
