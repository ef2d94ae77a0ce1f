"""OutcomeData and OutcomePoint: log likelihood, score, information of randomized yes/no reports."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..checks import FloatArray
from ..samples.survey_samples import Sample
from .covariates import Columns
from .devices import PerPerson, ReportDevice, ReportLevel
from .links import Link


@dataclass(frozen=True)
class OutcomeData:
    """Everything a fit needs; ``weights`` (n,) or None when each row is one person.

    ``sample``: how people with those weights were drawn, where that is known.
    Weights that ``are_counts`` say how many people gave the same row: then the likelihood is that
    of all of them, one by one. Others are survey weights, and the likelihood is none.
    """

    columns: Columns
    device: ReportDevice
    link: Link
    weights: FloatArray | None = None
    are_counts: bool = False
    sample: Sample | None = None
    offset: PerPerson = 0.0

    @property
    def is_weighted(self) -> bool:
        """Whether there are survey weights."""
        return self.weights is not None and not self.are_counts

    @property
    def people(self) -> int:
        """How many people there are, on however many rows."""
        if self.weights is None or not self.are_counts:
            return self.columns.n
        return round(float(self.weights.sum()))

    def at(self, parameters: FloatArray) -> "OutcomePoint":
        """The likelihood at (p,) orthogonal coefficients, then the unknown if there is one."""
        return OutcomePoint(self, parameters)


@dataclass(frozen=True)
class Truth:
    """The probability h of each person's true yes, by the linear predictors ``eta``: (n,) each."""

    eta: FloatArray
    link: Link

    @cached_property
    def yes(self) -> FloatArray:
        """h"""
        return self.link.probability(self.eta)

    @cached_property
    def no(self) -> FloatArray:
        """1 - h"""
        return self.link.complement(self.eta)

    @cached_property
    def slope(self) -> FloatArray:
        """h'"""
        return self.link.slope(self.eta)

    @cached_property
    def curvature(self) -> FloatArray:
        """h''"""
        return self.link.curvature(self.eta)


@dataclass(frozen=True)
class ReportChance:
    """P(report) = f = u h + v (1 - h) of each person, and its derivatives: (n,) each."""

    level: ReportLevel
    unknown: float | None
    truth: Truth

    @cached_property
    def probability(self) -> FloatArray:
        """f"""
        u, v = self.level.at(self.unknown)
        return np.asarray(u * self.truth.yes + v * self.truth.no)

    @cached_property
    def by_eta(self) -> FloatArray:
        """(u - v) h'"""
        return np.asarray(self._difference * self.truth.slope)

    @cached_property
    def by_unknown(self) -> FloatArray:
        """u1 h + v1 (1 - h)"""
        level, truth = self.level, self.truth
        return np.asarray(level.if_yes_slope * truth.yes + level.if_no_slope * truth.no)

    @property
    def by_eta_twice(self) -> FloatArray:
        """(u - v) h''"""
        return np.asarray(self._difference * self.truth.curvature)

    @property
    def by_both(self) -> FloatArray:
        """(u1 - v1) h', by eta and the unknown."""
        slopes = np.asarray(self.level.if_yes_slope) - self.level.if_no_slope
        return np.asarray(slopes * self.truth.slope)

    @property
    def _difference(self) -> PerPerson:
        u, v = self.level.at(self.unknown)
        return u - v


@dataclass(frozen=True)
class Reports:
    """Each person's P(report) without an unknown, and derivatives of ln P by eta: (n,) each."""

    device: ReportDevice
    truth: Truth

    @cached_property
    def probability(self) -> FloatArray:
        return _positive(self._report.probability)

    @cached_property
    def slope(self) -> FloatArray:
        """By eta."""
        return np.asarray(self._report.by_eta / self.probability)

    @cached_property
    def curvature(self) -> FloatArray:
        """By eta, twice."""
        return np.asarray(self._report.by_eta_twice / self.probability - self.slope**2)

    @cached_property
    def expected(self) -> FloatArray:
        """The expected information about eta: the sum over all reports of (P')^2 / P."""
        parts = (report.by_eta**2 / _positive(report.probability) for report in self._possible)
        return np.asarray(sum(parts))

    @property
    def expected_slope(self) -> FloatArray:
        """Of ``expected``, by eta."""
        parts = []
        for report in self._possible:
            chance, first = _positive(report.probability), report.by_eta
            parts.append(2 * first * report.by_eta_twice / chance - first**3 / chance**2)
        return np.asarray(sum(parts))

    @cached_property
    def _report(self) -> ReportChance:
        return ReportChance(self.device.reported, None, self.truth)

    @cached_property
    def _possible(self) -> list[ReportChance]:
        return [ReportChance(level, None, self.truth) for level in self.device.possible]


def _positive(chance: FloatArray) -> FloatArray:
    return np.maximum(chance, np.finfo(float).tiny)


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
        if not self._report.probability.min() > 0:
            return -np.inf
        logs = np.log(self._report.probability)
        weights = self.data.weights
        return float(logs.sum() if weights is None else weights @ logs)

    @cached_property
    def score(self) -> FloatArray:
        """(q,)"""
        score = self.data.columns.orthogonal @ self._weighted(self._by_eta)
        if self._unknown is None:
            return np.asarray(score)
        return np.append(score, self._weighted(self._by_unknown).sum())

    def noise(self, parts: FloatArray) -> FloatArray:
        """Sum over people of part times the covariance of their score, given truth: (q, q).

        What a device without an unknown scatters, by the model: given a true yes a report has the
        chances u and the score s, given a true no the chances v. ``parts``: shape (n,).
        """
        chances = [ReportChance(level, None, self._truth) for level in self.data.device.possible]
        scores = [chance.by_eta / _positive(chance.probability) for chance in chances]
        spread = np.zeros_like(self._truth.yes)
        for share, truth in ((self._truth.yes, 0), (self._truth.no, 1)):
            conditional = [chance.level.at(None)[truth] for chance in chances]
            mean = sum(p * s for p, s in zip(conditional, scores, strict=True))
            square = sum(p * s**2 for p, s in zip(conditional, scores, strict=True))
            spread += share * (square - mean**2)
        rows = self.data.columns.orthogonal
        return np.asarray((rows * (parts * spread)) @ rows.T)

    @property
    def person_scores(self) -> FloatArray:
        """Unweighted scores, one column per person: (q, n)."""
        rows = self.data.columns.orthogonal * self._by_eta
        return rows if self._unknown is None else np.vstack([rows, self._by_unknown])

    @cached_property
    def observed(self) -> FloatArray:
        """(q, q)"""
        report = self._report
        first = self._by_eta**2 - report.by_eta_twice / report.probability
        if self._unknown is None:
            return self._assembled(first)
        mixed = self._by_eta * self._by_unknown - report.by_both / report.probability
        return self._assembled(first, mixed, self._by_unknown**2)

    @cached_property
    def expected(self) -> FloatArray:
        """(q, q)"""
        first, mixed, last = (np.zeros_like(self._truth.yes) for _ in range(3))
        for level in self.data.device.possible:
            report = ReportChance(level, self._unknown, self._truth)
            f = _positive(report.probability)
            first += report.by_eta**2 / f
            if self._unknown is not None:
                mixed += report.by_eta * report.by_unknown / f
                last += report.by_unknown**2 / f
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
    def _truth(self) -> Truth:
        columns = self.data.columns
        eta = self.parameters[: columns.count] @ columns.orthogonal
        return Truth(np.asarray(eta + self.data.offset), self.data.link)

    @cached_property
    def _report(self) -> ReportChance:
        """What each person reported."""
        return ReportChance(self.data.device.reported, self._unknown, self._truth)

    @cached_property
    def _by_eta(self) -> FloatArray:
        return np.asarray(self._report.by_eta / self._report.probability)

    @cached_property
    def _by_unknown(self) -> FloatArray:
        return np.asarray(self._report.by_unknown / self._report.probability)
