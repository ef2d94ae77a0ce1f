"""Replies as text in which people see what differs: pages by line, tables, JSON, schemas."""

import csv
import io
import json
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyreadstat
from pyarrow import parquet

from tests.golden.masks import SHUFFLED, UNORDERED, masked


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Attributes that are text, say what a form sends, or where something leads.
KEPT = _words(
    "action alt aria-label checked colspan content dir disabled hidden href lang max maxlength "
    "method min name open pattern placeholder required role rowspan scope selected src step title "
    "type value"
)
INLINE = _words("abbr b bdi code em i kbd small span strong sub sup time var wbr")
VOID = _words("area base br col hr img input link meta source track wbr")
UNNAMED = _words("div")  # groups for the style sheet alone
DRAWN = _words("circle defs g line path polygon polyline rect svg text tspan")
WIDE = 100


class Outline(HTMLParser):
    """The lines of a page: each element with what it says, indented below what it stands in."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._open: list[str] = []
        self._text = ""
        self.feed(page)
        self._flush()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in INLINE or tag in DRAWN:
            self._text += " " if tag in DRAWN else ""
            return
        self._flush()
        if tag not in UNNAMED:
            kept = [f"{name}={_one_line(value)}" for name, value in attrs if name in KEPT]
            self._line(" ".join([f"<{tag}>", *kept]))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            self._flush()
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["script"] and data.lstrip().startswith(("{", "[")):
            self.lines += _json(json.loads(data)).splitlines()
        elif self._open[-1:] not in (["script"], ["style"]):
            self._text += data

    def _flush(self) -> None:
        if text := _one_line(self._text):
            self._line(text)
        self._text = ""

    def _line(self, text: str) -> None:
        depth = sum(tag not in UNNAMED for tag in self._open)
        self.lines.append(" " * depth + text)


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def _json(value: Any, indent: int = 0) -> str:
    """As JSON; what fits in a line is one."""
    short = json.dumps(value, ensure_ascii=False)
    if len(short) + indent <= WIDE or not isinstance(value, dict | list) or not value:
        return short
    inner, close = "\n" + " " * (indent + 1), "\n" + " " * indent
    if isinstance(value, dict):
        rows = (
            f"{json.dumps(name, ensure_ascii=False)}: {_json(one, indent + 1)}"
            for name, one in value.items()
        )
        return "{" + inner + f",{inner}".join(rows) + close + "}"
    if all(isinstance(one, int | float) for one in value):
        return _wrapped(short, inner, close)
    return "[" + inner + f",{inner}".join(_json(one, indent + 1) for one in value) + close + "]"


def _wrapped(numbers: str, inner: str, close: str) -> str:
    words, lines = numbers[1:-1].split(", "), [""]
    for word in words:
        if len(lines[-1]) + len(word) > WIDE:
            lines.append("")
        lines[-1] += f"{word}, "
    return "[" + inner + inner.join(line.rstrip() for line in lines)[:-1] + close + "]"


def _page(content: bytes) -> str:
    """What a page says below its header, which one page has whole (``surveys:list``)."""
    page = content.decode()
    title = re.search(r"<title>.*?</title>", page, re.S)
    main = re.search(r"<main\b.*</main>", page, re.S)
    shown = f"{title[0] if title else ''}\n{main[0]}" if main else page
    return "\n".join(Outline(shown).lines)


def _whole_page(content: bytes) -> str:
    return "\n".join(Outline(content.decode()).lines)


def _schema(content: bytes) -> str:
    file = parquet.ParquetFile(io.BytesIO(content))
    schema = file.schema_arrow
    words = {key.decode(): one.decode() for key, one in (schema.metadata or {}).items()}
    words.pop("ARROW:schema", None)
    rows = "\n".join(f"{field.name}: {field.type}" for field in schema)
    return f"{rows}\nrows: {file.metadata.num_rows}\n{_json(words)}"


def _labelled(content: bytes) -> str:
    """Of each file of labelled answers: its columns, labels and missing codes, and how many rows.

    Answers are random, and their order too.
    """
    files = []
    with zipfile.ZipFile(io.BytesIO(content)) as archive, TemporaryDirectory() as folder:
        for name in archive.namelist():
            read = {".sav": pyreadstat.read_sav, ".dta": pyreadstat.read_dta}[Path(name).suffix]
            _, about = read(archive.extract(name, folder))
            described = {
                "file": name,
                "rows": about.number_rows,
                "labels": about.column_names_to_labels,
                "values": {
                    column: {str(code): label for code, label in labels.items()}
                    for column, labels in about.variable_value_labels.items()
                },
                "missing": {**about.missing_ranges, **about.missing_user_values},
            }
            files.append(_json(described))
    return "\n".join(files)


def _table(content: bytes, *, is_shuffled: bool) -> str:
    text = content.decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    if not is_shuffled:
        return "\n".join(text.splitlines())
    return "\n".join([",".join(rows[0]), *sorted(",".join(row) for row in rows[1:])])


def copy_of(name: str, content: bytes, content_type: str) -> str:
    """What a reply says, as lines; ``name`` is that of its address."""
    kind = content_type.partition(";")[0].strip()
    if kind == "text/html":
        text = _whole_page(content) if name == "surveys:list" else _page(content)
    elif kind == "text/csv":
        text = _table(content, is_shuffled=name in SHUFFLED)
    elif kind.endswith("json"):
        text = _json(json.loads(content))
    elif content[:4] == b"PAR1":
        text = _schema(content)
    elif kind == "application/zip":
        text = _labelled(content)
    else:
        text = content.decode()
    lines = [line.rstrip() for line in text.splitlines()]
    return masked("\n".join(sorted(lines) if name in UNORDERED else lines)) + "\n"
