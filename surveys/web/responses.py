"""Responses that are no pages: CSV and JSON downloads, pictures and their width."""

from collections.abc import Iterator
from typing import Any

from django.http import (
    HttpRequest,
    HttpResponse,
    JsonResponse,
    StreamingHttpResponse,
)

from surveys import PROGRAM

WIDE, NARROW = 400, 300  # widths of pictures, in CSS pixels


def csv_download(lines: Iterator[str], name: str) -> StreamingHttpResponse:
    """A table, line by line, as a file."""
    return StreamingHttpResponse(
        lines, content_type="text/csv; charset=utf-8", headers=attached(name)
    )


def attached(name: str) -> dict[str, str]:
    """The header by which a browser saves an answer as a file of this name."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def picture(svg: str) -> HttpResponse:
    """A drawing, as an answer."""
    return HttpResponse(svg, content_type="image/svg+xml")


def width(request: HttpRequest) -> int:
    """How wide a picture is asked for."""
    return NARROW if "narrow" in request.GET else WIDE


def json_download(document: dict[str, Any], name: str) -> JsonResponse:
    """A document as a file that says what made it."""
    return JsonResponse(
        {"program": PROGRAM, **document},
        json_dumps_params={"indent": 1, "ensure_ascii": False, "allow_nan": False},
        headers=attached(name),
    )
