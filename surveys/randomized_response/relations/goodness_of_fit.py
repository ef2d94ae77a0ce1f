"""GoodnessOfFit of a regression to its reports: Pearson, deviance, Hosmer-Lemeshow.

People with the same covariates, and the same design, form a cell; in each, reported levels are
compared with their expected counts. Over yes/no reports Pearson's sum of (o - e)^2 / e is
(o - e)^2 / (e (1 - e/n)). Source: McCullagh and Nelder (1989), section 4.4.5; Hosmer and
Lemeshow (1980) for covariates with too many values to form cells.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from ..checks import FloatArray, checked_positive_number, require_kind
from ..errors import RegressionError
from ..intervals.printed import people
from ..intervals.profiles import chi_squared_tail
from ..printing import report
from ..regression.outcome import OutcomeModel

IntArray = NDArray[np.int64]
# The rule of thumb for the chi-squared law of such sums.
SMALLEST_EXPECTED = 5
# Expected counts below this are of reports that a device cannot make.
_MEANINGFUL = 1e-12


@dataclass(frozen=True)
class GoodnessOfFit:
    """Statistics against chi-squared on ``degrees_of_freedom``.

    ``observed`` and ``expected`` (cells, levels). ``note`` says when expected counts are too
    small for the chi-squared distribution to be trusted.
    """

    pearson: float
    deviance: float
    degrees_of_freedom: int
    observed: FloatArray
    expected: FloatArray
    note: str = ""

    def __str__(self) -> str:
        head, freedom = ("statistic", "value", "df", "p"), self.degrees_of_freedom
        rows = [
            ("Pearson", self.pearson, freedom, self.pearson_p_value),
            ("deviance", self.deviance, freedom, self.deviance_p_value),
        ]
        title = f"Goodness of fit, {self.cells} cells{people(round(self.observed.sum()))}"
        return report(title, head, rows, [self.note])

    @property
    def cells(self) -> int:
        return int(self.observed.shape[0])

    @property
    def pearson_p_value(self) -> float:
        return chi_squared_tail(self.pearson, self.degrees_of_freedom)

    @property
    def deviance_p_value(self) -> float:
        return chi_squared_tail(self.deviance, self.degrees_of_freedom)


def assess_goodness_of_fit(model: OutcomeModel) -> GoodnessOfFit:
    """Compare reports with the model over cells of equal covariates and equal design.

    Degrees of freedom: in each cell its possible levels less 1, in all less the number of
    parameters. Raises RegressionError for a weighted model, or if none are left.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.regression import fit_outcome_model
    >>> from randomized_response.relations import assess_goodness_of_fit
    >>> reports = [0, 0, 1] * 60 + [0, 0, 1] * 60 + [0, 1, 1] * 60
    >>> model = fit_outcome_model(Warner(0.8), reports, [0] * 180 + [1] * 180 + [2] * 180)
    >>> print(assess_goodness_of_fit(model))
    Goodness of fit, 3 cells, n = 540
    statistic    value  df           p
    Pearson    10.2041   1   0.0014013
    deviance   10.0558   1  0.00151867
    """
    _check_unweighted(model)
    observed, expected = _tabulated(model, _cells(model))
    possible = expected > _MEANINGFUL
    freedom = int((possible.sum(axis=1) - 1).sum()) - model.parameter_count
    if freedom < 1:
        remedy = "the model fits these cells exactly: leave a covariate out, or test fewer terms"
        raise RegressionError("cells", len(observed), remedy)
    return _compared(observed, expected, freedom)


def assess_hosmer_lemeshow(model: OutcomeModel, groups: int = 10) -> GoodnessOfFit:
    """The same over ``groups`` of people with a similar probability of a reported yes.

    Groups are as equal as ties allow; degrees of freedom: groups - 2. Raises RegressionError for
    a weighted model, for reports with more than two levels, or if fewer than 3 groups remain.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.regression import fit_outcome_model
    >>> from randomized_response.relations import assess_hosmer_lemeshow
    >>> reports = [0, 0, 1] * 80 + [0, 1, 1] * 80
    >>> model = fit_outcome_model(Warner(0.8), reports, [person // 48 for person in range(480)])
    >>> print(assess_hosmer_lemeshow(model, groups=4))
    Goodness of fit, 4 cells, n = 480
    statistic    value  df          p
    Pearson    8.66603   2  0.0131279
    deviance   8.82904   2  0.0121004
    """
    _check_unweighted(model)
    device = model.fit.data.device
    if not device.binary:
        remedy = "it compares yes with no; use assess_goodness_of_fit for more reported levels"
        raise RegressionError("reports", f"{len(device.possible)} levels", remedy)
    wanted = checked_positive_number("groups", groups, RegressionError)
    yes = _probabilities(model)[1]
    everyone = np.repeat(yes, _people(model))
    edges = np.quantile(everyone, np.arange(1, wanted) / wanted)
    _, cells = np.unique(np.searchsorted(edges, yes), return_inverse=True)
    observed, expected = _tabulated(model, np.asarray(cells, dtype=np.int64))
    if len(observed) < 3:
        remedy = "at least 3 groups with different probabilities are needed"
        raise RegressionError("groups", len(observed), remedy)
    return _compared(observed, expected, len(observed) - 2)


def _check_unweighted(model: OutcomeModel) -> None:
    remedy = "give a result of fit_outcome_model"
    require_kind("model", model, OutcomeModel, remedy, RegressionError)
    if model.fit.data.is_weighted:
        remedy = "weighted counts are not chi-squared: fit the model without weights"
        raise RegressionError("model", "weighted", remedy)


def _cells(model: OutcomeModel) -> IntArray:
    """The number of each person's cell: (n,)."""
    data = model.fit.data
    n = data.columns.n
    parts = [data.columns.values]
    for level in data.device.possible:
        # Chances differ between people only where each has a design of their own.
        lines = (level.if_yes, level.if_no, level.if_yes_slope, level.if_no_slope)
        parts += [np.asarray(line)[:, None] for line in lines if np.shape(line) == (n,)]
    _, cells = np.unique(np.hstack(parts), axis=0, return_inverse=True)
    return np.asarray(cells, dtype=np.int64).ravel()


def _probabilities(model: OutcomeModel) -> FloatArray:
    """P(report) of every level: (levels, n)."""
    data, point = model.fit.data, model.fit.point
    unknown = None if model.auxiliary is None else model.auxiliary.estimate
    eta = point.parameters[: data.columns.count] @ data.columns.orthogonal
    yes, no = data.link.probability(eta), data.link.complement(eta)
    lines = [level.at(unknown) for level in data.device.possible]
    return np.array([u * yes + v * no for u, v in lines])


def _people(model: OutcomeModel) -> IntArray:
    """How many people gave each row: (n,)."""
    data = model.fit.data
    counts = np.ones(data.columns.n) if data.weights is None else data.weights
    return counts.astype(np.int64)


def _tabulated(model: OutcomeModel, cells: IntArray) -> tuple[FloatArray, FloatArray]:
    chances, codes = _probabilities(model), model.fit.data.device.codes
    size = int(cells.max()) + 1
    people = _people(model)
    expected = [np.bincount(cells, people * chance, size) for chance in chances]
    observed = [np.bincount(cells, people * (codes == y), size) for y in range(len(chances))]
    return np.array(observed, dtype=float).T, np.array(expected, dtype=float).T


def _compared(observed: FloatArray, expected: FloatArray, freedom: int) -> GoodnessOfFit:
    used = expected > _MEANINGFUL
    o, e = observed[used], expected[used]
    return GoodnessOfFit(
        pearson=float(((o - e) ** 2 / e).sum()),
        # Rounding alone can make it less than 0 where the model fits exactly.
        deviance=max(0.0, float(2 * (scipy.special.xlogy(o, o) - scipy.special.xlogy(o, e)).sum())),
        degrees_of_freedom=freedom,
        observed=observed,
        expected=expected,
        note=_note(e),
    )


def _note(expected: FloatArray) -> str:
    small = int((expected < SMALLEST_EXPECTED).sum())
    if small == 0:
        return ""
    return (
        f"{small} of {len(expected)} expected counts are below {SMALLEST_EXPECTED}: the p-values "
        "are rough; merge values of the covariates, or use assess_hosmer_lemeshow."
    )
