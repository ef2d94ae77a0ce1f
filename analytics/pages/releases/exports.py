"""Downloads of a release: CSV rows, covariances, a JSON document, Parquet."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from analytics.kinds.tables.released import ReleasedCell, TableRelease
from analytics.reports.release_page import totals_statement
from surveys.web.downloads import table_parquet

Row = dict[str, Any]
# A covariance matrix has the square of so many numbers; of longer tables it follows from the sets.
MOST_VARYING = 200
# Of all tables together: any visitor can ask for the files of a public release, again and again.
# A release of 18,711 numbers in 171 tables had 2.2 million: 60 MB and 2.1 s a file; now 6.6 MB
# and 0.4 s.
MOST_COVARIANCES = 100_000
HOW_TO_READ = (
    "people is an unbiased estimate of how many respondents are counted, and can be below 0; "
    "share is its percentage of the estimated number of respondents. margin and share_margin are "
    "half the width of 95 % intervals, of the noise alone. covariance is that of people within a "
    "table. sets are the noisy integers that everything follows from: for a set of questions the "
    "Kronecker product of their residuals is applied to the counts of all combinations of their "
    "levels (the first question slowest), and discrete Gaussian noise with standard deviation "
    "lattice_sd is added to each; the empty set is the number of respondents, without noise where "
    "its lattice_sd is 0."
)

HOW_TO_READ_TOTALS = (
    "release.totals holds how often each report to a randomized question came, exactly. A device "
    "drew the report: P[report, answer] = weights[answer][report] / denominator. statement is what "
    "all these totals together tell of one person, to a reader who sees nothing else."
)


@dataclass(frozen=True)
class Download:
    """A release, what its files say of it besides, and how it was made."""

    release: TableRelease
    about: Row
    method: tuple[str, ...]

    def cells(self) -> Iterator[Row]:
        """One row for each number, with margins and the promise, the same columns in each."""
        widest = max(map(len, self.release.asked.tables))
        for position, table in enumerate(self.release.asked.tables, start=1):
            for number, cell in enumerate(self.release.cells(table), start=1):
                yield self._cell(position, table, widest, number, cell)

    def covariances(self) -> Iterator[Row]:
        """One row for each pair of numbers of a table, of as many tables as there is room for."""
        for position, table in enumerate(self.release.asked.tables):
            if position not in self._varying:
                continue
            matrix = self.release.covariance(table)
            for first in range(len(matrix)):
                for second in range(first, len(matrix)):
                    yield {
                        "table": position + 1,
                        "number": first + 1,
                        "other_number": second + 1,
                        "covariance": float(matrix[first, second]),
                    }

    def document(self) -> Row:
        """Everything, with how to read it."""
        return {
            **self.about,
            "method": list(self.method),
            "how_to_read": HOW_TO_READ,
            "respondents": {
                "people": self.release.people[0],
                "standard_error": self.release.people[1],
            },
            **self._totals(),
            "tables": [self._table(position) for position in range(len(self.release.asked.tables))],
            "release": self.release.to_document(),
        }

    def _totals(self) -> Row:
        """What the totals of randomized questions tell; they themselves are in the release."""
        if self.release.totals is None:
            return {}
        return {
            "how_to_read_totals": HOW_TO_READ_TOTALS,
            "totals_statement": totals_statement(self.release),
        }

    def parquet(self) -> bytes:
        """The rows as one Parquet file; ``covariances`` are those with each number of the table.

        Raises ParquetMissing.
        """
        about = {name: str(value) for name, value in self.about.items()}
        return table_parquet(self._rows_with_covariances(), {**about, "how_to_read": HOW_TO_READ})

    @cached_property
    def _varying(self) -> frozenset[int]:
        """The places of tables whose covariances the files hold, from the smallest table on."""
        asked = self.release.asked
        sizes = sorted(
            (asked.size_of(table), position) for position, table in enumerate(asked.tables)
        )
        together = accumulate(size**2 for size, _ in sizes)
        return frozenset(
            position
            for (size, position), covariances in zip(sizes, together, strict=True)
            if size <= MOST_VARYING and covariances <= MOST_COVARIANCES
        )

    def _rows_with_covariances(self) -> Iterator[Row]:
        rows = self.cells()
        for position, table in enumerate(self.release.asked.tables):
            matrix = self.release.covariance(table) if position in self._varying else None
            for number in range(self.release.asked.size_of(table)):
                own = None if matrix is None else matrix[number].tolist()
                yield {**next(rows), "covariances": own}

    def _cell(
        self, position: int, table: tuple[int, ...], widest: int, number: int, cell: ReleasedCell
    ) -> Row:
        named: Row = {}
        for order in range(widest):
            is_there = order < len(table)
            question = self.release.asked.variables[table[order]].name if is_there else None
            named[f"question_{order + 1}"] = question
            named[f"answer_{order + 1}"] = cell.labels[order] if is_there else None
        return {
            "table": position,
            "number": number,
            **named,
            "people": cell.people,
            "margin": cell.margin,
            "share": cell.share,
            "share_margin": cell.share_margin,
            "epsilon": self.release.epsilon,
            "delta": self.release.delta,
            "adjacency": str(self.release.adjacency),
        }

    def _table(self, position: int) -> Row:
        table = self.release.asked.tables[position]
        varying = position in self._varying
        return {
            "questions": [self.release.asked.variables[number].name for number in table],
            "cells": [
                {
                    "answers": list(cell.labels),
                    "people": cell.people,
                    "margin": cell.margin,
                    "share": cell.share,
                    "share_margin": cell.share_margin,
                }
                for cell in self.release.cells(table)
            ],
            "covariance": self.release.covariance(table).tolist() if varying else None,
        }
