"""Influence: residuals, leverages and one-step changes of an outcome model, one row per report.

Of yes/no reports with the chance m of a reported yes, Fisher scoring is least squares: with
r = (y - m) / sqrt(m (1 - m)) and g = dm/dtheta / sqrt(m (1 - m)) of a person the score is g r and
the expected information I the sum of g g^T. The device is in m = u h + v (1 - h), so its slope
(u - v) h' is the link's. Hence the leverage is g^T I^-1 g, and one step of scoring from the maximum
without that person changes the parameters by I^-1 g r / (1 - leverage). Source: Pregibon (1981);
McCullagh and Nelder (1989), chapter 12; Cook (1977).
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy

from ..checks import FloatArray
from ..errors import RegressionError
from ..frames import frame_of
from ..printing import Cell, html_report, report
from .outcome_likelihood import OutcomeData, ReportChance, Truth

_HEAD = ("row", "residual", "standardized", "leverage", "Cook's distance", "largest DFBETA")
_SHOWN = 5


@dataclass(frozen=True)
class Influence:
    """Of each row, (n,), what one person with it does: of reports, not of what is true.

    ``response_residuals``: 1 or 0 less the fitted chance of a reported yes; divided by the report's
    standard deviation they are ``pearson_residuals``. ``deviance_residuals``: signed roots of what
    a report adds to the deviance. ``leverages``: diagonal of the hat matrix of the last step of
    scoring. ``coefficient_changes`` (n, p): coefficients less those without the person, by one
    step. ``standard_errors`` (p,): by the expected information, on which all of it rests.
    ``parameter_count``: coefficients, and the unknown of a two-group design unless it was held.
    Beside them stand the names of statsmodels.
    """

    names: tuple[str, ...]
    response_residuals: FloatArray = field(repr=False)
    pearson_residuals: FloatArray = field(repr=False)
    deviance_residuals: FloatArray = field(repr=False)
    leverages: FloatArray = field(repr=False)
    coefficient_changes: FloatArray = field(repr=False)
    standard_errors: FloatArray
    parameter_count: int
    people: int

    @property
    def standardized_residuals(self) -> FloatArray:
        """Pearson residuals with variance 1, over the root of 1 - leverage: (n,)."""
        return np.asarray(self.pearson_residuals / np.sqrt(1 - self.leverages))

    @property
    def standardized_deviance_residuals(self) -> FloatArray:
        """Deviance residuals over the root of 1 - leverage: (n,)."""
        return np.asarray(self.deviance_residuals / np.sqrt(1 - self.leverages))

    @property
    def cooks_distances(self) -> FloatArray:
        """Squared standardized residual, times leverage / (1 - leverage), per parameter: (n,)."""
        odds = self.leverages / (1 - self.leverages)
        return np.asarray(self.standardized_residuals**2 * odds / self.parameter_count)

    @property
    def dfbetas(self) -> FloatArray:
        """``coefficient_changes`` in standard errors: (n, p)."""
        return np.asarray(self.coefficient_changes / self.standard_errors)

    @property
    def hat_matrix_diag(self) -> FloatArray:
        """``leverages``, as statsmodels calls them."""
        return self.leverages

    @property
    def resid_studentized(self) -> FloatArray:
        """``standardized_residuals``, as statsmodels calls them."""
        return self.standardized_residuals

    @property
    def d_params(self) -> FloatArray:
        """``coefficient_changes``, as statsmodels calls them."""
        return self.coefficient_changes

    @property
    def cooks_distance(self) -> tuple[FloatArray, FloatArray]:
        """``cooks_distances`` and their tails of the F law, as statsmodels has them."""
        distances, count = self.cooks_distances, self.parameter_count
        tails = scipy.special.fdtrc(count, self.people - count, distances)
        return distances, np.asarray(tails, dtype=np.float64)

    def to_frame(self) -> Any:
        """A pandas frame with a line per row: residuals, leverage, Cook's distance, DFBETAS."""
        columns = {
            "response_residual": self.response_residuals,
            "pearson_residual": self.pearson_residuals,
            "deviance_residual": self.deviance_residuals,
            "standardized_residual": self.standardized_residuals,
            "leverage": self.leverages,
            "cooks_distance": self.cooks_distances,
        }
        changes = zip(self.names, self.dfbetas.T, strict=True)
        columns |= {f"dfbeta[{name}]": values for name, values in changes}
        return frame_of(columns, range(len(self.leverages)))

    def __str__(self) -> str:
        """The rows with the largest of Cook's distances, numbered from 0."""
        return report(self._title, _HEAD, self._rows)

    def _repr_html_(self) -> str:
        return html_report(self._title, _HEAD, self._rows)

    @property
    def _title(self) -> str:
        shown = min(_SHOWN, len(self.leverages))
        return f"Influence of reports, the largest {shown} of {len(self.leverages)}"

    @property
    def _rows(self) -> list[tuple[Cell, ...]]:
        distances, changes = self.cooks_distances, self.dfbetas
        steepest = np.abs(changes).argmax(axis=1)
        columns = (
            self.response_residuals,
            self.standardized_residuals,
            self.leverages,
            distances,
            changes[np.arange(len(changes)), steepest],
        )
        order = np.argsort(-distances, kind="stable")[:_SHOWN]
        return [(str(row), *(float(column[row]) for column in columns)) for row in order]


def influence_of(data: OutcomeData, parameters: FloatArray, free: FloatArray) -> Influence:
    """The influence of each row at the maximum; ``free`` (q,): parameters that were not held.

    Rows with a count are those of one person each. Raises RegressionError for survey weights and
    for reports with more than two levels.
    """
    _check_usable(data)
    yes, no = _chances(data, parameters)
    deviation = np.sqrt(yes.probability * no.probability)
    is_yes = data.device.codes == 1
    response = np.where(is_yes, no.probability, -yes.probability)
    pearson = response / deviation
    slopes = _slopes(data, yes)[np.flatnonzero(free)] / deviation
    people = np.ones(data.columns.n) if data.weights is None else data.weights
    inverse = np.linalg.inv((slopes * people) @ slopes.T)
    steps = inverse @ slopes
    leverages = np.einsum("qn,qn->n", slopes, steps)
    count, transform = data.columns.count, data.columns.transform
    changes = transform @ (steps[:count] * pearson / (1 - leverages))
    reported = np.where(is_yes, yes.probability, no.probability)
    return Influence(
        names=data.columns.names,
        response_residuals=response,
        pearson_residuals=pearson,
        deviance_residuals=np.where(is_yes, 1.0, -1.0) * np.sqrt(-2 * np.log(reported)),
        leverages=leverages,
        coefficient_changes=changes.T,
        standard_errors=np.sqrt(np.diag(transform @ inverse[:count, :count] @ transform.T)),
        parameter_count=len(inverse),
        people=data.people,
    )


def _check_usable(data: OutcomeData) -> None:
    if data.is_weighted:
        remedy = "of a sample with weights influence is another measure: fit without weights"
        raise RegressionError("model", "weighted", remedy)
    if not data.device.binary:
        remedy = "residuals compare a reported yes with a no: fit a design with two reports"
        raise RegressionError("reports", f"{len(data.device.possible)} levels", remedy)


def _chances(data: OutcomeData, parameters: FloatArray) -> tuple[ReportChance, ReportChance]:
    """Of a reported yes and a reported no."""
    count, unknown = data.columns.count, None
    if data.device.unknown is not None:
        unknown = float(parameters[-1])
    eta = parameters[:count] @ data.columns.orthogonal + data.offset
    no, yes = (
        ReportChance(level, unknown, Truth(np.asarray(eta), data.link))
        for level in data.device.possible
    )
    return yes, no


def _slopes(data: OutcomeData, yes: ReportChance) -> FloatArray:
    """Derivatives of the chance of a reported yes by all parameters: (q, n)."""
    rows = data.columns.orthogonal * yes.by_eta
    return rows if data.device.unknown is None else np.vstack([rows, yes.by_unknown])
