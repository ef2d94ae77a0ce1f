"""compressed: a page that respondents open, as gzip; never a reply to what one of them sent.

How much smaller a page gets tells what is in it. A receipt is filled up to one length because of
that, and compressing it would undo this; so nothing that answers a POST is compressed. Pages that
are opened by GET hold no answer, no cookie, no form token and nothing of the address, so a
stranger can neither put a guess into one nor find there what is worth guessing (BREACH: Gluck,
Harris and Prado, 2013). No random bytes are added: one page is one set of bytes for all people.
"""

import re

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.text import compress_string

TAKES_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))")


def compressed(request: HttpRequest, page: HttpResponse) -> HttpResponse:
    """The page itself, with its bytes as gzip where the browser takes that and only opens it."""
    if request.method not in ("GET", "HEAD"):
        return page
    patch_vary_headers(page, ("Accept-Encoding",))
    if TAKES_GZIP.search(request.headers.get("Accept-Encoding", "")):
        page.content = compress_string(page.content)
        page.headers["Content-Encoding"] = "gzip"
    return page
