"""Quotes: answers to earlier questions in the words of a later one, and the words without them.

An author writes ``Why do you like {your answer to question 3}?``: words that end with the number of
the question, from 1, in braces. The page puts the answer in their place, on the person's own screen
alone; wherever it cannot, the words stand there as they are.
"""

import re
from collections.abc import Iterator, Mapping

QUOTE = re.compile(r"\{([^{}\d]*\s(\d{1,3}))\}")
LONGEST_QUOTED = 100  # characters of a text that may stand within a question


def quoted_in(text: str) -> tuple[int, ...]:
    """The numbers of the questions whose answers are quoted, in ascending order, each once."""
    return tuple(sorted({int(quote[2]) for quote in QUOTE.finditer(text)}))


def unquoted(text: str) -> str:
    """The text as it reads where no answer can be filled in."""
    return QUOTE.sub(r"\1", text)


def pieces(text: str) -> Iterator[tuple[str, str, int]]:
    """The text as pieces: what stands before a quote, its words, and the number that it names.

    After the last quote the words are empty and the number is 0.
    """
    before, *rest = QUOTE.split(text)
    for words, number, after in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        yield before, words, int(number)
        before = after
    yield before, "", 0


def renumbered(text: str, numbers: Mapping[int, int]) -> str:
    """The same quotes where questions have new numbers; 0 names one that is gone."""

    def again(quote: re.Match[str]) -> str:
        words, number = quote.groups()
        return f"{{{words.removesuffix(number)}{numbers.get(int(number), 0)}}}"

    return QUOTE.sub(again, text)
