"""Figures of the columns of a survey's files, read by its codebook: shares, means, marks.

Each is what the dashboard says at one look: shares through the channel, means of numbers within
their bounds, of scores and of debiased columns, frequencies of a long list's options.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from ..designs.channel import Channel
from ..designs.local.bits import code_length, decode
from ..designs.transform import TransformedReports
from ..errors import StatisticsError
from ..estimates.bounded_means import tilted_mean_interval
from ..estimates.means import MeanEstimate
from ..samples.ratios import estimate_means
from ..samples.survey_samples import survey_sample
from .codebooks import (
    CodebookColumn,
    FileColumn,
    MadeColumn,
    MarkColumn,
    NumberColumn,
    ScoreColumn,
)
from .coded_columns import CODES
from .estimates import (
    Asked,
    Figure,
    count_figures,
    estimate_table,
    expanded_figures,
    figure_of,
    require_all_asked,
    require_one_way,
    sampling_units,
)
from .named_designs import NamedDesign
from .tables import Column, Table, TableError

MEAN = "mean"
NO_ANSWERS = "No one was asked, or no report of it was sent."
DIGITS = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class _Values:
    """The number of each row that has one: ``numbers`` (m,), ``rows`` (m,); ``texts`` have theirs.

    ``variances``: of what a device added, where it is known; 0 of numbers as they were given.
    """

    column: Column
    of_texts: NDArray[np.float64]  # not a number where the cell is missing
    variances: NDArray[np.float64] | None = None

    @property
    def rows(self) -> NDArray[np.bool_]:
        return np.asarray(~np.isnan(self.of_texts)[self.column.codes])

    @property
    def numbers(self) -> NDArray[np.float64]:
        return np.asarray(self.of_texts[self.column.codes][self.rows])

    @property
    def counted(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The distinct numbers, ascending, and how many people have each."""
        distinct, counts = np.unique(self.numbers, return_counts=True)
        return distinct, counts.astype(np.int64)


def design_of(column: FileColumn) -> NamedDesign | Channel | None:
    """The design whose reports a column has; None of numbers as they were given."""
    if isinstance(column, NumberColumn):
        return None
    return column.protocol if isinstance(column, MarkColumn) else column.design


class NoAnswersError(TableError):
    """A column in which no person has an answer."""


def estimate_columns(table: Table, asked: Asked, columns: Sequence[FileColumn]) -> list[Figure]:
    """The figures of all columns of a question. Raises TableError and StatisticsError.

    A part that chance drew for no person has no estimate, and a note that says so.
    """
    figures: list[Figure] = []
    refusals: list[NoAnswersError] = []
    for column in columns:
        try:
            figures += estimate_column(table, asked, column)
        except NoAnswersError as refusal:
            refusals.append(refusal)
            label = column.label if isinstance(column, CodebookColumn) else ""
            figures.append(Figure("", None, None, None, 0, label, (NO_ANSWERS,)))
    if len(refusals) == len(columns):
        raise refusals[0]
    return figures


def estimate_column(table: Table, asked: Asked, column: FileColumn) -> list[Figure]:
    r"""Every figure of one column of a survey's file. Raises TableError and StatisticsError.

    ``asked`` has what is said beside the column: its ``reports`` and ``design`` are not read.

    >>> from io import BytesIO
    >>> from randomized_response.designs import Direct
    >>> from randomized_response.files import Asked, NumberColumn, estimate_column, read_table
    >>> table = read_table("-", stdin=BytesIO(b"age\n18\n20\n(not asked)\n25\n"))
    >>> age = NumberColumn("age", 18, 99, ("", "(not asked)"))
    >>> (mean,) = estimate_column(table, Asked(Direct(2)), age)
    >>> mean.estimate, mean.n
    (21.0, 3)
    """
    try:
        return list(_figures(column, table, replace(asked, reports=column.heading)))
    except StatisticsError as problem:
        if problem.argument != "counts":
            raise
        raise NoAnswersError(f"column {column.heading!r} has no answers") from None


@singledispatch
def _figures(column: FileColumn, table: Table, asked: Asked) -> Iterator[Figure]:
    raise TypeError(column)


@_figures.register
def _shares(column: CodebookColumn, table: Table, asked: Asked) -> Iterator[Figure]:
    """Levels as words or as codes: whichever the download holds."""
    levels = written_levels(table.column(column.heading), column, asked.cells)
    asked = replace(asked, design=column.design, levels=levels, names=column.names)
    asked = replace(asked, not_asked=column.not_asked)
    for figure in estimate_table(table, asked):
        yield replace(figure, label=column.label or figure.label)


def written_levels(
    cells: Column, column: CodebookColumn | ScoreColumn, which: str | None
) -> tuple[str, ...]:
    """The reports as the cells have them: in words or codes, ``which`` says it, or the cells do.

    Raises TableError where that cannot be told: the code of an answer may be the words of another.
    """
    if which:
        return column.codes if which == CODES else column.levels
    texts = {text.strip() for text in cells.texts}
    if not texts <= {*column.codes, column.not_asked[-1], ""}:
        return column.levels
    codes, words = (
        {text: n for n, text in enumerate(each)} for each in (column.codes, column.levels)
    )
    if texts <= {*column.levels, *column.not_asked}:
        unclear = sorted(text for text in texts & codes.keys() if codes[text] != words[text])
        if unclear:
            says = f"{unclear[0]!r} is the code of an answer and the words of another one"
            remedy = "add --cells codes or --cells words"
            raise TableError(f"column {column.heading!r}: {says}: {remedy}")
    return column.codes


@_figures.register
def _number(column: NumberColumn, table: Table, asked: Asked) -> Iterator[Figure]:
    cells = table.column(column.heading)
    values = _Values(cells, given_numbers(cells, column), np.zeros(len(cells.texts)))

    def mean() -> Figure:
        numbers, counts = values.counted
        ends = (column.minimum, column.maximum)
        interval = tilted_mean_interval(numbers, counts, *ends, level=asked.level)
        estimate = MeanEstimate(tuple(numbers.tolist()), tuple(counts.tolist()))
        return figure_of(MEAN, estimate.mean, estimate.standard_error, interval, estimate.n, "")

    if asked.method is not None:
        raise TableError(f"--method {asked.method}: numbers that were given have one: leave it out")
    yield from _means(MEAN, values, table, asked, mean)


@_figures.register
def _scored(column: ScoreColumn, table: Table, asked: Asked) -> Iterator[Figure]:
    cells = table.column(column.heading)
    written = written_levels(cells, column, asked.cells)
    known = dict(zip(written, column.scores, strict=True))
    scores = [known.get(text.strip(), np.nan) for text in cells.texts]
    missing = [text.strip() in column.not_asked for text in cells.texts]
    of_texts = np.array(scores, dtype=float)
    cells.refuse(np.isnan(of_texts) & ~np.array(missing), f"the reports are {', '.join(known)}")
    yield from _of_scores(MEAN, _Values(cells, of_texts), table, asked)


@_figures.register
def _made(column: MadeColumn, table: Table, asked: Asked) -> Iterator[Figure]:
    cells = table.column(column.heading)
    values = _Values(cells, _numbers(cells, ("",)))
    yield from _of_scores(column.heading, values, table, asked)


@_figures.register
def _marked(column: MarkColumn, table: Table, asked: Asked) -> Iterator[Figure]:
    if asked.sample_columns or asked.population_size is not None:
        words = "weights and inclusion probabilities go with designs of one channel"
        raise TableError(f"column {column.heading!r} marks options of a long list: {words}")
    cells = table.column(column.heading)
    options, texts = column.protocol.options, [text.strip() for text in cells.texts]
    is_missing = np.array([text in column.not_asked for text in texts])
    length = code_length(options)
    is_code = np.array([len(text) == length and DIGITS.issuperset(text) for text in texts])
    remedy = "it is no code of marks: take the file of codes, which has them in every cell"
    cells.refuse(~is_missing & ~is_code, remedy)
    codes = [text for text, missing in zip(texts, is_missing, strict=True) if not missing]
    if not codes:
        raise NoAnswersError(f"column {column.heading!r} has no marks: no one was asked")
    positions = (np.cumsum(~is_missing) - 1)[cells.codes][~is_missing[cells.codes]]
    counts = np.asarray(column.protocol.aggregate(decode(codes, options)[positions]))
    asked = replace(asked, design=column.protocol, names=column.names)
    yield from count_figures(asked, counts.tolist(), len(positions))


def given_numbers(cells: Column, column: NumberColumn) -> NDArray[np.float64]:
    """Of each text its number, within the bounds; NaN without one. Raises TableError."""
    numbers = _numbers(cells, column.missing)
    low, high = column.minimum, column.maximum
    cells.refuse((numbers < low) | (numbers > high), f"it lies beyond {low:.15g} to {high:.15g}")
    return numbers


def _numbers(cells: Column, missing: Sequence[str]) -> NDArray[np.float64]:
    """Of each text its number, and none where it is one of those without. Raises TableError."""
    is_missing = np.array([text.strip() in missing for text in cells.texts])
    return np.where(is_missing, np.nan, cells.numbers_of_texts(is_missing))


def _of_scores(name: str, values: _Values, table: Table, asked: Asked) -> Iterator[Figure]:
    def mean() -> Figure:
        scores, counts = values.counted
        estimate = MeanEstimate(tuple(scores.tolist()), tuple(counts.tolist()))
        interval = estimate.interval(asked.level, asked.method)
        return figure_of(name, estimate.mean, estimate.standard_error, interval, estimate.n, "")

    yield from _means(name, values, table, asked, mean)


def _means(
    name: str, values: _Values, table: Table, asked: Asked, simple: Callable[[], Figure]
) -> Iterator[Figure]:
    """The mean of people who have a number: drawn alike, weighted, or by how likely each was."""
    rows = values.rows
    if not rows.any():
        words = f"column {values.column.name!r} has no number: every cell is empty"
        raise NoAnswersError(words)
    if not asked.sample_columns and asked.population_size is None:
        yield simple()
        return
    require_one_way(asked)
    if asked.weights is not None and asked.population_size is None:
        yield _weighted(name, values.numbers, table, asked, rows)
        return
    require_all_asked(values.column, rows)
    variances = None if values.variances is None else values.variances[values.column.codes]
    reports = TransformedReports(values.numbers, variances)
    yield from expanded_figures("" if name == MEAN else name, reports, table, asked)


def _weighted(
    name: str, numbers: NDArray[np.float64], table: Table, asked: Asked, rows: NDArray[np.bool_]
) -> Figure:
    units = {k: None if v is None else v[rows] for k, v in sampling_units(table, asked).items()}
    weights = table.column(asked.weights or "").numbers()[rows]
    sample = survey_sample(weights, strata=units["strata"], clusters=units["clusters"])
    estimate = estimate_means(sample, numbers)
    value, error = float(estimate.values[0]), float(estimate.standard_errors[0])
    return figure_of(name, value, error, estimate.interval(0, asked.level), len(numbers), "")
