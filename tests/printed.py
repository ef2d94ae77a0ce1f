"""What Chromium printed: the pages of a PDF, and how far down each of them text goes.

Chromium writes each page as an object of its own and its drawing as one compressed stream, in
which text is placed by matrices (ISO 32000-1, 8.3 and 9.4). Nothing else of PDF is read.
"""

import re
import zlib
from dataclasses import dataclass

Matrix = tuple[float, float, float, float, float, float]

START: Matrix = (1, 0, 0, 1, 0, 0)
PAGE = re.compile(rb"/Type\s*/Page\b(.*?)endobj", re.S)
BOX = re.compile(rb"/MediaBox\s*\[\s*0 0 [0-9.]+ ([0-9.]+)")
CONTENTS = re.compile(rb"/Contents\s+(\d+) 0 R")
TOKEN = re.compile(
    rb"\((?:\\.|[^\\()])*\)|<<|>>|<[0-9A-Fa-f\s]*>|/[^\s/<>\[\]()]+|[-+]?(?:\d+\.?\d*|\.\d+)"
    rb"|[A-Za-z'\"*]+|\[|\]"
)
NUMBER = re.compile(rb"[-+.\d]+")


@dataclass(frozen=True)
class PrintedPage:
    """``height`` in points of 1/72 inch; ``texts`` are their heights above the lower edge."""

    height: float
    texts: tuple[float, ...]

    def filled(self, margin: float) -> float:
        """Down to which share of the room within the margins text goes; what is in them is not."""
        within = [y for y in self.texts if margin < y < self.height - margin]
        room = self.height - 2 * margin
        return (self.height - margin - min(within)) / room if within else 0.0


def printed_pages(pdf: bytes) -> list[PrintedPage]:
    """The pages of a file that Chromium printed, in their order in it."""
    return [_page(pdf, found[1]) for found in PAGE.finditer(pdf)]


def _page(pdf: bytes, entries: bytes) -> PrintedPage:
    box, contents = BOX.search(entries), CONTENTS.search(entries)
    assert box, entries[:400]
    assert contents, entries[:400]
    return PrintedPage(float(box[1]), tuple(_heights(_stream(pdf, int(contents[1])))))


def _stream(pdf: bytes, number: int) -> bytes:
    start = re.search(rb"(?:^|\n)%d 0 obj\b.*?stream\r?\n" % number, pdf, re.S)
    assert start
    return zlib.decompressobj().decompress(pdf[start.end() :])


def _heights(drawing: bytes) -> list[float]:
    """Where each piece of text begins, as its distance from the lower edge."""
    heights: list[float] = []
    kept: list[Matrix] = []
    numbers: list[float] = []
    space = text = START
    for token in TOKEN.findall(drawing):
        if NUMBER.fullmatch(token):
            numbers.append(float(token))
            continue
        if token == b"q":
            kept.append(space)
        elif token == b"Q":
            space = kept.pop()
        elif token == b"cm":
            space = _after(_last(numbers), space)
        elif token == b"BT":
            text = START
        elif token == b"Tm":
            text = _last(numbers)
        elif token in (b"Td", b"TD"):
            text = _after((1, 0, 0, 1, numbers[-2], numbers[-1]), text)
        elif token in (b"Tj", b"TJ"):
            heights.append(_after(text, space)[5])
        if token.isalpha():
            numbers.clear()
    return heights


def _last(numbers: list[float]) -> Matrix:
    a, b, c, d, e, f = numbers[-6:]
    return a, b, c, d, e, f


def _after(first: Matrix, then: Matrix) -> Matrix:
    """One matrix that does what the two do, one after the other."""
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    return (
        a * p + b * r,
        a * q + b * s,
        c * p + d * r,
        c * q + d * s,
        e * p + f * r + t,
        e * q + f * s + u,
    )
