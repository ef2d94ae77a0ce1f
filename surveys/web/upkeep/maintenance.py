"""Maintenance: while a file is there, every page answers 503 and asks to come again.

A file, not a row: the database may be locked, half migrated or away meanwhile. Static files and the
health page go on, so that an open page has its scripts and monitors read the reason.
"""

import os
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext

from surveys.web.error_pages import page
from surveys.web.languages import browser_language, has_staff_language
from surveys.web.upkeep import tables, versions

RETRY_AFTER = "60"  # seconds: migrating and starting take about as long
HEALTH = "/health/"

_watch = tables.TablesWatch()
_was_on: list[bool] = []  # of this process, until its tables are known to be those of the program


def is_on() -> bool:
    """Whether pages are closed: every request asks, so nothing but one call of the system."""
    if os.path.exists(settings.MAINTENANCE_FILE):
        if not _was_on:
            _was_on.append(True)
        return True
    return bool(_was_on) and not _may_go_on()


def begin() -> None:
    """Close the pages of all processes that have this data directory. Raises OSError."""
    path().touch(mode=0o600)


def end() -> None:
    """Open them again. Raises OSError."""
    path().unlink(missing_ok=True)


def path() -> Path:
    """The file that says it."""
    file: Path = settings.MAINTENANCE_FILE
    return file


def is_ordered() -> bool:
    """Whether the file is there, no matter what this process knows of its tables."""
    return path().exists()


def ask_again(reply: HttpResponse) -> HttpResponse:
    """The reply with the seconds after which a browser or a program may come again.

    Django would write a line for each: when a person came, which nothing else says.
    """
    reply.headers["Retry-After"] = RETRY_AFTER
    reply._has_been_logged = True  # type: ignore[attr-defined]
    return reply


class MaintenanceMiddleware:
    """For the pages of staff and all others; respondents' pages ask ``is_on`` themselves."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == HEALTH or not is_on():
            return self.get_response(request)
        language = translation.get_language_from_path(request.path_info) or settings.LANGUAGE_CODE
        if has_staff_language(request.path_info):
            language = browser_language(request)  # what a person chose is in the database
        with translation.override(language):
            return ask_again(
                page(
                    request,
                    status=503,
                    title=gettext("This site is being updated"),
                    remedy=gettext("Open this page again in a few minutes."),
                )
            )


def _may_go_on() -> bool:
    """A process from before may find newer tables: then it stays closed until it is replaced."""
    try:
        fits = _watch.fits()
    except Error:
        return False
    if fits:
        _was_on.clear()
        versions.note_version(connection)  # which a process that started meanwhile could not do
    return fits
