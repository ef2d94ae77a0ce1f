"""A randomized outcome fitted together with its known share in groups, from a register or census.

In a group g of n_g people whose true share of yes is known to be s_g, the mean of h(x'b) is s_g but
for which people were drawn. So b is fitted by the moments of the score and, of each group, D_g(b)
= sum of (h(x_i'b) - s_g). Given the covariates a report has a mean of 0 around its model, so both
kinds of moments are uncorrelated, and the efficient combination is that of

    l(b) - 1/2 sum_g D_g(b)^2 / V_g,    V_g = n_g times the variance of h(x'b) within the group,

with V_g held at the fit without the shares (one step is efficient). Source: Imbens and Lancaster
(1994); Chou, Imai and Rosenfeld (2020).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, checked_float
from ..columns import checked_labels, require_aligned
from ..designs.design import DesignLike
from ..errors import ConvergenceError, RegressionError
from ..intervals.profiles import chi_squared_tail
from ..labels import index_of
from ..printing import table
from ..threads import on_one_thread
from .devices import IntArray, checked_reports
from .outcome import fit_outcome_model
from .outcome_likelihood import OutcomeData, OutcomePoint, Truth
from .results import FittedModel
from .scoring import Box, Flat, Unsettled, maximise, part_within

_LONGEST_MOVE = 3.0
# In people: where all members of a group have the same covariates nothing else spreads.
_LEAST_SPREAD = 1e-2


@dataclass(frozen=True)
class KnownSharesModel(FittedModel):
    """Coefficients that agree with what is known of groups.

    ``groups`` with their ``known`` and ``fitted`` shares (g,), the latter the mean of h(x'b) in the
    sample. ``agreement_statistic`` is chi-squared with a degree of freedom per group if the model
    and the known shares are both right.
    """

    groups: tuple[str, ...]
    known: FloatArray
    fitted: FloatArray
    agreement_statistic: float

    @property
    def agreement_p_value(self) -> float:
        """Of the test that reports and known shares agree (Hansen 1982)."""
        return chi_squared_tail(self.agreement_statistic, len(self.groups))

    @property
    def _below(self) -> list[str]:
        rows = zip(self.groups, self.known.tolist(), self.fitted.tolist(), strict=True)
        test = (self.agreement_statistic, len(self.groups), self.agreement_p_value)
        return [
            table(("group", "known share", "fitted"), rows),
            table(("agreement", "chi-squared", "degrees", "p"), [("all groups", *test)]),
        ]


@on_one_thread
def fit_known_shares_model(
    designs: DesignLike | Sequence[DesignLike],
    reports: ArrayLike,
    covariates: ArrayLike | None,
    groups: ArrayLike,
    shares: Mapping[str, float],
    *,
    names: Sequence[str] | None = None,
    link: str = "logit",
) -> KnownSharesModel:
    """Fit P(true yes) = h(b0 + b'x) where the true share of some groups is known.

    ``groups`` (n,): a label per person; ``shares``: the known share of yes, above 0 and below 1, of
    at least one label, as a mapping or a pandas column of shares by label. People of other groups
    count by their reports alone. The known shares are those of the population that people were
    drawn from by chance, without an error of their own.
    All else as ``fit_outcome_model``. Raises its errors, and RegressionError for groups and shares.

    >>> import numpy as np
    >>> from randomized_response.designs import Warner
    >>> from randomized_response.regression import fit_known_shares_model
    >>> age = np.tile([20, 40, 60, 80], 50) / 20
    >>> reports, district = np.tile([0, 1, 0, 1, 1], 40), np.repeat(["north", "south"], 100)
    >>> model = fit_known_shares_model(Warner(0.9), reports, age, district, {"north": 0.58})
    >>> model.known.tolist(), model.fitted.round(2).tolist()
    ([0.58], [0.58])
    """
    require_aligned(
        RegressionError, reports=reports, designs=designs, covariates=covariates, groups=groups
    )
    codes = checked_reports(reports)
    members, known = _checked_shares(groups, shares, len(codes))
    plain = fit_outcome_model(designs, codes, covariates, names=names, link=link)
    start = plain.fit.point.parameters
    known_data = _KnownShares.at_start(plain.fit.data, members, known, start)
    box = Box.of(len(start))
    try:
        point, iterations = maximise(known_data.at, start, box, _safe_part)
    except (Flat, Unsettled) as failure:
        remedy = "reports and known shares contradict each other: check the groups and the shares"
        raise ConvergenceError("shares", dict(shares.items()), remedy) from failure
    return _model(point, iterations, tuple(str(label) for label, _ in shares.items()))


def _checked_shares(
    groups: ArrayLike, shares: Mapping[str, float], n: int
) -> tuple[IntArray, FloatArray]:
    """The number of each person's share, -1 for none (n,), and the shares (g,)."""
    if not (isinstance(shares, Mapping) or index_of(shares) is not None) or not len(shares):
        remedy = "give the known share of at least one group, as a mapping of labels to shares"
        raise RegressionError("shares", type(shares).__name__, remedy)
    labels = checked_labels("groups", groups, n, RegressionError).astype(str)
    members = np.full(n, -1)
    known = np.empty(len(shares))
    for number, (label, share) in enumerate(shares.items()):
        value = checked_float(f"shares[{label}]", share, RegressionError)
        if not 0 < value < 1:
            raise RegressionError(f"shares[{label}]", share, "give a share above 0 and below 1")
        is_member = labels == str(label)
        if (members[is_member] >= 0).any():
            remedy = "another share has the same label: give one share for each group"
            raise RegressionError(f"shares[{label}]", share, remedy)
        if not is_member.any():
            remedy = "no person has this label: give shares of groups that people are in"
            raise RegressionError(f"shares[{label}]", share, remedy)
        members[is_member], known[number] = number, value
    return members, known


@dataclass(frozen=True)
class _KnownShares:
    """``members`` (n,) numbers the known groups, -1 for none; ``spread`` (g,) is V."""

    data: OutcomeData
    members: IntArray
    known: FloatArray
    spread: FloatArray

    @classmethod
    def at_start(
        cls, data: OutcomeData, members: IntArray, known: FloatArray, start: FloatArray
    ) -> "_KnownShares":
        """With the spread of the fit without shares."""
        shares = Truth(start @ data.columns.orthogonal, data.link).yes
        variances = [np.var(shares[members == group]) for group in range(len(known))]
        sizes = np.bincount(members[members >= 0], minlength=len(known))
        spread = sizes * np.array(variances) + _LEAST_SPREAD**2
        return cls(data, members, known, spread)

    def at(self, parameters: FloatArray) -> "_Point":
        return _Point(self, self.data.at(parameters))

    def sums(self, values: FloatArray) -> FloatArray:
        """Over the members of each group: (n,) -> (g,)"""
        counted = self.members >= 0
        size = len(self.known)
        return np.asarray(np.bincount(self.members[counted], values[counted], size), dtype=float)

    @cached_property
    def sizes(self) -> FloatArray:
        """How many members each group has: (g,)."""
        return self.sums(np.ones(len(self.members)))


@dataclass(frozen=True)
class _Point:
    """The combined criterion at orthogonal coefficients, as ``maximise`` asks for it."""

    shares: _KnownShares
    outcome: OutcomePoint

    @property
    def parameters(self) -> FloatArray:
        return self.outcome.parameters

    @cached_property
    def truth(self) -> Truth:
        data = self.shares.data
        return Truth(self.parameters @ data.columns.orthogonal, data.link)

    @cached_property
    def gaps(self) -> FloatArray:
        """D: (g,)"""
        return self.shares.sums(self.truth.yes) - self.shares.sizes * self.shares.known

    @cached_property
    def slopes(self) -> FloatArray:
        """Of D by the coefficients: (g, p)."""
        rows = self.shares.data.columns.orthogonal * self.truth.slope
        return np.array([self.shares.sums(row) for row in rows]).T

    @property
    def log_likelihood(self) -> float:
        return self.outcome.log_likelihood - float((self.gaps**2 / self.shares.spread).sum()) / 2

    @cached_property
    def score(self) -> FloatArray:
        return np.asarray(self.outcome.score - self.slopes.T @ (self.gaps / self.shares.spread))

    @cached_property
    def observed(self) -> FloatArray:
        """With the curvature of D too: (p, p)."""
        weights = np.append(self.gaps / self.shares.spread, 0.0)[self.shares.members]
        rows = self.shares.data.columns.orthogonal
        curved = (rows * (weights * self.truth.curvature)) @ rows.T
        return np.asarray(self.outcome.observed + self._known + curved)

    @cached_property
    def expected(self) -> FloatArray:
        return np.asarray(self.outcome.expected + self._known)

    @property
    def information(self) -> FloatArray:
        """Of reports and shares together, whose inverse is the covariance: (p, p)."""
        return np.asarray(self.outcome.observed + self._known)

    @property
    def _known(self) -> FloatArray:
        return np.asarray((self.slopes.T / self.shares.spread) @ self.slopes)


def _safe_part(point: _Point, step: FloatArray) -> float:
    move = float(np.abs(step @ point.shares.data.columns.orthogonal).max(initial=0.0))
    return part_within(_LONGEST_MOVE, move)


def _model(point: _Point, iterations: int, groups: tuple[str, ...]) -> KnownSharesModel:
    shares, columns = point.shares, point.shares.data.columns
    score = point.outcome.score
    agreement = score @ np.linalg.solve(point.outcome.expected, score)
    agreement += (point.gaps**2 / shares.spread).sum()
    covariance = np.linalg.inv(point.information)
    return KnownSharesModel(
        names=columns.names,
        coefficients=columns.transform @ point.parameters,
        covariance=np.asarray(columns.transform @ covariance @ columns.transform.T),
        link=shares.data.link.name,
        log_likelihood=point.outcome.log_likelihood,
        n=columns.n,
        iterations=iterations,
        factors=columns.factors,
        groups=groups,
        known=shares.known,
        fitted=shares.known + point.gaps / shares.sizes,
        agreement_statistic=float(agreement),
    )
