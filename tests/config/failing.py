"""The real addresses, and below ``/fails/`` every way to fail with somebody's name at hand."""

import logging
import threading
import warnings
from collections.abc import Callable, Iterator

from django.core.exceptions import SuspiciousOperation
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.urls import path

from config import urls
from config.urls import handler400, handler403, handler404, handler500

__all__ = ["handler400", "handler403", "handler404", "handler500"]
FIELDS = ("REMOTE_ADDR", "HTTP_USER_AGENT", "HTTP_COOKIE", "HTTP_X_FORWARDED_FOR")


class CannotGo:
    """An object that fails where nobody can catch it."""

    def __init__(self, visitor: str) -> None:
        self.visitor = visitor

    def __del__(self) -> None:
        raise KeyError(self.visitor)


def tell(visitor: str) -> HttpResponse:
    return JsonResponse({"visitor": visitor})


def throw(visitor: str) -> HttpResponse:
    raise RuntimeError(visitor)


def throw_again(visitor: str) -> HttpResponse:
    try:
        throw(visitor)
    except RuntimeError as problem:
        raise LookupError(visitor) from problem


def suspect(visitor: str) -> HttpResponse:
    raise SuspiciousOperation(visitor)


def ask_for_nothing(visitor: str) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM nowhere")
    return tell(visitor)


def break_off(visitor: str) -> HttpResponse:
    def parts() -> Iterator[str]:
        yield "The beginning"
        raise RuntimeError(visitor)

    return StreamingHttpResponse(parts())


def fail_aside(visitor: str) -> HttpResponse:
    thread = threading.Thread(target=throw, args=[visitor], name=visitor)
    thread.start()
    thread.join()
    CannotGo(visitor)
    warnings.warn(visitor, UserWarning, stacklevel=1)
    return tell("")


def talk(visitor: str) -> HttpResponse:
    """As libraries do that never heard of anonymity."""
    library = logging.getLogger("some.library")
    library.error(f"Something about {visitor}")
    library.warning("Something about %s", visitor, extra={"visitor": visitor}, stack_info=True)
    library.error(ValueError(visitor))
    library.error("Something about %d", visitor)
    logging.getLogger("gunicorn.error").warning(f"Invalid request from ip={visitor}")
    return tell("")


WAYS: dict[str, Callable[[str], HttpResponse]] = {
    "not": tell,
    "throw": throw,
    "again": throw_again,
    "suspect": suspect,
    "database": ask_for_nothing,
    "stream": break_off,
    "aside": fail_aside,
    "talk": talk,
}


def fail(request: HttpRequest, how: str) -> HttpResponse:
    """Fail in one of the ways, with all that is known of the visitor."""
    return WAYS[how](" ".join(str(request.META.get(field)) for field in FIELDS))


urlpatterns = [*urls.urlpatterns, path("fails/<str:how>/", fail)]
