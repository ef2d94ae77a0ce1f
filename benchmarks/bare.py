"""Two bare views that insert one row: the least that any survey system must do.

They answer below a survey, by the same short way as submissions. What they do is the ruler of
``benchmarks.submit``: a test keeps it as it is, and their SQL is not the product's.
"""

import secrets
from uuid import UUID, uuid4

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from surveys.collecting import urls
from surveys.models import SubmissionKey

INSERT = """INSERT INTO surveys_submissionkey (digest, content, revision_id)
VALUES (%(digest)s, %(content)s, %(revision)s) ON CONFLICT DO NOTHING RETURNING digest"""


@csrf_exempt
def insert_one_row(request: HttpRequest, survey_id: UUID | None = None) -> HttpResponse:
    """Read the body, insert one row through the ORM, answer."""
    _ = request.body
    SubmissionKey.objects.create(digest=secrets.token_hex(32))
    return HttpResponse("ok")


@csrf_exempt
def insert_by_hand(request: HttpRequest, survey_id: UUID | None = None) -> HttpResponse:
    """The same in SQL, which PostgreSQL plans once for each connection."""
    _ = request.body
    values = {"digest": secrets.token_hex(32), "content": uuid4().hex, "revision": None}
    connection.ensure_connection()
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(INSERT, values)
            cursor.fetchall()
    else:
        psycopg = connection.connection
        psycopg.prepare_threshold = 0  # a plan at the first run, as the product has
        psycopg.execute(INSERT, values)
        psycopg.prepare_threshold = None  # no other statement has one
    return HttpResponse("ok")


urlpatterns = [path("bare/", insert_one_row), path("raw/", insert_by_hand), *urls.urlpatterns]
for_all_languages = urls.for_all_languages
