"""Asked to Figures: estimates from a table of counts or reports; weights, inclusion, strata.

Everything statistical is in ``surveys.randomized_response``; here the columns of a table meet the
function that fits the design. Results are rows of numbers, for every design.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..designs.channel import Channel
from ..designs.design import Design, channel_of
from ..designs.discretised import DiscretisedScrambling
from ..designs.local.levels import GRR
from ..designs.local.memoised import LGRR
from ..designs.local.protocol import FrequencyProtocol
from ..designs.quantitative import LinearScrambling
from ..designs.transform import TransformedReports, transform_reports
from ..designs.two_group import AnchoredCrosswise, TwoGroupDesign
from ..errors import StatisticsError
from ..estimates.anchors import estimate_anchored_crosswise
from ..estimates.estimation import estimate_distribution
from ..estimates.frequencies import estimate_frequencies
from ..estimates.means import estimate_grid_mean
from ..estimates.two_group_estimation import estimate_two_groups
from ..intervals.intervals import Interval
from ..intervals.printed import warnings_of
from ..samples.jackknife import estimate_total_by_jackknife
from ..samples.shares import estimate_weighted_distribution
from ..samples.totals import (
    SampleEstimate,
    checked_population,
    estimate_mean,
    estimate_simple_mean,
    estimate_total,
)
from .named_designs import NamedDesign, label_of
from .tables import Column, Table, TableError, entry_of

ONE_ANSWER = (
    "There is no standard error, because a single answer does not show how much answers differ."
)
NO_STANDARD_ERROR = (
    "It has no standard error: too few people, or the design's second moments are missing."
)
YES_NO = ("no", "yes")
SurveyDesign = NamedDesign | Channel


@dataclass(frozen=True)
class Figure:
    """One estimated number. ``interval`` is None where there is none, and ``notes`` say why."""

    name: str
    estimate: float | None
    standard_error: float | None
    interval: Interval | None
    n: int
    label: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """What is asked of a table; every name but those of levels is the name of a column.

    ``method`` None is each design's own default.
    """

    design: SurveyDesign
    level: float = 0.95
    method: str | None = None
    label: str | None = None
    counts: tuple[str, ...] = ()
    n: str | None = None
    reports: str | None = None
    levels: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    not_asked: tuple[str, ...] = ()
    groups: str | None = None
    weights: str | None = None
    strata: str | None = None
    clusters: str | None = None
    inclusion: str | None = None
    population_size: float | None = None
    cells: str | None = None  # codes or words, where a codebook leaves that open

    @property
    def sample_columns(self) -> dict[str, str]:
        """Given columns of a complex sample, by what they are."""
        names = ("weights", "strata", "clusters", "inclusion")
        columns = {name: getattr(self, name) for name in names}
        return {name: column for name, column in columns.items() if column is not None}

    def wanted(self, names: Sequence[str]) -> list[str]:
        """The columns to keep, of those in the header."""
        if self.reports is not None:
            columns = [self.reports, self.groups, *self.sample_columns.values()]
            return [name for name in columns if name is not None]
        apart = [self.label_column(names), self._size(names)]
        chosen = [*apart, *(self.counts or (name for name in names if name not in apart))]
        if self.n is None and "n" in chosen and "n" not in names:
            words = "there is no column 'n' with the number of reports: add it, or name it with --n"
            raise TableError(words)
        return [name for name in chosen if name is not None]

    def count_columns(self, table: Table) -> list[str]:
        """The columns of counts, in the order of the reports."""
        apart = (self.label_column(table.names), self._size(table.names))
        return list(self.counts) or [name for name in table.names if name not in apart]

    def label_column(self, names: Sequence[str]) -> str | None:
        """The column that names each row of counts, if there is one."""
        return self.label or ("label" if "label" in names else None)

    def _size(self, names: Sequence[str]) -> str | None:
        """Support counts alone do not say how many reports there were."""
        if not isinstance(self.design, FrequencyProtocol):
            return None
        return self.n or "n"


def estimate_table(table: Table, asked: Asked) -> list[Figure]:
    r"""Every figure of a table. Raises TableError and StatisticsError, which say what is wrong.

    >>> from io import BytesIO
    >>> from randomized_response.files import Asked, estimate_table, named_design, read_table
    >>> table = read_table("-", stdin=BytesIO(b"no,yes\n60,40\n"))
    >>> found = estimate_table(table, Asked(named_design("warner", {"p_direct": "3/4"})))
    >>> [(figure.name, round(figure.estimate, 3)) for figure in found]
    [('yes', 0.3)]
    """
    if asked.reports is None:
        return [figure for row in _count_rows(table, asked) for figure in row]
    if asked.sample_columns or asked.population_size is not None:
        return list(_sample_figures(table, asked))
    if isinstance(asked.design, LinearScrambling):
        values = asked.design.transform(table.column(asked.reports).numbers())
        return [_sample_figure("mean", estimate_simple_mean(values), values.n, asked.level)]
    return list(count_figures(asked, *_tabulated(table, asked)))


def _count_rows(table: Table, asked: Asked) -> Iterator[Iterator[Figure] | list[Figure]]:
    names = asked.count_columns(table)
    _check_width(asked, names)
    columns = [table.column(name) for name in names]
    counts = np.array([_whole(column) for column in columns]).T
    sizes = _whole(table.column(asked.n or "n")) if _needs_size(asked) else counts.sum(axis=1)
    name = asked.label_column(table.names)
    labels = [""] * len(counts) if name is None else table.column(name).cells()
    for i, (row, size, label) in enumerate(
        zip(counts.tolist(), sizes.tolist(), labels, strict=True)
    ):
        try:
            yield list(count_figures(asked, row, size, label))
        except ValueError as problem:
            raise TableError(f"{columns[0].place(i)}: {problem}") from None


def _check_width(asked: Asked, columns: Sequence[str]) -> None:
    expected, count = _reported_levels(asked.design), len(columns)
    if count != expected:
        remedy = f"write --counts with {expected} columns in the order of the reports"
        # Of designs without such a parameter the number of options follows from others.
        names = [field.name for field in fields(asked.design)] if is_dataclass(asked.design) else []
        if count >= 2 and "options" in names:
            remedy += f", or --set options={count}"
        if not _needs_size(asked):
            remedy += ", or --reports with the column, if each row is one report"
        problem = f"{label_of(asked.design)} has {expected} counts per row, not {count}"
        raise TableError(f"{problem} ({', '.join(columns)}): {remedy}")


def _reported_levels(design: SurveyDesign) -> int:
    if isinstance(design, TwoGroupDesign):
        return 4
    if isinstance(design, FrequencyProtocol):
        return design.options
    if isinstance(design, LinearScrambling):
        remedy = "its reports are numbers, not counts. Add --reports with their column"
        raise TableError(f"{label_of(design)}: {remedy}")
    return channel_of(design).reported_levels


def _needs_size(asked: Asked) -> bool:
    return isinstance(asked.design, FrequencyProtocol)


def _whole(column: Column) -> NDArray[np.int64]:
    """Counts, checked text by text so that the line is named."""
    # Refuses a text that is no number, with its line.
    column.numbers()
    values = np.array([float(text) for text in column.texts])
    bad = (values < 0) | (values != np.floor(values)) | (values > 2**53)
    column.refuse(bad, "a count is a whole number from 0 to 2^53")
    return values.astype(np.int64)[column.codes]


def _tabulated(table: Table, asked: Asked) -> tuple[list[int], int, str]:
    """Counts of the reports in a column, their number and no label."""
    column = table.column(asked.reports or "")
    if isinstance(asked.design, AnchoredCrosswise):
        remedy = "leave out --reports and name the four counts with --counts"
        raise TableError(f"{label_of(asked.design)}: {remedy}")
    if isinstance(asked.design, FrequencyProtocol) and not isinstance(asked.design, (GRR, LGRR)):
        remedy = "leave out --reports and name the counts with --counts, their number with --n"
        raise TableError(f"{label_of(asked.design)}: {remedy}")
    if isinstance(asked.design, TwoGroupDesign) and asked.groups:
        groups = table.column(asked.groups).coded(("1", "2"), "a group is 1 or 2")
        codes = 2 * groups + column.coded(asked.levels or ("0", "1"))
    elif isinstance(asked.design, TwoGroupDesign) and not asked.levels[3:]:
        words = "Add --groups with the column of groups, 1 or 2"
        raise TableError(f"{words}: {label_of(asked.design)} needs them")
    else:
        codes = _report_codes(column, asked)
    counts = np.bincount(codes[codes >= 0], minlength=_reported_levels(asked.design)).tolist()
    return counts, sum(counts), ""


def _report_codes(column: Column, asked: Asked) -> NDArray[np.int64]:
    """The reported level of every row, -1 for who was not asked."""
    design = asked.design
    if isinstance(design, DiscretisedScrambling) and not asked.levels:
        values = column.numbers()
        try:
            return design.levels_of(values)
        except StatisticsError as problem:
            raise _at_line(problem, column) from None
    expected = _reported_levels(design)
    levels = asked.levels or tuple(map(str, range(expected)))
    if len(levels) != expected:
        remedy = f"write --levels with {expected} names, not {len(levels)}"
        raise TableError(f"{label_of(design)} has {expected} reports: {remedy}")
    codes = column.coded([*levels, *(text for text in asked.not_asked if text not in levels)])
    return np.where(codes < expected, codes, -1)


def count_figures(asked: Asked, counts: list[int], size: int, label: str = "") -> Iterator[Figure]:
    """Every figure of the counts of reports, or of marks in ``size`` reports."""
    design = asked.design
    if isinstance(design, TwoGroupDesign):
        yield from _two_group_figures(design, asked, counts, label)
    elif isinstance(design, FrequencyProtocol):
        estimate = estimate_frequencies(design, counts, size)
        errors = estimate.standard_errors
        yield from _shares(asked, estimate.frequencies, errors, estimate, size, label)
    elif isinstance(design, DiscretisedScrambling):
        mean = estimate_grid_mean(design, counts)
        interval = mean.interval(asked.level, asked.method)
        yield figure_of("mean", mean.mean, mean.standard_error, interval, mean.n, label)
    elif isinstance(design, (Design, Channel)):
        shares = estimate_distribution(design, counts)
        yield from _shares(asked, shares.shares, shares.standard_errors, shares, shares.n, label)


def _shares(
    asked: Asked, values: Any, errors: Any, estimate: Any, n: int, label: str
) -> Iterator[Figure]:
    """One figure per option; of an unnamed yes/no question the share of yes alone."""
    options, names = _options(asked, len(values))
    if len(names) != len(values):
        words = f"write --names with {len(values)} names, one per option, not {len(names)}"
        raise TableError(words)
    for i in options:
        error = None if errors is None else float(errors[i])
        interval = estimate.interval(i, asked.level, asked.method)
        yield figure_of(names[i], float(values[i]), error, interval, n, label)


def _options(asked: Asked, count: int) -> tuple[range, tuple[str, ...]]:
    """The options that are shown, and the names of all of them."""
    if asked.names:
        return range(count), asked.names
    if count == 2 and not isinstance(asked.design, FrequencyProtocol):
        return range(1, 2), YES_NO
    return range(count), tuple(f"option {i}" for i in range(count))


def _two_group_figures(
    design: TwoGroupDesign, asked: Asked, counts: list[int], label: str
) -> Iterator[Figure]:
    make: Callable[..., Any] = estimate_two_groups
    if isinstance(design, AnchoredCrosswise):
        make = estimate_anchored_crosswise
    estimate = make(design, counts[:2], counts[2:])
    n = sum(counts[:2]) if isinstance(design, AnchoredCrosswise) else sum(counts)
    for name in estimate.names:
        value, error = estimate.values[name], estimate.standard_errors[name]
        interval = estimate.interval(name, asked.level, asked.method)
        figure = figure_of(name, value, error, interval, n, label)
        yield replace(figure, notes=tuple(dict.fromkeys((*figure.notes, *estimate.notes))))


def _sample_figures(table: Table, asked: Asked) -> Iterator[Figure]:
    """Weighted shares, or totals and means from inclusion probabilities."""
    design = asked.design
    if isinstance(design, (TwoGroupDesign, FrequencyProtocol)):
        remedy = "weights and inclusion probabilities go with designs of one channel"
        raise TableError(f"{label_of(design)}: {remedy}")
    require_one_way(asked)
    if asked.inclusion is None and asked.population_size is None:
        yield from _weighted_figures(design, table, asked)
        return
    for name, reports in _transformed(design, table, asked):
        yield from expanded_figures(name, reports, table, asked)


def _transformed(
    design: SurveyDesign, table: Table, asked: Asked
) -> Iterator[tuple[str, TransformedReports]]:
    column = table.column(asked.reports or "")
    if isinstance(design, LinearScrambling):
        yield "", design.transform(column.numbers())
    elif isinstance(design, DiscretisedScrambling):
        yield "", design.transform(_all_asked(column, asked))
    elif isinstance(design, (Design, Channel)):
        codes = _all_asked(column, asked)
        options, names = _options(asked, channel_of(design).true_levels)
        for i in options:
            yield names[i], transform_reports(design, codes, i)


def _all_asked(column: Column, asked: Asked) -> NDArray[np.int64]:
    codes = _report_codes(column, asked)
    require_all_asked(column, codes >= 0)
    return codes


def require_all_asked(column: Column, rows: NDArray[np.bool_]) -> None:
    """Refuse rows without an answer, shape (rows,). Raises TableError that names the first."""
    if not rows.all():
        row = int(np.argmin(rows))
        raise TableError(f"{column.place(row)}: with sample columns, leave out who was not asked")


def require_one_way(asked: Asked) -> None:
    """Weights, or inclusion probabilities; strata and clusters go with one. Raises TableError."""
    if asked.weights is not None and asked.inclusion is not None:
        raise TableError("--weights and --inclusion: give one of them; weights need no population")
    if asked.weights is None and asked.inclusion is None and asked.population_size is None:
        raise TableError("Add --weights or --inclusion: --strata and --clusters go with them")


def expanded_figures(
    name: str, reports: TransformedReports, table: Table, asked: Asked
) -> Iterator[Figure]:
    """Totals and means by inclusion probabilities, or of a simple sample without replacement."""
    n, size, level = reports.n, asked.population_size, asked.level
    if asked.inclusion is None:
        if asked.strata or asked.clusters or asked.weights:
            words = "Add --inclusion: --population-size goes with it, or with a simple sample"
            raise TableError(words)
        mean = estimate_simple_mean(reports, None if size is None else int(size))
        yield _sample_figure(f"{name} mean".strip(), mean, n, level)
        return
    column = table.column(asked.inclusion)
    try:
        yield from _expanded_by(name, reports, column.numbers(), table, asked)
    except StatisticsError as problem:
        raise _at_line(problem, column) from None


def _expanded_by(
    name: str, reports: TransformedReports, pi: NDArray[np.float64], table: Table, asked: Asked
) -> Iterator[Figure]:
    n, size, level = reports.n, asked.population_size, asked.level
    total, mean = f"{name} total".strip(), f"{name} mean".strip()
    if asked.strata or asked.clusters:
        estimate = estimate_total_by_jackknife(reports, pi, **sampling_units(table, asked))
        yield _sample_figure(total, estimate, n, level)
        if size is not None:
            scale = 1 / checked_population(size, n)
            yield _sample_figure(mean, estimate.scaled(scale), n, level)
        return
    yield _sample_figure(total, estimate_total(reports, pi), n, level)
    yield _sample_figure(mean, estimate_mean(reports, pi, size), n, level)


def sampling_units(table: Table, asked: Asked) -> dict[str, Any]:
    """The labels of strata and clusters of each row; None without."""
    columns = {"strata": asked.strata, "clusters": asked.clusters}
    return {k: None if name is None else table.column(name).labels() for k, name in columns.items()}


def _weighted_figures(design: SurveyDesign, table: Table, asked: Asked) -> Iterator[Figure]:
    if isinstance(design, (LinearScrambling, DiscretisedScrambling)):
        remedy = "write --inclusion in place of --weights, with a column of 1 / weight"
        raise TableError(f"{label_of(design)}: {remedy}")
    weights = table.column(asked.weights or "").numbers()
    codes = _report_codes(table.column(asked.reports or ""), asked)
    rows = codes >= 0
    units = {k: None if v is None else v[rows] for k, v in sampling_units(table, asked).items()}
    weighted = estimate_weighted_distribution(design, codes[rows], weights[rows], **units)  # type: ignore[arg-type]
    errors = weighted.standard_errors
    for figure in _shares(asked, weighted.shares, errors, weighted, weighted.n, ""):
        yield replace(figure, notes=(*figure.notes, *weighted.notes))


def _at_line(problem: StatisticsError, column: Column) -> ValueError:
    """The refusal of one person's number, with its line; of all together, as it is."""
    name, row = entry_of(problem.argument)
    if name not in ("answers", "inclusion_probabilities") or row is None:
        return problem
    text = column.texts[column.codes[row]]
    words = f"{column.place(row)}, column {column.name!r}: {text!r} cannot be used"
    return TableError(f"{words}: {problem.remedy}")


def _sample_figure(name: str, estimate: SampleEstimate, n: int, level: float) -> Figure:
    error = estimate.standard_error
    if error is None:
        notes = (estimate.note,) if estimate.note else ()
        return Figure(name, estimate.value, None, None, n, notes=(*notes, NO_STANDARD_ERROR))
    return figure_of(name, estimate.value, error, estimate.interval(level), n, "")


def figure_of(
    name: str, value: float | None, error: float | None, interval: Interval, n: int, label: str
) -> Figure:
    """With the notes that belong to it."""
    notes = [*([interval.note] if interval.note else []), *warnings_of([error])]
    if n == 1:
        notes.append(ONE_ANSWER)
    return Figure(name, value, error, interval, n, label, tuple(notes))
