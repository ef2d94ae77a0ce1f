"""Probabilities and matrices as an author typed them: what they say, or what to write instead."""

import re
from collections.abc import Sequence
from fractions import Fraction

from surveys.randomized_response.messages import Listed, sentence

# Short enough that no number typed here can take long to read.
PROBABILITY = re.compile(r"[0-9]{1,9}/(?!0+$)[0-9]{1,9}|[0-9]?\.[0-9]{1,9}|[01]")
HOW_TO_WRITE = sentence("write a fraction or a decimal between 0 and 1, such as 1/6 or 0.25")


def probability_of(name: str, typed: str) -> Fraction:
    """The probability that an author typed. Raises ValueError that calls it by its name."""
    written = typed.strip()
    if not written:
        raise ValueError(
            sentence("The {name} is missing: {how_to_write}.", name=name, how_to_write=HOW_TO_WRITE)
        )
    if not PROBABILITY.fullmatch(written) or Fraction(written) > 1:
        raise ValueError(
            sentence(
                "The {name}, {quoted}, is not a probability: {how_to_write}.",
                name=name,
                quoted=_quoted(written),
                how_to_write=HOW_TO_WRITE,
            )
        )
    return Fraction(written)


def split_probabilities(typed: str) -> list[str]:
    """Return what stands between semicolons, or between commas where there is none.

    The same in every language: what is typed on a page in one is stored, and read in another.
    """
    parts = typed.split(";" if ";" in typed else ",")
    return [part.strip() for part in parts if part.strip()]


def two_probabilities(name: str, typed: str, example: Listed) -> list[Fraction]:
    """Those of two groups. Raises ValueError that shows an example."""
    parts = split_probabilities(typed)
    if len(parts) != 2:
        raise ValueError(
            sentence(
                "The design “two groups” needs two values for the {name}, such as {example}.",
                name=name,
                example=example,
            )
        )
    return [probability_of(name, part) for part in parts]


def typed_matrix(typed: str, shown: Sequence[str]) -> list[list[Fraction]]:
    """Rows are what is sent, columns what is true, both in the order of the page."""
    size = len(shown)
    rows = [row for row in re.split(r"[\n;]", typed) if row.strip()]
    if len(rows) != size:
        raise ValueError(
            sentence(
                "The channel matrix needs {size} rows, one for each answer that can be sent, but "
                "has {count}. Write each row on a line of its own.",
                size=size,
                count=len(rows),
            )
        )
    return [_typed_row(number, row, shown) for number, row in enumerate(rows)]


def _typed_row(number: int, row: str, shown: Sequence[str]) -> list[Fraction]:
    parts = [part for part in re.split(r"[,\s]+", row) if part]
    if len(parts) != len(shown):
        raise ValueError(
            sentence(
                "Row {number} of the channel matrix (“{shown}” is sent) has {count} "
                "probabilities. The row needs {needed} probabilities, one for each true answer, "
                "with commas between.",
                number=number + 1,
                shown=shown[number],
                count=len(parts),
                needed=len(shown),
            )
        )
    return [_cell(number, column, part, shown) for column, part in enumerate(parts)]


def _cell(row: int, column: int, typed: str, shown: Sequence[str]) -> Fraction:
    if not PROBABILITY.fullmatch(typed) or Fraction(typed) > 1:
        raise ValueError(
            sentence(
                "{place}: {quoted} is not a probability; {how_to_write}.",
                place=_place(row, column, shown),
                quoted=_quoted(typed),
                how_to_write=HOW_TO_WRITE,
            )
        )
    return Fraction(typed)


def _place(row: int, column: int, shown: Sequence[str]) -> str:
    return sentence(
        "Row {row}, column {column} of the channel matrix (“{shown}” is sent, “{shown2}” is true)",
        row=row + 1,
        column=column + 1,
        shown=shown[row],
        shown2=shown[column],
    )


def check_columns(rows: list[list[Fraction]], shown: Sequence[str]) -> None:
    for position, column in enumerate(zip(*rows, strict=True)):
        total = sum(column)
        if total != 1:
            change = (
                sentence("add {total}", total=1 - total)
                if total < 1
                else sentence("subtract {total}", total=total - 1)
            )
            raise ValueError(
                sentence(
                    "Column {place} of the channel matrix (“{shown}” is true) adds up to {total}. "
                    "To make the sum 1: {change}.",
                    place=position + 1,
                    shown=shown[position],
                    total=total,
                    change=change,
                )
            )


def check_rows(rows: list[list[Fraction]], shown: Sequence[str]) -> None:
    """A zero beside a positive entry is proof; exposure is judged by the cell that causes it."""
    for number, row in enumerate(rows):
        if not any(row):
            raise ValueError(
                sentence(
                    "Row {number} of the channel matrix has only zeros, so “{shown}” would never "
                    "be sent. Write probabilities above 0 in this row.",
                    number=number + 1,
                    shown=shown[number],
                )
            )
        least = row.index(min(row))
        if row[least] == 0:
            raise ValueError(
                sentence(
                    "{place} is 0. So a person who sends “{shown}” would prove that “{shown2}” is "
                    "not true (epsilon is infinite). Write a probability above 0.",
                    place=_place(number, least, shown),
                    shown=shown[number],
                    shown2=shown[least],
                )
            )


def _quoted(typed: str) -> str:
    return f"“{typed if len(typed) <= 20 else typed[:20] + '…'}”"
