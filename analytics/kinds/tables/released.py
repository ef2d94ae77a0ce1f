"""TableRelease: tables that were released, as a document: estimates, margins, and the noisy sets.

The noisy integers behind the tables are kept, with how they were made: every table, its covariance
and anything else that follows from them costs nothing more. Where replacing one is hidden,
the number of respondents is public and among them as it is, with a ``lattice_sd`` of 0. Releases
that were made before that have noise in it, and are read as they were written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, partial
from typing import Any

import numpy as np

from analytics.kinds.documents import DocumentError
from analytics.kinds.plain import MISSHAPEN, from_plain, to_plain
from analytics.kinds.registry import TABLE_RELEASE
from analytics.kinds.tables.asked import AskedTables, Variable
from analytics.kinds.tables.planned import DEVIATIONS, PlannedTables
from analytics.kinds.tables.totals import ReleasedTotals
from analytics.privacy.accounting import Adjacency, Budget, Cost
from analytics.privacy.checks import IntArray
from analytics.privacy.mechanisms import Noise
from analytics.privacy.records import Arrays, Drawing, released
from analytics.workloads.asks import Ask, OneWay, kronecker
from analytics.workloads.checks import FloatArray
from analytics.workloads.crosstabs import Coded, TablePlan, publish_tables
from analytics.workloads.pairs import Places
from surveys.randomized_response.messages import sentence

VERSION = 1


@dataclass(frozen=True)
class NoisySet:
    """The integers of one set of questions, with discrete Gaussian noise of ``lattice_sd``.

    Of tables that are released at openings: what follows from the integers of all openings so far,
    with the noise that is in it.
    """

    questions: Places
    lattice_sd: float
    values: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class DrawnTables:
    """The noisy integers of every set of questions, with all that they were made by.

    A repeat takes it as it was kept: another machine may round the same plan to other integers.
    """

    sets: tuple[NoisySet, ...]
    residuals: tuple[IntArray, ...]
    cost: Cost
    is_private: bool

    def parts(self) -> tuple[Mapping[str, Any], Arrays]:
        """Itself as plain values and arrays, for ``read_drawn``."""
        header = {
            "is_private": self.is_private,
            "mu_squared": f"{self.cost.mu_squared:f}",
            "sets": [[list(noisy.questions), noisy.lattice_sd] for noisy in self.sets],
        }
        values = {f"set{n}": np.array(noisy.values) for n, noisy in enumerate(self.sets)}
        return header, values | {f"residuals{n}": matrix for n, matrix in enumerate(self.residuals)}


def read_drawn(header: Mapping[str, Any], arrays: Arrays) -> DrawnTables:
    """What ``parts`` told."""
    sets = (
        NoisySet(tuple(questions), sd, tuple(arrays[f"set{n}"].tolist()))
        for n, (questions, sd) in enumerate(header["sets"])
    )
    count = sum(name.startswith("residuals") for name in arrays)
    residuals = tuple(arrays[f"residuals{n}"] for n in range(count))
    cost = Cost(Decimal(header["mu_squared"]))
    return DrawnTables(tuple(sets), residuals, cost, header["is_private"])


@dataclass(frozen=True)
class ReleasedCell:
    """One number of a table: an estimate of people, and its share of all people in percent.

    Margins are those of 95 % intervals; the share is None where the people themselves are noise.
    """

    labels: tuple[str, ...]
    people: float
    margin: float
    share: float | None
    share_margin: float | None


@dataclass(frozen=True)
class TableRelease:
    """Released tables. ``epsilon`` is that of this release alone, at the promised ``delta``.

    ``residuals`` are the integer matrices R of each question (see ``workloads.crosstabs``): the
    values of a set are (x) R applied to the counts of its questions, plus noise.
    """

    asked: AskedTables
    sets: tuple[NoisySet, ...]
    residuals: tuple[tuple[tuple[int, ...], ...], ...]
    adjacency: Adjacency
    epsilon: float
    delta: float
    mu_squared: Decimal
    is_private: bool
    version: int = field(default=VERSION)
    totals: ReleasedTotals | None = None

    @property
    def cost(self) -> Cost:
        """What was charged, in terms of ``adjacency``; tables have no thresholds."""
        return Cost(self.mu_squared)

    @cached_property
    def plan(self) -> TablePlan:
        """The plan by which every table follows from the sets."""
        questions = tuple(map(coded_from, self.asked.variables, self.residuals))
        noise = {noisy.questions: noisy.lattice_sd for noisy in self.sets}
        return TablePlan(self.asked.workload, questions, noise, self.adjacency)

    @cached_property
    def people(self) -> tuple[float, float]:
        """The number of respondents and its standard error, 0 where the number is exact."""
        return float(self._values[()][0]), self.plan.noise[()]

    def cells(self, table: Places) -> list[ReleasedCell]:
        """Every number of a table, in the order of its questions."""
        estimates = self.plan.estimate(table, self._values)
        errors = np.sqrt(self.plan.variances(table))
        shares, share_errors = self._shares(table, estimates, errors)
        rows = zip(self.asked.labels(table), estimates, errors, shares, share_errors, strict=True)
        return [
            ReleasedCell(labels, float(people), DEVIATIONS * float(error), share, share_error)
            for labels, people, error, share, share_error in rows
        ]

    def covariance(self, table: Places) -> FloatArray:
        """The exact covariance of a table's numbers, numbers x numbers.

        A sum over the sets inside it: variance times the Kronecker product of C C' or c c'.
        """
        total = np.zeros((1, 1))
        for chosen, sd in self.plan.noise.items():
            if set(chosen) <= set(table):
                matrices = (self._matrix(position, position in chosen) for position in table)
                total = total + sd**2 * kronecker(matrices)
        return np.asarray(total)

    @cached_property
    def _values(self) -> dict[Places, FloatArray]:
        return {noisy.questions: np.array(noisy.values, dtype=np.float64) for noisy in self.sets}

    def _matrix(self, position: int, is_chosen: bool) -> FloatArray:
        coded = self.plan.questions[position]
        root = coded.by_residuals if is_chosen else coded.by_total
        return np.asarray(root @ root.T)

    def _shares(
        self, table: Places, estimates: FloatArray, errors: FloatArray
    ) -> tuple[list[float | None], list[float | None]]:
        """Percent of the estimated respondents; margins by the delta method.

        Var(c / T) is about (Var c - 2 s Cov(c, T) + s^2 Var T) / T^2 with s = c / T. None unless
        the estimated number of respondents is above its own margin.
        """
        people, error = self.people
        if people <= DEVIATIONS * error:
            nothing: list[float | None] = [None] * len(estimates)
            return nothing, nothing
        by_total = kronecker(
            (self.plan.questions[position].by_total[:, 0] for position in table), np.ones(1)
        )
        shares = estimates / people
        variances = errors**2 + error**2 * (shares**2 - 2 * shares * by_total)
        margins = DEVIATIONS * np.sqrt(np.maximum(variances, 0)) / people
        return list(100 * shares), list(100 * margins)

    def to_document(self) -> dict[str, Any]:
        """Plain values for JSON; ``from_document`` reads them."""
        return {
            "version": self.version,
            "kind": TABLE_RELEASE.name,
            "is_private": self.is_private,
            "adjacency": str(self.adjacency),
            "epsilon": self.epsilon,
            "delta": self.delta,
            "mu_squared": f"{self.mu_squared:f}",
            "questions": questions_document(self.asked, self.residuals),
            "tables": [list(table) for table in self.asked.tables],
            "sets": [to_plain(noisy) for noisy in self.sets],
            # Left out where there are none, as in releases from before there were any.
            **({"totals": to_plain(self.totals)} if self.totals else {}),
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "TableRelease":
        """The release that ``to_document`` wrote. Raises DocumentError."""
        require_version(document, VERSION)
        try:
            totals = document.get("totals")
            return cls(
                asked=asked_from(document),
                sets=tuple(from_plain(noisy, NoisySet) for noisy in document["sets"]),
                residuals=tuple(
                    integer_rows(entry["residuals"]) for entry in document["questions"]
                ),
                adjacency=Adjacency(document["adjacency"]),
                epsilon=document["epsilon"],
                delta=document["delta"],
                mu_squared=Decimal(document["mu_squared"]),
                is_private=document["is_private"],
                totals=from_plain(totals, ReleasedTotals) if totals else None,
            )
        except MISSHAPEN as problem:
            raise DocumentError(
                "document", problem, sentence("the content is not a stored release")
            ) from None


def require_version(document: Any, version: int) -> None:
    """Refuse a document of tables that another version wrote. Raises DocumentError."""
    if not isinstance(document, Mapping) or document.get("version") != version:
        stored = document.get("version") if isinstance(document, Mapping) else document
        raise DocumentError(
            "version",
            stored,
            sentence(
                "the release was made by another version, and this program uses version {version}",
                version=version,
            ),
        )


def release_tables(planned: PlannedTables, rows: Any, noise: Noise, terms: Budget) -> TableRelease:
    """Draw the noise of every set once, and work out the release.

    ``rows`` holds the level of each respondent for each variable, respondents x variables, from 0.
    The release must be charged ``planned.cost`` before. What was kept of an earlier try is used
    again. Raises WorkloadError, NoiseError.
    """
    drawn = released(noise, partial(_draw, planned, rows), read_drawn)
    return TableRelease(
        asked=planned.asked,
        sets=drawn.sets,
        residuals=tuple(integer_rows(matrix.tolist()) for matrix in drawn.residuals),
        adjacency=planned.plan.adjacency,
        epsilon=drawn.cost.epsilon(terms.delta),
        delta=terms.delta,
        mu_squared=drawn.cost.mu_squared,
        is_private=drawn.is_private,
    )


def _draw(planned: PlannedTables, rows: Any, source: Drawing) -> DrawnTables:
    plan = planned.plan
    published = publish_tables(plan, rows, source)
    sets = (
        NoisySet(places, plan.noise[places], tuple(values.tolist()))
        for places, values in published.released.items()
    )
    residuals = tuple(question.residuals for question in plan.questions)
    return DrawnTables(tuple(sets), residuals, planned.cost, published.is_private)


def questions_document(
    asked: AskedTables, residuals: Sequence[tuple[tuple[int, ...], ...]]
) -> list[dict[str, Any]]:
    """The questions of a document, for ``asked_from``, each with its integers R."""
    return [
        {
            "text": variable.name,
            "levels": list(variable.levels),
            "ask": str(variable.ask),
            "has_no_answer": variable.has_no_answer,
            "residuals": [list(row) for row in rows],
        }
        for variable, rows in zip(asked.variables, residuals, strict=True)
    ]


def coded_from(variable: Variable, residuals: tuple[tuple[int, ...], ...]) -> Coded:
    """C and c of W = C R + c 1', from the integers R."""
    levels = len(variable.levels)
    matrix = np.array(residuals, dtype=np.int64).reshape(-1, levels)
    square = np.vstack([matrix, np.ones((1, levels), dtype=np.int64)])
    answered = OneWay(variable.ask, levels).matrix() @ np.linalg.inv(square)
    return Coded(matrix, answered[:, :-1], answered[:, -1:])


def asked_from(document: Mapping[str, Any]) -> AskedTables:
    """What a document says was asked. Raises KeyError, TypeError, ValueError, WorkloadError."""
    variables = (
        Variable(entry["text"], tuple(entry["levels"]), Ask(entry["ask"]), entry["has_no_answer"])
        for entry in document["questions"]
    )
    return AskedTables(tuple(variables), tuple(tuple(table) for table in document["tables"]))


def integer_rows(rows: Any) -> tuple[tuple[int, ...], ...]:
    """A matrix as a value."""
    return tuple(tuple(row) for row in rows)
