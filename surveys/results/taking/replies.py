"""file_reply: the file of an export, or the part of it that is missing, to who asked for it."""

from functools import partial
from typing import TYPE_CHECKING

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from surveys.models import Export, Survey
from surveys.results.taking import files
from surveys.results.taking.formats import KINDS
from surveys.results.taking.ranges import file_in_parts, first_byte
from surveys.staff.audit.services import record_download
from surveys.web.downloads import file_name
from surveys.web.responses import attached

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def file_reply(
    request: HttpRequest, survey: Survey, export: Export, *, by: "User"
) -> HttpResponseBase:
    """A download that may be interrupted; its beginning is written down.

    Raises Http404 for a file that is not whole, failed, or lies on another server.
    """
    if export.finished_at is None or export.problem or not files.is_there(export.pk):
        raise Http404
    form, name = KINDS[export.kind], str(export.pk)
    if first_byte(request, name, export.size) == 0:
        record_download(form.contents, survey=survey, by=by)
    read = partial(files.read, export.pk)
    reply = file_in_parts(request, name, export.size, read, content_type=form.content_type)
    ending = f"{form.contents}.{form.ending}"
    for header, value in attached(file_name(survey.title, ending)).items():
        reply.headers[header] = value
    return reply
