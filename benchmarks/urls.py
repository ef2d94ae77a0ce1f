"""The site, and a bare view that inserts one row: the least that any survey system must do."""

import secrets

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from config.urls import handler400, handler403, handler404, handler500, urlpatterns
from surveys.models import SubmissionKey

__all__ = ["handler400", "handler403", "handler404", "handler500"]


@csrf_exempt
def insert_one_row(request: HttpRequest) -> HttpResponse:
    """Read the body, insert one row, answer."""
    _ = request.body
    SubmissionKey.objects.create(digest=secrets.token_hex(32))
    return HttpResponse("ok")


urlpatterns = [path("bare/", insert_one_row), *urlpatterns]
