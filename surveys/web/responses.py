"""Responses that are no pages: CSV and JSON downloads, figures in a page and as files."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    JsonResponse,
    StreamingHttpResponse,
)

from surveys import PROGRAM
from surveys.web.downloads import file_name
from surveys.web.drawing.figures import Figure
from surveys.web.drawing.pictures import BROAD, NARROW, WIDE

# A figure as a file, by the ending of its name: the type and what makes the bytes.
FIGURE_FILES: dict[str, tuple[str, Callable[[Figure], str | bytes]]] = {
    "svg": ("image/svg+xml", lambda figure: figure.svg_file()),
    "png": ("image/png", lambda figure: figure.png()),
    "vl.json": (
        "application/json",
        lambda figure: json.dumps(figure.vega(), ensure_ascii=False, allow_nan=False, indent=1),
    ),
}

# How all files of JSON are written.
JSON_LAYOUT: dict[str, Any] = {"indent": 1, "ensure_ascii": False, "allow_nan": False}


def csv_download(lines: Iterator[str], name: str) -> StreamingHttpResponse:
    """A table, line by line, as a file."""
    return StreamingHttpResponse(
        lines, content_type="text/csv; charset=utf-8", headers=attached(name)
    )


def attached(name: str) -> dict[str, str]:
    """The header by which a browser saves an answer as a file of this name."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def file_asked(request: HttpRequest) -> str:
    """As which of ``FIGURE_FILES`` a figure is to be taken away; empty where a page shows it.

    Raises Http404 for any other.
    """
    ending = request.GET.get("as", "")
    if ending and ending not in FIGURE_FILES:
        raise Http404
    return ending


def figure_shown(request: HttpRequest, figure: Figure) -> HttpResponse:
    """A figure as a page shows it: ``narrow`` for small screens, ``dark`` for dark ones.

    ``broad`` is for a card of a wide screen that it has for itself.
    """
    width = NARROW if "narrow" in request.GET else BROAD if "broad" in request.GET else WIDE
    svg = figure.svg(width, is_dark="dark" in request.GET)
    return HttpResponse(svg, content_type="image/svg+xml")


def figure_file(figure: Figure, ending: str, title: str) -> HttpResponse:
    """A figure to take away, with its title and source in it; ``title`` begins the file's name."""
    kind, content = FIGURE_FILES[ending]
    headers = attached(file_name(title, f"{figure.name}.{ending}"))
    return HttpResponse(content(figure), content_type=kind, headers=headers)


def json_download(document: dict[str, Any], name: str) -> JsonResponse:
    """A document as a file that says what made it."""
    return JsonResponse(
        {"program": PROGRAM, **document}, json_dumps_params=JSON_LAYOUT, headers=attached(name)
    )


def json_file(document: dict[str, Any]) -> bytes:
    """The same as a file within another."""
    content = {"program": PROGRAM, **document}
    return json.dumps(content, cls=DjangoJSONEncoder, **JSON_LAYOUT).encode()
