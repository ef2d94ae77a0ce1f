"""What keeps a respondent's browser from being marked: headers, and the test of a post's origin."""

from collections.abc import Callable

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse

from surveys.questionnaire.refusals import Refused

PERMISSIONS_POLICY = ", ".join(
    f"{feature}=()"
    for feature in ("camera", "geolocation", "microphone", "payment", "usb", "browsing-topics")
)


class CrossOrigin(Refused):
    """The post did not come from this site's own page."""

    status = 403
    reason = "This submission did not come from this survey's own page. Nothing was stored."
    remedy = (
        "Open the survey from its link and answer there. "
        "If you did, your browser hides where a page comes from; another browser will work."
    )


def require_same_origin(request: HttpRequest) -> None:
    """Accept a post only from our own pages, without a cookie.

    Browsers state ``Sec-Fetch-Site``, which no page can forge; where it is absent, ``Origin``
    must equal the host. Raises CrossOrigin.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is None:
        if request.headers.get("Origin") != f"{request.scheme}://{request.get_host()}":
            raise CrossOrigin
    elif site != "same-origin":
        raise CrossOrigin


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
        for validator in ("ETag", "Last-Modified"):
            del response[validator]
        return response
