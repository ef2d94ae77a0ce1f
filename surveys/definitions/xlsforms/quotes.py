"""Quotes of answers within texts: ``{your answer to x}`` here, ``${x}`` in an XLSForm."""

import re
from collections.abc import Iterator, Mapping

from surveys.definitions.imports.quotes import NAMED_QUOTE, WORDS
from surveys.definitions.xlsforms.columns import (
    Cells,
    cell_of,
    text_cells,
    text_column,
    texts_in,
)

FIELD = re.compile(r"\$\{([A-Za-z][A-Za-z0-9_]*)\}")
BETWEEN = " | "


def quoting_cells(
    columns: Mapping[str, Mapping[str, str]], names: Mapping[str, str], quotable: frozenset[str]
) -> Cells:
    """Texts by column and language as cells; ``names`` are those of fields, by our own.

    ``quoted`` has the words of all quotes of a language, where they are not the usual ones.
    """
    cells: Cells = {}
    words: dict[str, list[str]] = {}
    for column, texts in columns.items():
        for language, text in texts.items():
            cell, its = _with_fields(text, names, quotable)
            cells[text_column(column, language)] = cell
            words.setdefault(language, []).extend(its)
    for language, its in words.items():
        if any(each != WORDS[language] for each in its):
            cells |= text_cells("quoted", {language: BETWEEN.join(its)})
    return cells


def _with_fields(
    text: str, names: Mapping[str, str], quotable: frozenset[str]
) -> tuple[str, list[str]]:
    """The text with names of fields in place of its quotes, and the words of each quote."""
    parts, words, at = [], [], 0
    for quote in NAMED_QUOTE.finditer(text):
        if quote[2] in quotable:
            parts += [_unquoting(text[at : quote.start()]), f"${{{names[quote[2]]}}}"]
            words.append(quote[1].strip())
            at = quote.end()
    parts.append(_unquoting(text[at:]))
    # What is no name begins none to other programs, before the names are put there.
    return (cell_of("".join(parts), has_fields=True), words)


def _unquoting(text: str) -> str:
    return text.replace("${", "$ {")


def quoted_texts(
    cells: Mapping[str, str], columns: tuple[str, ...], names: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    """The texts of each column by language; ``names`` are ours, by those of fields."""
    quoted = texts_in(cells, "quoted")
    words = {language: iter(text.split(BETWEEN)) for language, text in quoted.items()}
    for column in columns:
        yield {
            language: _with_quotes(text, names, words.get(language, iter(())), WORDS[language])
            for language, text in texts_in(cells, column).items()
        }


def _with_quotes(text: str, names: Mapping[str, str], words: Iterator[str], usual: str) -> str:
    """A text with quotes in place of names of fields; beyond ``words`` with the usual ones."""

    def quote(match: re.Match[str]) -> str:
        name = names.get(match[1])
        return f"{{{next(words, usual)} {name}}}" if name else match[0]

    return FIELD.sub(quote, text)
