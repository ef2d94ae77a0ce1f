"""The statistics on a person's own file: its columns, its designs by name, its figures."""

from .codebook_figures import estimate_column
from .codebooks import (
    CodebookColumn,
    MadeColumn,
    MarkColumn,
    NumberColumn,
    ScoreColumn,
    codebook_column,
    codebook_columns,
)
from .coded_regressions import CodedModel, fit_coded
from .debiased import DebiasedColumn, LookUp
from .estimates import Asked, Figure, estimate_table
from .named_designs import DESIGNS, NamedDesign, described_design, label_of, named_design
from .regressions import Regression, fit_table
from .tables import Column, Table, TableError, read_json, read_table

__all__ = [
    "DESIGNS",
    "Asked",
    "CodebookColumn",
    "CodedModel",
    "Column",
    "DebiasedColumn",
    "Figure",
    "LookUp",
    "MadeColumn",
    "MarkColumn",
    "NamedDesign",
    "NumberColumn",
    "Regression",
    "ScoreColumn",
    "Table",
    "TableError",
    "codebook_column",
    "codebook_columns",
    "described_design",
    "estimate_column",
    "estimate_table",
    "fit_coded",
    "fit_table",
    "label_of",
    "named_design",
    "read_json",
    "read_table",
]
