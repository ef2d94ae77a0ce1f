"""Commands as the pages of the documentation tell people to type them."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT

GENERATED = ("tree.md", "commands.md")  # from the code, each with a test of its own
PAGES = sorted(
    [
        ROOT / "README.md",
        *(path for path in (ROOT / "docs").rglob("*.md") if path.name not in GENERATED),
    ]
)
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.M | re.S)
SHELL = ("sh", "")
INLINE = re.compile(r"`([^`]+)`")
INDENTED = re.compile(r"^ {4}(manage\.py .*)$", re.M)
FUNCTION = re.compile(r"^\w+\(\) \{.*?^\}\n", re.M | re.S)
OURS = re.compile(r"(manage\.py|deniable|python3?|\.venv/\S+|make|gunicorn)$")
SETTING = re.compile(r"[A-Z_]+=\S*$")


@dataclass(frozen=True)
class Typed:
    """One command: the settings before it, its words, and whether it stands in a sentence.

    In a sentence a command may be named without what it needs, as in ``manage.py estimate``.
    """

    page: str
    settings: tuple[str, ...]
    words: tuple[str, ...]
    in_sentence: bool

    def __str__(self) -> str:
        return f"{self.page}: {' '.join(self.words)}"

    @property
    def management(self) -> tuple[str, ...]:
        """What ``manage.py`` is given, if this is such a command; else nothing."""
        words = self.words
        if words[0].endswith(("python", "python3")) and words[1:2] == ("manage.py",):
            words = words[1:]
        is_launcher = words[0] == "deniable" and words[1:2] in (("demo",), ("serve",))
        is_ours = words[0] in ("manage.py", "deniable") and not is_launcher
        return words[1:] if is_ours else ()

    @property
    def module(self) -> str:
        """What ``python -m`` is given, if this is such a command; else nothing."""
        is_module = self.words[0].endswith(("python", "python3")) and self.words[1:2] == ("-m",)
        return self.words[2] if is_module else ""


def commands_of(page: Path) -> Iterator[Typed]:
    """Every command of a page: lines of its blocks, indented ones, and those in sentences."""
    text, name = page.read_text(), page.name
    for language, block in BLOCK.findall(text):
        if language in SHELL:
            for line in FUNCTION.sub("", block).replace("\\\n", " ").splitlines():
                if language or OURS.match(line.split(" ")[0]):  # else it may be a drawing
                    yield from _commands(name, line, in_sentence=False)
    rest = BLOCK.sub("", text)
    for line in INDENTED.findall(rest):
        yield from _commands(name, line, in_sentence=False)
    for code in INLINE.findall(INDENTED.sub("", rest)):
        for command in _commands(name, " ".join(code.split()), in_sentence=True):
            if OURS.match(command.words[0]) and len(command.words) > 1:
                yield command


def _commands(page: str, line: str, *, in_sentence: bool) -> Iterator[Typed]:
    try:
        parts = [shlex.split(part, comments=True) for part in line.split(" && ")]
    except ValueError:  # an apostrophe: not a command
        return
    for words in filter(None, parts):
        before = [word for word in words if SETTING.match(word)]
        after = words[len(before) :]
        if after and words[: len(before)] == before:
            yield Typed(page, tuple(before), tuple(after), in_sentence)
