"""Regressions from a table: columns become reports, covariates, weights and designs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surveys.randomized_response import (
    Design,
    FrequencyProtocol,
    LinearScrambling,
    OutcomeModel,
    RegressionError,
    TwoGroupDesign,
    fit_outcome_model,
)
from surveys.randomized_response.files.named_designs import NamedDesign
from surveys.randomized_response.files.tables import Table, TableError


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
    """The fitted model. Raises TableError and StatisticsError, which say what is wrong."""
    n = len(table.column(asked.outcome))
    covariates = [table.column(name).numbers() for name in asked.predictors]
    groups = None if asked.groups is None else table.column(asked.groups).coded(("1", "2")) + 1
    weights = None if asked.weights is None else _weights(table, asked.weights)
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
        raise TableError(_placed(str(problem), table, asked)) from None


def _weights(table: Table, name: str) -> NDArray[np.float64]:
    column = table.column(name)
    values = column.numbers()
    bad = np.array([float(text) <= 0 for text in column.texts])
    column.refuse(bad, "a weight is above 0: leave out people who stand for nobody")
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
        return usable[0]
    single = [design for design in usable if isinstance(design, Design)]
    if len(single) < len(usable):
        raise TableError("--design-column: a two-group design goes with --groups, alone")
    column = table.column(asked.design_column)
    remedy = f"the designs are {', '.join(asked.designs)}; see --designs"
    return [single[place] for place in column.coded(tuple(asked.designs), remedy)]


def _usable(design: NamedDesign) -> Design | TwoGroupDesign:
    if isinstance(design, (FrequencyProtocol, LinearScrambling)):
        raise TableError(f"{design.name}: regression needs a yes/no design, such as warner")
    return design


def _placed(message: str, table: Table, asked: Regression) -> str:
    """A refusal of one person's entry names the line it came from."""
    name, _, rest = message.partition("[")
    number, closed, _ = rest.partition("]")
    if name in ("reports", "weights") and closed and number.isdecimal():
        return f"{table.column(asked.outcome).place(int(number))}: {message}"
    return message
