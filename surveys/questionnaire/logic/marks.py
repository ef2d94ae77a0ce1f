"""Marks in authors' texts: emphasis and lists, read from words as they were typed.

``*word*`` is emphasis and ``**word**`` strong emphasis, within one line and never within each
other; lines that begin with ``- `` or ``1. `` are lists, also not within each other; an empty line
separates paragraphs. All else stands as it was written: there is no markup of any other kind. Each
character is looked at a few times at most.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from surveys.questionnaire.logic.quotes import QUOTE

# A quote comes first: what stands within its braces is its words. Nothing marked holds a star, so
# that each search ends at the next one.
WORDS = r"[^*\s](?:[^*]*[^*\s])?"
MARKED = re.compile(rf"{QUOTE.pattern}|\*\*(?P<strong>{WORDS})\*\*|\*(?P<em>{WORDS})\*")
ITEM = re.compile(r"\s{0,3}(?:-|(?P<number>[0-9]{1,3})\.)\s+(?P<words>\S.*)")
BULLETS, NUMBERS, LINES = "bullets", "numbers", "lines"

Pieces = Sequence[tuple[str, str]]  # words, each with "em", "strong" or nothing


@dataclass(frozen=True)
class Line:
    """A line of a text: its words without what makes it an item, and the item's number."""

    kind: str
    words: str
    number: int = 0


@dataclass(frozen=True)
class Block:
    """A paragraph or a list: lines that stand together."""

    kind: str
    lines: tuple[Line, ...]


def pieces_of(line: str) -> Pieces:
    """One line as pieces; only what is marked, and what stands between, is a piece of its own.

    >>> pieces_of("Do *not* count 5*3*2.")
    [('Do ', ''), ('not', 'em'), (' count 5*3*2.', '')]
    """
    found: list[tuple[str, str]] = []
    kept = begin = 0
    while mark := MARKED.search(line, begin):
        name = mark.lastgroup or ""
        if not _is_mark(line, mark):
            begin = mark.end() if line[mark.start()] == "{" else _after_stars(line, mark.start())
            continue
        found += [(line[kept : mark.start()], ""), (mark[name], name)]
        kept = begin = mark.end()
    found.append((line[kept:], ""))
    return [piece for piece in found if piece[0]]


def plain_line(line: str) -> str:
    """A line without its marks of emphasis."""
    return "".join(words for words, _ in pieces_of(line))


def plain(text: str) -> str:
    """A text for files and pages of staff: without marks of emphasis, its lists as they are."""
    return "\n".join(map(plain_line, text.splitlines()))


def blocks_of(text: str) -> list[Block]:
    """A text of several lines as paragraphs and lists, in their order."""
    lines = [_line(line) for line in text.splitlines()]
    blocks: list[Block] = []
    for (kind, is_empty), together in groupby(lines, lambda line: (line.kind, not line.words)):
        if not is_empty:
            blocks.append(Block(kind, tuple(together)))
    return blocks


def shape_of(text: str) -> tuple[str, ...]:
    """What is marked in a text, without its words: as a translation should be marked too."""
    blocks = blocks_of(text)
    lists = (f"{block.kind} {len(block.lines)}" for block in blocks if block.kind != LINES)
    lines = (line.words for block in blocks for line in block.lines)
    marks = (name for words in lines for _, name in pieces_of(words) if name)
    return (*lists, *sorted(marks))


def _line(line: str) -> Line:
    item = ITEM.fullmatch(line)
    if item is None:
        return Line(LINES, line.strip())
    if item["number"] is None:
        return Line(BULLETS, item["words"].strip())
    return Line(NUMBERS, item["words"].strip(), int(item["number"]))


def _is_mark(line: str, mark: re.Match[str]) -> bool:
    """Whether stars are marks: they stand at the ends of words, and cut no quote in two."""
    name = mark.lastgroup
    if name not in ("em", "strong"):
        return False
    start, end = mark.span()
    before, after = line[start - 1 : start] if start else "", line[end : end + 1]
    if before == "*" or after == "*" or _joins(before) or _joins(after):
        return False
    return mark[name].count("{") == mark[name].count("}")


def _joins(character: str) -> bool:
    """Whether a star beside it is within a word or a sum: digits, and letters that have capitals.

    Scripts without capitals may join words to one that is marked, or know no blanks.
    """
    return character.isdigit() or character.lower() != character.upper()


def _after_stars(line: str, begin: int) -> int:
    """Where a run of stars ends."""
    while line[begin : begin + 1] == "*":
        begin += 1
    return begin
