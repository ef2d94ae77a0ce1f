"""A drafted table: its rows, the scale of its columns, how many rows are sent."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from surveys.authoring.draft.building import (
    common_fields,
    device_reasons,
    option_levels,
    option_texts,
    option_values,
    row_lines,
    value_reasons,
)
from surveys.authoring.draft.kinds import OF_PARTS, DraftKind
from surveys.authoring.draft.parts import (
    LONGEST_ROW,
    channel_of,
    design_reasons,
    part_reasons,
    sent_parts,
)
from surveys.authoring.simulation.draws import draw_parts
from surveys.authoring.simulation.rows import Cells, Row, part_rows
from surveys.kinds.matrix.promise import MOST_COLUMNS, MOST_ROWS, MatrixQuestion
from surveys.models import Question
from surveys.randomized_response.messages import sentence

ROW_WORDS = (
    sentence("Enter between {least} and {most} rows. This question has {count}."),
    sentence("Two rows have the same text. Change or remove one row."),
)
COLUMN_WORDS = (
    sentence("Enter between {least} and {most} columns. This question has {count}."),
    sentence("Two columns have the same text. Change or remove one column."),
)


def drafted_matrix(question: Question) -> MatrixQuestion:
    """The question as it would be promised. Raises ValueError if its channel cannot be drawn."""
    parts, values = _row_texts(question), _row_values(question)
    levels = option_levels(question)
    undrawn = MatrixQuestion(
        **common_fields(question),
        levels=levels,
        display=tuple(range(len(levels))),
        parts=parts,
        values=values if any(values) else (),
        sent=sent_parts(question, len(parts)),
    )
    return replace(undrawn, **channel_of(question, undrawn))


def matrix_reasons(question: Question) -> Iterator[str]:
    """Everything that keeps a table of rows from being launched."""
    reasons = list(_part_reasons(question))
    yield from reasons or device_reasons(question, drafted_matrix)


def _part_reasons(question: Question) -> Iterator[str]:
    rows, columns = _row_texts(question), option_texts(question)
    yield from part_reasons(ROW_WORDS, rows, most=MOST_ROWS)
    yield from part_reasons(COLUMN_WORDS, columns, most=MOST_COLUMNS)
    yield from value_reasons(_row_values(question), "table_rows")
    yield from value_reasons(option_values(question), "option_lines")
    yield from design_reasons(question, len(rows))
    longest = max(rows, key=len, default="")
    if len(longest) > LONGEST_ROW:
        yield sentence(
            "The row “{longest}…” is too long: shorten it to {longest_row} characters.",
            longest=longest[:40],
            longest_row=LONGEST_ROW,
        )
    if len({option.position for option in question.options.all()}) < len(columns):
        yield sentence(
            "Two columns have the same position. Number the columns in the order in which "
            "respondents see them."
        )


def _row_texts(question: Question) -> tuple[str, ...]:
    return tuple(text for _, text in row_lines(question))


def _row_values(question: Question) -> tuple[str, ...]:
    return tuple(value for value, _ in row_lines(question))


def _rows(item: MatrixQuestion, truths: np.ndarray, cells: Cells) -> Iterator[Row]:
    for part, text in enumerate(item.parts):
        labels = {level: f"{text}: {item.levels[level].text}" for level in item.display}
        yield from part_rows(item, part, labels, truths, cells)


DRAFTS = {
    Question.Kind.MATRIX: DraftKind(
        build=drafted_matrix,
        reasons=matrix_reasons,
        fields=frozenset({"option_lines", "shown", "table_rows", "random_options"}),
        designs=OF_PARTS,
    )
}
DRAWS = {MatrixQuestion: draw_parts}
ROWS = {MatrixQuestion: _rows}
