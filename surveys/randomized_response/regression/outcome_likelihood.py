"""The exact likelihood of randomized yes/no reports given covariates."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surveys.randomized_response.checks import FloatArray
from surveys.randomized_response.regression.covariates import Columns
from surveys.randomized_response.regression.devices import Device, Level, PerPerson
from surveys.randomized_response.regression.links import Link


@dataclass(frozen=True)
class OutcomeData:
    """Everything a fit needs; ``weights`` (n,) or None when each person counts once."""

    columns: Columns
    device: Device
    link: Link
    weights: FloatArray | None = None
    offset: PerPerson = 0.0

    def at(self, parameters: FloatArray) -> "OutcomePoint":
        """The likelihood at (p,) orthogonal coefficients, then the unknown if there is one."""
        return OutcomePoint(self, parameters)


@dataclass(frozen=True)
class OutcomePoint:
    """The likelihood and its derivatives at one parameter vector.

    With f = u h + v (1 - h) a person's log likelihood is ln f; its derivative by eta is
    (u - v) h' / f, by the unknown g (u1 h + v1 (1 - h)) / f. The observed information of eta is
    the squared score less (u - v) h'' / f; the expected one is the sum over all possible reports
    of (u - v)^2 h'^2 / f (for a binary design a^2 h'^2 / (lambda (1 - lambda))).
    """

    data: OutcomeData
    parameters: FloatArray

    @property
    def log_likelihood(self) -> float:
        """Sum of ln P(report), weighted; -inf where a report has become impossible."""
        if not self._f.min() > 0:
            return -np.inf
        logs = np.log(self._f)
        weights = self.data.weights
        return float(logs.sum() if weights is None else weights @ logs)

    @cached_property
    def score(self) -> FloatArray:
        """(q,)"""
        by_eta = self._weighted(self._by_eta)
        score = self.data.columns.orthogonal @ by_eta
        if self._unknown is None:
            return np.asarray(score)
        return np.append(score, self._weighted(self._by_unknown).sum())

    @property
    def person_scores(self) -> FloatArray:
        """Unweighted scores, one column per person: (q, n)."""
        rows = self.data.columns.orthogonal * self._by_eta
        return rows if self._unknown is None else np.vstack([rows, self._by_unknown])

    @cached_property
    def observed(self) -> FloatArray:
        """(q, q)"""
        reported, curvature = self.data.device.reported, self.data.link.curvature(self._eta)
        by_eta = self._by_eta
        first = by_eta**2 - (self._u - self._v) * curvature / self._f
        if self._unknown is None:
            return self._assembled(first)
        slopes = np.asarray(reported.if_yes_slope) - reported.if_no_slope
        mixed = by_eta * self._by_unknown - slopes * self._slope / self._f
        return self._assembled(first, mixed, self._by_unknown**2)

    @cached_property
    def expected(self) -> FloatArray:
        """(q, q)"""
        first, mixed, last = (np.zeros_like(self._h) for _ in range(3))
        for level in self.data.device.possible:
            u, v = level.at(self._unknown)
            f = np.maximum(u * self._h + v * self._complement, np.finfo(float).tiny)
            by_eta = (u - v) * self._slope
            first += by_eta**2 / f
            if self._unknown is not None:
                by_unknown = _by_unknown(level, self._h, self._complement)
                mixed += by_eta * by_unknown / f
                last += by_unknown**2 / f
        return self._assembled(first, mixed, last)

    def _assembled(
        self, first: FloatArray, mixed: FloatArray | None = None, last: FloatArray | None = None
    ) -> FloatArray:
        rows = self.data.columns.orthogonal
        block = (rows * self._weighted(first)) @ rows.T
        if self._unknown is None or mixed is None or last is None:
            return np.asarray(block)
        side = rows @ self._weighted(mixed)
        corner = np.array([[self._weighted(last).sum()]])
        return np.block([[block, side[:, None]], [side[None, :], corner]])

    def _weighted(self, values: FloatArray) -> FloatArray:
        weights = self.data.weights
        return values if weights is None else values * weights

    @property
    def _unknown(self) -> float | None:
        return None if self.data.device.unknown is None else float(self.parameters[-1])

    @cached_property
    def _eta(self) -> FloatArray:
        columns = self.data.columns
        eta = self.parameters[: columns.count] @ columns.orthogonal
        return np.asarray(eta + self.data.offset)

    @cached_property
    def _h(self) -> FloatArray:
        return self.data.link.probability(self._eta)

    @cached_property
    def _complement(self) -> FloatArray:
        return self.data.link.complement(self._eta)

    @cached_property
    def _slope(self) -> FloatArray:
        return self.data.link.slope(self._eta)

    @cached_property
    def _uv(self) -> tuple[PerPerson, PerPerson]:
        return self.data.device.reported.at(self._unknown)

    @property
    def _u(self) -> PerPerson:
        return self._uv[0]

    @property
    def _v(self) -> PerPerson:
        return self._uv[1]

    @cached_property
    def _f(self) -> FloatArray:
        return np.asarray(self._u * self._h + self._v * self._complement)

    @cached_property
    def _by_eta(self) -> FloatArray:
        return np.asarray((self._u - self._v) * self._slope / self._f)

    @cached_property
    def _by_unknown(self) -> FloatArray:
        return _by_unknown(self.data.device.reported, self._h, self._complement) / self._f


def _by_unknown(level: Level, h: FloatArray, complement: FloatArray) -> FloatArray:
    return np.asarray(level.if_yes_slope * h + level.if_no_slope * complement)
