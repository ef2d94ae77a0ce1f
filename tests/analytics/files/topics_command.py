"""Running ``manage.py topics`` on files, for its tests."""

import io
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from analytics.kinds.documents import TopicReport
from tests.analytics.themes import themed_texts

TEXTS = themed_texts(2000)
PROMISE = ("--epsilon", "8", "--delta", "1e-5", "--topics", "3")


def lines(path: Path, texts: list[str], per_person: int = 1) -> Path:
    rows = ({"who": number // per_person, "text": text} for number, text in enumerate(texts))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def topics(path: Path, *options: Any, column: str = "text") -> tuple[str, str]:
    """The standard output and the standard error of a run."""
    out, err = io.StringIO(), io.StringIO()
    given = ["--input", str(path), "--column", column, *map(str, options)]
    call_command("topics", *given, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def report_of(path: Path, *options: Any) -> TopicReport:
    return TopicReport.from_document(json.loads(topics(path, *options)[0])["report"])


def refused(path: Path, *options: Any, column: str = "text") -> CommandError:
    out = io.StringIO()
    given = ["--input", str(path), "--column", column, *map(str, options)]
    with pytest.raises(CommandError) as caught:
        call_command("topics", *given, stdout=out, stderr=io.StringIO())
    assert out.getvalue() == ""
    return caught.value


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(path: Path) -> Elements:
    elements = Elements()
    elements.feed(path.read_text())
    return elements
