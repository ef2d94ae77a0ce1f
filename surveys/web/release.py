"""View of ``/release.json``: which program this is, file by file, for all who compare its pages."""

from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from surveys import VERSION
from surveys.web.release_files import release_file

# Another version answers after an upgrade, which takes longer than this.
CACHED = "public, max-age=300"


@require_safe
def release(request: HttpRequest) -> HttpResponse:
    """The digests of the files that this process reads."""
    return HttpResponse(_file(), content_type="application/json", headers={"Cache-Control": CACHED})


@lru_cache(maxsize=1)
def _file() -> bytes:
    """Read once: a process that runs keeps its templates, too."""
    return release_file(settings.BASE_DIR, VERSION)
