"""Regression from a survey's file by its codebook: an answer's share, by direct answers or numbers.

Who was not asked the outcome, or gave no answer to a predictor, is left out, and counted.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..designs.categorical import Direct
from ..designs.channel import Channel, one_answer_channel
from ..designs.design import DesignLike
from ..messages import shortened
from ..regression.outcome import OutcomeModel, fit_outcome_model
from .codebook_figures import given_numbers, written_levels
from .codebooks import CodebookColumn, FileColumn, NumberColumn, codebook_column, known_columns
from .named_designs import NamedDesign
from .regressions import Regression, positive_weights
from .tables import Table, TableError

MOST_COLUMNS = 60  # as on the survey's page of regressions
PROTECTED = (
    "holds randomized reports, or what was made of them: as a predictor it biases every "
    "coefficient. The package fits such predictors: fit_logistic_predictor_model"
)


@dataclass(frozen=True)
class CodedModel:
    """``answer``: whose share was modelled; ``left_out``: people without all that it needs."""

    model: OutcomeModel
    design: NamedDesign | Channel
    answer: str
    left_out: int


@dataclass(frozen=True)
class _Predictor:
    """A column's name in the model, and its values, shape (n,); not a number where one is missing.

    ``levels``: the words of its answers, which ``values`` number; empty where they are numbers.
    """

    name: str
    values: NDArray[np.float64]
    levels: tuple[str, ...] = ()

    def columns(self, rows: NDArray[np.bool_]) -> Iterator[tuple[str, NDArray[np.float64]]]:
        """One column; of answers one for each but the most frequent."""
        kept = self.values[rows]
        if not self.levels:
            yield self.name, kept
            return
        counts = Counter(kept.astype(int).tolist())
        if len(counts) == 1:
            words = "all who are left gave the same answer to it: leave it out"
            raise TableError(f"--predictors: {self.name!r}: {words}")
        reference = max(sorted(counts), key=lambda level: counts[level])
        for level in sorted(counts):
            if level != reference:
                yield f"{self.name} {self.levels[level]}", (kept == level).astype(float)


def columns_needed(asked: Regression, codebook: Any) -> list[str]:
    """The names that a file has them under. Raises TableError."""
    predictors = (_single(codebook, name) for name in asked.predictors)
    named = zip(asked.predictors, predictors, strict=True)
    headings = [name if column is None else column.heading for name, column in named]
    weights = [] if asked.weights is None else [asked.weights]
    return [codebook_column(codebook, asked.outcome).heading, *headings, *weights]


def fit_coded(
    table: Table,
    asked: Regression,
    codebook: Any,
    answer: str | None = None,
    cells: str | None = None,
) -> CodedModel:
    r"""The model of one answer's share; ``answer`` is its words or code, the usual one without.

    ``cells``: codes or words, where the words of some answers look like codes. Raises TableError
    and StatisticsError.

    >>> from io import BytesIO
    >>> from randomized_response.files import Regression, fit_coded, read_table
    >>> levels = [{"label": "No", "code": "00"}, {"label": "Yes", "code": "01"}]
    >>> stole = {"name": "stole", "column": "stole_rep", "levels": levels, "not_asked": "--"}
    >>> codebook = {"columns": [{**stole, "denominator": 4, "weights": [[3, 1], [1, 3]]}]}
    >>> rows = b"00,0\n01,0\n00,0\n01,1\n01,1\n00,1\n--,1\n"
    >>> table = read_table("-", stdin=BytesIO(b"stole_rep,old\n" + rows))
    >>> found = fit_coded(table, Regression("stole", ("old",), {}), codebook)
    >>> found.answer, found.left_out, found.model.coefficients.round(3).tolist()
    ('Yes', 1, [-1.609, 3.219])
    """
    column = codebook_column(codebook, asked.outcome)
    level = _answer(column, answer)
    reports = _levels_of(table, column, cells)
    predictors = list(_predictors(table, asked, codebook, cells))
    rows = reports >= 0
    for predictor in predictors:
        rows &= ~np.isnan(predictor.values)
    if not rows.any():
        raise TableError("No row has an answer to all of these columns: leave a predictor out")
    columns = [each for predictor in predictors for each in predictor.columns(rows)]
    if len(columns) > MOST_COLUMNS:
        most = max(predictors, key=lambda predictor: len(predictor.levels)).name
        words = f"fit at most {MOST_COLUMNS} coefficients, not {len(columns)}: leave one out"
        raise TableError(f"--predictors: {words}, such as {most!r}")
    weights = None if asked.weights is None else positive_weights(table, asked.weights)[rows]
    model = fit_outcome_model(
        _outcome_design(column, level),
        (reports[rows] == level).astype(np.int64),
        np.column_stack([values for _, values in columns])
        if columns
        else np.empty((int(rows.sum()), 0)),
        names=[name for name, _ in columns],
        link=asked.link,
        covariance=asked.covariance,
        weights=weights,
    )
    return CodedModel(model, column.design, column.names[level], int((~rows).sum()))


def _single(codebook: Any, name: str) -> FileColumn | None:
    """The column of a predictor; None of one that the codebook does not know."""
    columns = known_columns(codebook, name)
    if columns is None:
        return None
    if len(columns) > 1:
        names = shortened(", ".join(column.heading for column in columns), 200)
        raise TableError(f"--predictors: {name!r} has several columns: choose one of {names}")
    return columns[0]


def _answer(column: CodebookColumn, answer: str | None) -> int:
    """The place of the answer whose share is modelled."""
    if not column.names:
        raise TableError(
            f"--outcome: {column.heading!r} is of two groups: write --design and --groups in place "
            "of --codebook"
        )
    if answer is None and column.usual is not None:
        return column.usual
    known = [*column.names, *(column.codes if len(column.codes) == len(column.names) else ())]
    folded = [text.strip().casefold() for text in known]
    if answer is None or answer.strip().casefold() not in folded:
        names = shortened(", ".join(map(repr, column.names)), 300)
        raise TableError(f"Add --answer with the answer whose share is modelled, one of {names}")
    return folded.index(answer.strip().casefold()) % len(column.names)


def _outcome_design(column: CodebookColumn, answer: int) -> DesignLike:
    """The yes/no design of "this answer or another"."""
    if isinstance(column.design, Direct):
        return Direct(2)
    merged = None
    if isinstance(column.design, Channel):
        merged = one_answer_channel(column.design, answer)
    if merged is None:
        words = "its channel mixes the answers unevenly, or reports groups of them"
        raise TableError(f"--outcome: {column.heading!r}: {words}: choose another answer or column")
    return merged


def _levels_of(table: Table, column: CodebookColumn, which: str | None) -> NDArray[np.int64]:
    """The reported level of each row, -1 for who was not asked."""
    cells = table.column(column.heading)
    levels = written_levels(cells, column, which)
    missing = [text for text in column.not_asked if text not in levels]
    codes = cells.coded([*levels, *missing], "the codebook has no such report of this question")
    return np.where(codes < len(levels), codes, -1)


def _predictors(
    table: Table, asked: Regression, codebook: Any, cells: str | None
) -> Iterator[_Predictor]:
    """Who declined gave no answer."""
    for name in asked.predictors:
        column = _single(codebook, name)
        if column is None:
            yield _Predictor(name, table.column(name).numbers())
        elif isinstance(column, NumberColumn):
            entries = table.column(column.heading)
            yield _Predictor(name, given_numbers(entries, column)[entries.codes])
        elif isinstance(column, CodebookColumn) and isinstance(column.design, Direct):
            levels = _levels_of(table, column, cells)
            is_missing = (levels < 0) | np.isin(levels, column.declines)
            yield _Predictor(name, np.where(is_missing, np.nan, levels), column.names)
        else:
            raise TableError(f"--predictors: column {name!r} {PROTECTED}")
