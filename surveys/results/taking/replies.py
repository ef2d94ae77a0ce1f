"""file_reply: the file of an export, or the part of it that is missing, to who asked for it."""

from functools import partial
from typing import TYPE_CHECKING

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from surveys.models import Export, Survey
from surveys.results.taking import files
from surveys.results.taking.formats import KINDS
from surveys.results.taking.queries import is_written_down
from surveys.results.taking.ranges import file_in_parts, part_asked_for
from surveys.staff.audit.services import record_download
from surveys.web.downloads import file_name
from surveys.web.responses import attached

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def file_reply(
    request: HttpRequest, survey: Survey, export: Export, *, by: "User", token: str = ""
) -> HttpResponseBase:
    """A download that may be interrupted; ``token`` are the letters of a program's token.

    Each whole file is written down. Parts of one file share an entry, of whichever part came first
    on a day, and by token. Raises Http404 for a file that is not whole, failed, or lies on another
    server.
    """
    if export.finished_at is None or export.problem or not files.is_there(export.pk):
        raise Http404
    form, name = KINDS[export.kind], str(export.pk)
    part = part_asked_for(request, name, export.size)
    if part is not None:
        after = {"file": export.pk.hex[:8], **({"token": token} if token else {})}
        is_whole = part == (0, export.size - 1)
        if is_whole or not is_written_down(form.contents, survey, by=by, after=after):
            record_download(form.contents, survey=survey, by=by, after=after)
    read = partial(files.read, export.pk)
    reply = file_in_parts(request, name, export.size, read, content_type=form.content_type)
    ending = f"{form.contents}.{form.ending}"
    for header, value in attached(file_name(survey.title, ending)).items():
        reply.headers[header] = value
    return reply
