"""The site, and two bare views that insert one row: the least that any survey system must do."""

import secrets
from uuid import uuid4

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from config.urls import handler400, handler403, handler404, handler500, urlpatterns
from surveys.collecting.spool import REMEMBER
from surveys.models import SubmissionKey

__all__ = ["handler400", "handler403", "handler404", "handler500"]


@csrf_exempt
def insert_one_row(request: HttpRequest) -> HttpResponse:
    """Read the body, insert one row through the ORM, answer."""
    _ = request.body
    SubmissionKey.objects.create(digest=secrets.token_hex(32))
    return HttpResponse("ok")


@csrf_exempt
def insert_by_hand(request: HttpRequest) -> HttpResponse:
    """The same in SQL, which PostgreSQL plans once for each connection."""
    _ = request.body
    values = {"digest": secrets.token_hex(32), "content": uuid4().hex, "revision": None}
    connection.ensure_connection()
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(REMEMBER, values)
            cursor.fetchall()
    else:
        connection.connection.execute(REMEMBER, values, prepare=True)
    return HttpResponse("ok")


urlpatterns = [path("bare/", insert_one_row), path("raw/", insert_by_hand), *urlpatterns]
