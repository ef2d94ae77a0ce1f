"""The command ``estimate``: its options, and its output as JSON or as a table for people."""

import sys
from argparse import ArgumentParser
from typing import Any

from ..designs.categorical import Direct
from ..designs.design import epsilon_words
from ..intervals.intervals import INTERVAL_METHODS
from ..printing import Cell, table
from ..samples.effective import KORN_GRAUBARD
from .codebook_figures import design_of, estimate_columns
from .codebooks import FileColumn, codebook_columns
from .estimates import Asked, Figure, SurveyDesign, estimate_table
from .named_designs import epsilon_of, label_of
from .options import (
    add_codebook_options,
    add_table_options,
    as_json,
    design_from,
    in_options,
    json_of,
    level_of,
    listed,
    number,
    refuse_beside_codebook,
)
from .tables import TableError, read_table

HELP = "Estimate true shares, totals and means from counts or reports."
COLUMNS = {
    "label": "Column that names each row of counts. Default: label, if there is one.",
    "n": "Column with the number of reports, for support counts. Default: n.",
    "reports": "Column with one report per row; without it rows hold counts.",
    "groups": "Column with each person's group, 1 or 2, for two-group designs.",
    "weights": "Column of weights.",
    "strata": "Column of strata.",
    "clusters": "Column of clusters, counted within strata.",
    "inclusion": "Column of inclusion probabilities: totals and means of the population.",
}


def add_options(parser: ArgumentParser) -> None:
    """The options of the command."""
    add_table_options(parser)
    methods = [*INTERVAL_METHODS, KORN_GRAUBARD]
    words = f"Kind of interval; {KORN_GRAUBARD} goes with --weights."
    parser.add_argument("--method", choices=methods, help=words)
    parser.add_argument("--counts", help="Columns of counts, in the order of the reports.")
    parser.add_argument("--levels", help="The reports as they are written. Default: 0,1,...")
    parser.add_argument("--names", help="Names of the true levels, for the output.")
    parser.add_argument("--population-size", help="Number of people in the population.")
    add_codebook_options(parser, "A survey's codebook, beside --reports q001_rep.")
    for name, words in COLUMNS.items():
        parser.add_argument(f"--{name}", help=words)


def run(options: dict[str, Any]) -> str:
    """The estimates as text. Raises UsageError with one line that names place and remedy."""
    design, level, figures = in_options(lambda: _answer(options))
    if options["format"] == "table":
        return _for_people(design, level, figures)
    return as_json({"estimates": [_as_data(design, level, figure) for figure in figures]})


def _answer(options: dict[str, Any]) -> tuple[SurveyDesign | None, float, list[Figure]]:
    """The design, the level, and what was estimated."""
    if options["codebook"]:
        return _by_codebook(options)
    asked = _asked(options, design_from(options, ", or --codebook"))
    table = read_table(options["input"], sys.stdin.buffer, asked.wanted)
    return asked.design, asked.level, estimate_table(table, asked)


def _by_codebook(options: dict[str, Any]) -> tuple[SurveyDesign | None, float, list[Figure]]:
    """Of a question all its columns."""
    answered = ("design", "set", "counts", "n", "label", "levels", "names", "groups")
    refuse_beside_codebook(options, answered)
    columns = _columns(options)
    # Each column has a design of its own; this one is never asked.
    asked = _asked(options, Direct(2))
    wanted = [*(column.heading for column in columns), *asked.sample_columns.values()]
    table = read_table(options["input"], sys.stdin.buffer, lambda names: wanted)
    return design_of(columns[0]), asked.level, estimate_columns(table, asked, columns)


def _asked(options: dict[str, Any], design: SurveyDesign) -> Asked:
    size = options["population_size"]
    asked = Asked(
        design=design,
        level=level_of(options),
        method=options["method"],
        counts=listed(options["counts"], "--counts"),
        levels=listed(options["levels"], "--levels"),
        names=listed(options["names"], "--names"),
        population_size=None if size is None else number("--population-size", size, "1000"),
        cells=options["cells"],
        **{name: options[name] for name in COLUMNS},
    )
    if asked.reports is None and (asked.sample_columns or asked.groups):
        columns = "--weights, --strata, --clusters, --inclusion and --groups"
        raise TableError(f"Add --reports with the column of reports: {columns} go with it")
    return asked


def _columns(options: dict[str, Any]) -> tuple[FileColumn, ...]:
    if not options["reports"]:
        raise TableError("Add --reports with a column of the codebook, such as --reports q001_rep")
    return codebook_columns(json_of("--codebook", options["codebook"]), options["reports"])


def _as_data(design: SurveyDesign | None, level: float, figure: Figure) -> dict[str, Any]:
    interval = figure.interval
    return {
        "label": figure.label,
        "name": figure.name,
        "estimate": figure.estimate,
        "standard_error": figure.standard_error,
        "interval": interval and {"low": interval.low, "high": interval.high},
        "level": level,
        "method": interval and interval.method,
        "notes": list(figure.notes),
        "design": _label(design),
        "epsilon": None if design is None else epsilon_of(design),
        "n": figure.n,
    }


def _for_people(design: SurveyDesign | None, level: float, figures: list[Figure]) -> str:
    epsilon = None if design is None else epsilon_of(design)
    title = f"{_label(design)}, {epsilon_words(epsilon)}"
    ends = f"low {level:.6g}", f"high {level:.6g}"
    head = ("label", "name", "n", "estimate", "std. error", *ends)
    notes = dict.fromkeys(note for figure in figures for note in figure.notes)
    return "\n".join([title, table(head, map(_cells, figures)), *sorted(notes)])


def _label(design: SurveyDesign | None) -> str:
    return "Direct" if design is None else label_of(design)


def _cells(figure: Figure) -> tuple[Cell, ...]:
    ends = (figure.interval.low, figure.interval.high) if figure.interval else (None, None)
    numbers = (figure.estimate, figure.standard_error, *ends)
    return (figure.label, figure.name, figure.n, *numbers)
