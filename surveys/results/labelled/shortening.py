"""shorten: a label that is cut between letters as people see them, and ends in "…"."""

import unicodedata
from collections.abc import Callable

import regex

CUT = "…"
LETTER = regex.compile(r"\X")  # with its accents; an emoji of several characters; a flag


def shorten(text: str, most: int, size: Callable[[str], int]) -> str:
    """The text if its ``size`` is at most ``most``; else as much of its beginning as fits, and "…".

    No accent, emoji or flag is cut in two. ``size`` counts letters (``len``) or ``utf8_bytes``.

    >>> shorten("Zürich", 4, len), shorten("Zürich", 6, utf8_bytes)
    ('Zür…', 'Zü…')
    """
    if size(text) <= most:
        return text
    room, end = most - size(CUT), 0
    for letter in LETTER.finditer(text):
        room -= size(letter[0])
        if room < 0:
            break
        end = letter.end()
    return text[:end].rstrip() + CUT


def utf8_bytes(text: str) -> int:
    """How many bytes a text has in UTF-8."""
    return len(text.encode())


def one_line(text: str) -> str:
    """The text with a space in place of each line end and other control character."""
    return "".join(" " if _breaks(letter) else letter for letter in text)


def _breaks(letter: str) -> bool:
    """Whether a character ends a line, or controls a terminal."""
    return unicodedata.category(letter) in ("Cc", "Zl", "Zp")
