"""Questions that a form lays out as one table: joined to a table, where it can be one."""

from collections.abc import Sequence
from itertools import groupby

from surveys.definitions.imports.conditions import fields_read
from surveys.definitions.imports.entries import Entry, FormChoice, Matrix, ReadForm
from surveys.definitions.imports.remarks import Remarks
from surveys.kinds.matrix.promise import MOST_COLUMNS, MOST_ROWS
from surveys.randomized_response.messages import Message, sentence

CHECK_ROWS = sentence(
    "Check the table. If separate questions are clearer, ask the questions one by one."
)
ASK_ALONE = sentence(
    "Nothing is lost. If the questions fit into one table, you can make a table of them after "
    "the import."
)


def join_tables(form: ReadForm, remarks: Remarks) -> None:
    """Put a table in place of the neighbours that are its rows; note where they stay questions."""
    read = fields_read(form)
    entries: list[Entry] = []
    for matrix, run in groupby(form.entries, key=lambda entry: entry.matrix):
        rows = list(run)
        if matrix is None:
            entries += rows
        elif why := _against(rows, read):
            remarks.changed(
                matrix.spot,
                matrix.name,
                sentence("The table becomes separate questions, one for each row: {why}").format(
                    why=why
                ),
                ASK_ALONE,
            )
            entries += [*([matrix.head] if matrix.head else []), *rows]
        else:
            entries.append(_joined(matrix, rows, remarks))
    form.entries = entries


def _against(rows: Sequence[Entry], read: frozenset[str]) -> Message | None:
    """Why questions are no rows of one table; None if they are."""
    first = rows[0]
    if len(rows) < 2 or any(row.kind not in ("choice", "scale") for row in rows):
        return sentence("a table needs two or more questions that each have one answer.")
    if len(rows) > MOST_ROWS or len(first.options) > MOST_COLUMNS:
        return sentence(
            "a table has at most {rows} rows and {columns} columns.",
            rows=MOST_ROWS,
            columns=MOST_COLUMNS,
        )
    if any(_scale(row) != _scale(first) or row.groups != first.groups for row in rows):
        return sentence("the answer options of the questions differ.")
    if any(row.rule for row in rows) or any(row.name in read for row in rows):
        return sentence(
            "a rule depends on one of the questions, or decides whether one of them is asked."
        )
    return None


def _scale(entry: Entry) -> list[tuple[str, dict[str, str]]]:
    return [(option.value, option.texts) for option in entry.options]


def _joined(matrix: Matrix, rows: Sequence[Entry], remarks: Remarks) -> Entry:
    first = rows[0]
    remarks.changed(
        matrix.spot,
        matrix.name,
        sentence(
            "{count} questions become the rows of the table “{name}”.",
            count=len(rows),
            name=matrix.name,
        ),
        CHECK_ROWS,
    )
    return Entry(
        spot=matrix.spot,
        name=matrix.name,
        kind="matrix",
        texts=matrix.texts if any(matrix.texts.values()) else dict(first.texts),
        groups=first.groups,
        required=all(row.required for row in rows),
        options=first.options,
        rows=[FormChoice(row.name, row.texts, row.spot) for row in rows],
        counts=sum(row.counts for row in rows) + (matrix.head.counts if matrix.head else 0),
        is_whole=all(row.is_whole for row in rows),
    )
