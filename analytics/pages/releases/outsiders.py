"""Views for outsiders: releases that their owner opened to all; no login, no cookie."""

from functools import partial
from uuid import UUID

from django.conf import settings
from django.contrib.messages import get_messages
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from analytics.models import Report
from analytics.pages.releases import published
from analytics.pages.releases.kept import KeptAnswers
from analytics.queries import release_open_to_all

KEPT = KeptAnswers()


@require_safe
def page(request: HttpRequest, report_id: UUID) -> HttpResponseBase:
    """A release with its tables, margins, method and files.

    Who is logged in sees their own menu around it, so that theirs is not kept.
    """
    report = _open(report_id)
    if _is_personal(request):
        return published.page(request, report)
    return KEPT.answer(_key(request, report, "page"), partial(published.page, request, report))


@require_safe
def file(request: HttpRequest, report_id: UUID, name: str) -> HttpResponseBase:
    """One of ``published.FILES``."""
    report = _open(report_id)
    return KEPT.answer(_key(request, report, name), partial(published.FILES[name], request, report))


def _is_personal(request: HttpRequest) -> bool:
    """Whether the page around the release has a menu or a message of the visitor's own.

    A made-up cookie is neither: it would let a flood pass by what is kept.
    """
    if len(get_messages(request)):
        return True
    return settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated


def _key(request: HttpRequest, report: Report, name: str) -> tuple[str, ...]:
    """The host too, because a release names its own address. Hosts are a closed list."""
    return str(report.pk), name, request.scheme or "", request.get_host(), get_language() or ""


def _open(report_id: UUID) -> Report:
    """Raises Http404: for outsiders there is no other release."""
    report = release_open_to_all(report_id)
    if report is None:
        raise Http404
    return report
