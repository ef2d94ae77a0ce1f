"""Checks of every request: policy, headers, NUL, origin.

Headers keep a browser from being marked; the test of a post's origin needs no cookie.
"""

import re
from collections.abc import Callable

from csp.constants import HEADER, SELF
from csp.decorators import csp_update
from csp.middleware import CSPMiddleware
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

PERMISSIONS_POLICY = ", ".join(
    f"{feature}=()"
    for feature in ("camera", "geolocation", "microphone", "payment", "usb", "browsing-topics")
)

# Every script of respondents' pages says its digest, and the browser runs no other. The admin's own
# scripts say none, so pages of staff cannot ask for it.
INTEGRITY_POLICY = "blocked-destinations=(script)"
OF_RESPONDENTS = re.compile(r"(/[a-z]{2})?/s/")  # where their addresses begin

# Staff's pages have a type face of their own; respondents' load none, and their policy allows none.
FONTS = {"font-src": [SELF]}

# Marks a reply that is a file of staff's under a random name: its validator stays.
RESUMABLE = "is_resumable"


class PrivacyHeadersMiddleware:
    """Headers for every page and file.

    Pages are kept by no cache. A validator (ETag, Last-Modified) would be sent back by the browser
    and so could mark it; hashed file names need none.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        response.headers.setdefault("Cache-Control", "no-store")
        if OF_RESPONDENTS.match(request.path_info):
            response.headers.setdefault("Integrity-Policy", INTEGRITY_POLICY)
        if not getattr(response, RESUMABLE, False):
            for validator in ("ETag", "Last-Modified"):
                del response[validator]
        return response


class PolicyMiddleware(CSPMiddleware):
    """The Content-Security-Policy with its directives in one order, and ``FONTS`` for staff.

    django-csp goes through a set, whose order is that of one process: it would tell which of
    several answered, and when one was started.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if is_page and not OF_RESPONDENTS.match(request.path_info):
            csp_update(FONTS)(lambda _: response)(request)  # it marks the response
        reply = super().process_response(request, response)
        if HEADER in reply.headers:
            reply.headers[HEADER] = "; ".join(sorted(reply.headers[HEADER].split("; ")))
        return reply


class RefuseNulMiddleware:
    """PostgreSQL stores no NUL, and the admin's filters and sessions ask it: answer 400 instead.

    The other pages read their address through forms, which say what is wrong in words.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        values = list(request.COOKIES.values())
        if request.path.startswith("/admin/"):
            values += [text for name, texts in request.GET.lists() for text in (name, *texts)]
        if any("\0" in value for value in values):
            raise SuspiciousOperation("NUL in an address or a cookie")
        return self.get_response(request)


def is_same_origin(request: HttpRequest) -> bool:
    """Whether a post comes from one of our own pages.

    Browsers state ``Sec-Fetch-Site``, which no page can forge; where it is absent, ``Origin``
    must equal the host.
    """
    site = request.META.get("HTTP_SEC_FETCH_SITE")  # plainly: ``headers`` would copy them all
    if site is None:
        return request.META.get("HTTP_ORIGIN") == f"{request.scheme}://{request.get_host()}"
    return bool(site == "same-origin")
