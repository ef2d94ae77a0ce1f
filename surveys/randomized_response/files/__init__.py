"""The statistics on a person's own file: its columns, its designs by name, its figures."""

from .codebooks import CodebookColumn, codebook_column
from .debiased import DebiasedColumn, LookUp
from .estimates import Asked, Figure, estimate_table
from .named_designs import DESIGNS, NamedDesign, described_design, label_of, named_design
from .regressions import Regression, fit_table
from .tables import Column, Table, TableError, read_json, read_table

__all__ = [
    "DESIGNS",
    "Asked",
    "CodebookColumn",
    "Column",
    "DebiasedColumn",
    "Figure",
    "LookUp",
    "NamedDesign",
    "Regression",
    "Table",
    "TableError",
    "codebook_column",
    "described_design",
    "estimate_table",
    "fit_table",
    "label_of",
    "named_design",
    "read_json",
    "read_table",
]
