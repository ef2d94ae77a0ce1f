"""Regression from a table: which columns are reports, covariates, weights, groups and designs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..designs.design import Design
from ..designs.local.protocol import FrequencyProtocol
from ..designs.quantitative import LinearScrambling
from ..designs.two_group import TwoGroupDesign
from ..errors import RegressionError
from ..regression.outcome import OutcomeModel, fit_outcome_model
from .named_designs import NamedDesign
from .tables import Table, TableError, entry_of


@dataclass(frozen=True)
class Regression:
    """What is asked of a table; names are those of columns.

    ``designs``: by the words of ``design_column``, or one for all under "".
    """

    outcome: str
    predictors: tuple[str, ...]
    designs: Mapping[str, NamedDesign]
    design_column: str | None = None
    groups: str | None = None
    weights: str | None = None
    link: str = "logit"
    covariance: str | None = None
    levels: tuple[str, ...] = ()

    def wanted(self, names: Sequence[str]) -> list[str]:
        """The columns to keep."""
        columns = [self.outcome, *self.predictors, self.design_column, self.groups, self.weights]
        return [name for name in columns if name is not None]


def fit_table(table: Table, asked: Regression) -> OutcomeModel:
    r"""The fitted model. Raises TableError and StatisticsError, which say what is wrong.

    >>> from io import BytesIO
    >>> from randomized_response.files import Regression, fit_table, named_design, read_table
    >>> table = read_table("-", stdin=BytesIO(b"y,x\n" + b"0,0\n1,0\n0,0\n1,1\n1,1\n0,1\n"))
    >>> designs = {"": named_design("warner", {"p_direct": "9/10"})}
    >>> model = fit_table(table, Regression(outcome="y", predictors=("x",), designs=designs))
    >>> model.names, model.coefficients.round(3).tolist()
    (('intercept', 'x'), [-0.887, 1.775])
    """
    n = len(table.column(asked.outcome))
    covariates = [table.column(name).numbers() for name in asked.predictors]
    groups = None
    if asked.groups is not None:
        groups = table.column(asked.groups).coded(("1", "2"), "a group is 1 or 2") + 1
    weights = None if asked.weights is None else positive_weights(table, asked.weights)
    try:
        return fit_outcome_model(
            _designs(table, asked),
            _reports(table, asked),
            np.column_stack(covariates) if covariates else np.empty((n, 0)),
            names=asked.predictors,
            groups=groups,
            link=asked.link,
            covariance=asked.covariance,
            weights=weights,
        )
    except RegressionError as problem:
        name, row = entry_of(problem.argument)
        if name not in ("reports", "weights") or row is None:
            raise
        raise TableError(f"{table.column(asked.outcome).place(row)}: {problem}") from None


def positive_weights(table: Table, name: str) -> NDArray[np.float64]:
    """A column of weights, shape (n,). Raises TableError for those that are not above 0."""
    column = table.column(name)
    values = column.numbers()
    bad = np.array([float(text) <= 0 for text in column.texts])
    column.refuse(bad, "a weight is above 0: leave out people who stand for no one")
    return values


def _reports(table: Table, asked: Regression) -> NDArray[np.int64]:
    column = table.column(asked.outcome)
    if asked.levels:
        return column.coded(asked.levels)
    sizes = [d.channel.reported_levels for d in asked.designs.values() if isinstance(d, Design)]
    return column.coded([str(i) for i in range(max(sizes, default=2))])


def _designs(table: Table, asked: Regression) -> Design | TwoGroupDesign | list[Design]:
    usable = [_usable(design) for design in asked.designs.values()]
    if asked.design_column is None:
        _check_groups(usable[0], asked)
        return usable[0]
    single = [design for design in usable if isinstance(design, Design)]
    if len(single) < len(usable):
        raise TableError("--design-column: a two-group design goes with --groups, alone")
    _check_groups(single[0], asked)
    column = table.column(asked.design_column)
    remedy = f"--designs has {', '.join(asked.designs)}: add this one"
    return [single[number] for number in column.coded(tuple(asked.designs), remedy)]


def _usable(design: NamedDesign) -> Design | TwoGroupDesign:
    if isinstance(design, (FrequencyProtocol, LinearScrambling)):
        raise TableError(f"{design.name}: regression needs a yes/no design, such as warner")
    if isinstance(design, Design) and design.channel.true_levels != 2:
        raise TableError(f"{design.label}: regression needs a yes/no design, such as warner")
    return design


def _check_groups(design: Design | TwoGroupDesign, asked: Regression) -> None:
    if isinstance(design, TwoGroupDesign) and asked.groups is None:
        words = f"Add --groups with the column of groups, 1 or 2: {design.label} needs them"
        raise TableError(words)
    if isinstance(design, Design) and asked.groups is not None:
        remedy = "leave it out, or add the column to --predictors"
        raise TableError(f"--groups cannot be used: this design has no groups: {remedy}")
