"""Downloads of responses and texts as CSV and Parquet: what questions of each kind write there."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from surveys.catalogues.queries import names_of
from surveys.kinds.day.promise import DayQuestion
from surveys.kinds.number.promise import NumberQuestion
from surveys.kinds.rating.promise import RatingQuestion
from surveys.models import Revision
from surveys.models.queries import (
    contents_of,
    different_count,
    opened_ballots,
    opened_sealed_texts,
    published_document,
    questionnaire_of,
)
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import NOT_ASKED, Question, was_asked
from surveys.questionnaire.kinds.registry import Table
from surveys.randomized_response.files.debiased import DebiasedColumn, number_text
from surveys.results.columns import SLOT, ExportColumn, FileColumns
from surveys.results.queries import reported_blocks, texts
from surveys.trust import sealed_files
from surveys.trust.tally.files import list_head
from surveys.web.downloads import (
    TEXT,
    Echo,
    csv_cells,
    csv_joined,
    csv_line,
    guarded,
    number_column,
    parquet_stream,
    text_column,
)

NOT_SENT = "(not sent)"
REASONS = "reasons"  # the type of a text that says why there is no answer, or nothing
# Rows of a Parquet file that are in memory at once. With 30,000 a program that writes a million of
# sixty questions takes more than 300 MB; with fewer a code is looked up more often.
BLOCK = 27_000
CSV_BLOCK = 5_000  # rows of a CSV that are read at once
MOST_KEPT = 1_000  # codes of a question whose text in a CSV is kept
Read = TypeVar("Read")


def responses_csv(
    revision: Revision, *, codes: bool = False, debiased: bool = False
) -> Iterator[str]:
    """The lines of the CSV: labels as respondents saw them, or the codes that were sent.

    ``debiased``: with the debiased columns of each question behind its own.
    """
    questionnaire = questionnaire_of(revision)
    parts = list(row_parts(questionnaire, debiased=debiased))
    yield csv_line([name for part in parts for name in part.names])
    cells_of = _cells_of(questionnaire, codes=codes)
    # Codes are digits and dashes of ours; only words that people wrote need the guard.
    guard = str if codes else guarded
    written = [(part.codes, _Written(part, cells_of(part.item), guard)) for part in parts]
    for block in reported_blocks(revision, CSV_BLOCK):
        for answers in block:
            yield csv_joined([texts[codes_in(answers)] for codes_in, texts in written])


def responses_parquet(
    revision: Revision, *, codes: bool = False, debiased: bool = False
) -> Iterator[bytes]:
    """The same table as a Parquet file, in blocks: texts as they are, for no spreadsheet.

    What a code says is looked up once for each code of a block. Raises ParquetMissing.
    """
    questionnaire = questionnaire_of(revision)
    parts = list(row_parts(questionnaire, debiased=debiased))
    fields = {name: _stored(kind) for part in parts for name, kind in part.fields.items()}
    cells_of = _cells_of(questionnaire, codes=codes)
    blocks = (_columns(block, parts, cells_of) for block in reported_blocks(revision, BLOCK))
    return parquet_stream(fields, blocks, {"survey": str(revision.survey_id)})


def _stored(kind: str) -> str:
    """The type in a Parquet file."""
    return TEXT if kind == REASONS else kind


Cells = Callable[[str], list[str]]  # what stands in the columns of a question for a code


def _cells_of(questionnaire: Questionnaire, *, codes: bool) -> Callable[[Question], Cells]:
    """The cells of each question, which are looked up in tables once and not for every code."""
    names = {item.id: names_of(item) for _, item in questionnaire.numbered.ratings}

    def of_question(item: Question) -> Cells:
        apart, coded, labels = APART.entry(item), CODES.entry(item), LABELS.entry(item)
        if codes:
            return lambda code: apart(item, code, coded(item, code))
        return lambda code: apart(item, code, labels(item, code, names))

    return of_question


def distinct_codes(
    block: Sequence[str], parts: Sequence["RowPart"]
) -> Iterator[tuple["RowPart", list[list[str]], "Places"]]:
    """Of each question the codes in rows of answers, each once, and which of these each row has."""
    rows = np.array(block, dtype=np.bytes_)
    letters = rows.view(np.uint8).reshape(len(rows), -1)
    for part in parts:
        own = np.hstack([letters[:, span] for span in part.spans])
        joined = np.ascontiguousarray(own).view(f"S{own.shape[1]}")
        distinct, which = np.unique(joined.ravel(), return_inverse=True)
        yield part, [part.apart(code.decode("ascii")) for code in distinct.tolist()], which


def _columns(
    block: Sequence[str], parts: Sequence["RowPart"], cells_of: Callable[[Question], Cells]
) -> list[Any]:
    """The columns of rows of answers, question by question."""
    columns: list[Any] = []
    for part, sent, which in distinct_codes(block, parts):
        cells = cells_of(part.item)
        words = [cells(code) for code, *_ in sent]
        kinds = part.own_fields.values()
        for kind, column in zip(kinds, zip(*words, strict=True), strict=True):
            columns.append(_column(column, which, kind))
        if part.debiased:
            readers = part.readers(lambda number: number)
            looked_up = [part.looked_up(each) for each in sent]
            for read in readers:
                columns.append(number_column(list(map(read, looked_up)), which, "float64"))
    return columns


def texts_csv(revision: Revision) -> Iterator[str]:
    """The lines of the CSV of free texts, in an order that joins them to nothing."""
    items = questionnaire_of(revision).items
    writer = csv.writer(Echo())
    yield writer.writerow(["number", "question", "text"])
    for number, text in texts(revision):
        yield writer.writerow([number, guarded(items[number - 1].text), guarded(text)])


def sealed_texts(revision: Revision, number: int) -> str | None:
    """The file of the sealed texts to question ``number``, from 1; None if it has none."""
    questionnaire = questionnaire_of(revision)
    items = dict(enumerate(questionnaire.items, start=1))
    if number not in items or not items[number].layers:
        return None
    texts = opened_sealed_texts(revision.pk, number).values_list("content", flat=True)
    published = published_document(revision.survey_id)
    return sealed_files.written(published, number, [bytes(content) for content in texts])


def locked_table(revision: Revision, table: int) -> Iterator[bytes] | None:
    """The file of a table's ballots for its trustees, in parts; None where there are none.

    Ballots that are equal count once, since a copy would tell what the other person answered.
    """
    ballots = opened_ballots(revision.pk, table)
    count = different_count(ballots)
    if not count:
        return None
    head = list_head(published_document(revision.survey_id), table, count)
    return chain([head], contents_of(ballots))


Places = NDArray[np.intp]  # of each row, which of the codes of its block it has
FIRST_DAY = date(1970, 1, 1)  # days of Parquet are counted from this one
# How a cell is read that is no text; an empty one is nothing.
READ: Mapping[str, Callable[[str], Any]] = {
    "int64": int,
    "float64": float,
    "date32": lambda day: (date.fromisoformat(day) - FIRST_DAY).days,
}


def _column(cells: Sequence[str], which: Places, kind: str) -> Any:
    """A column of a Parquet file, of the cells of a CSV."""
    if kind == TEXT:
        return text_column(cells, which)
    if kind == REASONS:
        return text_column([cell or None for cell in cells], which)
    return number_column([READ[kind](cell) if cell else None for cell in cells], which, kind)


Names = Mapping[str, Mapping[int, str]]  # of a rating question's items, by the question's key


def _beside_reasons(kind: str, columns: Sequence[ExportColumn]) -> dict[str, str]:
    """What was measured, and why it was not."""
    (column,) = columns
    return {column.heading: kind, column.reasons: REASONS}


def _number_fields(item: NumberQuestion, columns: Sequence[ExportColumn]) -> dict[str, str]:
    # At most 11 digits stand before a point.
    return _beside_reasons("float64" if item.number.decimal_places else "int64", columns)


# The columns of a file, each with the type of its cells.
FIELDS: Table[[Sequence[ExportColumn]], dict[str, str]] = Table.mostly(
    lambda item, columns: {column.heading: TEXT for column in columns},
    number=_number_fields,
    day=lambda item, columns: _beside_reasons("date32", columns),
)


def _number_apart(item: NumberQuestion, code: str, cells: list[str]) -> list[str]:
    """Numbers alone in their column, so that no mean counts what was no answer."""
    return [item.label(code), ""] if item.has_number(code) else ["", *cells]


def _day_apart(item: DayQuestion, code: str, cells: list[str]) -> list[str]:
    return [code, ""] if item.has_day(code) else ["", *cells]


# The cells of a file, of the code of each column or of its words.
APART: Table[[str, list[str]], list[str]] = Table.mostly(
    lambda item, code, cells: cells,
    number=_number_apart,
    day=_day_apart,
)


def _number_codes(item: NumberQuestion, code: str) -> list[str]:
    """As it was sent; of a special answer the code of its author."""
    special = item.number.special_by_sent.get(code)
    return [special.code if special else code]


def _slot_codes(item: RatingQuestion, code: str) -> list[str]:
    return [
        part
        for slot in item.slot_code.slots_in(code)
        for part in (slot[: item.slot_code.number_width], slot[item.slot_code.number_width :])
    ]


def _part_codes(item: PartsQuestion, code: str) -> list[str]:
    """The code of each part, empty where it was not sent."""
    if not was_asked(item, code):
        return [NOT_ASKED] * item.size
    sent = {number: item.levels[level].code for number, level in item.slot_code.levels_in(code)}
    return [sent.get(n + 1, "") for n in range(item.size)]


CODES: Table[[str], list[str]] = Table.mostly(
    lambda item, code: [code],
    number=_number_codes,
    rating=_slot_codes,
    ticks=_part_codes,
    matrix=_part_codes,
    ranking=_part_codes,
    ranked_pair=_part_codes,
)


def _slot_labels(item: RatingQuestion, code: str, names: Names) -> list[str]:
    if not was_asked(item, code):
        return [item.label(code)] * (len(SLOT) * item.slots)
    return [
        cell
        for number, level in item.slot_code.levels_in(code)
        for cell in (
            names[item.id].get(number, f"(item {number} is gone)"),
            item.levels[level].text,
        )
    ]


def _part_labels(item: PartsQuestion, code: str, names: Names) -> list[str]:
    if not was_asked(item, code):
        return [item.label(code)] * item.size
    sent = {number: item.levels[level].text for number, level in item.slot_code.levels_in(code)}
    return [sent.get(n + 1, NOT_SENT) for n in range(item.size)]


LABELS: Table[[str, Names], list[str]] = Table.mostly(
    lambda item, code, names: [item.label(code)],
    long_list=lambda item, code, names: [item.english(code)],
    rating=_slot_labels,
    ticks=_part_labels,
    matrix=_part_labels,
    ranking=_part_labels,
    ranked_pair=_part_labels,
)


@dataclass(frozen=True)
class RowPart:
    """What one question, or the arm, has in files, made of a few codes of a row.

    ``spans``: where these codes stand, its own first, then those that tell who was asked it;
    ``others`` are the columns of these. ``headings``: the columns of its codes. ``own_fields``:
    its own columns, with their types. ``debiased``: what stands behind these.
    """

    item: Question
    headings: Sequence[str]
    spans: Sequence[slice]
    others: Sequence[str] = ()
    debiased: Sequence[DebiasedColumn] = ()
    own_fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """All its columns."""
        return list(self.fields)

    @property
    def fields(self) -> dict[str, str]:
        """All its columns, with the types of their cells."""
        return {**self.own_fields, **{column.name: "float64" for column in self.debiased}}

    @property
    def codes(self) -> Callable[[str], Any]:
        """A function of a row that returns its code, or the tuple of its codes."""
        return itemgetter(*self.spans)

    def apart(self, joined: str) -> list[str]:
        """The codes that stand one behind the other."""
        return [joined[part] for part in self._joined_spans]

    @cached_property
    def _joined_spans(self) -> list[slice]:
        ends = accumulate((span.stop - span.start for span in self.spans), initial=0)
        return [slice(start, end) for start, end in pairwise(ends)]

    def looked_up(self, sent: Sequence[str]) -> list[str]:
        """What its debiased columns look up, of these codes."""
        own, *others = sent
        return [*CODES(self.item, own), *others]

    def readers(
        self, shown: Callable[[float | None], Read]
    ) -> list[Callable[[Sequence[str]], Read]]:
        """A function of what is looked up for each debiased column."""
        names = [*self.headings, *self.others]
        return [column.reader(names, shown) for column in self.debiased]


def row_parts(questionnaire: Questionnaire, *, debiased: bool) -> Iterator[RowPart]:
    """What stands in files, in their order: the questions that have columns, then the arm."""
    spans = [slice(at, at + item.width) for item, at in questionnaire.row.offsets]
    files = FileColumns(questionnaire)
    # Where more than its own code is read, the others are of questions with one column each.
    number_of = {columns[0].heading: number for number, columns in files.of_questions.items()}
    for index, item in files.asked:
        columns = files.of_questions[index + 1]
        behind = files.debiased[index + 1] if debiased else []
        own = [column.heading for column in columns]
        read = dict.fromkeys(name for column in behind for name in column.of)
        others = [name for name in read if name not in own]
        places = [spans[index], *(spans[number_of[name] - 1] for name in others)]
        yield RowPart(item, own, places, others, behind, FIELDS(item, columns))
    for arm, span in zip(
        questionnaire.row.arm_items, spans[len(questionnaire.items) :], strict=True
    ):
        yield RowPart(arm, [arm.id], [span], own_fields={arm.id: TEXT})


class _Written(dict[Any, str]):
    """What a question writes into a line of CSV for each code; a code that comes again is there.

    Numbers and tables have many codes: no more are kept than fit into little memory.
    """

    def __init__(self, part: RowPart, cells: Cells, guard: Callable[[str], str]) -> None:
        super().__init__()
        self.part, self.cells, self.guard = part, cells, guard
        self.readers = part.readers(number_text)

    def __missing__(self, key: str | tuple[str, ...]) -> str:
        sent = [key] if isinstance(key, str) else key
        cells = list(map(self.guard, self.cells(sent[0])))
        if self.readers:
            looked_up = self.part.looked_up(sent)
            cells += [read(looked_up) for read in self.readers]
        if len(self) >= MOST_KEPT:
            self.clear()
        text = self[key] = csv_cells(cells)
        return text
