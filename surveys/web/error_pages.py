"""Error pages: plain, without cookies, and each says what to do next."""

import sys

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

from surveys.web.languages import STAFF
from surveys.web.problems import is_of_programs, problem_reply

RETRY_AFTER = "60"  # seconds: what the page says, too
AWAY = (InterfaceError, OperationalError)  # the database does not answer, or cannot just now


def page(request: HttpRequest, *, status: int, title: str, remedy: str) -> HttpResponse:
    """One error page; staff's leads back to their surveys. It reads no database."""
    if is_of_programs(request):
        return problem_reply(status, title, remedy)
    is_of_staff = settings.HAS_STAFF_PAGES and request.path.startswith(STAFF)
    template = "surveys/web/error_of_staff.html" if is_of_staff else "error.html"
    return render(request, template, {"title": title, "remedy": remedy}, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400."""
    return _open_again(request, status=400)


def wrong_method(request: HttpRequest, permitted: str) -> HttpResponse:
    """405: a page that is only read was sent to, or the other way round; nothing was changed."""
    response = _open_again(request, status=405)
    response.headers["Allow"] = permitted
    return response


def _open_again(request: HttpRequest, status: int) -> HttpResponse:
    return page(
        request,
        status=status,
        title=gettext("This request could not be understood"),
        remedy=gettext("Open the page again from its link."),
    )


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403."""
    return page(
        request,
        status=403,
        title=gettext("You cannot see this page"),
        remedy=gettext("Log in with an account that may see this page, or ask the survey's owner."),
    )


def forbidden_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form of the staff pages that was not sent from its own page."""
    return page(
        request,
        status=403,
        title=gettext("This form had expired, so nothing was changed"),
        remedy=gettext("Go back, reload the page and send the form again."),
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404."""
    return page(
        request,
        status=404,
        title=gettext("There is nothing at this address"),
        remedy=gettext("Check that the link is complete, or ask the person who sent it to you."),
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """500; 503 where the database failed, so that browsers, proxies and monitors come again."""
    is_away = isinstance(sys.exc_info()[1], AWAY)  # Django asks for the page as it handles it
    reply = page(
        request,
        status=503 if is_away else 500,
        title=gettext("Something went wrong on our side"),
        remedy=gettext("If you saw no receipt, nothing was stored. Please try again in a minute."),
    )
    if is_away:
        reply.headers["Retry-After"] = RETRY_AFTER
    return reply
