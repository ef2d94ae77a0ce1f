"""The documentation, as ``manage.py documentation`` built it: plain files below /docs/."""

from django.conf import settings
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe
from django.views.static import serve


@require_safe
def documentation(request: HttpRequest, path: str) -> HttpResponseBase:
    """One file of the documentation; no cookie, no login.

    Django's own view of files keeps the path inside the folder and answers ``If-Modified-Since``.
    Its warning against use in service is about speed: these pages are few and rarely read.
    """
    if not settings.DOCUMENTATION.is_dir():
        raise Http404("The documentation is not built: manage.py documentation")
    return serve(request, path, document_root=str(settings.DOCUMENTATION))
